"""Growable columns of one series: step, wall_time and value, or step, wall_time and a byte range.

Readers get NumPy views of the first `count` rows. Rows are only ever added behind them, and growing moves to fresh memory while
the old one lives on under its views, so a view never changes. Knows neither files nor tags.
"""

cimport numpy as cnp
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

cdef extern from "large_pages.h" nogil:
    void rg_use_large_pages(void *data, size_t size) noexcept

cnp.import_array()

cdef enum:
    WALL_TIME = 1
    VALUE = 2
    RECORD = 2
    VALUE_AT = 3
    VALUE_SIZE = 4
    LARGE_ROWS = 65536


cdef void cols_init_points(Cols *cols) noexcept nogil:
    memset(cols, 0, sizeof(Cols))
    cols.columns = 3
    cols.width[STEP] = 8
    cols.width[WALL_TIME] = 8
    # float32 until a value comes that needs float64.
    cols.width[VALUE] = 4


cdef void cols_init_blobs(Cols *cols) noexcept nogil:
    memset(cols, 0, sizeof(Cols))
    cols.columns = 5
    cols.width[STEP] = 8
    cols.width[WALL_TIME] = 8
    cols.width[RECORD] = 8
    cols.width[VALUE_AT] = 4
    cols.width[VALUE_SIZE] = 4


cdef void cols_free(Cols *cols) noexcept nogil:
    cdef int i
    for i in range(cols.columns):
        free(cols.data[i])
        cols.data[i] = NULL
    cols.count = 0
    cols.capacity = 0


cdef int cols_reserve(Cols *cols, int64_t capacity) noexcept nogil:
    """Make the capacity exactly this (shrinking too); -1 when memory ran out, with the rows intact."""
    cdef int i
    cdef void *moved
    if capacity < 1:
        capacity = 1
    for i in range(cols.columns):
        moved = realloc(cols.data[i], <size_t>capacity * cols.width[i])
        if moved == NULL:
            return -1
        cols.data[i] = moved
        if capacity > cols.capacity:
            rg_use_large_pages(moved, <size_t>capacity * cols.width[i])
    cols.capacity = capacity
    return 0


cdef int cols_widen_value(Cols *cols) noexcept nogil:
    """float32 values become float64, exactly."""
    cdef double *wide
    cdef float *narrow = <float *>cols.data[VALUE]
    cdef int64_t i
    if cols.width[VALUE] == 8:
        return 0
    wide = <double *>malloc(<size_t>(cols.capacity if cols.capacity else 1) * 8)
    if wide == NULL:
        return -1
    for i in range(cols.count):
        wide[i] = narrow[i]
    free(narrow)
    cols.data[VALUE] = wide
    cols.width[VALUE] = 8
    return 0


cdef void copy_rows(Cols *into, int64_t at, const Cols *other) noexcept nogil:
    """Copy all rows of `other` to row `at` on; `into` has room and values at least as wide."""
    cdef int i
    cdef int64_t row
    for i in range(into.columns):
        if into.width[i] == other.width[i]:
            memcpy(<uint8_t *>into.data[i] + at * into.width[i], other.data[i], <size_t>other.count * other.width[i])
        else:
            for row in range(other.count):
                (<double *>into.data[i])[at + row] = (<float *>other.data[i])[row]


cdef int cols_extend(Cols *into, const Cols *other) noexcept nogil:
    if other.count == 0:
        return 0
    if other.width[VALUE] > into.width[VALUE] and cols_widen_value(into) < 0:
        return -1
    if into.count + other.count > into.capacity:
        if cols_reserve(into, max(into.count + other.count, into.capacity * 2)) < 0:
            return -1
    copy_rows(into, into.count, other)
    into.count += other.count
    return 0


cdef class Memory:
    """Owns the buffers of one or more views, or borrows them from `keep`."""

    def __dealloc__(self):
        if not self.is_borrowed:
            cols_free(&self.cols)


cdef cnp.ndarray view(Memory memory, int column, int64_t count, int typenum, int64_t first=0):
    cdef cnp.npy_intp shape = count
    if count == 0:
        return cnp.PyArray_EMPTY(1, &shape, typenum, 0)
    array = cnp.PyArray_SimpleNewFromData(
        1, &shape, typenum, <uint8_t *>memory.cols.data[column] + first * memory.cols.width[column]
    )
    cnp.set_array_base(array, memory)
    cnp.PyArray_CLEARFLAGS(array, cnp.NPY_ARRAY_WRITEABLE)
    return array


