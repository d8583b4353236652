"""Profiles of TensorFlow and JAX (XSpace) as rows of a trace, read once from the front through a window over the file.

The lines of a plane stand before the names that their events refer to, so a first pass finds where everything is and a
second one reads the events. Every length is held against what it is in: damage costs the smallest part that has it.
"""

import zlib

from cpython.buffer cimport PyBUF_WRITE
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.memoryview cimport PyMemoryView_FromMemory
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memmove, memset

from runglass.native.trace_rows cimport (
    ARGUMENT_BYTES,
    ARGUMENT_INT,
    ARGUMENT_TEXT,
    ENTRY_BYTES,
    NO_STRING,
    Bytes,
    TraceRows,
    bytes_room,
)
from runglass.native.wire cimport (
    WIRE_BYTES,
    WIRE_FIXED32,
    WIRE_FIXED64,
    WIRE_VARINT,
    load_u32,
    load_u64,
    put_varint,
    read_bytes,
    read_key,
    read_varint,
    skip_field,
)

cdef enum:
    SPACE_PLANES = 1
    SPACE_ERRORS = 2
    SPACE_WARNINGS = 3
    SPACE_HOSTNAMES = 4
    PLANE_ID = 1
    PLANE_NAME = 2
    PLANE_LINES = 3
    PLANE_EVENT_METADATA = 4
    PLANE_STAT_METADATA = 5
    PLANE_STATS = 6
    LINE_ID = 1
    LINE_NAME = 2
    LINE_TIMESTAMP_NS = 3
    LINE_EVENTS = 4
    LINE_DISPLAY_ID = 10
    LINE_DISPLAY_NAME = 11
    EVENT_METADATA_ID = 1
    EVENT_OFFSET_PS = 2
    EVENT_DURATION_PS = 3
    EVENT_STATS = 4
    EVENT_OCCURRENCES = 5
    METADATA_NAME = 2
    METADATA_DISPLAY_NAME = 4
    METADATA_STATS = 5
    STAT_METADATA_ID = 1
    STAT_DOUBLE = 2
    STAT_UINT64 = 3
    STAT_INT64 = 4
    STAT_STR = 5
    STAT_BYTES = 6
    STAT_REF = 7
    STAT_COMPRESSED = 8

cdef enum:
    FIRST_READ_BYTES = 16 << 10
    READ_BYTES = 1 << 20
    # A key and a length.
    HEADER_BYTES = 20
    # An event, a name with its stats: larger ones are left out.
    MESSAGE_BYTES = 64 << 20
    TEXT_BYTES = 1 << 20
    SMALL_IDS = 1 << 14
    # Stats with ids of one byte: nearly all there are.
    QUICK_IDS = 128
    # The least that a stat takes in an event: its key and length, a key and a number of one byte each, and a value.
    STAT_BYTES_LEAST = 6
    # Answers of what reads.
    DONE = 0
    FOUND = 1
    MALFORMED = -1
    STOPPED = -2                # out of memory, cancelled, or the file cannot be read

# What TraceRows takes; the sum of two does not overflow.
cdef int64_t LIMIT_PS = (1 << 62) - 2
# Times since 1970 in ns are larger, those since the start of a session or a machine smaller.
cdef int64_t UNIX_NS = 10**17
cdef int64_t SMALL_NS = 10**15

# Threads of the host all of them: the same line number is the same thread.
HOST_PLANES = frozenset(
    (b"/host:CPU", b"/host:CUPTI", b"/host:NVTX-CUPTI", b"/host:ROCTRACER", b"/host:python-tracer")
)
CUPTI_PLANES = frozenset((b"/host:CUPTI", b"/host:ROCTRACER"))


cdef struct Plane:
    int64_t at
    int64_t end
    int64_t id
    int32_t name                # string
    int64_t first_line
    int64_t line_end


cdef struct Line:
    int64_t at
    int64_t end
    int64_t id
    int64_t display_id
    int64_t timestamp_ns
    int32_t name                # string or NO_STRING
    int32_t display_name


cdef struct Stat:
    int64_t id
    uint32_t kind               # the field's number, 0: no value
    uint64_t number
    const uint8_t *text
    size_t size


# What all events of a kind share; the entries of its arguments are in `Names.entries`.
cdef struct Named:
    int32_t name
    int32_t category
    bint is_memory
    size_t entries_at
    size_t entries_size


# The key of an argument as it is written; size 0: there is none.
cdef struct Quick:
    uint8_t key[8]
    uint8_t size
    # Its value means something here.
    bint is_told
    int32_t name


# Numbers by id: small ones in an array, others in a table of pairs.
cdef struct Ids:
    int32_t *small              # of the entry + 1
    int64_t *keys
    int32_t *values             # of the entry + 1; 0: free
    size_t capacity
    size_t count


cdef int ids_init(Ids *ids) noexcept nogil:
    memset(ids, 0, sizeof(Ids))
    ids.small = <int32_t *>calloc(SMALL_IDS, sizeof(int32_t))
    return -1 if ids.small == NULL else 0


cdef void ids_free(Ids *ids) noexcept nogil:
    free(ids.small)
    free(ids.keys)
    free(ids.values)
    memset(ids, 0, sizeof(Ids))


cdef inline size_t id_slot(int64_t id, size_t capacity) noexcept nogil:
    return <size_t>((<uint64_t>id * <uint64_t>0x9E3779B97F4A7C15u) >> 20) & (capacity - 1)


cdef inline int32_t ids_get(const Ids *ids, int64_t id) noexcept nogil:
    cdef size_t at
    if 0 <= id < SMALL_IDS:
        return ids.small[id] - 1
    if ids.capacity == 0:
        return -1
    at = id_slot(id, ids.capacity)
    while ids.values[at]:
        if ids.keys[at] == id:
            return ids.values[at] - 1
        at = (at + 1) & (ids.capacity - 1)
    return -1


