"""Exact statistics of a series."""

from libc.math cimport INFINITY, isfinite, isnan

cimport numpy as cnp

from runglass.native.arrays cimport SHORT, real

cnp.import_array()


cdef enum:
    # Comparisons that run side by side.
    LANES = 8


cdef double scaled_sum(const real* y, Py_ssize_t count, double factor) noexcept nogil:
    """Sum of the finite values times `factor`, with the rounding errors of the additions carried along."""
    cdef Py_ssize_t i
    cdef double value, total = 0.0, error = 0.0, sum_, part
    for i in range(count):
        value = y[i] * factor
        if value - value == 0.0:
            sum_ = total + value
            part = sum_ - total
            error += (total - (sum_ - part)) + (value - part)
            total = sum_
    return total + error


cdef bint find_extremes(const real* y, Py_ssize_t count, Statistics* s) noexcept nogil:
    """The lowest and the highest of values that are all finite, without branches; False if they are not, or none."""
    cdef Py_ssize_t i = 0
    cdef int k
    cdef real low, high, odd = 0
    cdef real[LANES] lows
    cdef real[LANES] highs
    cdef real[LANES] odds
    if count < LANES:
        return False
    for k in range(LANES):
        lows[k] = highs[k] = y[k]
        odds[k] = 0
    while i + LANES <= count:
        for k in range(LANES):
            lows[k] = y[i + k] if y[i + k] < lows[k] else lows[k]
            highs[k] = y[i + k] if y[i + k] > highs[k] else highs[k]
            odds[k] += y[i + k] - y[i + k]
        i += LANES
    low, high = lows[0], highs[0]
    for k in range(LANES):
        low = lows[k] if lows[k] < low else low
        high = highs[k] if highs[k] > high else high
        odd += odds[k]
    while i < count:
        low = y[i] if y[i] < low else low
        high = y[i] if y[i] > high else high
        odd += y[i] - y[i]
        i += 1
    # 0 for finite values, NaN once any other is among them.
    if odd != 0:
        return False
    s.lowest = s.highest = 0
    while y[s.lowest] != low:
        s.lowest += 1
    while y[s.highest] != high:
        s.highest += 1
    s.finite_count = count
    return True


cdef void find_every(const real* y, Py_ssize_t count, Statistics* s) noexcept nogil:
    cdef Py_ssize_t i
    cdef double value, low = INFINITY, high = -INFINITY
    for i in range(count):
        value = y[i]
        if value - value == 0.0:
            s.finite_count += 1
            if value < low:
                low = value
                s.lowest = i
            if value > high:
                high = value
                s.highest = i
        elif isnan(value):
            s.first_nan = i if s.nan_count == 0 else s.first_nan
            s.nan_count += 1
        elif value > 0.0:
            s.first_pos_inf = i if s.pos_inf_count == 0 else s.first_pos_inf
            s.pos_inf_count += 1
        else:
            s.first_neg_inf = i if s.neg_inf_count == 0 else s.first_neg_inf
            s.neg_inf_count += 1


cdef void summarize_into(const real* y, Py_ssize_t count, Statistics* s) noexcept nogil:
    s.lowest = s.highest = s.first_nan = s.first_pos_inf = s.first_neg_inf = -1
    s.finite_count = s.nan_count = s.pos_inf_count = s.neg_inf_count = 0
    s.mean = 0.0
    if not find_extremes(y, count, s):
        find_every(y, count, s)
    if s.finite_count > 0:
        s.mean = scaled_sum(y, count, 1.0) / s.finite_count
        if not isfinite(s.mean):
            # The sum is too large for a double though no mean is: 2**64 exceeds any count of points.
            s.mean = scaled_sum(y, count, 2.0**-64) / s.finite_count * 2.0**64
        s.mean = min(max(s.mean, <double>y[s.lowest]), <double>y[s.highest])


cdef void summarize_floats(const float* y, Py_ssize_t count, Statistics* s) noexcept nogil:
    summarize_into(y, count, s)


cdef void summarize_doubles(const double* y, Py_ssize_t count, Statistics* s) noexcept nogil:
    summarize_into(y, count, s)


def summarize(const real[::1] y):
    """Indices and counts for exact statistics: (lowest, highest, mean, then for NaN, +Inf and -Inf: count, first).

    Indices are those of first occurrences, -1 for none. Lowest, highest and mean are over finite values; the mean is
    None without any, is compensated for rounding, and does not overflow where the sum of the values would.
    """
    cdef Statistics s
    cdef Py_ssize_t count = y.shape[0]
    cdef const real* first = &y[0] if count else NULL
    if count < SHORT:
        summarize_into(first, count, &s)
    else:
        with nogil:
            summarize_into(first, count, &s)
    return (
        s.lowest, s.highest, s.mean if s.finite_count else None,
        s.nan_count, s.first_nan, s.pos_inf_count, s.first_pos_inf, s.neg_inf_count, s.first_neg_inf,
    )  # fmt: skip


def add_up(const real[::1] y, double total, double error):
    """Go on with the sum behind the mean of `summarize`: (sum of the finite values, error that its additions made).

    `(total + error) / count` is the mean of all values so far, exactly as if they had come at once.
    """
    cdef Py_ssize_t i
    cdef double value, sum_, part
    with nogil:
        for i in range(y.shape[0]):
            value = y[i]
            if value - value == 0.0:
                sum_ = total + value
                part = sum_ - total
                error += (total - (sum_ - part)) + (value - part)
                total = sum_
    return total, error
