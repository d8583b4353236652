# Whether a TensorProto is a single number, and which. Importing these names links and imports nothing.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from runglass.native.wire cimport find_field, load_u32, load_u64, read_varint, skip_keyed


cdef inline double load_double(const uint8_t *p) noexcept nogil:
    cdef uint64_t bits = load_u64(p)
    cdef double value
    memcpy(&value, &bits, 8)
    return value


cdef inline float load_float(const uint8_t *p) noexcept nogil:
    cdef uint32_t bits = load_u32(p)
    cdef float value
    memcpy(&value, &bits, 4)
    return value


cdef inline float float_of_bits(uint32_t bits) noexcept nogil:
    cdef float value
    memcpy(&value, &bits, 4)
    return value


cdef inline float float_of_half(uint16_t half) noexcept nogil:
    cdef uint32_t sign = <uint32_t>(half & 0x8000) << 16
    cdef uint32_t exponent = (half >> 10) & 0x1F
    cdef uint32_t mantissa = half & 0x3FF
    cdef float magnitude
    if exponent == 0:
        magnitude = <float>mantissa * 5.9604644775390625e-08  # 2**-24
        return -magnitude if sign else magnitude
    if exponent == 31:
        return float_of_bits(sign | 0x7F800000 | mantissa << 13)
    return float_of_bits(sign | (exponent + 112) << 23 | mantissa << 13)


cdef inline int item_bytes(int dtype) noexcept nogil:
    """Bytes of one element in tensor_content; 0 for types that are no plain number."""
    if dtype == 1 or dtype == 3 or dtype == 22 or dtype == 13:
        return 4
    if dtype == 2 or dtype == 9 or dtype == 23:
        return 8
    if dtype == 5 or dtype == 14 or dtype == 17 or dtype == 19 or dtype == 15 or dtype == 16:
        return 2
    if dtype == 4 or dtype == 6 or dtype == 10 or dtype == 11 or dtype == 12:
        return 1
    return 0


cdef inline double number_of_content(const uint8_t *p, int dtype) noexcept nogil:
    if dtype == 1:
        return load_float(p)
    if dtype == 2:
        return load_double(p)
    if dtype == 3 or dtype == 13:
        return <int32_t>load_u32(p)
    if dtype == 22:
        return load_u32(p)
    if dtype == 9:
        return <double><int64_t>load_u64(p)
    if dtype == 23:
        return <double>load_u64(p)
    if dtype == 5 or dtype == 15:
        return <double><int32_t>(<uint32_t>(p[0] | p[1] << 8) ^ 0x8000) - 0x8000
    if dtype == 17 or dtype == 16:
        return p[0] | p[1] << 8
    if dtype == 19:
        return float_of_half(p[0] | p[1] << 8)
    if dtype == 14:
        return float_of_bits(<uint32_t>(p[0] | p[1] << 8) << 16)
    if dtype == 6 or dtype == 11:
        return <double><int32_t>(p[0] ^ 0x80) - 0x80
    if dtype == 10:
        return 1.0 if p[0] else 0.0
    return p[0]


cdef inline double number_of_varint(uint64_t raw, int field, int dtype) noexcept nogil:
    """The number in a typed field: int_val 7, int64_val 10, bool_val 11, half_val 13, uint32_val 16, uint64_val 17."""
    if field == 13:
        # torch stores float32 bit patterns here; those do not fit into 16 bits.
        if raw > 0xFFFF:
            return float_of_bits(<uint32_t>raw)
        return float_of_bits(<uint32_t>raw << 16) if dtype == 14 else float_of_half(<uint16_t>raw)
    if field == 17:
        return <double>raw
    if field == 16:
        return <double><uint32_t>raw
    if field == 11:
        return 1.0 if raw else 0.0
    if field == 7:
        return <double><int32_t><uint32_t>raw
    return <double><int64_t>raw


