# Protobuf wire primitives for every native module: bounds-checked, no GIL, no Python object, no schema. A reading
# function answers with the place after what it read, or NULL when the bytes end early or make no sense.
# Importing these names links and imports nothing.
from libc.stdint cimport uint8_t, uint32_t, uint64_t


cdef enum:
    WIRE_VARINT = 0
    WIRE_FIXED64 = 1
    WIRE_BYTES = 2
    WIRE_FIXED32 = 5


cdef inline uint32_t load_u32(const uint8_t *p) noexcept nogil:
    return <uint32_t>p[0] | <uint32_t>p[1] << 8 | <uint32_t>p[2] << 16 | <uint32_t>p[3] << 24


cdef inline uint64_t load_u64(const uint8_t *p) noexcept nogil:
    return <uint64_t>load_u32(p) | <uint64_t>load_u32(p + 4) << 32


cdef inline void store_u32(uint8_t *p, uint32_t x) noexcept nogil:
    p[0] = x & 0xFF
    p[1] = (x >> 8) & 0xFF
    p[2] = (x >> 16) & 0xFF
    p[3] = x >> 24


cdef inline void store_u64(uint8_t *p, uint64_t x) noexcept nogil:
    store_u32(p, <uint32_t>(x & 0xFFFFFFFFu))
    store_u32(p + 4, <uint32_t>(x >> 32))


cdef inline const uint8_t *read_varint(const uint8_t *p, const uint8_t *end, uint64_t *value) noexcept nogil:
    cdef uint64_t result = 0
    cdef uint32_t shift = 0
    cdef uint8_t byte
    if p < end and p[0] < 0x80:
        value[0] = p[0]
        return p + 1
    # Ten bytes at most; bits past the 64th fall off, as they do in every other reader.
    while p < end and shift < 70:
        byte = p[0]
        p += 1
        result |= <uint64_t>(byte & 0x7F) << shift
        if byte < 0x80:
            value[0] = result
            return p
        shift += 7
    return NULL


cdef inline const uint8_t *read_key(const uint8_t *p, const uint8_t *end, uint32_t *number, uint32_t *wire) noexcept nogil:
    cdef uint64_t key
    p = read_varint(p, end, &key)
    if p == NULL or key > 0xFFFFFFFFu or key < 8:
        return NULL
    number[0] = <uint32_t>(key >> 3)
    wire[0] = <uint32_t>(key & 7)
    return p


# `start` and `size` name the bytes inside; the answer is the place after them.
cdef inline const uint8_t *read_bytes(const uint8_t *p, const uint8_t *end, const uint8_t **start, size_t *size) noexcept nogil:
    cdef uint64_t n
    p = read_varint(p, end, &n)
    if p == NULL or n > <uint64_t>(end - p):
        return NULL
    start[0] = p
    size[0] = <size_t>n
    return p + n


cdef inline const uint8_t *skip_field(const uint8_t *p, const uint8_t *end, uint32_t wire) noexcept nogil:
    cdef uint64_t value
    cdef const uint8_t *start
    cdef size_t size
    if wire == WIRE_VARINT:
        return read_varint(p, end, &value)
    if wire == WIRE_BYTES:
        return read_bytes(p, end, &start, &size)
    if wire == WIRE_FIXED32:
        return p + 4 if end - p >= 4 else NULL
    if wire == WIRE_FIXED64:
        return p + 8 if end - p >= 8 else NULL
    # Groups (3 and 4) occur in none of the formats read here.
    return NULL


# The same for a key as it stands on the wire; field number 0 is no field.
cdef inline const uint8_t *skip_keyed(const uint8_t *p, const uint8_t *end, uint64_t key) noexcept nogil:
    return NULL if key < 8 else skip_field(p, end, <uint32_t>(key & 7))


# Moves to the content of the next field with this key, which has a length, past all others. 1: `size` bytes are at `p`;
# 0: there is none; -1: malformed.
cdef inline int find_field(const uint8_t **p, const uint8_t *end, uint64_t wanted, uint64_t *size) noexcept nogil:
    cdef uint64_t key
    while p[0] < end:
        p[0] = read_varint(p[0], end, &key)
        if p[0] == NULL:
            return -1
        if key == wanted:
            p[0] = read_varint(p[0], end, size)
            return -1 if p[0] == NULL or size[0] > <uint64_t>(end - p[0]) else 1
        p[0] = skip_keyed(p[0], end, key)
        if p[0] == NULL:
            return -1
    return 0


cdef inline size_t put_varint(uint8_t *p, uint64_t value) noexcept nogil:
    cdef size_t n = 0
    while value >= 0x80:
        p[n] = <uint8_t>(value & 0x7F) | 0x80
        value >>= 7
        n += 1
    p[n] = <uint8_t>value
    return n + 1
