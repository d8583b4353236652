import numpy as np
import pytest

from runglass.errors import BadArgument
from runglass.reductions.align import align
from runglass.reductions.axes import find_direction
from runglass.reductions.movement import measure_movement, share_kept


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_turned_picture_is_laid_over_the_first(dimensions):
    rng = np.random.default_rng(dimensions)
    first = rng.standard_normal((80, dimensions)).astype(np.float32)
    turned = np.linalg.qr(rng.standard_normal((dimensions, dimensions)))[0]
    later = (first @ turned * 7 + 30).astype(np.float32)
    np.testing.assert_allclose(align(later, first), first, atol=1e-4)
    unscaled = align(later, first, can_scale=False)
    np.testing.assert_allclose(unscaled - unscaled.mean(axis=0), 7 * (first - first.mean(axis=0)), atol=1e-3)
    # Only some rows are compared, and rows without a position do not count.
    later[5], later[70] = 1e4, np.nan
    laid = align(later, first, rows=np.delete(np.arange(80), 5))
    np.testing.assert_allclose(np.delete(laid, [5, 70], axis=0), np.delete(first, [5, 70], axis=0), atol=1e-4)
    with pytest.raises(BadArgument):
        align(later, first[:3])
    alone = np.zeros((1, dimensions), np.float32)
    np.testing.assert_array_equal(align(alone + 3, alone), alone)


def test_movement_is_the_way_of_each_point():
    square = np.array([[0, 0], [2, 0], [0, 2], [2, 2]], np.float32)
    second = square.copy()
    second[0] = [3, 4]
    third = square.copy()
    third[1] = np.nan
    found = measure_movement([square, second, third])
    extent = np.sqrt(((third[[0, 2, 3]] - third[[0, 2, 3]].mean(axis=0)) ** 2).sum(axis=1).mean())
    np.testing.assert_allclose(found.per_step, np.array([5 / 4, 5 / 3]) / extent, rtol=1e-6)
    np.testing.assert_allclose(found.per_point, np.array([10, 0, 0, 0]) / extent, rtol=1e-6)


def test_neighbours_that_were_kept():
    earlier = np.array([[1, 2, 3], [0, 2, 3], [0, 1, -1]])
    later = np.array([[3, 2, 1], [4, 5, 6], [1, 5, 6]])
    np.testing.assert_allclose(share_kept(earlier, later), [1, 0, 0.5])


def test_an_axis_leads_from_one_centre_to_the_other():
    vectors = np.array([[0, 0], [0, 2], [4, 1], [np.nan, 1]], np.float32)
    found = find_direction(vectors, 4, 2, begin=np.array([0, 1, 3]), end=np.array([2]))
    np.testing.assert_allclose(found, [1, 0])
    for begin, end in (([0], [0]), ([], [1]), ([0], [9]), ([3], [0])):
        with pytest.raises(BadArgument):
            find_direction(vectors, 4, 2, begin=np.array(begin, int), end=np.array(end, int))
