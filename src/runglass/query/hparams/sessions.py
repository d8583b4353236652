"""Which runs are sessions, which runs belong to each, and their hyperparameters. Knows no file format and no HTTP.

A session is a run with a session start or with configuration files. `add_hparams` of PyTorch and tensorboardX writes the
start into a run below: the only such run of a training is merged into it, several are sessions of their own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from runglass.machine import paused_collection
from runglass.query.hparams.columns import HParamColumn, make_columns
from runglass.query.hparams.config_files import FILES, Config, load_config
from runglass.query.hparams.model import Experiment, HParam, Problem, Session, Sessions
from runglass.query.hparams.records import Record, Start, load_record
from runglass.query.source import Capability, DataSource
from runglass.query.states import SessionEnd
from runglass.query.trainings import ROOT, TIMESTAMP, is_part
from runglass.store.model import Asset, Family, Kind, SeriesInfo, SeriesKey


class RunRecords(Struct, gc=False):
    """What one run says of itself."""

    start: Start | None = None
    ends: list[SessionEnd] = []
    experiment: Experiment | None = None
    # By file name, the one that wins first.
    configs: list[tuple[str, dict[str, HParam]]] = []

    @property
    def has_start(self) -> bool:
        return self.start is not None

    @property
    def is_torch(self) -> bool:
        """Whether it has all the records of add_hparams."""
        return self.experiment is not None and bool(self.ends) and self.has_start


class SessionReader:
    """Reads the sessions of one source. Keeps what it has decoded until the series or file changes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: Sessions | None = None
        self._columns: tuple[int, list[HParamColumn]] | None = None
        self._records: dict[SeriesKey, tuple[int, Record]] = {}
        self._configs: dict[tuple[str, str], tuple[int, Config]] = {}

    def read(self, source: DataSource) -> Sessions:
        """A second request waits for the first: both need the same sessions."""
        with self._lock:
            generation = source.generation
            if self._sessions is None or self._sessions.generation != generation:
                # What is made here stays, and has no cycles. Collecting garbage over and over meanwhile takes longer.
                with paused_collection():
                    self._sessions = self._read(source, generation)
            return self._sessions

    def read_columns(self, source: DataSource) -> tuple[Sessions, list[HParamColumn]]:
        """The sessions, and their hyperparameters in the order of first use."""
        sessions = self.read(source)
        with self._lock:
            if self._columns is None or self._columns[0] != sessions.generation:
                with paused_collection():
                    made = make_columns(sessions.sessions, sessions.experiments)
                self._columns = sessions.generation, made
            return sessions, self._columns[1]

    def _read(self, source: DataSource, generation: int) -> Sessions:
        problems: list[Problem] = []
        own: dict[str, RunRecords] = {}
        for info, record in self._read_records(source):
            if record.problem:
                problems.append(Problem(info.key.run, "", record.problem))
            records = own.setdefault(info.key.run, RunRecords())
            if record.start is not None:
                records.start = record.start
            if record.end is not None:
                records.ends.append(record.end)
            if record.experiment is not None:
                records.experiment = record.experiment
        for asset, config in self._read_configs(source):
            if config.problem:
                problems.append(Problem(asset.run, asset.name, config.problem))
            if config.hparams:
                own.setdefault(asset.run, RunRecords()).configs.append((asset.name, config.hparams))
        infos = {info.name: info for info in source.list_runs()}
        merged = find_merged(own, infos, lambda: _runs_with_other_series(source))
        owners = find_owners(own, infos, merged)
        sessions = make_sessions(own, owners, merged)
        for run, records in own.items():
            if records.ends and not records.has_start and run not in owners:
                problems.append(
                    Problem(run, "", "The end of a session was logged, but no start with hyperparameters.")
                )
        starts = {run: info.start_time for run, info in infos.items()}
        sessions.sort(key=lambda each: _when(each, starts))
        experiments = [each.experiment for each in own.values() if each.experiment is not None]
        return Sessions(generation, sessions, experiments, problems)

    def _read_records(self, source: DataSource) -> list[tuple[SeriesInfo, Record]]:
        known, self._records = self._records, {}
        found = []
        for info in source.list_series(kind=Kind.HPARAMS):
            entry = known.get(info.key)
            if entry is None or entry[0] != info.generation:
                entry = info.generation, load_record(source, info)
            self._records[info.key] = entry
            found.append((info, entry[1]))
        return found

    def _read_configs(self, source: DataSource) -> list[tuple[Asset, Config]]:
        if Capability.ASSETS not in source.capabilities:
            return []
        known, self._configs = self._configs, {}
        found = []
        assets = [each for each in source.list_assets(family=Family.CONFIG) if each.name in FILES]
        for asset in sorted(assets, key=lambda each: FILES.index(each.name)):
            key = asset.run, asset.name
            entry = known.get(key)
            if entry is None or entry[0] != asset.generation:
                entry = asset.generation, load_config(source, asset)
            self._configs[key] = entry
            found.append((asset, entry[1]))
        return found


