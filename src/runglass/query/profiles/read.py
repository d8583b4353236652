"""One profile: its files read, and the trace that is built of them. What is large is kept as a file of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np

from runglass.errors import RunglassError
from runglass.machine import cache_folder
from runglass.native.trace_rows import TraceRows
from runglass.native.trace_view import give_back
from runglass.query.profiles.build import build_trace
from runglass.query.profiles.column_file import ColumnFiles, Memory, make_key
from runglass.query.profiles.listing import JSON, PPROF, SNAPSHOT, XPLANE, list_profiles
from runglass.query.profiles.model import (
    FoundSteps,
    ProfileDamaged,
    ProfileUnknown,
    SessionInfo,
    SessionKind,
    Trace,
    Unit,
)
from runglass.query.source import DataSource
from runglass.store.model import Asset, Family

# Smaller ones are read again in less time than anybody notices, and kept in memory.
SMALL_EVENTS = 100_000
# Files that may be small: compressed ones are twenty times as large.
SMALL_BYTES = 8 << 20

Report = Callable[[str, int, int | None], None]


class Reader(Protocol):
    """An asset, or bytes that a user dropped."""

    @property
    def size_bytes(self) -> int: ...

    def read(self, offset: int, size: int) -> bytes: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Content:
    """A file that a user dropped."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size_bytes = len(data)

    def read(self, offset: int, size: int) -> bytes:
        return self._data[offset : offset + size]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def find_profile(source: DataSource, run: str, session: str | None) -> SessionInfo:
    """A session by name, the newest without one. Raises RunUnknown or ProfileUnknown."""
    found = list_profiles(source, run)
    for info in found:
        if info.session == session:
            return info
    if session is None and found:
        return found[-1]
    known = ", ".join(info.session for info in found) or "none"
    what = "no profile" if session is None else f"no profile {session!r}"
    raise ProfileUnknown(f"Run {run!r} has {what}. Profiles: {known}.", where="session")


def assets_of(source: DataSource, info: SessionInfo) -> list[Asset]:
    known = {asset.name: asset for asset in source.list_assets(run=info.run, family=Family.PROFILE)}
    return [known[name] for name in info.files if name in known]


def identify(source: DataSource, info: SessionInfo) -> str:
    """The same for the same files, in every process."""
    files = [[each.name, each.size_bytes, each.modified_time] for each in assets_of(source, info)]
    return make_key([source.locations, info.run, info.session, files])


def is_kept(source: DataSource, info: SessionInfo) -> bool:
    """Whether reading it takes next to no time."""
    return info.size_bytes <= SMALL_BYTES or ColumnFiles(cache_folder.path()).has(identify(source, info))


def read_profile(
    source: DataSource, info: SessionInfo, *, flag: memoryview | None = None, report: Report | None = None
) -> Trace:
    """From the cache, or from the files of the session. Raises ProfileDamaged if none of them holds anything."""
    files = ColumnFiles(cache_folder.path())
    key = identify(source, info)
    kept = files.get(key)
    if kept is not None:
        return kept
    assets = assets_of(source, info)
    openers = [(each.name, lambda each=each: source.open_asset(each), each.size_bytes) for each in assets]
    return convert(openers, info.kind, info.workers, files, key, flag=flag, report=report)


def read_file(
    name: str, data: bytes, *, flag: memoryview | None = None, report: Report | None = None
) -> Trace:
    """A file that a user dropped."""
    files = ColumnFiles(None)
    return convert(
        [(name, lambda: Content(data), len(data))],
        kind_of(name, data[:64]),
        [""],
        files,
        "",
        flag=flag,
        report=report,
    )


def kind_of(name: str, start: bytes) -> SessionKind:
    lowered = name.lower()
    if lowered.endswith(XPLANE):
        return "xplane"
    if lowered.endswith((PPROF, ".pb.gz")):
        return "pprof"
    if lowered.endswith(SNAPSHOT):
        return "memory snapshot"
    if ".pt.trace.json" in lowered:
        return "torch"
    if JSON.search(lowered) or lowered.endswith((".json", ".json.gz")) or start.lstrip()[:1] in (b"{", b"["):
        return "chrome"
    if start[:1] == b"\x80":
        return "memory snapshot"
    return "xplane" if start[:1] == b"\x0a" else "chrome"


# The modules of each kind are imported when they are needed: format, steps, unit.
MODULES: dict[SessionKind, tuple[str, str | None, Unit]] = {
    "xplane": ("xplane", "steps_xplane", "ps"),
    "chrome": ("chrome", "steps_torch", "ps"),
    "torch": ("chrome", "steps_torch", "ps"),
    "memory snapshot": ("snapshot", None, "ps"),
    "pprof": ("pprof", None, "bytes"),
}
PACKAGE = "runglass.query.profiles"


def convert(
    openers: Sequence[tuple[str, Callable[[], Any], int]],
    kind: SessionKind,
    workers: Sequence[str],
    files: ColumnFiles,
    key: str,
    *,
    flag: memoryview | None,
    report: Report | None,
) -> Trace:
    format_name, steps_name, unit = MODULES[kind]
    reader_module = import_module(f"{PACKAGE}.formats.{format_name}")
    find_steps: Callable[[Trace], FoundSteps] | None = None
    if steps_name is not None:
        find_steps = import_module(f"{PACKAGE}.{steps_name}").find_steps
    total = sum(size for _, _, size in openers)
    done = 0
    sizes: list[int] = []
    failed: list[str] = []
    with files.begin(key) as writer:
        rows = TraceRows(writer.file)
        for name, opener, size in openers:

            def tell(read: int, before: int = done) -> None:
                if report is not None:
                    report("Reading", before + read, total)

            count = len(rows.files)
            try:
                with opener() as reader:
                    reader_module.read(reader, name, rows, flag=flag, report=tell)
            except RunglassError as error:
                failed.append(f"{name}: {error.message}")
            sizes.extend([size] * (len(rows.files) - count))
            done += size
        if failed and not rows.count:
            raise ProfileDamaged(" ".join(failed))
        rows.freeze()
        is_spilled = isinstance(rows.arguments, np.memmap)
        is_small = rows.count < SMALL_EVENTS and not is_spilled
        if is_spilled:
            writer.adopt(rows.arguments)
        trace = build_trace(
            rows,
            kind,
            sizes=sizes,
            find_steps=find_steps,
            unit=unit,
            columns=Memory() if is_small else writer,
            report=lambda phase: None if report is None else report(phase, 0, None),
        )
        trace.info.problems.extend(failed)
        if is_small:
            return trace
        if report is not None:
            report("Writing", 0, None)
        try:
            kept = writer.finish(trace)
        except OSError as error:
            trace.info.problems.append(
                f"The trace stays in memory, because it could not be written to the cache: {error.strerror or error}."
            )
            return trace
        del trace, rows
        give_back()
        return kept
