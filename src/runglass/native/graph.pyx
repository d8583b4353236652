"""The nodes of a serialized graph as columns: a graph of a hundred thousand nodes is not decoded node by node.

Knows NodeDef and the few of its attributes that every question needs. All others stay where they are, in the bytes.
"""

import numpy as np

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp

from runglass.native.wire cimport (
    WIRE_BYTES,
    WIRE_VARINT,
    read_bytes,
    read_key,
    read_varint,
    skip_field,
)

cdef extern from "Python.h":
    PyObject *PyDict_GetItemWithError(object, object) except? NULL

cdef enum:
    NAME = 1
    OP = 2
    INPUT = 3
    DEVICE = 4
    ATTR = 5
    # AttrValue
    VALUE_LIST = 1
    VALUE_S = 2
    VALUE_TYPE = 6
    VALUE_SHAPE = 7
    VALUE_TENSOR = 8
    VALUE_FUNC = 10
    TENSOR_SHAPE = 2
    # AttrValue.ListValue
    LIST_TYPE = 6
    LIST_SHAPE = 7
    LIST_FUNC = 9
    # Bytes.
    LONG_ATTRIBUTE = 1024


cdef class NodeScan:
    """What `scan_nodes` found; one entry per node, except `input_*` with one per input."""

    cdef readonly list names
    cdef readonly list op_names, device_names, cluster_names, shape_names
    cdef readonly object ops, devices, clusters
    # Serialized shapes by number, -1 without: the first of `_output_shapes`, and that of the attributes `shape` and `value`.
    cdef readonly object shapes, own_shapes
    # The TensorFlow data type of the first output, 0 without.
    cdef readonly object dtypes
    # Where each node stands in the bytes.
    cdef readonly object starts, sizes
    cdef readonly object input_nodes, input_starts, input_sizes
    # Attributes that name functions: (node, attribute, function).
    cdef readonly list functions
    # Other fields with a length: (number, start, size).
    cdef readonly list others
    # Where the bytes make no sense any more, and what is wrong; -1 and "" without.
    cdef readonly Py_ssize_t fault_at
    cdef readonly str fault


cdef class Codes:
    """Numbers for byte strings that repeat."""

    cdef dict known
    cdef list values

    def __init__(self):
        self.known = {}
        self.values = []

    cdef int32_t code(self, const uint8_t *start, size_t size) except -2:
        cdef bytes key = PyBytes_FromStringAndSize(<const char *>start, size)
        cdef PyObject *found = PyDict_GetItemWithError(self.known, key)
        cdef object number
        if found != NULL:
            return <int32_t><object>found
        number = len(self.values)
        self.known[key] = number
        self.values.append(key)
        return <int32_t>number

    cdef list texts(self):
        return [value.decode("utf-8", "replace") for value in self.values]


cdef inline str text(const uint8_t *start, size_t size):
    return PyUnicode_DecodeUTF8(<const char *>start, size, "replace")


cdef inline bint equals(const uint8_t *start, size_t size, const char *word, size_t length) noexcept nogil:
    return size == length and memcmp(start, word, length) == 0


# How far an attribute is to be trusted for the data type of the first output; 0: not at all.
cdef inline int dtype_rank(const uint8_t *key, size_t size) noexcept nogil:
    if equals(key, size, b"dtype", 5):
        return 7
    if equals(key, size, b"DstT", 4):
        return 6
    if equals(key, size, b"output_type", 11):
        return 5
    if equals(key, size, b"out_type", 8):
        return 4
    if equals(key, size, b"T", 1):
        return 3
    if equals(key, size, b"Tout", 4):
        return 2
    if equals(key, size, b"output_types", 12):
        return 1
    return 0


# Nodes and their inputs, to size the columns; -1 where the bytes end in the middle of something.
cdef int count_nodes(
    const uint8_t *p, const uint8_t *end, uint32_t node_field, Py_ssize_t *nodes, Py_ssize_t *inputs
) noexcept nogil:
    cdef uint32_t number = 0
    cdef uint32_t wire = 0
    cdef const uint8_t *start = NULL
    cdef const uint8_t *stop
    cdef size_t size = 0
    while p < end:
        p = read_key(p, end, &number, &wire)
        if p == NULL:
            return -1
        if number != node_field or wire != WIRE_BYTES:
            p = skip_field(p, end, wire)
            if p == NULL:
                return -1
            continue
        p = read_bytes(p, end, &start, &size)
        if p == NULL:
            return -1
        nodes[0] += 1
        stop = start + size
        while start < stop:
            start = read_key(start, stop, &number, &wire)
            if start == NULL:
                break
            inputs[0] += number == INPUT and wire == WIRE_BYTES
            start = skip_field(start, stop, wire)
            if start == NULL:
                break
    return 0


