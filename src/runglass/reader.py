"""`runglass.open(logdir)`: read logs in Python, exactly and without a server."""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Self, get_args

import msgspec
import numpy as np

from runglass.errors import BadArgument, SeriesUnknown
from runglass.log_values import Band, LazyValues, Line, Picture, Scalars, Series, Table, count, read_only
from runglass.machine import cache_folder
from runglass.query.embeddings.listing import list_embeddings
from runglass.query.embeddings.rows import LogEmbedding, read_log_embedding
from runglass.query.graphs.read import list_graphs, read_log_graph
from runglass.query.graphs.rows import LogGraph
from runglass.query.hparams.metrics import Metric, MetricReader
from runglass.query.hparams.rows import HParamRows, read_rows, to_name
from runglass.query.hparams.sessions import SessionReader
from runglass.query.locations import parse_locations
from runglass.query.open import open_logs
from runglass.query.profiles.listing import list_profiles
from runglass.query.profiles.rows import LogProfile, read_log_profile
from runglass.query.source import (
    AssetReader,
    BandCenter,
    BandQuery,
    BandSpread,
    Best,
    DataSource,
    LineQuery,
    RunStatistic,
    Smoothing,
    SmoothingKind,
    XAxis,
)
from runglass.sql.read import EngineName, read_sql
from runglass.sql.table import SqlTable
from runglass.store.model import Asset, Attempts, Family, FileHealth, Kind, SeriesKey

__all__ = ["Band", "Line", "Log", "Picture", "Run", "Scalars", "Series", "SqlTable", "Table", "open_log"]

# The largest amount of smoothing, as over HTTP. An average with a weight of 1 for the past would never see a value.
AMOUNTS = {"ema": math.nextafter(1, 0), "gaussian": 10_000.0, "median": 10_000.0}


