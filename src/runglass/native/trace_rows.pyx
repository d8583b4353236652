"""The rows of a trace in the order of its files: columns, strings, tracks and arguments, filled by the readers of each format.

Rows and strings are C arrays that grow; arguments past `pending_bytes` go to a file, so that a trace of gigabytes is
never in memory whole. Nothing here knows a format.

One entry of a row's arguments: varint key (a string), one byte type, then nothing (null, false, true), eight bytes little
endian (floats) or a varint (whole numbers, the sign in the lowest bit; a string: text, JSON, bytes).
"""

import numpy as np

cimport numpy as cnp
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy, memset

from runglass.native.wire cimport load_u64, put_varint, read_varint

cdef extern from "large_pages.h" nogil:
    void rg_use_large_pages(void *data, size_t size) noexcept

cdef extern from "find_argument.h" nogil:
    enum:
        RG_MOST_FIRST_BYTES

    struct rg_pairs:
        uint8_t low
        uint8_t high
        uint8_t firsts[RG_MOST_FIRST_BYTES]

    const uint8_t *rg_find_pair(const uint8_t *p, const uint8_t *end, const rg_pairs *wanted) noexcept

cdef extern from "append.h" nogil:
    int rg_append(int fd, const void *data, size_t size) noexcept

cnp.import_array()

cdef enum:
    PENDING_BYTES = 16 << 20
    # What is kept in memory before it is written, once there is a file.
    SPILL_BYTES = 4 << 20
    STRING_BYTES = 1 << 20
    MAX_PROBLEMS = 64
    # Rows that are found one by one, and how far they must be apart on average for it to pay off.
    FEW_ROWS = 1_000
    BYTES_BETWEEN = 200

cdef int64_t NOTHING = <int64_t>(<uint64_t>1 << 63)
MISSING = NOTHING
# Room for sums of two: half a year to either side.
cdef int64_t LIMIT_PS = 1 << 62


