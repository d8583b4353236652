"""Events that are alike: which belong together, and their sums; which moments some of them cover, and in which of some intervals each begins.

Knows no trace: columns in, columns out.
"""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc

cnp.import_array()

cdef enum:
    # A table of them has 4 bytes each, of which those that occur are touched.
    MOST_PAIRS = 1 << 22


cdef struct Entry:
    int64_t value
    # Of the group before this column, and the group itself + 1; 0: free.
    int32_t before
    int32_t number


cdef struct List:
    int64_t *items
    size_t count
    size_t room


cdef int append(List *numbers, int64_t number) noexcept nogil:
    """-1: no memory."""
    cdef int64_t *items
    cdef size_t room
    if numbers.count == numbers.room:
        room = max(2 * numbers.room, 64)
        items = <int64_t *>realloc(numbers.items, room * sizeof(int64_t))
        if items == NULL:
            return -1
        numbers.items = items
        numbers.room = room
    numbers.items[numbers.count] = number
    numbers.count += 1
    return 0


cdef struct Groups:
    Entry *entries
    size_t capacity
    # The first row of each group.
    List first


cdef inline size_t place_of(int64_t value, int32_t before, size_t capacity) noexcept nogil:
    cdef uint64_t mixed = (<uint64_t>value ^ (<uint64_t><uint32_t>before << 32)) * <uint64_t>0x9E3779B97F4A7C15u
    return <size_t>((mixed ^ (mixed >> 31)) * <uint64_t>0xBF58476D1CE4E5B9u >> 20) & (capacity - 1)


cdef int grow(Groups *groups) noexcept nogil:
    cdef size_t capacity = groups.capacity * 2 if groups.capacity else 1024, i, at
    cdef Entry *entries = <Entry *>calloc(capacity, sizeof(Entry))
    if entries == NULL:
        return -1
    for i in range(groups.capacity):
        if groups.entries[i].number:
            at = place_of(groups.entries[i].value, groups.entries[i].before, capacity)
            while entries[at].number:
                at = (at + 1) & (capacity - 1)
            entries[at] = groups.entries[i]
    free(groups.entries)
    groups.entries = entries
    groups.capacity = capacity
    return 0


ctypedef fused whole:
    int32_t
    int64_t


cdef int refine(const whole[::1] column, int32_t[::1] of, Groups *groups) noexcept nogil:
    """Divide the groups by one column more. -1: no memory."""
    cdef Py_ssize_t i
    cdef int64_t value = 0, last_value = 0
    cdef int32_t before = -1, last_before = -1, last = 0
    cdef size_t at
    for i in range(column.shape[0]):
        value = column[i]
        before = of[i]
        if value == last_value and before == last_before:
            of[i] = last
            continue
        if 2 * groups.first.count >= groups.capacity and grow(groups) < 0:
            return -1
        at = place_of(value, before, groups.capacity)
        while groups.entries[at].number:
            if groups.entries[at].value == value and groups.entries[at].before == before:
                break
            at = (at + 1) & (groups.capacity - 1)
        if not groups.entries[at].number:
            if append(&groups.first, i) < 0:
                return -1
            groups.entries[at].value = value
            groups.entries[at].before = before
            groups.entries[at].number = <int32_t>groups.first.count
        last_value, last_before = value, before
        last = of[i] = groups.entries[at].number - 1
    return 0


cdef int refine_few(
    const whole[::1] column, int32_t[::1] of, Groups *groups, int64_t low, size_t values, size_t before
) noexcept nogil:
    """The same where a table has room for all pairs of a group so far and a value: there are so many of each, and `low` is the least
    value."""
    cdef Py_ssize_t i
    cdef int32_t *place
    cdef int32_t *table = <int32_t *>calloc(max(values * before, 1), sizeof(int32_t))
    if table == NULL:
        return -1
    for i in range(column.shape[0]):
        place = &table[<size_t>of[i] * values + <size_t>(column[i] - low)]
        if not place[0]:
            if append(&groups.first, i) < 0:
                free(table)
                return -1
            place[0] = <int32_t>groups.first.count
        of[i] = place[0] - 1
    free(table)
    return 0


