# JSON as programs really write it: bare words, control characters, commas too many or too few. Importing these names links nothing.
#
# A buffer ends in a quote and SPARE_BYTES zeros, none of which belong to the text: every scan stops there without looking for the end
# at each byte. Whoever arrives at the end has read something incomplete.
from libc.stdint cimport int64_t, uint8_t, uint64_t

cdef extern from "json_scan.h" nogil:
    const uint8_t *rg_quote_or_backslash(const uint8_t *p) noexcept
    const uint8_t rg_word_ends[256]

cdef enum:
    SPARE_BYTES = 64
    MAX_DEPTH = 64
    # More digits do not fit into 64 bits for certain.
    MAX_DIGITS = 18

cdef enum Fault:
    FINE
    INCOMPLETE
    MALFORMED

cdef enum NumberKind:
    INTEGER_NUMBER
    REAL_NUMBER
    # Too long for 64 bits or for a first result that is exact.
    LONG_NUMBER
    NO_NUMBER

cdef struct Text:
    const uint8_t *start
    size_t size
    bint has_escapes

cdef struct Number:
    NumberKind kind
    int64_t integer
    double real


cdef inline const uint8_t *skip_space(const uint8_t *p) noexcept nogil:
    while p[0] <= 32:
        p += 1
    return p


cdef inline const uint8_t *skip_commas(const uint8_t *p) noexcept nogil:
    while p[0] <= 32 or p[0] == c",":
        p += 1
    return p


cdef inline const uint8_t *read_string(const uint8_t *p, const uint8_t *end, Text *text) noexcept nogil:
    """From the opening quote to after the closing one; NULL if that is not there yet."""
    p += 1
    text.start = p
    text.has_escapes = False
    while True:
        p = rg_quote_or_backslash(p)
        if p >= end:
            return NULL
        if p[0] == c"\"":
            text.size = <size_t>(p - text.start)
            return p + 1
        text.has_escapes = True
        p += 2
        if p > end:
            return NULL


cdef inline const uint8_t *read_key(const uint8_t *p, const uint8_t *end, Text *key, Fault *fault) noexcept nogil:
    """From a key of an object to its value; NULL and why."""
    if p[0] != c"\"":
        fault[0] = MALFORMED
        return NULL
    p = read_string(p, end, key)
    if p == NULL:
        fault[0] = INCOMPLETE
        return NULL
    if p[0] != c":":
        p = skip_space(p)
        if p >= end or p[0] != c":":
            fault[0] = INCOMPLETE if p >= end else MALFORMED
            return NULL
    p = skip_space(p + 1)
    if p >= end:
        fault[0] = INCOMPLETE
        return NULL
    return p


cdef inline const uint8_t *skip_word(const uint8_t *p, Text *text) noexcept nogil:
    """A number or a bare word."""
    text.start = p
    text.has_escapes = False
    while not rg_word_ends[p[0]]:
        p += 1
    text.size = <size_t>(p - text.start)
    return p


cdef inline const uint8_t *skip_nested(const uint8_t *p, const uint8_t *end, Fault *fault) noexcept nogil:
    """From an opening bracket to after the one that closes it; NULL and why."""
    # One bit for each level: whether it is an object.
    cdef uint64_t kinds = 0
    cdef int depth = 0
    cdef Text text
    while True:
        p = skip_commas(p)
        if p >= end:
            fault[0] = INCOMPLETE
            return NULL
        if p[0] == c"[" or p[0] == c"{":
            if depth == MAX_DEPTH:
                break
            kinds = kinds << 1 | (p[0] == c"{")
            depth += 1
            p += 1
        elif p[0] == c"]" or p[0] == c"}":
            if (kinds & 1) != (p[0] == c"}"):
                break
            kinds >>= 1
            depth -= 1
            p += 1
            if depth == 0:
                return p
        elif p[0] == c"\"":
            p = read_string(p, end, &text)
            if p == NULL:
                fault[0] = INCOMPLETE
                return NULL
            if p[0] <= 32:
                p = skip_space(p)
            if p[0] == c":":
                # Where a bracket was lost, the rest of the file would pass for what is inside.
                if not kinds & 1:
                    break
                p += 1
        elif p[0] == c":":
            break
        else:
            p = skip_word(p, &text)
    fault[0] = MALFORMED
    return NULL


# Powers of ten that a double holds exactly.
cdef extern from *:
    """
    static const double rg_exact_powers[23] = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    """
    const double rg_exact_powers[23]


cdef inline void read_number(const Text *text, Number *number) noexcept nogil:
    """What a bare word is as a number."""
    cdef const uint8_t *p = text.start
    cdef const uint8_t *end = p + text.size
    cdef uint64_t mantissa = 0
    cdef int digits = 0, exponent = 0, written = 0, seen = 0
    cdef bint negative = False, below = False, is_real = False, is_long = False
    number.kind = NO_NUMBER
    number.integer = 0
    number.real = 0
    if p < end and (p[0] == c"-" or p[0] == c"+"):
        negative = p[0] == c"-"
        p += 1
    while p < end:
        if c"0" <= p[0] <= c"9":
            seen += 1
            if digits < MAX_DIGITS:
                mantissa = mantissa * 10 + (p[0] - c"0")
                digits += mantissa != 0
                exponent -= is_real
            else:
                is_long = True
        elif p[0] == c"." and not is_real:
            is_real = True
        else:
            break
        p += 1
    if seen == 0:
        return
    if p < end and p[0] | 32 == c"e":
        is_real = True
        p += 1
        if p < end and (p[0] == c"-" or p[0] == c"+"):
            below = p[0] == c"-"
            p += 1
        if p == end:
            return
        while p < end and c"0" <= p[0] <= c"9":
            if written < 100000:
                written = written * 10 + (p[0] - c"0")
            p += 1
        exponent += -written if below else written
    if p != end:
        return
    if is_long:
        number.kind = LONG_NUMBER
        number.integer = is_real
        return
    if not is_real:
        number.kind = INTEGER_NUMBER
        number.integer = -<int64_t>mantissa if negative else <int64_t>mantissa
        return
    if mantissa > <uint64_t>1 << 53 or not -22 <= exponent <= 22:
        number.kind = LONG_NUMBER
        number.integer = True
        return
    # Both are exact, so that one operation rounds once: the nearest double.
    number.kind = REAL_NUMBER
    number.real = <double>mantissa
    if exponent < 0:
        number.real /= rg_exact_powers[-exponent]
    else:
        number.real *= rg_exact_powers[exponent]
    if negative:
        number.real = -number.real
