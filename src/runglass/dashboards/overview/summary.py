"""Answers how the runs are doing: their states, the best values, what went wrong, and what was logged last.

Reads facts of runs that are kept until they change; asks the source itself only for the few lines and times that it shows.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

import numpy as np
from msgspec import Struct

from runglass.api.answers import number, number_or_none, numbers
from runglass.dashboards.overview.facts import NewestValue, RunFacts, known_facts
from runglass.dashboards.overview.metrics import choose_metrics
from runglass.dashboards.overview.shape import (
    BestAnswer,
    MetricChoice,
    NewestAnswer,
    OverviewBody,
    OverviewSummary,
    RunningAnswer,
    Sparkline,
    States,
    TroubleAnswer,
    TroubleKind,
)
from runglass.dashboards.overview.training import Training
from runglass.errors import RunUnknown, SeriesUnknown
from runglass.query.goals import Goal, is_loss
from runglass.query.source import DataSource, LineQuery
from runglass.query.states import State, judge
from runglass.query.trainings import group_runs, is_held_out, training_of
from runglass.store.model import FAULTS, FileState, Kind, RunInfo, SeriesKey

MAX_RUNNING = 20
MAX_TROUBLE = 100
MAX_IMAGES = 3
MAX_TEXTS = 2
# Of the sparklines.
LINE_COLUMNS = 24
# As a float; the next one does not fit into 64 bits.
LARGEST_STEP = np.nextafter(2.0**63, 0.0)
# The worst first.
TROUBLES: tuple[TroubleKind, ...] = ("nan", "failed", "damaged", "silent", "restarted")


class _Candidate(Struct, frozen=True):
    """The best value of a metric in one run."""

    training: Training
    run: str
    value: float
    step: int


def read_summary(source: DataSource, body: OverviewBody) -> OverviewSummary:
    now = time.time()
    generation = source.generation
    wanted = None if body.runs is None else set(body.runs)
    infos = {info.name: info for info in source.list_runs() if wanted is None or info.name in wanted}
    facts = known_facts.of(source).read(source, infos)
    trainings = _trainings(infos, facts)
    states = judge(trainings, now=now)
    metrics = choose_metrics(_count_tags(trainings)) if body.metrics is None else body.metrics
    troubles = sorted(
        _find_troubles(source, trainings, infos, states),
        key=lambda each: TROUBLES.index(each.kind),
    )
    counts = Counter(states.values())
    newest = sorted(
        ((run, value) for run, each in facts.items() for value in each.newest if isfinite(value.wall_time)),
        key=lambda pair: pair[1].wall_time,
        reverse=True,
    )
    return OverviewSummary(
        generation=generation,
        now=now,
        trainings=len(trainings),
        states=States(counts["running"], counts["finished"], counts["silent"], counts["failed"]),
        running=_read_running(source, trainings, states, metrics),
        best=[best for metric in metrics if (best := _read_best(source, trainings, metric, body.baseline))],
        trouble=troubles[:MAX_TROUBLE],
        trouble_count=len(troubles),
        images=[_newest_answer(*pair) for pair in newest if pair[1].kind == Kind.IMAGE][:MAX_IMAGES],
        texts=[_newest_answer(*pair) for pair in newest if pair[1].kind == Kind.TEXT][:MAX_TEXTS],
    )


def _trainings(infos: Mapping[str, RunInfo], facts: Mapping[str, RunFacts]) -> list[Training]:
    """The ones written to last come first."""
    found = []
    for name, runs in group_runs(run for run in infos if run in facts).items():
        starts = [time for run in runs if (time := infos[run].start_time) is not None]
        lasts = [time for run in runs if (time := infos[run].last_wall_time) is not None]
        found.append(
            Training(
                name=name,
                runs=tuple(runs),
                facts=tuple(facts[run] for run in runs),
                start_time=min(starts, default=None),
                last_wall_time=max(lasts, default=None),
            )
        )
    return sorted(found, key=lambda each: each.last_wall_time or 0.0, reverse=True)


def _count_tags(trainings: Sequence[Training]) -> Counter[str]:
    return Counter(
        tag for each in trainings for tag in {tag for facts in each.facts for tag in facts.scalars}
    )


def _read_running(
    source: DataSource,
    trainings: Sequence[Training],
    states: Mapping[str, State],
    metrics: Sequence[MetricChoice],
) -> list[RunningAnswer]:
    answers = []
    for each in trainings:
        if states[each.name] != "running":
            continue
        key = _line_key(each, metrics)
        total = None if key is None else _longest_finished(trainings, states, key.tag)
        step, pace = each.last_step, each.pace
        left_s = None
        if total is not None and step is not None and pace is not None and pace.seconds_per_step is not None:
            left_s = max(0.0, (total - step) * pace.seconds_per_step)
        line = None if key is None else _read_line(source, key)
        answers.append(RunningAnswer(each.name, _last_written(each), step, total, left_s, line))
        if len(answers) == MAX_RUNNING:
            break
    return answers


def _last_written(training: Training) -> str:
    """The part with the highest step."""
    pairs = zip(training.runs, training.facts, strict=True)
    return max(pairs, key=lambda pair: -1 if pair[1].last_step is None else pair[1].last_step)[0]


def _line_key(training: Training, metrics: Sequence[MetricChoice]) -> SeriesKey | None:
    """The main metric that falls, else the other one, else the first scalar; of the part that learns, which logs more often."""
    tags = [metric.tag for metric in sorted(metrics, key=lambda metric: metric.best, reverse=True)]
    pairs = sorted(zip(training.runs, training.facts, strict=True), key=lambda pair: is_held_out(pair[0]))
    for tag in tags:
        for run, facts in pairs:
            if tag in facts.scalars:
                return SeriesKey(run, tag)
    return next((SeriesKey(run, tag) for run, facts in pairs for tag in facts.scalars), None)


def _longest_finished(trainings: Sequence[Training], states: Mapping[str, State], tag: str) -> int | None:
    return max(
        (
            each.last_step
            for each in trainings
            if states[each.name] == "finished"
            and each.last_step is not None
            and any(tag in facts.scalars for facts in each.facts)
        ),
        default=None,
    )


def _read_line(source: DataSource, key: SeriesKey) -> Sparkline | None:
    try:
        (line,) = source.read_lines([key], LineQuery(width=LINE_COLUMNS))
    except (RunUnknown, SeriesUnknown):
        return None
    x = line.kept_x
    steps = np.minimum(x, LARGEST_STEP).astype(np.int64)
    return Sparkline(key.run, key.tag, steps.tolist(), numbers(line.y))


def _read_best(
    source: DataSource, trainings: Sequence[Training], metric: MetricChoice, baseline: str | None
) -> BestAnswer | None:
    candidates = list(_candidates(trainings, metric))
    if any(is_held_out(each.run) for each in candidates):
        # What a model learned from says less than what it did not.
        candidates = [each for each in candidates if is_held_out(each.run)]
    if not candidates:
        return None
    best = _best_of(candidates, metric.best)
    at_base = [each for each in candidates if baseline and each.training.name == training_of(baseline)]
    return BestAnswer(
        tag=metric.tag,
        best=metric.best,
        name=best.training.name,
        run=best.run,
        value=best.value,
        step=best.step,
        wall_time=number(_read_time(source, best, metric.tag)),
        baseline=_best_of(at_base, metric.best).value if at_base and best not in at_base else None,
        is_baseline=best in at_base,
    )


def _candidates(trainings: Sequence[Training], metric: MetricChoice) -> Iterator[_Candidate]:
    for training in trainings:
        for run, facts in zip(training.runs, training.facts, strict=True):
            scalar = facts.scalars.get(metric.tag)
            if scalar is None:
                continue
            is_min = metric.best == "min"
            value = scalar.lowest if is_min else scalar.highest
            step = scalar.lowest_step if is_min else scalar.highest_step
            if value is not None and step is not None:
                yield _Candidate(training, run, value, step)


def _best_of(candidates: Sequence[_Candidate], goal: Goal) -> _Candidate:
    choose = min if goal == "min" else max
    return choose(candidates, key=lambda each: each.value)


def _read_time(source: DataSource, best: _Candidate, tag: str) -> float:
    """When the best value was logged; NaN if it has vanished."""
    try:
        (columns,) = source.read_columns([SeriesKey(best.run, tag)])
    except (RunUnknown, SeriesUnknown):
        return float("nan")
    rows = np.flatnonzero((columns.step == best.step) & (columns.value == best.value))
    return float(columns.wall_time[rows[0]]) if len(rows) else float("nan")


def _find_troubles(
    source: DataSource,
    trainings: Sequence[Training],
    infos: Mapping[str, RunInfo],
    states: Mapping[str, State],
) -> Iterator[TroubleAnswer]:
    for each in trainings:
        state = states[each.name]
        last = number_or_none(each.last_wall_time)
        odd = _find_odd(each)
        if odd is not None:
            yield odd
        elif state == "failed":
            yield TroubleAnswer("failed", each.name, _last_written(each), wall_time=last)
        if state == "silent":
            yield TroubleAnswer("silent", each.name, _last_written(each), wall_time=last)
        restarts = [
            (facts.restart_step, run)
            for run, facts in zip(each.runs, each.facts, strict=True)
            if facts.restart_step is not None
        ]
        if restarts:
            # A part that logs less often has its first value a little later.
            step, run = min(restarts)
            yield TroubleAnswer("restarted", each.name, run, step=step)
    if any(info.health in FAULTS for info in infos.values()):
        yield from _find_damage(source, infos)


def _find_odd(training: Training) -> TroubleAnswer | None:
    """The first value that is not finite, of a loss if one has any."""
    odd = [
        (not is_loss(tag), scalar.odd_step, tag, run, scalar.is_odd_infinite)
        for run, facts in zip(training.runs, training.facts, strict=True)
        for tag, scalar in facts.scalars.items()
        if scalar.odd_step is not None
    ]
    if not odd:
        return None
    _, step, tag, run, is_infinite = min(odd)
    tags = len({each[2] for each in odd})
    return TroubleAnswer("nan", training.name, run, tag=tag, tags=tags, step=step, is_infinite=is_infinite)


def _find_damage(source: DataSource, infos: Mapping[str, RunInfo]) -> Iterator[TroubleAnswer]:
    """One for each run with damaged files."""
    lost: dict[str, tuple[int, int]] = {}
    for file in source.list_files():
        if file.state not in FAULTS or file.run not in infos:
            continue
        lost_bytes = 0 if file.state == FileState.SKIPPED else max(0, file.size_bytes - file.read_bytes)
        before = lost.get(file.run, (0, 0))
        lost[file.run] = before[0] + lost_bytes, before[1] + file.skipped_records
    for run, (lost_bytes, skipped) in lost.items():
        yield TroubleAnswer("damaged", training_of(run), run, lost_bytes=lost_bytes, skipped_records=skipped)


def _newest_answer(run: str, value: NewestValue) -> NewestAnswer:
    return NewestAnswer(run, value.tag, value.row, value.step, value.wall_time)
