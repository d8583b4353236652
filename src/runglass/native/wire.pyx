"""The schema-driven protobuf codec: messages become dicts and back. Knows no message by name; schemas are handed in.

A dict holds exactly the fields that stood on the wire, so `encode(m, decode(m, data))` loses only unknown fields.
"""

import array

from cpython cimport array as arrays
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memmove

cdef enum:
    # Both ways: deeper messages are refused, so that no input can exhaust the C stack.
    MAX_DEPTH = 100

cdef enum Kind:
    DOUBLE
    FLOAT
    INT32
    INT64
    UINT32
    UINT64
    BOOL
    FIXED32
    FIXED64
    STRING
    BYTES
    MESSAGE

KINDS = {
    "double": DOUBLE,
    "float": FLOAT,
    "int32": INT32,
    "enum": INT32,
    "int64": INT64,
    "uint32": UINT32,
    "uint64": UINT64,
    "bool": BOOL,
    "fixed32": FIXED32,
    "fixed64": FIXED64,
    "string": STRING,
    "bytes": BYTES,
}
WIRES = {
    DOUBLE: WIRE_FIXED64,
    FIXED64: WIRE_FIXED64,
    FLOAT: WIRE_FIXED32,
    FIXED32: WIRE_FIXED32,
    STRING: WIRE_BYTES,
    BYTES: WIRE_BYTES,
    MESSAGE: WIRE_BYTES,
}
ARRAY_CODES = {DOUBLE: "d", FLOAT: "f", INT32: "i", INT64: "q", UINT32: "I", UINT64: "Q", BOOL: "b"}
DEFAULTS = {DOUBLE: 0.0, FLOAT: 0.0, BOOL: False, STRING: "", BYTES: b""}


class WireError(ValueError):
    """Bytes that are no such message; `offset` is where in them reading stopped."""

    def __init__(self, offset, what):
        super().__init__(f"byte {offset}: {what}")
        self.offset = offset


cdef class Message:
    """A message type: its name and its fields, in the order of their numbers."""

    cdef readonly str name
    cdef readonly tuple fields
    # The same fields by number, None where there is none.
    cdef list by_number

    def __init__(self, str name not None, *fields):
        self.name = name
        self.define(*fields)

    def define(self, *fields):
        """Set the fields after construction, for types that contain themselves."""
        cdef Field field
        self.fields = tuple(sorted(fields, key=lambda field: field.number))
        self.by_number = [None] * (1 + max((field.number for field in fields), default=0))
        for field in self.fields:
            if self.by_number[field.number] is not None:
                raise ValueError(f"{self.name}: field number {field.number} is given twice")
            self.by_number[field.number] = field
            if field.oneof is not None:
                field.rivals = tuple(f.name for f in fields if f.oneof == field.oneof and f is not field)
        return self

    def __repr__(self):
        return f"<Message {self.name}>"


cdef class Field:
    """One field of a message. `type` is a name from KINDS or a Message; with `key` it is a map to that type.

    `is_array` gives a repeated number as array.array, not list: compact, and NumPy reads it without copying.
    """

    cdef readonly int number
    cdef readonly str name
    cdef readonly object type
    cdef readonly bint repeated
    cdef readonly str key
    cdef readonly str oneof
    cdef readonly bint is_array
    # How `encode` writes a repeated number; `decode` takes either form.
    cdef readonly bint packed
    cdef Kind kind
    cdef uint32_t wire
    # The type of a message field, and of a map's entries.
    cdef Message message
    # The other members of this field's oneof.
    cdef tuple rivals
    # An empty array of the right element type, to clone.
    cdef arrays.array template
    cdef object default
    cdef object key_default

    def __init__(
        self,
        int number,
        str name not None,
        type,
        *,
        bint repeated=False,
        str key=None,
        str oneof=None,
        bint is_array=False,
        bint packed=True,
    ):
        self.number = number
        self.name = name
        self.type = type
        self.repeated = repeated
        self.key = key
        self.oneof = oneof
        self.is_array = is_array
        self.rivals = ()
        if isinstance(type, Message):
            self.kind = MESSAGE
            self.message = type
        else:
            self.kind = KINDS[type]
            self.default = DEFAULTS.get(self.kind, 0)
        if key is not None:
            self.message = Message(f"{name} entry", Field(1, "key", key), Field(2, "value", type))
            self.key_default = DEFAULTS.get(KINDS[key], 0)
            self.kind = MESSAGE
        self.wire = WIRES.get(self.kind, WIRE_VARINT)
        self.packed = packed and repeated and self.wire != WIRE_BYTES
        if is_array:
            self.template = array.array(ARRAY_CODES[self.kind])

    def __repr__(self):
        return f"<Field {self.number} {self.name}>"


