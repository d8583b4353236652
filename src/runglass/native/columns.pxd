"""Columns as C structs (filled without the GIL) and as refcounted memory (read by anyone)."""

from libc.stdint cimport int64_t, uint8_t

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

cdef class Stored:
    # Columns of an index file; native/stored.pyx fills them.
    cdef Memory borrow(self, int64_t row)
    # Whether the checksums hold of these rows.
    cdef bint check(self, int64_t row, int mask, int64_t first, int64_t last)
    # Replace rows whose checksum is wrong, or raise.
    cdef int repair(self, Columns columns) except -1
    cdef object last_value(self, int64_t row)
    cdef object max_step(self, int64_t row)
    cdef object summary(self, int64_t row)
