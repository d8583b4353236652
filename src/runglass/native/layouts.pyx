"""What t-SNE and UMAP share and what UMAP needs: similarities of neighbours, symmetric graphs, and one epoch of moving points.

Functions with a range write to its rows alone. Random numbers come from seed, epoch and row, so results do not depend on threads.
"""

from libc.math cimport exp, fabs, log
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy


cdef extern from "layout.h" nogil:
    float fast_exp2(float x)


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    # splitmix64
    x += <uint64_t>0x9E3779B97F4A7C15
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


cdef enum:
    # The exponent and seven bits behind it.
    BITS = 15

FORCE_BITS = BITS

cdef struct Moving:
    float x[3]
    float pace


cdef inline float within(float change) noexcept nogil:
    return 4 if change > 4 else (-4 if change < -4 else change)


cdef inline void move(Moving *moving, const float *there, int dimensions, const float *table) noexcept nogil:
    cdef float x = moving.x[0] - there[0], y, z, square, force
    cdef uint32_t bits
    if dimensions == 2:
        y = moving.x[1] - there[1]
        square = x * x + y * y
        memcpy(&bits, &square, 4)
        force = table[(bits >> 16) & 32767]
        moving.x[0] += moving.pace * within(force * x)
        moving.x[1] += moving.pace * within(force * y)
        return
    y = moving.x[1] - there[1] if dimensions > 1 else 0
    z = moving.x[2] - there[2] if dimensions > 2 else 0
    square = x * x + y * y + z * z
    memcpy(&bits, &square, 4)
    force = table[(bits >> 16) & 32767]
    moving.x[0] += moving.pace * within(force * x)
    moving.x[1] += moving.pace * within(force * y)
    moving.x[2] += moving.pace * within(force * z)


def membership(
    const float[:, ::1] distances not None, float[:, ::1] weights not None, double target, Py_ssize_t start, Py_ssize_t stop
):
    """UMAP: how much each neighbour belongs to a row. 1 for the nearest; widths are such that a row's weights sum up to `target`."""
    cdef Py_ssize_t i, j, count = distances.shape[1]
    cdef double nearest, low, high, width, total, mean, far
    cdef int step
    if weights.shape[0] != distances.shape[0] or weights.shape[1] != count:
        raise ValueError("arrays of unequal sizes")
    if not 0 <= start <= stop <= distances.shape[0]:
        raise ValueError("rows that are not there")
    with nogil:
        for i in range(start, stop):
            nearest = 0
            mean = 0
            for j in range(count):
                mean += distances[i, j] / count
                if distances[i, j] > 0 and nearest == 0:
                    nearest = distances[i, j]
            low = 0
            high = -1
            width = mean if mean > 0 else 1.0
            for step in range(64):
                total = 0
                for j in range(count):
                    far = distances[i, j] - nearest
                    total += fast_exp2(<float>(-1.4426950408889634 * far / width)) if far > 0 else 1.0
                if fabs(total - target) < 1e-4:
                    break
                if total > target:
                    high = width
                    width = (low + high) / 2
                else:
                    low = width
                    width = 2 * width if high < 0 else (low + high) / 2
            if width < 1e-3 * mean:
                width = 1e-3 * mean
            for j in range(count):
                far = distances[i, j] - nearest
                weights[i, j] = <float>exp(-far / width) if far > 0 and width > 0 else 1.0


def likeness(
    const float[:, ::1] squares not None, float[:, ::1] shares not None, double perplexity, Py_ssize_t start, Py_ssize_t stop
):
    """t-SNE: the conditional probabilities of each row's neighbours, of which the entropy is that of `perplexity` equal ones."""
    cdef Py_ssize_t i, j, count = squares.shape[1]
    cdef double wanted = log(perplexity), beta, low, high, total, weighted, value, entropy, least
    cdef int step
    if shares.shape[0] != squares.shape[0] or shares.shape[1] != count:
        raise ValueError("arrays of unequal sizes")
    if not 0 <= start <= stop <= squares.shape[0]:
        raise ValueError("rows that are not there")
    if not count:
        return
    with nogil:
        for i in range(start, stop):
            least = squares[i, 0]
            value = 0
            for j in range(count):
                value += (squares[i, j] - least) / count
            beta = 1 / value if value > 0 else 1.0
            low = 0
            high = -1
            for step in range(64):
                total = 0
                weighted = 0
                for j in range(count):
                    value = fast_exp2(<float>(-1.4426950408889634 * beta * (squares[i, j] - least)))
                    shares[i, j] = <float>value
                    total += value
                    weighted += value * (squares[i, j] - least)
                entropy = log(total) + beta * weighted / total
                if fabs(entropy - wanted) < 1e-4 or beta > 1e30:
                    break
                if entropy > wanted:
                    low = beta
                    beta = 2 * beta if high < 0 else (low + high) / 2
                else:
                    high = beta
                    beta = (low + high) / 2
            for j in range(count):
                shares[i, j] = <float>(shares[i, j] / total)


def count_edges(const int32_t[:, ::1] near not None, int64_t[::1] starts not None):
    """How many rows each row is linked with in either direction, an upper bound, summed up: `starts` has one more than there are rows."""
    cdef Py_ssize_t i, j, n = near.shape[0]
    if starts.shape[0] != n + 1:
        raise ValueError("arrays of unequal sizes")
    with nogil:
        for i in range(n + 1):
            starts[i] = 0
        for i in range(n):
            for j in range(near.shape[1]):
                if 0 <= near[i, j] < n:
                    starts[i + 1] += 1
                    starts[near[i, j] + 1] += 1
        for i in range(n):
            starts[i + 1] += starts[i]


