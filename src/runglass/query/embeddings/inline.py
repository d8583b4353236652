"""A picture of an embedding for the cell of a notebook: the first two principal components of some of its rows, as SVG in HTML."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray

from runglass.query.embeddings.model import Embedding

# More points would make notebooks large; rows that follow each other are read at once.
MOST_POINTS = 2_000
BLOCK = 100
MOST_NUMBERS = 1_000_000
MISSING = "#808080"
WIDTH, HEIGHT, EDGE = 520, 360, 8
MOST_LEVELS = 10
MAX_TEXT = 40
# Read on white and on black.
COLORS = (
    *("#3b82d0", "#e0823d", "#3fa45b", "#d3524f", "#9268c8"),
    *("#8f6f5e", "#d873b3", "#8a8f98", "#a5a530", "#2fa8b5"),
)


def show_inline(embedding: Embedding, name: str) -> str:
    rows = pick_rows(embedding.rows, min(MOST_POINTS, max(BLOCK, MOST_NUMBERS // embedding.dimensions)))
    vectors = (
        np.concatenate([embedding.vectors(at[0], at[-1] + 1) for at in rows]) if rows else np.empty((0, 0))
    )
    numbers = [row for at in rows for row in at]
    places, share = project(vectors)
    texts, codes, levels = name_rows(embedding, numbers)
    shown = np.flatnonzero(np.isfinite(places).all(axis=1))
    low, high = places[shown].min(axis=0, initial=0.0), places[shown].max(axis=0, initial=0.0)
    size = np.where(high > low, high - low, 1.0)
    points = []
    for row in shown.tolist():
        part = (places[row] - low) / size
        x, y = EDGE + part[0] * (WIDTH - 2 * EDGE), HEIGHT - EDGE - part[1] * (HEIGHT - 2 * EDGE)
        color = COLORS[max(int(codes[row]), 0)] if not levels or codes[row] >= 0 else MISSING
        title = f"<title>{escape(texts[row][:MAX_TEXT])}</title>" if texts[row] else ""
        points.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}">{title}</circle>')
    legend = " ".join(
        f'<span style="color:{COLORS[number]}">●</span>&nbsp;{escape(level[:MAX_TEXT])}'
        for level, number in sorted(zip(levels, range(len(levels)), strict=True))
    )
    some = f"{len(shown):,} of {embedding.rows:,}" if len(shown) < embedding.rows else f"{embedding.rows:,}"
    note = f"{escape(name)}: {some} × {embedding.dimensions:,}, two components of PCA with {share:.0%} of the variance"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{escape(name)}"'
        f' fill-opacity="0.75">{"".join(points)}</svg><div>{legend}</div><div>{note}</div>'
    )


def pick_rows(count: int, most: int) -> list[range]:
    """All rows, or some from everywhere."""
    if count <= most:
        return [range(count)] if count else []
    starts = np.linspace(0, count - BLOCK, most // BLOCK).astype(int).tolist()
    return [range(start, start + BLOCK) for start in starts]


def project(vectors: NDArray[np.floating]) -> tuple[NDArray[np.float64], float]:
    """Places on the first two components, NaN for rows that are not finite; and their share of the variance."""
    places = np.full((len(vectors), 2), np.nan)
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.any():
        return places, 0.0
    centered = vectors[finite].astype(np.float64)
    centered -= centered.mean(axis=0)
    is_wide = centered.shape[1] > len(centered)
    # The smaller of both products has the same components; all singular vectors would take ten times as long.
    squares, vectors_of = np.linalg.eigh(centered @ centered.T if is_wide else centered.T @ centered)
    squares, first = np.maximum(squares[::-1], 0.0), vectors_of[:, :-3:-1]
    found = first * np.sqrt(squares[:2]) if is_wide else centered @ first
    places[finite] = 0.0
    places[finite, : found.shape[1]] = found
    total = float(squares.sum())
    return places, float(squares[:2].sum()) / total if total else 0.0


def name_rows(embedding: Embedding, rows: list[int]) -> tuple[list[str], NDArray[np.int32], list[str]]:
    """What rows are called; the category of each, -1 without; and the names of categories, of the first column with few."""
    columns = list(embedding.metadata.columns.values())
    few = next((column for column in columns if 1 < len(column.levels) <= MOST_LEVELS), None)
    named = few or next(iter(columns), None)
    if named is None:
        return [f"row {row:,}" for row in rows], np.full(len(rows), -1, np.int32), []
    codes = named.codes[rows]
    texts = [named.levels[code] if code >= 0 else "" for code in codes.tolist()]
    return texts, codes if few else np.full(len(rows), -1, np.int32), few.levels if few else []
