from collections.abc import Callable
from typing import Any

from runglass.native.columns import Columns

class StoredColumns:
    part_count: int
    tag_count: int
    on_damage: Callable[[int, Columns], None] | None
    read_summaries: Callable[[], Any] | None
    read_pyramids: Callable[[], dict[int, tuple[int, int, int]] | None] | None
    lock: object
    def __init__(self, data: Any, parts: Any, tags: Any, checks: Any) -> None: ...
    def is_whole(self, row: int) -> bool: ...
    def columns(self, row: int) -> Columns: ...
    def row_of(self, columns: Columns) -> int: ...
    def part_rows(self, first: int, count: int) -> list[tuple[int, int]]: ...
    def list_tags(
        self, first: int, count: int, names: list[str], metas: list[bytes]
    ) -> list[tuple[str, bytes | None, tuple[int, int], bool, Columns | None, Columns | None, int, int]]: ...
