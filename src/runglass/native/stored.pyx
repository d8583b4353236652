"""Columns that lie in an index file: tables of a mapped file as arrays of C structs, checked block by block when rows are read.

Nothing is trusted that a checksum does not cover, and no row points outside of the map. Knows neither files nor what series are.
"""

from libc.stdint cimport INT64_MIN, int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp

from runglass.native.columns cimport EVERY, STEP, Cols, Columns, Memory, Stored, cols_init_blobs, cols_init_points
from runglass.native.records cimport rg_crc32c, rg_crc32c_init
from runglass.native.statistics import summarize

rg_crc32c_init()

cdef extern from "Python.h":
    int PyBUF_READ
    object PyMemoryView_FromMemory(char *data, Py_ssize_t size, int flags)
    char *PyByteArray_AsString(object array)

cdef enum:
    # Rows under one checksum for each column: a megabyte or so of a file is read to check one row.
    BLOCK_ROWS = 1 << 16
    # Checksums of less than this are computed without handing the interpreter over.
    SHORT_ROWS = 1 << 13
    VALUE = 2
    BLOBS = 2

cdef packed struct PartRow:
    # The rows of one tag in one file: where they are, their checksums, and what is asked of them most. Tags that are logged
    # together have the same steps, and often the same times: these lie in the file once.
    int64_t steps_at
    int64_t times_at
    int64_t rest_at
    int64_t count
    int64_t first_check
    int64_t max_step
    double last_value
    # 0: points, 1: points whose values need 64 bits, 2: byte ranges.
    int64_t kind

cdef packed struct TagRow:
    int32_t name
    # -1: none, in these three.
    int32_t meta
    int32_t points
    int32_t blobs
    int32_t first_start
    int32_t start_count
    uint8_t first_field
    uint8_t blob_field
    uint8_t blobs_first
    uint8_t unused[5]


cdef int init_cols(Cols *cols, int64_t kind) noexcept nogil:
    """Sets the columns and widths of a kind; returns the bytes of one row."""
    cdef int i, width = 0
    if kind == BLOBS:
        cols_init_blobs(cols)
    else:
        cols_init_points(cols)
        if kind == 1:
            cols.width[VALUE] = 8
    for i in range(cols.columns):
        width += cols.width[i]
    return width


cdef double number_at(const Cols *cols, int64_t row) noexcept nogil:
    if cols.width[VALUE] == 4:
        return (<float *>cols.data[VALUE])[row]
    return (<double *>cols.data[VALUE])[row]


def describe(Columns columns not None, Columns previous, bytearray previous_checks):
    """What StoredColumns keeps beside the rows: (kind, highest step or None, which columns are those of `previous`, checksums of all
    blocks with one for every column, and for points a summary as the layout of packs has it, or None).

    `previous`: columns that were described before, with their checksums. The highest step is None if the steps are theirs.
    """
    cdef int64_t count = columns.count
    cdef Memory memory = columns.held(EVERY, 0, count)
    cdef Memory other = None if previous is None or previous.count != count else previous.held(EVERY, 0, count)
    cdef Cols *cols = &memory.cols
    cdef int64_t *steps = <int64_t *>cols.data[STEP]
    cdef double *walls = <double *>cols.data[1]
    cdef int64_t block, row, rows, highest = INT64_MIN
    cdef int64_t blocks = (count + BLOCK_ROWS - 1) // BLOCK_ROWS
    cdef int i, shared = 0, other_columns = 0
    cdef bytearray checks = bytearray(4 * blocks * cols.columns)
    cdef uint32_t *found = <uint32_t *>PyByteArray_AsString(checks)
    cdef const uint32_t *known = NULL
    if other is not None:
        other_columns = other.cols.columns
        if len(previous_checks) != 4 * blocks * other_columns:
            raise ValueError("checksums of other columns")
        known = <const uint32_t *>PyByteArray_AsString(previous_checks)
        for i in range(2):
            if memcmp(cols.data[i], other.cols.data[i], <size_t>(count * cols.width[i])) == 0:
                shared |= 1 << i
    with nogil:
        for block in range(blocks):
            rows = min(<int64_t>BLOCK_ROWS, count - block * BLOCK_ROWS)
            for i in range(cols.columns):
                if shared >> i & 1:
                    found[block * cols.columns + i] = known[block * other_columns + i]
                else:
                    found[block * cols.columns + i] = rg_crc32c(
                        <const uint8_t *>cols.data[i] + block * BLOCK_ROWS * cols.width[i], <size_t>(rows * cols.width[i])
                    )
        if not shared & 1:
            for row in range(count):
                highest = max(highest, steps[row])
    top_step = None if shared & 1 else highest
    if cols.columns != 3:
        return BLOBS, top_step, shared, checks, None
    lowest, top, mean, nans, first_nan, highs, first_high, lows, first_low = summarize(columns.read_points()[2])
    return 1 if cols.width[VALUE] == 8 else 0, top_step, shared, checks, (
        number_at(cols, 0),
        number_at(cols, count - 1),
        steps[0],
        steps[count - 1],
        walls[count - 1],
        lowest >= 0,
        number_at(cols, lowest) if lowest >= 0 else 0.0,
        steps[<int64_t>lowest] if lowest >= 0 else 0,
        number_at(cols, top) if lowest >= 0 else 0.0,
        steps[<int64_t>top] if lowest >= 0 else 0,
        mean if mean is not None else 0.0,
        nans,
        steps[<int64_t>first_nan] if nans else 0,
        highs,
        steps[<int64_t>first_high] if highs else 0,
        lows,
        steps[<int64_t>first_low] if lows else 0,
    )


