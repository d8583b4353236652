"""Events that are alike: which belong together, and their sums; and in which of some intervals each event begins.

Knows no trace: columns in, columns out.
"""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

cnp.import_array()


cdef struct Entry:
    int64_t value
    # Of the group before this column, and the group itself + 1; 0: free.
    int32_t before
    int32_t number


cdef struct Groups:
    Entry *entries
    size_t capacity
    size_t count


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
        if 2 * groups.count >= groups.capacity and grow(groups) < 0:
            return -1
        at = place_of(value, before, groups.capacity)
        while groups.entries[at].number:
            if groups.entries[at].value == value and groups.entries[at].before == before:
                break
            at = (at + 1) & (groups.capacity - 1)
        if not groups.entries[at].number:
            groups.count += 1
            groups.entries[at].value = value
            groups.entries[at].before = before
            groups.entries[at].number = <int32_t>groups.count
        last_value, last_before = value, before
        last = of[i] = groups.entries[at].number - 1
    return 0


def divide(columns):
    """Which rows have the same values in all columns: the group of each row, and the first row of each group, in the order in which the
    groups occur. Columns of int32 or int64, of one length below 2**31.
    """
    cdef Py_ssize_t n = len(columns[0]), i, total = 1 if n else 0
    cdef Groups groups
    cdef int done = 0
    cdef const int32_t[::1] narrow
    cdef const int64_t[::1] wide
    if n >= 2**31 - 64:
        raise ValueError("too many rows")
    of_ = np.zeros(n, np.int32)
    cdef int32_t[::1] of = of_
    for column in columns:
        if len(column) != n:
            raise ValueError("columns of different lengths")
        groups.entries = NULL
        groups.capacity = 0
        groups.count = 0
        try:
            if column.dtype == np.int32:
                narrow = column
                with nogil:
                    done = refine(narrow, of, &groups)
            else:
                wide = column
                with nogil:
                    done = refine(wide, of, &groups)
            if done < 0:
                raise MemoryError
            total = <Py_ssize_t>groups.count
        finally:
            free(groups.entries)
    first_ = np.full(total, -1, np.int64)
    cdef int64_t[::1] first = first_
    with nogil:
        for i in range(n):
            if first[of[i]] < 0:
                first[of[i]] = i
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


def find_spans(const int64_t[::1] time, const int64_t[::1] begins, const int64_t[::1] ends):
    """The last interval that has begun at each time, -1 where it is over or there is none. `begins` ascend. Times that are close to the one
    before, as those of a row are, cost next to nothing.
    """
    cdef Py_ssize_t i, n = time.shape[0], count = begins.shape[0], at = -1, low, high, middle
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
            if (at >= 0 and begins[at] > moment) or (at + 2 < count and begins[at + 2] <= moment):
                low, high = 0, count
                while low < high:
                    middle = (low + high) >> 1
                    if begins[middle] <= moment:
                        low = middle + 1
                    else:
                        high = middle
                at = low - 1
            elif at + 1 < count and begins[at + 1] <= moment:
                at += 1
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