def scan_nodes(const uint8_t[::1] data not None, Py_ssize_t start, Py_ssize_t end, uint32_t node_field):
    """All nodes of the message at `start`, in field `node_field` of it. Stops at a fault and keeps what stands before."""
    cdef NodeScan scan = NodeScan()
    cdef Py_ssize_t nodes = 0
    cdef Py_ssize_t inputs = 0
    cdef const uint8_t *origin = NULL
    if not 0 <= start <= end <= data.shape[0]:
        raise ValueError(f"bytes {start} to {end} of {data.shape[0]}")
    if start < end:
        origin = &data[0]
        count_nodes(origin + start, origin + end, node_field, &nodes, &inputs)
    scan.fault_at = -1
    scan.fault = ""
    scan.names = []
    scan.functions = []
    scan.others = []
    fill(scan, origin, start, end, node_field, nodes, inputs)
    return scan


cdef int fill(
    NodeScan scan, const uint8_t *origin, Py_ssize_t begin, Py_ssize_t finish, uint32_t node_field, Py_ssize_t nodes, Py_ssize_t inputs
) except -1:
    cdef int32_t[::1] ops = np.zeros(nodes, np.int32)
    cdef int32_t[::1] devices = np.full(nodes, -1, np.int32)
    cdef int32_t[::1] clusters = np.full(nodes, -1, np.int32)
    cdef int32_t[::1] shapes = np.full(nodes, -1, np.int32)
    cdef int32_t[::1] own_shapes = np.full(nodes, -1, np.int32)
    cdef int32_t[::1] dtypes = np.zeros(nodes, np.int32)
    cdef int64_t[::1] starts = np.zeros(nodes, np.int64)
    cdef int64_t[::1] sizes = np.zeros(nodes, np.int64)
    cdef int32_t[::1] input_nodes = np.zeros(inputs, np.int32)
    cdef int64_t[::1] input_starts = np.zeros(inputs, np.int64)
    cdef int64_t[::1] input_sizes = np.zeros(inputs, np.int64)
    cdef Codes op_codes = Codes()
    cdef Codes device_codes = Codes()
    cdef Codes cluster_codes = Codes()
    cdef Codes shape_codes = Codes()
    cdef Py_ssize_t node = 0
    cdef Py_ssize_t at_input = 0
    cdef const uint8_t *p = origin + begin
    cdef const uint8_t *end = origin + finish
    cdef const uint8_t *at = p
    cdef const uint8_t *q = NULL
    cdef const uint8_t *stop = NULL
    cdef const uint8_t *inner = NULL
    cdef size_t size = 0
    cdef uint32_t number = 0
    cdef uint32_t wire = 0
    cdef const uint8_t *name = NULL
    cdef size_t name_size = 0
    cdef const uint8_t *op = NULL
    cdef size_t op_size = 0
    cdef int rank
    cdef list names = scan.names
    while p < end:
        at = p
        p = read_key(p, end, &number, &wire)
        if p == NULL:
            note_fault(scan, at - origin, "no field begins here")
            break
        if number != node_field or wire != WIRE_BYTES:
            if wire == WIRE_BYTES:
                p = read_bytes(p, end, &inner, &size)
                if p != NULL:
                    scan.others.append((number, inner - origin, size))
            else:
                p = skip_field(p, end, wire)
            if p == NULL:
                note_fault(scan, at - origin, f"field {number} is longer than the bytes left")
                break
            continue
        p = read_bytes(p, end, &q, &size)
        if p == NULL:
            note_fault(scan, at - origin, f"node {node + 1} is longer than the bytes left")
            break
        stop = p
        starts[node] = q - origin
        sizes[node] = size
        name_size = op_size = 0
        rank = 0
        while q < stop:
            at = q
            q = read_key(q, stop, &number, &wire)
            if q == NULL:
                note_fault(scan, at - origin, f"node {node + 1}: no field begins here")
                break
            if wire != WIRE_BYTES:
                q = skip_field(q, stop, wire)
            else:
                q = read_bytes(q, stop, &inner, &size)
            if q == NULL:
                note_fault(scan, at - origin, f"node {node + 1}: field {number} is longer than the bytes left")
                break
            if wire != WIRE_BYTES:
                continue
            if number == NAME:
                name = inner
                name_size = size
            elif number == OP:
                op = inner
                op_size = size
            elif number == INPUT:
                input_nodes[at_input] = <int32_t>node
                input_starts[at_input] = inner - origin
                input_sizes[at_input] = size
                at_input += 1
            elif number == DEVICE:
                devices[node] = device_codes.code(inner, size) if size else -1
            elif number == ATTR:
                read_attr(scan, node, inner, inner + size, &rank, &dtypes[node], &shapes[node], &own_shapes[node], &clusters[node], shape_codes, cluster_codes)
        names.append(text(name, name_size))
        ops[node] = op_codes.code(op, op_size)
        node += 1
    scan.op_names = op_codes.texts()
    scan.device_names = device_codes.texts()
    scan.cluster_names = cluster_codes.texts()
    scan.shape_names = shape_codes.values
    scan.ops = np.asarray(ops)[:node]
    scan.devices = np.asarray(devices)[:node]
    scan.clusters = np.asarray(clusters)[:node]
    scan.shapes = np.asarray(shapes)[:node]
    scan.own_shapes = np.asarray(own_shapes)[:node]
    scan.dtypes = np.asarray(dtypes)[:node]
    scan.starts = np.asarray(starts)[:node]
    scan.sizes = np.asarray(sizes)[:node]
    scan.input_nodes = np.asarray(input_nodes)[:at_input]
    scan.input_starts = np.asarray(input_starts)[:at_input]
    scan.input_sizes = np.asarray(input_sizes)[:at_input]
    return 0