cdef int divide_by(const whole[::1] column, int32_t[::1] of, Groups *groups, size_t before) noexcept nogil:
    cdef Py_ssize_t i
    cdef whole low = 0, high = 0
    if column.shape[0]:
        low = high = column[0]
    for i in range(column.shape[0]):
        low = min(low, column[i])
        high = max(high, column[i])
    cdef uint64_t values = <uint64_t><int64_t>high - <uint64_t><int64_t>low
    if values < MOST_PAIRS and (values + 1) * before <= MOST_PAIRS:
        return refine_few(column, of, groups, low, <size_t>values + 1, before)
    return refine(column, of, groups)


def divide(columns):
    """Which rows have the same values in all columns: the group of each row, and the first row of each group, in the order in which the
    groups occur. Columns of int32 or int64, of one length below 2**31.
    """
    cdef Py_ssize_t n = len(columns[0]), i
    cdef size_t total = 1 if n else 0
    cdef Groups groups
    cdef int done = 0
    cdef const int32_t[::1] narrow
    cdef const int64_t[::1] wide
    cdef int64_t[::1] first
    if n >= 2**31 - 64:
        raise ValueError("too many rows")
    of_ = np.zeros(n, np.int32)
    cdef int32_t[::1] of = of_
    groups.first.items = NULL
    groups.first.count = groups.first.room = 0
    try:
        for column in columns:
            if len(column) != n:
                raise ValueError("columns of different lengths")
            groups.entries = NULL
            groups.capacity = 0
            groups.first.count = 0
            try:
                if column.dtype == np.int32:
                    narrow = column
                    with nogil:
                        done = divide_by(narrow, of, &groups, total)
                else:
                    wide = column
                    with nogil:
                        done = divide_by(wide, of, &groups, total)
                if done < 0:
                    raise MemoryError
                total = groups.first.count
            finally:
                free(groups.entries)
        first_ = np.empty(groups.first.count, np.int64)
        first = first_
        for i in range(<Py_ssize_t>groups.first.count):
            first[i] = groups.first.items[i]
    finally:
        free(groups.first.items)
    return of_, first_


def sums_of(const int32_t[::1] of, const int64_t[::1] values, Py_ssize_t size):
    """Of the values of each group the total, the least and the most: three rows."""
    cdef Py_ssize_t i
    cdef int32_t at
    if values.shape[0] != of.shape[0]:
        raise ValueError("columns of different lengths")
    made_ = np.zeros((3, size), np.int64)
    made_[1] = INT64_MAX
    made_[2] = INT64_MIN
    cdef int64_t[:, ::1] made = made_
    cdef bint is_known = True
    with nogil:
        for i in range(of.shape[0]):
            at = of[i]
            if not 0 <= at < size:
                is_known = False
                break
            made[0, at] += values[i]
            if values[i] < made[1, at]:
                made[1, at] = values[i]
            if values[i] > made[2, at]:
                made[2, at] = values[i]
    if not is_known:
        raise ValueError("an unknown group")
    return made_


cdef inline Py_ssize_t last_begun(const int64_t[::1] begins, int64_t moment, Py_ssize_t at) noexcept nogil:
    """The last interval that has begun at a moment, -1: none; found at once if it is that of the moment before or the next."""
    cdef Py_ssize_t count = begins.shape[0], low, high, middle
    if (at >= 0 and begins[at] > moment) or (at + 2 < count and begins[at + 2] <= moment):
        low, high = 0, count
        while low < high:
            middle = (low + high) >> 1
            if begins[middle] <= moment:
                low = middle + 1
            else:
                high = middle
        return low - 1
    if at + 1 < count and begins[at + 1] <= moment:
        return at + 1
    return at


def find_spans(const int64_t[::1] time, const int64_t[::1] begins, const int64_t[::1] ends):
    """The last interval that has begun at each time, -1 where it is over or there is none. `begins` ascend. Times that are close to the one
    before, as those of a row are, cost next to nothing.
    """
    cdef Py_ssize_t i, n = time.shape[0], count = begins.shape[0], at = -1
    cdef int64_t moment
    if ends.shape[0] != count:
        raise ValueError("columns of different lengths")
    found_ = np.full(n, -1, np.int32)
    cdef int32_t[::1] found = found_
    if not count:
        return found_
    with nogil:
        for i in range(n):
            moment = time[i]
            at = last_begun(begins, moment, at)
            if at >= 0 and moment < ends[at]:
                found[i] = <int32_t>at
    return found_


