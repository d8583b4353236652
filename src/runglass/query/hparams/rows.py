"""Sessions as rows, for code: `log.hparams()` and the HTTP API. As a table, as groups, and which settings made the difference."""

from __future__ import annotations

import importlib
import io
import time
from collections.abc import Iterator, Sequence
from typing import Any, overload

from msgspec import Struct

from runglass.csv_lines import csv_writer
from runglass.errors import BadArgument
from runglass.query.goals import Goal, guess_goal
from runglass.query.hparams.columns import make_columns, order_columns
from runglass.query.hparams.groups import Aggregate, aggregate, group_rows
from runglass.query.hparams.importance import Importance, measure_importance
from runglass.query.hparams.metrics import Metric, MetricReader, list_metrics
from runglass.query.hparams.model import HParam, MetricName, Problem, Session, Sessions
from runglass.query.hparams.statuses import Status, read_hosts, read_states
from runglass.query.source import DataSource

FACTS = ("run", "group", "status", "started", "ended", "host")


class HParamRow(Struct, frozen=True):
    """One session.

    >>> [row.hparams["lr"] for row in log.hparams()]
    """

    run: str
    # The run itself and those that belong to it.
    members: tuple[str, ...]
    # As declared; "" without one.
    group: str
    status: Status
    # Seconds since 1970.
    started: float | None
    ended: float | None
    host: str
    hparams: dict[str, HParam]
    # By (group, tag): group is the path from the session's run to the one that has the tag, "" for the run itself.
    metrics: dict[tuple[str, str], float]


class HParamGroup(Struct, frozen=True):
    """Sessions that belong together."""

    label: str
    runs: tuple[str, ...]
    # Those that are equal in all of them.
    hparams: dict[str, HParam]
    metrics: dict[tuple[str, str], Aggregate]


