"""The words of the store: what a run, a series and a file are called and what is known about them.

Plain values only. Open to every layer; knows nothing of how data is read, kept or served.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, NamedTuple

from msgspec import Struct

Attempts = Literal["latest", "all"]
"""`latest`: the newest segment wins from its first step on. `all`: every point, in file order."""


class Kind(StrEnum):
    """What a series holds, whatever encoding wrote it."""

    SCALAR = "scalar"
    IMAGE = "image"
    AUDIO = "audio"
    TEXT = "text"
    HISTOGRAM = "histogram"
    TENSOR = "tensor"
    PR_CURVE = "pr_curve"
    MESH = "mesh"
    HPARAMS = "hparams"
    CUSTOM_SCALARS = "custom_scalars"
    GRAPH = "graph"


class Family(StrEnum):
    """What an asset is for. Its name and its folder tell, never its bytes."""

    PROJECTOR = "projector"
    PROFILE = "profile"
    DEBUGGER = "debugger"
    CONFIG = "config"
    GRAPH = "graph"
    # These two have no names of their own: an asset of another family names them.
    CHECKPOINT = "checkpoint"
    VECTORS = "vectors"


class SeriesKey(NamedTuple):
    run: str
    tag: str


class SeriesMeta(Struct, frozen=True):
    """What the first metadata of a tag says about its series."""

    kind: Kind
    plugin: str = ""
    display_name: str = ""
    description: str = ""
    # The plugin's own bytes from SummaryMetadata.plugin_data.content.
    content: bytes = b""


class SeriesInfo(Struct, frozen=True):
    """One series as a listing shows it; reading it touches no values."""

    key: SeriesKey
    meta: SeriesMeta
    count: int
    # Grows with every change. Equal numbers mean equal content; only `read_columns(since=…)` interprets it.
    generation: int
    # Values of another kind under the same tag, kept in a series of their own (0 or 1 of them).
    other_kind: Kind | None = None


class Asset(Struct, frozen=True):
    """A file of a run that is not an event file, as a listing shows it; reading the listing opens no file."""

    run: str
    family: Family
    # Below the run's directory, with "/" between folders. Bytes that are not UTF-8 are escaped, as in names of runs.
    name: str
    size_bytes: int
    # Seconds since 1970.
    modified_time: float
    # Grows with every change. Equal numbers mean that the file has not changed.
    generation: int


class RunInfo(Struct, frozen=True):
    name: str
    # Smallest wall time of any event of the run; None while nothing was read.
    start_time: float | None
    last_wall_time: float | None
    series: int
    points: int
    files: int
    size_bytes: int
    # The worst state of the run's files.
    health: FileState
    restarts: int
    # Assets are counted beside the event files: `files` and `size_bytes` leave them out.
    assets: int = 0
    asset_bytes: int = 0
    families: frozenset[Family] = frozenset()


class FileState(StrEnum):
    """How far a file could be read. Ordered from good to bad by `SEVERITY`."""

    OK = "ok"
    READING = "reading"
    EMPTY = "empty"
    # Ends inside a record: a live writer's normal state, not a fault.
    CUT_SHORT = "cut_short"
    # Some records failed their payload checksum or could not be decoded, and were skipped.
    SKIPPED = "skipped"
    # Reading stopped at `byte`; what came before is shown.
    DAMAGED = "damaged"
    UNREADABLE = "unreadable"


SEVERITY: dict[FileState, int] = {state: rank for rank, state in enumerate(FileState)}
FAULTS = frozenset({FileState.SKIPPED, FileState.DAMAGED, FileState.UNREADABLE})


class FileHealth(Struct, frozen=True):
    run: str
    path: str
    state: FileState
    size_bytes: int
    read_bytes: int
    records: int
    skipped_records: int
    # Where the first fault is, and why; None and "" when there is none.
    byte: int | None
    reason: str
    advice: str


class Progress(Struct, frozen=True):
    """How far the first full scan is."""

    is_loaded: bool
    runs_found: int
    runs_loaded: int
    bytes_found: int
    bytes_read: int


class Image(Struct, frozen=True):
    """One picture as it was logged: `data` is the encoded file, `format` what its first bytes say ("png", "gif", …)."""

    data: bytes
    width: int
    height: int
    format: str


class Audio(Struct, frozen=True):
    """One clip as it was logged; the numbers are the file's own where it is a WAV, else what the event said, else 0."""

    data: bytes
    sample_rate: float
    channels: int
    frames: int
    format: str
    label: str = ""
