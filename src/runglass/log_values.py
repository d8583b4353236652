"""What `runglass.open` hands out: series, pictures and tables of points. Each says what it is, and nothing can be written to."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from os import PathLike
from typing import IO, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from runglass.csv_lines import csv_writer
from runglass.errors import BadArgument, EmbeddingDamaged, ValueDamaged
from runglass.query.embeddings.formats.content import BytesContent
from runglass.query.embeddings.png import read_header, read_rows
from runglass.query.source import DataSource, Values
from runglass.store.model import Attempts, Image, SeriesKey

# What a notebook can show. Not SVG: it may hold scripts, and no code from a log runs.
MEDIA_TYPES = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "bmp": "image/bmp",
}


@dataclass(frozen=True, slots=True, repr=False)
class Scalars:
    """A scalar series, one row per point. Iterating gives (step, wall_time, value).

    >>> loss = log["train"]["loss"]
    >>> loss.step, loss.value
    """

    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    value: NDArray[np.float64]
    # Which attempt wrote the point, counted from 0 in file order.
    segment: NDArray[np.int32]
    run: str = ""
    tag: str = ""

    def __len__(self) -> int:
        return len(self.step)

    def __iter__(self) -> Iterator[tuple[int, float, float]]:
        return zip(self.step.tolist(), self.wall_time.tolist(), self.value.tolist(), strict=True)

    def __repr__(self) -> str:
        last = f", last value {self.value[-1]:.6g}" if len(self) else ""
        return f"<Scalars {self.tag!r} of {self.run!r}: {describe_steps(self.step, 'point')}{last}>"

    def to_pandas(self) -> Any:
        """A pandas DataFrame with the columns step, wall_time, value and segment.

        >>> log["train"]["loss"].to_pandas().describe()
        """
        columns = {each.name: getattr(self, each.name) for each in fields(self)[:4]}
        return need("pandas", "to_pandas()").DataFrame(columns)

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw value over step with matplotlib, into `ax` or the current axes, and return the axes. `style` is Axes.plot's.

        >>> log["train"]["loss"].plot(color="black")
        """
        if ax is None:
            ax = need("matplotlib", "plot()", "matplotlib.pyplot").gca()
        ax.plot(self.step, self.value, **{"label": self.run, **style})
        ax.set_xlabel("step")
        ax.set_ylabel(self.tag)
        return ax


