"""Display reduction: which points of a line have to be drawn so that no pixel column misses one.

NaN and infinities are data here, never skipped without a word. Knows nothing of runs, tags or queries.
"""

from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int64_t, uint8_t

cimport numpy as cnp
import numpy as np

from runglass.native.arrays cimport SHORT, empty, first_above, is_float32, real
from runglass.native.stretches cimport (
    LOG, SYMLOG, Pixels, Stretch, add, add_range, clear, column_of, is_finite_only, pixels_over, place_on_axis,
    points_in_order,
)

cnp.import_array()

cdef enum:
    # Places that are no pixel column: left of the first, and before or after all points.
    BELOW = -1
    NOWHERE = -2


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
    cdef int64_t[7] points
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
    cdef int64_t[7] points
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
    cdef int64_t[7] points
    cdef int count, k
    for i in range(p.width):
        clear(&columns[i])
    for i in range(x.shape[0]):
        if p.lo <= x[i] <= p.hi:
            add(&columns[column_of(p, x[i])], i, y[i])
    for i in range(p.width):
        if columns[i].first < 0 and is_finite_only(&columns[i]):
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


def places_on_axis(const double[::1] x, str scale):
    """Positions on a log or symlog axis, as `long_lines` computes them one by one."""
    cdef Py_ssize_t i
    cdef int number = LOG if scale == "log" else SYMLOG
    places = empty(x.shape[0], cnp.NPY_FLOAT64)
    cdef double[::1] out = places
    with nogil:
        for i in range(x.shape[0]):
            out[i] = place_on_axis(x[i], number)
    return places


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
