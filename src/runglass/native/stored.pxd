"""The rows of a pack's tables as C, and how rows in a pack are checked when they are used."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from runglass.native.columns cimport Cols, Guard

cdef enum:
    # Rows under one checksum for each column. A picture of a long line uses a few rows here and there.
    BLOCK_BITS = 12
    BLOCK_ROWS = 1 << BLOCK_BITS
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

# Compare a block with its checksum, and note what was found.
cdef void check_block(Guard *guard, int64_t block) noexcept nogil


cdef inline void guard_row(Guard *guard, int64_t row) noexcept nogil:
    """Before a row is used."""
    if guard.done != NULL and not guard.done[(row >> BLOCK_BITS) * guard.stride]:
        check_block(guard, row >> BLOCK_BITS)


cdef inline void guard_rows(Guard *guard, int64_t first, int64_t last) noexcept nogil:
    """Before the rows [first, last) are used."""
    cdef int64_t block
    if guard.done != NULL and first < last:
        for block in range(first >> BLOCK_BITS, ((last - 1) >> BLOCK_BITS) + 1):
            if not guard.done[block * guard.stride]:
                check_block(guard, block)