class Line(NamedTuple):
    """What a chart draws of one series, one number per point.

    >>> x, y = log.line("train", "loss")
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"<Line: {describe_x(self.x)}>"


@dataclass(frozen=True, slots=True, repr=False)
class Band:
    """Statistics over several runs, one row per x that any of them has.

    >>> band = log.band(["seed=1", "seed=2"], "loss")
    >>> band.x, band.center, band.low, band.high
    """

    x: NDArray[np.float64]
    # Runs that have a value at this x, logged or interpolated.
    count: NDArray[np.int32]
    center: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        runs = f" of up to {count(int(self.count.max()), 'run')}" if len(self) else ""
        return f"<Band{runs}: {describe_x(self.x)}>"


class Picture(Image, frozen=True):
    """An image of a log. The last line of a notebook's cell shows it; `to_numpy()` has its pixels.

    >>> picture = log["train"]["digits"].value[0][0]
    >>> picture.width, picture.height
    """

    def __repr__(self) -> str:
        return super().__repr__()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from base64 import b64encode

        shown = {"text/plain": repr(self)}
        if self.format in MEDIA_TYPES:
            shown[MEDIA_TYPES[self.format]] = b64encode(self.data).decode()
        return shown

    def to_numpy(self) -> NDArray[np.uint8]:
        """Its pixels, RGBA: an array of shape (height, width, 4). Formats other than PNG need Pillow; of a clip, the first frame.

        >>> picture.to_numpy()[:, :, 0].mean()
        """
        if self.format == "png":
            content = BytesContent("The picture", self.data)
            try:
                header = read_header(content)
                (pixels,) = read_rows(content, header, header.height)
            except EmbeddingDamaged as error:
                raise ValueDamaged(error.message) from error
            return np.ascontiguousarray(pixels)
        pillow = need("Pillow", f"to_numpy() of a {self.format} picture", "PIL.Image")
        from io import BytesIO

        try:
            return np.asarray(pillow.open(BytesIO(self.data)).convert("RGBA"))
        except OSError as error:
            raise ValueDamaged(f"Pillow cannot read this {self.format}: {error}.") from error

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.to_numpy().astype(dtype or np.uint8, copy=bool(copy))


class LazyValues(Sequence[Any]):
    """Decoded values of a series. Reads each from disk when you index it."""

    def __init__(self, source: DataSource, values: Values) -> None:
        self._source = source
        self._values = values

    def __len__(self) -> int:
        return len(self._values.step)

    def __repr__(self) -> str:
        return f"<{count(len(self), 'value')}, each read when you index it>"

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} of {len(self)} values")
        value = self._source.load_value(self._values, index % len(self))
        if isinstance(value, list):
            return [
                Picture(each.data, each.width, each.height, each.format) if type(each) is Image else each
                for each in value
            ]
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        return value


@dataclass(frozen=True, slots=True, repr=False)
class Series:
    """A series of any kind; `value[i]` is read and decoded when you index it. Iterating gives (step, wall_time, value).

    >>> weights = log["train"]["weights"]
    >>> weights.kind, weights.value[0]
    """

    kind: str
    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    segment: NDArray[np.int32]
    value: Sequence[Any]
    run: str = ""
    tag: str = ""

    def __len__(self) -> int:
        return len(self.step)

    def __iter__(self) -> Iterator[tuple[int, float, Any]]:
        return zip(self.step.tolist(), self.wall_time.tolist(), self.value, strict=True)

    def __repr__(self) -> str:
        return f"<Series {self.tag!r} of {self.run!r}: {self.kind}, {describe_steps(self.step, 'value')}>"


class Table:
    """Scalar points in long form, with columns run, tag, step, wall_time and value (and segment with attempts="all").

    >>> for run, tag, step, wall_time, value in log.table():
    ...     print(run, tag, step, value)
    """

    def __init__(self, source: DataSource, keys: list[SeriesKey], attempts: Attempts) -> None:
        self._series = source.read_columns(keys, attempts=attempts)
        self._has_segment = attempts == "all"

    def __len__(self) -> int:
        return sum(len(series.step) for series in self._series)

    def __repr__(self) -> str:
        return f"<Table: {count(len(self), 'row')} of {len(self._series):,} series>"

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """The columns by name.

        >>> log.table(tags="^loss$").to_numpy()["value"].mean()
        """
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
        """A pandas DataFrame; run and tag are categories.

        >>> log.table(tags="^loss$").to_pandas().groupby("run", observed=True).value.min()
        """
        pandas = need("pandas", "to_pandas()")
        columns = self.to_numpy()
        for name in ("run", "tag"):
            columns[name] = pandas.Categorical(columns[name])
        return pandas.DataFrame(columns)

    def to_polars(self) -> Any:
        """A polars DataFrame.

        >>> log.table(tags="^loss$").to_polars().head()
        """
        polars = need("polars", "to_polars()")
        columns = self.to_numpy()
        names = {
            name: polars.Series(name, columns.pop(name).tolist(), dtype=polars.String)
            for name in ("run", "tag")
        }
        return polars.DataFrame({**names, **columns})

    def to_arrow(self) -> Any:
        """A pyarrow Table; run and tag are dictionary-encoded.

        >>> log.table(tags="^loss$").to_arrow().schema
        """
        pyarrow = need("pyarrow", "to_arrow()")
        columns: dict[str, Any] = dict(self.to_numpy())
        for name in ("run", "tag"):
            columns[name] = pyarrow.array(columns[name].tolist(), pyarrow.string()).dictionary_encode()
        return pyarrow.table(columns)

    def to_csv(self, file: str | PathLike[str] | IO[str] | None = None) -> None:
        """Write CSV with full precision to a path or an open text file (standard output by default).

        >>> log.table(tags="^loss$").to_csv("loss.csv")
        """
        if file is None:
            self._write_csv(sys.stdout)
        elif isinstance(file, (str, PathLike)):
            with open(file, "w", newline="", encoding="utf-8") as opened:
                self._write_csv(opened)
        else:
            self._write_csv(file)

    def _write_csv(self, file: IO[str]) -> None:
        writer = csv_writer(file)
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


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, not to be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def describe_steps(step: NDArray[np.int64], thing: str) -> str:
    if not len(step):
        return f"no {thing}s"
    return f"{count(len(step), thing)}, steps {int(step.min()):,} to {int(step.max()):,}"


def describe_x(x: NDArray[np.float64]) -> str:
    return f"{count(len(x), 'point')}, x from {x[0]:,g} to {x[-1]:,g}" if len(x) else "no points"


def count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def need(package: str, call: str, module: str | None = None) -> Any:
    """A package that is not a dependency. Raises BadArgument with the command that installs it."""
    import importlib

    try:
        return importlib.import_module(module or package)
    except ImportError as error:
        raise BadArgument(f"{call} needs the {package} package: pip install {package}.") from error


def _join(arrays: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(arrays).astype(dtype, copy=False) if arrays else np.empty(0, dtype)
