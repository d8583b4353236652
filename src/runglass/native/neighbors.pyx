"""Nearest neighbours among float32 rows: of one row, from tables of products, and of all rows by trees and descent.

Every function works on a range of rows and writes to these rows alone, so several threads may each take a range of their own, and
results do not depend on how many there are. Distances are squared. A `flag` that becomes 1 ends a loop early.
"""

from libc.math cimport INFINITY, sqrtf
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memmove, memset


cdef extern from "distance.h" nogil:
    float squared_within(const float *a, const float *b, int d, float limit)
    unsigned nearer_4x4(const float *const *a, const float *const *b, int d, const float *low_a, const float *low_b,
                        const float *limits_a, const float *limits_b)
    float squared(const float *a, const float *b, long d)
    float product(const float *a, const float *b, long d, float *length)
    void FETCH(const void *at)
    int LOWEST(unsigned bits)


cdef enum:
    # Rows between two looks at the flag.
    PACE = 64
    # How many rows before it is needed a row is fetched, and how many are listed at a time.
    AHEAD = 6
    LISTED = 4096
    # Of rows, beyond which a plane between two parts is not looked for by more numbers of them.
    PLANE = 48
    # Of all rows, each of which is given what is offered to it by one thread.
    OFFER_PARTS = 16
    # Neighbours of a row that are compared with each other, and three more.
    MOST = 128
    # Rows that stay in the nearest cache.
    CACHED = 64


PARTS = OFFER_PARTS


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


cdef inline int insert(float *far, int32_t *who, int count, float value, int32_t row) noexcept nogil:
    """Put a row among neighbours that are ordered, farthest first, and leave out the farthest: where it stands, or -1 if it is too far
    or was there."""
    cdef int c, is_there = 0
    if value >= far[0]:
        return -1
    for c in range(count):
        is_there |= who[c] == row
    if is_there:
        return -1
    for c in range(count - 1):
        if far[c + 1] <= value:
            break
        far[c] = far[c + 1]
        who[c] = who[c + 1]
    else:
        c = count - 1
    far[c] = value
    who[c] = row
    return c


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


cdef inline void list_rows(
    const int32_t *listed,
    int count,
    const float *rows,
    int d,
    const float *low,
    const float *far,
    int width,
    const float **at,
    float *lows,
    float *limits,
) noexcept nogil:
    """Where the listed rows are, `low` of them and how far their farthest neighbour is; then three that are near to nothing."""
    cdef int a
    cdef Py_ssize_t row
    for a in range(count):
        row = listed[a]
        at[a] = rows + row * d
        lows[a] = low[row]
        limits[a] = far[row * width]
    for a in range(count, count + 3):
        at[a] = at[count - 1]
        lows[a] = INFINITY
        limits[a] = 0


