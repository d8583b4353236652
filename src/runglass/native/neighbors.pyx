"""Nearest neighbours among float32 rows: of one row, from tables of products, and of all rows by trees and descent.

Every function works on a range of rows and writes to these rows alone, so several threads may each take a range of their own, and
results do not depend on how many there are. Distances are squared. A `flag` that becomes 1 ends a loop early.
"""

from libc.math cimport INFINITY, sqrtf
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset


cdef extern from "distance.h" nogil:
    float squared_within(const float *a, const float *b, int d, float limit)
    float squared(const float *a, const float *b, long d)
    float product(const float *a, const float *b, long d, float *length)
    void FETCH(const void *at)


cdef enum:
    # Rows between two looks at the flag.
    PACE = 64
    # How many rows before it is needed a row is fetched, and how many are listed at a time.
    AHEAD = 6
    LISTED = 4096
    # Of rows, beyond which a plane between two parts is not looked for by more numbers of them.
    PLANE = 48


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    # splitmix64
    x += <uint64_t>0x9E3779B97F4A7C15
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


def measure(
    const float[:, ::1] rows not None,
    const float[::1] target not None,
    float[::1] distances not None,
    Py_ssize_t start,
    Py_ssize_t stop,
    *,
    bint cosine,
):
    """Distances, not squared, from `target` to the rows from `start` to `stop`; cosine: NaN where a row has no direction."""
    cdef Py_ssize_t i, d = rows.shape[1]
    cdef float length = 0, own = 0, dot
    if target.shape[0] != d or not 0 <= start <= stop <= rows.shape[0] or distances.shape[0] != rows.shape[0]:
        raise ValueError("arrays of unequal sizes")
    if start == stop:
        return
    with nogil:
        if cosine:
            product(&target[0], &target[0], d, &own)
            own = sqrtf(own)
            for i in range(start, stop):
                dot = product(&rows[i, 0], &target[0], d, &length)
                length = sqrtf(length) * own
                distances[i] = 1 - dot / length if length > 0 else <float>(INFINITY - INFINITY)
        else:
            for i in range(start, stop):
                distances[i] = sqrtf(squared(&rows[i, 0], &target[0], d))


cdef inline void sift(float *far, int32_t *who, int count, float value, int32_t row) noexcept nogil:
    """Replace the farthest, which is the first, and let the new one sink to its place."""
    cdef int at = 0, child
    while True:
        child = 2 * at + 1
        if child >= count:
            break
        if child + 1 < count and far[child + 1] > far[child]:
            child += 1
        if far[child] <= value:
            break
        far[at] = far[child]
        who[at] = who[child]
        at = child
    far[at] = value
    who[at] = row


cdef void order_heap(float *far, int32_t *who, int count) noexcept nogil:
    """Farthest first: still a heap, of which the nearest are at the end."""
    cdef int i, j
    cdef float value
    cdef int32_t row
    for i in range(1, count):
        value = far[i]
        row = who[i]
        j = i
        while j and (far[j - 1] < value or (far[j - 1] == value and who[j - 1] < row)):
            far[j] = far[j - 1]
            who[j] = who[j - 1]
            j -= 1
        far[j] = value
        who[j] = row