def dump_column(Columns columns not None, int column, file):
    """Write one column to a binary file; returns how many bytes."""
    cdef Memory memory = columns.held(EVERY, 0, columns.count)
    cdef int64_t size = columns.count * memory.cols.width[column]
    if not 0 <= column < memory.cols.columns:
        raise IndexError(column)
    file.write(PyMemoryView_FromMemory(<char *>memory.cols.data[column], size, PyBUF_READ))
    return size


cdef class StoredColumns(Stored):
    """The columns of one index file. `on_damage(row, columns)` is called for rows that fail their checksum; it must replace them
    (`Columns.take_rows`) or raise."""

    cdef const uint8_t[::1] data
    cdef const uint8_t[::1] part_bytes
    cdef const uint8_t[::1] tag_bytes
    cdef const uint32_t[::1] checks
    cdef const PartRow *parts
    cdef const TagRow *tags
    cdef readonly int64_t part_count
    cdef readonly int64_t tag_count
    cdef uint8_t *is_checked
    cdef public object on_damage
    # Called for the table of summaries, by part row; None without any.
    cdef public object read_summaries
    # Lives as long as rows are in use: tells other processes so.
    cdef public object lock

    def __cinit__(self, const uint8_t[::1] data not None, const uint8_t[::1] parts not None, const uint8_t[::1] tags not None,
                  const uint32_t[::1] checks not None):
        """Raises ValueError for tables that do not fit together."""
        self.data, self.part_bytes, self.tag_bytes, self.checks = data, parts, tags, checks
        if parts.shape[0] % sizeof(PartRow) or tags.shape[0] % sizeof(TagRow):
            raise ValueError("a table of an odd size")
        self.part_count = parts.shape[0] // sizeof(PartRow)
        self.tag_count = tags.shape[0] // sizeof(TagRow)
        self.parts = <const PartRow *>&parts[0] if self.part_count else NULL
        self.tags = <const TagRow *>&tags[0] if self.tag_count else NULL
        self.is_checked = <uint8_t *>calloc(checks.shape[0] + 1, 1)
        if self.is_checked == NULL:
            raise MemoryError
        if not self.is_sound():
            raise ValueError("a table points outside of the file")

    def __dealloc__(self):
        free(self.is_checked)

    cdef bint is_sound(self) noexcept:
        cdef Cols cols
        cdef const PartRow *p
        cdef const TagRow *t
        cdef int64_t i, size = self.data.shape[0], checks = self.checks.shape[0]
        cdef int width
        for i in range(self.part_count):
            p = &self.parts[i]
            if p.kind < 0 or p.kind > BLOBS:
                return False
            width = init_cols(&cols, p.kind)
            # Divided, not multiplied: a product may overflow.
            if p.count < 1 or p.count > size // width or not (
                self.holds(p.steps_at, p.count * 8) and self.holds(p.times_at, p.count * 8) and self.holds(p.rest_at, p.count * (width - 16))
            ):
                return False
            if p.first_check < 0 or p.first_check > checks or (
                (p.count + BLOCK_ROWS - 1) // BLOCK_ROWS * cols.columns > checks - p.first_check
            ):
                return False
        for i in range(self.tag_count):
            t = &self.tags[i]
            if t.points < -1 or t.points >= self.part_count or t.blobs < -1 or t.blobs >= self.part_count:
                return False
            if (t.points >= 0 and self.parts[t.points].kind == BLOBS) or (t.blobs >= 0 and self.parts[t.blobs].kind != BLOBS):
                return False
        return True

    cdef inline bint holds(self, int64_t at, int64_t size) noexcept:
        return at >= 0 and at & 7 == 0 and at <= self.data.shape[0] and size <= self.data.shape[0] - at

    cdef int64_t place(self, const PartRow *p, const Cols *cols, int column) noexcept nogil:
        """Where a column begins."""
        cdef int64_t at = p.rest_at
        cdef int i
        if column < 2:
            return p.times_at if column else p.steps_at
        for i in range(2, column):
            at += p.count * cols.width[i]
        return at

    cdef Memory borrow(self, int64_t row):
        cdef Memory memory = Memory.__new__(Memory)
        cdef const PartRow *p = &self.parts[row]
        cdef int i
        init_cols(&memory.cols, p.kind)
        for i in range(memory.cols.columns):
            memory.cols.data[i] = <void *>(&self.data[0] + self.place(p, &memory.cols, i))
        memory.cols.count = memory.cols.capacity = p.count
        memory.is_borrowed = True
        memory.keep = self
        return memory

    cdef bint check(self, int64_t row, int mask, int64_t first, int64_t last):
        cdef const PartRow *p = &self.parts[row]
        cdef Cols cols
        cdef int64_t block, rows
        cdef const uint8_t *begin
        cdef uint8_t *done
        cdef uint32_t found
        cdef int i
        last = min(last, p.count)
        if last <= first:
            return True
        init_cols(&cols, p.kind)
        for block in range(first // BLOCK_ROWS, (last - 1) // BLOCK_ROWS + 1):
            rows = min(<int64_t>BLOCK_ROWS, p.count - block * BLOCK_ROWS)
            for i in range(cols.columns):
                done = &self.is_checked[p.first_check + block * cols.columns + i]
                if mask >> i & 1 and not done[0]:
                    begin = &self.data[0] + self.place(p, &cols, i) + block * BLOCK_ROWS * cols.width[i]
                    if rows <= SHORT_ROWS:
                        found = rg_crc32c(begin, <size_t>(rows * cols.width[i]))
                    else:
                        with nogil:
                            found = rg_crc32c(begin, <size_t>(rows * cols.width[i]))
                    if found != self.checks[p.first_check + block * cols.columns + i]:
                        return False
                    done[0] = 1
        return True

    cdef int repair(self, Columns columns) except -1:
        if self.on_damage is None:
            raise ValueError("the checksum of rows in an index file is wrong")
        self.on_damage(columns.row, columns)
        if columns.stored is self:
            raise RuntimeError("rows of an index file were not replaced")
        return 0

    cdef object last_value(self, int64_t row):
        return None if self.parts[row].kind == BLOBS else self.parts[row].last_value

    cdef object max_step(self, int64_t row):
        return self.parts[row].max_step

    cdef object summary(self, int64_t row):
        table = None if self.read_summaries is None or self.parts[row].kind == BLOBS else self.read_summaries()
        return None if table is None else table[row].item()

    def is_whole(self, int64_t row):
        """Check all rows of a part."""
        if not 0 <= row < self.part_count:
            raise IndexError(row)
        return self.check(row, EVERY, 0, self.parts[row].count)

    cdef Columns make(self, int64_t row):
        cdef Columns columns
        if row < 0:
            return None
        columns = Columns.__new__(Columns)
        columns.stored = self
        columns.row = row
        columns.count = self.parts[row].count
        return columns

    def columns(self, int64_t row):
        if not 0 <= row < self.part_count:
            raise IndexError(row)
        return self.make(row)

    def row_of(self, Columns columns not None):
        """The part row that columns come from; -1 if they are not (or no longer) rows of this file."""
        return columns.row if columns.stored is self else -1

    def part_rows(self, int64_t first, int64_t count):
        """The part rows of some tags: (points or -1, blobs or -1) for each."""
        if not 0 <= first <= first + count <= self.tag_count:
            raise IndexError(first)
        return [(self.tags[i].points, self.tags[i].blobs) for i in range(first, first + count)]

    def list_tags(self, int64_t first, int64_t count, list names not None, list metas not None):
        """Some tags as (name, metadata or None, fields of the first value and of the first blob, whether blobs came first, points,
        blobs, first session start, number of them). `names` and `metas` are what the numbers in the table mean."""
        cdef int64_t i
        cdef const TagRow *t
        cdef list found = []
        if not 0 <= first <= first + count <= self.tag_count:
            raise IndexError(first)
        for i in range(first, first + count):
            t = &self.tags[i]
            if not (0 <= t.name < len(names) and -1 <= t.meta < len(metas)):
                raise IndexError(t.name)
            found.append((
                names[t.name],
                metas[t.meta] if t.meta >= 0 else None,
                (t.first_field, t.blob_field),
                t.blobs_first != 0,
                self.make(t.points),
                self.make(t.blobs),
                t.first_start,
                t.start_count,
            ))
        return found