# ---- decoding

cdef union Number:
    double d
    float f
    uint64_t u64
    uint32_t u32


def decode(Message message not None, const uint8_t[::1] data not None):
    """Parse `data` into a dict of the fields present. Raises WireError when it is no such message.

    Unknown fields are skipped, the last of several values wins, repeated messages merge, wrong UTF-8 is replaced.
    """
    cdef dict out = {}
    cdef const uint8_t *start
    if data.shape[0]:
        start = &data[0]
        decode_into(message, out, start, start + data.shape[0], start, 0)
    return out


cdef int fail(const uint8_t *at, const uint8_t *origin, str what) except -1:
    raise WireError(at - origin, what)


cdef int decode_into(
    Message message, dict out, const uint8_t *p, const uint8_t *end, const uint8_t *origin, int depth
) except -1:
    cdef uint32_t number = 0
    cdef uint32_t wire = 0
    cdef const uint8_t *at
    cdef const uint8_t *start = NULL
    cdef size_t size = 0
    cdef Number raw
    cdef Field field
    cdef list by_number = message.by_number
    cdef size_t known = len(by_number)
    if depth >= MAX_DEPTH:
        fail(p, origin, f"messages nested more than {MAX_DEPTH} deep")
    while p < end:
        at = p
        p = read_key(p, end, &number, &wire)
        if p == NULL:
            fail(at, origin, f"expected a field of {message.name}, found no field key")
        field = <Field>by_number[number] if number < known else None
        if field is not None and (wire == field.wire or (wire == WIRE_BYTES and field.repeated)):
            if wire == WIRE_BYTES:
                p = read_bytes(p, end, &start, &size)
                if p == NULL:
                    fail(at, origin, f"{message.name}.{field.name} is longer than the bytes left")
                if field.wire == WIRE_BYTES:
                    put_bytes(field, out, start, size, origin, depth)
                else:
                    put_numbers(message, field, out, start, p, origin)
                continue
            start = p
            p = read_number(wire, p, end, &raw)
            if p == NULL:
                fail(at, origin, f"{message.name}.{field.name} is longer than the bytes left")
            if field.repeated:
                put_numbers(message, field, out, start, p, origin)
            else:
                drop_rivals(field, out)
                out[field.name] = number_object(field.kind, raw)
            continue
        # Unknown, or of a wire type that its field cannot have.
        p = skip_field(p, end, wire)
        if p == NULL:
            fail(at, origin, f"field {number} of {message.name} (wire type {wire}) cannot be skipped")
    return 0


cdef inline int drop_rivals(Field field, dict out) except -1:
    if field.rivals and out:
        for name in field.rivals:
            out.pop(name, None)
    return 0


cdef int put_bytes(Field field, dict out, const uint8_t *start, size_t size, const uint8_t *origin, int depth) except -1:
    cdef object value
    cdef dict inner
    if field.key is not None:
        inner = {}
        decode_into(field.message, inner, start, start + size, origin, depth + 1)
        value = inner.get("value")
        if value is None:
            value = {} if field.default is None else field.default
        out.setdefault(field.name, {})[inner.get("key", field.key_default)] = value
        return 0
    if field.kind == STRING:
        value = PyUnicode_DecodeUTF8(<const char *>start, size, "replace")
    elif field.kind == BYTES:
        value = PyBytes_FromStringAndSize(<const char *>start, size)
    else:
        value = None if field.repeated else out.get(field.name)
        if value is None:
            value = {}
        decode_into(field.message, <dict>value, start, start + size, origin, depth + 1)
    if field.repeated:
        out.setdefault(field.name, []).append(value)
    else:
        drop_rivals(field, out)
        out[field.name] = value
    return 0


