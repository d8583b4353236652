"""Display reduction: which points of a line have to be drawn so that no pixel column misses one.

NaN and infinities are data here, never skipped without a word. Knows nothing of runs, tags or queries.
"""

from libc.math cimport INFINITY, isfinite, isinf, isnan, nextafter
from libc.stdint cimport int64_t, uint8_t

cimport numpy as cnp
import numpy as np

from runglass.native.arrays cimport SHORT, empty, first_above, is_float32, real

cnp.import_array()

cdef enum:
    # Places that are no pixel column: left of the first, and before or after all points.
    BELOW = -1
    NOWHERE = -2


cdef struct Pixels:
    double lo
    double hi
    # 1, except where hi - lo or its inverse would leave the range of a double.
    double factor
    double origin
    double scale
    Py_ssize_t width


cdef Pixels pixels_over(double lo, double hi, Py_ssize_t width) noexcept nogil:
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
    # Indices of the points to keep, -1 for none yet. The first four are finite points.
    Py_ssize_t first
    Py_ssize_t last
    Py_ssize_t lowest
    Py_ssize_t highest
    Py_ssize_t nan
    Py_ssize_t pos_inf
    Py_ssize_t neg_inf
    double low
    double high
    bint is_all_finite


cdef inline void clear(Stretch* s) noexcept nogil:
    s.first = s.last = s.lowest = s.highest = s.nan = s.pos_inf = s.neg_inf = -1
    s.low = s.high = 0.0
    s.is_all_finite = True


cdef inline void add(Stretch* s, Py_ssize_t i, double value) noexcept nogil:
    # 0 for finite values, NaN for all others.
    if value - value == 0.0:
        s.last = i
        if s.first < 0:
            s.first = s.lowest = s.highest = i
            s.low = s.high = value
        elif value < s.low:
            s.lowest = i
            s.low = value
        elif value > s.high:
            s.highest = i
            s.high = value
        return
    s.is_all_finite = False
    if isnan(value):
        s.nan = i if s.nan < 0 else s.nan
    elif value > 0.0:
        s.pos_inf = i if s.pos_inf < 0 else s.pos_inf
    else:
        s.neg_inf = i if s.neg_inf < 0 else s.neg_inf


cdef int add_block(Stretch* s, const real[::1] y, Py_ssize_t begin, Py_ssize_t end) except -1 nogil:
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


cdef int add_range(Stretch* s, const real[::1] y, Py_ssize_t begin, Py_ssize_t end) except -1 nogil:
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


cdef inline int points_in_order(const Stretch* s, Py_ssize_t* points) noexcept nogil:
    """Write the kept points of a stretch, ascending and none twice; returns how many: 1 to 7."""
    cdef Py_ssize_t[7] found
    cdef Py_ssize_t point
    cdef int count = 0, i, slot
    if s.is_all_finite:
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


cdef Py_ssize_t first_at_least(const double[::1] x, double bound) except -1 nogil:
    cdef Py_ssize_t lo = 0, hi = x.shape[0], mid
    while lo < hi:
        mid = lo + (hi - lo) // 2
        if x[mid] < bound:
            lo = mid + 1
        else:
            hi = mid
    return lo


cdef int is_rising(const double[::1] x) except -1 nogil:
    """1 when every x is finite and none is below the one before it, else 0."""
    cdef Py_ssize_t i = 1, k, n = x.shape[0]
    cdef int falls = 0
    if n == 0:
        return 1
    if not isfinite(x[0]) or not isfinite(x[n - 1]):
        return 0
    while i < n and not falls:
        for k in range(i, min(i + 1024, n)):
            falls |= not x[k] >= x[k - 1]
        i += 1024
    return not falls


cdef Py_ssize_t column_end(const Pixels* p, const double[::1] x, Py_ssize_t begin, Py_ssize_t stop) except -1 nogil:
    """Where the pixel column of x[begin] ends, by doubling steps, then halving; x rises up to `stop`."""
    cdef Py_ssize_t column = column_of(p, x[begin]), inside = begin, outside, mid, reach = 1
    while inside + reach < stop and column_of(p, x[inside + reach]) == column:
        inside += reach
        reach *= 2
    outside = min(inside + reach, stop)
    while outside - inside > 1:
        mid = inside + (outside - inside) // 2
        if column_of(p, x[mid]) == column:
            inside = mid
        else:
            outside = mid
    return outside


cdef int is_all_finite(const real[::1] y, Py_ssize_t begin, Py_ssize_t end) except -1 nogil:
    cdef Py_ssize_t i
    cdef int odd = 0
    for i in range(begin, end):
        odd |= not y[i] - y[i] == 0
    return not odd


