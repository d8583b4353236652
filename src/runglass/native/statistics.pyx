"""Exact statistics of a series."""

from libc.math cimport INFINITY, isfinite, isnan
from libc.stdint cimport INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, int32_t, int64_t
from libc.string cimport memcpy

cimport numpy as cnp

from runglass.native.arrays cimport SHORT, real

cnp.import_array()


cdef enum:
    STRIDE = 32


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


cdef double finite_sum(const real* y, Py_ssize_t count) noexcept nogil:
    """As `scaled_sum`, of values that are all finite."""
    cdef Py_ssize_t i
    cdef double value, total = 0.0, error = 0.0, sum_, part
    for i in range(count):
        value = y[i]
        sum_ = total + value
        part = sum_ - total
        error += (total - (sum_ - part)) + (value - part)
        total = sum_
    return total + error


cdef inline int32_t ordered32(int32_t bits) noexcept nogil:
    """The bits of a float as a number that is ordered as the floats are; the same again makes the bits of it."""
    return bits ^ ((bits >> 31) & INT32_MAX)


cdef inline int64_t ordered64(int64_t bits) noexcept nogil:
    return bits ^ ((bits >> 63) & INT64_MAX)


cdef Py_ssize_t find_first(const real* y, Py_ssize_t count, real value) noexcept nogil:
    """Where a value is that is there. Zeros are equal, whatever their sign."""
    cdef Py_ssize_t i = 0
    cdef int j, hit
    # Many at a time, without a question after each.
    while i + STRIDE <= count:
        hit = 0
        for j in range(STRIDE):
            hit |= y[i + j] == value
        if hit:
            break
        i += STRIDE
    while y[i] != value:
        i += 1
    return i


cdef bint find_extremes(const real* y, Py_ssize_t count, Statistics* s) noexcept nogil:
    """The lowest and the highest of values that are all finite; False if they are not, or none.

    Compilers make wide instructions of comparisons of whole numbers only, because NaNs and the two zeros are in the way of others.
    """
    cdef Py_ssize_t i
    cdef const int32_t* bits32 = <const int32_t*>y
    cdef const int64_t* bits64 = <const int64_t*>y
    cdef int32_t inf32, key32, low32 = INT32_MAX, high32 = INT32_MIN
    cdef int64_t inf64, key64, low64 = INT64_MAX, high64 = INT64_MIN
    cdef int odd = count == 0
    cdef real low, high, inf = <real>INFINITY
    if real is float:
        memcpy(&inf32, &inf, sizeof(float))
        for i in range(count):
            key32 = ordered32(bits32[i])
            low32 = key32 if key32 < low32 else low32
            high32 = key32 if key32 > high32 else high32
        # Infinities are the outermost numbers, and NaNs lie beyond them.
        odd |= low32 <= -inf32 - 1 or high32 >= inf32
        low32, high32 = ordered32(low32), ordered32(high32)
        memcpy(&low, &low32, sizeof(float))
        memcpy(&high, &high32, sizeof(float))
    else:
        memcpy(&inf64, &inf, sizeof(double))
        for i in range(count):
            key64 = ordered64(bits64[i])
            low64 = key64 if key64 < low64 else low64
            high64 = key64 if key64 > high64 else high64
        odd |= low64 <= -inf64 - 1 or high64 >= inf64
        low64, high64 = ordered64(low64), ordered64(high64)
        memcpy(&low, &low64, sizeof(double))
        memcpy(&high, &high64, sizeof(double))
    if odd:
        return False
    s.lowest = find_first(y, count, low)
    s.highest = find_first(y, count, high)
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
    cdef double total
    s.lowest = s.highest = s.first_nan = s.first_pos_inf = s.first_neg_inf = -1
    s.finite_count = s.nan_count = s.pos_inf_count = s.neg_inf_count = 0
    s.mean = 0.0
    if not find_extremes(y, count, s):
        find_every(y, count, s)
    if s.finite_count > 0:
        total = finite_sum(y, count) if s.finite_count == count else scaled_sum(y, count, 1.0)
        s.mean = total / s.finite_count
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