cdef int ids_grow(Ids *ids) noexcept nogil:
    cdef size_t capacity = ids.capacity * 2 if ids.capacity else 256
    cdef int64_t *keys = <int64_t *>malloc(capacity * sizeof(int64_t))
    cdef int32_t *values = <int32_t *>calloc(capacity, sizeof(int32_t))
    cdef size_t i, at
    if keys == NULL or values == NULL:
        free(keys)
        free(values)
        return -1
    for i in range(ids.capacity):
        if ids.values[i]:
            at = id_slot(ids.keys[i], capacity)
            while values[at]:
                at = (at + 1) & (capacity - 1)
            keys[at] = ids.keys[i]
            values[at] = ids.values[i]
    free(ids.keys)
    free(ids.values)
    ids.keys = keys
    ids.values = values
    ids.capacity = capacity
    return 0


cdef int ids_set(Ids *ids, int64_t id, int32_t value) noexcept nogil:
    cdef size_t at
    if 0 <= id < SMALL_IDS:
        ids.small[id] = value + 1
        return 0
    if ids.count * 2 >= ids.capacity and ids_grow(ids) < 0:
        return -1
    at = id_slot(id, ids.capacity)
    while ids.values[at] and ids.keys[at] != id:
        at = (at + 1) & (ids.capacity - 1)
    if not ids.values[at]:
        ids.keys[at] = id
        ids.count += 1
    ids.values[at] = value + 1
    return 0


cdef class Window:
    """A moving part of the file. The GIL is taken only to read more."""

    cdef object reader
    # Of readers that fill a buffer; None for those that only give bytes.
    cdef object read_into
    cdef object flag
    cdef object report
    cdef object failure
    cdef const uint8_t[::1] cancelled
    cdef int64_t size
    cdef uint8_t *data
    cdef size_t capacity
    cdef size_t have
    cdef size_t read_size
    cdef int64_t base
    # The farthest byte that was reported.
    cdef int64_t reported
    cdef bint reports

    def __cinit__(self, reader, int64_t size, flag, report):
        self.reader = reader
        self.read_into = getattr(reader, "read_into", None)
        self.size = size
        self.cancelled = flag
        self.report = report

    def __dealloc__(self):
        free(self.data)

    # `n` bytes at `at`, which end in the file; NULL when reading must stop.
    cdef inline const uint8_t *need(self, int64_t at, size_t n) noexcept nogil:
        if at >= self.base and at - self.base + <int64_t>n <= <int64_t>self.have:
            return self.data + (at - self.base)
        return self.data if self.fill(at, n) == 0 else NULL

    cdef int fill(self, int64_t at, size_t n) noexcept nogil:
        cdef size_t keep = 0
        cdef size_t wanted
        cdef size_t left = <size_t>(self.size - at)
        cdef int64_t hop = at - self.base - <int64_t>self.have
        cdef void *moved
        if at >= self.base and at < self.base + <int64_t>self.have:
            keep = self.have - <size_t>(at - self.base)
            self.read_size = min(self.read_size * 4, <size_t>READ_BYTES)
        else:
            # What follows a hop is often a header and another hop. Past the rest of an event it is none: events are short and many.
            self.read_size = READ_BYTES if 0 <= hop < FIRST_READ_BYTES else FIRST_READ_BYTES
        wanted = max(n, min(left, keep + self.read_size))
        if wanted > self.capacity:
            moved = realloc(self.data, wanted)
            if moved == NULL:
                return -1
            self.data = <uint8_t *>moved
            self.capacity = wanted
        if keep:
            memmove(self.data, self.data + (at - self.base), keep)
        self.base = at
        self.have = keep
        with gil:
            return self.read_more(wanted - keep, n)

    cdef int read_more(self, size_t wanted, size_t need) noexcept:
        cdef bytes data
        cdef size_t got
        try:
            if self.cancelled is not None and self.cancelled.shape[0] and self.cancelled[0]:
                return -1
            if self.read_into is not None:
                into = PyMemoryView_FromMemory(<char *>self.data + self.have, wanted, PyBUF_WRITE)
                got = min(<size_t>self.read_into(self.base + <int64_t>self.have, into), wanted)
            else:
                data = self.reader.read(self.base + <int64_t>self.have, wanted)
                got = min(<size_t>PyBytes_GET_SIZE(data), wanted)
                memcpy(self.data + self.have, PyBytes_AS_STRING(data), got)
            self.have += got
            if self.report is not None and self.reports and self.base > self.reported:
                self.reported = self.base
                self.report(self.base)
        except BaseException as failure:
            self.failure = failure
            return -1
        # The file has become shorter: nothing more is to be had from it.
        return 0 if self.have >= need else -1

    # The field at `at`, which is moved past its number or to its first byte; `value` is the number, or how many bytes there are.
    cdef int field(self, int64_t *at, int64_t end, uint32_t *number, uint32_t *wire, uint64_t *value) noexcept nogil:
        cdef size_t n = <size_t>min(<int64_t>HEADER_BYTES, end - at[0])
        cdef const uint8_t *start
        cdef const uint8_t *p
        if n == 0:
            return DONE
        start = self.need(at[0], n)
        if start == NULL:
            return STOPPED
        p = read_key(start, start + n, number, wire)
        if p == NULL:
            return MALFORMED
        if wire[0] == WIRE_VARINT or wire[0] == WIRE_BYTES:
            p = read_varint(p, start + n, value)
        elif wire[0] == WIRE_FIXED64 and start + n - p >= 8:
            value[0] = load_u64(p)
            p += 8
        elif wire[0] == WIRE_FIXED32 and start + n - p >= 4:
            value[0] = load_u32(p)
            p += 4
        else:
            return MALFORMED
        if p == NULL:
            return MALFORMED
        at[0] += p - start
        return FOUND


