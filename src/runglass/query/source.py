"""DataSource: the seam between stored data and everything that asks questions of it.

Nothing above this file may assume that the data is in this process. `list_*` is cheap and touches metadata only;
`read_*` costs. Columns, never points.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from typing import Any, Literal, Protocol, Self, runtime_checkable

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from runglass.native.pyramid import Pyramid
from runglass.store.model import (
    Asset,
    Attempts,
    Family,
    FileHealth,
    Kind,
    Progress,
    RemoteStatus,
    RunInfo,
    SeriesInfo,
    SeriesKey,
    SeriesMeta,
)

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Floats = NDArray[np.float32] | NDArray[np.float64]

XAxis = Literal["step", "relative", "wall"]
XScale = Literal["linear", "log", "symlog"]
"""`symlog` is sign(x) * log1p(|x|)."""


class Columns(Struct, frozen=True):
    """A scalar series. The arrays have one length and must not be written to."""

    key: SeriesKey
    generation: int
    # Index of the first returned point in the whole series; above 0 only for a delta.
    offset: int
    step: Int64
    wall_time: Float64
    # float32 when every value in the files is exactly that, else float64.
    value: Floats
    # Which attempt a point belongs to, counted from 0 in file order.
    segment: NDArray[np.int32]
    # With attempts="all": the points that `latest` leaves out. None when there are none.
    overwritten: NDArray[np.bool_] | None = None
    # The pyramid over just these points, for statistics at less cost; None if the source keeps none.
    read_pyramid: Callable[[], Pyramid] | None = None


SmoothingKind = Literal["none", "ema", "time_ema", "gaussian", "median"]


class Smoothing(Struct, frozen=True):
    """How a line is smoothed. All kinds see every point, never the reduced line.

    `ema`: amount = weight in [0, 1], TensorBoard's debiased average over point index.
    `time_ema`: amount = half-life in x units. `gaussian`: amount = sigma in points. `median`: amount = window in points.
    """

    kind: SmoothingKind = "none"
    amount: float = 0.0


class AxisQuery(Struct, frozen=True, kw_only=True):
    """Series over one x axis."""

    # A time axis, or the tag of a scalar of the same run (joined on step).
    x: str = "step"
    smoothing: Smoothing = field(default_factory=Smoothing)
    attempts: Attempts = "latest"


class LineQuery(AxisQuery, frozen=True, kw_only=True):
    """What one chart asks for: the same axes, range, width and smoothing for every series in it."""

    x_range: tuple[float, float] | None = None
    # Where pixel columns are even. On a log axis, points at x <= 0 have no place and are left out.
    x_scale: XScale = "linear"
    # Pixel columns of the plot; None asks for every point.
    width: int | None = None


class Line(Struct, frozen=True):
    """One drawable line: the points in the range that the reduction kept.

    With `width` set, every pixel column keeps its first, last, minimum and maximum finite point and its first NaN,
    first +Inf and first -Inf; the nearest point on either side of the range is kept as well, so that a line enters
    and leaves the picture where it should.
    """

    key: SeriesKey
    generation: int
    # Points of the series inside the range, before reduction.
    total: int
    # Of the kept points; or of every point in the range, which lines over the same steps share.
    x: Float64
    # Indices into x of the kept points, ascending; None when x has just these.
    kept: NDArray[np.int64] | None
    # Smoothed value of every kept point.
    y: Floats
    # Points were left out.
    is_reduced: bool = False

    @property
    def kept_x(self) -> Float64:
        return self.x if self.kept is None else self.x[self.kept]


class Summary(Struct, frozen=True):
    """Exact statistics over all points of a series; min, max and mean are over finite values, None without any."""

    key: SeriesKey
    count: int
    first: float | None
    last: float | None
    first_step: int | None
    last_step: int | None
    last_wall_time: float | None
    min: float | None
    min_step: int | None
    max: float | None
    max_step: int | None
    mean: float | None
    nan_count: int
    nan_first_step: int | None
    pos_inf_count: int
    pos_inf_first_step: int | None
    neg_inf_count: int
    neg_inf_first_step: int | None


class Band(Struct, frozen=True):
    """Statistics over a group of runs at each x of their union; a run counts from its first to its last point."""

    x: Float64
    # Runs that have a value at this x, logged or interpolated.
    count: NDArray[np.int32]
    center: Float64
    low: Float64
    high: Float64


BandCenter = Literal["mean", "median"]
BandSpread = Literal["minmax", "std", "stderr", "quantile", "bootstrap"]


class BandQuery(LineQuery, frozen=True, kw_only=True):
    center: BandCenter = "mean"
    spread: BandSpread = "minmax"
    # For `quantile`: the lower one; the upper one is 1 - quantile.
    quantile: float = 0.25
    # For `bootstrap`: of the interval in which the center of resampled runs lies.
    confidence: float = 0.95


class Nearest(Struct, frozen=True):
    """The point of a series that is nearest in x; of two equally near ones the one with the larger x or written later."""

    key: SeriesKey
    x: float
    step: int
    wall_time: float
    # Seconds since the first point of the series.
    relative: float
    value: float
    smoothed: float


class RangeStatistics(Struct, frozen=True):
    """Of the values in a range of x, in order of x; min, max and mean are over finite values. None without any."""

    start: float | None
    end: float | None
    min: float | None
    min_step: int | None
    max: float | None
    max_step: int | None
    mean: float | None


class RangeSummary(Struct, frozen=True):
    """A series over a range of x, both ends included."""

    key: SeriesKey
    count: int
    start_step: int | None
    end_step: int | None
    value: RangeStatistics
    # None without smoothing.
    smoothed: RangeStatistics | None


RunStatistic = Literal["last", "first", "min", "max", "mean", "count", "at_step", "at_best"]
Best = Literal["min", "max"]


class RunColumn(Struct, frozen=True):
    """One number of a scalar series of a run; min, max and mean are over finite values."""

    tag: str
    stat: RunStatistic = "last"
    # at_step: the value at the highest step up to this one, of several the last.
    step: int = 0
    # at_best: as at_step, at the first step where this tag has its lowest or highest value.
    best_tag: str | None = None
    best: Best = "min"


class Values(Struct, frozen=True):
    """A series of any kind by its index; `load_value` fetches and decodes one."""

    key: SeriesKey
    meta: SeriesMeta
    generation: int
    step: Int64
    wall_time: Float64
    segment: NDArray[np.int32]
    # Bytes of each stored value, framing excluded; None where values are kept as columns.
    size_bytes: Int64 | None
    # Number of each value among those of all attempts; None where `attempts` leaves nothing out.
    rows: Int64 | None


class Capability(StrEnum):
    """What some sources can do and others cannot."""

    # It notices changes by itself: `wait_for_change` returns without a call of `load`.
    LIVE = "live"
    # Its runs can have assets.
    ASSETS = "assets"
    # It has an SQL engine of its own: `read_sql`. The others are answered by an engine in this process (runglass/sql/).
    SQL = "sql"


class SqlRows(Struct, frozen=True):
    """The answer to an SQL query, in columns of one length."""

    # As the engine names the columns; two may have the same name.
    names: list[str]
    # Numbers and booleans without NULL as arrays of such; everything else as arrays of objects: str, int, float, bool,
    # datetime, bytes, list or dict, and None for NULL.
    columns: list[NDArray[Any]]
    # Whether there were more rows than `limit`.
    is_cut: bool
    # What answered, with its version, as in "DuckDB 1.4.0".
    engine: str


class AssetReader(Protocol):
    """Reads ranges of one asset. It has no path: the bytes may come from anywhere.

    All bytes are from the state that was listed. If the file was replaced, truncated or rewritten since, `read` and `map` raise
    AssetChanged, and AssetGone if it was deleted. Growth is not a change for files that their writer only appends to. Use a reader in
    one thread at a time.
    """

    @property
    def size_bytes(self) -> int: ...

    def read(self, offset: int, size: int) -> bytes:
        """`size` bytes from `offset`; fewer only where the asset ends."""
        ...

    def map(self) -> memoryview | None:
        """All bytes in one piece of memory that never changes and outlives `close`. This may cost a copy.

        None if the source cannot do that; use `read` then.
        """
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


@runtime_checkable
class DataSource(Protocol):
    """Read-only questions over runs, series and files.

    Order: points come in file order (files by name, records by position). Steps may repeat or go back inside one
    file; nothing sorts or merges them. `attempts="latest"` leaves out the points that a later segment overwrote: those
    with a step at or after its first step. `attempts="all"` leaves out nothing.

    Generations: a number per series. `read_columns(since=g)` answers with only the points after that state when the
    series has merely grown, and with all of them (offset 0) when anything else happened to it.

    Expressions: where `read_*` takes keys of scalars, or a tag as the x axis, a tag that begins with `=` and is no
    stored one is computed from others of its run (`={val/loss} - {train/loss}`, see query/expressions.py); one that
    cannot be read raises BadRequest. Its `since` gives all points as soon as anything changed.

    Assets: files of a run that are not event files, by family and name. They appear, change and disappear like series; an asset of
    the same generation has the same bytes. An asset may be gone or changed by the time it is opened: then `open_asset` raises
    AssetGone or AssetChanged, and the caller lists again. A run reads only files in its own directory, and files in the log
    directory that it links to; anything else raises AssetRefused.

    Unknown runs and tags raise RunUnknown and SeriesUnknown in `read_*` with one key; methods that take many keys
    leave the unknown ones out, because a run may vanish between listing and reading.
    """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Check these, never the class of a source."""
        ...

    @property
    def generation(self) -> int:
        """Grows with every change to anything in the source."""
        ...

    @property
    def locations(self) -> list[str]:
        """The log directories (or other places) the data comes from, as the user named them."""
        ...

    def list_missing(self) -> list[str]:
        """The locations that do not exist (yet)."""
        ...

    def list_remote(self) -> list[RemoteStatus]:
        """How the locations that are read over a network are doing; of others nothing."""
        ...

    def list_runs(self) -> list[RunInfo]:
        """All runs, oldest first, ties by name."""
        ...

    def list_series(self, *, run: str | None = None, kind: Kind | None = None) -> list[SeriesInfo]:
        """Series of one run or of all, in the order their tags were first seen. An unknown run raises RunUnknown."""
        ...

    def list_tag_sets(self, *, kind: Kind | None = None) -> tuple[dict[str, int], list[dict[str, str]]]:
        """Tags of every run without repeating equal lists: run → index, and per index the tags with their kind.

        With `kind`, a tag is listed when it has values of that kind, be it beside values of another.
        """
        ...

    def list_files(self, *, run: str | None = None) -> list[FileHealth]:
        """Event files of one run or of all. Those of all include directories that cannot be listed, as files that cannot be read."""
        ...

    def list_assets(self, *, run: str | None = None, family: Family | None = None) -> list[Asset]:
        """Assets of one run or of all, by run and name. An unknown run raises RunUnknown.

        `checkpoint` and `vectors` are listed only if `family` asks for them, because finding them means reading the assets that
        name them. Names of files that do not exist, or that the run may not read, are left out.
        """
        ...

    def find_assets(self, asset: Asset, path: str, *, family: Family) -> list[Asset]:
        """The files that an asset names. `path` is as written in that asset: relative to its folder, or absolute.

        For a checkpoint, `path` is a prefix of its files; any other family has one file. Raises AssetGone if there are none.
        """
        ...

    def open_asset(self, asset: Asset) -> AssetReader:
        """Open the asset as it was listed. Close the reader, or use a `with` block."""
        ...

    def list_changes(self, *, since: int) -> tuple[int, list[str] | None]:
        """The generation now, and the runs that changed after `since`; None means "too long ago, ask for all"."""
        ...

    def progress(self) -> Progress: ...

    def read_columns(
        self, keys: Sequence[SeriesKey], *, attempts: Attempts = "latest", since: Sequence[int] | None = None
    ) -> list[Columns]: ...

    def read_lines(self, keys: Sequence[SeriesKey], query: LineQuery) -> list[Line]: ...

    def read_earlier_lines(self, keys: Sequence[SeriesKey], query: LineQuery) -> list[Line]:
        """What `attempts="latest"` leaves out, one line for each attempt of a series that lost points, oldest first.

        Each attempt is smoothed on its own and as a whole. `query.attempts` is not looked at.
        """
        ...

    def read_summaries(
        self, keys: Sequence[SeriesKey], *, attempts: Attempts = "latest"
    ) -> list[Summary]: ...

    def read_band(self, keys: Sequence[SeriesKey], query: BandQuery) -> Band: ...

    def read_nearest(self, keys: Sequence[SeriesKey], query: AxisQuery, *, at: float) -> list[Nearest]:
        """Of every series the point nearest to x = `at`. A series without a finite x has none."""
        ...

    def read_range_summaries(
        self, keys: Sequence[SeriesKey], query: AxisQuery, *, x_range: tuple[float, float]
    ) -> list[RangeSummary]:
        """Statistics of every series over a range of x, also of those without a point in it."""
        ...

    def read_run_columns(self, runs: Sequence[str], columns: Sequence[RunColumn]) -> list[dict[str, float]]:
        """For each column, the number of every run that has one."""
        ...

    def read_last_values(self, runs: Sequence[str], tag: str) -> list[float | None]:
        """The last value of a scalar in every run, None where there is none. Cheaper than reading columns."""
        ...

    def read_values(
        self, key: SeriesKey, *, kind: Kind | None = None, attempts: Attempts = "latest"
    ) -> Values: ...

    def read_steps(
        self,
        runs: Sequence[str],
        *,
        kinds: Collection[Kind] | None = None,
        tags: Collection[str] | None = None,
    ) -> Int64:
        """The steps at which any series of these runs has a value that was not overwritten, each once, ascending."""
        ...

    def load_value(self, values: Values, index: int) -> Any:
        """Decode one value; see `runglass.open(…).read` for what each kind decodes to. Damage raises ValueDamaged."""
        ...

    def load_values(self, values: Values, indices: Sequence[int]) -> list[Any]:
        """As `load_value` for many, with each file opened once; in place of a damaged one stands its ValueDamaged."""
        ...

    def read_sql(self, query: str, *, limit: int) -> SqlRows:
        """Answer one SELECT over the tables of docs/guide/query.md with at most `limit` rows, in the engine's dialect of SQL.

        Only with Capability.SQL. The query may read nothing but those tables and change nothing: no files, no network, no settings.
        What the engine refuses raises SqlError with its reason.
        """
        ...

    def wait_for_change(self, generation: int, *, timeout_s: float) -> int:
        """Block until the source's generation differs from `generation` or time is up; returns the one now."""
        ...