cdef tuple points(Memory memory, int64_t first, int64_t last):
    return (
        view(memory, STEP, last - first, cnp.NPY_INT64, first),
        view(memory, WALL_TIME, last - first, cnp.NPY_FLOAT64, first),
        view(
            memory,
            VALUE,
            last - first,
            cnp.NPY_FLOAT32 if memory is None or memory.cols.width[VALUE] == 4 else cnp.NPY_FLOAT64,
            first,
        ),
    )


cdef class Stored:
    """Where columns are that come from an index file. The methods are those of a subclass."""

    cdef Memory borrow(self, int64_t row):
        raise NotImplementedError

    cdef Guard guard(self, int64_t row, int column):
        raise NotImplementedError

    cdef bint check(self, int64_t row, int mask, int64_t first, int64_t last):
        return False

    cdef int repair(self, Columns columns) except -1:
        raise NotImplementedError

    cdef object last_value(self, int64_t row):
        raise NotImplementedError

    cdef object max_step(self, int64_t row):
        raise NotImplementedError

    cdef object summary(self, int64_t row):
        raise NotImplementedError

    cdef object pyramid(self, int64_t row):
        raise NotImplementedError


cdef class Columns:
    """One growing set of columns. Appends come from one thread at a time; views may be taken at any moment."""

    cdef void append_cols(self, Cols *fresh) except *:
        """Take over the rows of `fresh`, which is left empty. Memory ran out: MemoryError, nothing changed."""
        cdef Memory grown
        cdef Cols *old
        if fresh.count == 0:
            return
        if self.stored is not None:
            self.held(EVERY, 0, self.count)
        if self.memory is None:
            if fresh.capacity > fresh.count + (fresh.count >> 4):
                cols_reserve(fresh, fresh.count)
            grown = Memory.__new__(Memory)
            grown.cols = fresh[0]
            memset(fresh.data, 0, sizeof(fresh.data))
            fresh.count = fresh.capacity = 0
            self.count = grown.cols.count
            self.memory = grown
            return
        old = &self.memory.cols
        if self.count + fresh.count <= old.capacity and old.width[VALUE] >= fresh.width[VALUE] and not self.memory.is_borrowed:
            # Behind every view's end, so no reader sees it happen.
            with nogil:
                copy_rows(old, self.count, fresh)
        else:
            grown = Memory.__new__(Memory)
            grown.cols = old[0]
            memset(grown.cols.data, 0, sizeof(grown.cols.data))
            grown.cols.width[VALUE] = max(old.width[VALUE], fresh.width[VALUE])
            # A quarter more, or half for what is only address space until it is touched.
            if cols_reserve(&grown.cols, max(self.count + fresh.count, self.count + (self.count >> (1 if self.count > LARGE_ROWS else 2)) + 16)) < 0:
                raise MemoryError
            grown.cols.count = self.count
            with nogil:
                old.count = self.count
                copy_rows(&grown.cols, 0, old)
                copy_rows(&grown.cols, self.count, fresh)
            self.memory = grown
            self.stored = None
        self.count += fresh.count
        self.memory.cols.count = self.count
        fresh.count = 0

    cdef Memory held(self, int mask, int64_t first, int64_t last):
        cdef Stored stored = self.stored
        cdef Memory memory = self.memory
        if stored is None:
            return memory
        if memory is None:
            memory = stored.borrow(self.row)
        if not stored.check(self.row, mask, first, last):
            stored.repair(self)
            return self.memory
        if self.stored is stored:
            self.memory = memory
        return memory

    def read_steps(self):
        cdef int64_t count = self.count
        return view(self.held(1 << STEP, 0, count), STEP, count, cnp.NPY_INT64)

    def read_points(self):
        """(step, wall_time, value) as they are now, all of one length."""
        cdef int64_t count = self.count
        return points(self.held(EVERY, 0, count), 0, count)

    def read_unchecked(self):
        """As `read_points`, without a look at rows in an index file. For frozen columns, by code that checks what it uses."""
        cdef Memory memory = self.memory
        if memory is None and self.stored is not None:
            memory = self.memory = self.stored.borrow(self.row)
        return points(memory, 0, self.count)

    cdef Guard guard(self, int column):
        cdef Guard none
        cdef Stored stored = self.stored
        if stored is None:
            memset(&none, 0, sizeof(Guard))
            return none
        return stored.guard(self.row, column)

    def last_value(self):
        """The value of the last point; None without any."""
        cdef int64_t count = self.count
        cdef Stored stored = self.stored
        cdef Memory memory = self.memory
        if stored is not None:
            return stored.last_value(self.row)
        if memory is None or not count:
            return None
        if memory.cols.width[VALUE] == 4:
            return <double>(<float *>memory.cols.data[VALUE])[count - 1]
        return (<double *>memory.cols.data[VALUE])[count - 1]

    def max_step(self):
        """The highest step, if that is known without reading; None otherwise."""
        cdef Stored stored = self.stored
        return None if stored is None else stored.max_step(self.row)

    def summary(self):
        """What the index file says of all the points, if they come from one; None otherwise."""
        cdef Stored stored = self.stored
        return None if stored is None else stored.summary(self.row)

    def read_pyramid(self):
        """The pyramid that the index file has of the points, if they come from one and are many; None otherwise."""
        cdef Stored stored = self.stored
        return None if stored is None else stored.pyramid(self.row)

    def read_ranges(self):
        """(step, wall_time, byte offset of the record, offset of the value in its payload, size) as they are now."""
        cdef int64_t count = self.count
        cdef Memory memory = self.held(EVERY, 0, count)
        return (
            view(memory, STEP, count, cnp.NPY_INT64),
            view(memory, WALL_TIME, count, cnp.NPY_FLOAT64),
            view(memory, RECORD, count, cnp.NPY_INT64),
            view(memory, VALUE_AT, count, cnp.NPY_UINT32),
            view(memory, VALUE_SIZE, count, cnp.NPY_UINT32),
        )

    def freeze(self):
        """These rows as they are now, as columns of their own that nobody adds to. Copies nothing."""
        cdef Columns frozen = Columns.__new__(Columns)
        frozen.stored = self.stored
        frozen.row = self.row
        frozen.memory = self.memory
        frozen.count = self.count
        return frozen

    def take_rows(self, Columns other):
        """Continue on the rows of `other`, which are the same as these. False, with nothing changed, if there are more rows by now."""
        if other.count != self.count:
            return False
        # In this order: readers on other threads see one or the other.
        self.memory = other.memory
        self.row = other.row
        self.stored = other.stored
        return True

    def append_range(self, int64_t step, double wall_time, int64_t record, uint32_t value_at, uint32_t value_size):
        cdef Cols row
        cols_init_blobs(&row)
        if cols_reserve(&row, 1) < 0:
            raise MemoryError
        (<int64_t *>row.data[STEP])[0] = step
        (<double *>row.data[WALL_TIME])[0] = wall_time
        (<int64_t *>row.data[RECORD])[0] = record
        (<uint32_t *>row.data[VALUE_AT])[0] = value_at
        (<uint32_t *>row.data[VALUE_SIZE])[0] = value_size
        row.count = 1
        try:
            self.append_cols(&row)
        finally:
            cols_free(&row)

    @property
    def nbytes(self):
        """Heap memory held; 0 for columns that live in a cache or index file."""
        cdef int i
        cdef int64_t total = 0
        if self.memory is None or self.memory.is_borrowed:
            return 0
        for i in range(self.memory.cols.columns):
            total += self.memory.cols.capacity * self.memory.cols.width[i]
        return total

    def dump(self, file):
        """Write every column to a binary file; returns the widths that `restore` needs."""
        cdef int i
        cdef int64_t count = self.count
        cdef Memory memory = self.held(EVERY, 0, count)
        widths = []
        for i in range(memory.cols.columns):
            file.write(<uint8_t[:count * memory.cols.width[i]]>(<uint8_t *>memory.cols.data[i]))
            widths.append(memory.cols.width[i])
        return widths

    def restore(self, uint8_t[::1] buffer, widths):
        """Continue on a (memory-mapped) copy made by `dump`. Views of the old memory stay valid."""
        cdef Memory borrowed = Memory.__new__(Memory)
        cdef int i
        cdef int64_t at = 0
        if buffer.shape[0] < self.count * sum(widths):
            raise ValueError(f"cache region holds {buffer.shape[0]} bytes, expected {self.count * sum(widths)}")
        borrowed.cols = self.memory.cols
        borrowed.cols.count = borrowed.cols.capacity = self.count
        for i in range(borrowed.cols.columns):
            borrowed.cols.width[i] = widths[i]
            borrowed.cols.data[i] = &buffer[at]
            at += self.count * <int>widths[i]
        borrowed.is_borrowed = True
        borrowed.keep = buffer.base if buffer.base is not None else buffer
        self.memory = borrowed
        self.stored = None