cdef inline const uint8_t *read_number(uint32_t wire, const uint8_t *p, const uint8_t *end, Number *raw) noexcept nogil:
    if wire == WIRE_VARINT:
        return read_varint(p, end, &raw.u64)
    if wire == WIRE_FIXED64:
        if end - p < 8:
            return NULL
        raw.u64 = load_u64(p)
        return p + 8
    if end - p < 4:
        return NULL
    raw.u32 = load_u32(p)
    return p + 4


cdef inline object number_object(Kind kind, Number raw):
    if kind == DOUBLE:
        return raw.d
    if kind == FLOAT:
        return raw.f
    if kind == INT32:
        return <int32_t>raw.u64
    if kind == INT64:
        return <int64_t>raw.u64
    if kind == UINT32:
        return <uint32_t>raw.u64
    if kind == BOOL:
        return raw.u64 != 0
    if kind == FIXED32:
        return raw.u32
    return raw.u64


# Every number from p to end, appended to the field's list or array.
cdef int put_numbers(
    Message message, Field field, dict out, const uint8_t *p, const uint8_t *end, const uint8_t *origin
) except -1:
    cdef const uint8_t *at = p
    cdef Number raw
    cdef list numbers
    if field.is_array:
        return put_array(message, field, out, p, end, origin)
    numbers = out.get(field.name)
    if numbers is None:
        numbers = out[field.name] = []
    while p < end:
        at = p
        p = read_number(field.wire, p, end, &raw)
        if p == NULL:
            fail(at, origin, f"a number of {message.name}.{field.name} is cut off")
        numbers.append(number_object(field.kind, raw))
    return 0


cdef int put_array(
    Message message, Field field, dict out, const uint8_t *p, const uint8_t *end, const uint8_t *origin
) except -1:
    cdef arrays.array numbers = out.get(field.name)
    cdef const uint8_t *at = p
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t i
    cdef Number raw
    if numbers is None:
        numbers = out[field.name] = arrays.clone(field.template, 0, False)
    # Counted first, so that the array grows once and never past what the bytes hold.
    if field.wire == WIRE_VARINT:
        while at < end:
            count += at[0] < 0x80
            at += 1
    else:
        count = (end - p) // (8 if field.wire == WIRE_FIXED64 else 4)
    i = len(numbers)
    arrays.resize_smart(numbers, i + count)
    while p < end:
        at = p
        p = read_number(field.wire, p, end, &raw)
        if p == NULL:
            fail(at, origin, f"a number of {message.name}.{field.name} is cut off")
        if field.kind == DOUBLE or field.kind == INT64 or field.kind == UINT64:
            (<uint64_t *>numbers.data.as_voidptr)[i] = raw.u64
        elif field.kind == FLOAT:
            (<uint32_t *>numbers.data.as_voidptr)[i] = raw.u32
        elif field.kind == BOOL:
            (<uint8_t *>numbers.data.as_voidptr)[i] = raw.u64 != 0
        else:
            (<uint32_t *>numbers.data.as_voidptr)[i] = <uint32_t>raw.u64
        i += 1
    return 0


# ---- encoding

