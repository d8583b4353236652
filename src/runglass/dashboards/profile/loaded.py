"""Profiles that were opened, with what was computed of them, kept as long as they are the newest and somebody asks."""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from secrets import token_urlsafe
from typing import Any, TypeVar

from runglass.api.kept import PerSource, Versioned
from runglass.dashboards.profile.shape import ProfileRef
from runglass.errors import BadRequest, RunglassError
from runglass.lru import Computed, LruCache
from runglass.query.profiles.listing import list_profiles
from runglass.query.profiles.model import Bytes, ProfileNotOpen, ProfileUnknown, SessionInfo, Trace, give_back
from runglass.query.profiles.read import (
    SMALL_BYTES,
    SMALL_EVENTS,
    Report,
    identify,
    is_kept,
    read_file,
    read_profile,
)
from runglass.query.profiles.search import Matches, Mode, Where, search
from runglass.query.profiles.strip import Strip, make_strip
from runglass.query.source import DataSource

V = TypeVar("V")
logger = logging.getLogger("runglass")

# Of traces in memory. Those in files take little.
KEPT_BYTES = 512 << 20
MAPPED_BYTES = 4 << 20
MAX_FILES = 4
# Each has one number per event.
MAX_SEARCHES = 3
MAX_COMPUTED = 16
# How long a listing may take to read the steps of profiles that are small.
STEPS_S = 1.0
# To be read for nothing but its steps.
STEPS_BYTES = 2 << 20


