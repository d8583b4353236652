"""A pyramid over the rows of a long series: the extremes of 256 rows, of 16 times as many, and so on.

What is known of the first rows never changes, so following a series costs what its new rows cost. A pyramid holds no rows itself: every
call gets the arrays, which are those of the call before with rows added behind. Knows nothing of pixels, runs or tags.
"""

import threading

from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy, memset

cimport numpy as cnp
import numpy as np

from runglass.native.arrays cimport is_float32, real
from runglass.native.stretches cimport Stretch, add_range, clear

cnp.import_array()

# Shorter series are read whole at least as fast.
MIN_ROWS = 1 << 15

cdef enum:
    # Another one for every layout of what `dump` writes.
    MAGIC = 0x3144525950


cdef struct Header:
    int64_t magic
    int64_t blocks
    Totals totals
    Stretch open


cdef void merge(Stretch* s, const Stretch* after) noexcept nogil:
    """Add the points of a stretch that lies behind this one."""
    if after.first >= 0:
        if s.first < 0:
            s.first = after.first
            s.first_value = after.first_value
            s.lowest = after.lowest
            s.low = after.low
            s.highest = after.highest
            s.high = after.high
        else:
            if after.low < s.low:
                s.lowest = after.lowest
                s.low = after.low
            if after.high > s.high:
                s.highest = after.highest
                s.high = after.high
        s.last = after.last
        s.last_value = after.last_value
    s.nan = after.nan if s.nan < 0 else s.nan
    s.pos_inf = after.pos_inf if s.pos_inf < 0 else s.pos_inf
    s.neg_inf = after.neg_inf if s.neg_inf < 0 else s.neg_inf


cdef void append_block(View* view, const Stretch* s) noexcept nogil:
    """Add a block, and the stretches above that it completes. There is room for it."""
    cdef int64_t at = view.blocks
    cdef int level = 0, k
    cdef Stretch sum
    view.levels[0][at] = s[0]
    view.blocks += 1
    while view.blocks >> (FAN_BITS * (level + 1)) << (FAN_BITS * (level + 1)) == view.blocks:
        if level + 1 >= view.depth:
            break
        at = (view.blocks >> (FAN_BITS * level)) - FAN
        clear(&sum)
        for k in range(FAN):
            merge(&sum, &view.levels[level][at + k])
        level += 1
        view.levels[level][at >> FAN_BITS] = sum


cdef void merge_blocks(const View* view, int64_t begin, int64_t end, Stretch* s) noexcept nogil:
    """Add the blocks from `begin` to `end`, each at the highest level that has it whole."""
    cdef int level
    cdef int64_t size
    while begin < end:
        level = 0
        size = 1
        while level + 1 < view.depth and begin & ((size << FAN_BITS) - 1) == 0 and begin + (size << FAN_BITS) <= end:
            level += 1
            size <<= FAN_BITS
        merge(s, &view.levels[level][begin >> (FAN_BITS * level)])
        begin += size


cdef int add_rows(const View* view, const real[::1] y, int64_t begin, int64_t end, Stretch* s) except -1 nogil:
    """Add y[begin:end]: complete blocks from the levels, the rest row by row."""
    cdef int64_t first = (begin + BLOCK - 1) >> BLOCK_BITS, last = min(end >> BLOCK_BITS, view.blocks)
    if first >= last:
        return add_range(s, y, begin, end)
    add_range(s, y, begin, first << BLOCK_BITS)
    merge_blocks(view, first, last, s)
    return add_range(s, y, last << BLOCK_BITS, end)


cdef class Levels:
    """Stretches that are only ever added. Views stay valid while `arrays` of their moment are held."""

    def __cinit__(self):
        self.arrays = ()

    cdef View view(self):
        cdef View view
        cdef int level
        memset(&view, 0, sizeof(View))
        view.blocks = self.blocks
        view.depth = <int>len(self.arrays)
        for level in range(view.depth):
            view.levels[level] = <Stretch*>cnp.PyArray_DATA(<cnp.ndarray>self.arrays[level])
        return view

    cdef View reserve(self, int64_t blocks):
        """Make room for this many blocks in all. Readers keep the arrays that they have."""
        cdef int level = 0
        cdef int64_t wanted, used
        arrays = []
        while blocks >> (FAN_BITS * level):
            wanted = (blocks >> (FAN_BITS * level)) * <int64_t>sizeof(Stretch)
            used = (self.blocks >> (FAN_BITS * level)) * <int64_t>sizeof(Stretch)
            array = self.arrays[level] if level < len(self.arrays) else None
            if array is None or array.shape[0] < wanted or not array.flags.writeable:
                grown = np.empty(wanted + (wanted >> 2), np.uint8)
                if used:
                    grown[:used] = array[:used]
                array = grown
            arrays.append(array)
            level += 1
        self.arrays = tuple(arrays)
        return self.view()


