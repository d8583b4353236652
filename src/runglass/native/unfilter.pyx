"""Rows of a PNG as pixels: each byte was stored as the difference to a prediction from its neighbours."""

cimport numpy as cnp
import numpy as np

cnp.import_array()


cdef inline unsigned char paeth(int left, int above, int corner) noexcept nogil:
    cdef int estimate = left + above - corner
    cdef int by_left = abs(estimate - left), by_above = abs(estimate - above), by_corner = abs(estimate - corner)
    if by_left <= by_above and by_left <= by_corner:
        return <unsigned char>left
    return <unsigned char>(above if by_above <= by_corner else corner)


cdef int unfilter_row(
    int kind, const unsigned char *source, const unsigned char *above, unsigned char *row, Py_ssize_t size, Py_ssize_t width
) noexcept nogil:
    """`width` is the bytes of a pixel, at least 1. Returns -1 if the kind is not known."""
    cdef Py_ssize_t i
    cdef int left, corner
    if kind == 0:
        for i in range(size):
            row[i] = source[i]
    elif kind == 1:
        for i in range(size):
            row[i] = source[i] + (row[i - width] if i >= width else 0)
    elif kind == 2:
        for i in range(size):
            row[i] = source[i] + above[i]
    elif kind == 3:
        for i in range(size):
            left = row[i - width] if i >= width else 0
            row[i] = source[i] + <unsigned char>((left + above[i]) >> 1)
    elif kind == 4:
        for i in range(size):
            left = row[i - width] if i >= width else 0
            corner = above[i - width] if i >= width else 0
            row[i] = source[i] + paeth(left, above[i], corner)
    else:
        return -1
    return 0


def unfilter(const unsigned char[::1] data, Py_ssize_t row_bytes, Py_ssize_t pixel_bytes, const unsigned char[::1] above):
    """The rows in `data`, each of which has its filter in front, below the row `above`. Raises ValueError for an unknown filter."""
    cdef Py_ssize_t rows = data.shape[0] // (row_bytes + 1), i
    cdef int failed = 0
    cdef const unsigned char *before
    if row_bytes < 1 or pixel_bytes < 1 or above.shape[0] != row_bytes:
        raise ValueError("rows of another size")
    made = np.empty((rows, row_bytes), np.uint8)
    cdef unsigned char[:, ::1] out = made
    if not rows:
        return made
    before = &above[0]
    with nogil:
        for i in range(rows):
            if i:
                before = &out[i - 1, 0]
            failed = unfilter_row(
                data[i * (row_bytes + 1)],
                &data[i * (row_bytes + 1) + 1],
                before,
                &out[i, 0],
                row_bytes,
                pixel_bytes,
            )
            if failed:
                break
    if failed:
        raise ValueError("an unknown filter")
    return made