cdef Py_ssize_t reduce_sparse(
    const Pixels* pixels, const double[::1] x, const real[::1] y, Py_ssize_t start, Py_ssize_t stop, int64_t[::1] out,
    Py_ssize_t kept,
) except -1 nogil:
    """The common case of `reduce_rising`: few points to a column, all finite. Writes one past what it keeps.

    Which points are extremes cannot be predicted, and wrong guesses would take most of the time: hence arithmetic
    instead of branches.
    """
    cdef Py_ssize_t i = start, begin, column, lowest, highest, earlier, later
    # A copy, which no store through `out` can change, stays in registers.
    cdef Pixels p = pixels[0]
    while i < stop:
        column = column_of(&p, x[i])
        begin = lowest = highest = i
        i += 1
        while i < stop and column_of(&p, x[i]) == column:
            lowest ^= (lowest ^ i) & -<Py_ssize_t>(y[i] < y[lowest])
            highest ^= (highest ^ i) & -<Py_ssize_t>(y[i] > y[highest])
            i += 1
        earlier = min(lowest, highest)
        later = max(lowest, highest)
        out[kept] = begin
        kept += 1
        out[kept] = earlier
        kept += earlier != begin
        out[kept] = later
        kept += later != earlier
        out[kept] = i - 1
        kept += i - 1 != later
    return kept


cdef Py_ssize_t reduce_rising(const Pixels* p, const double[::1] x, const real[::1] y, int64_t[::1] out) except -1 nogil:
    """One pass over x that rises: columns are stretches, found by search where they hold many points."""
    cdef Py_ssize_t start = first_at_least(x, p.lo), stop = first_above(x, p.hi)
    cdef Py_ssize_t i = start, end, kept = 0
    cdef Py_ssize_t[7] points
    cdef int count, k
    cdef Stretch s
    if start > 0:
        out[kept] = start - 1
        kept += 1
    if (stop - start) // 64 <= p.width and is_all_finite(y, start, stop):
        kept = reduce_sparse(p, x, y, start, stop, out, kept)
        i = stop
    while i < stop:
        clear(&s)
        end = column_end(p, x, i, stop)
        add_range(&s, y, i, end)
        i = end
        count = points_in_order(&s, points)
        for k in range(count):
            out[kept + k] = points[k]
        kept += count
    if stop < x.shape[0]:
        out[kept] = stop
        kept += 1
    return kept


cdef Py_ssize_t reduce_in_order(
    const Pixels* p, const double[::1] x, const real[::1] y, int64_t[::1] out, Py_ssize_t limit
) except -1 nogil:
    """Stretches of consecutive points in one pixel column; a result above `limit` says "too many, gave up".

    What lies beside the range is a stretch too, of which only the ends next to the picture are kept.
    """
    cdef Py_ssize_t i, n = x.shape[0], current = NOWHERE, column, begin = 0, end = 0, kept = 0
    cdef bint is_first = True
    cdef Py_ssize_t[7] points
    cdef int count, k
    cdef Stretch s
    clear(&s)
    for i in range(n + 1):
        if i == n:
            column = NOWHERE
        elif not isfinite(x[i]):
            continue
        elif x[i] < p.lo:
            column = BELOW
        elif x[i] > p.hi:
            column = p.width
        else:
            column = column_of(p, x[i])
        if column != current:
            count = 0
            if 0 <= current < p.width:
                count = points_in_order(&s, points)
            elif current != NOWHERE:
                if not is_first or current == p.width:
                    points[count] = begin
                    count += 1
                if (column != NOWHERE or current == BELOW) and (count == 0 or begin != end):
                    points[count] = end
                    count += 1
            if kept + count > limit:
                return limit + 1
            for k in range(count):
                out[kept + k] = points[k]
            kept += count
            is_first = current == NOWHERE
            current = column
            begin = i
            clear(&s)
        if i < n:
            end = i
            add(&s, i, y[i])
    return kept


cdef Py_ssize_t reduce_by_column(
    const Pixels* p, const double[::1] x, const real[::1] y, Stretch* columns, int64_t[::1] out
) except -1 nogil:
    """Every pixel column whatever the order of its points; `out` is left unsorted."""
    cdef Py_ssize_t i, kept = 0
    cdef Py_ssize_t[7] points
    cdef int count, k
    for i in range(p.width):
        clear(&columns[i])
    for i in range(x.shape[0]):
        if p.lo <= x[i] <= p.hi:
            add(&columns[column_of(p, x[i])], i, y[i])
    for i in range(p.width):
        if columns[i].first < 0 and columns[i].is_all_finite:
            continue
        count = points_in_order(&columns[i], points)
        for k in range(count):
            out[kept + k] = points[k]
        kept += count
    return kept


