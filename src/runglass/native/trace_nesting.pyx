"""How events of a trace lie within each other: sorted by track, depth and start, with the event around each.

Knows no format.
"""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from runglass.native.arrays cimport double_room

cnp.import_array()

cdef enum:
    # Of a track. Whatever would be below is in the last row.
    MAX_ROWS = 1024
    RADIX_BITS = 11
    RADIX = 1 << RADIX_BITS
    FEW = 32


cdef struct Open:
    int64_t end
    int64_t covered
    int32_t event
    int32_t depth


cdef void insertion_sort(int32_t *items, Py_ssize_t count, const uint64_t *keys) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef int32_t item
    for i in range(1, count):
        item = items[i]
        j = i
        while j > 0 and keys[items[j - 1]] > keys[item]:
            items[j] = items[j - 1]
            j -= 1
        items[j] = item


cdef void radix_sort(int32_t *items, int32_t *other, Py_ssize_t count, const uint64_t *keys) noexcept nogil:
    """Stable, ascending."""
    cdef Py_ssize_t counts[RADIX]
    cdef Py_ssize_t i, total, here
    cdef uint64_t low = keys[items[0]], high = low, span
    cdef int32_t *source = items
    cdef int32_t *target = other
    cdef int32_t *swap
    cdef int shift = 0
    if count <= FEW:
        insertion_sort(items, count, keys)
        return
    for i in range(count):
        low = min(low, keys[items[i]])
        high = max(high, keys[items[i]])
    span = high - low
    while shift < 64 and span >> shift:
        memset(counts, 0, sizeof(counts))
        for i in range(count):
            counts[((keys[source[i]] - low) >> shift) & (RADIX - 1)] += 1
        total = 0
        for i in range(RADIX):
            here = counts[i]
            counts[i] = total
            total += here
        for i in range(count):
            here = ((keys[source[i]] - low) >> shift) & (RADIX - 1)
            target[counts[here]] = source[i]
            counts[here] += 1
        swap = source
        source = target
        target = swap
        shift += RADIX_BITS
    if source != items:
        memcpy(items, source, count * sizeof(int32_t))


cdef void sort_track(
    int32_t *items, int32_t *other, Py_ssize_t count, const int64_t *start, const int64_t *duration, uint64_t *keys
) noexcept nogil:
    """By start, the longest first of those that start together."""
    cdef Py_ssize_t i, first
    cdef bint is_sorted = True
    cdef int32_t a, b
    for i in range(1, count):
        a, b = items[i - 1], items[i]
        if start[a] > start[b] or (start[a] == start[b] and duration[a] < duration[b]):
            is_sorted = False
            break
    if is_sorted:
        return
    for i in range(count):
        keys[items[i]] = <uint64_t>start[items[i]] ^ (<uint64_t>1 << 63)
    radix_sort(items, other, count, keys)
    first = 0
    for i in range(1, count + 1):
        if i < count and start[items[i]] == start[items[first]]:
            continue
        if i - first > 1:
            for a in range(first, i):
                keys[items[a]] = <uint64_t>(INT64_MAX - duration[items[a]])
            radix_sort(items + first, other, i - first, keys)
        first = i


cdef class Nesting:
    """How events lie within each other."""

    # The events in their order: numbers of those that were given.
    cdef readonly object order
    # By the new numbers.
    cdef public object parent, self_ps
    cdef readonly object row_starts, row_track, row_depth, track_rows
    # 1: each child of the track is in the row below its parent.
    cdef readonly object is_proper