def search_leaves(
    const float[:, ::1] rows not None,
    const float[::1] low not None,
    const int32_t[::1] order not None,
    const int32_t[::1] bounds not None,
    int32_t[:, ::1] who not None,
    float[:, ::1] far not None,
    Py_ssize_t start,
    Py_ssize_t stop,
    const uint8_t[::1] flag not None,
):
    """Compare all rows of a part of a tree with each other, for the parts from `start` to `stop`; part i has the rows of `order` from
    bounds[i] to bounds[i + 1]. `who` and `far` are the neighbours, farthest first; -1 and infinity where there are too few."""
    cdef Py_ssize_t n = rows.shape[0], part, at
    cdef int width = <int>who.shape[1]
    cdef int d = <int>rows.shape[1]
    cdef int size, most = 0, i, j, p, q, block, end
    cdef unsigned found
    cdef const int32_t *members
    cdef const float **places
    cdef float *lows
    cdef float *limits
    cdef float value
    if d % 4 or order.shape[0] != n or who.shape[0] != n or far.shape[0] != n or low.shape[0] != n:
        raise ValueError("arrays of unequal sizes")
    if far.shape[1] != width or width < 1 or not 0 <= start <= stop < bounds.shape[0]:
        raise ValueError("arrays of unequal sizes")
    for part in range(start, stop):
        if not 0 <= bounds[part] < bounds[part + 1] <= n:
            raise ValueError("a part that is not there")
        most = max(most, bounds[part + 1] - bounds[part])
        for at in range(bounds[part], bounds[part + 1]):
            if not 0 <= order[at] < n:
                raise ValueError("a row that is not there")
    places = <const float **>malloc((most + 3) * sizeof(float *))
    lows = <float *>malloc((most + 3) * sizeof(float))
    limits = <float *>malloc((most + 3) * sizeof(float))
    if not places or not lows or not limits:
        free(places)
        free(lows)
        free(limits)
        raise MemoryError
    with nogil:
        for part in range(start, stop):
            if flag[0]:
                break
            members = &order[bounds[part]]
            size = bounds[part + 1] - bounds[part]
            list_rows(members, size, &rows[0, 0], d, &low[0], &far[0, 0], width, places, lows, limits)
            # As many rows at a time as stay in the nearest cache.
            for block in range((size + CACHED - 1) // CACHED):
                end = min((block + 1) * CACHED, size)
                for i in range(0, end, 4):
                    for j in range(max(i, block * CACHED), end, 4):
                        found = nearer_4x4(
                            places + i, places + j, d, lows + i, lows + j, limits + i, limits + j
                        )
                        while found:
                            p = i + (LOWEST(found) >> 2)
                            q = j + (LOWEST(found) & 3)
                            found &= found - 1
                            if q <= p:
                                continue
                            value = squared(places[p], places[q], d)
                            insert(&far[members[p], 0], &who[members[p], 0], width, value, members[q])
                            insert(&far[members[q], 0], &who[members[q], 0], width, value, members[p])
                            limits[p] = far[members[p], 0]
                            limits[q] = far[members[q], 0]
    free(places)
    free(lows)
    free(limits)


def gather(
    const int32_t[:, ::1] who not None,
    uint8_t[:, ::1] fresh not None,
    int32_t[:, ::1] near not None,
    int32_t[::1] counts not None,
    const uint8_t[::1] flag not None,
    *,
    int span,
    uint64_t seed,
):
    """For every row its `span` nearest neighbours and rows of whose nearest it is one, as many as `near` has room for, and how many. Fresh
    ones, found since the last time, are given as their complement, and are not fresh after. Of too many, a random choice. Neighbours are ordered, farthest first."""
    cdef Py_ssize_t n = who.shape[0], i
    cdef int count = <int>who.shape[1], room = <int>near.shape[1], c, slot
    cdef int32_t j
    cdef int32_t *offered
    if near.shape[0] != n or counts.shape[0] != n:
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
                    near[i, counts[i]] = ~who[i, c] if fresh[i, c] else who[i, c]
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
                near[j, slot] = <int32_t>(~i if fresh[i, c] else i)
        for i in range(n):
            for c in range(count - span, count):
                fresh[i, c] = 0
    free(offered)


cdef struct Offer:
    int32_t row
    int32_t other
    float value


cdef class Offers:
    """Rows that are nearer to others than those found before, by the part of all rows that they are offered to."""

    cdef Offer *lists[OFFER_PARTS]
    cdef Py_ssize_t lengths[OFFER_PARTS]
    cdef Py_ssize_t rooms[OFFER_PARTS]
    # The last row of those among which it was looked for.
    cdef Py_ssize_t most

    def __cinit__(self):
        memset(self.lists, 0, sizeof(self.lists))
        memset(self.lengths, 0, sizeof(self.lengths))
        memset(self.rooms, 0, sizeof(self.rooms))

    def __dealloc__(self):
        cdef int part
        for part in range(OFFER_PARTS):
            free(self.lists[part])

    cdef int add(self, int32_t row, int32_t other, float value) noexcept nogil:
        """1 when there is no memory."""
        cdef int part = (row >> 6) % OFFER_PARTS
        cdef Py_ssize_t length = self.lengths[part]
        cdef Offer *longer
        if length == self.rooms[part]:
            longer = <Offer *>realloc(self.lists[part], (2 * length + 1024) * sizeof(Offer))
            if not longer:
                return 1
            self.lists[part] = longer
            self.rooms[part] = 2 * length + 1024
        self.lists[part][length].row = row
        self.lists[part][length].other = other
        self.lists[part][length].value = value
        self.lengths[part] = length + 1
        return 0


def join(
    const float[:, ::1] rows not None,
    const float[::1] low not None,
    const int32_t[:, ::1] near not None,
    const int32_t[::1] counts not None,
    const float[:, ::1] far not None,
    Py_ssize_t start,
    Py_ssize_t stop,
    const uint8_t[::1] flag not None,
):
    """Compare those that are near each row from `start` to `stop` with each other, if one of the two is fresh, and return the pairs that
    are nearer than a farthest neighbour in `far`. `near` is what gather() made."""
    cdef Py_ssize_t n = rows.shape[0], i
    cdef int room = <int>near.shape[1], width = <int>far.shape[1]
    cdef int d = <int>rows.shape[1]
    cdef int a, b, p, q, count, news, is_full = 0
    cdef unsigned found
    cdef Offers offers = Offers()
    cdef int32_t listed[MOST]
    cdef const float *places[MOST]
    cdef float lows[MOST]
    cdef float limits[MOST]
    cdef float value
    if d % 4 or near.shape[0] != n or far.shape[0] != n or counts.shape[0] != n:
        raise ValueError("arrays of unequal sizes")
    if room + 3 > MOST or width < 1 or not 0 <= start <= stop <= n or low.shape[0] != n:
        raise ValueError("arrays of unequal sizes")
    with nogil:
        for i in range(start, stop):
            if is_full or (not i % PACE and flag[0]):
                break
            news = 0
            for a in range(counts[i]):
                if near[i, a] < 0:
                    listed[news] = ~near[i, a]
                    news += 1
            count = news
            if not news:
                continue
            for a in range(counts[i]):
                if near[i, a] >= 0:
                    listed[count] = near[i, a]
                    count += 1
            list_rows(listed, count, &rows[0, 0], d, &low[0], &far[0, 0], width, places, lows, limits)
            for a in range(0, news, 4):
                for b in range(a, count, 4):
                    found = nearer_4x4(places + a, places + b, d, lows + a, lows + b, limits + a, limits + b)
                    while found:
                        p = a + (LOWEST(found) >> 2)
                        q = b + (LOWEST(found) & 3)
                        found &= found - 1
                        if q <= p or p >= news or listed[p] == listed[q]:
                            continue
                        value = squared(places[p], places[q], d)
                        if value < limits[p]:
                            is_full |= offers.add(listed[p], listed[q], value)
                        if value < limits[q]:
                            is_full |= offers.add(listed[q], listed[p], value)
    if is_full:
        raise MemoryError
    offers.most = n - 1
    return offers


def accept(
    list made not None,
    int part,
    int32_t[:, ::1] who not None,
    float[:, ::1] far not None,
    uint8_t[:, ::1] fresh not None,
):
    """Give the rows of one part what is offered to them, in the order of `made`, and return how many were nearer. A thread has a part."""
    cdef Py_ssize_t found = 0, i
    cdef int count = <int>who.shape[1], at
    cdef Offers offers
    cdef Offer one
    if not 0 <= part < OFFER_PARTS or far.shape[0] != who.shape[0] or fresh.shape[0] != who.shape[0]:
        raise ValueError("arrays of unequal sizes")
    if far.shape[1] != count or fresh.shape[1] != count or count < 1:
        raise ValueError("arrays of unequal sizes")
    for offers in made:
        if offers.most >= who.shape[0]:
            raise ValueError("a row that is not there")
        with nogil:
            for i in range(offers.lengths[part]):
                one = offers.lists[part][i]
                at = insert(&far[one.row, 0], &who[one.row, 0], count, one.value, one.other)
                if at >= 0:
                    # Those that are farther have moved by one.
                    memmove(&fresh[one.row, 0], &fresh[one.row, 0] + 1, at)
                    fresh[one.row, at] = 1
                    found += 1
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