class Log(Mapping[str, "Run"]):
    """Everything that was logged below some directories. `reload()` picks up what is new.

    A mapping of its runs by name: `log["train"]`, `"train" in log`, `len(log)`, and iterating gives the names.

    >>> log = runglass.open("logs")
    >>> log["train"]["loss"].value
    """

    def __init__(
        self, *logdirs: str | PathLike[str] | Sequence[str | PathLike[str]], use_cache: bool = True
    ) -> None:
        paths = _paths(logdirs)
        if not paths:
            raise BadArgument("open(): no log directory was given. Pass at least one path.", where="logdirs")
        self._logs = open_logs(parse_locations(paths), cache_dir=cache_folder.path() if use_cache else None)
        for missing in self._logs.list_missing():
            raise BadArgument(f"open(): {missing!r} does not exist. Check the path.", where=missing)
        self._source = self._logs.source
        self._logs.load()
        for path, reason in self._logs.list_unreadable().items():
            warnings.warn(f"{path} cannot be listed: {reason}. What is below it is missing.", stacklevel=3)
        self._sessions = SessionReader()
        self._metrics = MetricReader()

    def __getitem__(self, run: str) -> Run:
        _text("run", run)
        # Raises an error that names the closest ones.
        self._source.list_series(run=run)
        return Run(self, run)

    def __contains__(self, run: object) -> bool:
        return run in self.runs

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self._source.list_runs())

    # A log without runs is still a log.
    def __bool__(self) -> bool:
        return True

    # Two logs are equal only if they are one: comparing all their runs would read nothing of use.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        series = sum(run.series for run in self._source.list_runs())
        where = ", ".join(map(repr, self._source.locations))
        return f"<Log {where}: {count(len(self), 'run')}, {series:,} series>"

    def _ipython_key_completions_(self) -> list[str]:
        return self.runs

    def close(self) -> None:
        """Release what reading keeps open. What was read stays usable; `with runglass.open(...) as log:` calls this.

        >>> log.close()
        """
        self._logs.stop()

    def reload(self) -> None:
        """Read what is new, including new runs and files, and drop what was deleted.

        >>> log.reload()
        """
        self._logs.load()

    @property
    def source(self) -> DataSource:
        """The log as a DataSource, with reductions, smoothing and summaries.

        >>> log.source.list_runs()
        """
        return self._source

    @property
    def runs(self) -> list[str]:
        """Names of all runs, oldest first.

        >>> log.runs
        """
        return [run.name for run in self._source.list_runs()]

    def tags(self, run: str) -> dict[str, str]:
        """Tags of a run with their kind: `{"loss": "scalar", "weights": "histogram"}`.

        >>> log.tags("train")
        """
        _text("run", run)
        return {info.key.tag: info.meta.kind.value for info in self._source.list_series(run=run)}

    def scalars(self, run: str, tag: str, *, attempts: Attempts = "latest") -> Scalars:
        """All points of a scalar series, exactly as logged. `tag` may be an expression: `"={val/loss} - {train/loss}"`.

        After a restart `attempts="latest"` leaves out the points that the newer attempt wrote again; `"all"` gives every point in file
        order, and `segment` says which attempt it is from.

        >>> log.scalars("train", "loss").value.min()
        """
        _text("run", run)
        _text("tag", tag)
        try:
            (columns,) = self._source.read_columns([SeriesKey(run, tag)], attempts=_attempts(attempts))
        except SeriesUnknown:
            kind = self.tags(run).get(tag)
            if kind is None:
                raise
            raise SeriesUnknown(
                f"Tag {tag!r} of run {run!r} holds {kind} values, not scalars. log.read(run, tag) reads them.",
                where=f"{run}/{tag}",
            ) from None
        return Scalars(
            read_only(columns.step),
            read_only(columns.wall_time),
            read_only(columns.value.astype(np.float64, copy=False)),
            read_only(columns.segment),
            run,
            tag,
        )

    def line(
        self,
        run: str,
        tag: str,
        *,
        x: str = "step",
        smoothing: tuple[str, float] | None = None,
        attempts: Attempts = "latest",
    ) -> Line:
        """A scalar series as the page draws it, with all its points.

        `x` is "step", "relative" (seconds since the first point), "wall" (seconds since 1970) or the tag of another scalar of the
        run. `smoothing` is a kind and its amount: ("ema", 0.6), ("time_ema", 500), ("gaussian", 5) or ("median", 9).

        >>> log.line("train", "loss", x="relative", smoothing=("ema", 0.6)).y
        """
        for name, value in (("run", run), ("tag", tag), ("x", x)):
            _text(name, value)
        query = LineQuery(x=x, smoothing=_smoothing(smoothing), attempts=_attempts(attempts))
        lines = self._source.read_lines([SeriesKey(run, tag)], query)
        if not lines:
            # The run has no such x; this raises the error that says so.
            self._source.read_columns([SeriesKey(run, x)])
        (line,) = lines
        return Line(read_only(line.x), read_only(line.y.astype(np.float64, copy=False)))

    def band(
        self,
        runs: Sequence[str],
        tag: str,
        *,
        x: str = "step",
        smoothing: tuple[str, float] | None = None,
        center: BandCenter = "mean",
        spread: BandSpread = "std",
    ) -> Band:
        """Statistics over several runs at every x that any of them has: `x`, `count`, `center`, `low` and `high`.

        Leaves out runs without the tag. `center` is "mean" or "median"; `spread` is "minmax", "std", "stderr", "quantile" or "bootstrap".

        >>> log.band(["seed=1", "seed=2"], "loss", spread="std").center
        """
        if isinstance(runs, str) or not isinstance(runs, Iterable):
            raise BadArgument(
                f"band(runs={runs!r}): expected a list of runs, such as log.runs or [{str(runs)!r}].",
                where="runs",
            )
        runs = list(runs)
        known = set(self.runs)
        for run in runs:
            _text("run", run)
            if run not in known:
                # Raises an error that names the closest ones.
                self._source.list_series(run=run)
        _choice("center", center, get_args(BandCenter))
        _choice("spread", spread, get_args(BandSpread))
        _text("tag", tag)
        _text("x", x)
        query = BandQuery(x=x, smoothing=_smoothing(smoothing), center=center, spread=spread)
        band = self._source.read_band([SeriesKey(run, tag) for run in runs], query)
        if runs and not len(band.x):
            for needed in (tag,) if x in get_args(XAxis) else (tag, x):
                if not self._source.read_columns([SeriesKey(run, needed) for run in runs]):
                    # Asked for one series, it raises the error that says what there is.
                    self._source.read_columns([SeriesKey(runs[0], needed)])
        return Band(
            read_only(band.x),
            read_only(band.count),
            read_only(band.center),
            read_only(band.low),
            read_only(band.high),
        )

    def read(self, run: str, tag: str, *, kind: str | None = None, attempts: Attempts = "latest") -> Series:
        """A series of any kind. `kind` selects one if the tag has values of two kinds.

        >>> log.read("train", "weights").value[0]
        """
        _text("run", run)
        _text("tag", tag)
        wanted = None if kind is None else _kind(kind)
        values = self._source.read_values(SeriesKey(run, tag), kind=wanted, attempts=_attempts(attempts))
        return Series(
            values.meta.kind.value,
            read_only(values.step),
            read_only(values.wall_time),
            read_only(values.segment),
            LazyValues(self._source, values),
            run,
            tag,
        )

    def table(
        self, *, kind: str = "scalar", runs: str = "", tags: str = "", attempts: Attempts = "latest"
    ) -> Table:
        """Many scalar series in long form, one row per point. `runs` and `tags` are regular expressions to search for.

        >>> log.table(runs="train$", tags="^loss$").to_pandas()
        """
        if _kind(kind) is not Kind.SCALAR:
            raise BadArgument(
                f"table(kind={kind!r}): only 'scalar' has a long form. Use read() for other kinds.",
                where="kind",
            )
        run_pattern, tag_pattern = _pattern("runs", runs), _pattern("tags", tags)
        order = {name: number for number, name in enumerate(self.runs)}
        keys = [
            info.key
            for info in self._source.list_series(kind=Kind.SCALAR)
            if info.key.run in order and run_pattern.search(info.key.run) and tag_pattern.search(info.key.tag)
        ]
        keys.sort(key=lambda key: order[key.run])
        return Table(self._source, keys, _attempts(attempts))

    def sql(self, query: str, *, limit: int | None = 1_000_000, engine: EngineName | None = None) -> SqlTable:
        """The rows of one SELECT over the tables points, series, runs, hparams and files; see the guide for their columns.

        DuckDB or chdb answers, whichever is installed, unless the log is in ClickHouse. `limit` is the most rows to return, None for
        all. Only the runs and tags that the query asks for are read.

        >>> log.sql("select run, min(value) as best from points where tag = 'val/loss' group by run").to_pandas()
        """
        _text("query", query)
        if limit is not None and limit < 1:
            raise BadArgument(f"limit={limit!r}: expected 1 or more, or None for all rows.", where="limit")
        table = SqlTable(read_sql(self._source, query, limit=limit, engine=engine))
        if table.is_cut:
            warnings.warn(
                f"sql(): stopped at {count(len(table), 'row')}; there are more. limit=None returns all.",
                stacklevel=2,
            )
        return table

    def hparams(
        self,
        metrics: Sequence[str | tuple[str, str]] | None = None,
        *,
        stat: RunStatistic = "last",
        step: int | None = None,
        best_of: str | tuple[str, str] | None = None,
        best: Best = "min",
    ) -> HParamRows:
        """Every session with its hyperparameters and metrics, oldest first; the rows have `to_pandas()`, `groups()` and `importance()`.

        `metrics` are tags, or pairs of a sub-run and a tag: `"loss"`, `("validation", "loss")`; by default all. `stat` is "last",
        "first", "min", "max", "mean", "count", "at_step" (up to `step`) or "at_best" (where `best_of` is `best`).

        >>> for row in log.hparams():
        ...     print(row.run, row.hparams["lr"], row.metrics["", "accuracy"])
        """
        _choice("stat", stat, get_args(RunStatistic))
        _choice("best", best, get_args(Best))
        if stat == "at_step" and step is None:
            raise BadArgument("stat='at_step' needs a step.", where="step")
        if stat == "at_best" and best_of is None:
            raise BadArgument("stat='at_best' needs best_of, the metric that is best there.", where="best_of")
        best_name = to_name(best_of) if stat == "at_best" and best_of is not None else None

        def reduced(name: str | tuple[str, str]) -> Metric:
            return Metric(to_name(name), stat, step or 0, best_name, best)

        if isinstance(metrics, str) or not isinstance(metrics, Iterable | None):
            raise BadArgument(
                f"metrics={metrics!r}: expected a list, such as ['loss', ('validation', 'loss')].",
                where="metrics",
            )
        chosen = None if metrics is None else [reduced(metric) for metric in metrics]
        read = self._sessions.read(self._source)
        return read_rows(self._source, read, self._metrics, chosen, like=reduced(""))

    def graphs(self, run: str) -> list[str]:
        """Names of the graphs of a run: tags of logged ones, the run's own graph (`__run_graph__`) first, then paths of files.

        >>> log.graphs("train")
        """
        _text("run", run)
        return [info.name for info in list_graphs(self._source, run)]

    def graph(self, run: str, name: str | None = None, *, step: int | None = None) -> LogGraph:
        """A graph with `nodes`, `edges` and `functions`; by default the first of the run. Of several logged, the newest, or that of `step`.

        >>> graph = log.graph("train")
        >>> for node in graph.nodes:
        ...     print(node.name, node.op, node.inputs, node.shapes, node.device)
        """
        _text("run", run)
        _text_or_none("name", name)
        return read_log_graph(self._source, run, name, step=step)

    def embeddings(self, run: str) -> list[str]:
        """Names of the embeddings of a run: those with labels first, then those of a config, then matrices of checkpoints.

        >>> log.embeddings("train")
        """
        _text("run", run)
        return [info.name for info in list_embeddings(self._source, run)]

    def embedding(self, run: str, name: str | None = None, step: int | None = None) -> LogEmbedding:
        """An embedding with `vectors`, `metadata` and `sprite`; by default the first of the run, at its last step.

        >>> words = log.embedding("train", "words", step=5)
        >>> words.vectors.shape, words.metadata["label"][:3]
        """
        _text("run", run)
        _text_or_none("name", name)
        return read_log_embedding(self._source, run, name, step)

    def profiles(self, run: str) -> list[str]:
        """Names of the profiles of a run, oldest first: folders of `plugins/profile/`, cycles of PyTorch's profiler with all their workers,
        other trace files.

        >>> log.profiles("train")
        """
        _text("run", run)
        return [info.session for info in list_profiles(self._source, run)]

    def profile(self, run: str, session: str | None = None) -> LogProfile:
        """A profile with `events()`, `tracks`, `steps`, `sums()` and `problems`; by default the newest of the run.

        >>> profile = log.profile("train")
        >>> kernels = profile.events(category="kernel")
        >>> kernels.name[0], kernels.start_ps[0], kernels.duration_ps.sum()
        """
        _text("run", run)
        _text_or_none("session", session)
        return read_log_profile(self._source, run, session)

    def assets(self, run: str | None = None, family: str | None = None) -> list[Asset]:
        """Files of one run or of all runs that are not event files: `run`, `family`, `name`, `size_bytes`, `modified_time`.

        `family` is "projector", "profile", "debugger", "config" or "graph"; or "vectors" or "checkpoint", which are listed only
        when requested, because finding them means reading the assets that name them.

        >>> [asset.name for asset in log.assets("train", "projector")]
        """
        _text_or_none("run", run)
        _text_or_none("family", family)
        return self._source.list_assets(run=run, family=None if family is None else _family(family))

    def open_asset(self, asset: Asset) -> AssetReader:
        """Open an asset from `assets()`. `read(offset, size)` returns bytes of it; `size_bytes` is its size.

        >>> with log.open_asset(asset) as file:
        ...     data = file.read(0, file.size_bytes)
        """
        return self._source.open_asset(asset)

    @property
    def health(self) -> list[FileHealth]:
        """Every event file with its state, and position and reason of what is wrong with it.

        >>> [file.path for file in log.health if file.state == "damaged"]
        """
        return self._source.list_files()


