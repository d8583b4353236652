"""Writes the columns of tags to a pack, and collects the rows of its tables that say where they are: what stored.pyx reads.

A pack has tens of thousands of tags, so all of this is done without an object for each. Knows neither files nor what series are.
"""

from io import BytesIO

from libc.math cimport isfinite
from libc.stdint cimport INT64_MIN, int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcmp, memcpy, memset

from runglass.native.columns cimport EVERY, STEP, Cols, Columns, Memory
from runglass.native.pyramid import MIN_ROWS, Pyramid
from runglass.native.records cimport rg_crc32c, rg_crc32c_init
from runglass.native.statistics cimport Statistics, summarize_doubles, summarize_floats
from runglass.native.stored cimport BLOBS, BLOCK_ROWS, VALUE, PartRow, TagRow

rg_crc32c_init()

cdef extern from "Python.h":
    int PyBUF_READ
    object PyMemoryView_FromMemory(char *data, Py_ssize_t size, int flags)
    char *PyByteArray_AsString(object array)
    int PyByteArray_Resize(object array, Py_ssize_t size) except -1

cdef enum:
    ALIGNED_BYTES = 8
    WALL_TIME = 1

cdef packed struct StartRow:
    int64_t points
    int64_t blobs
    int64_t step

cdef packed struct PyramidRow:
    int64_t part
    int64_t at
    int64_t size
    uint32_t checksum
    uint32_t unused

cdef packed struct SummaryRow:
    double first
    double last
    int64_t first_step
    int64_t last_step
    double last_wall_time
    int64_t has_finite
    double min
    int64_t min_step
    double max
    int64_t max_step
    double mean
    int64_t nan_count
    int64_t nan_first_step
    int64_t pos_inf_count
    int64_t pos_inf_first_step
    int64_t neg_inf_count
    int64_t neg_inf_first_step


cdef int64_t append(bytearray table, const void *row, Py_ssize_t size) except -1:
    """Add a row; returns its number."""
    cdef Py_ssize_t used = len(table)
    PyByteArray_Resize(table, used + size)
    memcpy(PyByteArray_AsString(table) + used, row, <size_t>size)
    return used // size


cdef double number_at(const Cols *cols, int64_t row) noexcept nogil:
    if cols.width[VALUE] == 4:
        return (<float *>cols.data[VALUE])[row]
    return (<double *>cols.data[VALUE])[row]


cdef void summarize(const Cols *cols, int64_t count, Statistics *s) noexcept nogil:
    if cols.width[VALUE] == 4:
        summarize_floats(<const float *>cols.data[VALUE], count, s)
    else:
        summarize_doubles(<const double *>cols.data[VALUE], count, s)


cdef SummaryRow summary_of(const Cols *cols, int64_t count, const Statistics *s) noexcept nogil:
    cdef SummaryRow row
    cdef const int64_t *steps = <const int64_t *>cols.data[STEP]
    memset(&row, 0, sizeof(SummaryRow))
    row.first = number_at(cols, 0)
    row.last = number_at(cols, count - 1)
    row.first_step = steps[0]
    row.last_step = steps[count - 1]
    row.last_wall_time = (<const double *>cols.data[WALL_TIME])[count - 1]
    row.has_finite = s.lowest >= 0
    if s.lowest >= 0:
        row.min = number_at(cols, s.lowest)
        row.min_step = steps[s.lowest]
        row.max = number_at(cols, s.highest)
        row.max_step = steps[s.highest]
        row.mean = s.mean
    row.nan_count = s.nan_count
    row.pos_inf_count = s.pos_inf_count
    row.neg_inf_count = s.neg_inf_count
    row.nan_first_step = steps[s.first_nan] if s.nan_count else 0
    row.pos_inf_first_step = steps[s.first_pos_inf] if s.pos_inf_count else 0
    row.neg_inf_first_step = steps[s.first_neg_inf] if s.neg_inf_count else 0
    return row


