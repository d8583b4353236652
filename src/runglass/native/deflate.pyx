"""The compression inside a PNG for data of runs and noise, without the GIL: several times as quick as zlib at its quickest.

It knows single bytes and repetitions of the byte before; after a filter there is little else in a picture. What it writes any
zlib reads. Expects a little-endian machine, as everything that NumPy is built for today is.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    BLOCK_BYTES = 1 << 17
    # Bytes, the end of a block, and 29 codes for lengths.
    SYMBOLS = 286
    END = 256
    FIRST_LENGTH = 257
    SHORTEST = 3
    LONGEST = 258
    MOST_BITS = 15
    # What a block may need beyond its bytes: the lengths of its codes, and a little.
    HEADER_BYTES = 256


cdef struct Codes:
    uint32_t count[SYMBOLS]
    uint8_t bits[SYMBOLS]
    # With the first bit lowest, as they are written.
    uint16_t code[SYMBOLS]


cdef struct Out:
    uint8_t* at
    uint64_t held
    int bits


# By the length of a repetition less SHORTEST: its symbol, and the bits behind it that tell lengths of one symbol apart.
cdef uint16_t length_symbol[LONGEST - SHORTEST + 1]
cdef uint8_t length_bits[LONGEST - SHORTEST + 1]
cdef uint8_t length_rest[LONGEST - SHORTEST + 1]


cdef void fill_lengths() noexcept:
    cdef int symbol = FIRST_LENGTH, length = 0, extra, i
    for symbol in range(FIRST_LENGTH, SYMBOLS - 1):
        extra = 0 if symbol < 265 else (symbol - 261) // 4
        for i in range(1 << extra):
            if length + i <= LONGEST - SHORTEST:
                length_symbol[length + i] = symbol
                length_bits[length + i] = extra
                length_rest[length + i] = i
        length += 1 << extra
    # The longest has a symbol of its own.
    length_symbol[LONGEST - SHORTEST] = SYMBOLS - 1
    length_bits[LONGEST - SHORTEST] = 0
    length_rest[LONGEST - SHORTEST] = 0


fill_lengths()


cdef inline void put(Out* out, uint64_t value, int bits) noexcept nogil:
    """At most 32 bits at a time. The buffer has eight bytes to spare behind what is written."""
    out.held |= value << out.bits
    out.bits += bits
    memcpy(out.at, &out.held, 8)
    out.at += out.bits >> 3
    out.held >>= out.bits & ~7
    out.bits &= 7


cdef Py_ssize_t tokenize(
    const uint8_t* data, Py_ssize_t begin, Py_ssize_t end, uint16_t* tokens, Codes* codes
) noexcept nogil:
    """Bytes as they are; a repetition of the byte before as 256 and its length less SHORTEST."""
    cdef Py_ssize_t i = begin, n = 0, stop
    cdef uint32_t four
    cdef uint32_t counts[2][256]
    cdef int symbol
    memset(counts, 0, sizeof(counts))
    memset(codes.count, 0, sizeof(codes.count))
    if i == 0 and i < end:
        tokens[0] = data[0]
        counts[0][data[0]] += 1
        n = i = 1
    while i < end:
        if i + SHORTEST <= end:
            memcpy(&four, data + i - 1, 4)
            if (four ^ (four >> 8)) & 0xFFFFFF == 0:
                stop = i + LONGEST if i + LONGEST < end else end
                begin = i
                i += SHORTEST
                while i < stop and data[i] == data[begin]:
                    i += 1
                tokens[n] = <uint16_t>(256 + i - begin - SHORTEST)
                codes.count[length_symbol[i - begin - SHORTEST]] += 1
                n += 1
                continue
        tokens[n] = data[i]
        # Two tables, so that equal neighbours do not wait for each other.
        counts[n & 1][data[i]] += 1
        n += 1
        i += 1
    for symbol in range(256):
        codes.count[symbol] = counts[0][symbol] + counts[1][symbol]
    codes.count[END] = 1
    return n


cdef void choose_codes(Codes* codes) noexcept nogil:
    """Huffman's code lengths by merging the two rarest again and again, none longer than MOST_BITS, and the codes of them."""
    cdef int32_t order[SYMBOLS]
    cdef int32_t parent[2 * SYMBOLS]
    cdef uint64_t weight[2 * SYMBOLS]
    cdef int32_t depth[2 * SYMBOLS]
    cdef int32_t of_length[64]
    cdef uint32_t next_code[MOST_BITS + 2]
    cdef int used = 0, symbol, i, j, leaf, inner, made, length, pick
    cdef uint32_t total, code, turned
    memset(codes.bits, 0, sizeof(codes.bits))
    for symbol in range(SYMBOLS):
        if codes.count[symbol]:
            # By insertion, rarest first.
            j = used
            while j > 0 and codes.count[order[j - 1]] > codes.count[symbol]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = symbol
            used += 1
    if used == 1:
        # A code has at least one bit.
        codes.bits[order[0]] = 1
        codes.code[order[0]] = 0
        return
    for i in range(used):
        weight[i] = codes.count[order[i]]
    leaf = 0
    inner = used
    for made in range(used, 2 * used - 1):
        weight[made] = 0
        for i in range(2):
            if leaf < used and (inner >= made or weight[leaf] <= weight[inner]):
                pick = leaf
                leaf += 1
            else:
                pick = inner
                inner += 1
            parent[pick] = made
            weight[made] += weight[pick]
    memset(of_length, 0, sizeof(of_length))
    depth[2 * used - 2] = 0
    for i in range(2 * used - 3, -1, -1):
        depth[i] = depth[parent[i]] + 1
        if i < used:
            of_length[depth[i] if depth[i] < MOST_BITS else MOST_BITS] += 1
    # Cutting lengths may have given out more codes than there are; a shorter code is split for each of those.
    total = 0
    for length in range(1, MOST_BITS + 1):
        total += <uint32_t>of_length[length] << (MOST_BITS - length)
    while total > 1 << MOST_BITS:
        of_length[MOST_BITS] -= 1
        for length in range(MOST_BITS - 1, 0, -1):
            if of_length[length]:
                of_length[length] -= 1
                of_length[length + 1] += 2
                break
        total -= 1
    i = 0
    for length in range(MOST_BITS, 0, -1):
        for j in range(of_length[length]):
            codes.bits[order[i]] = length
            i += 1
    code = 0
    next_code[0] = 0
    for length in range(1, MOST_BITS + 1):
        next_code[length] = code
        code = (code + <uint32_t>of_length[length]) << 1
    for symbol in range(SYMBOLS):
        length = codes.bits[symbol]
        if length:
            code = next_code[length]
            next_code[length] += 1
            turned = 0
            for i in range(length):
                turned = (turned << 1) | ((code >> i) & 1)
            codes.code[symbol] = turned


