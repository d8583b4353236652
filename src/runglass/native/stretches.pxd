# Pixel columns, and the points of a stretch that must be drawn: what reduce.pyx and pyramid.pyx share. Importing these names
# links nothing.
from libc.math cimport copysign, fabs, isinf, isnan, log, log1p, nextafter
from libc.stdint cimport int64_t

from runglass.native.arrays cimport real

cdef enum:
    LINEAR = 0
    LOG = 1
    SYMLOG = 2


cdef inline double place_on_axis(double x, int scale) noexcept nogil:
    """Position on an axis, ascending with x. On a log axis, -Inf or NaN for x <= 0."""
    if scale == LINEAR:
        return x
    if scale == LOG:
        return log(x)
    return copysign(log1p(fabs(x)), x)


cdef struct Pixels:
    double lo
    double hi
    # 1, except where hi - lo or its inverse would leave the range of a double.
    double factor
    double origin
    double scale
    Py_ssize_t width


cdef inline Pixels pixels_over(double lo, double hi, Py_ssize_t width) noexcept nogil:
    cdef Pixels p
    p.lo = lo
    p.hi = hi
    p.width = width
    p.factor = 1.0
    if isinf(hi - lo):
        p.factor = 0.5
    elif hi > lo and isinf(<double>width / (hi - lo)):
        p.factor = 2.0**600
    p.origin = lo * p.factor
    p.scale = <double>width / (hi * p.factor - p.origin) if hi > lo else 0.0
    # hi itself belongs to the last column, whichever way the scale was rounded.
    while (hi * p.factor - p.origin) * p.scale >= <double>width:
        p.scale = nextafter(p.scale, 0.0)
    return p


cdef inline Py_ssize_t column_of(const Pixels* p, double x) noexcept nogil:
    """Pixel column of an x inside the range. Never falls as x grows, however it is rounded: searches rely on that."""
    return <Py_ssize_t>((x * p.factor - p.origin) * p.scale)


cdef struct Stretch:
    # Rows of the points to keep, -1 for none yet. The first four are finite points. Files hold this struct as it is.
    int64_t first
    int64_t last
    int64_t lowest
    int64_t highest
    int64_t nan
    int64_t pos_inf
    int64_t neg_inf
    double low
    double high
    double first_value
    double last_value


cdef inline void clear(Stretch* s) noexcept nogil:
    s.first = s.last = s.lowest = s.highest = s.nan = s.pos_inf = s.neg_inf = -1
    s.low = s.high = s.first_value = s.last_value = 0.0


cdef inline bint is_finite_only(const Stretch* s) noexcept nogil:
    return (s.nan & s.pos_inf & s.neg_inf) == -1


cdef inline void add(Stretch* s, Py_ssize_t i, double value) noexcept nogil:
    # 0 for finite values, NaN for all others.
    if value - value == 0.0:
        s.last = i
        s.last_value = value
        if s.first < 0:
            s.first = s.lowest = s.highest = i
            s.low = s.high = s.first_value = value
        elif value < s.low:
            s.lowest = i
            s.low = value
        elif value > s.high:
            s.highest = i
            s.high = value
        return
    if isnan(value):
        s.nan = i if s.nan < 0 else s.nan
    elif value > 0.0:
        s.pos_inf = i if s.pos_inf < 0 else s.pos_inf
    else:
        s.neg_inf = i if s.neg_inf < 0 else s.neg_inf


cdef inline int add_block(Stretch* s, const real[::1] y, Py_ssize_t begin, Py_ssize_t end) except -1 nogil:
    """Add y[begin:end] to a stretch that has a finite point; the length is a multiple of 4.

    Four chains of comparisons run side by side, and points are only looked for when the block has a new extreme.
    """
    cdef Py_ssize_t i
    cdef real a, b, c, d, low, high
    cdef real low_a, low_b, low_c, low_d, high_a, high_b, high_c, high_d, odd_a = 0, odd_b = 0, odd_c = 0, odd_d = 0
    low_a = low_b = low_c = low_d = <real>s.low
    high_a = high_b = high_c = high_d = <real>s.high
    i = begin
    while i < end:
        a = y[i]
        b = y[i + 1]
        c = y[i + 2]
        d = y[i + 3]
        low_a = a if a < low_a else low_a
        low_b = b if b < low_b else low_b
        low_c = c if c < low_c else low_c
        low_d = d if d < low_d else low_d
        high_a = a if a > high_a else high_a
        high_b = b if b > high_b else high_b
        high_c = c if c > high_c else high_c
        high_d = d if d > high_d else high_d
        odd_a += a - a
        odd_b += b - b
        odd_c += c - c
        odd_d += d - d
        i += 4
    if odd_a + odd_b + odd_c + odd_d != 0:
        for i in range(begin, end):
            add(s, i, y[i])
        return 0
    low = min(min(low_a, low_b), min(low_c, low_d))
    high = max(max(high_a, high_b), max(high_c, high_d))
    s.last = end - 1
    s.last_value = y[end - 1]
    if low < s.low:
        s.low = low
        s.lowest = begin
        while s.lowest < end - 1 and y[s.lowest] != low:
            s.lowest += 1
    if high > s.high:
        s.high = high
        s.highest = begin
        while s.highest < end - 1 and y[s.highest] != high:
            s.highest += 1
    return 0


cdef inline int add_range(Stretch* s, const real[::1] y, Py_ssize_t begin, Py_ssize_t end) except -1 nogil:
    cdef Py_ssize_t i = begin, stop
    while i < end:
        if s.first < 0 or end - i < 16:
            add(s, i, y[i])
            i += 1
        else:
            stop = i + min(<Py_ssize_t>256, (end - i) & ~<Py_ssize_t>3)
            add_block(s, y, i, stop)
            i = stop
    return 0


cdef inline int points_in_order(const Stretch* s, int64_t* points) noexcept nogil:
    """Write the kept points of a stretch, ascending and none twice; returns how many: 1 to 7."""
    cdef int64_t[7] found
    cdef int64_t point
    cdef int count = 0, i, slot
    if is_finite_only(s):
        points[0] = s.first
        points[1] = min(s.lowest, s.highest)
        count = 1 + (points[1] != points[0])
        points[count] = max(s.lowest, s.highest)
        count += points[count] != points[count - 1]
        points[count] = s.last
        return count + (points[count] != points[count - 1])
    found[0] = s.first
    found[1] = s.last
    found[2] = s.lowest
    found[3] = s.highest
    found[4] = s.nan
    found[5] = s.pos_inf
    found[6] = s.neg_inf
    for i in range(7):
        point = found[i]
        slot = count
        while slot > 0 and points[slot - 1] > point:
            points[slot] = points[slot - 1]
            slot -= 1
        points[slot] = point
        count += 1
    # The points are sorted; -1 (none) and repeats go.
    slot = 0
    for i in range(count):
        point = points[i]
        if point >= 0 and (slot == 0 or points[slot - 1] != point):
            points[slot] = point
            slot += 1
    return slot


