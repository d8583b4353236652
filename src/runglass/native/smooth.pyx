"""Smoothing of a series: exponential averages over index or x, Gaussian, running median.

Non-finite values pass through and leave the rest alone. Built without fused multiply-add (setup.py): it rounds once where the plain
formula rounds twice, and a smoothed value would depend on the machine.
"""

from libc.math cimport ceil, exp, exp2, isfinite, pow
from libc.stdint cimport int64_t

cimport numpy as cnp
import numpy as np

from runglass.native.arrays cimport SHORT, empty, is_float32, real
from runglass.native.ema cimport is_settled, unit_weight

cnp.import_array()

cdef enum:
    # Sums worked on at a time, so that they stay in the first-level cache.
    BLOCK = 512


cdef object doubles(const real[::1] y):
    # Not astype: NumPy warns where the values hold a signalling NaN, which any file may do.
    cdef Py_ssize_t i
    copy = np.empty(y.shape[0])
    cdef double[::1] out = copy
    for i in range(y.shape[0]):
        out[i] = y[i]
    return copy


def ema_divisors(double weight, Py_ssize_t count):
    """What `ema` divides its first `count` points by; shorter where all further divisors are 1."""
    cdef Py_ssize_t used = 0
    cdef double power = 1.0
    weight = unit_weight(weight)
    divisors = np.empty(count)
    cdef double[::1] out = divisors
    while used < count and weight < 1.0 and not is_settled(power):
        power = pow(weight, <double>(used + 1))
        out[used] = 1.0 - power
        used += 1
    return divisors[:used]


cdef int ema_into(
    const real[::1] y, double weight, const double[::1] divisors, Py_ssize_t ready, double[::1] out
) except -1 nogil:
    cdef Py_ssize_t i = 1, n = y.shape[0], seen = 0
    cdef double value, power = 0.0 if weight == 1.0 else 1.0, last = 0.0
    while i < n and y[i] == y[0]:
        i += 1
    if i >= n:
        for i in range(n):
            out[i] = y[i]
        return 0
    for i in range(n):
        value = y[i]
        if not isfinite(value):
            out[i] = value
            continue
        last = last * weight + (1.0 - weight) * value
        if is_settled(power):
            out[i] = last
            continue
        if seen < ready:
            out[i] = last / divisors[seen]
            seen += 1
        else:
            seen += 1
            power = pow(weight, <double>seen)
            out[i] = last / (1.0 - power)
    return 0


cdef object ema_of(const real[::1] y, double weight, const double[::1] divisors):
    cdef Py_ssize_t n = y.shape[0], ready = 0 if divisors is None else divisors.shape[0]
    smoothed = empty(n, cnp.NPY_FLOAT64)
    cdef double[::1] out = smoothed
    if n < SHORT:
        ema_into(y, weight, divisors, ready, out)
    else:
        with nogil:
            ema_into(y, weight, divisors, ready, out)
    return smoothed


def ema(y, double weight, const double[::1] divisors=None):
    """TensorBoard's debiased exponential average over point index, as float64.

    Non-finite points stay as they are and leave the average alone; a constant series is returned as it is.
    `ema_divisors` of the same weight saves computing them again for every series.
    """
    weight = unit_weight(weight)
    return ema_of[float](y, weight, divisors) if is_float32(y) else ema_of[double](y, weight, divisors)


cdef int time_ema_into(const double[::1] x, const real[::1] y, double half_life, double[::1] out) except -1 nogil:
    cdef Py_ssize_t i
    cdef double value, dx, last_dx = 0.0, decay = 1.0, last_x = 0.0, mean = 0.0, weight = 0.0, change
    for i in range(y.shape[0]):
        value = y[i]
        if not isfinite(value) or not isfinite(x[i]):
            out[i] = value
            continue
        if weight > 0.0:
            dx = max(x[i] - last_x, 0.0)
            if dx != last_dx:
                # inf / inf is no weight; with an infinite half-life every point counts in full.
                decay = exp2(-dx / half_life) if isfinite(half_life) else 1.0
                last_dx = dx
            weight *= decay
        weight += 1.0
        change = value - mean
        if isfinite(change):
            mean += change / weight
        else:
            mean += value / weight - mean / weight
        last_x = x[i]
        out[i] = mean
    return 0


def time_ema(const double[::1] x, const real[::1] y, double half_life):
    """Mean of the points so far, each weighted by 0.5 ** (its distance in x / half_life), as float64.

    Points at one x, and points at which x goes back, count in full. A point with a non-finite x or y stays as it is
    and leaves the average alone. A half-life that is not above 0 smooths nothing; an infinite one gives the mean.
    """
    cdef Py_ssize_t n = y.shape[0]
    if x.shape[0] != n:
        raise ValueError(f"x has {x.shape[0]} points, y has {n}.")
    if not half_life > 0.0:
        return doubles(y)
    smoothed = np.empty(n)
    cdef double[::1] out = smoothed
    if n < SHORT:
        time_ema_into(x, y, half_life, out)
    else:
        with nogil:
            time_ema_into(x, y, half_life, out)
    return smoothed


