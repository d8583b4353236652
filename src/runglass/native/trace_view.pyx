"""Traces of millions of events: what a picture of them needs, sums, and search over their texts.

Events are ordered by row (track and depth) and start; those of one row do not overlap. Pyramids hold the maximum of every 64
events, of every 64 of those, and so on, so that whatever is long enough to be seen is found without looking at all events.
Nothing here knows a format.
"""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from runglass.native.arrays cimport double_room
from runglass.native.wire cimport load_u64, read_varint

cdef extern from "give_back.h" nogil:
    void rg_give_back() noexcept

cnp.import_array()

cdef enum:
    LEVELS = 6
    SPAN_BITS = 6
    # Of arguments that are looked for at once.
    MAX_KEYS = 64
    # Kinds of arguments; those after floats are texts.
    NULL_ARGUMENT = 0
    TRUE_ARGUMENT = 2
    FLOAT_ARGUMENT = 4
    BYTES_ARGUMENT = 7
    NO_KEY = 0x7FFFFFFF


def give_back():
    """Arrays of a few megabytes that were freed stay with the C library, until it is told to give them back."""
    with nogil:
        rg_give_back()


ctypedef fused number:
    int32_t
    int64_t


def pick(const number[::1] values, const int32_t[::1] order, number[::1] out):
    """The values at some places. Unlike an index of NumPy, the places stay as small as they are."""
    cdef Py_ssize_t i, n = order.shape[0], size = values.shape[0]
    cdef bint is_known = True
    if out.shape[0] != n:
        raise ValueError("columns of different lengths")
    with nogil:
        for i in range(n):
            if not 0 <= order[i] < size:
                is_known = False
                break
            out[i] = values[order[i]]
    if not is_known:
        raise ValueError("a place beyond the values")


# --- pyramids


def make_pyramid(const int64_t[::1] values):
    """The maxima of every 64 values, then of every 64 of those, and so on, after each other."""
    cdef Py_ssize_t n = values.shape[0], i, total = 0, size = n, first = 0, count
    cdef int64_t best
    while size > 1:
        size = (size + 63) >> SPAN_BITS
        total += size
    made_ = np.empty(total, np.int64)
    cdef int64_t[::1] made = made_
    if not total:
        return made_
    with nogil:
        size = (n + 63) >> SPAN_BITS
        for i in range(size):
            best = values[i << SPAN_BITS]
            for count in range(i << SPAN_BITS, min(n, (i + 1) << SPAN_BITS)):
                best = max(best, values[count])
            made[i] = best
        while size > 1:
            count = (size + 63) >> SPAN_BITS
            for i in range(size):
                if not i & 63:
                    made[first + size + (i >> SPAN_BITS)] = made[first + i]
                elif made[first + i] > made[first + size + (i >> SPAN_BITS)]:
                    made[first + size + (i >> SPAN_BITS)] = made[first + i]
            first += size
            size = count
    return made_


def notable(const int64_t[::1] start, const int64_t[::1] duration, const int64_t[::1] row_starts):
    """Twice the duration of each event, or the gap before it in its row where that is longer."""
    cdef Py_ssize_t n = start.shape[0], row, i
    made_ = np.empty(n, np.int64)
    cdef int64_t[::1] made = made_
    with nogil:
        for row in range(row_starts.shape[0] - 1):
            for i in range(row_starts[row], row_starts[row + 1]):
                made[i] = weight(&start[0], &duration[0], i, row_starts[row])
    return made_


cdef inline int64_t weight(
    const int64_t *start, const int64_t *duration, Py_ssize_t i, Py_ssize_t row_start
) noexcept nogil:
    cdef int64_t twice = 2 * duration[i] if duration[i] < INT64_MAX // 2 else INT64_MAX
    if i == row_start:
        return twice
    return max(twice, start[i] - start[i - 1] - duration[i - 1])


cdef struct Pyramid:
    const int64_t *levels[LEVELS]
    int top


cdef int lay_out(Pyramid *pyramid, const int64_t[::1] made, Py_ssize_t n) except -1:
    """Level 0, the values themselves, is not stored."""
    cdef Py_ssize_t first = 0, size = n
    pyramid.top = 0
    while size > 1:
        size = (size + 63) >> SPAN_BITS
        if first + size > made.shape[0] or pyramid.top + 1 >= LEVELS:
            raise ValueError("not the pyramid of these events")
        pyramid.top += 1
        pyramid.levels[pyramid.top] = &made[first]
        first += size
    return 0


