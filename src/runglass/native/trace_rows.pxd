# The rows of a trace as its reader finds them. What answers int is 0, or -1 when memory ran out; no call needs the GIL
# unless it takes a Python object.
from cython cimport final
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from runglass.native.wire cimport load_u64, put_varint, read_varint, store_u64

cdef enum:
    # Key, type and the longest payload of an argument.
    ENTRY_BYTES = 24
    # Types of arguments.
    ARGUMENT_NULL = 0
    ARGUMENT_FALSE = 1
    ARGUMENT_TRUE = 2
    ARGUMENT_INT = 3
    ARGUMENT_FLOAT = 4
    ARGUMENT_TEXT = 5
    ARGUMENT_JSON = 6
    ARGUMENT_BYTES = 7
    NO_STRING = -1
    NO_ORDER = -1


cdef struct Bytes:
    uint8_t *data
    size_t size
    size_t capacity


cdef struct Slot:
    uint32_t hash
    int32_t id                 # of the entry + 1; 0: free


# Finds an entry by its hash; what an entry is, the user knows.
cdef struct Table:
    Slot *slots
    size_t capacity            # a power of two, or 0
    size_t count


cdef struct Process:
    int32_t file
    int32_t id                 # string
    int32_t name               # string or NO_STRING
    int32_t labels             # string or NO_STRING
    int64_t order              # NO_ORDER: not said


cdef struct Thread:
    int32_t process
    int32_t id                 # string
    int32_t name               # string or NO_STRING
    int64_t order              # NO_ORDER: not said


cdef struct Problem:
    const char *what
    int32_t file
    int64_t at                 # of the first one
    int64_t count