class Run(Mapping[str, Scalars | Series]):
    """One run of a log: a mapping of its series by tag. `run["loss"]` is a `Scalars`, other kinds are a `Series`.

    >>> run = log["train"]
    >>> run["loss"].value, list(run)
    """

    def __init__(self, log: Log, name: str) -> None:
        self._log = log
        self.name = name

    def __getitem__(self, tag: str) -> Scalars | Series:
        _text("tag", tag)
        # An expression is computed from scalars, and no tag of the run.
        kind = self.tags.get(tag)
        if kind == "scalar" or (kind is None and tag.startswith("=")):
            return self._log.scalars(self.name, tag)
        return self._log.read(self.name, tag)

    def __contains__(self, tag: object) -> bool:
        return tag in self.tags

    def __iter__(self) -> Iterator[str]:
        return iter(self.tags)

    def __len__(self) -> int:
        return len(self.tags)

    def __bool__(self) -> bool:
        return True

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<Run {self.name!r}: {len(self):,} series>"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.tags)

    @property
    def tags(self) -> dict[str, str]:
        """Its tags with their kind.

        >>> log["train"].tags
        """
        return self._log.tags(self.name)

    def scalars(self, tag: str, *, attempts: Attempts = "latest") -> Scalars:
        """As `Log.scalars`.

        >>> log["train"].scalars("loss").step
        """
        return self._log.scalars(self.name, tag, attempts=attempts)

    def read(self, tag: str, *, kind: str | None = None, attempts: Attempts = "latest") -> Series:
        """As `Log.read`.

        >>> log["train"].read("weights").value[0]
        """
        return self._log.read(self.name, tag, kind=kind, attempts=attempts)

    def line(
        self,
        tag: str,
        *,
        x: str = "step",
        smoothing: tuple[str, float] | None = None,
        attempts: Attempts = "latest",
    ) -> Line:
        """As `Log.line`.

        >>> log["train"].line("loss", smoothing=("ema", 0.6)).y
        """
        return self._log.line(self.name, tag, x=x, smoothing=smoothing, attempts=attempts)