def nest(const int32_t[::1] track, const int64_t[::1] start, const int64_t[::1] duration, Py_ssize_t tracks):
    """Sort events by track, depth and start. Events that overlap without one being inside the other get different rows."""
    cdef Py_ssize_t n = track.shape[0], i, t, first, stop, at, top, room = 64, k, rows = 0, depth, deepest, row
    cdef int64_t s, e, above
    cdef int32_t event
    if duration.shape[0] != n or start.shape[0] != n:
        raise ValueError("columns of different lengths")
    if n >= 2**31 - 64:
        raise ValueError("too many events")
    track_starts_ = np.zeros(tracks + 1, np.int64)
    order_ = np.empty(n, np.int32)
    other_ = np.empty(n, np.int32)
    depth_ = np.empty(n, np.int32)
    parent_ = np.empty(n, np.int32)
    self_ = np.empty(n, np.int64)
    keys_ = np.empty(n, np.uint64)
    proper_ = np.ones(tracks, np.uint8)
    track_rows_ = np.zeros(tracks + 1, np.int32)
    cdef int64_t[::1] track_starts = track_starts_
    cdef int32_t[::1] order = order_, other = other_, depths = depth_, parent = parent_, track_rows = track_rows_
    cdef int64_t[::1] own = self_
    cdef uint64_t[::1] keys = keys_
    cdef uint8_t[::1] proper = proper_
    cdef int64_t last_end[MAX_ROWS]
    cdef Open *stack = <Open *>malloc(room * sizeof(Open))
    if stack == NULL:
        raise MemoryError
    try:
        with nogil:
            for i in range(n):
                if not 0 <= track[i] < tracks:
                    with gil:
                        raise ValueError("an event of an unknown track")
                track_starts[track[i] + 1] += 1
            for t in range(tracks):
                track_starts[t + 1] += track_starts[t]
            # Filled from the front: the beginnings move to the ends, which are the next beginnings.
            for i in range(n):
                t = track[i]
                order[track_starts[t]] = <int32_t>i
                track_starts[t] += 1
            for t in range(tracks, 0, -1):
                track_starts[t] = track_starts[t - 1]
            track_starts[0] = 0
            for t in range(tracks):
                first, stop = track_starts[t], track_starts[t + 1]
                if first == stop:
                    track_rows[t + 1] = track_rows[t]
                    continue
                sort_track(&order[first], &other[first], stop - first, &start[0], &duration[0], &keys[0])
                top = 0
                deepest = 0
                for at in range(first, stop):
                    event = order[at]
                    s = start[event]
                    e = s + duration[event]
                    while top and stack[top - 1].end <= s:
                        top -= 1
                    if top > 64 and not top & (top - 1):
                        # Some below the top may have ended, where events do not nest.
                        k = 0
                        for i in range(top):
                            if stack[i].end > s:
                                stack[k] = stack[i]
                                k += 1
                        top = k
                    k = top - 1
                    while k >= 0 and top - k <= MAX_ROWS and not (stack[k].end >= e and stack[k].end > s):
                        k -= 1
                    if k >= 0 and top - k > MAX_ROWS:
                        k = -1
                    depth = stack[k].depth + 1 if k >= 0 else 0
                    if depth >= MAX_ROWS:
                        depth = MAX_ROWS - 1
                        proper[t] = 0
                    i = depth
                    while depth < MAX_ROWS - 1 and depth < deepest and last_end[depth] > s:
                        depth += 1
                    if depth != i or (k < 0 and depth):
                        proper[t] = 0
                    if depth >= deepest:
                        for i in range(deepest, depth + 1):
                            last_end[i] = s
                        deepest = depth + 1
                    last_end[depth] = max(e, last_end[depth])
                    depths[event] = <int32_t>depth
                    own[event] = duration[event]
                    parent[event] = -1
                    if k >= 0:
                        parent[event] = stack[k].event
                        above = max(s, stack[k].covered)
                        if e > above:
                            own[stack[k].event] -= e - above
                            stack[k].covered = e
                    if top == room:
                        double_room(<void **>&stack, &room, sizeof(Open))
                    stack[top].end = e
                    stack[top].covered = s
                    stack[top].event = event
                    stack[top].depth = <int32_t>depth
                    top += 1
                track_rows[t + 1] = <int32_t>(track_rows[t] + deepest)
    finally:
        free(stack)
    # Arrays go as soon as they can: each is as large as a column of the trace.
    keys = None
    del keys_
    rows = track_rows[tracks]
    row_starts_ = np.zeros(rows + 1, np.int64)
    row_track_ = np.empty(rows, np.int32)
    row_depth_ = np.empty(rows, np.int32)
    cdef int64_t[::1] row_starts = row_starts_
    cdef int32_t[::1] row_track = row_track_, row_depth = row_depth_
    cdef int32_t[::1] new_parent
    cdef int64_t[::1] new_self
    cdef Nesting found = Nesting.__new__(Nesting)
    with nogil:
        for t in range(tracks):
            for row in range(track_rows[t], track_rows[t + 1]):
                row_track[row] = <int32_t>t
                row_depth[row] = <int32_t>(row - track_rows[t])
            for at in range(track_starts[t], track_starts[t + 1]):
                row_starts[track_rows[t] + depths[order[at]] + 1] += 1
        for row in range(rows):
            row_starts[row + 1] += row_starts[row]
        # `other` becomes the order, `order` the new number of each event.
        for t in range(tracks):
            for at in range(track_starts[t], track_starts[t + 1]):
                row = track_rows[t] + depths[order[at]]
                other[row_starts[row]] = order[at]
                row_starts[row] += 1
        for row in range(rows, 0, -1):
            row_starts[row] = row_starts[row - 1]
        if rows:
            row_starts[0] = 0
        for i in range(n):
            order[other[i]] = <int32_t>i
    depths = None
    del depth_
    new_parent_ = np.empty(n, np.int32)
    new_parent = new_parent_
    with nogil:
        for i in range(n):
            event = parent[other[i]]
            new_parent[i] = order[event] if event >= 0 else -1
    parent, order = None, None
    del parent_, order_
    new_self_ = np.empty(n, np.int64)
    new_self = new_self_
    with nogil:
        for i in range(n):
            new_self[i] = own[other[i]]
    found.order = other_
    found.parent = new_parent_
    found.self_ps = new_self_
    found.row_starts = row_starts_
    found.row_track = row_track_
    found.row_depth = row_depth_
    found.track_rows = track_rows_
    found.is_proper = proper_
    return found