cdef int look_at_rows(
    const int64_t[::1] step, const double[::1] wall_time, const real[::1] y, Totals* t, Stretch* open, View* view
) except -1 nogil:
    cdef int64_t i, n = y.shape[0], until, start = max(t.count, <int64_t>1)
    cdef double value, sum_, part, total = t.total, error = t.error
    cdef int64_t finite = 0
    cdef int falls = 0, times_fall = 0, differs = 0
    # One simple loop each, which the compiler makes of wide instructions.
    for i in range(start, n):
        falls |= step[i] < step[i - 1]
    for i in range(start, n):
        times_fall |= not wall_time[i] >= wall_time[i - 1]
    for i in range(start, n):
        differs |= not y[i] == y[0]
    t.steps_rise &= not falls
    t.times_rise &= not times_fall
    t.is_constant &= not differs
    # Between two finite times that never fall all are finite.
    t.times_rise &= n == 0 or (isfinite(wall_time[0]) and isfinite(wall_time[n - 1]))
    for i in range(t.count, n):
        value = y[i]
        if value - value == 0.0:
            finite += 1
            sum_ = total + value
            part = sum_ - total
            error += (total - (sum_ - part)) + (value - part)
            total = sum_
        elif value != value:
            t.nan_count += 1
        elif value > 0.0:
            t.pos_inf_count += 1
        else:
            t.neg_inf_count += 1
    t.total = total
    t.error = error
    t.finite_count += finite
    i = t.count
    while i < n:
        until = min(n, (i >> BLOCK_BITS << BLOCK_BITS) + BLOCK)
        add_range(open, y, i, until)
        i = until
        if i & (BLOCK - 1) == 0:
            append_block(view, open)
            clear(open)
    t.count = n
    return 0


cdef look(Pyramid pyramid, const int64_t[::1] step, const double[::1] wall_time, const real[::1] value):
    cdef Totals totals = pyramid.totals
    cdef Stretch open = pyramid.open
    cdef View view
    if step.shape[0] <= totals.count:
        return
    view = pyramid.levels.reserve(step.shape[0] >> BLOCK_BITS)
    pyramid.keep = None
    with nogil:
        look_at_rows(step, wall_time, value, &totals, &open, &view)
    # Readers see all of it at once, because they hold the GIL when they look.
    pyramid.open = open
    pyramid.levels.blocks = view.blocks
    pyramid.totals = totals


cdef object extremes(Pyramid pyramid, const real[::1] value, int64_t begin, int64_t end):
    cdef Stretch s
    held = pyramid.levels.arrays
    cdef View view = pyramid.levels.view()
    clear(&s)
    with nogil:
        add_rows(&view, value, begin, end, &s)
    return s.first, s.last, s.lowest, s.highest, s.nan, s.pos_inf, s.neg_inf