cdef int gaussian_into(
    const double[::1] values, const double[::1] present, bint is_all_finite, const double[::1] kernel, double[::1] out
) except -1 nogil:
    """Adds tap after tap over a block of outputs: a loop that vectorizes without reordering any sum."""
    cdef Py_ssize_t n = values.shape[0], radius = kernel.shape[0] // 2, begin = 0, end, tap, i
    cdef double weight, total = 0.0
    cdef double[BLOCK] sums
    cdef double[BLOCK] weights
    for tap in range(kernel.shape[0]):
        total += kernel[tap]
    while begin < n:
        end = min(begin + BLOCK, n)
        for i in range(BLOCK):
            sums[i] = 0.0
            weights[i] = 0.0
        for tap in range(kernel.shape[0]):
            weight = kernel[tap]
            for i in range(max(begin, radius - tap), min(end, n + radius - tap)):
                sums[i - begin] += weight * values[i + tap - radius]
        if is_all_finite and begin >= radius and end + radius <= n:
            for i in range(BLOCK):
                weights[i] = total
        else:
            for tap in range(kernel.shape[0]):
                weight = kernel[tap]
                for i in range(max(begin, radius - tap), min(end, n + radius - tap)):
                    weights[i - begin] += weight * present[i + tap - radius]
        for i in range(begin, end):
            if present[i] != 0.0:
                out[i] = sums[i - begin] / weights[i - begin]
        begin = end
    return 0


def gaussian(const real[::1] y, double sigma_points):
    """Gaussian average over point index, cut at 4 sigma, over the finite neighbours that are there; float64.

    Non-finite points stay as they are. The work is 8 * sigma_points for every point.
    """
    smoothed = doubles(y)
    cdef Py_ssize_t i, n = y.shape[0], radius
    cdef double scaled, total = 0.0
    if not sigma_points > 0.0 or n == 0:
        return smoothed
    radius = <Py_ssize_t>min(ceil(4.0 * sigma_points), <double>(n - 1))
    is_finite = np.isfinite(smoothed)
    cdef bint is_all_finite = is_finite.all()
    cdef const double[::1] present = is_finite.astype(np.float64)
    cdef const double[::1] values = np.where(is_finite, smoothed, 0.0)
    cdef double[::1] kernel = np.empty(2 * radius + 1)
    cdef double[::1] out = smoothed
    with nogil:
        for i in range(2 * radius + 1):
            scaled = <double>(i - radius) / sigma_points
            kernel[i] = exp(-0.5 * scaled * scaled)
            total += kernel[i]
        for i in range(2 * radius + 1):
            kernel[i] /= total
        gaussian_into(values, present, is_all_finite, kernel, out)
    return smoothed


cdef inline int count_rank(int64_t[::1] tree, Py_ssize_t rank, int64_t change) except -1 nogil:
    rank += 1
    while rank < tree.shape[0]:
        tree[rank] += change
        rank += rank & -rank
    return 0


cdef inline Py_ssize_t rank_at(const int64_t[::1] tree, Py_ssize_t top, int64_t position) except -1 nogil:
    """The rank of the value at `position`, counted from 0, among the counted values."""
    cdef Py_ssize_t rank = 0
    while top > 0:
        if rank + top < tree.shape[0] and tree[rank + top] <= position:
            rank += top
            position -= tree[rank]
        top >>= 1
    return rank


cdef int median_into(
    const int64_t[::1] ranks, const double[::1] ordered, int64_t[::1] tree, Py_ssize_t begin, Py_ssize_t half,
    double[::1] out,
) except -1 nogil:
    """Medians around ranks[begin:][:len(out)]; `tree` (Fenwick) counts the values in the window by rank, -1 is none."""
    cdef Py_ssize_t i, entered = 0, left = 0, inside = 0, top = 1
    cdef double low, high
    while top * 2 < tree.shape[0]:
        top *= 2
    for i in range(begin, begin + out.shape[0]):
        while entered < ranks.shape[0] and entered <= i + half:
            if ranks[entered] >= 0:
                count_rank(tree, ranks[entered], 1)
                inside += 1
            entered += 1
        while left < i - half:
            if ranks[left] >= 0:
                count_rank(tree, ranks[left], -1)
                inside -= 1
            left += 1
        if ranks[i] < 0:
            continue
        low = ordered[rank_at(tree, top, (inside - 1) // 2)]
        if inside & 1:
            out[i - begin] = low
        else:
            high = ordered[rank_at(tree, top, inside // 2)]
            out[i - begin] = 0.5 * (low + high) if isfinite(low + high) else 0.5 * low + 0.5 * high
    return 0


def running_median(const real[::1] y, Py_ssize_t window):
    """Median of the finite values among the `window` points around each point, as float64.

    An even window reaches as far as the next odd one; both ends have smaller windows. Non-finite points stay as they
    are. Time grows with the logarithm of the window only.
    """
    smoothed = doubles(y)
    cdef Py_ssize_t n = y.shape[0], half = min(max(window, 1) // 2, n)
    if half == 0:
        return smoothed
    values = smoothed.copy()
    cdef int64_t[::1] ranks
    cdef int64_t[::1] tree
    cdef const double[::1] ordered
    cdef double[::1] out
    cdef Py_ssize_t begin, first
    # Ranks are those within a piece and its margins, so that the tree stays in the cache however long the series is.
    cdef Py_ssize_t piece = max(4 * half, <Py_ssize_t>2048)
    for begin in range(0, n, piece):
        first = max(begin - half, 0)
        near = values[first:begin + piece + half]
        order = np.argsort(near)
        order = order[np.isfinite(near[order])]
        rank_of = np.full(near.shape[0], -1, dtype=np.int64)
        rank_of[order] = np.arange(order.shape[0])
        ranks = rank_of
        ordered = near[order]
        tree = np.zeros(order.shape[0] + 1, dtype=np.int64)
        out = smoothed[begin:begin + piece]
        with nogil:
            median_into(ranks, ordered, tree, begin - first, half, out)
    return smoothed