cdef void spread(int32_t[::1] found, const int32_t[::1] parent) noexcept nogil:
    """Give each event that is not known yet (-2) what the nearest event around it has; -1: none has anything."""
    cdef Py_ssize_t i, at, n = found.shape[0], steps
    cdef int32_t value
    for i in range(n):
        at = i
        steps = 0
        while found[at] == -2 and 0 <= parent[at] < n and steps <= n:
            at = parent[at]
            steps += 1
        value = max(found[at], -1)
        at = i
        while found[at] == -2:
            found[at] = value
            if not 0 <= parent[at] < n:
                break
            at = parent[at]


def inherit(const int32_t[::1] own, const int32_t[::1] parent):
    """What each event has itself, or else the nearest event around it; -1: none."""
    cdef Py_ssize_t i, n = own.shape[0]
    if parent.shape[0] != n:
        raise ValueError("columns of different lengths")
    found_ = np.empty(n, np.int32)
    cdef int32_t[::1] found = found_
    with nogil:
        for i in range(n):
            found[i] = own[i] if own[i] >= 0 else -2
        spread(found, parent)
    return found_


def innermost(const uint8_t[::1] mask, const int32_t[::1] parent):
    """Each event itself where it is marked, or else the nearest marked event around it; -1: none."""
    cdef Py_ssize_t i, n = mask.shape[0]
    if parent.shape[0] != n:
        raise ValueError("columns of different lengths")
    found_ = np.empty(n, np.int32)
    cdef int32_t[::1] found = found_
    with nogil:
        for i in range(n):
            found[i] = <int32_t>i if mask[i] else -2
        spread(found, parent)
    return found_