cdef class PackRows:
    """The tables of a pack that is being written to `out`, as bytes. `names` and `metas` number the strings; `at` is where `out` ends."""

    cdef readonly bytearray tags
    cdef readonly bytearray parts
    cdef readonly bytearray checks
    cdef readonly bytearray starts
    cdef readonly bytearray summaries
    cdef readonly bytearray pyramids
    cdef readonly int64_t at
    cdef object out
    cdef dict names
    cdef dict metas
    # The part before.
    cdef Columns previous
    cdef PartRow previous_row

    def __cinit__(self, out, int64_t at, dict names not None, dict metas not None):
        self.out, self.at, self.names, self.metas = out, at, names, metas
        self.tags, self.parts, self.checks = bytearray(), bytearray(), bytearray()
        self.starts, self.summaries, self.pyramids = bytearray(), bytearray(), bytearray()

    @property
    def tag_count(self):
        return len(self.tags) // sizeof(TagRow)

    def add(self, list tags not None):
        """Write the columns of some tags, which are as `EventScanner.saved_tags` has them."""
        cdef TagRow row
        cdef StartRow start
        cdef bytes name, meta
        cdef Columns points, blobs
        for name, meta, first_field, blob_field, blobs_first, points, blobs, starts in tags:
            memset(&row, 0, sizeof(TagRow))
            row.name = <int32_t>self.names.setdefault(name, len(self.names))
            row.meta = -1 if meta is None else <int32_t>self.metas.setdefault(meta, len(self.metas))
            row.points = <int32_t>self.add_part(points)
            row.blobs = <int32_t>self.add_part(blobs)
            row.first_start = <int32_t>(len(self.starts) // sizeof(StartRow))
            row.start_count = <int32_t>len(starts)
            row.first_field = first_field
            row.blob_field = blob_field
            row.blobs_first = bool(blobs_first)
            for start.points, start.blobs, start.step in starts:
                append(self.starts, &start, sizeof(StartRow))
            append(self.tags, &row, sizeof(TagRow))

    cdef int64_t add_part(self, Columns columns) except -2:
        """Returns the number of the part; -1 without rows."""
        if columns is None or columns.count == 0:
            return -1
        cdef int64_t count = columns.count
        cdef Memory memory = columns.held(EVERY, 0, count)
        cdef Cols *cols = &memory.cols
        cdef int shared = self.find_shared(cols, count)
        cdef PartRow row
        cdef SummaryRow summary
        cdef Statistics s
        memset(&row, 0, sizeof(PartRow))
        memset(&summary, 0, sizeof(SummaryRow))
        row.count = count
        row.kind = BLOBS if cols.columns != 3 else cols.width[VALUE] == 8
        row.first_check = self.add_checks(cols, count, shared)
        row.max_step = self.previous_row.max_step if shared & 1 else highest_step(<const int64_t *>cols.data[STEP], count)
        row.steps_at = self.previous_row.steps_at if shared & 1 else self.write(cols, count, 0, 1)
        row.times_at = self.previous_row.times_at if shared & 2 else self.write(cols, count, 1, 2)
        row.rest_at = self.write(cols, count, 2, cols.columns)
        if row.kind != BLOBS:
            if count < <int64_t>MIN_ROWS or not self.add_pyramid(columns, &s):
                with nogil:
                    summarize(cols, count, &s)
            summary = summary_of(cols, count, &s)
            row.last_value = summary.last
        self.previous = columns
        self.previous_row = row
        append(self.summaries, &summary, sizeof(SummaryRow))
        return append(self.parts, &row, sizeof(PartRow))

    cdef int find_shared(self, const Cols *cols, int64_t count) except -1:
        """Which of steps and times are those of the part before, as a mask."""
        cdef Memory other
        cdef int i, shared = 0
        if self.previous is not None and self.previous_row.count == count:
            other = self.previous.held(EVERY, 0, count)
            for i in range(2):
                if memcmp(cols.data[i], other.cols.data[i], <size_t>(count * cols.width[i])) == 0:
                    shared |= 1 << i
        return shared

    cdef int64_t add_checks(self, const Cols *cols, int64_t count, int shared) except -1:
        """Add the checksums of all blocks, one for every column; returns the number of the first."""
        cdef Py_ssize_t first = len(self.checks) // 4
        cdef int64_t block, rows, blocks = (count + BLOCK_ROWS - 1) // BLOCK_ROWS
        cdef int i, columns = cols.columns, before = 5 if self.previous_row.kind == BLOBS else 3
        PyByteArray_Resize(self.checks, 4 * (first + blocks * columns))
        cdef uint32_t *checks = <uint32_t *>PyByteArray_AsString(self.checks)
        cdef const uint32_t *known = checks + self.previous_row.first_check
        checks += first
        with nogil:
            for block in range(blocks):
                rows = min(<int64_t>BLOCK_ROWS, count - block * BLOCK_ROWS)
                for i in range(columns):
                    if shared >> i & 1:
                        checks[block * columns + i] = known[block * before + i]
                    else:
                        checks[block * columns + i] = rg_crc32c(
                            <const uint8_t *>cols.data[i] + block * BLOCK_ROWS * cols.width[i], <size_t>(rows * cols.width[i])
                        )
        return first

    cdef bint add_pyramid(self, Columns columns, Statistics *s) except -1:
        """Write the pyramid of many points; with their statistics if it has them: False if not."""
        cdef PyramidRow row
        step, wall_time, value = columns.read_points()
        pyramid = columns.read_pyramid()
        if pyramid is None:
            pyramid = Pyramid()
            pyramid.update(step, wall_time, value)
        data = BytesIO()
        pyramid.dump(data)
        cdef const uint8_t[::1] written = data.getbuffer()
        row.part = len(self.parts) // sizeof(PartRow)
        row.at = self.at
        row.size = written.shape[0]
        row.checksum = rg_crc32c(&written[0], written.shape[0])
        row.unused = 0
        self.out.write(written)
        self.at += row.size
        self.align()
        append(self.pyramids, &row, sizeof(PyramidRow))
        found = pyramid.summarize(value)
        if found is None:
            return False
        s.lowest, s.highest, mean, s.nan_count, s.first_nan, s.pos_inf_count, s.first_pos_inf, s.neg_inf_count, s.first_neg_inf = found
        s.mean = 0.0 if mean is None else mean
        # One from a file may say anything.
        return isfinite(s.mean) and all([-1 <= at < columns.count for at in (*found[:2], found[4], found[6], found[8])])

    cdef int64_t write(self, const Cols *cols, int64_t count, int first, int end) except -1:
        """Write some columns, one behind the other; returns where they begin."""
        cdef int64_t begin = self.at, size
        cdef int i
        for i in range(first, end):
            size = count * cols.width[i]
            self.out.write(PyMemoryView_FromMemory(<char *>cols.data[i], size, PyBUF_READ))
            self.at += size
        self.align()
        return begin

    cdef int align(self) except -1:
        cdef int padding = <int>(-self.at & (ALIGNED_BYTES - 1))
        if padding:
            self.out.write(bytes(padding))
            self.at += padding
        return 0


cdef int64_t highest_step(const int64_t *steps, int64_t count) noexcept nogil:
    cdef int64_t row, highest = INT64_MIN
    for row in range(count):
        highest = steps[row] if steps[row] > highest else highest
    return highest
