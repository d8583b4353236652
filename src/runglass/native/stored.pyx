"""Columns that lie in an index file: tables of a mapped file as arrays of C structs, checked block by block when rows are read.

Nothing is trusted that a checksum does not cover, and no row points outside of the map. Knows neither files nor what series are.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free

from runglass.native.columns cimport EVERY, Cols, Columns, Guard, Memory, Stored, cols_init_blobs, cols_init_points
from runglass.native.pyramid import Pyramid
from runglass.native.records cimport rg_crc32c, rg_crc32c_init

rg_crc32c_init()

cdef enum:
    # Up to so many, rows are checked without handing the interpreter over.
    SHORT_ROWS = 1 << 13


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


cdef void check_block(Guard *guard, int64_t block) noexcept nogil:
    cdef int64_t rows = min(<int64_t>BLOCK_ROWS, guard.count - block * BLOCK_ROWS)
    cdef const uint8_t *begin = guard.data + block * BLOCK_ROWS * guard.width
    if rg_crc32c(begin, <size_t>(rows * guard.width)) == guard.expected[block * guard.stride]:
        guard.done[block * guard.stride] = 1
    else:
        guard.is_damaged = True


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
    # Called for (place, size, checksum) of pyramids by part row; a damaged one is made anew from the rows.
    cdef public object read_pyramids
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

    cdef Guard guard(self, int64_t row, int column):
        cdef const PartRow *p = &self.parts[row]
        cdef Cols cols
        cdef Guard found
        init_cols(&cols, p.kind)
        found.data = &self.data[0] + self.place(p, &cols, column)
        found.expected = &self.checks[p.first_check + column]
        found.done = &self.is_checked[p.first_check + column]
        found.count = p.count
        found.stride = cols.columns
        found.width = cols.width[column]
        found.is_damaged = False
        return found

    cdef bint check(self, int64_t row, int mask, int64_t first, int64_t last):
        cdef Guard guard
        cdef int i
        last = min(last, self.parts[row].count)
        for i in range(5 if self.parts[row].kind == BLOBS else 3):
            if mask >> i & 1:
                guard = self.guard(row, i)
                if last - first <= SHORT_ROWS:
                    guard_rows(&guard, first, last)
                else:
                    with nogil:
                        guard_rows(&guard, first, last)
                if guard.is_damaged:
                    return False
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

    cdef object pyramid(self, int64_t row):
        table = None if self.read_pyramids is None or self.parts[row].kind == BLOBS else self.read_pyramids()
        at, size, checksum = (0, 0, 0) if table is None else table.get(row, (0, 0, 0))
        if size <= 0 or not self.holds(at, size) or rg_crc32c(&self.data[0] + <int64_t>at, size) != checksum:
            return None
        try:
            return Pyramid.restore(self.data[at : at + size], self.parts[row].count, self)
        except ValueError:
            return None

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

    def settle(self, int64_t first, list held not None):
        """Make (points, blobs) of the tags from `first` on continue on the rows here, which are the same. Columns that have grown stay."""
        cdef Columns points, blobs
        cdef Py_ssize_t i
        if not 0 <= first <= first + len(held) <= self.tag_count:
            raise IndexError(first)
        for i in range(len(held)):
            points, blobs = held[i]
            self.give(points, self.tags[first + i].points)
            self.give(blobs, self.tags[first + i].blobs)

    cdef int give(self, Columns columns, int64_t row) except -1:
        if columns is not None and row >= 0 and columns.count == self.parts[row].count:
            columns.row = row
            columns.stored = self
            columns.memory = None
        return 0

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
