"""Pickles of plain containers: dictionaries, lists, tuples, sets, texts, bytes and numbers.

No name is resolved, nothing is imported and nothing is called: an opcode that would do so is an error. Unlike pickle's own loader it
allocates no more than the bytes in the file account for.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memchr

from struct import unpack_from

cdef enum:
    # Whole numbers of more bytes are refused: text of them would take forever.
    MAX_INT_BYTES = 256

# What would import or call something.
NAMES = {
    "c": "GLOBAL",
    "\x93": "STACK_GLOBAL",
    "R": "REDUCE",
    "b": "BUILD",
    "i": "INST",
    "o": "OBJ",
    "\x81": "NEWOBJ",
    "\x92": "NEWOBJ_EX",
    "\x82": "EXT1",
    "\x83": "EXT2",
    "\x84": "EXT4",
    "P": "PERSID",
    "Q": "BINPERSID",
    "\x97": "NEXT_BUFFER",
    "\x98": "READONLY_BUFFER",
}


class PickleRefused(ValueError):
    """Not a pickle of plain containers, from byte `offset` on."""

    def __init__(self, offset, what):
        super().__init__(f"byte {offset}: {what}")
        self.offset = offset


cdef bint is_scalar(object value) noexcept:
    kind = type(value)
    return kind is str or kind is int or kind is float or kind is bool or kind is bytes or value is None


cdef bint is_key(object value) noexcept:
    """Whether it may be a key. The hash of tuples in tuples, a million deep, would use up the C stack."""
    if type(value) is not tuple:
        return is_scalar(value)
    for each in <tuple>value:
        if not is_scalar(each):
            return False
    return True


cdef class _Loader:
    cdef bytes data
    cdef const uint8_t *start
    cdef const uint8_t *p
    cdef const uint8_t *end
    cdef list stack
    cdef list marks            # stacks below the current one
    cdef dict memo

    def __cinit__(self, bytes data not None):
        self.data = data
        self.start = <const uint8_t *>PyBytes_AS_STRING(data)
        self.p = self.start
        self.end = self.start + PyBytes_GET_SIZE(data)
        self.stack = []
        self.marks = []
        self.memo = {}

    cdef object refuse(self, str what):
        return PickleRefused(self.p - self.start, what)

    cdef const uint8_t *take(self, uint64_t size) except NULL:
        cdef const uint8_t *at = self.p
        if size > <uint64_t>(self.end - self.p):
            raise self.refuse("the file ends in the middle of a value")
        self.p += size
        return at

    cdef uint64_t number(self, int size) except? 0xFFFFFFFFFFFFFFFF:
        """An unsigned number, little endian."""
        cdef const uint8_t *at = self.take(size)
        cdef uint64_t value = 0
        cdef int i
        for i in range(size):
            value |= <uint64_t>at[i] << (8 * i)
        return value

    cdef str text(self, uint64_t size):
        cdef const uint8_t *at = self.take(size)
        # Lone surrogates are how pickle keeps file names that are not UTF-8.
        return PyUnicode_DecodeUTF8(<const char *>at, <Py_ssize_t>size, "surrogatepass")

    cdef bytes raw(self, uint64_t size):
        cdef const uint8_t *at = self.take(size)
        return PyBytes_FromStringAndSize(<const char *>at, <Py_ssize_t>size)

    cdef object whole(self, uint64_t size):
        if size > MAX_INT_BYTES:
            raise self.refuse(f"a whole number of {size} bytes")
        return int.from_bytes(self.raw(size), "little", signed=True)

    cdef bytes line(self):
        cdef const uint8_t *at = self.p
        cdef const uint8_t *found = <const uint8_t *>memchr(at, 10, self.end - at)
        if found == NULL:
            raise self.refuse("the file ends in the middle of a line")
        self.p = found + 1
        return PyBytes_FromStringAndSize(<const char *>at, found - at)

    cdef list pop_mark(self):
        """What stands above the last mark."""
        cdef list items = self.stack
        if not self.marks:
            raise self.refuse("the end of a container that did not begin")
        self.stack = self.marks.pop()
        return items

    cdef object pop(self):
        if not self.stack:
            raise self.refuse("a value is missing")
        return self.stack.pop()

    cdef object top(self, kind):
        if not self.stack or type(self.stack[len(self.stack) - 1]) is not kind:
            raise self.refuse(f"no {kind.__name__} to add to")
        return self.stack[len(self.stack) - 1]

    cdef object recall(self, object key):
        if key not in self.memo:
            raise self.refuse(f"value {key} was not kept")
        return self.memo[key]

    cdef int keep(self, object key) except -1:
        if not self.stack:
            raise self.refuse("a value is missing")
        self.memo[key] = self.stack[len(self.stack) - 1]
        return 0

    cdef int add_items(self, list items) except -1:
        cdef dict into = self.top(dict)
        cdef Py_ssize_t i
        if len(items) % 2:
            raise self.refuse("a key without a value")
        for i in range(0, len(items), 2):
            if not is_key(items[i]):
                raise self.refuse(f"a key that is a {type(items[i]).__name__}")
            into[items[i]] = items[i + 1]
        return 0

    cdef list pop_keys(self):
        cdef list items = self.pop_mark()
        for each in items:
            if not is_key(each):
                raise self.refuse(f"a set with a {type(each).__name__}")
        return items

    cdef object load(self):
        cdef uint8_t opcode
        cdef list stack
        cdef object value
        while True:
            opcode = self.take(1)[0]
            stack = self.stack
            if opcode == 0x8C:                      # SHORT_BINUNICODE
                stack.append(self.text(self.number(1)))
            elif opcode == 0x94:                    # MEMOIZE
                self.keep(len(self.memo))
            elif opcode == c"h":                    # BINGET
                stack.append(self.recall(self.number(1)))
            elif opcode == c"j":                    # LONG_BINGET
                stack.append(self.recall(self.number(4)))
            elif opcode == c"K":                    # BININT1
                stack.append(self.number(1))
            elif opcode == c"M":                    # BININT2
                stack.append(self.number(2))
            elif opcode == c"J":                    # BININT
                stack.append(<int32_t>self.number(4))
            elif opcode == 0x8A:                    # LONG1
                stack.append(self.whole(self.number(1)))
            elif opcode == 0x8B:                    # LONG4
                stack.append(self.whole(self.number(4)))
            elif opcode == c"(":                    # MARK
                self.marks.append(stack)
                self.stack = []
            elif opcode == c"u":                    # SETITEMS
                self.add_items(self.pop_mark())
            elif opcode == c"s":                    # SETITEM
                value = self.pop()
                self.add_items([self.pop(), value])
            elif opcode == c"e":                    # APPENDS
                items = self.pop_mark()
                (<list>self.top(list)).extend(items)
            elif opcode == c"a":                    # APPEND
                value = self.pop()
                (<list>self.top(list)).append(value)
            elif opcode == c"}":                    # EMPTY_DICT
                stack.append({})
            elif opcode == c"]":                    # EMPTY_LIST
                stack.append([])
            elif opcode == c")":                    # EMPTY_TUPLE
                stack.append(())
            elif opcode == 0x8F:                    # EMPTY_SET
                stack.append(set())
            elif opcode == 0x90:                    # ADDITEMS
                items = self.pop_keys()
                (<set>self.top(set)).update(items)
            elif opcode == 0x91:                    # FROZENSET
                items = self.pop_keys()
                self.stack.append(frozenset(items))
            elif opcode == c"t":                    # TUPLE
                items = self.pop_mark()
                self.stack.append(tuple(items))
            elif opcode == c"l":                    # LIST
                items = self.pop_mark()
                self.stack.append(items)
            elif opcode == c"d":                    # DICT
                items = self.pop_mark()
                self.stack.append({})
                self.add_items(items)
            elif 0x85 <= opcode <= 0x87:            # TUPLE1 to TUPLE3
                if len(stack) < opcode - 0x84:
                    raise self.refuse("a value is missing")
                value = tuple(stack[len(stack) - (opcode - 0x84) :])
                del stack[len(stack) - (opcode - 0x84) :]
                stack.append(value)
            elif opcode == c"N":                    # NONE
                stack.append(None)
            elif opcode == 0x88:                    # NEWTRUE
                stack.append(True)
            elif opcode == 0x89:                    # NEWFALSE
                stack.append(False)
            elif opcode == c"G":                    # BINFLOAT
                stack.append(unpack_from(">d", self.raw(8))[0])
            elif opcode == c"X":                    # BINUNICODE
                stack.append(self.text(self.number(4)))
            elif opcode == 0x8D:                    # BINUNICODE8
                stack.append(self.text(self.number(8)))
            elif opcode == c"C":                    # SHORT_BINBYTES
                stack.append(self.raw(self.number(1)))
            elif opcode == c"B":                    # BINBYTES
                stack.append(self.raw(self.number(4)))
            elif opcode == 0x8E:                    # BINBYTES8
                stack.append(self.raw(self.number(8)))
            elif opcode == 0x96:                    # BYTEARRAY8
                stack.append(bytearray(self.raw(self.number(8))))
            elif opcode == c"U":                    # SHORT_BINSTRING
                stack.append(self.raw(self.number(1)).decode("latin-1"))
            elif opcode == c"T":                    # BINSTRING
                stack.append(self.raw(self.number(4)).decode("latin-1"))
            elif opcode == c"q":                    # BINPUT
                self.keep(self.number(1))
            elif opcode == c"r":                    # LONG_BINPUT
                self.keep(self.number(4))
            elif opcode == c"p":                    # PUT
                self.keep(int(self.line()))
            elif opcode == c"g":                    # GET
                stack.append(self.recall(int(self.line())))
            elif opcode == c"I" or opcode == c"L":  # INT, LONG
                value = self.line().rstrip(b"L")
                if len(value) > MAX_INT_BYTES:
                    raise self.refuse(f"a whole number of {len(value)} digits")
                stack.append(value == b"01" if value in (b"00", b"01") else int(value))
            elif opcode == c"F":                    # FLOAT
                stack.append(float(self.line()))
            elif opcode == c"V":                    # UNICODE
                stack.append(self.line().decode("raw-unicode-escape", "surrogatepass"))
            elif opcode == c"S":                    # STRING
                stack.append(self.line().strip(b"'\"").decode("latin-1"))
            elif opcode == c"0":                    # POP
                if stack:
                    stack.pop()
                else:
                    self.pop_mark()
            elif opcode == c"1":                    # POP_MARK
                self.pop_mark()
            elif opcode == c"2":                    # DUP
                value = self.pop()
                stack.append(value)
                stack.append(value)
            elif opcode == 0x80:                    # PROTO
                self.number(1)
            elif opcode == 0x95:                    # FRAME
                self.number(8)
            elif opcode == c".":                    # STOP
                return self.pop()
            else:
                self.p -= 1
                name = NAMES.get(chr(opcode))
                if name is not None:
                    raise self.refuse(f"it names an object of Python ({name}), which is not resolved")
                raise self.refuse(f"no pickle has the byte {opcode} here")


def load_plain(bytes data not None):
    """The value in a pickle; raises PickleRefused if it is not made of plain containers alone."""
    cdef _Loader loader = _Loader(data)
    try:
        return loader.load()
    except PickleRefused:
        raise
    except (ValueError, TypeError, UnicodeDecodeError) as error:
        # Texts that are no numbers, keys that cannot be keys.
        raise PickleRefused(loader.p - loader.start, str(error)) from None