cdef class Output:
    cdef uint8_t *data
    cdef size_t size
    cdef size_t room

    def __dealloc__(self):
        free(self.data)

    cdef uint8_t *reserve(self, size_t extra) except NULL:
        cdef size_t room
        cdef uint8_t *data
        if self.room - self.size < extra:
            room = 2 * self.room + extra + 256
            data = <uint8_t *>realloc(self.data, room)
            if data == NULL:
                raise MemoryError
            self.data = data
            self.room = room
        return self.data + self.size

    cdef int varint(self, uint64_t value) except -1:
        self.size += put_varint(self.reserve(10), value)
        return 0

    cdef int raw(self, bytes value) except -1:
        cdef size_t n = PyBytes_GET_SIZE(value)
        self.varint(n)
        memcpy(self.reserve(n), PyBytes_AS_STRING(value), n)
        self.size += n
        return 0

    # What was written since `start` gets its length in front of it.
    cdef int close(self, size_t start) except -1:
        cdef uint8_t length[10]
        cdef size_t n = put_varint(length, self.size - start)
        self.reserve(n)
        memmove(self.data + start + n, self.data + start, self.size - start)
        memcpy(self.data + start, length, n)
        self.size += n
        return 0


def encode(Message message not None, dict values not None):
    """The bytes of a message, in the order of its field numbers. Everything in `values` is written, zeros included.

    Any message in it may be given as its own bytes instead of a dict.
    """
    cdef Output out = Output()
    encode_into(message, values, out, 0)
    return PyBytes_FromStringAndSize(<const char *>out.data, out.size)


cdef int encode_into(Message message, dict values, Output out, int depth) except -1:
    cdef Field field
    cdef size_t start
    cdef Py_ssize_t written = 0
    if depth >= MAX_DEPTH:
        raise ValueError(f"{message.name}: messages nested more than {MAX_DEPTH} deep")
    for field in message.fields:
        value = values.get(field.name)
        if value is None:
            continue
        written += 1
        if field.key is not None:
            for key, item in value.items():
                out.varint(field.number << 3 | WIRE_BYTES)
                start = out.size
                encode_into(field.message, {"key": key, "value": item}, out, depth + 1)
                out.close(start)
        elif field.packed:
            if len(value):
                out.varint(field.number << 3 | WIRE_BYTES)
                start = out.size
                for item in value:
                    encode_value(field, item, out, depth)
                out.close(start)
        elif field.repeated:
            for item in value:
                out.varint(field.number << 3 | field.wire)
                encode_value(field, item, out, depth)
        else:
            out.varint(field.number << 3 | field.wire)
            encode_value(field, value, out, depth)
    if written != len(values):
        unknown = [name for name, value in values.items() if value is None or name not in {f.name for f in message.fields}]
        raise ValueError(f"{message.name} has no field or no value for {', '.join(map(repr, unknown))}")
    return 0


cdef int encode_value(Field field, object value, Output out, int depth) except -1:
    cdef Number raw
    cdef size_t start
    if field.kind == MESSAGE:
        if isinstance(value, bytes):
            return out.raw(value)
        start = out.size
        encode_into(field.message, <dict?>value, out, depth + 1)
        return out.close(start)
    if field.kind == STRING:
        # Replaced, not refused: a lone surrogate in a tag must not stop a training run.
        return out.raw((<str?>value).encode("utf-8", "replace"))
    if field.kind == BYTES:
        return out.raw(bytes(memoryview(value)))
    if field.kind == DOUBLE or field.kind == FIXED64:
        if field.kind == DOUBLE:
            raw.d = value
        else:
            raw.u64 = value
        store_u64(out.reserve(8), raw.u64)
        out.size += 8
        return 0
    if field.kind == FLOAT or field.kind == FIXED32:
        if field.kind == FLOAT:
            raw.f = value
        else:
            raw.u32 = value
        store_u32(out.reserve(4), raw.u32)
        out.size += 4
        return 0
    if field.kind == BOOL:
        return out.varint(1 if value else 0)
    # The assignments to a C type refuse, with OverflowError, what the field cannot hold.
    cdef int32_t small
    cdef int64_t large
    cdef uint32_t small_positive
    if field.kind == INT32:
        small = value
        return out.varint(<uint64_t><int64_t>small)
    if field.kind == INT64:
        large = value
        return out.varint(<uint64_t>large)
    if field.kind == UINT32:
        small_positive = value
        return out.varint(small_positive)
    return out.varint(value)
