"""Session starts of the hparams plugin straight to plain Python, and as columns: a search of ten thousand runs has hundreds of
thousands of values.

Knows the few messages on that way alone. What else there is goes through the general codec (wire.pyx).
"""

from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from runglass.native.wire cimport (
    WIRE_BYTES,
    WIRE_FIXED64,
    WIRE_VARINT,
    load_u64,
    read_bytes,
    read_key,
    read_varint,
    skip_field,
)

cdef extern from "Python.h":
    PyObject *PyDict_GetItemWithError(object, object) except? NULL

cdef union Number:
    double d
    uint64_t u64

# Names repeat in every session; one object each is enough.
cdef dict names = {}
cdef enum:
    MAX_NAMES = 10000


def read_session_start(const uint8_t[::1] content not None):
    """(values by name, group name, start time) of a serialized HParamsPluginData.

    None if it is no session start, has values that are lists or objects, or is malformed: the general codec decides then.
    Values that are null are left out; start time 0.0 stands for a missing one, as on the wire.
    """
    cdef const uint8_t *p
    cdef const uint8_t *end
    cdef const uint8_t *start = NULL
    cdef const uint8_t *inner = NULL
    cdef size_t size = 0
    cdef uint32_t number = 0
    cdef uint32_t wire = 0
    cdef bint found = False
    if not content.shape[0]:
        return None
    p = &content[0]
    end = p + content.shape[0]
    while p < end:
        p = read_key(p, end, &number, &wire)
        if p == NULL:
            return None
        if number == 3 and wire == WIRE_BYTES:
            # Several of them would merge, and a later member of the oneof would replace it.
            if found:
                return None
            p = read_bytes(p, end, &start, &size)
            if p == NULL:
                return None
            found = True
        elif number == 1:
            p = skip_field(p, end, wire)
            if p == NULL:
                return None
        else:
            return None
    if not found:
        return None
    return read_start(start, start + size)


cdef object read_start(const uint8_t *p, const uint8_t *end):
    cdef dict values = {}
    cdef object group = ""
    cdef Number time
    cdef const uint8_t *start = NULL
    cdef size_t size = 0
    cdef uint32_t number = 0
    cdef uint32_t wire = 0
    time.d = 0.0
    while p < end:
        p = read_key(p, end, &number, &wire)
        if p == NULL:
            return None
        if wire == WIRE_BYTES:
            p = read_bytes(p, end, &start, &size)
            if p == NULL:
                return None
            if number == 1:
                if not put_entry(values, start, start + size):
                    return None
            elif number == 4:
                group = PyUnicode_DecodeUTF8(<const char *>start, size, "replace")
        elif number == 5 and wire == WIRE_FIXED64:
            if end - p < 8:
                return None
            time.u64 = load_u64(p)
            p += 8
        else:
            p = skip_field(p, end, wire)
            if p == NULL:
                return None
    return values, group, time.d


cdef bint put_entry(dict values, const uint8_t *p, const uint8_t *end) except -1:
    """One entry of the map; False if it is not a plain one."""
    cdef const uint8_t *name = NULL
    cdef const uint8_t *value = NULL
    cdef size_t name_size = 0
    cdef size_t value_size = 0
    cdef uint32_t number = 0
    cdef uint32_t wire = 0
    cdef object key, known
    while p < end:
        p = read_key(p, end, &number, &wire)
        if p == NULL or wire != WIRE_BYTES:
            return False
        if number == 1:
            p = read_bytes(p, end, &name, &name_size)
        elif number == 2 and value == NULL:
            p = read_bytes(p, end, &value, &value_size)
        else:
            return False
        if p == NULL:
            return False
    if name == NULL or value == NULL:
        return False
    key = PyUnicode_DecodeUTF8(<const char *>name, name_size, "replace")
    known = names.get(key)
    if known is None:
        if len(names) < MAX_NAMES:
            names[key] = key
        known = key
    return put_value(values, known, value, value + value_size)


cdef bint put_value(dict values, object key, const uint8_t *p, const uint8_t *end) except -1:
    """A google.protobuf.Value with one field: a number, text or bool; null puts nothing."""
    cdef const uint8_t *start = NULL
    cdef size_t size = 0
    cdef uint32_t number = 0
    cdef uint32_t wire = 0
    cdef uint64_t given = 0
    cdef Number read
    cdef object value = None
    if p == end:
        values.pop(key, None)
        return True
    p = read_key(p, end, &number, &wire)
    if p == NULL:
        return False
    if number == 2 and wire == WIRE_FIXED64 and end - p == 8:
        read.u64 = load_u64(p)
        value = read.d
        p += 8
    elif number == 3 and wire == WIRE_BYTES:
        p = read_bytes(p, end, &start, &size)
        if p != end:
            return False
        value = PyUnicode_DecodeUTF8(<const char *>start, size, "replace")
    elif wire == WIRE_VARINT and (number == 1 or number == 4):
        p = read_varint(p, end, &given)
        if p != end:
            return False
        if number == 4:
            value = given != 0
    else:
        return False
    # The last entry of a name wins, also when it is null.
    if value is None:
        values.pop(key, None)
    else:
        values[key] = value
    return True


def gather(list rows not None):
    """Dicts as columns: for each name a list with the value of every dict, None where it has none. In the order of first use."""
    cdef dict columns = {}
    cdef Py_ssize_t count = len(rows)
    cdef Py_ssize_t row
    cdef Py_ssize_t at
    cdef PyObject *name
    cdef PyObject *value
    cdef PyObject *found
    cdef list column
    for row in range(count):
        each = rows[row]
        if type(each) is not dict:
            raise TypeError("rows must be dicts")
        at = 0
        while PyDict_Next(each, &at, &name, &value):
            found = PyDict_GetItemWithError(columns, <object>name)
            if found == NULL:
                column = [None] * count
                columns[<object>name] = column
            else:
                column = <list>found
            column[row] = <object>value
    return columns
