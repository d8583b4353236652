"""`runglass.open(logdir)`: read logs in Python, exactly and without a server."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import IO, Any, NamedTuple, get_args, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
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
    Band,
    BandCenter,
    BandQuery,
    BandSpread,
    Best,
    DataSource,
    LineQuery,
    RunStatistic,
    Smoothing,
    Values,
)
from runglass.store.model import Asset, Attempts, Family, FileHealth, Kind, SeriesKey


@dataclass(frozen=True, slots=True)
class Scalars:
    """A scalar series, one row per point."""

    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    value: NDArray[np.float64]
    # Which attempt wrote the point, counted from 0 in file order.
    segment: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.step)


class Line(NamedTuple):
    """What a chart draws of one series, one number per point."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]


class LazyValues(Sequence[Any]):
    """Decoded values of a series. Reads each from disk when you index it."""

    def __init__(self, source: DataSource, values: Values) -> None:
        self._source = source
        self._values = values

    def __len__(self) -> int:
        return len(self._values.step)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} of {len(self)} values")
        return self._source.load_value(self._values, index % len(self))


@dataclass(frozen=True, slots=True)
class Series:
    """A series of any kind; `value[i]` is read and decoded when you index it."""

    kind: str
    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    segment: NDArray[np.int32]
    value: Sequence[Any]

    def __len__(self) -> int:
        return len(self.step)


