"""Columns as C structs (filled without the GIL) and as refcounted memory (read by anyone)."""

from libc.stdint cimport int64_t, uint8_t

cdef enum:
    MAX_COLUMNS = 5
    STEP = 0

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
    cdef object keep

cdef class Columns:
    cdef Memory memory
    cdef readonly int64_t count
    cdef void append_cols(self, Cols *fresh) except *