class Loaded:
    """One trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._searches: LruCache[tuple[Any, ...], Matches] = LruCache(MAX_SEARCHES)
        self._patterns: LruCache[str, Bytes] = LruCache(MAX_SEARCHES)
        self._strips: LruCache[int, Strip] = LruCache(4)
        self._lock = threading.Lock()
        self._answers = Computed(MAX_COMPUTED)

    @property
    def size_bytes(self) -> int:
        return self.trace.size_bytes if len(self.trace) < SMALL_EVENTS else MAPPED_BYTES

    def search(self, q: str, where: Where, mode: Mode, tracks: Sequence[int] | None = None) -> Matches:
        key = q, where, mode, None if tracks is None else tuple(tracks)
        # The strip, the slices and the count ask at the same time: one searches, the others wait.
        with self._lock:
            found = self._searches.get(key)
            if found is None:
                if tracks is not None:
                    self.trace.check_tracks(tracks)
                matched = self._patterns.get(q) if mode == "pattern" else None
                found = search(self.trace, q, where, mode, tracks, matched)
                self._searches.put(key, found)
            return found

    def keep_pattern(self, q: str, matched: Bytes) -> None:
        """Which texts a regular expression matches: found elsewhere, because it may take forever."""
        self._patterns.put(q, matched)

    def computed(self, key: Hashable, make: Callable[[], V]) -> V:
        """What an analysis gave, kept for a while."""
        return self._answers.get(key, make)

    def strip(self, width: int) -> Strip:
        found = self._strips.get(width)
        if found is None:
            found = make_strip(self.trace, width)
            # It looked at all events.
            give_back()
            self._strips.put(width, found)
        return found


class _File:
    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data
        self.loaded: Loaded | None = None


class ProfileReader:
    """The profiles of one source, and the files that pages sent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._listed: Versioned[str, list[SessionInfo]] = Versioned()
        self._loaded: LruCache[str, Loaded] = LruCache(KEPT_BYTES, size_of=lambda kept: kept.size_bytes)
        self._files: LruCache[str, _File] = LruCache(MAX_FILES)
        # First and last step by identity.
        self._steps: dict[str, tuple[int, int] | None] = {}
        self._problems: dict[str, str] = {}
        # How often a trace was gone after it had been opened.
        self._losses: defaultdict[str, int] = defaultdict(int)

    def list_all(self, source: DataSource) -> list[SessionInfo]:
        return self._listed.read("", source.generation, lambda: list_profiles(source))

    def find(self, source: DataSource, run: str, session: str) -> SessionInfo:
        # Of this run alone: while something is logged, the whole list changes with every value. An unknown run raises RunUnknown.
        of_run = self._listed.read(f"/{run}", source.generation, lambda: list_profiles(source, run))
        for info in of_run:
            if info.session == session:
                return info
        known = ", ".join(info.session for info in of_run) or "none"
        raise ProfileUnknown(f"Run {run!r} has no profile {session!r}. Profiles: {known}.", where="session")

    def list_steps(
        self, source: DataSource, infos: Sequence[SessionInfo]
    ) -> list[tuple[tuple[int, int] | None, str | None]]:
        """First and last step of each profile, as far as they are known or quickly found; why it cannot be read."""
        until = time.monotonic() + STEPS_S
        found = []
        for info in infos:
            key = identify(source, info)
            if key not in self._steps and is_kept(source, info):
                is_small = info.size_bytes <= STEPS_BYTES or info.size_bytes > SMALL_BYTES
                if is_small and time.monotonic() < until:
                    try:
                        self._open(source, info, key)
                    except RunglassError as error:
                        self._problems[key] = error.message
                        self._steps[key] = None
                    except Exception as error:
                        # One that nobody can read must not take the list of all others down.
                        logger.exception("%s of %s cannot be read", info.session, info.run)
                        self._problems[key] = f"It cannot be read: {error}"
                        self._steps[key] = None
            found.append((self._steps.get(key), self._problems.get(key)))
        return found

    def load(self, source: DataSource, ref: ProfileRef) -> Loaded:
        """One that is open, or can be opened at once. Raises ProfileNotOpen, RunUnknown, ProfileUnknown, ProfileDamaged."""
        if ref.file is not None:
            file = self._file(ref.file)
            if file.loaded is None and len(file.data) > SMALL_BYTES:
                raise ProfileNotOpen("This file is not open yet.", where="session")
            return self._open_file(file)
        info = self._info(source, ref)
        key = identify(source, info)
        loaded = self._loaded.get(key)
        if loaded is None:
            if not is_kept(source, info):
                with self._lock:
                    self._losses[key] += 1
                raise ProfileNotOpen(
                    f"Profile {info.session} of {info.run} is not open yet.", where="session"
                )
            loaded = self._open(source, info, key)
        return loaded

    def open(
        self, source: DataSource, ref: ProfileRef, *, flag: memoryview | None, report: Report | None
    ) -> Loaded:
        """The same, however long it takes."""
        if ref.file is not None:
            return self._open_file(self._file(ref.file), flag=flag, report=report)
        info = self._info(source, ref)
        return self._open(source, info, identify(source, info), flag=flag, report=report)

    def identify(self, source: DataSource, ref: ProfileRef) -> Any:
        """What a job depends on. A trace that is gone is opened again by another job."""
        if ref.file is not None:
            self._file(ref.file)
            return ref.file
        key = identify(source, self._info(source, ref))
        with self._lock:
            return [key, self._losses[key]]

    def size_bytes(self, source: DataSource, ref: ProfileRef) -> int:
        return len(self._file(ref.file).data) if ref.file is not None else self._info(source, ref).size_bytes

    def add_file(self, name: str, data: bytes) -> str:
        token = token_urlsafe(12)
        self._files.put(token, _File(name, data))
        return token

    def _info(self, source: DataSource, ref: ProfileRef) -> SessionInfo:
        if ref.run is None or ref.session is None:
            raise BadRequest("A profile needs `run` and `session`, or a `file`.", where="session")
        return self.find(source, ref.run, ref.session)

    def _open(
        self,
        source: DataSource,
        info: SessionInfo,
        key: str,
        *,
        flag: memoryview | None = None,
        report: Report | None = None,
    ) -> Loaded:
        with self._lock:
            lock = self._locks[key]
        # One converts; the others wait for it.
        with lock:
            loaded = self._loaded.get(key)
            if loaded is None:
                trace = read_profile(source, info, flag=flag, report=report)
                loaded = Loaded(trace)
                if flag is None or not flag[0]:
                    self._loaded.put(key, loaded)
                    numbers = [step.number for step in trace.steps]
                    self._steps[key] = (min(numbers), max(numbers)) if numbers else None
            return loaded

    def _open_file(
        self, file: _File, *, flag: memoryview | None = None, report: Report | None = None
    ) -> Loaded:
        with self._lock:
            lock = self._locks[f"file {id(file)}"]
        with lock:
            if file.loaded is None:
                loaded = Loaded(read_file(file.name, file.data, flag=flag, report=report))
                if flag is None or not flag[0]:
                    file.loaded = loaded
                    file.data = b""
                return loaded
            return file.loaded

    def _file(self, token: str) -> _File:
        file = self._files.get(token)
        if file is None:
            raise ProfileUnknown("This file is no longer kept. Choose it again.", where="file")
        return file


known_profiles: PerSource[ProfileReader] = PerSource(ProfileReader)