def used_numbers(const whole[::1] numbers, Py_ssize_t size):
    """1 for each number below `size` that occurs; others are left out."""
    cdef Py_ssize_t i
    found_ = np.zeros(size, np.uint8)
    cdef uint8_t[::1] found = found_
    with nogil:
        for i in range(numbers.shape[0]):
            if 0 <= numbers[i] < size:
                found[numbers[i]] = 1
    return found_


def marked(const uint8_t[::1] mask, const int32_t[::1] numbers):
    """Which numbers are marked; those beyond the mask, such as -1, are not."""
    cdef Py_ssize_t i, size = mask.shape[0]
    found_ = np.empty(numbers.shape[0], np.bool_)
    cdef uint8_t[::1] found = found_.view(np.uint8)
    with nogil:
        for i in range(numbers.shape[0]):
            found[i] = mask[numbers[i]] if 0 <= numbers[i] < size else 0
    return found_


def places_of(const uint8_t[::1] mask, const int32_t[::1] numbers, Py_ssize_t most):
    """Where the first so many of the marked numbers are; those beyond the mask, such as -1, are not marked."""
    cdef Py_ssize_t i, count = 0
    cdef uint32_t size = <uint32_t>min(mask.shape[0], 2**31 - 1)
    most = max(min(most, numbers.shape[0]), 0)
    found_ = np.empty(most, np.int64)
    cdef int64_t[::1] found = found_
    with nogil:
        for i in range(numbers.shape[0]):
            if count == most:
                break
            if <uint32_t>numbers[i] < size and mask[<uint32_t>numbers[i]]:
                found[count] = i
                count += 1
    return found_[:count]


def begin_within(
    const int64_t[::1] events, const int64_t[::1] time, const int64_t[::1] begins, const int64_t[::1] ends
):
    """Those of some events whose time is in the last interval that has begun then. `begins` ascend."""
    cdef Py_ssize_t i, at = -1, n = events.shape[0], size = time.shape[0], kept = 0
    cdef int64_t moment
    cdef bint is_known = True
    if ends.shape[0] != begins.shape[0]:
        raise ValueError("columns of different lengths")
    found_ = np.empty(n, np.int64)
    cdef int64_t[::1] found = found_
    with nogil:
        for i in range(n):
            if not 0 <= events[i] < size:
                is_known = False
                break
            moment = time[events[i]]
            at = last_begun(begins, moment, at)
            if at >= 0 and moment < ends[at]:
                found[kept] = events[i]
                kept += 1
    if not is_known:
        raise ValueError("an unknown event")
    return found_[:kept]


def sums_by_number(const int32_t[::1] numbers, const int64_t[::1] values, const int64_t[::1] events, Py_ssize_t size):
    """The total of the values of some events by their numbers, which are from -1 to `size` - 1: that of -1 comes first."""
    cdef Py_ssize_t i, event, n = numbers.shape[0]
    cdef bint is_known = True
    if values.shape[0] != n:
        raise ValueError("columns of different lengths")
    made_ = np.zeros(size + 1, np.int64)
    cdef int64_t[::1] made = made_
    with nogil:
        for i in range(events.shape[0]):
            event = events[i]
            if not 0 <= event < n or not -1 <= numbers[event] < size:
                is_known = False
                break
            made[numbers[event] + 1] += values[event]
    if not is_known:
        raise ValueError("an unknown event or number")
    return made_


def within_marked(const int64_t[::1] events, const int32_t[::1] parent, const int32_t[::1] numbers, const uint8_t[::1] mask):
    """For each of these events whether its number, or that of one around it, is marked."""
    cdef Py_ssize_t i, n = numbers.shape[0], at
    cdef uint32_t size = <uint32_t>min(mask.shape[0], 2**31 - 1)
    if parent.shape[0] != n:
        raise ValueError("columns of different lengths")
    found_ = np.zeros(events.shape[0], np.bool_)
    cdef uint8_t[::1] found = found_.view(np.uint8)
    # Of each event that was passed 1: no, 2: yes.
    known_ = np.zeros(n, np.uint8)
    cdef uint8_t[::1] known = known_
    with nogil:
        for i in range(events.shape[0]):
            at = events[i]
            while 0 <= at < n and not known[at]:
                known[at] = 1
                if <uint32_t>numbers[at] < size and mask[<uint32_t>numbers[at]]:
                    known[at] = 2
                else:
                    at = parent[at]
            if not 0 <= at < n or known[at] == 1:
                continue
            found[i] = 1
            at = events[i]
            while known[at] == 1:
                known[at] = 2
                at = parent[at]
    return found_