cdef int note_fault(NodeScan scan, Py_ssize_t at, str what) except -1:
    if scan.fault_at < 0:
        scan.fault_at = at
        scan.fault = what
    return 0


# The first field of this number that holds bytes: whether there is one, before anything that cannot be read.
cdef bint find_bytes(
    const uint8_t *p, const uint8_t *end, uint32_t wanted, const uint8_t **inner, size_t *size
) noexcept nogil:
    cdef uint32_t number = 0
    cdef uint32_t wire = 0
    while p != NULL and p < end:
        p = read_key(p, end, &number, &wire)
        if p == NULL:
            return False
        if number == wanted and wire == WIRE_BYTES:
            return read_bytes(p, end, inner, size) != NULL
        p = skip_field(p, end, wire)
    return False


# One entry of the map of attributes. What is malformed in it is left to whoever decodes the attribute.
cdef int read_attr(
    NodeScan scan,
    Py_ssize_t node,
    const uint8_t *p,
    const uint8_t *end,
    int *rank,
    int32_t *dtype,
    int32_t *shape,
    int32_t *own_shape,
    int32_t *cluster,
    Codes shape_codes,
    Codes cluster_codes,
) except -1:
    cdef uint32_t number = 0
    cdef uint32_t wire = 0
    cdef const uint8_t *key = NULL
    cdef size_t key_size = 0
    cdef const uint8_t *value = NULL
    cdef size_t value_size = 0
    cdef const uint8_t *inner = NULL
    cdef size_t size = 0
    cdef uint64_t kind = 0
    cdef int trust
    while p != NULL and p < end:
        p = read_key(p, end, &number, &wire)
        if p == NULL:
            return 0
        if number == 1 and wire == WIRE_BYTES:
            p = read_bytes(p, end, &key, &key_size)
        elif number == 2 and wire == WIRE_BYTES:
            p = read_bytes(p, end, &value, &value_size)
        else:
            p = skip_field(p, end, wire)
    if p == NULL or key == NULL or value == NULL:
        return 0
    end = value + value_size
    p = read_key(value, end, &number, &wire)
    if p == NULL:
        return 0
    if wire == WIRE_VARINT:
        if number == VALUE_TYPE:
            trust = dtype_rank(key, key_size)
            if trust > rank[0] and read_varint(p, end, &kind) != NULL:
                rank[0] = trust
                dtype[0] = <int32_t>kind
        return 0
    if wire != WIRE_BYTES:
        return 0
    p = read_bytes(p, end, &inner, &size)
    if p == NULL:
        return 0
    if number == VALUE_S:
        if equals(key, key_size, b"_XlaCluster", 11):
            cluster[0] = cluster_codes.code(inner, size)
        return 0
    if number == VALUE_SHAPE:
        if equals(key, key_size, b"shape", 5):
            own_shape[0] = shape_codes.code(inner, size)
        return 0
    if number == VALUE_TENSOR:
        if own_shape[0] < 0 and equals(key, key_size, b"value", 5):
            if find_bytes(inner, inner + size, TENSOR_SHAPE, &inner, &size):
                own_shape[0] = shape_codes.code(inner, size)
        return 0
    if number == VALUE_FUNC:
        add_function(scan, node, key, key_size, inner, inner + size)
        return 0
    if number != VALUE_LIST:
        return 0
    trust = dtype_rank(key, key_size)
    end = inner + size
    p = inner
    if equals(key, key_size, b"_output_shapes", 14):
        if find_bytes(p, end, LIST_SHAPE, &inner, &size):
            shape[0] = shape_codes.code(inner, size)
        return 0
    while p != NULL and p < end:
        p = read_key(p, end, &number, &wire)
        if p == NULL:
            return 0
        if wire == WIRE_BYTES:
            p = read_bytes(p, end, &inner, &size)
            if p == NULL:
                return 0
            if number == LIST_FUNC:
                add_function(scan, node, key, key_size, inner, inner + size)
            elif number == LIST_TYPE and size and trust > rank[0]:
                if read_varint(inner, inner + size, &kind) != NULL:
                    rank[0] = trust
                    dtype[0] = <int32_t>kind
            elif number != LIST_TYPE:
                return 0
        else:
            p = skip_field(p, end, wire)
    return 0


