"""The vocabulary of the store: values that describe runs, series, files and assets.

Every layer may import it. Knows nothing of how data is read, stored or served.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, NamedTuple

from msgspec import Struct

Attempts = Literal["latest", "all"]
"""`latest`: the newest segment wins from its first step on. `all`: every point, in file order."""


class Kind(StrEnum):
    """What a series holds, independent of its encoding."""

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
    """What an asset is for, judged by its name and folder, never by its bytes."""

    PROJECTOR = "projector"
    PROFILE = "profile"
    DEBUGGER = "debugger"
    CONFIG = "config"
    GRAPH = "graph"
    # Most of its files are named by others.
    CHECKPOINT = "checkpoint"
    # Found by name in assets of other families, not by patterns.
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
    """One series in a listing, without its values."""

    key: SeriesKey
    meta: SeriesMeta
    count: int
    # Grows with every change. Equal numbers mean equal content; only `read_columns(since=…)` interprets it.
    generation: int
    # The kind of a second series under the same tag, if there is one.
    other_kind: Kind | None = None


class Asset(Struct, frozen=True):
    """A file of a run that is not an event file, in a listing. Listing opens no file."""

    run: str
    family: Family
    # Path below the run's directory, with "/" between folders. Bytes that are not UTF-8 are escaped, as in run names.
    name: str
    size_bytes: int
    # Seconds since 1970.
    modified_time: float
    # Grows with every change. Equal numbers mean an unchanged file.
    generation: int


class RunInfo(Struct, frozen=True):
    name: str
    # Smallest wall time of the run's events; None before the first.
    start_time: float | None
    last_wall_time: float | None
    series: int
    points: int
    files: int
    size_bytes: int
    # The worst state of the run's files.
    health: FileState
    restarts: int
    # Not included in `files` and `size_bytes`, which count event files.
    assets: int = 0
    asset_bytes: int = 0
    families: frozenset[Family] = frozenset()


class FileState(StrEnum):
    """How far a file could be read. `SEVERITY` orders the states from good to bad."""

    OK = "ok"
    READING = "reading"
    EMPTY = "empty"
    # Ends inside a record: normal while a writer is active, not a fault.
    CUT_SHORT = "cut_short"
    # Some records failed their payload checksum or could not be decoded, and were skipped.
    SKIPPED = "skipped"
    # Reading stopped at `byte`; everything before it was read.
    DAMAGED = "damaged"
    UNREADABLE = "unreadable"


SEVERITY: dict[FileState, int] = {state: rank for rank, state in enumerate(FileState)}
FAULTS = frozenset({FileState.SKIPPED, FileState.DAMAGED, FileState.UNREADABLE})


class FileHealth(Struct, frozen=True):
    # The run that it belongs to; empty for a directory that cannot be listed.
    run: str
    # Absolute, or below the address of a remote location.
    path: str
    # How far it could be read: ok, reading, empty, cut_short, skipped, damaged or unreadable.
    state: FileState
    # Bytes of the file.
    size_bytes: int
    read_bytes: int
    records: int
    skipped_records: int
    # Position and reason of the first fault; None and "" without one.
    byte: int | None
    reason: str
    advice: str


class Progress(Struct, frozen=True):
    """How far the first full scan has come."""

    is_loaded: bool
    runs_found: int
    runs_loaded: int
    bytes_found: int
    bytes_read: int
    # Of those read, the ones that were in the index and did not come from event files.
    bytes_indexed: int = 0


class RemoteStatus(Struct, frozen=True):
    """How a location elsewhere is doing, and what reading it has taken since it was opened."""

    # Without credentials.
    location: str
    # "connecting" until the first look is over, then "current", "lost", "denied", "throttled", "missing" or "failed".
    state: str
    # Why it is not current, and what to do; "" if it is.
    reason: str
    advice: str
    # Seconds between looks now; 0 if there are no more.
    interval_s: float
    # When it was last seen whole.
    looked_at: float | None
    # Since it was opened: listings and ranges that were asked for, and what came of them.
    requests: int
    # As many bytes as came over the network.
    fetched_bytes: int
    # At list prices; None where none are known.
    cost_usd: float | None


class Image(Struct, frozen=True):
    """One picture as logged: `data` is the encoded file, `format` is detected from its first bytes ("png", "gif", …)."""

    data: bytes
    width: int
    height: int
    format: str

    def __repr__(self) -> str:
        return f"<Image: {self.format}, {self.width} × {self.height} pixels, {len(self.data):,} bytes>"


class Audio(Struct, frozen=True):
    """One clip as logged. The numbers come from the file if it is a WAV, else from the event, else they are 0."""

    data: bytes
    sample_rate: float
    channels: int
    frames: int
    format: str
    label: str = ""

    def __repr__(self) -> str:
        seconds = f"{self.frames / self.sample_rate:.2f} s, " if self.sample_rate else ""
        return f"<Audio: {self.format}, {seconds}{self.sample_rate:g} Hz, {len(self.data):,} bytes>"
