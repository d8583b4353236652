"""Counts how many values fall into each of some buckets, without the GIL. Knows nothing of how they are logged.

The rule for equal buckets is that of the plain formula in float64, to the last value: floor((x - low) / width). Other buckets have
edges, of which at most one lies between values whose first 16 bits are equal; a table says how many lie below those.
"""

from libc.math cimport INFINITY, isfinite, isnan
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

cimport numpy as cnp
import numpy as np

from runglass.native.arrays cimport SHORT, real

cnp.import_array()

cdef enum:
    BLOCK = 256
    # Counters side by side, so that equal neighbours do not wait for each other.
    LANES = 8
    # Bits behind the point of a place in fixed point, and the buckets that the bits before it can count.
    POINT = 16
    MOST_BUCKETS_BY_EDGES = 4096


cdef struct Spread:
    double low
    double high
    Py_ssize_t finite
    Py_ssize_t nan
    Py_ssize_t neg_inf
    Py_ssize_t pos_inf


# The bits of a float as an integer of the same order: integers have a minimum that compilers know to do many at a time. The map
# is its own inverse; infinities are the ends of the finite ones, and NaN lies beyond them on both sides.
cdef inline int32_t key32(int32_t bits) noexcept nogil:
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


cdef inline int64_t key64(int64_t bits) noexcept nogil:
    return bits ^ ((bits >> 63) & 0x7FFFFFFFFFFFFFFFLL)


cdef inline int64_t key_of(real x) noexcept nogil:
    if real is float:
        return key32((<int32_t*>&x)[0])
    else:
        return key64((<int64_t*>&x)[0])


cdef real of_key(int64_t key, real kind) noexcept nogil:
    cdef int32_t bits32
    cdef int64_t bits64
    if real is float:
        bits32 = key32(<int32_t>key)
        return (<float*>&bits32)[0]
    else:
        bits64 = key64(key)
        return (<double*>&bits64)[0]