cdef struct Spans:
    int64_t *start
    int64_t *end
    # So many have room.
    size_t count


cdef inline void add_span(Spans *spans, size_t first, int64_t start, int64_t end) noexcept nogil:
    """Behind those of a run that begins at `first`, joined with the last of them where they touch."""
    cdef size_t last = spans.count - 1
    if spans.count > first and start <= spans.end[last]:
        if end > spans.end[last]:
            spans.end[last] = end
        return
    spans.start[spans.count] = start
    spans.end[spans.count] = end
    spans.count += 1


cdef void merge(
    const Spans *spans, size_t a, size_t a_end, const Spans *others, size_t b, size_t b_end, Spans *merged
) noexcept nogil:
    """One run of two, each of which is in its order, behind what is merged already."""
    cdef size_t first = merged.count
    while a < a_end or b < b_end:
        if b >= b_end or (a < a_end and spans.start[a] <= others.start[b]):
            add_span(merged, first, spans.start[a], spans.end[a])
            a += 1
        else:
            add_span(merged, first, others.start[b], others.end[b])
            b += 1


cdef int collect(
    const int64_t[::1] start, const int64_t[::1] duration, const uint8_t[::1] wanted, Spans *spans, List *runs
) noexcept nogil:
    """Runs of intervals, in each of which none begins earlier than the one before: where each begins, and at last where the last one ends.
    -1: no memory."""
    cdef Py_ssize_t i
    cdef int64_t last = INT64_MIN
    cdef size_t first = 0
    if append(runs, 0) < 0:
        return -1
    for i in range(start.shape[0]):
        if not wanted[i]:
            continue
        if start[i] < last:
            first = spans.count
            if append(runs, first) < 0:
                return -1
        last = start[i]
        add_span(spans, first, last, last + duration[i])
    return append(runs, spans.count)


cdef void merge_runs(const Spans *spans, List *runs, Spans *merged) noexcept nogil:
    """Every two neighbouring runs become one."""
    cdef size_t i, last = runs.count - 1, end
    merged.count = 0
    for i in range(0, last, 2):
        end = runs.items[min(i + 2, last)]
        merge(spans, runs.items[i], runs.items[i + 1], spans, runs.items[i + 1], end, merged)
        # Its place has been read.
        runs.items[i // 2 + 1] = merged.count
    runs.count = (last + 1) // 2 + 1


cdef Spans spans_in(pair):
    cdef int64_t[::1] start = pair[0], end = pair[1]
    cdef Spans spans
    spans.start = &start[0] if start.shape[0] else NULL
    spans.end = &end[0] if end.shape[0] else NULL
    spans.count = 0
    return spans


cdef room_for(Py_ssize_t count):
    return np.empty(count, np.int64), np.empty(count, np.int64)


def cover_of(
    const int64_t[::1] start,
    const int64_t[::1] duration,
    const uint8_t[::1] wanted,
    int64_t[::1] known_start,
    int64_t[::1] known_end,
):
    """The moments that the wanted events cover, or known intervals in their order: beginnings and ends of intervals that neither touch nor
    overlap. Fast where neighbouring events follow each other."""
    cdef Spans spans, merged, known
    cdef List runs
    cdef int done
    cdef Py_ssize_t i, count = 0
    if duration.shape[0] != start.shape[0] or wanted.shape[0] != start.shape[0] or known_end.shape[0] != known_start.shape[0]:
        raise ValueError("columns of different lengths")
    with nogil:
        for i in range(wanted.shape[0]):
            count += wanted[i] != 0
    found = room_for(count)
    spans = spans_in(found)
    runs.items = NULL
    runs.count = runs.room = 0
    try:
        with nogil:
            done = collect(start, duration, wanted, &spans, &runs)
        if done < 0:
            raise MemoryError
        if runs.count > 2:
            other = room_for(spans.count)
            merged = spans_in(other)
        while runs.count > 2:
            with nogil:
                merge_runs(&spans, &runs, &merged)
            found, other = other, found
            spans, merged = merged, spans
    finally:
        free(runs.items)
    if known_start.shape[0]:
        other = room_for(spans.count + known_start.shape[0])
        merged, known = spans_in(other), spans_in((known_start, known_end))
        with nogil:
            merge(&spans, 0, spans.count, &known, 0, known_start.shape[0], &merged)
        found, spans = other, merged
    return found[0][: spans.count], found[1][: spans.count]
