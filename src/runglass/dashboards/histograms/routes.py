"""The histogram routes: buckets exactly as they are stored or in other bins, for many series at once; and their ranking."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.api.answers import attachment, little_endian, number, numbers, pack_columns
from runglass.api.route import COLUMNS, CSV, JSON, Answer, Download, Later, Reply, Route
from runglass.dashboards.histograms.bins import Binned, bin_all, ends, totals
from runglass.dashboards.histograms.load import (
    Histograms,
    find_histograms,
    load_histograms,
    pick_even,
    pick_rows,
)
from runglass.dashboards.histograms.ranking import rank
from runglass.dashboards.histograms.shape import (
    HistogramAnswer,
    HistogramRef,
    HistogramSeries,
    Ranking,
    RankingBody,
    SeriesBody,
    StoredHistogram,
    StoredHistograms,
    Trouble,
    ValuesQuery,
)
from runglass.errors import BadRequest, ValueDamaged
from runglass.query.source import DataSource, Int64, Values
from runglass.store.model import Kind, SeriesKey

# Values that are read and written at once while a file is sent.
PIECE = 200
MAX_JSON_VALUES = 20_000


def read_series(source: DataSource, body: SeriesBody) -> Reply:
    """Histograms of many series, as stored or in bins of their own choice."""
    _check(body)
    return Later(lambda: _series_answer(source, body))


def _check(body: SeriesBody) -> None:
    if body.edges is not None and body.bins is not None:
        raise BadRequest("Give `bins` or `edges`, not both.", where="edges")
    if body.edges is not None and any(a > b for a, b in zip(body.edges, body.edges[1:], strict=False)):
        raise BadRequest("`edges` must ascend.", where="edges")
    if body.x_range is not None:
        low, high = body.x_range
        if not low < high or (body.x_scale == "log" and low <= 0):
            raise BadRequest(
                f"x_range is {[low, high]}; it must ascend, and be above 0 on a log axis.", where="x_range"
            )


def _series_answer(source: DataSource, body: SeriesBody) -> Answer | HistogramAnswer:
    generation = source.generation
    found = [each for ref in body.series if (each := _load(source, ref, body.max_steps)) is not None]
    binned = bin_all(found, body)
    if body.format == "columns":
        return _encode_columns(generation, found, binned)
    return HistogramAnswer(generation, [_plain(*pair) for pair in zip(found, binned, strict=True)])


def _load(source: DataSource, ref: HistogramRef, max_steps: int) -> Histograms | None:
    values = find_histograms(source, SeriesKey(ref.run, ref.tag))
    if values is None:
        return None
    indices = pick_even(values, max_steps, ref.keep) if ref.rows is None else pick_rows(values, ref.rows)
    return load_histograms(source, values, indices)


def _plain(found: Histograms, binned: Binned | None) -> HistogramSeries:
    low, high = ends(found)
    in_bins: dict[str, Any] = {}
    if binned is None:
        in_bins["buckets"] = [found.of(at).tolist() for at in range(len(found.step))]
    else:
        in_bins["edges"] = binned.edges.tolist()
        in_bins["counts"] = binned.counts.tolist()
        in_bins["below"] = binned.below.tolist()
        in_bins["above"] = binned.above.tolist()
    return HistogramSeries(
        run=found.key.run,
        tag=found.key.tag,
        generation=found.generation,
        values=found.values,
        row=found.row.tolist(),
        step=found.step.tolist(),
        wall_time=numbers(found.wall_time),
        total=totals(found).tolist(),
        nan=found.nan.tolist(),
        neg_inf=found.neg_inf.tolist(),
        pos_inf=found.pos_inf.tolist(),
        low=numbers(low),
        high=numbers(high),
        problems=[Trouble(at, message) for at, message in found.problems.items()],
        **in_bins,
    )


def _encode_columns(generation: int, found: list[Histograms], binned: list[Binned | None]) -> Answer:
    """Per series: row as uint32; step, wall time, total, NaN, -Inf, +Inf, low and high as float64; then, with `bins`, edges,
    counts step by step, below and above; without, the number of buckets of each step as uint32, and their left, right and count."""
    heads, blocks = [], list[NDArray[Any]]()
    for each, bins in zip(found, binned, strict=True):
        blocks += [each.row.astype(np.uint32), each.step.astype(np.float64), each.wall_time, totals(each)]
        blocks += [each.nan, each.neg_inf, each.pos_inf, *ends(each)]
        if bins is None:
            blocks.append(np.bincount(each.owner, minlength=len(each.step)).astype(np.uint32))
            blocks += list(each.buckets.T)
        else:
            blocks += [bins.edges, bins.counts, bins.below, bins.above]
        heads.append(
            {
                "run": each.key.run,
                "tag": each.key.tag,
                "generation": each.generation,
                "values": each.values,
                "count": len(each.step),
                "bins": None if bins is None else len(bins.edges) - 1,
                "buckets": len(each.buckets),
                "problems": [{"at": at, "message": message} for at, message in each.problems.items()],
            }
        )
    head = {"version": 1, "generation": generation, "series": heads}
    return Answer(pack_columns(head, [little_endian(block) for block in blocks]), COLUMNS)


def read_stored(source: DataSource, query: ValuesQuery) -> Reply:
    """Every histogram of a series exactly as it is in the file, damaged or not."""
    values = source.read_values(SeriesKey(query.run, query.tag), kind=Kind.HISTOGRAM)
    inside = np.ones(len(values.step), np.bool_)
    if query.from_step is not None:
        inside &= values.step >= query.from_step
    if query.to_step is not None:
        inside &= values.step <= query.to_step
    indices = np.flatnonzero(inside)
    if query.format == "csv":
        name = attachment(f"{query.run}_{query.tag}.csv")
        return Download(_csv_pieces(source, values, indices), CSV, (name,))
    if len(indices) > MAX_JSON_VALUES:
        raise BadRequest(
            f"{len(indices):,} histograms are too many for one JSON answer (at most {MAX_JSON_VALUES:,}). Ask for a range with "
            "from_step and to_step, or for format=csv.",
            where="format",
        )
    return Later(lambda: _stored_answer(source, query, values, indices))


def _stored_answer(
    source: DataSource, query: ValuesQuery, values: Values, indices: Int64
) -> StoredHistograms:
    listed = []
    for index, value in zip(indices.tolist(), source.load_values(values, indices.tolist()), strict=True):
        step, wall_time = int(values.step[index]), number(values.wall_time[index])
        if isinstance(value, ValueDamaged):
            listed.append(StoredHistogram(step, wall_time, None, value.message))
        elif not _is_table(value):
            found = (
                f"A tensor of shape {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__
            )
            listed.append(
                StoredHistogram(step, wall_time, None, f"{found}, expected rows of left, right and count.")
            )
        else:
            rows = [tuple(map(number, row)) for row in value.tolist()]
            listed.append(StoredHistogram(step, wall_time, rows))  # type: ignore[arg-type]
    return StoredHistograms(query.run, query.tag, values.generation, listed)


def _is_table(value: object) -> bool:
    """A tag may change what it holds."""
    return (
        isinstance(value, np.ndarray)
        and value.ndim == 2
        and value.shape[1] == 3
        and value.dtype.kind in "fiu"
    )


def _csv_pieces(source: DataSource, values: Values, indices: Int64) -> Iterator[bytes]:
    yield b"step,wall_time,left,right,count\n"
    for start in range(0, len(indices), PIECE):
        here = indices[start : start + PIECE].tolist()
        rows = []
        for index, value in zip(here, source.load_values(values, here), strict=True):
            moment = f"{int(values.step[index])},{float(values.wall_time[index])!r}"
            if not _is_table(value):
                # A step without a bucket, so that the file says that something is missing.
                rows.append(f"{moment},,,\n")
                continue
            rows += [f"{moment},{left!r},{right!r},{count!r}\n" for left, right, count in value.tolist()]
        yield "".join(rows).encode()


def read_ranking(source: DataSource, body: RankingBody) -> Reply:
    """Series by how much their histogram moved, with their share of zeros and their saturation."""
    if (body.by == "run") != (body.other_run is not None):
        raise BadRequest("`other_run` goes with by=run, and only with it.", where="other_run")
    return Later(lambda: rank(source, body))


ROUTES = (
    Route(
        "/api/histograms/series", read_series, HistogramAnswer, body=SeriesBody, media_types=(JSON, COLUMNS)
    ),
    Route(
        "/api/histograms/values", read_stored, StoredHistograms, query=ValuesQuery, media_types=(JSON, CSV)
    ),
    Route("/api/histograms/ranking", read_ranking, Ranking, body=RankingBody),
)
