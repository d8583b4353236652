"""Every function of native/reduce equals a plain Python oracle that is written to be read, not to be fast."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runglass.native import reduce, smooth, statistics


def examples(count):
    # No deadline: how long an example takes says more about the machine than about the code.
    return settings(max_examples=count, deadline=None)


TINY = [5e-324, -5e-324, 2.0**-1022, 1e-45, -1e-45]
ODD = [math.nan, math.inf, -math.inf]
finite = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, *TINY]),
    st.floats(-1e6, 1e6),
    st.floats(-1e300, 1e300),
)
values = st.lists(st.one_of(finite, finite, st.sampled_from(ODD)), max_size=60)
dtypes = st.sampled_from([np.float32, np.float64])
steps = st.one_of(st.integers(0, 20), st.integers(2**53 - 5, 2**53 + 5), st.integers(-(2**63), 2**63 - 1))
xs_any = st.one_of(steps.map(float), finite, st.sampled_from(ODD))


@st.composite
def points(draw, x=xs_any):
    y = draw(values)
    x = draw(st.lists(x, min_size=len(y), max_size=len(y)))
    if draw(st.booleans()):
        x.sort(key=lambda v: (math.isnan(v), v))
    return np.array(x, dtype=np.float64), as_array(y, draw(dtypes))


def as_array(numbers, dtype):
    with np.errstate(over="ignore"):
        return np.array(numbers, dtype=np.float64).astype(dtype)


def assert_same_bits(found, expected):
    expected = np.array(expected, dtype=np.float64)
    assert found.dtype == np.float64
    assert found.shape == expected.shape
    is_nan = np.isnan(expected)
    assert np.array_equal(np.isnan(found), is_nan)
    assert found[~is_nan].tobytes() == expected[~is_nan].tobytes()


# --- smoothing ---


def plain_ema(y, weight):
    weight = min(max(weight, 0.0), 1.0) if math.isfinite(weight) else 0.0
    if all(value == y[0] for value in y):
        return list(y)
    last, seen, out = 0.0, 0, []
    for value in y:
        if not math.isfinite(value):
            out.append(value)
            continue
        last = last * weight + (1.0 - weight) * value
        seen += 1
        out.append(last / (1.0 if weight == 1.0 else 1.0 - math.pow(weight, seen)))
    return out


weights = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, 0.6, 0.99, 0.999999, 1 - 2**-53, 1.0, -1.0, 2.0, *ODD])
)


@examples(100)
@given(values, dtypes, weights, st.integers(0, 70))
def test_ema_is_bit_equal_to_the_plain_loop(y, dtype, weight, ready):
    y = as_array(y, dtype)
    expected = plain_ema(y.tolist(), weight)
    assert_same_bits(smooth.ema(y, weight), expected)
    assert_same_bits(smooth.ema(y, weight, smooth.ema_divisors(weight, ready)), expected)


@pytest.mark.parametrize("weight", [0.6, 0.97, 0.9995])
def test_ema_stays_bit_equal_where_powers_are_no_longer_computed(weight):
    y = np.random.default_rng(1).normal(size=90_000)
    y[::7919] = np.nan
    expected = plain_ema(y.tolist(), weight)
    assert_same_bits(smooth.ema(y, weight), expected)
    assert_same_bits(smooth.ema(y, weight, smooth.ema_divisors(weight, 1000)), expected)
    assert_same_bits(smooth.ema(y, weight, smooth.ema_divisors(weight, 90_000)), expected)


def plain_time_ema(x, y, half_life):
    """Weighted mean of the points so far, the distances in x added up where x rises."""
    if not half_life > 0:
        return list(y)
    seen, out, way, last_x = [], [], Fraction(0), None
    for at, value in zip(x, y, strict=True):
        if not math.isfinite(value) or not math.isfinite(at):
            out.append(value)
            continue
        if last_x is not None:
            way += max(Fraction(at) - Fraction(last_x), 0)
        last_x = at
        seen.append((way, Fraction(value)))
        ages = [0.0 if math.isinf(half_life) else float((way - w) / Fraction(half_life)) for w, _ in seen]
        shares = [Fraction(0.5**age) for age in ages]
        out.append(float(sum(s * v for s, (_, v) in zip(shares, seen, strict=True)) / sum(shares)))
    return out


@examples(60)
@given(
    points(st.one_of(st.floats(-1e3, 1e3), st.sampled_from(ODD))),
    st.one_of(st.floats(1e-3, 1e4), st.sampled_from([0.0, -1.0, math.inf, math.nan])),
)
def test_time_ema(xy, half_life):
    x, y = xy
    found = smooth.time_ema(x, y, half_life)
    scale = max((abs(v) for v in y.tolist() if math.isfinite(v)), default=0.0)
    np.testing.assert_allclose(
        found, plain_time_ema(x.tolist(), y.tolist(), half_life), rtol=1e-9, atol=scale * 1e-12 + 1e-320
    )


def test_time_ema_starts_at_the_first_value_and_counts_repeated_x_in_full():
    x = np.array([math.nan, 1.0, 1.0, 0.5, 10.5])
    y = np.array([9.0, 2.0, 4.0, 6.0, 5.0])
    assert smooth.time_ema(x, y, 1.0)[:4].tolist() == [9.0, 2.0, 3.0, 4.0]
    assert smooth.time_ema(np.array([-1.7e308, 1.7e308]), np.array([1.7e308, -1.7e308]), math.inf)[1] == 0.0


def plain_gaussian(y, sigma):
    if not sigma > 0:
        return list(y)
    radius = min(math.ceil(4 * sigma), max(len(y) - 1, 0)) if math.isfinite(sigma) else len(y)
    out = []
    for i, value in enumerate(y):
        near = [j for j in range(max(i - radius, 0), min(i + radius + 1, len(y))) if math.isfinite(y[j])]
        shares = [Fraction(math.exp(-0.5 * ((j - i) / sigma) ** 2)) for j in near]
        if math.isfinite(value):
            value = float(sum(s * Fraction(y[j]) for s, j in zip(shares, near, strict=True)) / sum(shares))
        out.append(value)
    return out


@examples(60)
@given(
    values, dtypes, st.one_of(st.floats(0.01, 20), st.sampled_from([0.0, -1.0, 1e-150, math.inf, math.nan]))
)
def test_gaussian(y, dtype, sigma):
    y = as_array(y, dtype)
    scale = max((abs(v) for v in y.tolist() if math.isfinite(v)), default=0.0)
    np.testing.assert_allclose(
        smooth.gaussian(y, sigma), plain_gaussian(y.tolist(), sigma), rtol=1e-9, atol=scale * 1e-12 + 1e-320
    )


def test_gaussian_over_several_blocks():
    y = np.random.default_rng(2).normal(size=1500)
    np.testing.assert_allclose(smooth.gaussian(y, 3.0), plain_gaussian(y.tolist(), 3.0), atol=1e-12)
    y[[0, 700, 701, 1499]] = math.nan, math.inf, -math.inf, math.nan
    np.testing.assert_allclose(smooth.gaussian(y, 3.0), plain_gaussian(y.tolist(), 3.0), atol=1e-12)


def plain_median(y, window):
    half = max(window, 1) // 2
    out = []
    for i, value in enumerate(y):
        near = sorted(v for v in y[max(i - half, 0) : i + half + 1] if math.isfinite(v))
        if half and math.isfinite(value):
            low, high = near[(len(near) - 1) // 2], near[len(near) // 2]
            value = (low + high) / 2 if math.isfinite(low + high) else low / 2 + high / 2
        out.append(value)
    return out


@examples(100)
@given(values, dtypes, st.integers(-1, 70))
def test_running_median(y, dtype, window):
    y = as_array(y, dtype)
    np.testing.assert_array_equal(smooth.running_median(y, window), plain_median(y.tolist(), window))


@pytest.mark.parametrize("window", [3, 2, 1001])
def test_running_median_over_several_pieces(window):
    y = np.random.default_rng(3).integers(0, 50, size=4500).astype(np.float32)
    y[::13] = np.nan
    np.testing.assert_array_equal(smooth.running_median(y, window), plain_median(y.tolist(), window))


# --- display reduction ---


def pixel_column(lo, hi, width):
    """x → its pixel column, with the same roundings as the native code."""
    factor = 1.0
    if math.isinf(hi - lo):
        factor = 0.5
    elif hi > lo and hi - lo < width / 1.7e308:
        factor = 2.0**600
    scale = width / (hi * factor - lo * factor) if hi > lo else 0.0
    while (hi * factor - lo * factor) * scale >= width:
        scale = math.nextafter(scale, 0.0)
    return lambda x: int((x * factor - lo * factor) * scale)


def kept_of(points):
    """Indices to keep of (index, value) points that share a pixel column."""
    finite = [(value, i) for i, value in points if math.isfinite(value)]
    kept = {i for _, i in finite[:1] + finite[-1:]}
    if finite:
        kept.add(min(finite, key=lambda p: p[0])[1])
        kept.add(max(finite, key=lambda p: p[0])[1])
    for is_kind in (math.isnan, lambda v: v == math.inf, lambda v: v == -math.inf):
        kept.update([i for i, value in points if is_kind(value)][:1])
    return kept


def plain_reduce(x, y, lo, hi, width):
    lo, hi = -math.inf if lo is None else lo, math.inf if hi is None else hi
    inside = [v for v in x if math.isfinite(v) and lo <= v <= hi]
    is_rising = all(map(math.isfinite, x)) and all(a <= b for a, b in pairwise(x))
    # An infinite bound is the outermost x, of those in range unless x rises (then there is a nearest x beside it).
    lowest, highest = (
        (x[0], x[-1]) if is_rising and x else (min(inside, default=math.inf), max(inside, default=-math.inf))
    )
    lo, hi = lowest if lo == -math.inf else lo, highest if hi == math.inf else hi
    if not (math.isfinite(lo) and math.isfinite(hi)):
        return []
    column_of = pixel_column(lo, hi, width)

    def place(i):
        return -1 if x[i] < lo else width if x[i] > hi else column_of(x[i])

    indices = [i for i in range(len(x)) if math.isfinite(x[i])]
    stretches = [(column, list(group)) for column, group in groupby(indices, key=place)]
    kept = set()
    for number, (column, group) in enumerate(stretches):
        if 0 <= column < width:
            kept |= kept_of([(i, y[i]) for i in group])
            continue
        if number > 0 or column == width:
            kept.add(group[0])
        if number < len(stretches) - 1 or column == -1:
            kept.add(group[-1])
    if len(kept) > 16 * width:
        kept = set()
        for column in range(width):
            kept |= kept_of([(i, y[i]) for i in indices if place(i) == column])
    return sorted(kept)


bounds = st.one_of(st.none(), finite, steps.map(float), st.sampled_from([-math.inf, math.inf]))


@examples(400)
@given(points(), bounds, bounds, st.integers(1, 12))
def test_reduction_equals_the_oracle(xy, lo, hi, width):
    x, y = xy
    if lo is not None and hi is not None and lo > hi:
        lo, hi = hi, lo
    found = reduce.reduce_columns(x, y, lo, hi, width)
    assert found.dtype == np.int64
    assert found.tolist() == plain_reduce(x.tolist(), y.tolist(), lo, hi, width)


@st.composite
def long_series(draw):
    """Hundreds of points on few pixels, rising or not, so that columns are searched in blocks or reduced out of order."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(200, 1500))
    y = rng.normal(size=n) if draw(st.booleans()) else rng.integers(-3, 4, size=n).astype(float)
    for odd in ODD:
        y[rng.random(n) < draw(st.sampled_from([0, 0, 0.005, 0.2]))] = odd
    x = np.sort(rng.normal(size=n) * 100)
    shape = draw(st.sampled_from(["rising", "restart", "zigzag", "gaps"]))
    if shape == "restart":
        x = np.concatenate([x[: n // 2], x[n // 4 : n // 4 + n - n // 2]])
    elif shape == "zigzag":
        x = rng.permutation(x)
    elif shape == "gaps":
        x[rng.random(n) < 0.05] = np.nan
    return x, as_array(y, draw(dtypes))


@examples(60)
@given(long_series(), st.booleans(), st.integers(1, 9))
def test_long_reduction_equals_the_oracle(xy, is_zoomed, width):
    x, y = xy
    lo, hi = (-60.0, 75.0) if is_zoomed else (None, None)
    found = reduce.reduce_columns(x, y, lo, hi, width)
    assert found.tolist() == plain_reduce(x.tolist(), y.tolist(), lo, hi, width)
    assert len(found) <= 16 * width


@examples(60)
@given(long_series(), st.integers(1, 300))
def test_every_pixel_column_keeps_first_last_minimum_and_maximum(xy, width):
    x, y = xy
    x, y = x[np.isfinite(x)], y[np.isfinite(x)]
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    found = reduce.reduce_columns(x, y, None, None, width)
    assert (np.diff(found) > 0).all()
    column = np.array([pixel_column(x[0], x[-1], width)(v) for v in x.tolist()])
    assert 0 <= column.min() <= column.max() < width
    for each in np.unique(column):
        all_of = y[column == each]
        all_of = all_of[np.isfinite(all_of)]
        kept = y[found][column[found] == each]
        kept = kept[np.isfinite(kept)]
        if len(all_of):
            assert kept[0] == all_of[0]
            assert kept[-1] == all_of[-1]
            assert kept.min() == all_of.min()
            assert kept.max() == all_of.max()


def test_reduction_without_the_gil_equals_the_oracle():
    rng = np.random.default_rng(4)
    y = rng.normal(size=20_000).astype(np.float32)
    y[5000] = np.nan
    for x in (np.arange(20_000.0), np.arange(20_000.0) % 15_000, rng.normal(size=20_000)):
        found = reduce.reduce_columns(x, y, None, None, 40)
        assert found.tolist() == plain_reduce(x.tolist(), y.tolist(), None, None, 40)


def test_reduction_refuses_what_makes_no_sense():
    x = np.zeros(3)
    with pytest.raises(ValueError, match="width is 0"):
        reduce.reduce_columns(x, x, None, None, 0)
    with pytest.raises(ValueError, match="3 points, y has 2"):
        reduce.reduce_columns(x, x[:2], None, None, 1)
    with pytest.raises(ValueError, match=r"from 2\.0 to 1\.0"):
        reduce.reduce_columns(x, x, 2.0, 1.0, 1)
    with pytest.raises(ValueError, match="nan"):
        reduce.reduce_columns(x, x, math.nan, None, 1)


@examples(100)
@given(points(), bounds.filter(lambda v: v is not None), bounds.filter(lambda v: v is not None))
def test_rising_range(xy, lo, hi):
    x, _ = xy
    if np.isfinite(x).all() and (x[1:] >= x[:-1]).all():
        expected = int(np.searchsorted(x, lo)), int(np.searchsorted(x, hi, side="right"))
        assert reduce.rising_range(x, lo, hi) == expected
    else:
        assert reduce.rising_range(x, lo, hi) is None


@examples(100)
@given(st.sets(st.integers(0, 199)), st.integers(0, 20))
def test_pack_mask(chosen, extra):
    count = max(chosen, default=-1) + 1 + extra
    flags = np.zeros(count, dtype=bool)
    flags[sorted(chosen)] = True
    found = reduce.pack_mask(np.array(sorted(chosen), dtype=np.int64), count)
    assert found == np.packbits(flags, bitorder="little").tobytes()


def test_pack_mask_refuses_an_index_outside():
    for index in (-1, 8):
        with pytest.raises(IndexError, match="8 points"):
            reduce.pack_mask(np.array([index]), 8)


# --- statistics ---


def plain_summary(y):
    at = dict(enumerate(y))
    finite = [i for i in at if math.isfinite(at[i])]
    odd = [
        [i for i in at if is_kind(at[i])]
        for is_kind in (math.isnan, lambda v: v == math.inf, lambda v: v == -math.inf)
    ]
    return (
        min(finite, key=at.__getitem__, default=-1),
        max(finite, key=at.__getitem__, default=-1),
        *(number for kind in odd for number in (len(kind), kind[0] if kind else -1)),
    )


@examples(100)
@given(st.lists(st.one_of(st.floats(), finite, st.sampled_from([1.7e308, -1.7e308])), max_size=40), dtypes)
def test_summarize(y, dtype):
    y = as_array(y, dtype)
    lowest, highest, mean, *odd = statistics.summarize(y)
    assert (lowest, highest, *odd) == plain_summary(y.tolist())
    finite = [Fraction(v) for v in y.tolist() if math.isfinite(v)]
    if not finite:
        assert mean is None
        return
    exact = sum(finite) / len(finite)
    slack = 4 * abs(exact) + sum(map(abs, finite)) * len(finite) / 2**52
    assert abs(Fraction(mean) - exact) <= slack / 2**53 + Fraction(5e-324)
    assert min(finite) <= Fraction(mean) <= max(finite)


def test_summarize_without_the_gil():
    y = np.full(100_000, 0.1)
    y[0] = 1e16
    y[-1] = -1e16
    assert statistics.summarize(y)[2] == pytest.approx(0.1 * 99_998 / 100_000, rel=1e-15)
