"""Which scalars sessions have, and one number of each per session: the last, the lowest, at a step, where another is best."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

from msgspec import Struct

from runglass.errors import RunUnknown, SeriesUnknown
from runglass.lru import LruCache
from runglass.query.goals import Goal, guess_goal, rank_of
from runglass.query.hparams.model import Experiment, MetricInfo, MetricName, Session
from runglass.query.run_columns import run_value
from runglass.query.source import Best, Columns, DataSource, RunColumn, RunStatistic
from runglass.query.trainings import ROOT
from runglass.store.model import Kind, SeriesKey

# Without declared metrics, as many are chosen by their names.
MAX_GUESSED = 12
MAX_KEPT = 256


class Metric(Struct, frozen=True):
    """A scalar of every session, reduced to one number."""

    name: MetricName
    stat: RunStatistic = "last"
    # For at_step and at_best, as in RunColumn.
    step: int = 0
    best_name: MetricName | None = None
    best: Best = "min"


class OfferedMetric(Struct, frozen=True):
    """A scalar that sessions have, or that an experiment declares."""

    info: MetricInfo
    is_declared: bool
    goal: Goal
    # How many sessions have it.
    sessions: int


def run_of(session: Session, group: str) -> str:
    """The run of a session that has the metrics of this group."""
    if not group:
        return session.run
    return group if session.run == ROOT else f"{session.run}/{group}"


def group_of(session: Session, run: str) -> str:
    if run == session.run or run in session.merged:
        return ""
    return run if session.run == ROOT else run[len(session.run) + 1 :]


def list_metrics(
    source: DataSource, sessions: Sequence[Session], experiments: Iterable[Experiment]
) -> list[OfferedMetric]:
    """Every scalar of the sessions' runs: the declared ones in their order, then the most telling."""
    tag_set_of, tag_sets = source.list_tag_sets(kind=Kind.SCALAR)
    # Many sessions have the same groups with the same sets of tags.
    shapes: dict[tuple[tuple[str, int], ...], int] = {}
    shape: tuple[tuple[str, int], ...]
    for session in sessions:
        if len(session.members) == 1:
            number = tag_set_of.get(session.run)
            shape = () if number is None else (("", number),)
        else:
            shape = tuple(
                (group_of(session, run), tag_set_of[run]) for run in session.members if run in tag_set_of
            )
        shapes[shape] = shapes.get(shape, 0) + 1
    counts: dict[MetricName, int] = {}
    for shape, count in shapes.items():
        for name in dict.fromkeys(
            MetricName(group, tag) for group, number in shape for tag in tag_sets[number]
        ):
            counts[name] = counts.get(name, 0) + count
    declared: dict[MetricName, MetricInfo] = {}
    for experiment in experiments:
        for info in experiment.metrics:
            declared.setdefault(info.name, info)
    offered = [
        OfferedMetric(info, True, guess_goal(f"{name.group}/{name.tag}"), counts.get(name, 0))
        for name, info in declared.items()
    ]
    others = [name for name in counts if name not in declared]
    others.sort(key=lambda name: (rank_of(f"{name.group}/{name.tag}"), -counts[name], name))
    offered += [
        OfferedMetric(MetricInfo(name), False, guess_goal(f"{name.group}/{name.tag}"), counts[name])
        for name in others
    ]
    return offered


def choose_metrics(offered: Sequence[OfferedMetric]) -> list[Metric]:
    """The declared metrics; if none of these was logged, the most telling others."""
    declared = [each for each in offered if each.is_declared]
    declared.sort(key=lambda each: not each.sessions)
    chosen = [Metric(each.info.name) for each in declared]
    if not any(each.sessions for each in declared):
        chosen += [Metric(each.info.name) for each in offered if not each.is_declared][:MAX_GUESSED]
    return chosen


class MetricReader:
    """Numbers by metric and session, kept until a run of the session changes. For one source."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generation = -1
        self._known: LruCache[Metric, dict[str, float | None]] = LruCache(MAX_KEPT)

    def read(
        self, source: DataSource, sessions: Sequence[Session], metrics: Sequence[Metric]
    ) -> list[list[float | None]]:
        """For each metric the number of every session, None where it has none."""
        with self._lock:
            self._forget_changed(source, sessions)
            found = []
            for metric in metrics:
                known = self._known.get(metric)
                if known is None:
                    known = {}
                    self._known.put(metric, known)
                missing = [session for session in sessions if session.run not in known]
                if missing:
                    known.update(_read(source, missing, metric))
                found.append([known[session.run] for session in sessions])
            return found

    def _forget_changed(self, source: DataSource, sessions: Sequence[Session]) -> None:
        self._generation, changed = source.list_changes(since=self._generation)
        if changed is None:
            self._known.clear()
        elif changed:
            runs = set(changed)
            for session in sessions:
                if not runs.isdisjoint(session.members):
                    for known in self._known.values():
                        known.pop(session.run, None)


def _read(source: DataSource, sessions: Sequence[Session], metric: Metric) -> dict[str, float | None]:
    if metric.stat == "last":
        return _read_last(source, sessions, metric.name)
    columns = _read_columns(source, sessions, metric.name)
    best = {} if metric.best_name is None else _read_columns(source, sessions, metric.best_name)
    wanted = RunColumn(metric.name.tag, metric.stat, step=metric.step, best=metric.best)
    found: dict[str, float | None] = {}
    for session in sessions:
        each = columns.get(session.run)
        found[session.run] = None if each is None else run_value(wanted, each, best.get(session.run))
    return found


def _read_last(source: DataSource, sessions: Sequence[Session], name: MetricName) -> dict[str, float | None]:
    """What add_hparams wrote is the result of the session, whatever its curve ends with."""
    runs = [session.run for session in sessions]
    places = [run_of(session, name.group) for session in sessions] if name.group else runs
    found = dict(zip(runs, source.read_last_values(places, name.tag), strict=True))
    merged = _merged(sessions, name)
    results = source.read_last_values([key.run for _, key in merged], name.tag)
    found.update((run, value) for (run, _), value in zip(merged, results, strict=True) if value is not None)
    return found


def _read_columns(source: DataSource, sessions: Sequence[Session], name: MetricName) -> dict[str, Columns]:
    """By session: its curve, or what add_hparams wrote if it has none."""
    keys = {session.run: SeriesKey(run_of(session, name.group), name.tag) for session in sessions}
    found = _by_key(source, list(keys.values()))
    columns = {run: found[key] for run, key in keys.items() if key in found}
    missing = [(run, key) for run, key in _merged(sessions, name) if run not in columns]
    results = _by_key(source, [key for _, key in missing])
    columns.update((run, results[key]) for run, key in missing if key in results)
    return columns


def _merged(sessions: Sequence[Session], name: MetricName) -> list[tuple[str, SeriesKey]]:
    """Sessions with the series that add_hparams wrote for them."""
    if name.group:
        return []
    return [(session.run, SeriesKey(run, name.tag)) for session in sessions for run in session.merged]


def _by_key(source: DataSource, keys: list[SeriesKey]) -> dict[SeriesKey, Columns]:
    if not keys:
        return {}
    try:
        return {each.key: each for each in source.read_columns(keys)}
    except (RunUnknown, SeriesUnknown):
        return {}
