"""Exact statistics as C, for what writes them down."""

cdef struct Statistics:
    # Rows of first occurrences, -1 for none; over the finite values.
    Py_ssize_t lowest
    Py_ssize_t highest
    double mean
    Py_ssize_t finite_count
    Py_ssize_t nan_count
    Py_ssize_t first_nan
    Py_ssize_t pos_inf_count
    Py_ssize_t first_pos_inf
    Py_ssize_t neg_inf_count
    Py_ssize_t first_neg_inf

cdef void summarize_floats(const float* y, Py_ssize_t count, Statistics* s) noexcept nogil
cdef void summarize_doubles(const double* y, Py_ssize_t count, Statistics* s) noexcept nogil