class Log:
    """Everything that was logged below some directories. `reload()` picks up what is new."""

    def __init__(self, *logdirs: str | PathLike[str]) -> None:
        if not logdirs:
            raise BadArgument("open(): no log directory was given. Pass at least one path.", where="logdirs")
        self._logs = open_logs(parse_locations([fspath(each) for each in logdirs]))
        for missing in self._logs.list_missing():
            raise BadArgument(f"open(): {missing!r} does not exist. Check the path.", where=missing)
        self._source = self._logs.source
        self._logs.load()
        self._sessions = SessionReader()
        self._metrics = MetricReader()

    def reload(self) -> None:
        """Read what is new, including new runs and files, and drop what was deleted."""
        self._logs.load()

    @property
    def source(self) -> DataSource:
        """The log as a DataSource, with reductions, smoothing and summaries."""
        return self._source

    @property
    def runs(self) -> list[str]:
        """Names of all runs, oldest first."""
        return [run.name for run in self._source.list_runs()]

    def tags(self, run: str) -> dict[str, str]:
        """Tags of a run with their kind: `{"loss": "scalar", "weights": "histogram"}`."""
        return {info.key.tag: info.meta.kind.value for info in self._source.list_series(run=run)}

    def scalars(self, run: str, tag: str, *, attempts: Attempts = "latest") -> Scalars:
        """All points of a scalar series, exactly as logged. `tag` may be an expression: `"={val/loss} - {train/loss}"`.

        After a restart `attempts="latest"` leaves out the points that the newer attempt wrote again; `"all"` gives every point in file
        order, and `segment` says which attempt it is from.
        """
        (columns,) = self._source.read_columns([SeriesKey(run, tag)], attempts=_attempts(attempts))
        return Scalars(columns.step, columns.wall_time, columns.value.astype(np.float64), columns.segment)

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
        """
        query = LineQuery(x=x, smoothing=_smoothing(smoothing), attempts=_attempts(attempts))
        lines = self._source.read_lines([SeriesKey(run, tag)], query)
        if not lines:
            # The run has no such x; this raises the error that says so.
            self._source.read_columns([SeriesKey(run, x)])
        (line,) = lines
        return Line(line.x, line.y.astype(np.float64))

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

        Leaves out runs without the tag.
        """
        query = BandQuery(x=x, smoothing=_smoothing(smoothing), center=center, spread=spread)
        return self._source.read_band([SeriesKey(run, tag) for run in runs], query)

    def read(self, run: str, tag: str, *, kind: str | None = None, attempts: Attempts = "latest") -> Series:
        """A series of any kind. `kind` selects one if the tag has values of two kinds."""
        wanted = None if kind is None else _kind(kind)
        values = self._source.read_values(SeriesKey(run, tag), kind=wanted, attempts=_attempts(attempts))
        return Series(
            values.meta.kind.value,
            values.step,
            values.wall_time,
            values.segment,
            LazyValues(self._source, values),
        )

    def table(
        self, *, kind: str = "scalar", runs: str = "", tags: str = "", attempts: Attempts = "latest"
    ) -> Table:
        """Many scalar series in long form, one row per point. `runs` and `tags` are regular expressions to search for."""
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
        if stat not in get_args(RunStatistic):
            known = ", ".join(map(repr, get_args(RunStatistic)))
            raise BadArgument(f"stat={stat!r}: expected one of {known}.", where="stat")
        if stat == "at_step" and step is None:
            raise BadArgument("stat='at_step' needs a step.", where="step")
        if stat == "at_best" and best_of is None:
            raise BadArgument("stat='at_best' needs best_of, the metric that is best there.", where="best_of")
        best_name = to_name(best_of) if stat == "at_best" and best_of is not None else None

        def reduced(name: str | tuple[str, str]) -> Metric:
            return Metric(to_name(name), stat, step or 0, best_name, best)

        chosen = None if metrics is None else [reduced(metric) for metric in metrics]
        read = self._sessions.read(self._source)
        return read_rows(self._source, read, self._metrics, chosen, like=reduced(""))

    def graphs(self, run: str) -> list[str]:
        """Names of the graphs of a run: tags of logged ones, the run's own graph (`__run_graph__`) first, then paths of files."""
        return [info.name for info in list_graphs(self._source, run)]

    def graph(self, run: str, name: str | None = None, *, step: int | None = None) -> LogGraph:
        """A graph with `nodes`, `edges` and `functions`; by default the first of the run. Of several logged, the newest, or that of `step`.

        >>> graph = log.graph("train")
        >>> for node in graph.nodes:
        ...     print(node.name, node.op, node.inputs, node.shapes, node.device)
        """
        return read_log_graph(self._source, run, name, step=step)

    def embeddings(self, run: str) -> list[str]:
        """Names of the embeddings of a run: those with labels first, then those of a config, then matrices of checkpoints."""
        return [info.name for info in list_embeddings(self._source, run)]

    def embedding(self, run: str, name: str | None = None, step: int | None = None) -> LogEmbedding:
        """An embedding with `vectors`, `metadata` and `sprite`; by default the first of the run, at its last step.

        >>> words = log.embedding("train", "words", step=5)
        >>> words.vectors.shape, words.metadata["label"][:3]
        """
        return read_log_embedding(self._source, run, name, step)

    def profiles(self, run: str) -> list[str]:
        """Names of the profiles of a run, oldest first: folders of `plugins/profile/`, cycles of PyTorch's profiler with all their workers,
        other trace files."""
        return [info.session for info in list_profiles(self._source, run)]

    def profile(self, run: str, session: str | None = None) -> LogProfile:
        """A profile with `events()`, `tracks`, `steps`, `sums()` and `problems`; by default the newest of the run.

        >>> profile = log.profile("train")
        >>> kernels = profile.events(category="kernel")
        >>> kernels.name[0], kernels.start_ps[0], kernels.duration_ps.sum()
        """
        return read_log_profile(self._source, run, session)

    def assets(self, run: str | None = None, family: str | None = None) -> list[Asset]:
        """Files of one run or of all runs that are not event files: `run`, `family`, `name`, `size_bytes`, `modified_time`.

        `family` is "projector", "profile", "debugger", "config" or "graph"; or "vectors" or "checkpoint", which are listed only
        when requested, because finding them means reading the assets that name them.
        """
        return self._source.list_assets(run=run, family=None if family is None else _family(family))

    def open_asset(self, asset: Asset) -> AssetReader:
        """Open an asset from `assets()`. `read(offset, size)` returns bytes of it; `size_bytes` is its size.

        >>> with log.open_asset(asset) as file:
        ...     data = file.read(0, file.size_bytes)
        """
        return self._source.open_asset(asset)

    @property
    def health(self) -> list[FileHealth]:
        """Every event file with its state, and position and reason of what is wrong with it."""
        return self._source.list_files()


