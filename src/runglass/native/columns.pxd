"""Columns as C structs (filled without the GIL) and as refcounted memory (read by anyone)."""

from libc.stdint cimport int64_t, uint8_t, uint32_t

cdef enum:
    MAX_COLUMNS = 5
    STEP = 0
    # All columns, in masks of columns.
    EVERY = 31

cdef struct Cols:
    int64_t count
    int64_t capacity
    int columns
    uint8_t width[MAX_COLUMNS]
    void *data[MAX_COLUMNS]

cdef struct Guard:
    # The checksums of a column in an index file, by block of rows; `done` is NULL for a column that is not in one.
    const uint8_t *data
    const uint32_t *expected
    uint8_t *done
    int64_t count
    # From one block to the next, in `expected` and `done`.
    int stride
    int width
    # A checksum was wrong.
    bint is_damaged

cdef int cols_reserve(Cols *cols, int64_t capacity) noexcept nogil
cdef int cols_extend(Cols *into, const Cols *other) noexcept nogil
cdef int cols_widen_value(Cols *cols) noexcept nogil
cdef void cols_free(Cols *cols) noexcept nogil
cdef void cols_init_points(Cols *cols) noexcept nogil
cdef void cols_init_blobs(Cols *cols) noexcept nogil

cdef class Memory:
    cdef Cols cols
    # Whose memory it is, if it is not its own. The garbage collector may clear `keep` first, so that does not tell.
    cdef bint is_borrowed
    cdef object keep

cdef class Columns:
    cdef Memory memory
    cdef readonly int64_t count
    # Where the rows are, if they are in an index file: `memory` borrows from it and is made at the first read.
    cdef Stored stored
    cdef int64_t row
    cdef void append_cols(self, Cols *fresh) except *
    # The memory of the rows, after those of [first, last) in the columns of `mask` were checked. Any thread.
    cdef Memory held(self, int mask, int64_t first, int64_t last)
    # For rows of `read_unchecked`. Valid as long as these columns, which nobody adds to.
    cdef Guard guard(self, int column)

cdef class Stored:
    # Columns of an index file; native/stored.pyx fills them.
    cdef Memory borrow(self, int64_t row)
    cdef Guard guard(self, int64_t row, int column)
    # Whether the checksums hold of these rows.
    cdef bint check(self, int64_t row, int mask, int64_t first, int64_t last)
    # Replace rows whose checksum is wrong, or raise.
    cdef int repair(self, Columns columns) except -1
    cdef object last_value(self, int64_t row)
    cdef object max_step(self, int64_t row)
    cdef object summary(self, int64_t row)
    cdef object pyramid(self, int64_t row)