cdef int read_stat(const uint8_t *p, const uint8_t *end, Stat *stat) noexcept nogil:
    cdef uint32_t number = 0
    cdef uint32_t wire = 0
    cdef uint64_t value = 0
    memset(stat, 0, sizeof(Stat))
    while p < end:
        p = read_key(p, end, &number, &wire)
        if p == NULL:
            return MALFORMED
        if wire == WIRE_VARINT and number in (STAT_METADATA_ID, STAT_UINT64, STAT_INT64, STAT_REF):
            p = read_varint(p, end, &value)
            if number == STAT_METADATA_ID:
                stat.id = <int64_t>value
            else:
                stat.kind = number
                stat.number = value
        elif wire == WIRE_FIXED64 and number == STAT_DOUBLE and end - p >= 8:
            stat.kind = number
            stat.number = load_u64(p)
            p += 8
        elif wire == WIRE_BYTES and number in (STAT_STR, STAT_BYTES, STAT_COMPRESSED):
            stat.kind = number
            p = read_bytes(p, end, &stat.text, &stat.size)
        else:
            p = skip_field(p, end, wire)
        if p == NULL:
            return MALFORMED
    return DONE


cdef object decompressed(const uint8_t *start, size_t size):
    """A text that was written with gzip or zlib, as much of it as a string may have."""
    try:
        return zlib.decompressobj(47).decompress(PyBytes_FromStringAndSize(<const char *>start, size), TEXT_BYTES)
    except zlib.error:
        return b""


cdef inline bint begins(const uint8_t *text, size_t size, const char *word, size_t length) noexcept nogil:
    """Whether a text begins with a word of small letters, in letters of either size."""
    cdef size_t i
    if size < length:
        return False
    for i in range(length):
        if (text[i] | 0x20 if 65 <= text[i] <= 90 else text[i]) != <uint8_t>word[i]:
            return False
    return True