cdef Spread spread_of(const real* x, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef int32_t low32, high32, k32
    cdef int64_t low64, high64, k64
    cdef real low, high
    cdef Spread s
    s.low = s.high = 0.0
    s.finite = s.nan = s.neg_inf = s.pos_inf = 0
    if n == 0:
        return s
    if real is float:
        low32 = high32 = key32((<const int32_t*>x)[0])
        for i in range(n):
            k32 = key32((<const int32_t*>x)[i])
            low32 = k32 if k32 < low32 else low32
            high32 = k32 if k32 > high32 else high32
        low = of_key(low32, x[0])
        high = of_key(high32, x[0])
    else:
        low64 = high64 = key64((<const int64_t*>x)[0])
        for i in range(n):
            k64 = key64((<const int64_t*>x)[i])
            low64 = k64 if k64 < low64 else low64
            high64 = k64 if k64 > high64 else high64
        low = of_key(low64, x[0])
        high = of_key(high64, x[0])
    if isfinite(low) and isfinite(high):
        s.finite = n
    else:
        low = <real>INFINITY
        high = -<real>INFINITY
        for i in range(n):
            if isfinite(x[i]):
                s.finite += 1
                low = x[i] if x[i] < low else low
                high = x[i] if x[i] > high else high
            elif isnan(x[i]):
                s.nan += 1
            elif x[i] > 0:
                s.pos_inf += 1
            else:
                s.neg_inf += 1
    if s.finite:
        # Adding zero makes a negative zero a plain one.
        s.low = <double>low + 0.0
        s.high = <double>high + 0.0
    return s


cdef void count_by_formula(
    const real* x, Py_ssize_t n, double low, double width, double scale, Py_ssize_t buckets, int64_t* counts
) noexcept nogil:
    cdef Py_ssize_t i, bucket
    cdef double origin = low * scale
    for i in range(n):
        if isfinite(x[i]):
            bucket = <Py_ssize_t>((<double>x[i] * scale - origin) / width)
            counts[bucket if bucket < buckets else buckets - 1] += 1


cdef void find_edges(double low, double high, double width, Py_ssize_t buckets, real* edges) noexcept nogil:
    """The smallest value that the formula puts into each bucket or above."""
    cdef Py_ssize_t i
    cdef int64_t below, above, middle, begin
    begin = key_of(<real>low)
    edges[0] = -<real>INFINITY
    edges[buckets] = <real>INFINITY
    for i in range(1, buckets):
        below = begin
        above = key_of(<real>high)
        while below + 1 < above:
            # Keys of both signs may lie further apart than an int64 can say.
            middle = (below >> 1) + (above >> 1) + (below & above & 1)
            if <Py_ssize_t>((<double>of_key(middle, edges[0]) - low) / width) >= i:
                above = middle
            else:
                below = middle
        edges[i] = of_key(above, edges[0])
        begin = below


cdef inline Py_ssize_t settled(real x, Py_ssize_t near, const real* edges) noexcept nogil:
    """The bucket of x, which is at most one away."""
    near += x >= edges[near + 1]
    near -= x < edges[near]
    return near


cdef void count_by_edges(
    const real* x, Py_ssize_t n, real low, real factor, Py_ssize_t buckets, const real* edges, int64_t* counts
) noexcept nogil:
    """A product in fixed point says the bucket, and whether it is too near to an edge to be sure; then the edges are asked.

    `factor` is buckets per unit in fixed point, `counts` has LANES rows.
    """
    cdef uint16_t near[BLOCK]
    # How far rounding may be off, and the ends beyond which there is no bucket to be taken for.
    cdef int32_t margin = <int32_t>(buckets // 64 + 3)
    cdef int32_t top = (<int32_t>buckets << POINT) - 1 - margin
    cdef int32_t place, unsure
    cdef uint64_t four, next_four
    cdef Py_ssize_t begin = 0, i, m
    cdef const real* block
    while begin < n:
        block = x + begin
        m = n - begin if n - begin < BLOCK else BLOCK
        unsure = 0
        for i in range(m):
            place = <int32_t>((block[i] - low) * factor)
            place = place if place > margin else margin
            place = place if place < top else top
            unsure |= ((place + margin) & ((1 << POINT) - 1)) - 2 * margin
            near[i] = <uint16_t>(place >> POINT)
        # Its sign says that one of the differences was below zero.
        if unsure < 0 or m < BLOCK:
            for i in range(m):
                counts[settled(block[i], near[i], edges)] += 1
        else:
            i = 0
            while i < BLOCK:
                # Read four at a time: there are more additions than loads to spare.
                four = (<uint64_t*>(near + i))[0]
                next_four = (<uint64_t*>(near + i))[1]
                counts[four & 0xFFFF] += 1
                counts[buckets + ((four >> 16) & 0xFFFF)] += 1
                counts[2 * buckets + ((four >> 32) & 0xFFFF)] += 1
                counts[3 * buckets + (four >> 48)] += 1
                counts[4 * buckets + (next_four & 0xFFFF)] += 1
                counts[5 * buckets + ((next_four >> 16) & 0xFFFF)] += 1
                counts[6 * buckets + ((next_four >> 32) & 0xFFFF)] += 1
                counts[7 * buckets + (next_four >> 48)] += 1
                i += LANES
        begin += BLOCK


cdef Spread count(const real* x, Py_ssize_t n, Py_ssize_t buckets, real* edges, int64_t* counts) noexcept nogil:
    cdef Spread s = spread_of(x, n)
    cdef double scale = 1.0, width
    cdef real factor
    # The width of the widest ranges overflows, so those are halved on the way.
    if not isfinite(s.high - s.low):
        scale = 0.5
    width = (s.high * scale - s.low * scale) / buckets
    if s.finite == 0 or width == 0.0:
        counts[buckets - 1] = s.finite
        return s
    factor = <real>((1 << POINT) / width)
    # Finding the edges takes some forty trials for each.
    if (
        s.finite == n
        and n > 64 * buckets
        and buckets <= MOST_BUCKETS_BY_EDGES
        and scale == 1.0
        and isfinite(<real>(s.high - s.low))
        and isfinite(factor)
        # A factor that has lost digits, below the normal numbers, would miss by more than one bucket.
        and factor > <real>1e-30
    ):
        find_edges(s.low, s.high, width, buckets, edges)
        count_by_edges(x, n, <real>s.low, factor, buckets, edges, counts)
    else:
        count_by_formula(x, n, s.low, width, scale, buckets, counts)
    return s


cdef tuple counted(const real[::1] values, Py_ssize_t buckets):
    cdef Py_ssize_t n = values.shape[0]
    cdef cnp.ndarray counts = np.zeros((LANES, buckets), dtype=np.int64)
    cdef cnp.ndarray edges = np.empty(buckets + 1, dtype=np.float32 if real is float else np.float64)
    cdef int64_t* count_at = <int64_t*>cnp.PyArray_DATA(counts)
    cdef real* edge_at = <real*>cnp.PyArray_DATA(edges)
    cdef const real* x = &values[0] if n else NULL
    cdef Spread s
    if n < SHORT:
        s = count(x, n, buckets, edge_at, count_at)
    else:
        with nogil:
            s = count(x, n, buckets, edge_at, count_at)
    return s.low, s.high, counts.sum(axis=0), (s.nan, s.neg_inf, s.pos_inf)


def count_buckets(values, Py_ssize_t buckets):
    """Smallest and largest finite value, counts per bucket, and how many are NaN, -inf and +inf.

    `values` is one contiguous row of float32 or float64. Without a finite value both ends are 0; where they are equal
    the last bucket has everything.
    """
    if buckets < 1:
        raise ValueError(f"{buckets} buckets")
    if values.dtype == np.float32:
        return counted[float](values, buckets)
    return counted[double](values, buckets)


cdef inline Py_ssize_t cell_of(const real* x) noexcept nogil:
    """The first 16 bits of a number: its sign, its exponent and what is left for its digits."""
    if real is float:
        return (<const uint32_t*>x)[0] >> 16
    else:
        return (<const uint64_t*>x)[0] >> 48


cdef void count_by_cells(
    const real* x, Py_ssize_t n, const uint16_t* first, const real* edges, Py_ssize_t width, int64_t* counts
) noexcept nogil:
    cdef Py_ssize_t i = 0, a, b, c, d
    while i + 4 <= n:
        a = first[cell_of(x + i)]
        b = first[cell_of(x + i + 1)]
        c = first[cell_of(x + i + 2)]
        d = first[cell_of(x + i + 3)]
        counts[a + (x[i] >= edges[a])] += 1
        counts[width + b + (x[i + 1] >= edges[b])] += 1
        counts[2 * width + c + (x[i + 2] >= edges[c])] += 1
        counts[3 * width + d + (x[i + 3] >= edges[d])] += 1
        i += 4
    while i < n:
        a = first[cell_of(x + i)]
        counts[a + (x[i] >= edges[a])] += 1
        i += 1


cdef counted_by_cells(const real[::1] values, const uint16_t[::1] first, const real[::1] edges):
    cdef Py_ssize_t n = values.shape[0], width = edges.shape[0] + 1
    cdef cnp.ndarray counts = np.zeros((4, width), dtype=np.int64)
    cdef int64_t* count_at = <int64_t*>cnp.PyArray_DATA(counts)
    cdef const real* x = &values[0] if n else NULL
    with nogil:
        count_by_cells(x, n, &first[0], &edges[0], width, count_at)
    return counts.sum(axis=0)


def count_cells(values, const uint16_t[::1] first not None, edges):
    """How many values have as many edges at or below them as the index says.

    `first` has for each of the 65,536 possible first 16 bits the number of edges at or below all such values; one more is
    asked for. `values` and `edges` are of one type, float32 or float64.
    """
    if first.shape[0] != 1 << 16 or np.max(first) >= len(edges):
        raise ValueError("a table that does not fit its edges")
    if values.dtype == np.float32:
        return counted_by_cells[float](values, first, edges)
    return counted_by_cells[double](values, first, edges)
