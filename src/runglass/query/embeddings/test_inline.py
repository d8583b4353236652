from __future__ import annotations

import re

import numpy as np
import pytest

from runglass.query.embeddings.inline import MOST_POINTS, project, show_inline
from runglass.query.embeddings.model import Column, Embedding, Metadata
from runglass.query.embeddings.read import read_file


def embedding_of(vectors, labels=None) -> Embedding:
    text = "".join("\t".join(map(str, row)) + "\n" for row in np.asarray(vectors).tolist())
    read = read_file("vectors.tsv", text.encode())
    columns = {} if labels is None else {"label": Column.of("label", labels)}
    return Embedding(read._matrix, metadata=lambda _: Metadata(columns))


def places(html: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', html)]


def test_points_stand_on_their_components_in_the_colours_of_their_categories():
    vectors = [[0, 0, 0], [10, 0, 0], [10, 1, 0], [0, 1, 0], [float("nan"), 0, 0]]
    html = show_inline(embedding_of(vectors, ["<a>", "b", "b", None, "b"]), "words & more")
    shown = places(html)
    assert len(shown) == 4
    # The longer side of the rectangle is the first component.
    assert abs(shown[0][0] - shown[1][0]) == pytest.approx(504, abs=0.2)
    assert shown[0][0] == pytest.approx(shown[3][0], abs=0.2)
    assert "words &amp; more: 4 of 5 × 3, two components of PCA with 100% of the variance" in html
    assert "<title>&lt;a&gt;</title>" in html
    assert "<a>" not in html
    assert len(re.findall('fill="#e0823d"', html)) == 2
    assert len(re.findall('fill="#808080"', html)) == 1


@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (2, 2)])
def test_small_ones_are_shown(shape):
    assert len(places(show_inline(embedding_of(np.ones(shape)), "small"))) == shape[0]


def test_of_many_rows_some_from_everywhere_are_shown():
    count = MOST_POINTS + 500
    html = show_inline(embedding_of(np.arange(count)[:, None] * [1.0, 2.0]), "many")
    assert len(places(html)) == MOST_POINTS
    assert f"{MOST_POINTS:,} of {count:,} × 2" in html
    assert f"<title>row {count - 1:,}</title>" in html


@pytest.mark.parametrize("shape", [(40, 7), (7, 40)])
def test_components_are_those_of_the_singular_values(shape):
    vectors = np.random.default_rng(3).normal(size=shape)
    found, share = project(vectors)
    left, values, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    assert np.abs(found) == pytest.approx(np.abs(left[:, :2] * values[:2]), abs=1e-9)
    assert share == pytest.approx((values[:2] ** 2).sum() / (values**2).sum())
