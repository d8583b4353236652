"""The table of sessions as one answer: what query/hparams/ knows, encoded in columns."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

from msgspec import Struct

from runglass.api.answers import Number, number
from runglass.api.hparams import known_sessions
from runglass.api.kept import PerSource
from runglass.api.route import Answer, encode_json, encode_once
from runglass.dashboards.hparams.shape import (
    DomainAnswer,
    ExperimentAnswer,
    HParamAnswer,
    HParamTable,
    Levels,
    MetricAnswer,
    MetricBody,
    OfferedAnswer,
    ProblemAnswer,
    SessionsBody,
)
from runglass.errors import BadRequest
from runglass.lru import LruCache
from runglass.machine import paused_collection
from runglass.query.goals import guess_goal
from runglass.query.hparams.columns import HParamColumn, describe_value, order_columns
from runglass.query.hparams.metrics import (
    Metric,
    MetricReader,
    OfferedMetric,
    choose_metrics,
    list_metrics,
)
from runglass.query.hparams.model import Domain, HParam, MetricInfo, MetricName, Sessions
from runglass.query.hparams.statuses import STATUSES, SessionState, may_pass, read_hosts, read_states
from runglass.query.source import DataSource

MAX_LEVEL_LENGTH = 1_000
MAX_PROBLEMS = 1_000
MAX_ANSWERS = 8


class _Known(Struct):
    """What does not change with the clock or the question, for one generation."""

    generation: int
    hparams: list[HParamAnswer]
    offered: list[OfferedMetric]
    hosts: Levels
    groups: Levels


class TableReader:
    """Answers of one source. Parts are kept until something changes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: _Known | None = None
        self.metrics = MetricReader()
        self._answers: LruCache[bytes, tuple[object, Answer]] = LruCache(MAX_ANSWERS)
        # The generation of states that do not change with the clock, and those states.
        self._settled: tuple[int, list[SessionState]] | None = None

    def read(self, source: DataSource, body: SessionsBody) -> Answer:
        # After a change all pages ask at the same moment; one request does the work. What it makes has no cycles.
        with self._lock, paused_collection():
            read, columns = known_sessions.of(source).read_columns(source)
            states = self._read_states(source, read)
            version = read.generation, states
            key = encode_json(body)
            kept = self._answers.get(key)
            if kept is None or kept[0] != version:
                kept = version, encode_once(self._table(source, body, read, columns, states))
                self._answers.put(key, kept)
            return kept[1]

    def _read_states(self, source: DataSource, read: Sessions) -> list[SessionState]:
        if self._settled is not None and self._settled[0] == read.generation:
            return self._settled[1]
        infos = {info.name: info for info in source.list_runs()}
        now = time.time()
        states = read_states(source, read.sessions, infos, now=now)
        is_settled = not any(may_pass(state, now=now) for state in states)
        self._settled = (read.generation, states) if is_settled else None
        return states

    def _read_known(self, source: DataSource, read: Sessions, columns: list[HParamColumn]) -> _Known:
        if self._known is None or self._known.generation != read.generation:
            self._known = _Known(
                read.generation,
                [hparam_answer(column) for column in order_columns(columns)],
                list_metrics(source, read.sessions, read.experiments),
                to_levels(read_hosts(source, read.sessions)),
                to_levels([session.group for session in read.sessions]),
            )
        return self._known

    def _table(
        self,
        source: DataSource,
        body: SessionsBody,
        read: Sessions,
        columns: list[HParamColumn],
        states: Sequence[SessionState],
    ) -> HParamTable:
        known = self._read_known(source, read, columns)
        if body.metrics is None:
            metrics = choose_metrics(known.offered)
        else:
            metrics = [to_metric(each, where=f"metrics[{index}]") for index, each in enumerate(body.metrics)]
        values = self.metrics.read(source, read.sessions, metrics)
        offered = {each.info.name: each for each in known.offered}
        return HParamTable(
            generation=read.generation,
            runs=[session.run for session in read.sessions],
            members=[list(session.members) for session in read.sessions],
            group=known.groups,
            status=Levels(list(STATUSES), [STATUSES.index(state.status) for state in states]),
            host=known.hosts,
            started=[_time(state.started) for state in states],
            ended=[_time(state.ended) for state in states],
            hparams=known.hparams,
            metrics=[
                metric_answer(metric, offered.get(metric.name), column)
                for metric, column in zip(metrics, values, strict=True)
            ],
            offered=[offered_answer(each) for each in known.offered],
            experiments=experiment_answers(read),
            problems=[
                ProblemAnswer(each.run, each.file, each.message) for each in read.problems[:MAX_PROBLEMS]
            ],
        )