cdef struct Events:
    const int64_t *start
    const int64_t *duration
    Py_ssize_t count
    # Of `notable`, and of durations.
    Pyramid notable
    Pyramid longest


cdef Py_ssize_t next_notable(
    const Events *events, Py_ssize_t first, Py_ssize_t stop, Py_ssize_t row_start, int64_t bar
) noexcept nogil:
    """The first event from `first` on that is notable by that much; `stop` if none is."""
    cdef int level = 0
    cdef Py_ssize_t at = first
    cdef int64_t value
    while (at << (SPAN_BITS * level)) < stop:
        if level:
            value = events.notable.levels[level][at]
        else:
            value = weight(events.start, events.duration, at, row_start)
        if value >= bar:
            if not level:
                return at
            level -= 1
            at <<= SPAN_BITS
            continue
        at += 1
        while level < events.notable.top and not at & 63:
            level += 1
            at >>= SPAN_BITS
    return stop


cdef Py_ssize_t find_longest(const Events *events, Py_ssize_t first, Py_ssize_t stop) noexcept nogil:
    """The longest event of a range, the first of several."""
    cdef int level, best_level = 0
    cdef Py_ssize_t at = first, best = first, i
    cdef int64_t value, highest = -1
    while at < stop:
        level = 0
        while (
            level < events.longest.top
            and not at & ((<Py_ssize_t>1 << (SPAN_BITS * (level + 1))) - 1)
            and at + (<Py_ssize_t>1 << (SPAN_BITS * (level + 1))) <= stop
        ):
            level += 1
        value = events.longest.levels[level][at >> (SPAN_BITS * level)] if level else events.duration[at]
        if value > highest:
            highest = value
            best = at >> (SPAN_BITS * level)
            best_level = level
        at += <Py_ssize_t>1 << (SPAN_BITS * level)
    while best_level:
        best_level -= 1
        best <<= SPAN_BITS
        for i in range(best, best + 64):
            value = events.longest.levels[best_level][i] if best_level else events.duration[i]
            if value == highest:
                best = i
                break
    return best


cdef Py_ssize_t first_in(
    const Events *events, Py_ssize_t low, Py_ssize_t high, int64_t moment
) noexcept nogil:
    """The first event of a row that has not ended at a moment, or begins then."""
    cdef Py_ssize_t middle
    while low < high:
        middle = low + (high - low) // 2
        if events.start[middle] >= moment or events.start[middle] + events.duration[middle] > moment:
            high = middle
        else:
            low = middle + 1
    return low


cdef Py_ssize_t first_after(
    const Events *events, Py_ssize_t low, Py_ssize_t high, int64_t moment
) noexcept nogil:
    """The first event of a row that begins after a moment."""
    cdef Py_ssize_t middle
    while low < high:
        middle = low + (high - low) // 2
        if events.start[middle] > moment:
            high = middle
        else:
            low = middle + 1
    return low


cdef struct Slice:
    int32_t row
    int32_t first
    int32_t count
    int32_t longest


# The next event of a row, when several rows are gone through in the order of time.
cdef struct Cursor:
    int64_t start
    Py_ssize_t at
    Py_ssize_t stop


cdef void sink(Cursor *heap, Py_ssize_t at, Py_ssize_t count) noexcept nogil:
    """The earliest first: a heap whose entry at this place may be too late for it."""
    cdef Py_ssize_t below
    cdef Cursor moved = heap[at]
    while 2 * at + 1 < count:
        below = 2 * at + 1
        if below + 1 < count and heap[below + 1].start < heap[below].start:
            below += 1
        if moved.start <= heap[below].start:
            break
        heap[at] = heap[below]
        at = below
    heap[at] = moved


cdef void copy_pairs(const int64_t *pairs, Py_ssize_t count, int64_t[:, ::1] made) noexcept:
    cdef Py_ssize_t i
    for i in range(count):
        made[0, i] = pairs[2 * i]
        made[1, i] = pairs[2 * i + 1]