cdef class Pyramid:
    """Over the rows (step, wall_time, value) of one series in one file."""

    def __cinit__(self):
        self.levels = Levels()
        self.lock = threading.Lock()
        self.smoothed = {}
        memset(&self.totals, 0, sizeof(Totals))
        self.totals.steps_rise = self.totals.times_rise = self.totals.is_constant = 1
        clear(&self.open)

    @property
    def count(self):
        """Rows that were looked at."""
        return self.totals.count

    @property
    def nbytes(self):
        """Heap memory held, with that of averages; what `restore` maps from a file does not count."""
        own = sum(array.nbytes for array in self.levels.arrays if array.flags.owndata)
        return own + sum(rows.nbytes for rows in list(self.smoothed.values()))

    @property
    def steps_rise(self):
        """Whether no step is below the one before it, in the rows that were looked at."""
        return bool(self.totals.steps_rise)

    @property
    def times_rise(self):
        """Whether wall times are finite and never fall."""
        return bool(self.totals.times_rise)

    @property
    def is_constant(self):
        return bool(self.totals.is_constant)

    def update(self, const int64_t[::1] step, const double[::1] wall_time, value):
        """Look at the rows behind `count`. Any thread may call it; arrays that are shorter than before change nothing."""
        if not step.shape[0] == wall_time.shape[0] == value.shape[0]:
            raise ValueError(f"{step.shape[0]} steps, {wall_time.shape[0]} times and {value.shape[0]} values are not one series.")
        if step.shape[0] <= self.totals.count:
            return
        with self.lock:
            if is_float32(value):
                look[float](self, step, wall_time, value)
            else:
                look[double](self, step, wall_time, value)

    def find_extremes(self, value, int64_t begin, int64_t end):
        """Rows of value[begin:end]: (first, last, lowest, highest of the finite ones, first NaN, +Inf and -Inf), -1 for none."""
        if not 0 <= begin <= end <= value.shape[0]:
            raise IndexError(f"Rows {begin} to {end} are outside a series of {value.shape[0]}.")
        return extremes[float](self, value, begin, end) if is_float32(value) else extremes[double](self, value, begin, end)

    def summarize(self, value):
        """What `statistics.summarize` gives for these values; None if that cannot be told from here.

        That is so while rows are there that `update` has not seen or seen too many, and where the sum of the values overflows.
        """
        cdef Totals t = self.totals
        cdef double mean = 0.0
        if t.count != value.shape[0]:
            return None
        first, last, lowest, highest, nan, pos_inf, neg_inf = self.find_extremes(value, 0, t.count)
        if t.finite_count:
            mean = (t.total + t.error) / t.finite_count
            if not isfinite(mean):
                return None
            mean = min(max(mean, <double>value[lowest]), <double>value[highest])
        return (
            lowest, highest, mean if t.finite_count else None,
            t.nan_count, nan, t.pos_inf_count, pos_inf, t.neg_inf_count, neg_inf,
        )  # fmt: skip

    def dump(self, file):
        """Write it to a binary file; returns the number of bytes, for `restore`. Rows that come later change nothing of them."""
        cdef Header header
        cdef int level
        with self.lock:
            memset(&header, 0, sizeof(Header))
            header.magic = MAGIC
            header.blocks = self.levels.blocks
            header.totals = self.totals
            header.open = self.open
            file.write((<uint8_t *>&header)[:sizeof(Header)])
            size = sizeof(Header)
            for level, array in enumerate(self.levels.arrays):
                used = (header.blocks >> (FAN_BITS * level)) * sizeof(Stretch)
                file.write(memoryview(array)[:used])
                size += used
            return size

    @staticmethod
    def restore(buffer, int64_t count, keep=None):
        """Continue on a (memory-mapped) copy made by `dump` when the series had `count` rows. Raises ValueError if it is not that.

        `keep` is held as long as the copy is used."""
        cdef Header header
        cdef const uint8_t[::1] region = buffer
        cdef int level = 0
        cdef Pyramid pyramid = Pyramid()
        if region.shape[0] < <Py_ssize_t>sizeof(Header):
            raise ValueError(f"a pyramid of {region.shape[0]} bytes, expected at least {sizeof(Header)}")
        memcpy(&header, &region[0], sizeof(Header))
        if header.magic != MAGIC or header.totals.count != count or header.blocks != count >> BLOCK_BITS:
            raise ValueError(f"not a pyramid over {count} rows: layout {header.magic:#x}, {header.totals.count} rows, {header.blocks} blocks")
        whole = np.frombuffer(region, np.uint8)
        at, arrays = sizeof(Header), []
        while header.blocks >> (FAN_BITS * level):
            used = (header.blocks >> (FAN_BITS * level)) * sizeof(Stretch)
            array = whole[at : at + used]
            array.flags.writeable = False
            arrays.append(array)
            at += used
            level += 1
        if at != len(whole):
            raise ValueError(f"a pyramid of {len(whole)} bytes over {count} rows, expected {at}")
        pyramid.keep = keep
        pyramid.levels.arrays = tuple(arrays)
        pyramid.levels.blocks = header.blocks
        pyramid.totals = header.totals
        pyramid.open = header.open
        return pyramid
