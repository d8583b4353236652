"""Exact statistics of a series."""

from libc.math cimport INFINITY, isfinite, isnan

cimport numpy as cnp

from runglass.native.arrays cimport SHORT, real

cnp.import_array()


cdef struct Statistics:
    Py_ssize_t lowest
    Py_ssize_t highest
    double mean
    Py_ssize_t finite_count
    Py_ssize_t nan_count
    Py_ssize_t first_nan
    Py_ssize_t pos_inf_count
    Py_ssize_t first_pos_inf
    Py_ssize_t neg_inf_count
    Py_ssize_t first_neg_inf


cdef double scaled_sum(const real[::1] y, double factor) except? -1 nogil:
    """Sum of the finite values times `factor`, with the rounding errors of the additions carried along."""
    cdef Py_ssize_t i
    cdef double value, total = 0.0, error = 0.0, sum_, part
    for i in range(y.shape[0]):
        value = y[i] * factor
        if value - value == 0.0:
            sum_ = total + value
            part = sum_ - total
            error += (total - (sum_ - part)) + (value - part)
            total = sum_
    return total + error


cdef int summarize_into(const real[::1] y, Statistics* s) except -1 nogil:
    cdef Py_ssize_t i
    cdef double value, low = INFINITY, high = -INFINITY
    s.lowest = s.highest = s.first_nan = s.first_pos_inf = s.first_neg_inf = -1
    s.finite_count = s.nan_count = s.pos_inf_count = s.neg_inf_count = 0
    for i in range(y.shape[0]):
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
    s.mean = 0.0
    if s.finite_count > 0:
        s.mean = scaled_sum(y, 1.0) / s.finite_count
        if not isfinite(s.mean):
            # The sum is too large for a double though no mean is: 2**64 exceeds any count of points.
            s.mean = scaled_sum(y, 2.0**-64) / s.finite_count * 2.0**64
        s.mean = min(max(s.mean, low), high)
    return 0


def summarize(const real[::1] y):
    """Indices and counts for exact statistics: (lowest, highest, mean, then for NaN, +Inf and -Inf: count, first).

    Indices are those of first occurrences, -1 for none. Lowest, highest and mean are over finite values; the mean is
    None without any, is compensated for rounding, and does not overflow where the sum of the values would.
    """
    cdef Statistics s
    if y.shape[0] < SHORT:
        summarize_into(y, &s)
    else:
        with nogil:
            summarize_into(y, &s)
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
