"""Vectors in text files: numbers between tabs, as the nearest float32, without the GIL.

A number is first computed within a few units of the last place of a double. That is enough unless the result is near the middle
between two float32 values; only then all digits are looked at.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport INFINITY, NAN, fabs
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memchr, memcpy

cdef enum:
    LARGEST_POWER = 300
    # More digits do not fit into 64 bits.
    MAX_DIGITS = 19
    # Bits of a double below those of a float32.
    LOW_BITS = 29
    # How far a first result may be off, in units of its last place, with room to spare.
    NEAR = 16

cdef double powers[2 * LARGEST_POWER + 1]
cdef int _power
for _power in range(-LARGEST_POWER, LARGEST_POWER + 1):
    powers[_power + LARGEST_POWER] = float(f"1e{_power}")


cdef inline bint is_space(unsigned char c) noexcept nogil:
    return c == 32 or c == 13 or c == 9 or c == 11 or c == 12


cdef inline unsigned char lower(unsigned char c) noexcept nogil:
    return c | 32


cdef bint is_word(const unsigned char *at, const unsigned char *end, const char *word, int length) noexcept nogil:
    cdef int i
    if end - at != length:
        return False
    for i in range(length):
        if lower(at[i]) != <unsigned char>word[i]:
            return False
    return True


cdef int parse_slowly(const unsigned char *at, const unsigned char *end, float *value) noexcept with gil:
    try:
        # Through a double, as everybody does.
        value[0] = <float><double>float(PyBytes_FromStringAndSize(<const char*>at, end - at))
        return 0
    except Exception:
        return -1


cdef int parse_cell(const unsigned char *start, const unsigned char *end, float *value) noexcept nogil:
    """Returns -1 if this is no number."""
    cdef const unsigned char *at
    cdef uint64_t mantissa = 0, bits
    cdef int64_t exponent = 0, written = 0, low
    cdef int digits = 0, seen = 0
    cdef bint negative = False, negative_exponent = False, has_point = False
    cdef double result
    while start < end and is_space(start[0]):
        start += 1
    while start < end and is_space((end - 1)[0]):
        end -= 1
    at = start
    if at < end and (at[0] == 45 or at[0] == 43):
        negative = at[0] == 45
        at += 1
    while at < end:
        if 48 <= at[0] <= 57:
            seen += 1
            if digits < MAX_DIGITS:
                mantissa = mantissa * 10 + (at[0] - 48)
                digits += mantissa != 0
                exponent -= has_point
            else:
                exponent += not has_point
        elif at[0] == 46 and not has_point:
            has_point = True
        else:
            break
        at += 1
    if not seen:
        if is_word(at, end, b"nan", 3):
            value[0] = <float>NAN
        elif is_word(at, end, b"inf", 3) or is_word(at, end, b"infinity", 8):
            value[0] = <float>(-INFINITY if negative else INFINITY)
        else:
            return -1
        return 0
    if at < end and lower(at[0]) == 101:
        at += 1
        if at < end and (at[0] == 45 or at[0] == 43):
            negative_exponent = at[0] == 45
            at += 1
        if at == end:
            return -1
        while at < end and 48 <= at[0] <= 57:
            if written < 1000000:
                written = written * 10 + (at[0] - 48)
            at += 1
        exponent += -written if negative_exponent else written
    if at != end:
        return -1
    if mantissa == 0:
        value[0] = <float>(-0.0 if negative else 0.0)
        return 0
    if not -LARGEST_POWER <= exponent <= LARGEST_POWER:
        return parse_slowly(start, end, value)
    if -22 <= exponent < 0:
        # Exact powers: one division is nearer than a product with a rounded power.
        result = <double>mantissa / powers[LARGEST_POWER - exponent]
    else:
        result = <double>mantissa * powers[LARGEST_POWER + exponent]
    # Others have fewer digits in a float32, or none.
    if not 1.2e-38 < result < 3.4e38:
        return parse_slowly(start, end, value)
    memcpy(&bits, &result, sizeof(bits))
    low = <int64_t>(bits & ((<uint64_t>1 << LOW_BITS) - 1)) - (<int64_t>1 << (LOW_BITS - 1))
    if -NEAR <= low <= NEAR:
        return parse_slowly(start, end, value)
    value[0] = <float>(-result if negative else result)
    return 0


cdef inline bint is_blank(const unsigned char *at, const unsigned char *end) noexcept nogil:
    while at < end:
        if not is_space(at[0]):
            return False
        at += 1
    return True


def count_rows(const unsigned char[::1] data):
    """Lines that are not blank."""
    cdef Py_ssize_t count = 0
    cdef const unsigned char *at
    cdef const unsigned char *end
    cdef const unsigned char *line_end
    if not data.shape[0]:
        return 0
    at = &data[0]
    end = at + data.shape[0]
    with nogil:
        while at < end:
            line_end = <const unsigned char*>memchr(at, 10, end - at)
            if line_end is NULL:
                line_end = end
            count += not is_blank(at, line_end)
            at = line_end + 1
    return count


def parse_rows(const unsigned char[::1] data, unsigned char separator, Py_ssize_t skipped, float[:, ::1] out):
    """Fill `out` from the lines of `data` that are not blank, without the first `skipped` cells of each.

    Returns where the first line begins that has other cells, -1 if there is none.
    """
    cdef Py_ssize_t row = 0, cell, wrong = -1
    cdef Py_ssize_t rows = out.shape[0], wanted = out.shape[1] + skipped
    cdef const unsigned char *at
    cdef const unsigned char *end
    cdef const unsigned char *line
    cdef const unsigned char *line_end
    cdef const unsigned char *cell_end
    if not data.shape[0] or not rows or not out.shape[1]:
        return -1
    line = &data[0]
    end = line + data.shape[0]
    with nogil:
        while line < end and row < rows and wrong < 0:
            line_end = <const unsigned char*>memchr(line, 10, end - line)
            if line_end is NULL:
                line_end = end
            if not is_blank(line, line_end):
                at = line
                cell = 0
                # A separator at the end of a line is no cell.
                while cell < wanted and at <= line_end:
                    cell_end = <const unsigned char*>memchr(at, separator, line_end - at)
                    if cell_end is NULL:
                        cell_end = line_end
                    if cell >= skipped and parse_cell(at, cell_end, &out[row, cell - skipped]) < 0:
                        break
                    cell += 1
                    at = cell_end + 1
                if cell < wanted or not is_blank(at, line_end):
                    wrong = line - &data[0]
                row += 1
            line = line_end + 1
    return wrong