cdef void put_header(Out* out, const Codes* codes, bint is_last) noexcept nogil:
    """The lengths of all codes, four bits each: less than a hundredth of what they are for."""
    # In this order the format gives the lengths of the codes that the lengths are written in: the last 16 of the 19 say 4.
    cdef int i, turned, bit, length
    put(out, is_last | (2 << 1), 3)
    put(out, SYMBOLS - 257, 5)
    put(out, 0, 5)
    put(out, 19 - 4, 4)
    for i in range(19):
        put(out, 0 if i < 3 else 4, 3)
    for i in range(SYMBOLS + 1):
        # The one distance there is, that to the byte before, has a code of one bit.
        length = codes.bits[i] if i < SYMBOLS else 1
        turned = 0
        for bit in range(4):
            turned = (turned << 1) | ((length >> bit) & 1)
        put(out, turned, 4)


cdef void put_tokens(Out* out, const Codes* codes, const uint16_t* tokens, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i = 0
    cdef int token, symbol, bits
    while i < n:
        token = tokens[i]
        i += 1
        if token < 256:
            if i < n and tokens[i] < 256:
                symbol = tokens[i]
                i += 1
                bits = codes.bits[token]
                put(out, codes.code[token] | (<uint64_t>codes.code[symbol] << bits), bits + codes.bits[symbol])
            else:
                put(out, codes.code[token], codes.bits[token])
        else:
            token -= 256
            symbol = length_symbol[token]
            bits = codes.bits[symbol]
            # The distance behind it is a zero of one bit.
            put(
                out,
                codes.code[symbol] | (<uint64_t>length_rest[token] << bits),
                bits + length_bits[token] + 1,
            )
    put(out, codes.code[END], codes.bits[END])


cdef Py_ssize_t compress(const uint8_t* data, Py_ssize_t n, uint8_t* room, uint16_t* tokens, Codes* codes) noexcept nogil:
    cdef Py_ssize_t begin = 0, end, count
    cdef Out out
    out.at = room
    out.held = 0
    out.bits = 0
    while True:
        end = begin + BLOCK_BYTES if n - begin > BLOCK_BYTES else n
        count = tokenize(data, begin, end, tokens, codes)
        choose_codes(codes)
        put_header(&out, codes, end == n)
        put_tokens(&out, codes, tokens, count)
        begin = end
        if begin == n:
            break
    if out.bits:
        out.at += 1
    return out.at - room


def deflate_runs(const uint8_t[::1] data):
    """A raw deflate stream of any bytes."""
    cdef Py_ssize_t n = data.shape[0], size
    cdef Py_ssize_t blocks = n // BLOCK_BYTES + 1
    # Every byte may have a code of MOST_BITS.
    cdef bytearray room = bytearray(2 * n + blocks * HEADER_BYTES + 16)
    cdef uint8_t[::1] out = room
    cdef bytearray token_room = bytearray(2 * min(n, <Py_ssize_t>BLOCK_BYTES) + 2)
    cdef uint8_t[::1] tokens = token_room
    cdef const uint8_t* source = &data[0] if n else NULL
    cdef Codes codes
    with nogil:
        size = compress(source, n, &out[0], <uint16_t*>&tokens[0], &codes)
    return bytes(out[:size])