cdef int bytes_room(Bytes *into, size_t more) noexcept nogil:
    cdef size_t capacity
    cdef void *moved
    if into.capacity - into.size >= more:
        return 0
    capacity = max(into.size + more, into.capacity + into.capacity // 2 + 256)
    moved = realloc(into.data, capacity)
    if moved == NULL:
        return -1
    rg_use_large_pages(moved, capacity)
    into.data = <uint8_t *>moved
    into.capacity = capacity
    return 0


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    x *= <uint64_t>0x9E3779B97F4A7C15u
    return x ^ (x >> 29)


cdef uint32_t hash_bytes(const uint8_t *start, size_t size) noexcept nogil:
    cdef uint64_t h = mixed(size + 1)
    cdef uint64_t last = 0
    cdef size_t i
    while size >= 8:
        h = mixed(h ^ load_u64(start))
        start += 8
        size -= 8
    for i in range(size):
        last = last << 8 | start[i]
    h = mixed(mixed(h ^ last))
    return <uint32_t>(h >> 32)


cdef inline uint32_t hash_pair(int32_t a, int32_t b) noexcept nogil:
    return <uint32_t>(mixed(mixed(<uint64_t><uint32_t>a << 32 | <uint32_t>b)) >> 32)


# Room for one entry more.
cdef int table_room(Table *table) noexcept nogil:
    cdef size_t capacity, i, at
    cdef Slot *slots
    if table.count * 2 < table.capacity:
        return 0
    capacity = table.capacity * 2 if table.capacity else 64
    slots = <Slot *>calloc(capacity, sizeof(Slot))
    if slots == NULL:
        return -1
    for i in range(table.capacity):
        if table.slots[i].id:
            at = table.slots[i].hash & (capacity - 1)
            while slots[at].id:
                at = (at + 1) & (capacity - 1)
            slots[at] = table.slots[i]
    free(table.slots)
    table.slots = slots
    table.capacity = capacity
    return 0


cdef class Memory:
    """One column after `freeze`: lives as long as a view of it."""

    cdef void *data

    def __dealloc__(self):
        free(self.data)


cdef object column(void **data, int64_t count, int width, int typenum):
    """Hands `data` over to a NumPy array."""
    cdef Memory memory = Memory.__new__(Memory)
    cdef cnp.npy_intp shape = count
    cdef void *moved
    if count == 0:
        free(data[0])
        data[0] = NULL
        return cnp.PyArray_EMPTY(1, &shape, typenum, 0)
    moved = realloc(data[0], <size_t>count * width)
    memory.data = data[0] if moved == NULL else moved
    data[0] = NULL
    array = cnp.PyArray_SimpleNewFromData(1, &shape, typenum, memory.data)
    cnp.set_array_base(array, memory)
    cnp.PyArray_CLEARFLAGS(array, cnp.NPY_ARRAY_WRITEABLE)
    return array


cdef class TraceFile:
    """A file whose rows are `first_row` to `row_end`; `base_ns` is the Unix time of its time 0, None when unknown."""

    cdef public str name
    cdef public str host
    cdef public object base_ns
    cdef public dict metadata
    cdef readonly int64_t first_row
    cdef readonly int64_t row_end
    cdef readonly int64_t first_track


class Strings:
    """Strings by number; bytes that are no UTF-8 are replaced."""

    def __init__(self, data, ends):
        self.data = data
        self.ends = ends

    def __len__(self):
        return len(self.ends)

    def raw(self, number):
        if not 0 <= number < len(self.ends):
            raise IndexError(number)
        return self.data[0 if number == 0 else self.ends[number - 1] : self.ends[number]].tobytes()

    def __getitem__(self, number):
        return self.raw(number).decode("utf-8", "replace")


cdef class TraceRows:
    """See the module. `spill` is a file opened for writing and reading in binary; arguments are appended where it stands. Without
    one they stay in memory."""

    def __cinit__(self):
        self.spill_fd = -1
        self.file = -1

    def __init__(self, spill=None, *, size_t pending_bytes=PENDING_BYTES):
        self.spill = spill
        self.pending_bytes = pending_bytes
        self.files = []
        self.said = []
        self.frozen = {}
        if spill is not None:
            self.spill_fd = spill.fileno()
            self.spill_start = spill.tell()

    def __dealloc__(self):
        free(self.phases)
        free(self.row_tracks)
        free(self.starts)
        free(self.durations)
        free(self.names)
        free(self.categories)
        free(self.links)
        free(self.argument_ends)
        free(self.pending.data)
        free(self.string_data.data)
        free(self.string_end.data)
        free(self.string_hash.data)
        free(self.string_use.data)
        free(self.string_table.slots)
        free(self.process_data.data)
        free(self.process_table.slots)
        free(self.thread_data.data)
        free(self.thread_table.slots)

    # -- files, strings, tracks

    def begin_file(self, str name not None, str host=""):
        """Rows, tracks and problems from now on are of this file."""
        cdef TraceFile file = TraceFile.__new__(TraceFile)
        if self.is_frozen:
            raise ValueError("the rows are frozen")
        self.end_file()
        file.name = name
        file.host = host
        file.base_ns = None
        file.metadata = {}
        file.first_row = self.count
        file.first_track = self.thread_data.size // sizeof(Thread)
        self.files.append(file)
        self.file = <int32_t>(len(self.files) - 1)
        return file

    cdef int end_file(self) except -1:
        if self.files:
            (<TraceFile>self.files[len(self.files) - 1]).row_end = self.count
        return 0

    cdef int32_t intern(self, const uint8_t *start, size_t size) noexcept nogil:
        cdef uint32_t h
        cdef size_t at
        cdef int32_t id
        cdef const uint8_t *known = NULL
        cdef size_t known_size = 0
        if size > STRING_BYTES:
            self.problem(b"a text of more than 1 MB, of which the rest is left out", -1)
            size = STRING_BYTES
            # Not in the middle of a character.
            while size > STRING_BYTES - 4 and (start[size] & 0xC0) == 0x80:
                size -= 1
        if table_room(&self.string_table) < 0:
            return -2
        h = hash_bytes(start, size)
        at = h & (self.string_table.capacity - 1)
        while self.string_table.slots[at].id:
            if self.string_table.slots[at].hash == h:
                id = self.string_table.slots[at].id - 1
                self.string_at(id, &known, &known_size)
                if known_size == size and (size == 0 or memcmp(known, start, size) == 0):
                    return id
            at = (at + 1) & (self.string_table.capacity - 1)
        if (
            bytes_room(&self.string_data, size) < 0
            or bytes_room(&self.string_end, 8) < 0
            or bytes_room(&self.string_hash, 4) < 0
            or bytes_room(&self.string_use, 1) < 0
            or self.string_table.count >= 0x7FFFFFFE
        ):
            return -2
        if size:
            memcpy(self.string_data.data + self.string_data.size, start, size)
        self.string_data.size += size
        (<int64_t *>(self.string_end.data + self.string_end.size))[0] = <int64_t>self.string_data.size
        self.string_end.size += 8
        (<uint32_t *>(self.string_hash.data + self.string_hash.size))[0] = h
        self.string_hash.size += 4
        self.string_use.data[self.string_use.size] = 0
        self.string_use.size += 1
        id = <int32_t>self.string_table.count
        self.string_table.count += 1
        self.string_table.slots[at].hash = h
        self.string_table.slots[at].id = id + 1
        return id

    cdef void string_at(self, int32_t id, const uint8_t **start, size_t *size) noexcept nogil:
        cdef const int64_t *ends = <const int64_t *>self.string_end.data
        cdef int64_t begin = 0 if id == 0 else ends[id - 1]
        start[0] = self.string_data.data + begin
        size[0] = <size_t>(ends[id] - begin)

    cdef int32_t process_of(self, int32_t process_id) noexcept nogil:
        cdef uint32_t h = hash_pair(self.file, process_id)
        cdef size_t at
        cdef int32_t id
        cdef Process *process
        if table_room(&self.process_table) < 0:
            return -2
        at = h & (self.process_table.capacity - 1)
        while self.process_table.slots[at].id:
            id = self.process_table.slots[at].id - 1
            process = self.process_at(id)
            if process.file == self.file and process.id == process_id:
                return id
            at = (at + 1) & (self.process_table.capacity - 1)
        if bytes_room(&self.process_data, sizeof(Process)) < 0 or self.process_table.count >= 0x7FFFFFFE:
            return -2
        id = <int32_t>self.process_table.count
        process = <Process *>(self.process_data.data + self.process_data.size)
        process.file = self.file
        process.id = process_id
        process.name = NO_STRING
        process.labels = NO_STRING
        process.order = NO_ORDER
        self.process_data.size += sizeof(Process)
        self.process_table.count += 1
        self.process_table.slots[at].hash = h
        self.process_table.slots[at].id = id + 1
        return id

    cdef int32_t track_of(self, int32_t process_id, int32_t thread_id) noexcept nogil:
        cdef int32_t process = self.process_of(process_id)
        cdef uint32_t h = hash_pair(process, thread_id)
        cdef size_t at
        cdef int32_t id
        cdef Thread *thread
        if process < 0 or table_room(&self.thread_table) < 0:
            return -2
        at = h & (self.thread_table.capacity - 1)
        while self.thread_table.slots[at].id:
            id = self.thread_table.slots[at].id - 1
            thread = self.thread_at(id)
            if thread.process == process and thread.id == thread_id:
                return id
            at = (at + 1) & (self.thread_table.capacity - 1)
        if bytes_room(&self.thread_data, sizeof(Thread)) < 0 or self.thread_table.count >= 0x7FFFFFFE:
            return -2
        id = <int32_t>self.thread_table.count
        thread = <Thread *>(self.thread_data.data + self.thread_data.size)
        thread.process = process
        thread.id = thread_id
        thread.name = NO_STRING
        thread.order = NO_ORDER
        self.thread_data.size += sizeof(Thread)
        self.thread_table.count += 1
        self.thread_table.slots[at].hash = h
        self.thread_table.slots[at].id = id + 1
        return id

    cdef Process *process_at(self, int32_t process) noexcept nogil:
        return <Process *>self.process_data.data + process

    cdef Thread *thread_at(self, int32_t track) noexcept nogil:
        return <Thread *>self.thread_data.data + track

    # -- rows

    cdef int put_entries(self, const uint8_t *start, size_t size) noexcept nogil:
        if bytes_room(&self.pending, size) < 0:
            return -1
        memcpy(self.pending.data + self.pending.size, start, size)
        self.pending.size += size
        return 0

    cdef void put_since_row(self, const uint8_t **start, size_t *size) noexcept nogil:
        cdef int64_t end = self.argument_ends[self.count - 1] if self.count else 0
        start[0] = self.pending.data + (end - self.spilled)
        size[0] = self.pending.size - <size_t>(end - self.spilled)

    cdef void forget_arguments(self) noexcept nogil:
        cdef int64_t end = self.argument_ends[self.count - 1] if self.count else 0
        self.pending.size = <size_t>(end - self.spilled)

    cdef int reserve(self, int64_t more) noexcept nogil:
        return 0 if self.count + more <= self.capacity else self.set_capacity(self.count + more)

    cdef int set_capacity(self, int64_t capacity) noexcept nogil:
        if (
            grown(<void **>&self.phases, capacity, 1) < 0
            or grown(<void **>&self.row_tracks, capacity, 4) < 0
            or grown(<void **>&self.starts, capacity, 8) < 0
            or grown(<void **>&self.durations, capacity, 8) < 0
            or grown(<void **>&self.names, capacity, 4) < 0
            or grown(<void **>&self.categories, capacity, 4) < 0
            or (self.links != NULL and grown(<void **>&self.links, capacity, 8) < 0)
            or grown(<void **>&self.argument_ends, capacity, 8) < 0
        ):
            return -1
        self.capacity = capacity
        return 0

    cdef int add(
        self, uint8_t phase, int32_t track, int64_t start_ps, int64_t duration_ps, int32_t name, int32_t category,
        uint64_t link, int64_t at
    ) noexcept nogil:
        cdef int64_t n = self.count
        if self.is_frozen or (n == self.capacity and self.set_capacity(max(n + n // 2, <int64_t>1024)) < 0):
            return -1
        if duration_ps < 0:
            self.problem(b"a negative duration, shown as 0", at)
            duration_ps = 0
        if start_ps > LIMIT_PS or start_ps < -LIMIT_PS:
            self.problem(b"a time that is more than 50 days away from the rest of the trace, moved to 50 days", at)
            start_ps = LIMIT_PS if start_ps > 0 else -LIMIT_PS
        if duration_ps > LIMIT_PS - (start_ps if start_ps > 0 else 0):
            self.problem(b"a duration of more than 50 days, cut", at)
            duration_ps = LIMIT_PS - (start_ps if start_ps > 0 else 0)
        self.phases[n] = phase
        self.row_tracks[n] = track
        self.starts[n] = start_ps
        self.durations[n] = duration_ps
        self.names[n] = name
        self.categories[n] = category
        if link and self.links == NULL:
            # Most formats have none.
            self.links = <uint64_t *>calloc(<size_t>self.capacity, 8)
            if self.links == NULL:
                return -1
        if self.links != NULL:
            self.links[n] = link
        if self.is_full:
            self.forget_arguments()
        self.argument_ends[n] = self.spilled + <int64_t>self.pending.size
        self.count = n + 1
        if self.spill_fd >= 0 and self.pending.size >= self.pending_bytes:
            self.write_pending()
        return 0

    cdef void write_pending(self) noexcept nogil:
        if self.is_full or self.pending.size == 0:
            return
        if rg_append(self.spill_fd, self.pending.data, self.pending.size) < 0:
            # They stay in memory, and no more are taken.
            self.is_full = True
            self.problem(b"no room on the disk for the arguments of more events", -1)
            return
        self.spilled += <int64_t>self.pending.size
        self.pending.size = 0
        self.pending_bytes = min(self.pending_bytes, <size_t>SPILL_BYTES)
        if self.pending.capacity > 2 * SPILL_BYTES:
            free(self.pending.data)
            self.pending.data = NULL
            self.pending.capacity = 0

    cdef void problem(self, const char *what, int64_t at) noexcept nogil:
        cdef int i
        cdef Problem *each
        for i in range(self.problem_count):
            each = &self.problem_data[i]
            if each.what == what and each.file == self.file:
                each.count += 1
                return
        if self.problem_count == MAX_PROBLEMS:
            return
        each = &self.problem_data[self.problem_count]
        each.what = what
        each.file = self.file
        each.at = at
        each.count = 1
        self.problem_count += 1

    # -- from Python

    def add_problem(self, str what not None):
        """For what a reader finds outside of the rows; `what` names the file."""
        self.said.append(what)

    def intern_text(self, str text not None):
        cdef bytes data = text.encode("utf-8", "surrogatepass")
        cdef int32_t id = self.intern(<const uint8_t *><const char *>data, len(data))
        if id < 0:
            raise MemoryError
        return id

    def add_track(self, str process_id not None, str thread_id not None, *, str process_name=None, str thread_name=None,
                  str labels=None, process_order=None, thread_order=None):
        """The track of these ids in the current file, with what is known of it; None changes nothing."""
        cdef int32_t track = self.track_of(self.intern_text(process_id), self.intern_text(thread_id))
        cdef int32_t process
        cdef int32_t id
        if track < 0:
            raise MemoryError
        process = self.thread_at(track).process
        if process_name is not None:
            id = self.intern_text(process_name)
            self.process_at(process).name = id
        if labels is not None:
            id = self.intern_text(labels)
            self.process_at(process).labels = id
        if process_order is not None:
            self.process_at(process).order = process_order
        if thread_name is not None:
            id = self.intern_text(thread_name)
            self.thread_at(track).name = id
        if thread_order is not None:
            self.thread_at(track).order = thread_order
        return track

    def add_row(self, str phase not None, int32_t track, int64_t start_ps, int64_t duration_ps, str name not None,
                str category=None, uint64_t link=0, dict arguments={}, int64_t at=-1):
        """One row, for formats that are read in Python."""
        cdef int32_t name_id = self.intern_text(name)
        cdef int32_t category_id = NO_STRING if category is None else <int32_t>self.intern_text(category)
        cdef int done = 0
        if not 0 <= track < <int64_t>(self.thread_data.size // sizeof(Thread)):
            raise ValueError(f"there is no track {track}")
        if self.is_frozen:
            raise ValueError("the rows are frozen")
        for key, value in arguments.items():
            key_id = self.intern_text(key)
            if value is None or value is False or value is True:
                done = self.put_argument(
                    key_id, ARGUMENT_NULL if value is None else ARGUMENT_TRUE if value else ARGUMENT_FALSE
                )
            elif isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
                done = self.put_int(key_id, value)
            elif isinstance(value, (int, float)):
                done = self.put_float(key_id, float(value))
            else:
                done = self.put_text(key_id, ARGUMENT_TEXT, self.intern_text(str(value)))
            if done < 0:
                raise MemoryError
        if self.add(<uint8_t>ord(phase), track, start_ps, duration_ps, name_id, category_id, link, at) < 0:
            raise MemoryError

    def freeze(self):
        """No rows come after this; the columns can be read."""
        if self.is_frozen:
            return
        self.end_file()
        if self.spilled:
            self.write_pending()
        self.is_frozen = True
        made = self.frozen
        made["phase"] = column(<void **>&self.phases, self.count, 1, cnp.NPY_UINT8)
        made["track"] = column(<void **>&self.row_tracks, self.count, 4, cnp.NPY_INT32)
        made["start_ps"] = column(<void **>&self.starts, self.count, 8, cnp.NPY_INT64)
        made["duration_ps"] = column(<void **>&self.durations, self.count, 8, cnp.NPY_INT64)
        made["name"] = column(<void **>&self.names, self.count, 4, cnp.NPY_INT32)
        made["category"] = column(<void **>&self.categories, self.count, 4, cnp.NPY_INT32)
        made["link"] = (
            np.broadcast_to(np.zeros(1, np.uint64), self.count)
            if self.links == NULL
            else column(<void **>&self.links, self.count, 8, cnp.NPY_UINT64)
        )
        made["arguments_end"] = column(<void **>&self.argument_ends, self.count, 8, cnp.NPY_INT64)
        made["string_bytes"] = column(<void **>&self.string_data.data, self.string_data.size, 1, cnp.NPY_UINT8)
        made["string_ends"] = column(<void **>&self.string_end.data, self.string_end.size // 8, 8, cnp.NPY_INT64)
        made["string_hashes"] = column(<void **>&self.string_hash.data, self.string_hash.size // 4, 4, cnp.NPY_UINT32)
        made["argument_texts"] = column(<void **>&self.string_use.data, self.string_use.size, 1, cnp.NPY_UINT8)
        free(self.string_table.slots)
        self.string_table.slots = NULL
        if not self.spilled:
            made["arguments"] = column(<void **>&self.pending.data, self.pending.size, 1, cnp.NPY_UINT8)
        else:
            if self.pending.size:
                # The disk was full: what is in memory is not in the file, so rows that point past its end have no arguments.
                ends = made["arguments_end"]
                made["arguments_end"] = np.minimum(ends, self.spilled)
            self.spill.flush()
            made["arguments"] = np.memmap(self.spill, np.uint8, "r", self.spill_start, (self.spilled,))
        free(self.pending.data)
        self.pending.data = NULL
        self.pending.size = self.pending.capacity = 0

    def drop(self, str name not None):
        """Let go of a column: its memory is free when no view of it is left."""
        self.frozen.pop(name, None)

    def replace(self, str name not None, array not None):
        """Have a column elsewhere, with the same values."""
        self.frozen[name] = array

    cdef object read_column(self, str name):
        if not self.is_frozen:
            raise ValueError("the rows are not frozen yet")
        return self.frozen[name]

    @property
    def phase(self):
        return self.read_column("phase")

    @property
    def track(self):
        return self.read_column("track")

    @property
    def start_ps(self):
        return self.read_column("start_ps")

    @property
    def duration_ps(self):
        return self.read_column("duration_ps")

    @property
    def name(self):
        return self.read_column("name")

    @property
    def category(self):
        return self.read_column("category")

    @property
    def link(self):
        return self.read_column("link")

    @property
    def arguments(self):
        return self.read_column("arguments")

    @property
    def arguments_end(self):
        return self.read_column("arguments_end")

    @property
    def string_bytes(self):
        return self.read_column("string_bytes")

    @property
    def string_ends(self):
        return self.read_column("string_ends")

    @property
    def string_hashes(self):
        return self.read_column("string_hashes")

    @property
    def argument_texts(self):
        return self.read_column("argument_texts")

    @property
    def strings(self):
        return Strings(self.string_bytes, self.string_ends)

    @property
    def track_count(self):
        return self.thread_data.size // sizeof(Thread)

    @property
    def processes(self):
        """(file, id, name, labels, order) of each; strings by number, -1 for what is not said."""
        cdef Process *process
        cdef size_t i
        found = []
        for i in range(self.process_data.size // sizeof(Process)):
            process = self.process_at(<int32_t>i)
            found.append((process.file, process.id, process.name, process.labels, process.order))
        return found

    @property
    def tracks(self):
        """(process, thread id, thread name, order) of each; strings by number, -1 for what is not said."""
        cdef Thread *thread
        cdef size_t i
        found = []
        for i in range(self.thread_data.size // sizeof(Thread)):
            thread = self.thread_at(<int32_t>i)
            found.append((thread.process, thread.id, thread.name, thread.order))
        return found

    @property
    def problems(self):
        cdef Problem *each
        cdef int i
        found = list(self.said)
        for i in range(self.problem_count):
            each = &self.problem_data[i]
            where = f"{self.files[each.file].name}: " if each.file >= 0 else ""
            byte = f"byte {each.at}: " if each.at >= 0 else ""
            more = f" ({each.count} times)" if each.count > 1 else ""
            found.append(f"{where}{byte}{each.what.decode()}{more}")
        return found


cdef int grown(void **data, int64_t capacity, int width) noexcept nogil:
    cdef void *moved = realloc(data[0], <size_t>capacity * width)
    if moved == NULL:
        return -1
    rg_use_large_pages(moved, <size_t>capacity * width)
    data[0] = moved
    return 0


# -- questions about arguments: each takes the blob and the end of every row's part of it, in the order of the blob


cdef inline bint row_range(
    const int64_t[::1] ends, Py_ssize_t i, int64_t size, const uint8_t *data, const uint8_t **p, const uint8_t **end
) noexcept nogil:
    cdef int64_t begin = 0 if i == 0 else ends[i - 1]
    if begin < 0 or ends[i] < begin or ends[i] > size:
        return False
    p[0] = data + begin
    end[0] = data + ends[i]
    return True


cdef inline bint whole_number(uint8_t kind, int64_t value, int64_t *out) noexcept nogil:
    cdef double number
    if kind == ARGUMENT_FLOAT:
        memcpy(&number, &value, 8)
        if not -9.2e18 < number < 9.2e18:
            return False
        out[0] = <int64_t>number
        return True
    if not ARGUMENT_FALSE <= kind <= ARGUMENT_INT:
        return False
    out[0] = value
    return True


cdef object places_of(keys):
    """For each string up to the largest key, which of the keys it is; -1 for all others."""
    places = np.full(max(int(keys.max(initial=-1)) + 1, 1), -1, np.int32)
    for number, key in enumerate(keys.tolist()):
        if key >= 0:
            places[key] = number
    return places


def columns_of(
    const uint8_t[::1] arguments, const int64_t[::1] ends, number_keys, text_keys, const int64_t[::1] rows=None
):
    """What `numbers_of` and `texts_of` give for several keys, in one pass: a row of the answers for each key.

    With `rows`, only of these rows.
    """
    numbers = np.asarray(number_keys, np.int32)
    texts = np.asarray(text_keys, np.int32)
    cdef Py_ssize_t count = ends.shape[0] if rows is None else rows.shape[0]
    cdef bint is_all = rows is None
    found_numbers = np.full((len(numbers), count), NOTHING, np.int64)
    found_texts = np.full((len(texts), count), -1, np.int32)
    cdef const int32_t[::1] of_number = places_of(numbers)
    cdef const int32_t[::1] of_text = places_of(texts)
    cdef int64_t[:, ::1] number_out = found_numbers
    cdef int32_t[:, ::1] text_out = found_texts
    cdef const uint8_t *data = &arguments[0] if arguments.shape[0] else NULL
    cdef const uint8_t *p = NULL
    cdef const uint8_t *end = NULL
    cdef Py_ssize_t i, row
    cdef int32_t key = 0
    cdef uint8_t kind = 0
    cdef int64_t value = 0
    with nogil:
        for i in range(count):
            row = i if is_all else rows[i]
            if not 0 <= row < ends.shape[0] or not row_range(ends, row, arguments.shape[0], data, &p, &end):
                continue
            while next_argument(&p, end, &key, &kind, &value) > 0:
                if kind >= ARGUMENT_TEXT:
                    if key < of_text.shape[0] and of_text[key] >= 0:
                        text_out[of_text[key], i] = <int32_t>value
                elif key < of_number.shape[0] and of_number[key] >= 0:
                    whole_number(kind, value, &number_out[of_number[key], i])
    return found_numbers, found_texts


def numbers_of(const uint8_t[::1] arguments, const int64_t[::1] ends, int32_t key):
    """The number under this key in every row, the last one of several; `MISSING` (the least int64) where there is none."""
    return columns_of(arguments, ends, [key], [])[0][0]


def texts_of(const uint8_t[::1] arguments, const int64_t[::1] ends, int32_t key):
    """The number of the string under this key in every row, the last one of several; -1 where there is none."""
    return columns_of(arguments, ends, [], [key])[1][0]


def samples_of(const uint8_t[::1] arguments, const int64_t[::1] ends, const int64_t[::1] rows):
    """All numbers among the arguments of these rows: at which of `rows`, under which key, and the number itself."""
    cdef const uint8_t *data = &arguments[0] if arguments.shape[0] else NULL
    cdef const uint8_t *p = NULL
    cdef const uint8_t *end = NULL
    cdef Py_ssize_t i, count = 0, room = 0
    cdef int turn
    cdef int32_t key = 0
    cdef uint8_t kind = 0
    cdef int64_t value = 0
    cdef double number
    cdef int32_t[::1] at_out = np.empty(0, np.int32)
    cdef int32_t[::1] keys_out = np.empty(0, np.int32)
    cdef double[::1] numbers_out = np.empty(0, np.float64)
    # Counted first, so that the arrays are as large as they must be.
    for turn in range(2):
        if turn == 1:
            room = count
            count = 0
            at_out, keys_out, numbers_out = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.float64)
        with nogil:
            for i in range(rows.shape[0]):
                if not 0 <= rows[i] < ends.shape[0] or not row_range(ends, rows[i], arguments.shape[0], data, &p, &end):
                    continue
                while next_argument(&p, end, &key, &kind, &value) > 0:
                    if not ARGUMENT_FALSE <= kind <= ARGUMENT_FLOAT:
                        continue
                    if turn == 1:
                        number = <double>value
                        if kind == ARGUMENT_FLOAT:
                            memcpy(&number, &value, 8)
                        at_out[count] = <int32_t>i
                        keys_out[count] = key
                        numbers_out[count] = number
                    count += 1
    return np.asarray(at_out), np.asarray(keys_out), np.asarray(numbers_out)


cdef struct Wanted:
    # 1 for each text that is looked for.
    const uint8_t *texts
    uint64_t text_count
    # A number, too: as it is written, the first byte of that, and as a float.
    bint is_int
    bint is_number
    uint64_t encoded
    uint8_t first_byte
    double number


cdef inline bint has_wanted(const uint8_t *p, const uint8_t *end, const Wanted *wanted) noexcept nogil:
    """Whether one of a row's arguments is looked for. Other numbers are passed over: this looks at hundreds of megabytes."""
    cdef uint8_t kind
    cdef uint64_t value = 0
    cdef double number
    while p < end:
        while p[0] >= 0x80:
            p += 1
            if p == end:
                return False
        if end - p < 3:
            # Without a value.
            return False
        kind = p[1]
        p += 2
        if kind == ARGUMENT_INT:
            if wanted.is_int and p[0] == wanted.first_byte:
                if read_varint(p, end, &value) != NULL and value == wanted.encoded:
                    return True
            while p[0] >= 0x80:
                p += 1
                if p == end:
                    return False
            p += 1
        elif ARGUMENT_TEXT <= kind <= ARGUMENT_BYTES:
            p = read_varint(p, end, &value)
            if p == NULL:
                return False
            if value < wanted.text_count and wanted.texts[value]:
                return True
        elif kind == ARGUMENT_FLOAT:
            if end - p < 8:
                return False
            if wanted.is_number:
                value = load_u64(p)
                memcpy(&number, &value, 8)
                if number == wanted.number:
                    return True
            p += 8
        elif kind > ARGUMENT_TRUE:
            return False
    return False


cdef bint choose_pairs(const Wanted *wanted, rg_pairs *pairs) noexcept nogil:
    """By which bytes arguments that are looked for can be found; False: by too many. The bytes of numbers are everywhere."""
    cdef uint64_t i
    cdef int count = 0, at
    cdef uint8_t written[10]
    if wanted.is_number:
        return False
    for i in range(wanted.text_count):
        if not wanted.texts[i]:
            continue
        put_varint(written, i)
        at = 0
        while at < count and pairs.firsts[at] != written[0]:
            at += 1
        if at < count:
            continue
        if count == RG_MOST_FIRST_BYTES:
            return False
        pairs.firsts[count] = written[0]
        count += 1
    if not count:
        return False
    for at in range(count, RG_MOST_FIRST_BYTES):
        pairs.firsts[at] = pairs.firsts[0]
    pairs.low, pairs.high = ARGUMENT_TEXT, ARGUMENT_BYTES
    return True


cdef Py_ssize_t find_rare(
    const uint8_t *data, int64_t size, const int64_t[::1] ends, Py_ssize_t first, Py_ssize_t stop,
    const Wanted *wanted, const rg_pairs *pairs, uint8_t[::1] out
) noexcept nogil:
    """Take apart only the rows that have the bytes. Gives the row from which on it is quicker to look at all, because most have them."""
    cdef const uint8_t *start = data + (max(0, min(ends[first - 1], size)) if first else 0)
    cdef const uint8_t *limit = data + max(0, min(ends[stop - 1], size))
    cdef const uint8_t *at = start
    cdef const uint8_t *p = NULL
    cdef const uint8_t *end = NULL
    cdef Py_ssize_t i = first, taken = 0
    while at < limit:
        at = rg_find_pair(at, limit, pairs)
        while i < stop and ends[i] <= at - data:
            i += 1
        if at == limit or i == stop:
            break
        if not row_range(ends, i, size, data, &p, &end) or p > at:
            at += 1
            continue
        out[i - first] = has_wanted(p, end, wanted)
        at = end
        taken += 1
        if taken >= FEW_ROWS and at - start < taken * BYTES_BETWEEN:
            return i + 1
    return stop


def find_arguments(
    const uint8_t[::1] arguments,
    const int64_t[::1] ends,
    const uint8_t[::1] string_mask,
    number=None,
    *,
    Py_ssize_t first=0,
    last=None,
):
    """Whether a row has an argument whose string is marked, or that is this number; of the rows from `first` up to `last`."""
    cdef Py_ssize_t stop = ends.shape[0] if last is None else min(<Py_ssize_t>last, ends.shape[0])
    first = max(first, 0)
    found = np.zeros(max(stop - first, 0), np.bool_)
    cdef uint8_t[::1] out = found.view(np.uint8)
    cdef const uint8_t *data = &arguments[0] if arguments.shape[0] else NULL
    cdef const uint8_t *p = NULL
    cdef const uint8_t *end = NULL
    cdef Py_ssize_t i
    cdef int64_t whole
    cdef rg_pairs pairs
    cdef uint8_t written[10]
    cdef Wanted wanted
    memset(&wanted, 0, sizeof(wanted))
    wanted.text_count = string_mask.shape[0]
    wanted.texts = &string_mask[0] if string_mask.shape[0] else NULL
    if number is not None:
        wanted.is_number = True
        wanted.number = float(number)
    if isinstance(number, int) and -(1 << 63) <= number < 1 << 63:
        wanted.is_int = True
        whole = number
        wanted.encoded = (<uint64_t>whole << 1) ^ <uint64_t>(whole >> 63)
        put_varint(written, wanted.encoded)
        wanted.first_byte = written[0]
    if stop <= first:
        return found
    with nogil:
        i = first
        if choose_pairs(&wanted, &pairs):
            i = find_rare(data, arguments.shape[0], ends, first, stop, &wanted, &pairs, out)
        while i < stop:
            if row_range(ends, i, arguments.shape[0], data, &p, &end):
                out[i - first] = has_wanted(p, end, &wanted)
            i += 1
    return found


def arguments_of(const uint8_t[::1] arguments, int64_t begin, int64_t end):
    """(key, type, value) of one row's arguments: numbers as they are, strings by their number."""
    cdef const uint8_t *p
    cdef const uint8_t *stop
    cdef int32_t key = 0
    cdef uint8_t kind = 0
    cdef int64_t value = 0
    cdef double number
    found = []
    if begin < 0 or end <= begin or end > arguments.shape[0]:
        return found
    p = &arguments[0] + begin
    stop = &arguments[0] + end
    while next_argument(&p, stop, &key, &kind, &value) > 0:
        if kind == ARGUMENT_FLOAT:
            memcpy(&number, &value, 8)
            found.append((key, kind, number))
        elif kind <= ARGUMENT_TRUE:
            found.append((key, kind, None if kind == ARGUMENT_NULL else kind == ARGUMENT_TRUE))
        else:
            found.append((key, kind, value))
    return found
