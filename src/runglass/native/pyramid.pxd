"""Levels of stretches as C, for what draws lines of them."""

from libc.stdint cimport int64_t

from runglass.native.stretches cimport Stretch

cdef enum:
    BLOCK_BITS = 8
    # Rows of a stretch in the lowest level.
    BLOCK = 1 << BLOCK_BITS
    FAN_BITS = 4
    FAN = 1 << FAN_BITS
    MAX_DEPTH = 14

cdef struct View:
    # Complete blocks of the lowest level; level k has blocks >> (FAN_BITS * k) stretches.
    int64_t blocks
    int depth
    Stretch* levels[MAX_DEPTH]

cdef void merge(Stretch* s, const Stretch* after) noexcept nogil
cdef void append_block(View* view, const Stretch* s) noexcept nogil
cdef void merge_blocks(const View* view, int64_t begin, int64_t end, Stretch* s) noexcept nogil

cdef class Levels:
    cdef readonly int64_t blocks
    cdef tuple arrays
    cdef View reserve(self, int64_t blocks)
    cdef View view(self)

cdef struct Totals:
    # Of the first `count` rows, in this order: whatever continues from here gives what one pass gives.
    int64_t count
    int64_t finite_count
    int64_t nan_count
    int64_t pos_inf_count
    int64_t neg_inf_count
    # Sum of the finite values, and the rounding errors of its additions.
    double total
    double error
    int64_t steps_rise
    int64_t times_rise
    # Whether all values equal the first.
    int64_t is_constant

cdef class Pyramid:
    cdef Levels levels
    cdef Totals totals
    cdef object lock
    # Whose memory the levels are in, while they are mapped.
    cdef object keep
    # Averages over the same rows, by what they depend on; long_lines.pyx keeps them here.
    cdef dict smoothed
    # The open block: rows behind the last complete one that were looked at.
    cdef Stretch open