# A NameAttrList: its name is field 1.
cdef int add_function(
    NodeScan scan, Py_ssize_t node, const uint8_t *key, size_t key_size, const uint8_t *p, const uint8_t *end
) except -1:
    cdef const uint8_t *inner = NULL
    cdef size_t size = 0
    if find_bytes(p, end, 1, &inner, &size):
        scan.functions.append((node, text(key, key_size), text(inner, size)))
    return 0


cdef class AttributeCodes:
    """Numbers for the attributes of nodes: those that repeat, name and value, have one number."""

    cdef Codes codes
    # Of each number the name, and where the value stands in the bytes.
    cdef readonly list names, starts, sizes

    def __init__(self):
        self.codes = Codes()
        self.names = []
        self.starts = []
        self.sizes = []

    def read(
        self, const uint8_t[::1] data not None, const int64_t[::1] starts not None, const int64_t[::1] sizes not None
    ):
        """How many attributes each of these nodes has, and their numbers. What is malformed ends a node."""
        cdef Py_ssize_t nodes = starts.shape[0]
        cdef int32_t[::1] counts = np.zeros(nodes, np.int32)
        cdef list numbers = []
        cdef const uint8_t *origin = NULL
        cdef const uint8_t *p
        cdef const uint8_t *end
        cdef const uint8_t *inner = NULL
        cdef size_t size = 0
        cdef uint32_t number = 0
        cdef uint32_t wire = 0
        cdef Py_ssize_t node
        if sizes.shape[0] != nodes:
            raise ValueError(f"{nodes} starts, {sizes.shape[0]} sizes")
        if data.shape[0]:
            origin = &data[0]
        for node in range(nodes):
            if not 0 <= starts[node] <= data.shape[0] or not 0 <= sizes[node] <= data.shape[0] - starts[node]:
                raise ValueError(f"node {node}: {sizes[node]} bytes from {starts[node]} of {data.shape[0]}")
            p = origin + starts[node]
            end = p + sizes[node]
            while p != NULL and p < end:
                p = read_key(p, end, &number, &wire)
                if p == NULL:
                    break
                if wire != WIRE_BYTES:
                    p = skip_field(p, end, wire)
                    continue
                p = read_bytes(p, end, &inner, &size)
                if p != NULL and number == ATTR:
                    numbers.append(self.number_of(origin, inner, size))
                    counts[node] += 1
        return np.asarray(counts), np.asarray(numbers, np.int32)

    cdef int32_t number_of(self, const uint8_t *origin, const uint8_t *entry, size_t size) except -2:
        cdef int32_t number
        cdef const uint8_t *key = NULL
        cdef size_t key_size = 0
        cdef const uint8_t *value = entry + size
        cdef size_t value_size = 0
        if size > LONG_ATTRIBUTE:
            # Hardly there twice, and its key would be as long as it is.
            number = <int32_t>len(self.codes.values)
            self.codes.values.append(None)
        else:
            number = self.codes.code(entry, size)
        if number == len(self.names):
            find_bytes(entry, entry + size, 1, &key, &key_size)
            find_bytes(entry, entry + size, 2, &value, &value_size)
            self.names.append(text(key, key_size))
            self.starts.append(value - origin)
            self.sizes.append(value_size)
        return number


