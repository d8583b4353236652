# A moving window over a file, for one scanning thread. Importing these names links and imports nothing.
from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport realloc
from libc.string cimport memmove

cdef extern from "pread.h" nogil:
    int64_t rg_pread(int fd, void *into, size_t size, int64_t offset) noexcept

cdef enum:
    BUFFER_BYTES = 256 * 1024
    FIRST_READ_BYTES = 16 * 1024

cdef struct Buffer:
    uint8_t *data
    size_t capacity
    size_t have
    size_t read_size
    int64_t base               # file offset of data[0]


cdef inline int64_t fill(Buffer *b, int fd, int64_t at, size_t need) noexcept nogil:
    """Bytes available from file offset `at`, at least `need` unless the file ends first; negative errno on failure."""
    cdef size_t skip
    cdef int64_t got
    cdef uint8_t *grown
    if at < b.base or at >= b.base + <int64_t>b.have:
        # Somewhere else in the file: begin small, because what follows a hop is usually one header and another hop.
        b.base = at
        b.have = 0
        b.read_size = FIRST_READ_BYTES
    else:
        skip = <size_t>(at - b.base)
        if skip:
            memmove(b.data, b.data + skip, b.have - skip)
            b.have -= skip
            b.base = at
    if need > b.capacity:
        grown = <uint8_t *>realloc(b.data, need)
        if grown == NULL:
            return -12
        b.data = grown
        b.capacity = need
    while b.have < need:
        got = rg_pread(fd, b.data + b.have, max(need - b.have, min(b.capacity - b.have, b.read_size)), b.base + <int64_t>b.have)
        if got < 0:
            return got
        if got == 0:
            break
        b.have += <size_t>got
        b.read_size = min(b.read_size * 4, <size_t>BUFFER_BYTES)
    return <int64_t>b.have
