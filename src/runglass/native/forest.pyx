"""One regression tree over binned columns, and how its variance divides among columns and pairs of them (functional ANOVA).

Columns are codes below MAX_BINS; a tree splits between codes, so each leaf is a box of code intervals. Every code has a mass, the
share of rows that have it, and columns count as independent: the volume of a box is the product of its masses. Runs without
the GIL and knows no hyperparameters.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

cdef enum:
    BINS = 64

MAX_BINS = BINS

cdef struct Best:
    double gain
    int column
    # Codes below go to the left.
    int at


cdef inline uint64_t next_random(uint64_t *state) noexcept nogil:
    # xorshift64*
    cdef uint64_t x = state[0]
    x ^= x >> 12
    x ^= x << 25
    x ^= x >> 27
    state[0] = x
    return x * <uint64_t>2685821657736338717


def divide_variance(
    const uint8_t[:, ::1] codes not None,
    const double[::1] target not None,
    const double[:, ::1] mass not None,
    const int32_t[:, ::1] pairs not None,
    int64_t[::1] rows not None,
    double[::1] predicted not None,
    double[::1] single not None,
    double[::1] joint not None,
    *,
    int min_leaf,
    uint64_t seed,
):
    """Grow a tree on `rows` (drawn with repeats; their order is changed) and return its variance over all boxes.

    `codes` is [columns, n]; `mass` is [columns, MAX_BINS], with sums of 1. Writes the tree's value for each of the n rows to
    `predicted`, the variance of each column's marginal to `single`, and what each pair adds to its two columns to `joint`.
    """
    cdef int columns = <int>codes.shape[0]
    cdef int64_t n = codes.shape[1]
    cdef int64_t count = rows.shape[0]
    cdef int64_t p, i
    cdef int c
    cdef double total = 0.0
    if target.shape[0] != n or predicted.shape[0] != n or mass.shape[0] != columns or mass.shape[1] != BINS:
        raise ValueError("arrays of unequal sizes")
    if single.shape[0] != columns or joint.shape[0] != pairs.shape[0] or (pairs.shape[0] and pairs.shape[1] != 2):
        raise ValueError("arrays of unequal sizes")
    if not columns or not count or min_leaf < 1:
        raise ValueError("nothing to grow a tree on")
    for i in range(count):
        if rows[i] < 0 or rows[i] >= n:
            raise ValueError("a row that is not there")
    for p in range(pairs.shape[0]):
        if not (0 <= pairs[p, 0] < columns and 0 <= pairs[p, 1] < columns):
            raise ValueError("a column that is not there")
    for c in range(columns):
        for i in range(n):
            if codes[c, i] >= BINS:
                raise ValueError("a code that is too large")
    cdef Tree tree = Tree(columns, 2 * count)
    with nogil:
        grow(tree, codes, target, rows, min_leaf, seed if seed else 1)
        predict(tree, codes, predicted)
        total = analyze(tree, mass, pairs, single, joint)
    return total


cdef class Tree:
    """Nodes in arrays. A leaf has `column` -1."""

    cdef int columns
    cdef int64_t count
    cdef int32_t *column
    cdef int32_t *at
    cdef int32_t *left
    cdef int32_t *right
    cdef double *value
    # The box of each node: for each column its first code and the one behind its last.
    cdef uint8_t *low
    cdef uint8_t *high

    def __cinit__(self, int columns, int64_t limit):
        self.columns = columns
        self.count = 0
        self.column = <int32_t *>malloc(limit * sizeof(int32_t))
        self.at = <int32_t *>malloc(limit * sizeof(int32_t))
        self.left = <int32_t *>malloc(limit * sizeof(int32_t))
        self.right = <int32_t *>malloc(limit * sizeof(int32_t))
        self.value = <double *>malloc(limit * sizeof(double))
        self.low = <uint8_t *>malloc(limit * columns)
        self.high = <uint8_t *>malloc(limit * columns)
        if not (self.column and self.at and self.left and self.right and self.value and self.low and self.high):
            raise MemoryError

    def __dealloc__(self):
        free(self.column)
        free(self.at)
        free(self.left)
        free(self.right)
        free(self.value)
        free(self.low)
        free(self.high)


cdef int grow(
    Tree tree,
    const uint8_t[:, ::1] codes,
    const double[::1] target,
    int64_t[::1] rows,
    int min_leaf,
    uint64_t seed,
) except -1 nogil:
    cdef int columns = tree.columns
    cdef int64_t count = rows.shape[0]
    cdef int64_t *begin = <int64_t *>malloc(2 * count * sizeof(int64_t))
    cdef int64_t *end = <int64_t *>malloc(2 * count * sizeof(int64_t))
    cdef int32_t *waiting = <int32_t *>malloc(2 * count * sizeof(int32_t))
    cdef int *order = <int *>malloc(columns * sizeof(int))
    cdef int64_t waits = 1
    cdef int64_t i, j, middle
    cdef int32_t node, child
    cdef int c, k, other
    cdef double total
    cdef Best best
    cdef uint64_t state = seed
    if begin == NULL or end == NULL or waiting == NULL or order == NULL:
        free(begin); free(end); free(waiting); free(order)
        with gil:
            raise MemoryError
    for c in range(columns):
        order[c] = c
    tree.count = 1
    begin[0] = 0
    end[0] = count
    waiting[0] = 0
    memset(tree.low, 0, columns)
    memset(tree.high, BINS, columns)
    while waits:
        waits -= 1
        node = waiting[waits]
        total = 0.0
        for i in range(begin[node], end[node]):
            total += target[rows[i]]
        tree.value[node] = total / (end[node] - begin[node])
        tree.column[node] = -1
        if end[node] - begin[node] < 2 * min_leaf:
            continue
        # In random order, so that columns that split equally well share what they explain.
        for k in range(columns - 1, 0, -1):
            other = <int>(next_random(&state) % <uint64_t>(k + 1))
            c = order[k]
            order[k] = order[other]
            order[other] = c
        best = find_split(codes, target, rows, begin[node], end[node], order, columns, min_leaf, total)
        if best.column < 0:
            continue
        i = begin[node]
        j = end[node] - 1
        while i <= j:
            if codes[best.column, rows[i]] < best.at:
                i += 1
            else:
                middle = rows[i]
                rows[i] = rows[j]
                rows[j] = middle
                j -= 1
        tree.column[node] = best.column
        tree.at[node] = best.at
        for k in range(2):
            child = <int32_t>tree.count
            tree.count += 1
            memcpy(tree.low + <int64_t>child * columns, tree.low + <int64_t>node * columns, columns)
            memcpy(tree.high + <int64_t>child * columns, tree.high + <int64_t>node * columns, columns)
            if k == 0:
                tree.left[node] = child
                begin[child] = begin[node]
                end[child] = i
                tree.high[<int64_t>child * columns + best.column] = <uint8_t>best.at
            else:
                tree.right[node] = child
                begin[child] = i
                end[child] = end[node]
                tree.low[<int64_t>child * columns + best.column] = <uint8_t>best.at
            waiting[waits] = child
            waits += 1
    free(begin)
    free(end)
    free(waiting)
    free(order)
    return 0


cdef Best find_split(
    const uint8_t[:, ::1] codes,
    const double[::1] target,
    const int64_t[::1] rows,
    int64_t begin,
    int64_t end,
    const int *order,
    int columns,
    int min_leaf,
    double total,
) noexcept nogil:
    """Where the squares of the two sums, by their counts, are largest: the split with the least variance left."""
    cdef double sums[BINS]
    cdef int64_t counts[BINS]
    cdef int k, c, code, previous
    cdef int64_t i, on_left
    cdef int64_t count = end - begin
    cdef double sum_left, sum_right, gain
    cdef double floor = total * total / count
    cdef Best best
    # A gain that is only rounding is none.
    best.gain = floor + 1e-12 * (floor if floor > 0 else 1.0)
    best.column = -1
    best.at = 0
    for k in range(columns):
        c = order[k]
        memset(sums, 0, sizeof(sums))
        memset(counts, 0, sizeof(counts))
        for i in range(begin, end):
            code = codes[c, rows[i]]
            sums[code] += target[rows[i]]
            counts[code] += 1
        on_left = 0
        sum_left = 0.0
        previous = -1
        for code in range(BINS):
            if not counts[code]:
                continue
            if previous >= 0 and on_left >= min_leaf and count - on_left >= min_leaf:
                sum_right = total - sum_left
                gain = sum_left * sum_left / on_left + sum_right * sum_right / (count - on_left)
                if gain > best.gain:
                    best.gain = gain
                    best.column = c
                    # In the middle of the codes that no row has here.
                    best.at = (previous + code + 1) // 2
            on_left += counts[code]
            sum_left += sums[code]
            previous = code
    return best


cdef int predict(Tree tree, const uint8_t[:, ::1] codes, double[::1] predicted) noexcept nogil:
    cdef int64_t i
    cdef int32_t node
    for i in range(codes.shape[1]):
        node = 0
        while tree.column[node] >= 0:
            node = tree.left[node] if codes[tree.column[node], i] < tree.at[node] else tree.right[node]
        predicted[i] = tree.value[node]
    return 0


cdef double analyze(
    Tree tree, const double[:, ::1] mass, const int32_t[:, ::1] pairs, double[::1] single, double[::1] joint
) except -1.0 nogil:
    cdef int columns = tree.columns
    # Masses below each code.
    cdef double *below = <double *>malloc(columns * (BINS + 1) * sizeof(double))
    # Marginal sums as differences: of one column, and of a pair.
    cdef double *line = <double *>calloc(columns * (BINS + 1), sizeof(double))
    cdef double *plane = <double *>malloc((BINS + 1) * (BINS + 1) * sizeof(double))
    cdef double *volume = <double *>malloc(tree.count * sizeof(double))
    cdef int64_t node, p
    cdef int c, a, b, x, y
    cdef int low_a, high_a, low_b, high_b
    cdef const uint8_t *low
    cdef const uint8_t *high
    cdef double mean = 0.0
    cdef double square = 0.0
    cdef double share, total, sum_, row, at
    if below == NULL or line == NULL or plane == NULL or volume == NULL:
        free(below); free(line); free(plane); free(volume)
        with gil:
            raise MemoryError
    for c in range(columns):
        below[c * (BINS + 1)] = 0.0
        for x in range(BINS):
            below[c * (BINS + 1) + x + 1] = below[c * (BINS + 1) + x] + mass[c, x]
    for node in range(tree.count):
        if tree.column[node] >= 0:
            continue
        low = tree.low + node * columns
        high = tree.high + node * columns
        share = 1.0
        for c in range(columns):
            share *= below[c * (BINS + 1) + high[c]] - below[c * (BINS + 1) + low[c]]
        volume[node] = share
        mean += share * tree.value[node]
    for node in range(tree.count):
        if tree.column[node] >= 0 or volume[node] <= 0:
            continue
        low = tree.low + node * columns
        high = tree.high + node * columns
        # Around the mean, which keeps the digits.
        total = tree.value[node] - mean
        square += volume[node] * total * total
        for c in range(columns):
            share = total * volume[node] / (below[c * (BINS + 1) + high[c]] - below[c * (BINS + 1) + low[c]])
            line[c * (BINS + 1) + low[c]] += share
            line[c * (BINS + 1) + high[c]] -= share
    for c in range(columns):
        sum_ = 0.0
        total = 0.0
        for x in range(BINS):
            sum_ += line[c * (BINS + 1) + x]
            total += mass[c, x] * sum_ * sum_
        single[c] = total
    for p in range(pairs.shape[0]):
        a = pairs[p, 0]
        b = pairs[p, 1]
        memset(plane, 0, (BINS + 1) * (BINS + 1) * sizeof(double))
        for node in range(tree.count):
            if tree.column[node] >= 0 or volume[node] <= 0:
                continue
            low = tree.low + node * columns
            high = tree.high + node * columns
            low_a, high_a, low_b, high_b = low[a], high[a], low[b], high[b]
            share = (tree.value[node] - mean) * volume[node]
            share /= below[a * (BINS + 1) + high_a] - below[a * (BINS + 1) + low_a]
            share /= below[b * (BINS + 1) + high_b] - below[b * (BINS + 1) + low_b]
            plane[low_a * (BINS + 1) + low_b] += share
            plane[low_a * (BINS + 1) + high_b] -= share
            plane[high_a * (BINS + 1) + low_b] -= share
            plane[high_a * (BINS + 1) + high_b] += share
        total = 0.0
        for x in range(BINS):
            row = 0.0
            sum_ = 0.0
            for y in range(BINS):
                # Each entry becomes the sum of all before it, in both directions.
                row += plane[x * (BINS + 1) + y]
                at = row + (plane[(x - 1) * (BINS + 1) + y] if x else 0.0)
                plane[x * (BINS + 1) + y] = at
                sum_ += mass[b, y] * at * at
            total += mass[a, x] * sum_
        total -= single[a] + single[b]
        joint[p] = total if total > 0 else 0.0
    free(below)
    free(line)
    free(plane)
    free(volume)
    return square
