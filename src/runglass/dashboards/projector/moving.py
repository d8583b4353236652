"""All steps of an embedding as one movie, as a job: aligned positions, how far points moved, which neighbours they kept.

PCA and custom axes have one basis for all steps. Other methods begin with the last step, whose picture is the one that people know,
and go back from there: each step starts from the positions of the one after it and is laid over them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from runglass.api.blocks import encode_blocks
from runglass.dashboards.projector.asking import decode_rows
from runglass.dashboards.projector.loaded import Loaded, known_embeddings
from runglass.dashboards.projector.reducing import (
    check_asked,
    estimate,
    find_directions,
    find_ends,
    read_labels,
    to_reduction,
)
from runglass.dashboards.projector.shape import EmbeddingRef, MovieAnswer, MovieBody, MoviePartial
from runglass.errors import BadRequest
from runglass.jobs.context import Context
from runglass.query.embeddings.model import Embedding
from runglass.query.source import DataSource
from runglass.reductions.align import align
from runglass.reductions.matrix import Matrix, finite_rows
from runglass.reductions.model import Follow, Reduction
from runglass.reductions.movement import measure_movement, share_kept
from runglass.reductions.neighbors import neighbors_of_all
from runglass.reductions.reduce import reduce

# From positions of another step it is not far.
WARM_SHARE = 3
WARM_EARLY_ITERATIONS = 30
UMAP_EPOCHS = 200
STREAMED_BYTES = 128 << 20

Float32 = NDArray[np.float32]
Int32 = NDArray[np.int32]


class Movie(Struct, frozen=True, kw_only=True):
    """What `compute` gets first; after it come the steps, the last first."""

    asked: Reduction
    steps: list[int]
    # Of the picture, and of PCA which components these are.
    dimensions: int
    components: list[int]
    # Rows that every step has, and which of them are wanted.
    count: int
    rows: Int32 | None
    labels: Int32 | None
    axes: NDArray[np.float64] | None
    neighbors: int
    problems: list[str]
    loads: list[Any]


def identify_steps(source: DataSource, body: MovieBody) -> Any:
    check_asked(body, body.axes)
    components_of(body)
    reader = known_embeddings.of(source)
    _, steps = reader.find_steps(source, body.run, body.name)
    return [reader.identify(source, EmbeddingRef(body.run, body.name, step)) for step in steps]


def components_of(body: MovieBody) -> list[int]:
    if body.method != "pca":
        return list(range(body.dimensions))
    chosen = list(range(body.dimensions)) if body.components is None else body.components
    if len(chosen) != body.dimensions:
        raise BadRequest(
            f"`components` has {len(chosen)} numbers for a picture of {body.dimensions} dimensions.",
            where="components",
        )
    return chosen


def estimate_steps_bytes(source: DataSource, body: MovieBody) -> int:
    reader = known_embeddings.of(source)
    _, steps = reader.find_steps(source, body.run, body.name)
    loaded = reader.load(source, EmbeddingRef(body.run, body.name, steps[-1]))
    rows = decode_rows(body.rows)
    count = loaded.rows if rows is None else len(rows)
    dimensions = loaded.embedding.dimensions
    # Positions of all steps twice, and neighbours of two of them with the vectors.
    movie = 8 * len(steps) * count * body.dimensions + count * (8 * dimensions + 16 * body.neighbors_kept)
    return estimate(body, count, dimensions) + movie


def load_steps(context: Context, source: DataSource, body: MovieBody) -> Iterator[Movie]:
    reader = known_embeddings.of(source)
    _, steps = reader.find_steps(source, body.run, body.name)
    context.progress("Reading", 0, len(steps))
    last = reader.load(source, EmbeddingRef(body.run, body.name, steps[-1]))
    problems = []
    fitting, counts = [], []
    for place, step in enumerate(steps):
        context.progress("Reading", place, len(steps))
        loaded = reader.load(source, EmbeddingRef(body.run, body.name, step))
        if loaded.embedding.dimensions == last.embedding.dimensions:
            fitting.append(step)
            counts.append(loaded.rows)
        else:
            problems.append(
                f"Step {step:,} has {loaded.embedding.dimensions:,} dimensions, not {last.embedding.dimensions:,}, so it is left out."
            )
    count = min(counts)
    if max(counts) > count:
        problems.append(
            f"Steps have {count:,} to {max(counts):,} rows; only the first {count:,} are in all of them and shown."
        )
    rows = decode_rows(body.rows)
    if rows is not None:
        last.check_rows(rows)
        rows = rows[rows < count]
        if not len(rows):
            raise BadRequest("None of these rows is in all steps.", where="rows")
    ends = find_ends(last, body.axes, body.dimensions) if body.method == "custom" and body.axes else {}
    labels = None
    if body.supervise is not None:
        labels = read_labels(last, body.supervise, rows)[: count if rows is None else len(rows)]

    def load(step: int) -> Loaded:
        return reader.load(source, EmbeddingRef(body.run, body.name, step))

    yield Movie(
        asked=to_reduction(body, body.supervise, 0.0),
        steps=fitting,
        dimensions=body.dimensions,
        components=components_of(body),
        count=count,
        rows=rows,
        labels=labels,
        axes=find_directions(last, ends, body.seed) if ends else None,
        neighbors=body.neighbors_kept,
        problems=problems,
        loads=[(lambda step=step: load(step)) for step in fitting],
    )


def compute_steps(context: Context, inputs: Iterator[Movie]) -> bytes:
    movie = next(inputs)
    started = perf_counter()
    method = movie.asked.method
    shown = movie.count if movie.rows is None else len(movie.rows)
    positions = np.full((len(movie.steps), shown, movie.dimensions), np.nan, np.float32)
    if method in ("pca", "custom"):
        notes = project_together(context, movie, positions)
    else:
        notes = project_backwards(context, movie, positions)
    kept, changed = follow_neighbors(context, movie, shown)
    movement = measure_movement(list(positions))
    blocks: dict[str, NDArray[Any]] = {"positions": positions}
    if movie.rows is not None or shown < movie.loads[-1]().rows:
        blocks["rows"] = np.arange(shown, dtype=np.int32) if movie.rows is None else movie.rows
    blocks["movement"] = np.concatenate(([0.0], movement.per_step))
    blocks["moved"] = movement.per_point
    blocks["changed"] = changed
    blocks["kept"] = kept
    head = MovieAnswer(
        method=method,
        dimensions=movie.dimensions,
        count=shown,
        steps=movie.steps,
        seconds=perf_counter() - started,
        left_out=int(np.count_nonzero(np.isnan(positions).any(axis=(0, 2)))),
        notes=list(dict.fromkeys(notes)),
        problems=movie.problems,
    )
    return encode_blocks(head, blocks)


def project_together(context: Context, movie: Movie, positions: Float32) -> Sequence[str]:
    """One basis for all steps: their rows one below the other."""
    size = movie.count if movie.rows is None else len(movie.rows)
    dimensions = movie.loads[-1]().embedding.dimensions

    def read(start: int, stop: int) -> Float32:
        parts = []
        while start < stop:
            step, first = divmod(start, size)
            last = min(size, first + stop - start)
            parts.append(read_rows(movie, step, first, last))
            start += last - first
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    reduced = reduce(
        read,
        size * len(movie.steps),
        dimensions,
        movie.asked,
        axes=movie.axes,
        report=lambda phase, done, total, _: context.progress(phase, done, total),
        flag=context.flag,
    )
    found = reduced.positions
    width = min(movie.dimensions, found.shape[1])
    chosen = [each for each in movie.components if each < found.shape[1]]
    flat = positions.reshape(-1, movie.dimensions)
    at = slice(None) if reduced.rows is None else reduced.rows
    flat[at] = 0.0
    flat[at, : len(chosen)] = found[:, chosen] if movie.asked.method == "pca" else found[:, :width]
    for place in range(len(movie.steps)):
        send(context, movie, place, positions[place])
    return reduced.notes


def read_rows(movie: Movie, step: int, first: int, last: int) -> Float32:
    embedding: Embedding = movie.loads[step]().embedding
    if movie.rows is None:
        return embedding.vectors(first, last)
    wanted = movie.rows[first:last]
    block = embedding.vectors(int(wanted[0]), int(wanted[-1]) + 1)
    chosen: Float32 = block[wanted - wanted[0]]
    return chosen


def project_backwards(context: Context, movie: Movie, positions: Float32) -> Sequence[str]:
    notes: list[str] = []
    total = len(movie.steps)
    size = positions.shape[1]
    for place in reversed(range(total)):
        following = None if place == total - 1 else positions[place + 1]
        asked = movie.asked if following is None else warm(movie.asked)
        start = None if following is None else np.nan_to_num(following)
        done = total - 1 - place

        def report(phase: str, at: int, of: int | None, _: Float32 | None, /, done: int = done) -> None:
            share = int(100 * at / of) if of else 0
            context.progress(f"Step {done + 1} of {total}", 100 * done + share, 100 * total)

        reduced = reduce(
            read_rows(movie, place, 0, size),
            size,
            movie.loads[place]().embedding.dimensions,
            asked,
            labels=movie.labels,
            start=start,
            report=report,
            flag=context.flag,
        )
        found = np.full((size, movie.dimensions), np.nan, np.float32)
        found[slice(None) if reduced.rows is None else reduced.rows] = reduced.positions
        positions[place] = found if following is None else align(found, following)
        notes += reduced.notes
        send(context, movie, place, positions[place])
    return notes


def warm(asked: Reduction) -> Reduction:
    return replace(
        asked,
        iterations=max(50, asked.iterations // WARM_SHARE),
        early_iterations=WARM_EARLY_ITERATIONS,
        epochs=max(30, (asked.epochs or UMAP_EPOCHS) // WARM_SHARE),
    )


def follow_neighbors(context: Context, movie: Movie, shown: int) -> tuple[NDArray[np.float64], Float32]:
    """Which part of the neighbours is kept, per step; and per point, which part changes from a step to the next."""
    kept = np.ones(len(movie.steps))
    changed = np.zeros(shown, np.float32)
    before: Int32 | None = None
    for place in range(len(movie.steps)):
        context.progress("Comparing neighbours", place, len(movie.steps))
        now = neighbors_at(context, movie, place, shown)
        if before is not None:
            shares = share_kept(before, now)
            kept[place] = float(shares.mean()) if shown else 1.0
            changed += 1 - shares
        before = now
    return kept, changed / np.float32(max(1, len(movie.steps) - 1))


def neighbors_at(context: Context, movie: Movie, place: int, shown: int) -> Int32:
    """Rows of the nearest points of every point; -1 where there are none."""
    vectors = read_rows(movie, place, 0, shown)
    known = finite_rows(Matrix(vectors, shown, vectors.shape[1]))
    width = min(movie.neighbors, shown - 1)
    found = np.full((shown, width), -1, np.int32)
    if known is not None:
        vectors = vectors[known]
    if len(vectors) < 2:
        return found
    follow = Follow(lambda *_: context.check(), context.flag)
    rows, _ = neighbors_of_all(vectors, width, movie.asked.metric, seed=movie.asked.seed, follow=follow)
    at: Any = slice(None) if known is None else known
    found[at, : rows.shape[1]] = rows if known is None else known[rows]
    return found


def send(context: Context, movie: Movie, place: int, positions: Float32) -> None:
    # A job may hold only so much of what it has streamed; a large movie comes as a whole.
    if positions.nbytes * len(movie.steps) > STREAMED_BYTES:
        return
    head = MoviePartial(
        method=movie.asked.method,
        dimensions=movie.dimensions,
        count=len(positions),
        step_index=place,
        steps=movie.steps,
    )
    blocks: dict[str, NDArray[Any]] = {"positions": positions}
    if movie.rows is not None:
        blocks["rows"] = movie.rows
    context.partial(encode_blocks(head, blocks))
