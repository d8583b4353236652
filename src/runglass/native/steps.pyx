"""Distinct steps of many series.

Steps are marked in a bitmap where their range allows it, because sorting tens of millions of them takes seconds.
"""

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

cimport numpy as cnp
import numpy as np

from runglass.native.columns cimport STEP, Columns, Memory

cnp.import_array()

cdef enum:
    # Of a bitmap: 16 MB.
    MAX_BITS = 1 << 27


cdef struct Steps:
    const int64_t *data
    Py_ssize_t count


cdef void find_bounds(const Steps *series, Py_ssize_t length, int64_t *low, int64_t *high) noexcept nogil:
    cdef Py_ssize_t i, row
    cdef int64_t step, lowest = INT64_MAX, highest = INT64_MIN
    for i in range(length):
        for row in range(series[i].count):
            step = series[i].data[row]
            lowest = min(lowest, step)
            highest = max(highest, step)
    low[0] = lowest
    high[0] = highest


cdef Py_ssize_t mark(const Steps *series, Py_ssize_t length, int64_t low, uint64_t *bits) noexcept nogil:
    """Returns how many bits are new."""
    cdef Py_ssize_t i, row, marked = 0
    cdef uint64_t at, bit
    for i in range(length):
        for row in range(series[i].count):
            at = <uint64_t>(series[i].data[row] - low)
            bit = <uint64_t>1 << (at & 63)
            marked += not bits[at >> 6] & bit
            bits[at >> 6] |= bit
    return marked


cdef void read_marks(const uint64_t *bits, Py_ssize_t words, int64_t low, int64_t *found) noexcept nogil:
    cdef Py_ssize_t i, bit, count = 0
    cdef uint64_t word
    for i in range(words):
        word = bits[i]
        bit = 0
        while word:
            if word == <uint64_t>-1:
                # Whole words are common: many trainings log every step.
                for bit in range(64):
                    found[count + bit] = low + (i << 6) + bit
                count += 64
                break
            if word & 1:
                found[count] = low + (i << 6) + bit
                count += 1
            word >>= 1
            bit += 1


cdef class StepUnion:
    """The distinct steps of series that grow: asked again about the same ones, it looks at their new rows only.

    Use it in one thread at a time.
    """

    cdef list series
    cdef list counts
    cdef object bits
    cdef int64_t low
    cdef object steps

    def __cinit__(self):
        self.series = []

    def read(self, list series):
        """As `unite_steps`, in an array that cannot be written to: the next answer may be the same one."""
        cdef Py_ssize_t i, length = len(series)
        cdef bint is_known = self.bits is not None and length == len(self.series)
        for i in range(length):
            if not isinstance(series[i], Columns):
                self.series, self.bits = [], None
                return unite_steps(series)
            is_known = is_known and series[i] is self.series[i]
        if not is_known or not self.add_rows(series):
            self.start(series)
        return self.steps

    cdef start(self, list series):
        # Taken before they are read: rows that come meanwhile are looked at twice.
        cdef list counts = [(<Columns>each).count for each in series]
        self.series, self.bits = [], None
        self.steps = unite_steps(series)
        self.steps.flags.writeable = False
        if self.steps.shape[0] == 0:
            return
        # Python's integers, because the difference may not fit into 64 bits.
        low, high = int(self.steps[0]), int(self.steps[self.steps.shape[0] - 1])
        span = high - low + 1
        # Room for half as many again.
        if span + span // 2 + 64 > MAX_BITS or high + span // 2 + 64 > INT64_MAX:
            return
        self.bits = np.zeros((span + span // 2 + 127) // 64, np.uint64)
        self.low = low
        self.mark_rows(self.steps)
        self.series, self.counts = list(series), counts

    cdef Py_ssize_t mark_rows(self, const int64_t[::1] rows):
        """How many steps are new; -1 if one lies beside the bits."""
        cdef Steps steps
        cdef int64_t low, high
        steps.data = &rows[0]
        steps.count = rows.shape[0]
        find_bounds(&steps, 1, &low, &high)
        if low < self.low or <uint64_t>high - <uint64_t>self.low >= <uint64_t>self.bits.shape[0] * 64:
            return -1
        return mark(&steps, 1, self.low, <uint64_t *>cnp.PyArray_DATA(<cnp.ndarray>self.bits))

    cdef bint add_rows(self, list series):
        """False if all must be read anew."""
        cdef Py_ssize_t i, fresh, marked = 0
        for i in range(len(series)):
            rows = series[i].read_steps()
            if rows.shape[0] <= self.counts[i]:
                continue
            fresh = self.mark_rows(rows[self.counts[i]:])
            if fresh < 0:
                return False
            marked += fresh
            self.counts[i] = rows.shape[0]
        if marked:
            found = np.empty(self.steps.shape[0] + marked, np.int64)
            read_marks(
                <uint64_t *>cnp.PyArray_DATA(<cnp.ndarray>self.bits), self.bits.shape[0], self.low,
                <int64_t *>cnp.PyArray_DATA(<cnp.ndarray>found),
            )
            self.steps = found
            self.steps.flags.writeable = False
        return True


def unite_steps(list series):
    """The steps that occur in any of these, ascending. Each is the Columns of a series, or an int64 array."""
    cdef Py_ssize_t i, marked, words, length = len(series)
    cdef int64_t low, high
    cdef const int64_t[::1] array
    cdef Memory memory
    cdef uint64_t *bits = NULL
    cdef Steps *steps = <Steps *>malloc((length + 1) * sizeof(Steps))
    if steps == NULL:
        raise MemoryError
    # Columns may move to other memory while they are read here; this one must stay.
    held = []
    try:
        for i in range(length):
            each = series[i]
            if isinstance(each, Columns):
                steps[i].count = (<Columns>each).count
                memory = (<Columns>each).held(1 << STEP, 0, steps[i].count)
                steps[i].data = NULL if memory is None else <int64_t *>memory.cols.data[STEP]
                held.append(memory)
            else:
                array = each
                steps[i].count = array.shape[0]
                steps[i].data = &array[0] if array.shape[0] else NULL
        with nogil:
            find_bounds(steps, length, &low, &high)
        if low > high:
            return np.empty(0, np.int64)
        # Python's integers, because the difference may not fit into 64 bits.
        span = int(high) - int(low) + 1
        if span > MAX_BITS:
            return np.unique(np.concatenate([
                each.read_steps() if isinstance(each, Columns) else each for each in series
            ]))
        words = (span + 63) // 64
        bits = <uint64_t *>calloc(words, 8)
        if bits == NULL:
            raise MemoryError
        with nogil:
            marked = mark(steps, length, low, bits)
        found = np.empty(marked, np.int64)
        read_marks(bits, words, low, <int64_t *>cnp.PyArray_DATA(found))
        return found
    finally:
        free(bits)
        free(steps)