def open_log(*logdirs: str | PathLike[str] | Sequence[str | PathLike[str]], use_cache: bool = True) -> Log:
    """Open one or more log directories and read everything in them.

    >>> log = runglass.open("logs")
    >>> log.scalars("train", "loss").value

    Files that a server has read before come from its index in the cache folder. Without `use_cache`, all bytes are read again.
    """
    return Log(*logdirs, use_cache=use_cache)


def _attempts(attempts: str) -> Attempts:
    if attempts not in ("latest", "all"):
        raise BadArgument(f"attempts={attempts!r}: expected 'latest' or 'all'.", where="attempts")
    return "all" if attempts == "all" else "latest"


def _smoothing(smoothing: tuple[str, float] | None) -> Smoothing:
    if smoothing is None:
        return Smoothing()
    try:
        kind, amount = smoothing
        amount = float(amount)
    except (TypeError, ValueError) as error:
        raise BadArgument(
            f"smoothing={smoothing!r}: expected a kind and its amount, such as ('ema', 0.6).",
            where="smoothing",
        ) from error
    if kind not in get_args(SmoothingKind):
        known = ", ".join(map(repr, get_args(SmoothingKind)))
        raise BadArgument(f"smoothing={smoothing!r}: the kinds are {known}.", where="smoothing")
    limit = AMOUNTS.get(kind, np.inf)
    if not 0 <= amount <= limit:
        above = "0 or more" if limit == np.inf else "0 to below 1" if kind == "ema" else f"0 to {limit:g}"
        raise BadArgument(f"smoothing={smoothing!r}: the amount of {kind} is {above}.", where="smoothing")
    return msgspec.convert({"kind": kind, "amount": amount}, Smoothing) if amount else Smoothing()


