"""The compression inside a GIF, without the GIL. Knows nothing of the file around it."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memset

cdef enum:
    CLEAR = 256
    END = 257
    FIRST_FREE = 258
    FIRST_BITS = 9
    MOST_CODES = 4096
    # Several times the codes that can be in it, so that searches stay short.
    SLOTS = 16384


cdef struct Table:
    # A string is its prefix's code and one more byte; -1 is a free slot.
    int32_t string[SLOTS]
    int32_t code[SLOTS]


cdef struct Bits:
    uint8_t* out
    Py_ssize_t size
    uint32_t held
    int count


cdef inline void put(Bits* bits, uint32_t code, int width) noexcept nogil:
    bits.held |= code << bits.count
    bits.count += width
    while bits.count >= 8:
        bits.out[bits.size] = bits.held & 0xFF
        bits.size += 1
        bits.held >>= 8
        bits.count -= 8


cdef inline Py_ssize_t slot_of(const Table* table, int32_t string) noexcept nogil:
    cdef Py_ssize_t slot = (<uint32_t>string * <uint32_t>2654435761) >> 18
    while table.string[slot] != -1 and table.string[slot] != string:
        slot = (slot + 1) & (SLOTS - 1)
    return slot


cdef Py_ssize_t compress(const uint8_t* pixels, Py_ssize_t n, uint8_t* out, Table* table) noexcept nogil:
    cdef Bits bits
    cdef int width = FIRST_BITS
    cdef int32_t next_code = FIRST_FREE, prefix, string
    cdef Py_ssize_t i, slot
    bits.out = out
    bits.size = 0
    bits.held = 0
    bits.count = 0
    memset(table.string, 0xFF, sizeof(table.string))
    put(&bits, CLEAR, width)
    if n:
        prefix = pixels[0]
        for i in range(1, n):
            string = (prefix << 8) | pixels[i]
            slot = slot_of(table, string)
            if table.string[slot] == string:
                prefix = table.code[slot]
                continue
            put(&bits, prefix, width)
            prefix = pixels[i]
            if next_code == MOST_CODES:
                put(&bits, CLEAR, width)
                memset(table.string, 0xFF, sizeof(table.string))
                width = FIRST_BITS
                next_code = FIRST_FREE
                continue
            table.string[slot] = string
            table.code[slot] = next_code
            # The reader's table is one string behind, so a code grows a bit only once its number has been given out.
            if next_code == 1 << width:
                width += 1
            next_code += 1
        put(&bits, prefix, width)
        if next_code == 1 << width and next_code < MOST_CODES:
            width += 1
    put(&bits, END, width)
    if bits.count:
        bits.out[bits.size] = bits.held & 0xFF
        bits.size += 1
    return bits.size


def compress_pixels(const uint8_t[::1] pixels):
    """Palette indices of 8 bits as LZW codes, least significant bit first, from a clear code to an end code."""
    cdef Py_ssize_t n = pixels.shape[0], size
    # Every pixel may be a code of 12 bits, with a clear code now and then.
    cdef bytearray out = bytearray(n + n // 2 + n // 1024 + 64)
    cdef uint8_t[::1] view = out
    cdef bytearray room = bytearray(sizeof(Table))
    cdef uint8_t[::1] table = room
    cdef const uint8_t* source = &pixels[0] if n else NULL
    with nogil:
        size = compress(source, n, &view[0], <Table*>&table[0])
    return bytes(view[:size])