cdef inline int shape_elements(const uint8_t *p, const uint8_t *end, int *is_single) noexcept nogil:
    """Whether a TensorShapeProto describes exactly one element. -1: malformed."""
    cdef uint64_t key, size, dim
    cdef const uint8_t *inner
    cdef int code
    is_single[0] = 1
    while True:
        code = find_field(&p, end, 0x12, &size)
        if code <= 0:
            return code
        inner = p + size
        dim = 0
        while p < inner:
            p = read_varint(p, inner, &key)
            if p == NULL:
                return -1
            if key == 0x08:
                p = read_varint(p, inner, &dim)
            else:
                p = skip_keyed(p, inner, key)
            if p == NULL:
                return -1
        if dim != 1:
            is_single[0] = 0


cdef inline int scalar_of_tensor(const uint8_t *p, const uint8_t *end, double *out) noexcept nogil:
    """1: the tensor is one number, in `out`. 0: it is something else. -1: malformed."""
    cdef uint64_t key, size
    cdef uint64_t raw = 0
    cdef uint64_t bits = 0
    cdef const uint8_t *content = NULL
    cdef const uint8_t *inner
    cdef uint64_t content_size = 0
    cdef int dtype = 0
    cdef int single = 1
    cdef int count = 0
    cdef int field, wire
    cdef int varint_field = 0
    cdef double number = 0.0
    # What TF2, TensorBoard and torch write for a float32: dtype, an empty shape or none, 4 bytes of content or float_val.
    if end - p == 10 and p[0] == 0x08 and p[1] == 1 and p[2] == 0x12 and p[3] == 0 and (p[4] == 0x22 or p[4] == 0x2A) and p[5] == 4:
        out[0] = load_float(p + 6)
        return 1
    while p < end:
        p = read_varint(p, end, &key)
        if p == NULL:
            return -1
        field = <int>(key >> 3) if key < 1000 else 999
        wire = key & 7
        if key == 0x08:
            p = read_varint(p, end, &raw)
            dtype = <int>(raw & 0xFFFF)
            if dtype > 100:
                dtype -= 100
        elif key == 0x12 or key == 0x22:
            p = read_varint(p, end, &size)
            if p == NULL or size > <uint64_t>(end - p):
                return -1
            if key == 0x22:
                content = p
                content_size = size
            elif shape_elements(p, p + size, &single) < 0:
                return -1
            p += size
        elif (field == 5 and wire == 5) or (field == 6 and wire == 1):
            if end - p < (4 if wire == 5 else 8):
                return -1
            number = load_float(p) if wire == 5 else load_double(p)
            p += 4 if wire == 5 else 8
            count += 1
        elif wire == 2 and (field == 5 or field == 6):
            p = read_varint(p, end, &size)
            if p == NULL or size > <uint64_t>(end - p):
                return -1
            if field == 5:
                if size >= 4:
                    number = load_float(p)
                count += 2 if size > 4 else <int>(size // 4)
            else:
                if size >= 8:
                    number = load_double(p)
                count += 2 if size > 8 else <int>(size // 8)
            p += size
        elif field == 7 or field == 10 or field == 11 or field == 13 or field == 16 or field == 17:
            if wire == 2:
                p = read_varint(p, end, &size)
                if p == NULL or size > <uint64_t>(end - p):
                    return -1
                inner = p + size
                while p < inner and count < 2:
                    p = read_varint(p, inner, &bits)
                    if p == NULL:
                        return -1
                    varint_field = field
                    count += 1
                p = inner
            elif wire == 0:
                p = read_varint(p, end, &bits)
                varint_field = field
                count += 1
            else:
                p = skip_keyed(p, end, key)
        else:
            p = skip_keyed(p, end, key)
        if p == NULL:
            return -1
    if not single or item_bytes(dtype) == 0 or count > 1:
        return 0
    if content_size:
        if content_size != <uint64_t>item_bytes(dtype):
            return 0
        out[0] = number_of_content(content, dtype)
        return 1
    # A number that equals its type's default is left out by some writers.
    if count and varint_field:
        # Only now, because the type may stand behind its number.
        number = number_of_varint(bits, varint_field, dtype)
    out[0] = number
    return 1
