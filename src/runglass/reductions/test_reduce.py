import numpy as np
import pytest

import runglass
from runglass.errors import BadArgument
from runglass.reductions.clusters import find_clusters
from runglass.reductions.model import Reduction, Stopped
from runglass.reductions.quality import kept_neighbors, trustworthiness
from runglass.reductions.reduce import reduce

FEW = {"iterations": 300, "early_iterations": 100, "epochs": 100}


def groups(n=600, d=20, count=4, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % count
    return (rng.standard_normal((count, d))[codes] * 6 + rng.standard_normal((n, d))).astype(
        np.float32
    ), codes.astype(np.int32)


def separation(positions, codes):
    """How far the groups are apart, in widths of a group."""
    centres = np.array([positions[codes == code].mean(axis=0) for code in np.unique(codes)])
    width = max(float(positions[codes == code].std(axis=0).max()) for code in np.unique(codes))
    between = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    return float(between[~np.eye(len(centres), dtype=bool)].min()) / width


@pytest.mark.parametrize("method", ["tsne", "umap"])
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_groups_stay_together(method, dimensions):
    vectors, codes = groups()
    got = reduce(vectors, 600, 20, Reduction(method=method, dimensions=dimensions, **FEW))
    assert got.positions.shape == (600, dimensions)
    assert got.positions.dtype == np.float32
    assert got.iterations == (300 if method == "tsne" else 100)
    if dimensions > 1:
        assert separation(got.positions, codes) > 2
        assert trustworthiness(vectors, got.positions) > 0.9


@pytest.mark.parametrize("method", ["tsne", "umap"])
def test_a_seed_gives_the_same_picture_on_any_number_of_cores(method, monkeypatch):
    vectors, _ = groups()
    asked = Reduction(method=method, iterations=40, early_iterations=20, epochs=30, seed=5)
    once = reduce(vectors, 600, 20, asked).positions
    monkeypatch.setattr("runglass.reductions.threads.count_cores", lambda: 1)
    again = reduce(vectors, 600, 20, asked).positions
    if method == "umap":
        np.testing.assert_array_equal(once, again)
    else:
        # The sum of the kernel is added up in another order.
        np.testing.assert_allclose(once, again, atol=1e-2 * np.abs(once).max())


@pytest.mark.parametrize("method", ["tsne", "umap"])
@pytest.mark.parametrize(
    "vectors",
    [
        np.ones((1, 5)),
        np.ones((2, 5)),
        np.ones((60, 3)),
        np.arange(40.0).reshape(40, 1),
        np.vstack([np.zeros((30, 4)), np.eye(4)]),
        np.full((9, 3), 1e30) * np.arange(1, 10)[:, None],
        np.eye(9) * 1e-25,
    ],
)
def test_degenerate_vectors_have_finite_positions(method, vectors):
    for metric in ("cosine", "euclidean"):
        got = reduce(
            vectors,
            *vectors.shape,
            Reduction(method=method, metric=metric, perplexity=30, iterations=30, epochs=20),
        )
        assert got.positions.shape == (len(vectors), 2)
        assert np.isfinite(got.positions).all()


@pytest.mark.parametrize(
    ("asked", "notes"),
    [
        ({"method": "tsne"}, []),
        ({"method": "tsne", "perplexity": 6}, []),
        (
            {"method": "tsne", "perplexity": 50},
            ["A perplexity of 50 needs 151 rows. There are 20, so it is 6.33 here."],
        ),
        ({"method": "umap", "neighbors": 20}, []),
        (
            {"method": "umap", "neighbors": 30},
            ["30 neighbours are more than the 20 rows that there are, so each row has all others."],
        ),
    ],
)
def test_more_neighbours_than_there_are_rows(asked, notes):
    vectors, _ = groups(20)
    got = reduce(vectors, 20, 20, Reduction(**asked, iterations=5, early_iterations=2, epochs=5))
    assert list(got.notes) == notes
    assert np.isfinite(got.positions).all()


@pytest.mark.parametrize("method", ["pca", "tsne", "umap"])
def test_it_can_be_stopped_at_every_moment(method):
    vectors, _ = groups(200)
    asked = Reduction(method=method, iterations=6, early_iterations=3, epochs=6)
    calls = []
    reduce(vectors, 200, 20, asked, report=lambda *given: calls.append(given[0]))
    assert len(calls) > 3

    class Enough(Exception):
        pass

    for last in range(len(calls)):
        for how in ("raise", "flag"):
            flag = memoryview(bytearray(1))
            left = iter(range(last))

            def report(*given, how=how, flag=flag, left=left):
                if next(left, None) is None:
                    if how == "raise":
                        raise Enough
                    flag[0] = 1

            with pytest.raises(Enough if how == "raise" else Stopped):
                reduce(vectors, 200, 20, asked, report=report, flag=flag)


def test_the_first_picture_comes_before_neighbours_are_found():
    vectors, _ = groups()
    shown = []
    reduce(
        vectors,
        600,
        20,
        Reduction(method="umap", epochs=5),
        report=lambda phase, done, total, positions: shown.append((phase, positions is not None)),
    )
    first = next(place for place, (_, has_positions) in enumerate(shown) if has_positions)
    assert shown[first][0] == "Finding neighbours"
    assert ("Moving points", False) not in shown[:first]
    assert shown[-1] == ("Done", True)


@pytest.mark.parametrize("method", ["tsne", "umap"])
def test_going_on_keeps_what_stands(method):
    vectors, codes = groups()
    first = reduce(vectors, 600, 20, Reduction(method=method, **FEW)).positions
    asked = Reduction(method=method, iterations=30, epochs=20)
    later = reduce(vectors, 600, 20, asked, start=first).positions
    anew = reduce(vectors, 600, 20, asked).positions
    moved = [np.linalg.norm(each - first, axis=1).mean() / first.std() for each in (later, anew)]
    assert moved[0] < 0.6
    assert separation(later, codes) > 2
    shaken = reduce(
        vectors, 600, 20, Reduction(method=method, iterations=0, epochs=0, perturb=0.5), start=first
    ).positions
    assert 0.3 < np.linalg.norm(shaken - first, axis=1).mean() / first.std() < 1.5
    with pytest.raises(BadArgument, match="Positions to go on from"):
        reduce(vectors, 600, 20, asked, start=first[:5])


@pytest.mark.parametrize("method", ["tsne", "umap"])
def test_labels_draw_rows_together(method):
    vectors = np.random.default_rng(0).standard_normal((300, 10)).astype(np.float32)
    codes = (np.arange(300) % 2).astype(np.int32)
    codes[:30] = -1
    known = codes >= 0

    def apart(weight):
        asked = Reduction(method=method, supervise_weight=weight, **FEW)
        positions = reduce(vectors, 300, 10, asked, labels=codes).positions[known]
        near = np.argsort(((positions[:, None] - positions[None]) ** 2).sum(axis=2), axis=1)[:, 1:6]
        return float((codes[known][near] == codes[known][:, None]).mean())

    assert apart(0.0) < 0.65
    assert apart(0.95) > 0.85


def test_custom_axes():
    vectors, _ = groups(50, 6)
    axes = np.eye(6)[:2]
    got = reduce(vectors, 50, 6, Reduction(method="custom"), axes=axes)
    np.testing.assert_allclose(got.positions, (vectors - vectors.mean(axis=0))[:, :2], atol=1e-4)
    with pytest.raises(BadArgument, match="needs axes"):
        reduce(vectors, 50, 6, Reduction(method="custom"))


def test_large_vectors_are_laid_out_by_their_components(monkeypatch):
    vectors, codes = groups(400, 80)
    monkeypatch.setattr("runglass.reductions.reduce.MAX_BYTES", 1_000)
    got = reduce(lambda start, stop: vectors[start:stop], 400, 80, Reduction(method="umap", epochs=60))
    assert "first 48 principal components" in got.notes[0]
    assert separation(got.positions, codes) > 2


def test_project_takes_any_array():
    vectors, _ = groups(200)
    spoilt = vectors.astype(np.float64)
    spoilt[7, 3] = np.nan
    positions = runglass.project(spoilt, epochs=50, neighbors=10)
    assert positions.shape == (200, 2)
    assert np.flatnonzero(np.isnan(positions).any(axis=1)).tolist() == [7]
    assert runglass.project(vectors.tolist(), "pca", dimensions=5).shape == (200, 5)
    labels = np.array(["a", "b", None, "a"] * 50, dtype=object)
    assert runglass.project(vectors, "tsne", labels=labels, supervise_weight=0.5, iterations=20).shape == (
        200,
        2,
    )
    for wrong in (
        {"neighbours": 3},
        {"neighbors": "many"},
        {"method": "isomap"},
        {"labels": [1]},
        {"dimensions": 7},
    ):
        with pytest.raises(BadArgument):
            runglass.project(vectors, **wrong)  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="n × d numbers"):
        runglass.project(["a", "b"])