class Table:
    """Scalar points in long form, with columns run, tag, step, wall_time and value (and segment with attempts="all")."""

    def __init__(self, source: DataSource, keys: list[SeriesKey], attempts: Attempts) -> None:
        self._series = source.read_columns(keys, attempts=attempts)
        self._has_segment = attempts == "all"

    def __len__(self) -> int:
        return sum(len(series.step) for series in self._series)

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        counts = [len(series.step) for series in self._series]
        names = np.array([series.key for series in self._series], dtype=object).reshape(-1, 2)
        columns: dict[str, NDArray[Any]] = {
            "run": np.repeat(names[:, 0], counts),
            "tag": np.repeat(names[:, 1], counts),
            "step": _join([series.step for series in self._series], np.int64),
            "wall_time": _join([series.wall_time for series in self._series], np.float64),
            "value": _join([series.value for series in self._series], np.float64),
        }
        if self._has_segment:
            columns["segment"] = _join([series.segment for series in self._series], np.int32)
        return columns

    def to_pandas(self) -> Any:
        """A pandas DataFrame; run and tag are categories."""
        pandas = _need("pandas")
        columns = self.to_numpy()
        for name in ("run", "tag"):
            columns[name] = pandas.Categorical(columns[name])
        return pandas.DataFrame(columns)

    def to_polars(self) -> Any:
        polars = _need("polars")
        columns = self.to_numpy()
        names = {
            name: polars.Series(name, columns.pop(name).tolist(), dtype=polars.String)
            for name in ("run", "tag")
        }
        return polars.DataFrame({**names, **columns})

    def to_arrow(self) -> Any:
        """A pyarrow Table; run and tag are dictionary-encoded."""
        pyarrow = _need("pyarrow")
        columns: dict[str, Any] = dict(self.to_numpy())
        for name in ("run", "tag"):
            columns[name] = pyarrow.array(columns[name].tolist(), pyarrow.string()).dictionary_encode()
        return pyarrow.table(columns)

    def to_csv(self, file: str | PathLike[str] | IO[str] | None = None) -> None:
        """Write CSV with full precision to a path or an open text file (standard output by default)."""
        if file is None:
            self._write_csv(sys.stdout)
        elif isinstance(file, (str, PathLike)):
            with open(file, "w", newline="", encoding="utf-8") as opened:
                self._write_csv(opened)
        else:
            self._write_csv(file)

    def _write_csv(self, file: IO[str]) -> None:
        writer = csv.writer(file, lineterminator="\n")
        names = ["run", "tag", "step", "wall_time", "value", *(["segment"] if self._has_segment else [])]
        writer.writerow(names)
        for series in self._series:
            columns: list[Any] = [
                series.step.tolist(),
                series.wall_time.tolist(),
                series.value.astype(np.float64).tolist(),
            ]
            if self._has_segment:
                columns.append(series.segment.tolist())
            writer.writerows([*series.key, *row] for row in zip(*columns, strict=True))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        columns = self.to_numpy()
        return zip(*(column.tolist() for column in columns.values()), strict=True)


def open_log(*logdirs: str | PathLike[str]) -> Log:
    """Open one or more log directories and read everything in them.

    >>> log = runglass.open("logs")
    >>> log.scalars("train", "loss").value
    """
    return Log(*logdirs)


def _join(arrays: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(arrays).astype(dtype, copy=False) if arrays else np.empty(0, dtype)


def _attempts(attempts: str) -> Attempts:
    if attempts not in ("latest", "all"):
        raise BadArgument(f"attempts={attempts!r}: expected 'latest' or 'all'.", where="attempts")
    return "all" if attempts == "all" else "latest"


def _smoothing(smoothing: tuple[str, float] | None) -> Smoothing:
    if smoothing is None:
        return Smoothing()
    try:
        kind, amount = smoothing
        return msgspec.convert({"kind": kind, "amount": amount}, Smoothing)
    except (TypeError, ValueError) as error:
        raise BadArgument(
            f"smoothing={smoothing!r}: {error}. Expected a kind and its amount, such as ('ema', 0.6).",
            where="smoothing",
        ) from error


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
        return re.compile(pattern)
    except re.error as error:
        raise BadArgument(f"{name}={pattern!r} is not a regular expression: {error}.", where=name) from error


def _need(module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise BadArgument(
            f"to_{module.removeprefix('py')}() needs the {module} package: pip install {module}."
        ) from error
