"""One embedding, the same for every format it may come from: vectors that are read by rows, columns of metadata, thumbnails.

Knows no format and opens no file: whoever makes an embedding gives it functions that read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.errors import EmbeddingDamaged as EmbeddingDamaged
from runglass.errors import EmbeddingUnknown as EmbeddingUnknown
from runglass.errors import RunglassError

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Pixels = NDArray[np.uint8]

ColumnType = Literal["number", "category", "text"]

# As TensorBoard: a column with more different texts has no legend.
MAX_CATEGORIES = 50
# Names of columns that tell the next point of a sequence.
NEXT_COLUMNS = ("__next__", "__seq_next__")
NUMBER = re.compile(
    r"\s*[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|nan|inf(?:inity)?)\s*", re.IGNORECASE
)


class EmbeddingInfo(Struct, frozen=True):
    """One embedding in a listing, for which nothing but configs and indexes of files is read. At its last step, if it has steps."""

    run: str
    name: str
    # At which steps there are vectors, ascending; empty if the files do not tell.
    steps: tuple[int, ...] = ()
    # None if counting them would mean to read a large file.
    rows: int | None = None
    dimensions: int | None = None
    # As NumPy calls it, or "bfloat16", "float8_e4m3fn", …
    dtype: str = "float32"
    # Files below the run's directory: vectors, and labels, sprite and bookmarks as far as they are named.
    paths: tuple[str, ...] = ()
    metadata_path: str | None = None
    has_metadata: bool = False
    has_sprite: bool = False
    has_bookmarks: bool = False
    # Found in a checkpoint, without a config that names it.
    is_offered: bool = False
    # Why it cannot be read, in a sentence.
    problem: str | None = None
    # Equal numbers mean unchanged files.
    generation: int = 0


class Matrix(Protocol):
    """Numbers of shape (rows, dimensions), wherever they are."""

    @property
    def rows(self) -> int: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def dtype(self) -> str: ...

    def read(self, start: int, stop: int) -> Float32:
        """These rows; `0 <= start <= stop <= rows`. May be called from several threads."""
        ...


class Column:
    """One column of metadata: a text per row, None where the cell is empty."""

    def __init__(self, name: str, codes: Int32, levels: list[str]) -> None:
        """`codes` are positions in `levels`, -1 where there is no value; every level occurs."""
        self.name = name
        self.codes = codes
        # In the order in which they first occur.
        self.levels = levels

    @classmethod
    def of(cls, name: str, values: Sequence[str | None]) -> Column:
        # Loops of Python would take a second for every million.
        levels = [each for each in dict.fromkeys(values) if each is not None]
        numbers: dict[str | None, int] = {each: number for number, each in enumerate(levels)}
        numbers[None] = -1
        codes = np.fromiter(map(numbers.__getitem__, values), np.int32, len(values))
        return cls(name, codes, levels)

    @classmethod
    def of_numbers(cls, name: str, numbers: Float32 | Float64) -> Column:
        """NaN where there is no value."""
        known = ~np.isnan(numbers)
        distinct, codes = np.unique(numbers[known], return_inverse=True)
        is_whole = bool(np.all(distinct == np.trunc(distinct)) and np.all(np.abs(distinct) < 2**53))
        # With as many digits as their type has.
        levels = [str(int(each)) if is_whole else str(each) for each in distinct]
        all_codes = np.full(len(numbers), -1, np.int32)
        all_codes[known] = codes
        return cls(name, all_codes, levels)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def values(self) -> list[str | None]:
        texts: list[str | None] = [*self.levels, None]
        # -1 is the last of them.
        return [texts[code] for code in self.codes.tolist()]

    def value(self, row: int) -> str | None:
        code = int(self.codes[row])
        return self.levels[code] if code >= 0 else None

    @property
    def missing(self) -> int:
        return int(np.count_nonzero(self.codes < 0))

    @cached_property
    def type(self) -> ColumnType:
        """A column is one of numbers if every value is one, else of categories if there are at most 50."""
        if self.levels and all(NUMBER.fullmatch(level) for level in self.levels):
            return "number"
        return "category" if len(self.levels) <= MAX_CATEGORIES else "text"

    @cached_property
    def numbers(self) -> Float64 | None:
        """NaN where there is no value; None if this is no column of numbers."""
        if self.type != "number":
            return None
        table = np.array([*map(float, self.levels), np.nan])
        return table[self.codes]


class Metadata(Struct, frozen=True):
    columns: Mapping[str, Column]
    # Of every row the next one of its sequence, -1 at the end of one; None if no column tells.
    next: Int32 | None = None
    problems: tuple[str, ...] = ()


class Sprite(Protocol):
    """One picture with a tile for every row."""

    @property
    def width(self) -> int: ...

    @property
    def height(self) -> int: ...

    @property
    def tile(self) -> tuple[int, int]:
        """Width and height of a tile."""
        ...

    @property
    def count(self) -> int:
        """How many tiles the picture has room for."""
        ...

    @property
    def problems(self) -> tuple[str, ...]: ...

    def tiles(self, rows: Sequence[int] | Int32, size: int) -> Pixels:
        """RGBA of shape (rows, size, size, 4), each tile fitted into its square; transparent where there is no tile."""
        ...

    def picture(self, row: int) -> Pixels:
        """The tile of a row as it is, RGBA of shape (height, width, 4)."""
        ...

    def image(self) -> Pixels:
        """The whole picture as RGBA."""
        ...

    def data(self) -> bytes:
        """The file."""
        ...


class Embedding:
    """Vectors of one step with all that is known of them. Metadata and sprite are read when they are asked for."""

    def __init__(
        self,
        matrix: Matrix,
        *,
        metadata: Callable[[int], Metadata] | None = None,
        sprite: Callable[[Embedding], Sprite | None] | None = None,
        bookmarks: Callable[[], bytes | None] | None = None,
        identity: Any = None,
        paths: Sequence[str] = (),
        problems: Sequence[str] = (),
    ) -> None:
        """`metadata` is called with the number of rows."""
        self._matrix = matrix
        self._load_metadata = metadata
        self._load_sprite = sprite
        self._load_bookmarks = bookmarks
        self._problems = tuple(problems)
        # Every file with its size and time: equal ones mean equal content, in this process and in later ones.
        self.identity = identity
        self.paths = tuple(paths)

    @property
    def rows(self) -> int:
        return self._matrix.rows

    @property
    def dimensions(self) -> int:
        return self._matrix.dimensions

    @property
    def dtype(self) -> str:
        """In the file."""
        return self._matrix.dtype

    def vectors(self, start: int = 0, stop: int | None = None) -> Float32:
        """Rows as float32, read from the file. Rows with NaN or infinities are there too. Do not write to the array."""
        stop = self.rows if stop is None else min(stop, self.rows)
        start = min(max(start, 0), stop)
        return self._matrix.read(start, stop)

    @cached_property
    def metadata(self) -> Metadata:
        return self._load_metadata(self.rows) if self._load_metadata else Metadata({})

    @cached_property
    def sprite(self) -> Sprite | None:
        """None if there is none, or if it cannot be read; `problems` tells which."""
        return self._sprite_or_problem[0]

    @cached_property
    def _sprite_or_problem(self) -> tuple[Sprite | None, tuple[str, ...]]:
        if self._load_sprite is None:
            return None, ()
        try:
            sprite = self._load_sprite(self)
        except RunglassError as error:
            return None, (error.message,)
        return sprite, () if sprite is None else sprite.problems

    @cached_property
    def bookmarks(self) -> bytes | None:
        """The bytes of TensorBoard's file of bookmarks."""
        return self._load_bookmarks() if self._load_bookmarks else None

    @property
    def problems(self) -> tuple[str, ...]:
        """What does not fit, in sentences. Reads metadata and the sprite's header."""
        return (*self._problems, *self.metadata.problems, *self._sprite_or_problem[1])
