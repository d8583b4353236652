import numpy as np
import pytest

from runglass.errors import BadArgument
from runglass.reductions import pca
from runglass.reductions.matrix import Matrix
from runglass.reductions.model import Reduction, Stopped
from runglass.reductions.reduce import reduce


def sample(n, d, seed=0):
    rng = np.random.default_rng(seed)
    mixed = rng.standard_normal((n, d)) * np.geomspace(5, 0.05, d) @ rng.standard_normal((d, d))
    return (mixed + 20).astype(np.float32)


def by_svd(vectors, count):
    centred = vectors.astype(np.float64) - vectors.astype(np.float64).mean(axis=0)
    left, lengths, _ = np.linalg.svd(centred, full_matrices=False)
    return (left * lengths)[:, :count], (lengths**2 / (lengths**2).sum())[:count]


@pytest.mark.parametrize("shape", [(400, 30), (30, 200), (12, 12), (300, 4)])
@pytest.mark.parametrize("way", ["all", "krylov", "streamed"])
def test_components_equal_those_of_a_singular_value_decomposition(shape, way, monkeypatch):
    if way == "krylov":
        monkeypatch.setattr(pca, "MAX_ALL", 8)
    if way == "streamed":
        monkeypatch.setattr(pca, "MAX_SQUARE", 3)
    monkeypatch.setattr(Matrix, "block_rows", lambda self: 37)
    monkeypatch.setattr(pca, "PART_ROWS", 10)
    vectors = sample(*shape)
    found = reduce(lambda start, stop: vectors[start:stop], *shape, Reduction())
    positions, variance = by_svd(vectors, 10)
    count = min(10, *shape)
    assert found.positions.shape == (shape[0], count)
    assert found.rows is None
    np.testing.assert_allclose(found.variance, variance[:count], atol=2e-6)
    scale = np.abs(positions).max()
    for column in range(min(count, 4)):
        wanted = positions[:, column] * np.sign(positions[:, column] @ found.positions[:, column])
        np.testing.assert_allclose(found.positions[:, column] / scale, wanted / scale, atol=2e-4)


def test_rows_that_are_not_finite_are_left_out_and_counted():
    vectors = sample(50, 6)
    spoilt = vectors.copy()
    spoilt[3, 2], spoilt[40, 0] = np.nan, -np.inf
    found = reduce(spoilt, 50, 6, Reduction())
    kept = np.delete(np.arange(50), [3, 40])
    np.testing.assert_array_equal(found.rows, kept)
    np.testing.assert_array_equal(found.positions, reduce(vectors[kept], 48, 6, Reduction()).positions)
    assert found.notes == ("2 of 50 rows have NaN or infinite numbers and are left out.",)
    with pytest.raises(BadArgument, match="None of the 50 rows"):
        reduce(np.full((50, 6), np.nan), 50, 6, Reduction())


@pytest.mark.parametrize("prepare", ["none", "centre", "unit", "spherize", "whiten"])
@pytest.mark.parametrize(
    "vectors", [np.ones((1, 5)), np.ones((4, 3)), np.arange(6.0).reshape(6, 1), np.eye(2)]
)
def test_degenerate_vectors_have_finite_positions(vectors, prepare):
    found = reduce(vectors, *vectors.shape, Reduction(prepare=prepare))
    assert found.positions.shape[0] == len(vectors)
    assert np.isfinite(found.positions).all()
    assert np.isfinite(found.variance).all()


def test_prepared_vectors():
    vectors = sample(200, 5)
    whitened = reduce(vectors, 200, 5, Reduction(prepare="whiten"))
    np.testing.assert_allclose(whitened.variance, 0.2, atol=1e-3)
    spherized = vectors - vectors.mean(axis=0, dtype=np.float64)
    spherized /= np.linalg.norm(spherized, axis=1, keepdims=True)
    np.testing.assert_allclose(
        reduce(vectors, 200, 5, Reduction(prepare="spherize")).variance, by_svd(spherized, 5)[1], atol=1e-5
    )


def test_a_set_flag_stops_it():
    with pytest.raises(Stopped):
        reduce(sample(10, 3), 10, 3, Reduction(), flag=memoryview(bytearray(b"\x01")))


def test_what_makes_no_sense_is_refused():
    for asked in (Reduction(dimensions=4), Reduction(perplexity=0.5), Reduction(method="isomap")):  # type: ignore[arg-type]
        with pytest.raises(BadArgument):
            reduce(sample(10, 3), 10, 3, asked)
    with pytest.raises(BadArgument, match="nothing to reduce"):
        reduce(np.zeros((0, 3)), 0, 3, Reduction())