cdef class TraceRows:
    # Columns; `count` rows, each of them as the module says.
    cdef readonly int64_t count
    cdef int64_t capacity
    cdef uint8_t *phases
    cdef int32_t *row_tracks
    cdef int64_t *starts
    cdef int64_t *durations
    cdef int32_t *names
    cdef int32_t *categories
    cdef uint64_t *links
    cdef int64_t *argument_ends
    # Arguments that are not in the spill file yet, and how many bytes are there.
    cdef Bytes pending
    cdef size_t pending_bytes
    cdef int64_t spilled
    cdef int spill_fd
    cdef int64_t spill_start
    cdef object spill
    cdef bint is_full
    cdef bint is_frozen
    cdef Bytes string_data
    cdef Bytes string_end      # int64 each
    cdef Bytes string_hash     # uint32 each
    cdef Bytes string_use      # uint8 each: 1 for values of arguments
    cdef Table string_table
    cdef Bytes process_data    # Process each
    cdef Table process_table
    cdef Bytes thread_data     # Thread each: the tracks
    cdef Table thread_table
    cdef Problem problem_data[64]
    cdef int problem_count
    cdef int32_t file
    cdef readonly list files
    cdef list said
    cdef dict frozen

    # The number of a string; -2 when memory ran out. One of more than STRING_BYTES is cut there.
    cdef int32_t intern(self, const uint8_t *start, size_t size) noexcept nogil
    cdef void string_at(self, int32_t id, const uint8_t **start, size_t *size) noexcept nogil
    # The track of a thread and the number of a process in the current file; -2 when memory ran out. Both ids are strings.
    cdef int32_t process_of(self, int32_t process_id) noexcept nogil
    cdef int32_t track_of(self, int32_t process_id, int32_t thread_id) noexcept nogil
    # Valid until the next call of process_of or track_of.
    cdef Process *process_at(self, int32_t process) noexcept nogil
    cdef Thread *thread_at(self, int32_t track) noexcept nogil

    # Arguments of the row that is added next; of an event there are a dozen, so that readers have these inline.
    @final
    cdef inline int put_argument(self, int32_t key, uint8_t kind) noexcept nogil:           # null, false, true
        cdef uint8_t *p
        if self.pending.capacity - self.pending.size < ENTRY_BYTES and bytes_room(&self.pending, ENTRY_BYTES) < 0:
            return -1
        p = self.pending.data + self.pending.size
        p += put_varint(p, <uint64_t>key)
        p[0] = kind
        self.pending.size = <size_t>(p + 1 - self.pending.data)
        return 0

    @final
    cdef inline int put_int(self, int32_t key, int64_t value) noexcept nogil:
        if self.put_argument(key, ARGUMENT_INT) < 0:
            return -1
        self.pending.size += put_varint(
            self.pending.data + self.pending.size, (<uint64_t>value << 1) ^ <uint64_t>(value >> 63)
        )
        return 0

    @final
    cdef inline int put_float(self, int32_t key, double value) noexcept nogil:
        cdef uint64_t bits
        memcpy(&bits, &value, 8)
        if self.put_argument(key, ARGUMENT_FLOAT) < 0:
            return -1
        store_u64(self.pending.data + self.pending.size, bits)
        self.pending.size += 8
        return 0

    @final
    cdef inline int put_text(self, int32_t key, uint8_t kind, int32_t string) noexcept nogil:   # text, JSON, bytes
        if string < 0 or self.put_argument(key, kind) < 0:
            return -1
        self.pending.size += put_varint(self.pending.data + self.pending.size, <uint64_t>string)
        self.string_use.data[string] = 1
        return 0

    # A copy of entries as they stand in a blob.
    cdef int put_entries(self, const uint8_t *start, size_t size) noexcept nogil
    # The entries put since the last row; valid until the next is put.
    cdef void put_since_row(self, const uint8_t **start, size_t *size) noexcept nogil
    # Forgets the arguments put since the last row.
    cdef void forget_arguments(self) noexcept nogil
    # Takes the arguments put before it. What is out of range is clipped and a problem said at byte `at`.
    cdef int add(
        self, uint8_t phase, int32_t track, int64_t start_ps, int64_t duration_ps, int32_t name, int32_t category,
        uint64_t link, int64_t at
    ) noexcept nogil

    # Room for this many more rows, so that no more is taken.
    cdef int reserve(self, int64_t more) noexcept nogil
    cdef int set_capacity(self, int64_t capacity) noexcept nogil
    cdef void write_pending(self) noexcept nogil
    cdef int end_file(self) except -1
    cdef object read_column(self, str name)

    # `what` is a literal: equal ones of a file are counted. `at`: the byte of the file, -1: nowhere.
    cdef void problem(self, const char *what, int64_t at) noexcept nogil


cdef int bytes_room(Bytes *into, size_t more) noexcept nogil
cdef uint32_t hash_bytes(const uint8_t *start, size_t size) noexcept nogil
# Goes over the entries of one row's arguments. 1: an entry; 0: the end; -1: damaged.
cdef inline int next_argument(
    const uint8_t **p, const uint8_t *end, int32_t *key, uint8_t *kind, int64_t *value
) noexcept nogil:
    cdef const uint8_t *at = p[0]
    cdef uint64_t number = 0
    if at >= end:
        return 0
    at = read_varint(at, end, &number)
    if at == NULL or number > 0x7FFFFFFF or at >= end:
        return -1
    key[0] = <int32_t>number
    kind[0] = at[0]
    at += 1
    if kind[0] <= ARGUMENT_TRUE:
        value[0] = kind[0] == ARGUMENT_TRUE
    elif kind[0] == ARGUMENT_FLOAT:
        if end - at < 8:
            return -1
        value[0] = <int64_t>load_u64(at)
        at += 8
    elif kind[0] <= ARGUMENT_BYTES:
        at = read_varint(at, end, &number)
        if at == NULL:
            return -1
        if kind[0] == ARGUMENT_INT:
            value[0] = <int64_t>((number >> 1) ^ (0 - (number & 1)))
        elif number > 0x7FFFFFFF:
            return -1
        else:
            value[0] = <int64_t>number
    else:
        return -1
    p[0] = at
    return 1