cdef class XPlaneReader:
    cdef Window window
    cdef TraceRows rows
    cdef object flag
    cdef Bytes planes           # Plane each
    cdef Bytes lines            # Line each
    cdef int64_t event_count
    cdef int64_t base_ns
    # Of the plane that is read.
    cdef Ids stat_ids           # to strings
    cdef Ids event_ids          # to Named
    cdef Bytes named            # Named each
    cdef Bytes entries
    cdef Quick quick[QUICK_IDS]
    cdef bint is_device
    cdef bint is_cupti
    # Strings that mean something here.
    cdef int32_t nothing, correlation_id, hlo_category, allocator_name, bytes_allocated, bytes_reserved, occurrences
    cdef int32_t producer, consumer, flow, memory, full_name
    cdef int32_t kernel, memcpy, memset, runtime, python
    # Of the event that is read.
    cdef int32_t category
    cdef int32_t allocator
    cdef int64_t allocated
    cdef int64_t reserved

    def __cinit__(self, Window window, TraceRows rows):
        self.window = window
        self.rows = rows
        if ids_init(&self.stat_ids) < 0 or ids_init(&self.event_ids) < 0:
            raise MemoryError
        self.nothing = rows.intern_text("")
        self.correlation_id = rows.intern_text("correlation_id")
        self.hlo_category = rows.intern_text("hlo_category")
        self.allocator_name = rows.intern_text("allocator_name")
        self.bytes_allocated = rows.intern_text("bytes_allocated")
        self.bytes_reserved = rows.intern_text("bytes_reserved")
        self.occurrences = rows.intern_text("num_occurrences")
        self.producer = rows.intern_text("_p")
        self.consumer = rows.intern_text("_c")
        self.flow = rows.intern_text("flow")
        self.memory = rows.intern_text("memory")
        self.full_name = rows.intern_text("full_name")
        # As PyTorch calls them.
        self.kernel = rows.intern_text("kernel")
        self.memcpy = rows.intern_text("gpu_memcpy")
        self.memset = rows.intern_text("gpu_memset")
        self.runtime = rows.intern_text("cuda_runtime")
        self.python = rows.intern_text("python_function")

    def __dealloc__(self):
        free(self.planes.data)
        free(self.lines.data)
        free(self.named.data)
        free(self.entries.data)
        ids_free(&self.stat_ids)
        ids_free(&self.event_ids)

    # -- first pass: where planes and lines are

    cdef int scan(self, list said) noexcept nogil:
        cdef int64_t at = 0
        cdef int64_t start
        cdef int64_t end = self.window.size
        cdef uint32_t number = 0
        cdef uint32_t wire = 0
        cdef uint64_t value = 0
        cdef int answer
        while True:
            start = at
            answer = self.window.field(&at, self.window.size, &number, &wire, &value)
            if answer == MALFORMED:
                self.rows.problem(b"this is not a profile, or its end is damaged", start)
                return DONE
            if answer != FOUND:
                return answer
            if wire != WIRE_BYTES:
                continue
            end = self.within(at, value, self.window.size, b"the file ends in the middle of a plane", start)
            if number == SPACE_PLANES:
                answer = self.scan_plane(at, end)
            elif number <= SPACE_HOSTNAMES:
                answer = self.say(said, number, at, end)
            if answer < 0:
                return answer
            at = end

    cdef int64_t within(self, int64_t at, uint64_t size, int64_t end, const char *problem, int64_t where) noexcept nogil:
        """Where a part ends: not after what it is in."""
        if size <= <uint64_t>(end - at):
            return at + <int64_t>size
        self.rows.problem(problem, where)
        return end

    cdef int say(self, list said, uint32_t number, int64_t at, int64_t end) noexcept nogil:
        cdef size_t size = <size_t>min(end - at, <int64_t>TEXT_BYTES)
        cdef const uint8_t *start = self.window.need(at, size)
        if start == NULL and size:
            return STOPPED
        with gil:
            said.append((number, PyUnicode_DecodeUTF8(<const char *>start, size, "replace") if size else ""))
        return DONE

    cdef int scan_plane(self, int64_t at, int64_t end) noexcept nogil:
        cdef Plane *plane
        cdef size_t place = self.planes.size
        cdef int64_t start
        cdef int64_t stop
        cdef uint32_t number = 0
        cdef uint32_t wire = 0
        cdef uint64_t value = 0
        cdef int answer
        if bytes_room(&self.planes, sizeof(Plane)) < 0:
            return STOPPED
        plane = <Plane *>(self.planes.data + place)
        memset(plane, 0, sizeof(Plane))
        plane.at = at
        plane.end = end
        plane.name = self.nothing
        plane.first_line = <int64_t>(self.lines.size // sizeof(Line))
        self.planes.size += sizeof(Plane)
        while True:
            start = at
            answer = self.window.field(&at, end, &number, &wire, &value)
            if answer == MALFORMED:
                self.rows.problem(b"a plane is damaged from here on", start)
            if answer != FOUND:
                plane.line_end = <int64_t>(self.lines.size // sizeof(Line))
                return min(answer, 0) if answer == STOPPED else DONE
            if wire == WIRE_VARINT and number == PLANE_ID:
                plane.id = <int64_t>value
            if wire != WIRE_BYTES:
                continue
            stop = self.within(at, value, end, b"a plane ends in the middle of a part of it", start)
            if number == PLANE_NAME:
                answer = self.read_text(at, stop, &plane.name)
            elif number == PLANE_LINES:
                answer = self.scan_line(at, stop)
            if answer < 0:
                return answer
            at = stop

    cdef int read_text(self, int64_t at, int64_t end, int32_t *text) noexcept nogil:
        cdef size_t size = <size_t>min(end - at, <int64_t>TEXT_BYTES)
        cdef const uint8_t *start = self.window.need(at, size)
        if start == NULL:
            return STOPPED
        text[0] = self.rows.intern(start, size)
        return STOPPED if text[0] < 0 else DONE

    cdef int scan_line(self, int64_t at, int64_t end) noexcept nogil:
        cdef Line line
        cdef int64_t start
        cdef int64_t stop
        cdef uint32_t number = 0
        cdef uint32_t wire = 0
        cdef uint64_t value = 0
        cdef int answer
        memset(&line, 0, sizeof(Line))
        line.at = at
        line.end = end
        line.name = line.display_name = NO_STRING
        while True:
            start = at
            answer = self.window.field(&at, end, &number, &wire, &value)
            if answer == MALFORMED:
                # Said when its events are read.
                line.end = start
            if answer != FOUND:
                break
            if wire == WIRE_VARINT:
                if number == LINE_ID:
                    line.id = <int64_t>value
                elif number == LINE_TIMESTAMP_NS:
                    line.timestamp_ns = <int64_t>value
                elif number == LINE_DISPLAY_ID:
                    line.display_id = <int64_t>value
            elif wire == WIRE_BYTES:
                if value > <uint64_t>(end - at):
                    answer = MALFORMED
                    line.end = start
                    break
                stop = at + <int64_t>value
                if number == LINE_EVENTS:
                    self.event_count += 1
                elif number == LINE_NAME:
                    answer = self.read_text(at, stop, &line.name)
                elif number == LINE_DISPLAY_NAME:
                    answer = self.read_text(at, stop, &line.display_name)
                if answer < 0:
                    break
                at = stop
        if answer == STOPPED:
            return STOPPED
        if answer == MALFORMED:
            self.rows.problem(b"a line of events is damaged or cut off from here on", line.end)
        if bytes_room(&self.lines, sizeof(Line)) < 0:
            return STOPPED
        (<Line *>(self.lines.data + self.lines.size))[0] = line
        self.lines.size += sizeof(Line)
        return DONE

    cdef void find_base(self) noexcept nogil:
        """Times are told from 0 where that is near; where they are since 1970, from the first line on."""
        cdef Line *lines = <Line *>self.lines.data
        cdef size_t i
        cdef int64_t least = 0
        for i in range(self.lines.size // sizeof(Line)):
            if i == 0 or lines[i].timestamp_ns < least:
                least = lines[i].timestamp_ns
        self.base_ns = least if least > SMALL_NS or least < 0 else 0

    # -- second pass: names, then events

    cdef int read_all(self) noexcept nogil:
        cdef size_t i
        cdef int64_t j
        cdef Plane plane
        self.window.reports = True
        for i in range(self.planes.size // sizeof(Plane)):
            plane = (<Plane *>self.planes.data)[i]
            if plane.first_line == plane.line_end:
                continue
            if self.read_names(&plane) < 0:
                return STOPPED
            for j in range(plane.first_line, plane.line_end):
                if self.read_line(&plane, (<Line *>self.lines.data)[j]) < 0:
                    return STOPPED
        return DONE

    cdef int read_names(self, Plane *plane) noexcept nogil:
        cdef const uint8_t *name = NULL
        cdef size_t size = 0
        memset(self.stat_ids.small, 0, SMALL_IDS * sizeof(int32_t))
        memset(self.event_ids.small, 0, SMALL_IDS * sizeof(int32_t))
        if self.stat_ids.capacity:
            memset(self.stat_ids.values, 0, self.stat_ids.capacity * sizeof(int32_t))
        if self.event_ids.capacity:
            memset(self.event_ids.values, 0, self.event_ids.capacity * sizeof(int32_t))
        self.stat_ids.count = self.event_ids.count = 0
        self.named.size = self.entries.size = 0
        memset(self.quick, 0, sizeof(self.quick))
        self.rows.string_at(plane.name, &name, &size)
        self.is_device = begins(name, size, b"/device:", 8)
        self.is_cupti = begins(name, size, b"/host:cupti", 11) or begins(name, size, b"/host:roctracer", 15)
        # Stats of events' names refer to the names of stats, which stand behind them.
        if self.read_entries(plane, PLANE_STAT_METADATA) < 0:
            return STOPPED
        return self.read_entries(plane, PLANE_EVENT_METADATA)

    cdef int read_entries(self, Plane *plane, uint32_t wanted) noexcept nogil:
        cdef int64_t at = plane.at
        cdef int64_t start
        cdef int64_t stop
        cdef uint32_t number = 0
        cdef uint32_t wire = 0
        cdef uint64_t value = 0
        cdef const uint8_t *p
        cdef int answer
        while True:
            start = at
            answer = self.window.field(&at, plane.end, &number, &wire, &value)
            if answer != FOUND:
                # Damage was said in the first pass.
                return STOPPED if answer == STOPPED else DONE
            if wire != WIRE_BYTES:
                continue
            stop = at + <int64_t>min(value, <uint64_t>(plane.end - at))
            if number == wanted and stop - at > MESSAGE_BYTES:
                self.rows.problem(b"a name of events takes more than 64 MB and is left out", start)
            elif number == wanted:
                p = self.window.need(at, <size_t>(stop - at))
                if p == NULL:
                    return STOPPED
                answer = self.read_entry(p, p + (stop - at), wanted == PLANE_EVENT_METADATA)
                if answer == STOPPED:
                    return STOPPED
                if answer == MALFORMED:
                    self.rows.problem(b"a name of events or of what they say is damaged", start)
            at = stop

    cdef int read_entry(self, const uint8_t *p, const uint8_t *end, bint is_event) noexcept nogil:
        cdef uint32_t number = 0
        cdef uint32_t wire = 0
        cdef uint64_t id = 0
        cdef const uint8_t *message = NULL
        cdef size_t size = 0
        while p < end:
            p = read_key(p, end, &number, &wire)
            if p == NULL:
                return MALFORMED
            if number == 1 and wire == WIRE_VARINT:
                p = read_varint(p, end, &id)
            elif number == 2 and wire == WIRE_BYTES:
                p = read_bytes(p, end, &message, &size)
            else:
                p = skip_field(p, end, wire)
            if p == NULL:
                return MALFORMED
        if message == NULL:
            message = end
        return self.read_name(<int64_t>id, message, message + size, is_event)

    cdef int read_name(self, int64_t id, const uint8_t *p, const uint8_t *end, bint is_event) noexcept nogil:
        """A kind of stat or of event; both have their name in the same field."""
        cdef const uint8_t *at = p
        cdef const uint8_t *part = NULL
        cdef size_t size = 0
        cdef const uint8_t *name = NULL
        cdef size_t name_size = 0
        cdef const uint8_t *display = NULL
        cdef size_t display_size = 0
        cdef uint32_t number = 0
        cdef uint32_t wire = 0
        cdef Named named
        cdef Stat stat
        cdef int32_t full
        cdef int32_t text
        cdef int answer = DONE
        while at < end:
            at = read_key(at, end, &number, &wire)
            if at == NULL:
                break
            if wire != WIRE_BYTES:
                at = skip_field(at, end, wire)
            else:
                at = read_bytes(at, end, &part, &size)
                if at == NULL:
                    break
                if number == METADATA_NAME:
                    name = part
                    name_size = size
                elif is_event and number == METADATA_DISPLAY_NAME:
                    display = part
                    display_size = size
            if at == NULL:
                break
        if at == NULL:
            answer = MALFORMED
        full = self.rows.intern(name, name_size)
        if full < 0:
            return STOPPED
        text = full
        if display_size:
            name = display
            name_size = display_size
            text = self.rows.intern(name, name_size)
            if text < 0:
                return STOPPED
        if not is_event:
            self.note_quick(id, text)
            return answer if ids_set(&self.stat_ids, id, text) == 0 else STOPPED
        memset(&named, 0, sizeof(Named))
        named.name = text
        named.category = self.category_of(name, name_size)
        named.is_memory = begins(name, name_size, b"memoryallocation", 16) or begins(name, name_size, b"memorydeallocation", 18)
        named.entries_at = self.entries.size
        at = p
        # Written where those of a row are, and taken from there. The name of an op with its scope is the full one.
        if text != full and full != self.nothing and self.rows.put_text(self.full_name, ARGUMENT_TEXT, full) < 0:
            return STOPPED
        while at < end and answer == DONE:
            at = read_key(at, end, &number, &wire)
            if wire == WIRE_BYTES and number == METADATA_STATS:
                at = read_bytes(at, end, &part, &size)
                if read_stat(part, part + size, &stat) < 0:
                    answer = MALFORMED
                else:
                    self.category = named.category
                    if self.put_stat(&stat) < 0:
                        return STOPPED
                    named.category = self.category
            else:
                at = skip_field(at, end, wire)
        if self.take_entries() < 0:
            return STOPPED
        named.entries_size = self.entries.size - named.entries_at
        if bytes_room(&self.named, sizeof(Named)) < 0:
            return STOPPED
        (<Named *>(self.named.data + self.named.size))[0] = named
        self.named.size += sizeof(Named)
        return answer if ids_set(&self.event_ids, id, <int32_t>(self.named.size // sizeof(Named) - 1)) == 0 else STOPPED

    cdef void note_quick(self, int64_t id, int32_t key) noexcept nogil:
        if 0 <= id < QUICK_IDS:
            self.quick[id].size = <uint8_t>put_varint(self.quick[id].key, <uint64_t>key)
            self.quick[id].name = key
            self.quick[id].is_told = (
                key == self.correlation_id
                or key == self.hlo_category
                or key == self.allocator_name
                or key == self.bytes_allocated
                or key == self.bytes_reserved
            )

    cdef int take_entries(self) noexcept nogil:
        cdef const uint8_t *start = NULL
        cdef size_t size = 0
        self.rows.put_since_row(&start, &size)
        if size:
            if bytes_room(&self.entries, size) < 0:
                return STOPPED
            memcpy(self.entries.data + self.entries.size, start, size)
            self.entries.size += size
        self.rows.forget_arguments()
        return DONE

    cdef int32_t category_of(self, const uint8_t *name, size_t size) noexcept nogil:
        if self.is_device:
            # But memcpy128 is a kernel.
            if begins(name, size, b"memcpy", 6) and (size == 6 or not 48 <= name[6] <= 57):
                return self.memcpy
            return self.memset if begins(name, size, b"memset", 6) else NO_STRING
        if size and name[0] == 36:
            return self.python
        return self.runtime if self.is_cupti else NO_STRING

    cdef const uint8_t *put_numbers(self, const uint8_t *p, const uint8_t *end) noexcept nogil:
        """Put the stats from here on as long as they are what nearly all are; gives the place of the first that is another. Most of the
        time of reading a profile is spent here. There must be room for all of them."""
        cdef uint8_t *out = self.rows.pending.data + self.rows.pending.size
        cdef const uint8_t *stop
        cdef const Quick *quick
        cdef uint64_t value = 0
        cdef int32_t text
        cdef uint8_t kind
        while end - p >= STAT_BYTES_LEAST and p[0] == (EVENT_STATS << 3 | WIRE_BYTES) and p[1] < 0x80:
            stop = p + 2 + p[1]
            # A small id, then a whole number or the number of a text.
            if p[1] < 4 or stop > end or p[2] != STAT_METADATA_ID << 3 or p[3] >= QUICK_IDS or not self.quick[p[3]].size:
                break
            quick = &self.quick[p[3]]
            kind = p[4]
            if kind != STAT_INT64 << 3 and kind != STAT_UINT64 << 3 and kind != STAT_REF << 3:
                break
            if read_varint(p + 5, stop, &value) != stop:
                break
            if kind == STAT_REF << 3:
                text = ids_get(&self.stat_ids, <int64_t>value)
                if text < 0:
                    break
                value = <uint64_t>text
                if quick.is_told:
                    self.note_text(quick.name, text)
                self.rows.string_use.data[text] = 1
                kind = ARGUMENT_TEXT
            else:
                if kind == STAT_UINT64 << 3 and value > 0x7FFFFFFFFFFFFFFFu:
                    break
                if quick.is_told:
                    self.note_number(quick.name, <int64_t>value)
                value = (value << 1) ^ <uint64_t>(<int64_t>value >> 63)
                kind = ARGUMENT_INT
            memcpy(out, quick.key, 8)
            out += quick.size
            out[0] = kind
            out += 1 + put_varint(out + 1, value)
            p = stop
        self.rows.pending.size = <size_t>(out - self.rows.pending.data)
        return p

    cdef int put_stat(self, const Stat *stat) noexcept nogil:
        cdef int32_t key = ids_get(&self.stat_ids, stat.id)
        cdef int32_t text
        cdef double number
        cdef char digits[24]
        if key < 0:
            key = self.nothing
        if stat.kind == STAT_INT64:
            self.note_number(key, <int64_t>stat.number)
            return self.rows.put_int(key, <int64_t>stat.number)
        if stat.kind == STAT_UINT64:
            self.note_number(key, <int64_t>stat.number)
            # A number that only names something is as good with a sign.
            if stat.number <= 0x7FFFFFFFFFFFFFFFu or key == self.producer or key == self.consumer or key == self.flow:
                return self.rows.put_int(key, <int64_t>stat.number)
            text = self.rows.intern(<const uint8_t *>digits, <size_t>snprintf(digits, 24, b"%llu", <unsigned long long>stat.number))
            return STOPPED if text < 0 else self.rows.put_text(key, ARGUMENT_TEXT, text)
        if stat.kind == STAT_DOUBLE:
            memcpy(&number, &stat.number, 8)
            return self.rows.put_float(key, number)
        if stat.kind == STAT_REF:
            text = ids_get(&self.stat_ids, <int64_t>stat.number)
            if text < 0:
                text = self.nothing
        elif stat.kind == STAT_COMPRESSED:
            with gil:
                text = self.intern_object(decompressed(stat.text, stat.size))
        elif stat.kind == 0:
            return self.rows.put_argument(key, 0)
        else:
            text = self.rows.intern(stat.text, stat.size)
        if text < 0:
            return STOPPED
        self.note_text(key, text)
        return self.rows.put_text(key, ARGUMENT_BYTES if stat.kind == STAT_BYTES else ARGUMENT_TEXT, text)

    cdef int32_t intern_object(self, bytes data):
        return self.rows.intern(<const uint8_t *>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))

    cdef inline void note_text(self, int32_t key, int32_t text) noexcept nogil:
        if key == self.hlo_category:
            self.category = text
        elif key == self.allocator_name:
            self.allocator = text

    cdef inline void note_number(self, int32_t key, int64_t value) noexcept nogil:
        if key == self.correlation_id:
            if self.category == NO_STRING:
                self.category = self.kernel if self.is_device else self.runtime
        elif key == self.bytes_allocated:
            self.allocated = value
        elif key == self.bytes_reserved:
            self.reserved = value

    cdef int read_line(self, const Plane *plane, Line line) noexcept nogil:
        cdef int64_t at = line.at
        cdef int64_t start
        cdef int32_t track
        cdef int64_t since_ps
        cdef uint32_t number = 0
        cdef uint32_t wire = 0
        cdef uint64_t value = 0
        cdef const uint8_t *p
        cdef const uint8_t *name = NULL
        cdef size_t size = 0
        cdef uint8_t phase = 88
        cdef int answer
        cdef int64_t since_ns = line.timestamp_ns - self.base_ns if line.timestamp_ns >= self.base_ns else 0
        since_ps = since_ns * 1000 if 0 <= since_ns <= LIMIT_PS // 1000 else LIMIT_PS + 3
        if self.find_track(plane, &line, &track) < 0:
            return STOPPED
        if line.name >= 0:
            self.rows.string_at(line.name, &name, &size)
            if size == 10 and memcmp(name, b"_counters_", 10) == 0:
                phase = 67
        while True:
            start = at
            answer = self.window.field(&at, line.end, &number, &wire, &value)
            if answer != FOUND:
                return STOPPED if answer == STOPPED else DONE
            if wire != WIRE_BYTES:
                continue
            if value > <uint64_t>(line.end - at):
                return DONE
            if number == LINE_EVENTS and value > MESSAGE_BYTES:
                self.rows.problem(b"an event takes more than 64 MB and is left out", start)
            elif number == LINE_EVENTS:
                p = self.window.need(at, <size_t>value)
                if p == NULL and value:
                    return STOPPED
                answer = self.read_event(p, p + value, plane, track, since_ps, phase, start)
                if answer == STOPPED:
                    return STOPPED
                if answer == MALFORMED:
                    self.rows.problem(b"an event is damaged and left out", start)
                    self.rows.forget_arguments()
            at += <int64_t>value

    cdef int find_track(self, const Plane *plane, const Line *line, int32_t *track) noexcept nogil:
        cdef int64_t id = line.display_id if line.display_id else line.id
        cdef int32_t name = line.display_name
        cdef int32_t known
        cdef int32_t process = self.process_name(plane)
        cdef char digits[24]
        cdef const uint8_t *start = NULL
        cdef size_t size = 0
        cdef int32_t text = self.rows.intern(<const uint8_t *>digits, <size_t>snprintf(digits, 24, b"%lld", <long long>id))
        if text < 0 or process < 0:
            return STOPPED
        track[0] = self.rows.track_of(process, text)
        if track[0] < 0:
            return STOPPED
        self.rows.process_at(self.rows.thread_at(track[0]).process).name = process
        if name < 0 or name == self.nothing:
            name = line.name
        known = self.rows.thread_at(track[0]).name
        if known < 0 or known == self.nothing:
            self.rows.thread_at(track[0]).name = name
        return DONE

    cdef int32_t process_name(self, const Plane *plane) noexcept nogil:
        cdef const uint8_t *name = NULL
        cdef size_t size = 0
        self.rows.string_at(plane.name, &name, &size)
        if (
            begins(name, size, b"/host:cupti", 11)
            or begins(name, size, b"/host:nvtx-cupti", 16)
            or begins(name, size, b"/host:roctracer", 15)
            or begins(name, size, b"/host:python-tracer", 19)
        ):
            return self.rows.intern(<const uint8_t *>b"/host:CPU", 9)
        return plane.name

    cdef int read_event(
        self, const uint8_t *p, const uint8_t *end, const Plane *plane, int32_t track, int64_t since_ps, uint8_t phase, int64_t start
    ) noexcept nogil:
        cdef uint32_t number = 0
        cdef uint32_t wire = 0
        cdef uint64_t value = 0
        cdef uint64_t id = 0
        cdef int64_t offset = 0
        cdef int64_t duration = 0
        cdef uint64_t occurrences = 0
        cdef const uint8_t *stats = NULL
        cdef const uint8_t *at
        cdef const uint8_t *part = NULL
        cdef size_t size = 0
        cdef Stat stat
        cdef Named *named
        cdef int32_t found
        cdef int32_t name
        while p < end:
            at = p
            if p[0] == (EVENT_STATS << 3 | WIRE_BYTES) and end - p >= 2 and p[1] < 0x80 and p[1] <= end - p - 2:
                if stats == NULL:
                    stats = at
                p += 2 + p[1]
                continue
            p = read_key(p, end, &number, &wire)
            if p == NULL:
                return MALFORMED
            if wire == WIRE_VARINT:
                p = read_varint(p, end, &value)
                if number == EVENT_METADATA_ID:
                    id = value
                elif number == EVENT_OFFSET_PS:
                    offset = <int64_t>value
                elif number == EVENT_DURATION_PS:
                    duration = <int64_t>value
                elif number == EVENT_OCCURRENCES:
                    occurrences = value
            else:
                if stats == NULL and number == EVENT_STATS:
                    stats = at
                p = skip_field(p, end, wire)
            if p == NULL:
                return MALFORMED
        found = ids_get(&self.event_ids, <int64_t>id)
        self.category = NO_STRING
        self.allocator = NO_STRING
        self.allocated = self.reserved = 0
        if found >= 0:
            named = <Named *>self.named.data + found
            name = named.name
            self.category = named.category
            if named.entries_size and self.rows.put_entries(self.entries.data + named.entries_at, named.entries_size) < 0:
                return STOPPED
        else:
            named = NULL
            name = self.nameless(id, start)
            if name < 0:
                return STOPPED
        if occurrences and self.rows.put_int(self.occurrences, <int64_t>occurrences) < 0:
            return STOPPED
        p = stats
        if p != NULL and bytes_room(&self.rows.pending, ((end - p) // STAT_BYTES_LEAST + 2) * ENTRY_BYTES) < 0:
            return STOPPED
        while p != NULL and p < end:
            p = self.put_numbers(p, end)
            if p == end:
                break
            p = read_key(p, end, &number, &wire)
            if number != EVENT_STATS or wire != WIRE_BYTES:
                p = skip_field(p, end, wire)
                continue
            p = read_bytes(p, end, &part, &size)
            if read_stat(part, part + size, &stat) < 0:
                return MALFORMED
            if self.put_stat(&stat) < 0:
                return STOPPED
        if offset > LIMIT_PS:
            offset = LIMIT_PS
        elif offset < -LIMIT_PS:
            offset = -LIMIT_PS
        if self.rows.add(phase, track, since_ps + offset, duration, name, self.category, 0, start) < 0:
            return STOPPED
        if named != NULL and named.is_memory and self.allocator >= 0:
            return self.add_memory(plane, since_ps + offset, start)
        return DONE

    cdef int32_t nameless(self, uint64_t id, int64_t start) noexcept nogil:
        cdef char digits[32]
        self.rows.problem(b"events whose names are not in the file", start)
        return self.rows.intern(<const uint8_t *>digits, <size_t>snprintf(digits, 32, b"event %lld", <long long>id))

    cdef int add_memory(self, const Plane *plane, int64_t at_ps, int64_t start) noexcept nogil:
        """What an allocator holds after an allocation, as a counter of its own."""
        cdef int32_t track = self.rows.track_of(self.process_name(plane), self.memory)
        if track < 0:
            return STOPPED
        self.rows.thread_at(track).name = self.memory
        if self.rows.put_int(self.bytes_allocated, self.allocated) < 0 or self.rows.put_int(self.bytes_reserved, self.reserved) < 0:
            return STOPPED
        return self.rows.add(67, track, at_ps, 0, self.allocator, NO_STRING, 0, start)

    # -- what planes say of themselves

    def plane_stats(self, size_t index):
        cdef Plane plane = (<Plane *>self.planes.data)[index]
        cdef int64_t at = plane.at
        cdef int64_t stop
        cdef uint32_t number = 0
        cdef uint32_t wire = 0
        cdef uint64_t value = 0
        cdef const uint8_t *p
        cdef Stat stat
        found = []
        names = {}
        while self.window.field(&at, plane.end, &number, &wire, &value) == FOUND:
            if wire != WIRE_BYTES:
                continue
            stop = at + <int64_t>min(value, <uint64_t>(plane.end - at))
            if number in (PLANE_STATS, PLANE_STAT_METADATA) and stop - at <= TEXT_BYTES:
                p = self.window.need(at, <size_t>(stop - at))
                if p == NULL:
                    break
                if number == PLANE_STATS:
                    if read_stat(p, p + (stop - at), &stat) == DONE:
                        found.append((stat.id, self.stat_value(&stat)))
                else:
                    name_stat(names, p, p + (stop - at))
            at = stop
        return {names.get(key, ""): names.get(held[0], "") if isinstance(held, tuple) else held for key, held in found}

    cdef object stat_value(self, const Stat *stat):
        cdef double number
        if stat.kind == STAT_DOUBLE:
            memcpy(&number, &stat.number, 8)
            return number
        if stat.kind == STAT_UINT64:
            return stat.number
        if stat.kind == STAT_INT64:
            return <int64_t>stat.number
        if stat.kind == STAT_REF:
            return (<int64_t>stat.number,)
        if stat.kind == STAT_STR:
            return PyUnicode_DecodeUTF8(<const char *>stat.text, stat.size, "replace")
        if stat.kind == STAT_BYTES:
            return PyBytes_FromStringAndSize(<const char *>stat.text, stat.size)
        if stat.kind == STAT_COMPRESSED:
            return decompressed(stat.text, stat.size).decode("utf-8", "replace")
        return None

    def describe_planes(self):
        cdef Plane plane
        cdef const uint8_t *start = NULL
        cdef size_t size = 0
        cdef size_t i
        found = []
        # A damaged file may have any number of empty planes.
        for i in range(min(self.planes.size // sizeof(Plane), <size_t>1000)):
            plane = (<Plane *>self.planes.data)[i]
            self.rows.string_at(plane.name, &start, &size)
            name = PyUnicode_DecodeUTF8(<const char *>start, size, "replace")
            found.append({"name": name, "id": plane.id, "lines": plane.line_end - plane.first_line, "stats": self.plane_stats(i)})
        return found


cdef int name_stat(dict names, const uint8_t *p, const uint8_t *end) except -1:
    cdef uint32_t number = 0
    cdef uint32_t wire = 0
    cdef uint64_t id = 0
    cdef const uint8_t *message = NULL
    cdef size_t size = 0
    cdef const uint8_t *name = NULL
    while p != NULL and p < end:
        p = read_key(p, end, &number, &wire)
        if p == NULL:
            return 0
        if number == 1 and wire == WIRE_VARINT:
            p = read_varint(p, end, &id)
        elif number == 2 and wire == WIRE_BYTES:
            p = read_bytes(p, end, &message, &size)
        else:
            p = skip_field(p, end, wire)
    if p == NULL or message == NULL:
        return 0
    end = message + size
    p = message
    names[<int64_t>id] = ""
    while p != NULL and p < end:
        p = read_key(p, end, &number, &wire)
        if p == NULL:
            return 0
        if number == METADATA_NAME and wire == WIRE_BYTES:
            p = read_bytes(p, end, &name, &size)
            if p != NULL:
                names[<int64_t>id] = PyUnicode_DecodeUTF8(<const char *>name, size, "replace")
        else:
            p = skip_field(p, end, wire)
    return 0


def read_xplane(reader, str name not None, TraceRows rows not None, *, flag=None, report=None):
    """Adds a file to the rows; False if it was cancelled. `reader` has `size_bytes` and `read(offset, size)`.

    `report` is told how many bytes have been read, `flag` is polled while reading.
    """
    cdef Window window = Window(reader, reader.size_bytes, flag, report)
    cdef XPlaneReader space
    cdef int answer
    file = rows.begin_file(name)
    space = XPlaneReader(window, rows)
    said = []
    with nogil:
        answer = space.scan(said)
        if answer == DONE:
            space.find_base()
            # What allocators hold is a row more. Room that is not used costs nothing; having to move does.
            answer = rows.reserve(space.event_count + space.event_count // 2)
        if answer == DONE:
            answer = space.read_all()
    if answer < 0:
        if window.failure is not None:
            raise window.failure
        if window.cancelled is not None and window.cancelled.shape[0] and window.cancelled[0]:
            return False
        if window.base + <int64_t>window.have < window.size:
            rows.add_problem(f"{name}: byte {window.base + <int64_t>window.have}: the file became shorter while it was read")
        else:
            raise MemoryError
    for number, text in said:
        if number == SPACE_HOSTNAMES:
            file.host = file.host or text
        else:
            rows.add_problem(f"{name}: the profiler says: {text}")
    planes = space.describe_planes()
    file.metadata["planes"] = planes
    if not planes:
        rows.add_problem(f"{name}: byte 0: there is no plane in this profile")
    stats = next((plane["stats"] for plane in planes if plane["name"] == "Task Environment"), {})
    begun = stats.get("profile_start_time")
    if space.base_ns > UNIX_NS:
        file.base_ns = space.base_ns
    elif space.base_ns == 0 and isinstance(begun, int) and begun > UNIX_NS:
        file.base_ns = begun
    if report is not None:
        report(window.size)
    return True