class HParamRows(Sequence[HParamRow]):
    """The sessions of `log.hparams()`, oldest first.

    >>> rows = log.hparams(["accuracy"])
    >>> rows.to_pandas()
    """

    def __init__(self, rows: list[HParamRow], read: Sessions, kept: Sequence[Session]) -> None:
        self._rows = rows
        self._read = read
        self._kept = kept

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> HParamRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[HParamRow]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._rows[index]

    def __iter__(self) -> Iterator[HParamRow]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return f"<{len(self)} sessions>"

    @property
    def problems(self) -> list[Problem]:
        """Records and files that could not be read: `run`, `file`, `message`.

        >>> log.hparams().problems
        """
        return list(self._read.problems)

    def groups(self, by: str = "settings") -> list[HParamGroup]:
        """Sessions with equal settings but for the seed; or `by` a hyperparameter, "group" as declared, "status" or "host".

        Metrics are aggregated: `n`, `mean`, `median`, `min`, `max` and `standard_error`.

        >>> [group.label for group in log.hparams().groups()]
        """
        found = group_rows(
            self._rows,
            by,
            hparams=lambda row: row.hparams,
            facts=lambda row: {"group": row.group, "status": row.status, "host": row.host},
        )
        return [
            HParamGroup(label, tuple(row.run for row in rows), _common(rows), _aggregates(rows))
            for label, rows in found
        ]

    def importance(
        self, metric: str | tuple[str, str], *, goal: Goal | None = None, seed: int = 0
    ) -> Importance:
        """How much of the variance of a metric each hyperparameter explains, and each pair beyond its two.

        Functional ANOVA over a random forest: `rows` have `names`, `share`, `low` and `high`; `r2` says how well the forest predicts
        runs that it has not seen, `refused` why there is no answer.

        >>> log.hparams().importance("accuracy").rows
        """
        name = to_name(metric)
        if not any((name.group, name.tag) in row.metrics for row in self._rows):
            known = sorted({label_of(MetricName(*key)) for row in self._rows for key in row.metrics})
            raise BadArgument(
                f"importance({metric!r}): no session has this metric. There are: {', '.join(known) or 'none'}.",
                where="metric",
            )
        columns = order_columns(make_columns(self._kept, self._read.experiments))
        values = [row.metrics.get((name.group, name.tag)) for row in self._rows]
        return measure_importance(
            columns, values, goal=goal or guess_goal(f"{name.group}/{name.tag}"), seed=seed
        )

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row per session: run, group, status, started, ended, host, hyperparameters, metrics.

        >>> log.hparams().to_pandas().sort_values("accuracy")
        """
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as error:
            raise BadArgument("to_pandas() needs the pandas package: pip install pandas.") from error
        names, rows = to_table(self._rows)
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
        return pandas.DataFrame(
            {
                name: pandas.Series(list(column), dtype=None if column else object)
                for name, column in zip(names, columns, strict=True)
            }
        )

    def to_csv(self) -> str:
        """The table of `to_pandas()` as CSV.

        >>> print(log.hparams().to_csv())
        """
        return write_csv(self._rows)


def read_rows(
    source: DataSource,
    read: Sessions,
    metric_reader: MetricReader,
    metrics: Sequence[Metric] | None = None,
    *,
    like: Metric | None = None,
) -> HParamRows:
    """`metrics`: None for all that sessions have, each reduced as `like` is, by default to its last value."""
    sessions = read.sessions
    if metrics is None:
        pattern = like or Metric(MetricName("", ""))
        offered = list_metrics(source, sessions, read.experiments)
        metrics = [
            Metric(each.info.name, pattern.stat, pattern.step, pattern.best_name, pattern.best)
            for each in offered
            if each.sessions
        ]
    values = metric_reader.read(source, sessions, metrics)
    infos = {info.name: info for info in source.list_runs()}
    states = read_states(source, sessions, infos, now=time.time())
    hosts = read_hosts(source, sessions)
    names = [(metric.name.group, metric.name.tag) for metric in metrics]
    rows = [
        HParamRow(
            session.run,
            session.members,
            session.group,
            state.status,
            state.started,
            state.ended,
            host,
            dict(session.hparams),
            {
                name: value
                for name, column in zip(names, values, strict=True)
                if (value := column[row]) is not None
            },
        )
        for row, (session, state, host) in enumerate(zip(sessions, states, hosts, strict=True))
    ]
    return HParamRows(rows, read, sessions)


def to_name(metric: str | tuple[str, str]) -> MetricName:
    if isinstance(metric, str):
        return MetricName("", metric)
    group, tag = metric
    return MetricName(group, tag)


def to_table(rows: Sequence[HParamRow]) -> tuple[list[str], list[list[Any]]]:
    """Names of columns and rows of values; None where a session has none. No two columns have the same name."""
    hparams = list(dict.fromkeys(name for row in rows for name in row.hparams))
    metrics = list(dict.fromkeys(name for row in rows for name in row.metrics))
    names = list(FACTS)
    for kind, some in (("hparam", hparams), ("metric", [label_of(MetricName(*name)) for name in metrics])):
        for name in some:
            names.append(_unused(name, kind, names))
    return names, [
        [
            *(getattr(row, name) for name in FACTS),
            *(row.hparams.get(name) for name in hparams),
            *(row.metrics.get(name) for name in metrics),
        ]
        for row in rows
    ]


def write_csv(rows: Sequence[HParamRow]) -> str:
    out = io.StringIO()
    writer = csv_writer(out)
    names, table = to_table(rows)
    writer.writerow(names)
    writer.writerows(table)
    return out.getvalue()


def label_of(name: MetricName) -> str:
    """The name of a metric in a table."""
    return f"{name.group}/{name.tag}" if name.group else name.tag


def _unused(name: str, kind: str, names: Sequence[str]) -> str:
    while name in names:
        name = f"{kind}:{name}"
    return name


def _common(rows: Sequence[HParamRow]) -> dict[str, HParam]:
    first = rows[0].hparams
    return {
        name: value
        for name, value in first.items()
        if all(repr(row.hparams.get(name)) == repr(value) for row in rows)
    }


def _aggregates(rows: Sequence[HParamRow]) -> dict[tuple[str, str], Aggregate]:
    names = dict.fromkeys(name for row in rows for name in row.metrics)
    return {name: aggregate(_values(rows, name)) for name in names}


def _values(rows: Sequence[HParamRow], name: tuple[str, str]) -> list[float | None]:
    return [row.metrics.get(name) for row in rows]