def join_edges(
    const int32_t[:, ::1] near not None,
    const float[:, ::1] weights not None,
    int64_t[::1] starts not None,
    int32_t[::1] others not None,
    float[::1] joined not None,
    *,
    bint union,
):
    """The weights of both directions as one: a + b - a b (`union`), or a + b. `starts` is what count_edges made; afterwards it has where
    the edges of each row begin, each row's in the order of the other rows."""
    cdef Py_ssize_t i, j, n = near.shape[0], count = near.shape[1]
    cdef int64_t at, write, first, last, k
    cdef int32_t other
    cdef float weight
    cdef int64_t *filled
    if weights.shape[0] != n or weights.shape[1] != count or starts.shape[0] != n + 1:
        raise ValueError("arrays of unequal sizes")
    if others.shape[0] != starts[n] or joined.shape[0] != starts[n]:
        raise ValueError("arrays of unequal sizes")
    filled = <int64_t *>malloc((n + 1) * sizeof(int64_t))
    if not filled:
        raise MemoryError
    with nogil:
        for i in range(n):
            filled[i] = starts[i]
        for i in range(n):
            for j in range(count):
                other = near[i, j]
                if not 0 <= other < n:
                    continue
                others[filled[i]] = other
                joined[filled[i]] = weights[i, j]
                filled[i] += 1
                others[filled[other]] = <int32_t>i
                joined[filled[other]] = weights[i, j]
                filled[other] += 1
        write = 0
        for i in range(n):
            first = starts[i]
            last = filled[i]
            sort_edges(&others[0], &joined[0], first, last)
            starts[i] = write
            at = first
            while at < last:
                other = others[at]
                weight = joined[at]
                if at + 1 < last and others[at + 1] == other:
                    weight = weight + joined[at + 1] - weight * joined[at + 1] if union else weight + joined[at + 1]
                    at += 1
                at += 1
                others[write] = other
                joined[write] = weight
                write += 1
        starts[n] = write
    free(filled)
    return write


cdef void sort_edges(int32_t *others, float *weights, int64_t first, int64_t last) noexcept nogil:
    """By the other row: a Shell sort, since most rows have a few dozen."""
    cdef int64_t gap, i, j
    cdef int32_t other
    cdef float weight
    gap = 1
    while gap < (last - first) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(first + gap, last):
            other = others[i]
            weight = weights[i]
            j = i
            while j >= first + gap and others[j - gap] > other:
                others[j] = others[j - gap]
                weights[j] = weights[j - gap]
                j -= gap
            others[j] = other
            weights[j] = weight
        gap //= 3


def move_points(
    const int64_t[::1] starts not None,
    const int32_t[::1] others not None,
    const uint32_t[::1] rates not None,
    const float[::1] attraction not None,
    const float[::1] repulsion not None,
    const float[:, ::1] before not None,
    float[:, ::1] after not None,
    Py_ssize_t start,
    Py_ssize_t stop,
    *,
    int epoch,
    float pace,
    int samples,
    uint64_t seed,
):
    """UMAP: one epoch for some rows. An edge counts in as many epochs as its rate says, 2³² for all of them; then its row moves towards
    the other one twice (once for either end of the edge) and away from `samples` random rows.

    All others are where they were `before`, so the result is the same in any order and on any number of threads. The tables have the
    force over the distance, for squared distances of which FORCE_BITS after the sign are the place in the table.
    """
    cdef Py_ssize_t i, n = before.shape[0]
    cdef int64_t edge
    cdef int dimensions = <int>before.shape[1], c, sample
    cdef int32_t j
    cdef uint64_t state, phase
    cdef Moving moving
    if starts.shape[0] != n + 1 or after.shape[0] != n or after.shape[1] != dimensions or not 1 <= dimensions <= 3:
        raise ValueError("arrays of unequal sizes")
    if others.shape[0] < starts[n] or rates.shape[0] < starts[n] or not 0 <= start <= stop <= n:
        raise ValueError("arrays of unequal sizes")
    if attraction.shape[0] != 1 << BITS or repulsion.shape[0] != 1 << BITS:
        raise ValueError("tables of a wrong size")
    moving.pace = pace
    moving.x[0] = moving.x[1] = moving.x[2] = 0
    with nogil:
        for i in range(start, stop):
            for c in range(dimensions):
                moving.x[c] = before[i, c]
            state = mix((seed + <uint64_t>epoch * <uint64_t>0x9E3779B97F4A7C15) ^ mix(<uint64_t>i)) | 1
            for edge in range(starts[i], starts[i + 1]):
                phase = <uint64_t>epoch * rates[edge]
                if (phase + rates[edge]) >> 32 == phase >> 32:
                    continue
                j = others[edge]
                move(&moving, &before[j, 0], dimensions, &attraction[0])
                move(&moving, &before[j, 0], dimensions, &attraction[0])
                for sample in range(samples):
                    # xorshift64
                    state ^= state << 13
                    state ^= state >> 7
                    state ^= state << 17
                    j = <int32_t>(((state >> 32) * <uint64_t>n) >> 32)
                    if j != i:
                        move(&moving, &before[j, 0], dimensions, &repulsion[0])
            for c in range(dimensions):
                after[i, c] = moving.x[c]