def test_clusters_are_hills_of_the_picture():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [10, 0], [0, 10]])
    codes = np.repeat([0, 1, 2], [500, 300, 100])
    positions = (centres[codes] + rng.standard_normal((900, 2)) * 0.7).astype(np.float32)
    found, middle = find_clusters(positions)
    inside = found >= 0
    assert inside.mean() > 0.9
    np.testing.assert_array_equal(found[inside], codes[inside])
    np.testing.assert_allclose(middle, centres, atol=0.4)
    in_space, _ = find_clusters(np.column_stack([positions, positions[:, 0]]))
    assert in_space.max() == 2
    for few in (np.zeros((1, 2)), np.full((5, 2), np.nan), np.zeros((0, 3)), np.zeros((40, 1))):
        assert len(find_clusters(few.astype(np.float32))[0]) == len(few)


def test_quality_tells_a_true_picture_from_a_random_one():
    rng = np.random.default_rng(0)
    flat = rng.standard_normal((300, 2)).astype(np.float32)
    vectors = flat @ np.linalg.qr(rng.standard_normal((8, 8)))[0][:2].astype(np.float32)
    assert trustworthiness(vectors, flat) == pytest.approx(1.0, abs=1e-3)
    assert kept_neighbors(vectors, flat) > 0.99
    random = rng.standard_normal((300, 2)).astype(np.float32)
    assert trustworthiness(vectors, random) == pytest.approx(0.5, abs=0.05)
    assert kept_neighbors(vectors, random) < 0.1