known_tables: PerSource[TableReader] = PerSource(TableReader)


def read_ahead(source: DataSource) -> None:
    """The table that a page asks for first."""
    known_tables.of(source).read(source, SessionsBody())


def to_metric(body: MetricBody, *, where: str) -> Metric:
    name = MetricName(body.group, body.tag)
    if body.stat == "at_step":
        if body.step is None:
            raise BadRequest("at_step needs a `step`.", where=f"{where}.step".lstrip("."))
        return Metric(name, body.stat, step=body.step)
    if body.stat == "at_best":
        if body.best_tag is None:
            raise BadRequest(
                "at_best needs the metric that is best there.", where=f"{where}.best_tag".lstrip(".")
            )
        return Metric(name, body.stat, best_name=MetricName(body.best_group, body.best_tag), best=body.best)
    return Metric(name, body.stat)


def to_levels(texts: Iterable[str]) -> Levels:
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(text, len(numbers)) for text in texts]
    return Levels(list(numbers), codes)


def hparam_answer(column: HParamColumn) -> HParamAnswer:
    values = levels = codes = None
    if column.type == "number":
        values = _numbers(column.values)
    elif column.type == "bool":
        levels = ["false", "true"]
        codes = [-1 if value is None else int(value) for value in column.values]
    else:
        levels, codes = _text_levels(column.values)
    info = column.info
    return HParamAnswer(
        name=info.name,
        display_name=info.display_name,
        description=info.description,
        type=column.type,
        source=column.source,
        domain=None if info.domain is None else domain_answer(info.domain),
        problem=column.problem,
        distinct=column.distinct,
        missing=column.missing,
        values=values,
        levels=levels,
        codes=codes,
    )


def _numbers(values: Iterable[Any]) -> list[Number | None]:
    return [value if value is None or isfinite(value) else number(value) for value in values]


def _text_levels(values: Iterable[HParam | None]) -> tuple[list[str], list[int]]:
    """Sorted, so that codes are in a sensible order."""
    texts = [
        None if value is None else value if type(value) is str else describe_value(value) for value in values
    ]
    ordered = sorted({text for text in texts if text is not None})
    numbers = {text: place for place, text in enumerate(ordered)}
    return [_cut(text, numbers[text]) for text in ordered], [
        -1 if text is None else numbers[text] for text in texts
    ]


def _cut(text: str, place: int) -> str:
    if len(text) <= MAX_LEVEL_LENGTH:
        return text
    # The number keeps texts apart that begin alike.
    return f"{text[:MAX_LEVEL_LENGTH]}… ({len(text):,} characters, value {place + 1})"


def domain_answer(domain: Domain) -> DomainAnswer:
    if domain.values is not None:
        return DomainAnswer(values=[number(each) if type(each) is float else each for each in domain.values])
    return DomainAnswer(min=number(domain.min or 0.0), max=number(domain.max or 0.0))


def experiment_answers(read: Sessions) -> list[ExperimentAnswer]:
    """Without those that add_hparams writes beside every session."""
    own = {run for session in read.sessions for run in (session.run, *session.merged)}
    return [
        ExperimentAnswer(each.run, each.description, each.user, each.time_created)
        for each in read.experiments
        if each.run not in own or each.description or each.user
    ]


def metric_answer(
    metric: Metric, offered: OfferedMetric | None, values: Sequence[float | None]
) -> MetricAnswer:
    name = metric.name
    info = MetricInfo(name) if offered is None else offered.info
    best = metric.best_name
    return MetricAnswer(
        group=name.group,
        tag=name.tag,
        stat=metric.stat,
        step=metric.step if metric.stat == "at_step" else None,
        best_group="" if best is None else best.group,
        best_tag=None if best is None else best.tag,
        best=metric.best,
        display_name=info.display_name,
        description=info.description,
        goal=guess_goal(f"{name.group}/{name.tag}") if offered is None else offered.goal,
        declared=offered is not None and offered.is_declared,
        problem=None if any(value is not None for value in values) else "never logged",
        values=_numbers(values),
    )


def offered_answer(metric: OfferedMetric) -> OfferedAnswer:
    info = metric.info
    return OfferedAnswer(
        group=info.name.group,
        tag=info.name.tag,
        display_name=info.display_name,
        description=info.description,
        declared=metric.is_declared,
        goal=metric.goal,
        runs=metric.sessions,
    )


def _time(seconds: float | None) -> float | None:
    return seconds if seconds is not None and isfinite(seconds) else None