def _runs_with_other_series(source: DataSource) -> set[str]:
    """The runs that have logged anything but hyperparameters."""
    tag_set_of, tag_sets = source.list_tag_sets()
    has_others = [any(kind != Kind.HPARAMS for kind in tags.values()) for tags in tag_sets]
    return {run for run, number in tag_set_of.items() if has_others[number]}


def above(run: str) -> Iterator[str]:
    """The directories above a run, nearest first; the log directory itself is the run `.`."""
    if run == ROOT:
        return
    while "/" in run:
        run = run.rpartition("/")[0]
        yield run
    yield ROOT


def find_merged(
    own: Mapping[str, RunRecords], runs: Iterable[str], list_with_curves: Callable[[], set[str]]
) -> dict[str, str]:
    """The runs that add_hparams wrote for the run above them: run -> that run.

    One is merged if it is the only session below the run above, which has no start of its own, and if it is named after the
    time, as PyTorch does, or has the records of add_hparams while the run above has the curves.
    """
    candidates = [
        run
        for run, records in own.items()
        if records.has_start and (is_named_by_time(run) or records.is_torch)
    ]
    if not candidates:
        return {}
    known = set(runs)
    with_curves = list_with_curves()
    sessions_below: dict[str, int] = {}
    for run, records in own.items():
        if records.has_start:
            for parent in above(run):
                sessions_below[parent] = sessions_below.get(parent, 0) + 1
    found = {}
    for run in candidates:
        for parent in above(run):
            of_parent = own.get(parent, RunRecords())
            has_curves = parent in with_curves and of_parent.experiment is None
            is_only = parent in known and sessions_below[parent] == 1 and not of_parent.has_start
            if is_only and (is_named_by_time(run) or has_curves):
                found[run] = parent
            # Only the directory just above.
            break
    return found


def is_named_by_time(run: str) -> bool:
    return TIMESTAMP.fullmatch(run.rpartition("/")[2]) is not None


def find_owners(
    own: Mapping[str, RunRecords], runs: Iterable[str], merged: Mapping[str, str]
) -> dict[str, str]:
    """The session of every run that belongs to one: itself, or the nearest one above it."""
    with_start = {run for run, records in own.items() if records.has_start and run not in merged}
    with_start.update(merged.values())

    def has_session(run: str) -> bool:
        if run in with_start:
            return True
        if run not in own or not own[run].configs or run in merged:
            return False
        # A part of a training repeats its configuration.
        has_above = any(each in with_start or (each in own and own[each].configs) for each in above(run))
        return not (has_above and is_part(run.rpartition("/")[2]))

    is_session: dict[str, bool] = {}
    owners = {}
    for run in runs:
        for each in (run, *above(run)):
            if each not in is_session:
                is_session[each] = has_session(each)
            if is_session[each]:
                owners[run] = each
                break
    return owners


def make_sessions(
    own: Mapping[str, RunRecords], owners: Mapping[str, str], merged: Mapping[str, str]
) -> list[Session]:
    members: dict[str, list[str]] = {}
    for run, owner in owners.items():
        members.setdefault(owner, []).append(run)
    below: dict[str, list[str]] = {}
    for run, parent in merged.items():
        below.setdefault(parent, []).append(run)
    nothing = RunRecords()
    found = []
    for run, listed in members.items():
        alone = own.get(run)
        if len(listed) == 1 and alone is not None and not alone.configs and alone.start is not None:
            # As most sessions are.
            own_start = alone.start
            found.append(
                Session(
                    run=run,
                    members=(run,),
                    merged=(),
                    hparams=own_start.hparams,
                    files={},
                    group=own_start.group,
                    has_start=True,
                    start_time=own_start.start_time,
                    ends=tuple(alone.ends),
                )
            )
            continue
        inner = tuple(below.get(run, ()))
        sources = [own.get(each, nothing) for each in (run, *inner)]
        start = next((each.start for each in sources if each.start is not None), None)
        hparams: dict[str, HParam] = {} if start is None else start.hparams
        files: dict[str, str] = {}
        if any(each.configs for each in sources):
            hparams = dict(hparams)
        for each in sources:
            for file, values in each.configs:
                for name, value in values.items():
                    # A record wins over a file, and the first file over the next.
                    if name not in hparams:
                        hparams[name] = value
                        files[name] = file
        ends = [end for each in sources for end in each.ends]
        found.append(
            Session(
                run=run,
                members=(run, *sorted(each for each in listed if each != run)),
                merged=inner,
                hparams=hparams,
                files=files,
                group="" if start is None else start.group,
                has_start=start is not None,
                start_time=None if start is None else start.start_time,
                ends=tuple(ends),
            )
        )
    return found


def _when(session: Session, starts: Mapping[str, float | None]) -> tuple[bool, float, str]:
    times = [session.start_time] if session.start_time is not None else []
    times += [time for run in session.members if (time := starts.get(run)) is not None]
    # The declared start may be of another clock, but it is the one that the session means.
    return not times, times[0] if times else 0.0, session.run
