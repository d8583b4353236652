"""Float pixels and planes of them turned to what picture files hold, without the GIL. Knows no file format."""

from libc.stdint cimport uint8_t

cimport numpy as cnp
import numpy as np

from runglass.native.arrays cimport real

cnp.import_array()

cdef enum:
    # The name of this filter in a PNG.
    UP = 2


cdef extern from "unit_bytes.h":
    void rg_unit_floats(const float* x, Py_ssize_t n, uint8_t* out, float* limits) noexcept nogil
    void rg_unit_doubles(const double* x, Py_ssize_t n, uint8_t* out, double* limits) noexcept nogil


cdef convert(const real[::1] values, uint8_t[::1] out):
    cdef Py_ssize_t n = values.shape[0]
    cdef real[2] limits
    if not n:
        return 0.0, 1.0
    with nogil:
        if real is float:
            rg_unit_floats(&values[0], n, &out[0], limits)
        else:
            rg_unit_doubles(&values[0], n, &out[0], limits)
    return limits[0], limits[1]


def unit_to_bytes(values, uint8_t[::1] out not None):
    """Each of the 256 bytes gets an equal share of [0, 1], as TensorFlow scales; what lies outside is cut.

    `values` is one contiguous row of float32 or float64, as long as `out`. Returns the least of them and 0, and the most of them and 1.
    NaN is neither, and what leaves [0, 1] by less than the share of a byte may not be seen.
    """
    if values.shape != (out.shape[0],):
        raise ValueError(f"{values.shape} values do not fill {out.shape[0]} bytes.")
    if values.dtype == np.float32:
        return convert[float](values, out)
    return convert[double](values, out)


cdef void differ(
    const uint8_t* source,
    Py_ssize_t height,
    Py_ssize_t width,
    Py_ssize_t channels,
    Py_ssize_t row_stride,
    Py_ssize_t pixel_stride,
    Py_ssize_t channel_stride,
    uint8_t* out,
) noexcept nogil:
    cdef Py_ssize_t y, x, c
    cdef const uint8_t* row
    cdef uint8_t* to
    for y in range(height):
        out[0] = UP
        # The same without strides, which compilers know to do many at a time.
        if channel_stride == 1 and pixel_stride == channels:
            row = source + y * row_stride
            to = out + 1
            for x in range(width * channels):
                to[x] = row[x] - row[x - row_stride] if y else row[x]
            out += 1 + width * channels
            continue
        for c in range(channels):
            row = source + y * row_stride + c * channel_stride
            to = out + 1 + c
            if y == 0:
                for x in range(width):
                    to[x * channels] = row[x * pixel_stride]
            else:
                for x in range(width):
                    to[x * channels] = row[x * pixel_stride] - row[x * pixel_stride - row_stride]
        out += 1 + width * channels


def rows_less_the_row_above(const uint8_t[:, :, :] pixels):
    """Pixels (height, width, channels) in any order of memory as PNG wants its rows: byte 2, then differences to the row above."""
    cdef Py_ssize_t height = pixels.shape[0], width = pixels.shape[1], channels = pixels.shape[2]
    cdef cnp.ndarray result = np.empty((height, 1 + width * channels), dtype=np.uint8)
    cdef uint8_t* out = <uint8_t*>cnp.PyArray_DATA(result)
    cdef const uint8_t* source = &pixels[0, 0, 0] if height and width and channels else NULL
    if source != NULL:
        with nogil:
            differ(
                source, height, width, channels, pixels.strides[0], pixels.strides[1], pixels.strides[2], out
            )
    return result
