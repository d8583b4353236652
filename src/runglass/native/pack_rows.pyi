from typing import IO, Any

class PackRows:
    tags: bytearray
    parts: bytearray
    checks: bytearray
    starts: bytearray
    summaries: bytearray
    pyramids: bytearray
    at: int
    tag_count: int
    def __init__(self, out: IO[bytes], at: int, names: dict[bytes, int], metas: dict[bytes, int]) -> None: ...
    def add(self, tags: list[Any]) -> None: ...