def resolve_inputs(
    const uint8_t[::1] data not None, const int64_t[::1] starts not None, const int64_t[::1] sizes not None, dict index not None
):
    """Which node and output each input means: (nodes, outputs, is control, names of outputs, their codes, missing names).

    "node", "node:2", "^node", or in the body of a function "node:name of output:2". A node that is not in `index` has number -1,
    and its name is in the last item, by number of the input.
    """
    cdef Py_ssize_t count = starts.shape[0]
    cdef int32_t[::1] nodes = np.full(count, -1, np.int32)
    cdef int32_t[::1] outputs = np.zeros(count, np.int32)
    cdef uint8_t[::1] control = np.zeros(count, np.uint8)
    cdef int32_t[::1] output_codes = np.full(count, -1, np.int32)
    cdef Codes codes = Codes()
    cdef dict missing = {}
    cdef Py_ssize_t i
    cdef Py_ssize_t colon, first
    cdef const uint8_t *origin = &data[0] if count and data.shape[0] else NULL
    cdef const uint8_t *p
    cdef size_t size
    cdef size_t k
    cdef int64_t output
    cdef PyObject *found
    for i in range(count):
        size = <size_t>sizes[i]
        p = origin + starts[i]
        if size and p[0] == c"^":
            control[i] = 1
            p += 1
            size -= 1
        # A name may have colons of its own, so the whole text is tried first.
        found = PyDict_GetItemWithError(index, text(p, size))
        if found == NULL:
            colon = -1
            for k in range(size):
                if p[k] == c":":
                    colon = k
            output = 0
            if colon >= 0 and colon + 1 < <Py_ssize_t>size and size - colon < 11:
                for k in range(colon + 1, size):
                    if not c"0" <= p[k] <= c"9":
                        output = -1
                        break
                    output = output * 10 + (p[k] - c"0")
            else:
                output = -1
            if 0 <= output < 2147483647:
                found = PyDict_GetItemWithError(index, text(p, colon))
                if found == NULL:
                    first = -1
                    for k in range(<size_t>colon):
                        if p[k] == c":":
                            first = k
                    if first >= 0:
                        found = PyDict_GetItemWithError(index, text(p, first))
                        if found != NULL:
                            output_codes[i] = codes.code(p + first + 1, colon - first - 1)
                if found != NULL:
                    outputs[i] = <int32_t>output
        if found == NULL:
            missing[i] = text(p, size)
        else:
            nodes[i] = <int32_t><object>found
    return np.asarray(nodes), np.asarray(outputs), np.asarray(control).view(np.bool_), codes.texts(), np.asarray(output_codes), missing


def texts_with(bytes joined not None, const int64_t[::1] starts not None, bytes wanted not None):
    """Which of the texts that stand in `joined`, one from each of `starts`, have `wanted` in them. No match goes across two."""
    cdef const uint8_t *data = joined
    cdef const uint8_t *end = data + len(joined)
    cdef const uint8_t *word = wanted
    cdef const uint8_t *at = data
    cdef size_t size = len(wanted)
    cdef Py_ssize_t number = 0, count = starts.shape[0]
    cdef int64_t place
    found = np.zeros(count, np.bool_)
    cdef uint8_t[::1] has = found.view(np.uint8)
    if size == 0 or count == 0:
        return found
    with nogil:
        while at + size <= end:
            at = <const uint8_t *>memchr(at, word[0], end - at - size + 1)
            if at == NULL:
                break
            if memcmp(at, word, size) != 0:
                at += 1
                continue
            place = at - data
            while number + 1 < count and starts[number + 1] <= place:
                number += 1
            if number + 1 == count:
                has[number] = True
                break
            if place + <int64_t>size > starts[number + 1]:
                at += 1
                continue
            has[number] = True
            at = data + starts[number + 1]
    return found
