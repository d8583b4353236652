# What the modules that compute over arrays share. Importing these names links nothing.
cimport numpy as cnp
from libc.stdlib cimport realloc

ctypedef fused real:
    float
    double

cdef enum:
    # Below this many points the GIL is kept: giving it up costs more than the work, and a busy server may take
    # milliseconds to hand it back.
    SHORT = 8192


cdef inline bint is_float32(object y) noexcept:
    # Chooses between the two kinds of `real` by hand where calls are many: Cython's own way takes half a microsecond.
    return cnp.PyArray_Check(y) and cnp.PyArray_TYPE(<cnp.ndarray>y) == cnp.NPY_FLOAT32


cdef inline object empty(cnp.npy_intp count, int kind):
    return cnp.PyArray_SimpleNew(1, &count, kind)


cdef inline Py_ssize_t first_above(const double[::1] x, double bound) except -1 nogil:
    cdef inline Py_ssize_t lo = 0, hi = x.shape[0], mid
    while lo < hi:
        mid = lo + (hi - lo) // 2
        if x[mid] <= bound:
            lo = mid + 1
        else:
            hi = mid
    return lo


cdef inline int double_room(void **data, Py_ssize_t *room, size_t item_bytes) except -1 nogil:
    # Of a list that is full; without memory, it stays as it is.
    cdef void *moved = realloc(data[0], 2 * <size_t>room[0] * item_bytes)
    if moved == NULL:
        with gil:
            raise MemoryError
    data[0] = moved
    room[0] *= 2
    return 0