cdef class View:
    """The columns that pictures and sums are made of. They must not change."""

    cdef object kept
    cdef Events events
    cdef const int64_t[::1] row_starts
    cdef const int64_t[::1] start, duration

    def __init__(
        self,
        const int64_t[::1] start,
        const int64_t[::1] duration,
        const int64_t[::1] row_starts,
        const int64_t[::1] notable,
        const int64_t[::1] longest,
    ):
        cdef Py_ssize_t n = start.shape[0], row
        if duration.shape[0] != n or row_starts.shape[0] < 1 or row_starts[0] != 0:
            raise ValueError("columns of different lengths")
        for row in range(row_starts.shape[0] - 1):
            if row_starts[row + 1] < row_starts[row]:
                raise ValueError("rows that go back")
        if row_starts[row_starts.shape[0] - 1] != n:
            raise ValueError("rows do not cover the events")
        self.start, self.duration, self.row_starts = start, duration, row_starts
        self.kept = (notable, longest)
        self.events.count = n
        self.events.start = &start[0] if n else NULL
        self.events.duration = &duration[0] if n else NULL
        lay_out(&self.events.notable, notable, n)
        lay_out(&self.events.longest, longest, n)

    cdef int check(self, const int32_t[::1] rows) except -1:
        cdef Py_ssize_t i
        for i in range(rows.shape[0]):
            if not 0 <= rows[i] < self.row_starts.shape[0] - 1:
                raise ValueError("an unknown row")
        return 0

    def ranges(self, const int32_t[::1] rows, int64_t low, int64_t high):
        """For each row the events that are not over at `low` and have begun at `high`, as first and stop."""
        cdef Py_ssize_t i, count = rows.shape[0]
        self.check(rows)
        first_ = np.empty(count, np.int64)
        stop_ = np.empty(count, np.int64)
        cdef int64_t[::1] first = first_, stop = stop_
        with nogil:
            for i in range(count):
                first[i] = first_in(&self.events, self.row_starts[rows[i]], self.row_starts[rows[i] + 1], low)
                stop[i] = first_after(&self.events, first[i], self.row_starts[rows[i] + 1], high)
        return first_, stop_

    def slices(self, const int32_t[::1] rows, int64_t low, int64_t high, int64_t pixel):
        """The events of rows in a range: those that take a pixel on their own; others are joined where gaps are below two.

        Gives four columns: place in `rows`, first event, number of events, longest of them.
        """
        cdef Py_ssize_t i, first, stop, next_one, row_start, count = 0, room = 1024
        cdef int64_t bar
        cdef Slice *found
        self.check(rows)
        if pixel < 1:
            pixel = 1
        bar = 2 * pixel if pixel < INT64_MAX // 2 else INT64_MAX
        found = <Slice *>malloc(room * sizeof(Slice))
        if found == NULL:
            raise MemoryError
        try:
            with nogil:
                for i in range(rows.shape[0]):
                    row_start = self.row_starts[rows[i]]
                    first = first_in(&self.events, row_start, self.row_starts[rows[i] + 1], low)
                    stop = first_after(&self.events, first, self.row_starts[rows[i] + 1], high)
                    while first < stop:
                        if self.events.duration[first] >= pixel:
                            next_one = first + 1
                        else:
                            next_one = next_notable(&self.events, first + 1, stop, row_start, bar)
                        if count == room:
                            double_room(<void **>&found, &room, sizeof(Slice))
                        found[count].row = <int32_t>i
                        found[count].first = <int32_t>first
                        found[count].count = <int32_t>(next_one - first)
                        found[count].longest = <int32_t>find_longest(&self.events, first, next_one)
                        count += 1
                        first = next_one
            made_ = np.empty((4, count), np.int32)
            fill(made_, found, count)
            return made_
        finally:
            free(found)

    def union(
        self, const int32_t[::1] rows, int64_t low, int64_t high, const int32_t[::1] category=None, const uint8_t[::1] left_out=None
    ):
        """When events of rows run inside a range: beginnings and ends, ascending, apart from each other. Events of a category that is left
        out do not count. The events of a row are in order, so that nothing is sorted."""
        cdef Py_ssize_t i, used = 0, at, count = 0, room = 1024
        cdef int64_t begin, end
        cdef bint chooses = left_out is not None
        cdef Cursor *heap
        cdef int64_t *found
        self.check(rows)
        if chooses and category.shape[0] != self.events.count:
            raise ValueError("columns of different lengths")
        heap = <Cursor *>malloc(max(rows.shape[0], 1) * sizeof(Cursor))
        found = <int64_t *>malloc(2 * room * sizeof(int64_t))
        if heap == NULL or found == NULL:
            free(heap)
            free(found)
            raise MemoryError
        try:
            with nogil:
                for i in range(rows.shape[0]):
                    heap[used].at = first_in(&self.events, self.row_starts[rows[i]], self.row_starts[rows[i] + 1], low)
                    heap[used].stop = first_after(&self.events, heap[used].at, self.row_starts[rows[i] + 1], high)
                    if heap[used].at < heap[used].stop:
                        heap[used].start = self.events.start[heap[used].at]
                        used += 1
                for i in range(used // 2 - 1, -1, -1):
                    sink(heap, i, used)
                while used:
                    at = heap[0].at
                    begin = max(heap[0].start, low)
                    end = min(heap[0].start + self.events.duration[at], high)
                    heap[0].at = at + 1
                    if at + 1 < heap[0].stop:
                        heap[0].start = self.events.start[at + 1]
                    else:
                        used -= 1
                        heap[0] = heap[used]
                    sink(heap, 0, used)
                    if end <= begin or (chooses and 0 <= category[at] < left_out.shape[0] and left_out[category[at]]):
                        continue
                    if count and begin <= found[2 * count - 1]:
                        found[2 * count - 1] = max(found[2 * count - 1], end)
                        continue
                    if count == room:
                        double_room(<void **>&found, &room, 2 * sizeof(int64_t))
                    found[2 * count] = begin
                    found[2 * count + 1] = end
                    count += 1
            made = np.empty((2, count), np.int64)
            copy_pairs(found, count, made)
            return made[0], made[1]
        finally:
            free(heap)
            free(found)

    def add_up(
        self,
        const int32_t[::1] rows,
        int64_t low,
        int64_t high,
        const int64_t[::1] own,
        const int32_t[::1] keys,
        const int32_t[::1] row_keys,
        Py_ssize_t size,
    ):
        """Sums of the events of rows inside a range by key: of each event, or of its row where `keys` is None. A key of -1 counts as
        the last.

        Gives count, total, self time, shortest, longest and the longest event for each key, and the events that reach over
        an end of the range: their self time is left out.
        """
        cdef Py_ssize_t i, first, stop, at, crossed = 0
        cdef int64_t begin, end, inside, took
        cdef int32_t key
        cdef bint by_event = keys is not None
        self.check(rows)
        if own.shape[0] != self.events.count or (by_event and keys.shape[0] != self.events.count):
            raise ValueError("columns of different lengths")
        if not by_event and row_keys.shape[0] != rows.shape[0]:
            raise ValueError("columns of different lengths")
        # What is written for one event lies in one place.
        sums_ = np.zeros((size + 1, 8), np.int64)
        cdef int64_t[:, ::1] sums = sums_
        cdef int64_t *sum
        crossing_ = np.empty(2 * rows.shape[0] + 1, np.int64)
        cdef int64_t[::1] crossing = crossing_
        more = []
        sums_[:, 3] = INT64_MAX
        sums_[:, 5] = -1
        with nogil:
            for i in range(rows.shape[0]):
                first = first_in(&self.events, self.row_starts[rows[i]], self.row_starts[rows[i] + 1], low)
                stop = first_after(&self.events, first, self.row_starts[rows[i] + 1], high)
                key = <int32_t>size if by_event else row_keys[i]
                for at in range(first, stop):
                    begin = self.events.start[at]
                    took = self.events.duration[at]
                    end = begin + took
                    if took and begin >= high:
                        continue
                    if by_event:
                        key = keys[at]
                    if not 0 <= key < size:
                        key = <int32_t>size
                    sum = &sums[key, 0]
                    if begin >= low and end <= high:
                        sum[1] += took
                        sum[2] += own[at]
                    else:
                        inside = min(end, high) - max(begin, low)
                        sum[1] += inside
                        if crossed < crossing.shape[0]:
                            crossing[crossed] = at
                            crossed += 1
                        else:
                            # Only where events of a row overlap: the last row of a track that is too deep.
                            with gil:
                                more.append(at)
                    sum[0] += 1
                    sum[3] = min(sum[3], took)
                    if sum[5] < 0 or took > sum[4]:
                        sum[4] = took
                        sum[5] = at
        return np.ascontiguousarray(sums_.T[:6]), np.concatenate([crossing_[:crossed], np.array(more, np.int64)])

    def spread(
        self,
        const int32_t[::1] rows,
        const int32_t[::1] keys,
        const int32_t[::1] parent,
        Py_ssize_t size,
        int64_t low,
        int64_t high,
        Py_ssize_t width,
    ):
        """Self time by key and pixel: the time of each event, taken from that of its parent."""
        cdef Py_ssize_t i, at, pixel, last
        cdef int64_t begin, end, edge
        cdef double each, part
        self.check(rows)
        if keys.shape[0] != self.events.count or parent.shape[0] != self.events.count:
            raise ValueError("columns of different lengths")
        if high <= low or width < 1:
            raise ValueError("an empty range")
        each = <double>(high - low) / width
        made_ = np.zeros((size, width), np.float64)
        cdef double[:, ::1] made = made_
        with nogil:
            for i in range(rows.shape[0]):
                for at in range(self.row_starts[rows[i]], self.row_starts[rows[i] + 1]):
                    begin = max(self.events.start[at], low)
                    end = min(self.events.start[at] + self.events.duration[at], high)
                    if end <= begin or not 0 <= keys[at] < size:
                        continue
                    pixel = <Py_ssize_t>(<double>(begin - low) / each)
                    last = <Py_ssize_t>(<double>(end - low) / each)
                    for pixel in range(max(0, min(pixel, width - 1)), min(last, width - 1) + 1):
                        part = min(<double>(end - low), (pixel + 1) * each) - max(<double>(begin - low), pixel * each)
                        if part <= 0:
                            continue
                        made[keys[at], pixel] += part
                        if parent[at] >= 0 and 0 <= keys[parent[at]] < size:
                            made[keys[parent[at]], pixel] -= part
        return made_

    def last_ended(
        self, const int32_t[::1] rows, const int32_t[::1] category, const uint8_t[::1] left_out, int64_t low, int64_t at
    ):
        """Of the events of rows that begin before a moment, and not of a category that is left out, the one that ended last or runs then;
        of several the one of the last row; -1: none that ended after `low`."""
        cdef Py_ssize_t i, event, first
        cdef int64_t end, latest = low
        cdef int64_t found = -1
        self.check(rows)
        if category.shape[0] != self.events.count:
            raise ValueError("columns of different lengths")
        with nogil:
            for i in range(rows.shape[0]):
                first = self.row_starts[rows[i]]
                event = first_after(&self.events, first, self.row_starts[rows[i] + 1], at - 1) - 1
                while event >= first and 0 <= category[event] < left_out.shape[0] and left_out[category[event]]:
                    event -= 1
                if event < first:
                    continue
                end = min(self.events.start[event] + self.events.duration[event], at)
                if end > low and (found < 0 or end >= latest):
                    latest = end
                    found = event
        return found

    def last_end_inside(
        self, const int32_t[::1] rows, int64_t begin, int64_t at, int64_t least, Py_ssize_t look_back
    ):
        """When the last event of rows ended that is at least so long and lies between two moments; `begin` if none does. Of each row only the
        last few that begin before the end are looked at."""
        cdef Py_ssize_t i, event, first
        cdef int64_t start, took, latest = begin
        self.check(rows)
        with nogil:
            for i in range(rows.shape[0]):
                first = self.row_starts[rows[i]]
                event = first_after(&self.events, first, self.row_starts[rows[i] + 1], at - 1) - 1
                first = max(first, event - look_back + 1)
                while event >= first:
                    start = self.events.start[event]
                    took = self.events.duration[event]
                    if start < begin:
                        break
                    # Where events do not nest, one that goes on at that moment is not inside.
                    if took >= least and start + took < at:
                        latest = max(latest, start + took)
                        break
                    event -= 1
        return latest

    def innermost(self, const int32_t[::1] track_rows, const int32_t[::1] track, const int64_t[::1] moment):
        """For each moment the deepest event of a track that holds it, ends included; -1: none."""
        cdef Py_ssize_t i, row, at, count = track.shape[0], low
        if moment.shape[0] != count:
            raise ValueError("columns of different lengths")
        for i in range(count):
            if not 0 <= track[i] < track_rows.shape[0] - 1:
                raise ValueError("an unknown track")
        if track_rows.shape[0] and track_rows[track_rows.shape[0] - 1] > self.row_starts.shape[0] - 1:
            raise ValueError("an unknown row")
        found_ = np.full(count, -1, np.int32)
        cdef int32_t[::1] found = found_
        with nogil:
            for i in range(count):
                for row in range(track_rows[track[i] + 1] - 1, track_rows[track[i]] - 1, -1):
                    low = self.row_starts[row]
                    # The last that has begun.
                    at = first_after(&self.events, low, self.row_starts[row + 1], moment[i]) - 1
                    if at >= low and self.events.start[at] + self.events.duration[at] >= moment[i]:
                        found[i] = <int32_t>at
                        break
        return found_


cdef void fill(int32_t[:, ::1] made, const Slice *found, Py_ssize_t count) noexcept:
    cdef Py_ssize_t i
    for i in range(count):
        made[0, i] = found[i].row
        made[1, i] = found[i].first
        made[2, i] = found[i].count
        made[3, i] = found[i].longest


# --- texts


cdef inline uint8_t lower(uint8_t c) noexcept nogil:
    return c + 32 if 65 <= c <= 90 else c


def find_texts(const uint8_t[::1] data, const int64_t[::1] ends, bytes needle):
    """1 for every text that contains `needle`, which is in lower case, whatever the case of its ASCII letters; 2 for those that must be
    looked at otherwise, because they have other characters.
    """
    cdef Py_ssize_t i, n = ends.shape[0], at, stop, begin = 0, k, size = len(needle)
    cdef const uint8_t *wanted = needle
    cdef uint8_t c
    cdef bint is_ascii
    found_ = np.zeros(n, np.uint8)
    cdef uint8_t[::1] found = found_
    if n and (ends[n - 1] > data.shape[0] or ends[0] < 0):
        raise ValueError("texts beyond their bytes")
    if not size:
        found_[:] = 1
        return found_
    for i in range(1, n):
        if ends[i] < ends[i - 1]:
            raise ValueError("texts that go back")
    with nogil:
        for i in range(n):
            stop = ends[i]
            is_ascii = True
            for at in range(begin, stop):
                c = data[at]
                if c & 0x80:
                    is_ascii = False
                    break
                if lower(c) == wanted[0] and stop - at >= size:
                    k = 1
                    while k < size and lower(data[at + k]) == wanted[k]:
                        k += 1
                    if k == size:
                        found[i] = 1
                        break
            if not is_ascii:
                found[i] = 2
            begin = stop
    return found_


def count_before(const uint8_t[::1] mask, const int32_t[::1] numbers):
    """How many events before each have a text of the mask; n + 1 numbers."""
    cdef Py_ssize_t i, n = numbers.shape[0], size = mask.shape[0]
    made_ = np.empty(n + 1, np.int32)
    cdef int32_t[::1] made = made_
    cdef int32_t total = 0
    with nogil:
        for i in range(n):
            made[i] = total
            if 0 <= numbers[i] < size:
                total += mask[numbers[i]]
        made[n] = total
    return made_


# --- arguments


cdef struct Value:
    int64_t value
    int32_t event
    int32_t place


def find_values(
    const uint8_t[::1] arguments,
    const int64_t[::1] ends,
    const int32_t[::1] event_of,
    const int32_t[::1] numbers,
    const int32_t[::1] texts,
    Py_ssize_t first,
    Py_ssize_t stop,
    const uint8_t[::1] place_of=None,
    uint8_t[:, ::1] seen=None,
):
    """Arguments of rows from `first` to `stop` under some keys: whole numbers under `numbers`, texts by their number under `texts`. Rows
    without an event are left out.

    Gives for each key (texts after numbers) the events and the values. With `seen`, marks every key there, in the row that `place_of` has
    for the event.
    """
    cdef Py_ssize_t i, keys = numbers.shape[0] + texts.shape[0], count = 0, room = 4 * max(stop - first, 256)
    cdef const uint8_t *data = &arguments[0] if arguments.shape[0] else NULL
    cdef const uint8_t *p = NULL
    cdef const uint8_t *end = NULL
    cdef int32_t key = 0, highest = -1, at
    cdef uint8_t kind = 0
    cdef int64_t value = 0, begin
    cdef uint64_t number = 0
    cdef double as_float
    cdef Value *found
    cdef bint is_told = seen is not None
    cdef int place = 0
    if event_of.shape[0] != ends.shape[0] or keys > MAX_KEYS:
        raise ValueError("columns of different lengths, or too many keys")
    if is_told:
        for i in range(first, min(stop, ends.shape[0])):
            if event_of[i] >= place_of.shape[0] or (event_of[i] >= 0 and place_of[event_of[i]] >= seen.shape[0]):
                raise ValueError("an unknown place")
    for i in range(numbers.shape[0]):
        highest = max(highest, numbers[i])
    for i in range(texts.shape[0]):
        highest = max(highest, texts[i])
    # Where each key is in the answer, for numbers and for texts.
    places_ = np.full((2, highest + 2), -1, np.int32)
    cdef int32_t[:, ::1] places = places_
    cdef Py_ssize_t counts[MAX_KEYS]
    cdef Py_ssize_t starts[MAX_KEYS]
    memset(counts, 0, sizeof(counts))
    for i in range(numbers.shape[0]):
        if numbers[i] >= 0:
            places[0, numbers[i]] = <int32_t>i
    for i in range(texts.shape[0]):
        if texts[i] >= 0:
            places[1, texts[i]] = <int32_t>(numbers.shape[0] + i)
    first, stop = max(first, 0), min(stop, ends.shape[0])
    found = <Value *>malloc(room * sizeof(Value))
    if found == NULL:
        raise MemoryError
    try:
        with nogil:
            for i in range(first, stop):
                begin = ends[i - 1] if i else 0
                if event_of[i] < 0 or begin < 0 or ends[i] < begin or ends[i] > arguments.shape[0]:
                    continue
                p, end = data + begin, data + ends[i]
                if is_told:
                    place = place_of[event_of[i]]
                while p < end:
                    # Nearly all keys and values are passed over: only what is looked for is decoded.
                    number = p[0]
                    p += 1
                    if number >= 0x80:
                        p = read_varint(p - 1, end, &number)
                        if p == NULL:
                            break
                    if number > NO_KEY or p >= end:
                        break
                    key = <int32_t>number
                    kind = p[0]
                    p += 1
                    at = places[1 if kind > FLOAT_ARGUMENT else 0, key] if key <= highest else -1
                    if kind <= TRUE_ARGUMENT:
                        value = kind == TRUE_ARGUMENT
                        if kind == NULL_ARGUMENT:
                            at = -1
                    elif kind == FLOAT_ARGUMENT:
                        if end - p < 8:
                            break
                        if at >= 0:
                            number = load_u64(p)
                            memcpy(&as_float, &number, 8)
                            if -9.2e18 < as_float < 9.2e18:
                                value = <int64_t>as_float
                            else:
                                at = -1
                        p += 8
                    elif kind > BYTES_ARGUMENT:
                        break
                    elif at < 0:
                        while p < end and p[0] >= 0x80:
                            p += 1
                        if p == end:
                            break
                        p += 1
                    else:
                        p = read_varint(p, end, &number)
                        if p == NULL or (kind > FLOAT_ARGUMENT and number > NO_KEY):
                            break
                        value = <int64_t>number if kind > FLOAT_ARGUMENT else <int64_t>((number >> 1) ^ (0 - (number & 1)))
                    if is_told and key < seen.shape[1]:
                        seen[place, key] = 1
                    if at < 0:
                        continue
                    if count == room:
                        double_room(<void **>&found, &room, sizeof(Value))
                    found[count].value = value
                    found[count].event = event_of[i]
                    found[count].place = at
                    count += 1
                    counts[at] += 1
        events_, values_ = np.empty(count, np.int32), np.empty(count, np.int64)
        group_values(found, count, starts, counts, keys, events_, values_)
        return [
            (events_[starts[i] - counts[i] : starts[i]], values_[starts[i] - counts[i] : starts[i]]) for i in range(keys)
        ]
    finally:
        free(found)


cdef void group_values(
    const Value *found, Py_ssize_t count, Py_ssize_t *starts, const Py_ssize_t *counts, Py_ssize_t keys,
    int32_t[::1] events, int64_t[::1] values
) noexcept nogil:
    """By key, in their order; `starts` become the ends."""
    cdef Py_ssize_t i, total = 0
    for i in range(keys):
        starts[i] = total
        total += counts[i]
    for i in range(count):
        events[starts[found[i].place]] = found[i].event
        values[starts[found[i].place]] = found[i].value
        starts[found[i].place] += 1
