"""One reduction as a job: finds out what is asked of which rows, streams positions while it runs. reductions/ computes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.api.blocks import decode_blocks, encode_blocks
from runglass.dashboards.projector.asking import decode_rows
from runglass.dashboards.projector.loaded import Loaded, identify, known_embeddings
from runglass.dashboards.projector.searching import find_rows
from runglass.dashboards.projector.shape import (
    AxisEnd,
    CustomAxes,
    Method,
    ReduceAnswer,
    ReduceBody,
    ReducePartial,
    Reducing,
    Supervise,
)
from runglass.errors import BadRequest
from runglass.jobs.context import Context, Encoded
from runglass.jobs.runner import Limits
from runglass.query.source import DataSource
from runglass.reductions.axes import find_direction
from runglass.reductions.matrix import Matrix, finite_rows
from runglass.reductions.model import Reduced, Reduction
from runglass.reductions.reduce import reduce

# Positions are sent as often as this, and large ones at no more than so many bytes a second.
PARTIAL_INTERVAL_S = 0.1
PARTIAL_BYTES_PER_S = 40e6
# Beside vectors and what grows with the number of points.
MEMORY_BYTES = 96 * 2**20
AXES = ("x", "y", "z")

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]


class Plan(Struct, frozen=True, kw_only=True):
    """What `compute` gets: everything is per row of `rows`, or of the embedding where that is None."""

    loaded: Loaded
    asked: Reduction
    rows: Int32 | None
    labels: Int32 | None
    ends: dict[str, tuple[Int32, Int32]]
    start: Float32 | None


# --- what is asked


def identify_reduction(source: DataSource, body: ReduceBody) -> Any:
    check_asked(body, body.axes)
    return identify(source, body.embedding)


def check_asked(asked: Reducing, axes: CustomAxes | None) -> None:
    decode_rows(asked.rows)
    if asked.method == "custom":
        if axes is None:
            raise BadRequest("A custom projection needs `axes`.", where="axes")
        missing = [name for name in AXES[: asked.dimensions] if getattr(axes, name) is None]
        if missing:
            raise BadRequest(
                f"A custom projection to {asked.dimensions} dimensions needs the axis {missing[0]}.",
                where="axes",
            )


def needed_jobs(body: ReduceBody) -> list[str]:
    return [] if body.start is None else [body.start]


def estimate_memory_bytes(source: DataSource, body: ReduceBody) -> int:
    """Raises BadRequest for what this machine has no room for, with what would fit."""
    loaded = known_embeddings.of(source).load(source, body.embedding)
    rows = decode_rows(body.rows)
    count = loaded.rows if rows is None else len(rows)
    return estimate(body, count, loaded.embedding.dimensions)


def estimate(asked: Reducing, count: int, dimensions: int) -> int:
    per_row = bytes_per_row(asked, dimensions)
    # The covariance of columns, or of rows where these are fewer, and what its eigenvectors take.
    fixed = MEMORY_BYTES + 24 * min(count, dimensions) ** 2 if asked.method == "pca" else MEMORY_BYTES
    needed = fixed + per_row * count
    limit = Limits().memory_bytes
    if needed > limit:
        fits = max(0, limit - fixed) // per_row
        raise BadRequest(
            f"{NAMES[asked.method]} of {count:,} × {dimensions:,} needs {needed / 2**30:.1f} GiB of memory; jobs may take"
            f" {limit / 2**30:.1f} GiB here. {fits:,} points would fit: isolate some of them, or use PCA, which reads the file in"
            " parts.",
            where="method",
        )
    return needed


NAMES: dict[Method, str] = {"pca": "PCA", "tsne": "t-SNE", "umap": "UMAP", "custom": "A custom projection"}


def bytes_per_row(asked: Reducing, dimensions: int) -> int:
    if asked.method in ("pca", "custom"):
        # Read in parts; its positions, and their encoded form.
        return 2 * 4 * 10
    neighbors = asked.neighbors if asked.method == "umap" else 3 * (asked.perplexity or 30)
    # Vectors, neighbours with distances in both directions, and positions with their gradients.
    return int(4 * dimensions + 40 * neighbors + 32 * asked.dimensions)


# --- inputs


def load_reduction(
    context: Context, source: DataSource, body: ReduceBody, needed: Sequence[Encoded]
) -> Iterator[Plan]:
    context.progress("Reading", 0)
    loaded = known_embeddings.of(source).load(source, body.embedding)
    yield make_plan(
        loaded,
        body,
        body.supervise,
        body.axes,
        start=needed[0].data if needed else None,
        perturb=body.perturb,
    )


def make_plan(
    loaded: Loaded,
    asked: Reducing,
    supervise: Supervise | None,
    axes: CustomAxes | None,
    *,
    start: bytes | None = None,
    perturb: float = 0.0,
) -> Plan:
    rows = decode_rows(asked.rows)
    if rows is not None:
        loaded.check_rows(rows)
    return Plan(
        loaded=loaded,
        asked=to_reduction(asked, supervise, perturb),
        rows=rows,
        labels=None if supervise is None else read_labels(loaded, supervise, rows),
        ends=find_ends(loaded, axes, asked.dimensions) if asked.method == "custom" and axes else {},
        start=None if start is None else read_start(start, loaded.rows, rows, asked.dimensions),
    )


def to_reduction(asked: Reducing, supervise: Supervise | None, perturb: float) -> Reduction:
    return Reduction(
        method=asked.method,
        dimensions=asked.dimensions,
        metric=asked.metric,
        prepare=asked.prepare,
        seed=asked.seed,
        perplexity=asked.perplexity,
        learning_rate=asked.learning_rate,
        early_exaggeration=asked.early_exaggeration,
        iterations=asked.iterations,
        neighbors=asked.neighbors,
        min_dist=asked.min_dist,
        epochs=asked.epochs,
        supervise_weight=0.0 if supervise is None else supervise.weight,
        perturb=perturb,
    )


def read_labels(loaded: Loaded, supervise: Supervise, rows: Int32 | None) -> Int32:
    column = loaded.column(supervise.column)
    codes = column.codes if rows is None else column.codes[rows]
    if supervise.ignored is not None and supervise.ignored in column.levels:
        codes = np.where(codes == column.levels.index(supervise.ignored), np.int32(-1), codes)
    return np.ascontiguousarray(codes, np.int32)


def find_ends(loaded: Loaded, axes: CustomAxes, dimensions: int) -> dict[str, tuple[Int32, Int32]]:
    ends = {}
    for name in AXES[:dimensions]:
        axis = getattr(axes, name)
        ends[name] = (
            find_end(loaded, axis.from_, f"axes.{name}.from"),
            find_end(loaded, axis.to, f"axes.{name}.to"),
        )
    return ends


def find_end(loaded: Loaded, end: AxisEnd, where: str) -> Int32:
    if end.rows is not None:
        rows = decode_rows(end.rows, where=where)
        assert rows is not None
        loaded.check_rows(rows, where=where)
        return rows
    if end.value is not None and end.column is not None:
        return find_rows(loaded, end.value, "exact", end.column)
    if end.q is None:
        raise BadRequest(f"`{where}` needs `q`, `rows`, or `column` and `value`.", where=where)
    return find_rows(loaded, end.q, end.mode, end.column)


def read_start(data: bytes, all_rows: int, rows: Int32 | None, dimensions: int) -> Float32:
    """Positions of another reduction for these rows; where it has none, its centre."""
    head, blocks = decode_blocks(data)
    known = blocks["positions"].reshape(-1, head["dimensions"])[:, :dimensions]
    placed = np.full((all_rows, dimensions), np.nan, np.float32)
    at = blocks.get("rows", np.arange(len(known)))
    if len(at) and int(at[-1]) >= all_rows:
        raise BadRequest("`start` is a reduction of other rows.", where="start")
    placed[at, : known.shape[1]] = known
    # A picture that gets a third dimension begins flat.
    placed[at, known.shape[1] :] = 0.0
    chosen = placed if rows is None else placed[rows]
    center = known.mean(axis=0) if len(known) else np.zeros(known.shape[1])
    missing = np.isnan(chosen).any(axis=1)
    chosen[missing] = 0.0
    chosen[missing, : len(center)] = center
    return np.ascontiguousarray(chosen)


# --- computing


def compute_reduction(context: Context, inputs: Iterator[Plan]) -> bytes:
    plan = next(inputs)
    sender = Sender(context, plan)
    reduced = run(context, plan, sender.report)
    rows = rows_in_file(plan, reduced)
    blocks: dict[str, NDArray[Any]] = {"positions": reduced.positions}
    if rows is not None:
        blocks["rows"] = rows
    if reduced.variance is not None:
        blocks["variance"] = reduced.variance
    count = len(reduced.positions)
    asked = plan.loaded.rows if plan.rows is None else len(plan.rows)
    head = ReduceAnswer(
        method=plan.asked.method,
        dimensions=reduced.positions.shape[1],
        count=count,
        iterations=reduced.iterations,
        seconds=reduced.seconds,
        left_out=asked - count,
        matches={name: (len(begin), len(end)) for name, (begin, end) in plan.ends.items()},
        notes=list(reduced.notes),
        problems=empty_ends(plan),
    )
    return encode_blocks(head, blocks)


def run(context: Context, plan: Plan, report: Any) -> Reduced:
    embedding = plan.loaded.embedding
    count, dimensions = embedding.rows, embedding.dimensions
    axes = find_directions(plan.loaded, plan.ends, plan.asked.seed) if plan.ends else None
    vectors: Any = embedding.vectors
    if plan.rows is not None:
        vectors = Matrix(embedding.vectors, count, dimensions, rows=plan.rows).load()
        count = len(plan.rows)
    return reduce(
        vectors,
        count,
        dimensions,
        plan.asked,
        labels=plan.labels,
        axes=axes,
        start=plan.start,
        report=report,
        flag=context.flag,
    )


def find_directions(
    loaded: Loaded, ends: Mapping[str, tuple[Int32, Int32]], seed: int
) -> NDArray[np.float64]:
    """One direction for each axis; a random one where an end has no points, as in TensorBoard."""
    embedding = loaded.embedding
    directions = []
    for place, (begin, end) in enumerate(ends.values()):
        if len(begin) and len(end):
            direction = find_direction(
                embedding.vectors, embedding.rows, embedding.dimensions, begin=begin, end=end
            )
        else:
            direction = np.random.default_rng([seed, place]).normal(size=embedding.dimensions)
            direction /= np.linalg.norm(direction)
        directions.append(direction)
    return np.stack(directions)


def rows_in_file(plan: Plan, reduced: Reduced) -> Int32 | None:
    """Which rows of the embedding have a position; None: all."""
    if plan.rows is None or reduced.rows is None:
        return reduced.rows if plan.rows is None else plan.rows
    return plan.rows[reduced.rows]


def empty_ends(plan: Plan) -> list[str]:
    return [
        f"No point matches the {side} end of the axis {name}, so its direction is a random one."
        for name, ends in plan.ends.items()
        for side, rows in zip(("first", "second"), ends, strict=True)
        if not len(rows)
    ]


class Sender:
    """Passes progress on to a job, and positions as often as they can be drawn."""

    def __init__(self, context: Context, plan: Plan) -> None:
        self._context = context
        self._plan = plan
        self._next_at = 0.0
        self._rows = plan.rows

    def report(self, phase: str, done: int, total: int | None, positions: Float32 | None, /) -> None:
        self._context.progress(phase, done, total)
        if positions is None or self._plan.asked.method in ("pca", "custom") or monotonic() < self._next_at:
            return
        loaded = self._plan.loaded
        if len(positions) != (loaded.rows if self._rows is None else len(self._rows)):
            embedding = loaded.embedding
            self._rows = finite_rows(
                Matrix(embedding.vectors, embedding.rows, embedding.dimensions, rows=self._plan.rows)
            )
            if self._plan.rows is not None and self._rows is not None:
                self._rows = self._plan.rows[self._rows]
        blocks: dict[str, NDArray[Any]] = {"positions": positions}
        if self._rows is not None:
            blocks["rows"] = self._rows
        head = ReducePartial(
            method=self._plan.asked.method,
            dimensions=positions.shape[1],
            count=len(positions),
            done=done,
            total=total,
        )
        self._context.partial(encode_blocks(head, blocks))
        self._next_at = monotonic() + max(PARTIAL_INTERVAL_S, positions.nbytes / PARTIAL_BYTES_PER_S)