def _choice(name: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        known = ", ".join(map(repr, choices))
        raise BadArgument(f"{name}={value!r}: expected one of {known}.", where=name)


def _text_or_none(name: str, value: object) -> None:
    if value is not None:
        _text(name, value)


def _text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise BadArgument(f"{name}={value!r}: expected a str.", where=name)


def _paths(logdirs: Sequence[Any]) -> list[str]:
    """`open(a, b)` and `open([a, b])` are the same."""
    if len(logdirs) == 1 and isinstance(logdirs[0], (list, tuple)):
        logdirs = logdirs[0]
    for each in logdirs:
        if not isinstance(each, (str, os.PathLike)):
            raise BadArgument(f"open({each!r}): expected a path, or a list of paths.", where="logdirs")
    return [fspath(each) for each in logdirs]


def _kind(kind: str) -> Kind:
    try:
        return Kind(kind)
    except ValueError:
        known = ", ".join(repr(each.value) for each in Kind)
        raise BadArgument(f"kind={kind!r}: expected one of {known}.", where="kind") from None


def _family(family: str) -> Family:
    try:
        return Family(family)
    except ValueError:
        known = ", ".join(repr(each.value) for each in Family)
        raise BadArgument(f"family={family!r}: expected one of {known}.", where="family") from None


def _pattern(name: str, pattern: str) -> re.Pattern[str]:
    try:
        _text(name, pattern)
        return re.compile(pattern)
    except re.error as error:
        raise BadArgument(f"{name}={pattern!r} is not a regular expression: {error}.", where=name) from error