cdef int narrow(const double[::1] x, int rises, double* lo, double* hi) except -1 nogil:
    """Replace infinite bounds by the outermost finite x between them; without any, lo stays above hi or infinite."""
    cdef Py_ssize_t i, n = x.shape[0]
    cdef double low = INFINITY, high = -INFINITY
    if rises and n > 0:
        low = x[0]
        high = x[n - 1]
    else:
        for i in range(n):
            if isfinite(x[i]) and lo[0] <= x[i] <= hi[0]:
                low = min(low, x[i])
                high = max(high, x[i])
    if lo[0] == -INFINITY:
        lo[0] = low
    if hi[0] == INFINITY:
        hi[0] = high
    return 0


cdef Py_ssize_t reduce_into(
    const double[::1] x, const real[::1] y, double lo, double hi, Py_ssize_t width, int64_t[::1] out, Py_ssize_t limit,
    Pixels* p,
) except -1 nogil:
    cdef int rises = is_rising(x)
    narrow(x, rises, &lo, &hi)
    if not (isfinite(lo) and isfinite(hi)):
        return 0
    p[0] = pixels_over(lo, hi, width)
    if rises:
        return reduce_rising(p, x, y, out)
    return reduce_in_order(p, x, y, out, limit)


cdef object kept_of(const double[::1] x, const real[::1] y, double low, double high, Py_ssize_t width):
    cdef Py_ssize_t n = x.shape[0], limit = 16 * width, kept
    cdef Pixels p
    if y.shape[0] != n:
        raise ValueError(f"x has {n} points, y has {y.shape[0]}.")
    # One more than can be kept: see reduce_sparse.
    indices = empty(min(n, limit) + 1, cnp.NPY_INT64)
    cdef int64_t[::1] out = indices
    if n < SHORT:
        kept = reduce_into(x, y, low, high, width, out, limit, &p)
    else:
        with nogil:
            kept = reduce_into(x, y, low, high, width, out, limit, &p)
    if kept <= limit:
        # A view would hold on to memory for all the points that were not kept.
        return indices[:kept].copy() if 2 * kept < out.shape[0] else indices[:kept]
    cdef uint8_t[::1] scratch = np.empty(width * sizeof(Stretch), dtype=np.uint8)
    with nogil:
        kept = reduce_by_column(&p, x, y, <Stretch*>&scratch[0], out)
    return np.sort(indices[:kept])


def reduce_columns(const double[::1] x, y, lo, hi, int width):
    """Indices, ascending, of the points that draw like all of them on `width` pixel columns between lo and hi.

    Of every stretch of consecutive points in one column: the first, last, lowest and highest finite point, the first
    NaN, +Inf and -Inf. Beside the range: the points next to it. Where x goes to and fro so much that more than
    16 * width points would stay, columns are reduced as if x were sorted, and nothing beside the range is kept.
    Points with a non-finite x are dropped. A bound that is None or infinite is the outermost finite x.
    """
    cdef double low = -INFINITY if lo is None else lo, high = INFINITY if hi is None else hi
    if width < 1:
        raise ValueError(f"width is {width}, expected at least 1 pixel column.")
    if not low <= high:
        raise ValueError(f"The range from {low!r} to {high!r} is empty: the lower bound comes first.")
    return kept_of[float](x, y, low, high, width) if is_float32(y) else kept_of[double](x, y, low, high, width)


def rising_range(const double[::1] x, double lo, double hi):
    """Where x is finite and never falls: (start, stop) of the points from lo to hi. None where it is not so."""
    cdef int rises
    if x.shape[0] < SHORT:
        rises = is_rising(x)
    else:
        with nogil:
            rises = is_rising(x)
    if not rises:
        return None
    return first_at_least(x, lo), first_above(x, hi)


def pack_mask(const int64_t[::1] indices, Py_ssize_t count):
    """Bits of a mask over `count` points, set at `indices`: bit i is bit i & 7 of byte i >> 3."""
    cdef Py_ssize_t k
    mask = bytearray((count + 7) // 8)
    cdef uint8_t[::1] out = mask
    for k in range(indices.shape[0]):
        if not 0 <= indices[k] < count:
            raise IndexError(f"Index {indices[k]} is outside a mask of {count} points.")
        out[indices[k] >> 3] |= <uint8_t>(1 << (indices[k] & 7))
    return bytes(mask)