cdef void sort_heap(float *far, int32_t *who, int count) noexcept nogil:
    """Nearest first; of equal ones the smaller row."""
    cdef int i, j
    order_heap(far, who, count)
    for i in range(count // 2):
        j = count - 1 - i
        far[i], far[j] = far[j], far[i]
        who[i], who[j] = who[j], who[i]


cdef inline int keep_nearer(
    const float *rows, int d, Py_ssize_t own, const int32_t *listed, int length, float *far, int32_t *who, int count
) noexcept nogil:
    """Put those of the listed rows into the heap that are near enough, and return how many were."""
    cdef int at, found = 0
    cdef float value
    cdef const float *mine = rows + own * d
    for at in range(length):
        # Rows are anywhere in memory: they are fetched while others are measured.
        if at + AHEAD < length:
            FETCH(rows + <Py_ssize_t>listed[at + AHEAD] * d)
            FETCH(rows + <Py_ssize_t>listed[at + AHEAD] * d + 16)
        value = squared_within(mine, rows + <Py_ssize_t>listed[at] * d, d, far[0])
        if value < far[0]:
            sift(far, who, count, value, listed[at])
            found += 1
    return found


def keep_nearest(
    const float[:, ::1] products not None,
    const float[::1] lengths not None,
    Py_ssize_t first,
    int32_t[:, ::1] who not None,
    float[:, ::1] far not None,
    Py_ssize_t start,
    Py_ssize_t stop,
):
    """The nearest of some rows, from a table of products of theirs with all rows: `products[i]` is of row `first + i`.

    `lengths` are squared. Fills the rows `first + start` to `first + stop` of `who` and `far`, nearest first.
    """
    cdef Py_ssize_t i, j, own, n = products.shape[1]
    cdef int count = <int>who.shape[1]
    cdef int filled
    cdef float value, worst
    if lengths.shape[0] != n or far.shape[0] != who.shape[0] or far.shape[1] != count or count >= n or count < 1:
        raise ValueError("arrays of unequal sizes")
    if not 0 <= start <= stop <= products.shape[0] or first < 0 or first + stop > who.shape[0]:
        raise ValueError("rows that are not there")
    with nogil:
        for i in range(start, stop):
            own = first + i
            for j in range(count):
                far[own, j] = INFINITY
                who[own, j] = -1
            worst = INFINITY
            for j in range(n):
                value = lengths[j] - 2 * products[i, j]
                if value < worst and j != own:
                    sift(&far[own, 0], &who[own, 0], count, value, <int32_t>j)
                    worst = far[own, 0]
            sort_heap(&far[own, 0], &who[own, 0], count)
            for j in range(count):
                value = far[own, j] + lengths[own]
                far[own, j] = value if value > 0 else 0


def plant(
    const float[:, ::1] rows not None,
    int32_t[::1] order not None,
    int32_t[::1] leaf_of not None,
    const uint8_t[::1] flag not None,
    *,
    int leaf,
    uint64_t seed,
):
    """Divide the rows by random planes until parts have `leaf` rows at most. Writes the rows of all parts, one part after the other, to
    `order`, and to `leaf_of` where the part of each place begins. Returns nothing else: a part ends where another begins."""
    cdef int64_t n = rows.shape[0]
    cdef int d = <int>min(rows.shape[1], PLANE)
    cdef int64_t low, high, middle, i, j, top = 0
    cdef int32_t a, b, swap
    cdef float side, offset
    cdef float *sides
    cdef int64_t *stack
    cdef float plane[PLANE]
    cdef int c, tries
    cdef uint64_t state = mix(seed)
    if order.shape[0] != n or leaf_of.shape[0] != n or leaf < 2:
        raise ValueError("arrays of unequal sizes")
    sides = <float *>malloc((n + 1) * sizeof(float))
    stack = <int64_t *>malloc(2 * 4096 * sizeof(int64_t))
    if not sides or not stack:
        free(sides)
        free(stack)
        raise MemoryError
    with nogil:
        for i in range(n):
            order[i] = <int32_t>i
        stack[0] = 0
        stack[1] = n
        top = 1
        while top and not flag[0]:
            top -= 1
            low = stack[2 * top]
            high = stack[2 * top + 1]
            if high - low <= leaf or top >= 2040:
                for i in range(low, high):
                    leaf_of[i] = <int32_t>low
                continue
            middle = low
            for tries in range(3):
                state = mix(state)
                a = order[low + <int64_t>(state % <uint64_t>(high - low))]
                state = mix(state)
                b = order[low + <int64_t>(state % <uint64_t>(high - low))]
                offset = 0
                for c in range(d):
                    plane[c] = rows[a, c] - rows[b, c]
                    offset += plane[c] * (rows[a, c] + rows[b, c]) * <float>0.5
                middle = divide(rows, order, sides, low, high, plane, d, offset)
                # Parts that are too unequal would make the tree deep.
                if (middle - low) * 12 >= high - low and (high - middle) * 12 >= high - low:
                    break
                middle = low
            if middle == low:
                # By chance, so that equal rows are divided too.
                for i in range(low, high):
                    state = mix(state)
                    j = i + <int64_t>(state % <uint64_t>(high - i))
                    swap = order[i]
                    order[i] = order[j]
                    order[j] = swap
                middle = (low + high) // 2
            stack[2 * top] = low
            stack[2 * top + 1] = middle
            stack[2 * top + 2] = middle
            stack[2 * top + 3] = high
            top += 2
    free(sides)
    free(stack)


cdef int64_t divide(
    const float[:, ::1] rows,
    int32_t[::1] order,
    float *sides,
    int64_t low,
    int64_t high,
    const float *plane,
    int d,
    float offset,
) noexcept nogil:
    """Move the rows on the near side of the plane before the others, and return where those begin."""
    cdef int64_t i, left = low, right = high - 1
    cdef float length = 0
    cdef int32_t swap
    cdef float side
    for i in range(low, high):
        sides[i] = product(&rows[order[i], 0], plane, d, &length) - offset
    while left <= right:
        if sides[left] > 0:
            left += 1
        else:
            swap = order[left]
            order[left] = order[right]
            order[right] = swap
            side = sides[left]
            sides[left] = sides[right]
            sides[right] = side
            right -= 1
    return left


def search_leaves(
    const float[:, ::1] rows not None,
    const int32_t[:, ::1] orders not None,
    const int32_t[:, ::1] leaves not None,
    const int32_t[:, ::1] places not None,
    int32_t[:, ::1] who not None,
    float[:, ::1] far not None,
    Py_ssize_t start,
    Py_ssize_t stop,
    const uint8_t[::1] flag not None,
):
    """The nearest rows among those in the same part of any tree: a heap for each row, farthest first, -1 where there are too few.

    `places` says where each row stands in each order.
    """
    cdef Py_ssize_t n = rows.shape[0], i, tree, at, low
    cdef int count = <int>who.shape[1]
    cdef int d = <int>rows.shape[1]
    cdef int32_t j
    cdef int c, length
    cdef int32_t listed[LISTED]
    cdef int32_t *seen
    if d % 4 or orders.shape[1] != n or leaves.shape[1] != n or places.shape[1] != n or who.shape[0] != n:
        raise ValueError("arrays of unequal sizes")
    if leaves.shape[0] != orders.shape[0] or places.shape[0] != orders.shape[0] or far.shape[0] != n:
        raise ValueError("arrays of unequal sizes")
    if far.shape[1] != count or count < 1 or not 0 <= start <= stop <= n:
        raise ValueError("arrays of unequal sizes")
    seen = <int32_t *>malloc(n * sizeof(int32_t))
    if not seen:
        raise MemoryError
    with nogil:
        memset(seen, 255, n * sizeof(int32_t))
        for i in range(start, stop):
            if not i % PACE and flag[0]:
                break
            for c in range(count):
                far[i, c] = INFINITY
                who[i, c] = -1
            seen[i] = <int32_t>i
            length = 0
            for tree in range(orders.shape[0]):
                low = leaves[tree, places[tree, i]]
                at = low
                while at < n and leaves[tree, at] == low:
                    j = orders[tree, at]
                    at += 1
                    if seen[j] == i:
                        continue
                    seen[j] = <int32_t>i
                    listed[length] = j
                    length += 1
                    if length == LISTED:
                        keep_nearer(&rows[0, 0], d, i, listed, length, &far[i, 0], &who[i, 0], count)
                        length = 0
            keep_nearer(&rows[0, 0], d, i, listed, length, &far[i, 0], &who[i, 0], count)
            order_heap(&far[i, 0], &who[i, 0], count)
    free(seen)


def gather(
    const int32_t[:, ::1] who not None,
    const uint8_t[:, ::1] fresh not None,
    int32_t[:, ::1] near not None,
    uint8_t[:, ::1] is_fresh not None,
    int32_t[::1] counts not None,
    const uint8_t[::1] flag not None,
    *,
    int span,
    uint64_t seed,
):
    """For every row its `span` nearest neighbours and rows of whose nearest it is one, as many as `near` has room for, and how many. Fresh
    ones were found in the last round. Of too many, a random choice. The heaps are ordered, farthest first."""
    cdef Py_ssize_t n = who.shape[0], i
    cdef int count = <int>who.shape[1], room = <int>near.shape[1], c, slot
    cdef int32_t j
    cdef int32_t *offered
    if near.shape[0] != n or is_fresh.shape[0] != n or is_fresh.shape[1] != room or counts.shape[0] != n:
        raise ValueError("arrays of unequal sizes")
    if fresh.shape[0] != n or fresh.shape[1] != count or not 1 <= span <= count or room < span:
        raise ValueError("arrays of unequal sizes")
    offered = <int32_t *>calloc(n if n else 1, sizeof(int32_t))
    if not offered:
        raise MemoryError
    with nogil:
        for i in range(n):
            counts[i] = 0
            for c in range(count - span, count):
                if who[i, c] >= 0:
                    near[i, counts[i]] = who[i, c]
                    is_fresh[i, counts[i]] = fresh[i, c]
                    counts[i] += 1
        for i in range(n):
            offered[i] = counts[i]
        for i in range(n):
            if not i % PACE and flag[0]:
                break
            for c in range(count - span, count):
                j = who[i, c]
                if j < 0:
                    continue
                offered[j] += 1
                if counts[j] < room:
                    slot = counts[j]
                    counts[j] += 1
                else:
                    # Each of those that came has the same chance; a row's own neighbours stay.
                    slot = span + <int>(mix(seed ^ <uint64_t>(i * count + c)) % <uint64_t>(offered[j] - span))
                    if slot >= room:
                        continue
                near[j, slot] = <int32_t>i
                is_fresh[j, slot] = fresh[i, c]
    free(offered)


def descend(
    const float[:, ::1] rows not None,
    const int32_t[:, ::1] near not None,
    const uint8_t[:, ::1] is_fresh not None,
    const int32_t[::1] counts not None,
    int32_t[:, ::1] who not None,
    float[:, ::1] far not None,
    uint8_t[:, ::1] fresh not None,
    Py_ssize_t start,
    Py_ssize_t stop,
    const uint8_t[::1] flag not None,
):
    """Look for nearer rows among the neighbours of neighbours, and return how many were found. `who`, `far` and `fresh` are heaps of
    the rows, of which those from `start` to `stop` change; `near` is what gather() made before."""
    cdef Py_ssize_t n = rows.shape[0], i, found = 0
    cdef int count = <int>who.shape[1], room = <int>near.shape[1]
    cdef int d = <int>rows.shape[1]
    cdef int a, b, c, length
    cdef int32_t listed[LISTED]
    cdef int32_t j, k
    cdef bint is_new
    cdef int32_t *seen
    cdef int32_t *before
    if d % 4 or who.shape[0] != n or far.shape[0] != n or fresh.shape[0] != n or near.shape[0] != n:
        raise ValueError("arrays of unequal sizes")
    if is_fresh.shape[0] != n or is_fresh.shape[1] != room or counts.shape[0] != n or count < 1:
        raise ValueError("arrays of unequal sizes")
    if far.shape[1] != count or fresh.shape[1] != count or not 0 <= start <= stop <= n:
        raise ValueError("arrays of unequal sizes")
    seen = <int32_t *>malloc(n * sizeof(int32_t))
    before = <int32_t *>malloc(count * sizeof(int32_t))
    if not seen or not before:
        free(seen)
        free(before)
        raise MemoryError
    with nogil:
        memset(seen, 255, n * sizeof(int32_t))
        for i in range(start, stop):
            if not i % PACE and flag[0]:
                break
            seen[i] = <int32_t>i
            memcpy(before, &who[i, 0], count * sizeof(int32_t))
            for c in range(count):
                if who[i, c] >= 0:
                    seen[who[i, c]] = <int32_t>i
            length = 0
            for a in range(counts[i]):
                j = near[i, a]
                is_new = is_fresh[i, a]
                # A row that this one is a neighbour of may itself be nearer than what was found.
                for b in range(-1, counts[j]):
                    if b < 0:
                        if not is_new:
                            continue
                        k = j
                    else:
                        if not (is_new or is_fresh[j, b]):
                            continue
                        k = near[j, b]
                    if seen[k] == i:
                        continue
                    seen[k] = <int32_t>i
                    listed[length] = k
                    length += 1
                    if length == LISTED:
                        found += keep_nearer(&rows[0, 0], d, i, listed, length, &far[i, 0], &who[i, 0], count)
                        length = 0
            found += keep_nearer(&rows[0, 0], d, i, listed, length, &far[i, 0], &who[i, 0], count)
            order_heap(&far[i, 0], &who[i, 0], count)
            # Fresh is what was not there before.
            for c in range(count):
                fresh[i, c] = 1
                for b in range(count):
                    if before[b] == who[i, c]:
                        fresh[i, c] = 0
                        break
    free(seen)
    free(before)
    return found


def widen(
    const float[:, ::1] rows not None,
    const int32_t[:, ::1] near not None,
    const int32_t[::1] counts not None,
    int32_t[:, ::1] who not None,
    float[:, ::1] far not None,
    Py_ssize_t start,
    Py_ssize_t stop,
    const uint8_t[::1] flag not None,
):
    """The nearest among all neighbours and neighbours of neighbours, for more of them than descent was done with; heaps as there."""
    cdef Py_ssize_t n = rows.shape[0], i
    cdef int count = <int>who.shape[1]
    cdef int d = <int>rows.shape[1]
    cdef int a, b, c, length
    cdef int32_t listed[LISTED]
    cdef int32_t j, k
    cdef int32_t *seen
    if d % 4 or who.shape[0] != n or far.shape[0] != n or near.shape[0] != n or counts.shape[0] != n:
        raise ValueError("arrays of unequal sizes")
    if far.shape[1] != count or count < 1 or not 0 <= start <= stop <= n:
        raise ValueError("arrays of unequal sizes")
    seen = <int32_t *>malloc(n * sizeof(int32_t))
    if not seen:
        raise MemoryError
    with nogil:
        memset(seen, 255, n * sizeof(int32_t))
        for i in range(start, stop):
            if not i % PACE and flag[0]:
                break
            seen[i] = <int32_t>i
            for c in range(count):
                far[i, c] = INFINITY
                who[i, c] = -1
            length = 0
            for a in range(counts[i]):
                j = near[i, a]
                for b in range(-1, counts[j]):
                    k = j if b < 0 else near[j, b]
                    if seen[k] == i:
                        continue
                    seen[k] = <int32_t>i
                    listed[length] = k
                    length += 1
                    if length == LISTED:
                        keep_nearer(&rows[0, 0], d, i, listed, length, &far[i, 0], &who[i, 0], count)
                        length = 0
            keep_nearer(&rows[0, 0], d, i, listed, length, &far[i, 0], &who[i, 0], count)
    free(seen)


def reorder(float[:, ::1] rows not None, int32_t[::1] order not None):
    """Row order[i] becomes row i, in place: along the cycles, with one row aside. `order` is changed meanwhile and is what it was after."""
    cdef Py_ssize_t n = rows.shape[0], i, at, source
    cdef size_t size = rows.shape[1] * sizeof(float)
    cdef float *aside
    if order.shape[0] != n:
        raise ValueError("arrays of unequal sizes")
    for i in range(n):
        if not 0 <= order[i] < n:
            raise ValueError("a row that is not there")
    if not n or not size:
        return
    aside = <float *>malloc(size)
    if not aside:
        raise MemoryError
    with nogil:
        for i in range(n):
            # Places that are done are marked by their complement.
            if order[i] < 0:
                continue
            memcpy(aside, &rows[i, 0], size)
            at = i
            while True:
                source = order[at]
                order[at] = <int32_t>~source
                if source == i or order[source] < 0:
                    memcpy(&rows[at, 0], aside, size)
                    break
                memcpy(&rows[at, 0], &rows[source, 0], size)
                at = source
        for i in range(n):
            order[i] = ~order[i]
    free(aside)


def sort_heaps(int32_t[:, ::1] who not None, float[:, ::1] far not None, Py_ssize_t start, Py_ssize_t stop):
    """Nearest first."""
    cdef Py_ssize_t i
    if far.shape[0] != who.shape[0] or far.shape[1] != who.shape[1] or not 0 <= start <= stop <= who.shape[0]:
        raise ValueError("arrays of unequal sizes")
    if not who.shape[1]:
        return
    with nogil:
        for i in range(start, stop):
            sort_heap(&far[i, 0], &who[i, 0], <int>who.shape[1])
