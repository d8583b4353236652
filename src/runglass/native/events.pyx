"""The hot path: scans event files record by record and turns events straight into columns, without the GIL.

Knows framing, checksums and the wire layout of Event and Summary. Plugin names and paths mean nothing to it: the caller says which
plugin's single numbers are points; everything else is kept as a byte range.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memmove, memset

from runglass.native.columns cimport (
    Cols,
    Columns,
    cols_extend,
    cols_free,
    cols_init_blobs,
    cols_init_points,
    cols_reserve,
    cols_widen_value,
)
from runglass.native.records cimport load_u32, load_u64, rg_crc32c_init, rg_masked_crc32c

cdef extern from "pread.h" nogil:
    int64_t rg_pread(int fd, void *into, size_t size, int64_t offset) noexcept

rg_crc32c_init()

# Why a scan stopped.
cdef enum Stop:
    STOP_END = 0          # at the end of the file, between two records
    STOP_SHORT = 1        # inside a record: the writer is not done, ask again
    STOP_ZEROS = 2        # at zeros where a header should be: space that is not yet written
    STOP_BAD_LENGTH = 3   # the length's checksum is wrong: the file cannot be followed any further
    STOP_TOO_LONG = 4     # a length that no event can have
    STOP_READ_FAILED = 5
    STOP_NO_MEMORY = 6
    STOP_LIMIT = 7        # at the caller's limit

STOPS = ("end", "short", "zeros", "bad_length", "too_long", "read_failed", "no_memory", "limit")

cdef enum Skip:
    SKIP_NONE = 0
    SKIP_CHECKSUM = 1
    SKIP_MALFORMED = 2

SKIPS = ("", "checksum", "malformed")

cdef enum:
    BUFFER_BYTES = 256 * 1024
    FIRST_READ_BYTES = 16 * 1024
    WINDOW_BYTES = 4096
    # A record above this is looked at through a window, and hopped over when all its values are large.
    HOP_BYTES = 64 * 1024
    # Protobuf's own limit of one message.
    MAX_RECORD_BYTES = 0x7FFFFFFF
    # A record that mixes small and large values is read whole, so that its checksum is known; up to this size.
    MAX_WHOLE_BYTES = 256 * 1024 * 1024
    MAX_SUMMARIES = 8
    HEADER_CACHE = 64

cdef enum PluginClass:
    PLUGIN_UNKNOWN = 0
    PLUGIN_POINTS = 1
    PLUGIN_OTHER = 2

# Event and Summary.Value field numbers.
cdef enum:
    EVENT_FILE_VERSION = 3
    EVENT_GRAPH = 4
    EVENT_SUMMARY = 5
    EVENT_SESSION_LOG = 7
    EVENT_RUN_METADATA = 8
    EVENT_META_GRAPH = 9
    VALUE_TAG = 1
    VALUE_SIMPLE = 2
    VALUE_NODE_NAME = 7
    VALUE_TENSOR = 8
    VALUE_METADATA = 9

cdef struct Start:
    # Rows that came before a session start, and the step it names.
    int64_t points
    int64_t blobs
    int64_t step

cdef struct TagState:
    uint8_t *name
    uint8_t *meta
    uint32_t size
    uint32_t hash
    int32_t meta_size          # -1: no metadata seen yet
    int32_t following          # the tag that came after this one last time: writers cycle
    uint8_t plugin
    uint8_t first_field
    uint8_t is_dirty
    uint8_t blobs_first
    Cols points
    Cols blobs
    int64_t taken_points       # rows handed over by earlier take() calls
    int64_t taken_blobs
    Start *starts
    int32_t start_count

cdef struct Extra:
    # An event that is no summary (graph, run metadata): where its body is.
    int64_t step
    double wall_time
    int64_t record
    uint32_t at
    uint32_t size
    uint8_t field

cdef struct Buffer:
    uint8_t *data
    size_t capacity
    size_t have
    size_t read_size
    int64_t base               # file offset of data[0]

cdef struct Value:
    const uint8_t *tag
    const uint8_t *node
    const uint8_t *meta
    const uint8_t *body
    uint64_t tag_size
    uint64_t node_size
    uint64_t meta_size
    uint64_t body_size
    int has_meta
    int field
    float simple

cdef struct HeaderSeen:
    uint64_t length
    uint32_t checksum


# ------------------------------------------------------------------ wire

cdef inline const uint8_t *varint(const uint8_t *p, const uint8_t *end, uint64_t *out) noexcept nogil:
    """The byte after the varint, or NULL."""
    cdef uint64_t value = 0
    cdef int shift = 0
    if p < end and p[0] < 0x80:
        out[0] = p[0]
        return p + 1
    while p < end and shift < 70:
        value |= <uint64_t>(p[0] & 0x7F) << shift if shift < 64 else 0
        if p[0] < 0x80:
            out[0] = value
            return p + 1
        p += 1
        shift += 7
    return NULL


cdef inline const uint8_t *skip_field(const uint8_t *p, const uint8_t *end, uint64_t key) noexcept nogil:
    cdef uint64_t size
    cdef int wire = key & 7
    if key >> 3 == 0:
        return NULL
    if wire == 0:
        return varint(p, end, &size)
    if wire == 1:
        return p + 8 if end - p >= 8 else NULL
    if wire == 5:
        return p + 4 if end - p >= 4 else NULL
    if wire == 2:
        p = varint(p, end, &size)
        if p == NULL or size > <uint64_t>(end - p):
            return NULL
        return p + size
    return NULL


cdef inline double load_double(const uint8_t *p) noexcept nogil:
    cdef uint64_t bits = load_u64(p)
    cdef double value
    memcpy(&value, &bits, 8)
    return value


cdef inline float load_float(const uint8_t *p) noexcept nogil:
    cdef uint32_t bits = load_u32(p)
    cdef float value
    memcpy(&value, &bits, 4)
    return value


cdef inline float float_of_bits(uint32_t bits) noexcept nogil:
    cdef float value
    memcpy(&value, &bits, 4)
    return value


cdef float float_of_half(uint16_t half) noexcept nogil:
    cdef uint32_t sign = <uint32_t>(half & 0x8000) << 16
    cdef uint32_t exponent = (half >> 10) & 0x1F
    cdef uint32_t mantissa = half & 0x3FF
    cdef float magnitude
    if exponent == 0:
        magnitude = <float>mantissa * 5.9604644775390625e-08  # 2**-24
        return -magnitude if sign else magnitude
    if exponent == 31:
        return float_of_bits(sign | 0x7F800000 | mantissa << 13)
    return float_of_bits(sign | (exponent + 112) << 23 | mantissa << 13)


cdef int item_bytes(int dtype) noexcept nogil:
    """Bytes of one element in tensor_content; 0 for types that are no plain number."""
    if dtype == 1 or dtype == 3 or dtype == 22 or dtype == 13:
        return 4
    if dtype == 2 or dtype == 9 or dtype == 23:
        return 8
    if dtype == 5 or dtype == 14 or dtype == 17 or dtype == 19 or dtype == 15 or dtype == 16:
        return 2
    if dtype == 4 or dtype == 6 or dtype == 10 or dtype == 11 or dtype == 12:
        return 1
    return 0


cdef double number_of_content(const uint8_t *p, int dtype) noexcept nogil:
    if dtype == 1:
        return load_float(p)
    if dtype == 2:
        return load_double(p)
    if dtype == 3 or dtype == 13:
        return <int32_t>load_u32(p)
    if dtype == 22:
        return load_u32(p)
    if dtype == 9:
        return <double><int64_t>load_u64(p)
    if dtype == 23:
        return <double>load_u64(p)
    if dtype == 5 or dtype == 15:
        return <double><int32_t>(<uint32_t>(p[0] | p[1] << 8) ^ 0x8000) - 0x8000
    if dtype == 17 or dtype == 16:
        return p[0] | p[1] << 8
    if dtype == 19:
        return float_of_half(p[0] | p[1] << 8)
    if dtype == 14:
        return float_of_bits(<uint32_t>(p[0] | p[1] << 8) << 16)
    if dtype == 6 or dtype == 11:
        return <double><int32_t>(p[0] ^ 0x80) - 0x80
    return p[0]


cdef double number_of_varint(uint64_t raw, int field, int dtype) noexcept nogil:
    """The number in a typed field: int_val 7, int64_val 10, bool_val 11, half_val 13, uint32_val 16, uint64_val 17."""
    if field == 13:
        # torch stores float32 bit patterns here; those do not fit into 16 bits.
        if raw > 0xFFFF:
            return float_of_bits(<uint32_t>raw)
        return float_of_bits(<uint32_t>raw << 16) if dtype == 14 else float_of_half(<uint16_t>raw)
    if field == 17:
        return <double>raw
    if field == 16:
        return <double><uint32_t>raw
    if field == 11:
        return 1.0 if raw else 0.0
    if field == 7:
        return <double><int32_t><uint32_t>raw
    return <double><int64_t>raw


cdef int shape_elements(const uint8_t *p, const uint8_t *end, int *is_single) noexcept nogil:
    """Whether a TensorShapeProto describes exactly one element. -1: malformed."""
    cdef uint64_t key, size, dim
    cdef const uint8_t *inner
    is_single[0] = 1
    while p < end:
        p = varint(p, end, &key)
        if p == NULL:
            return -1
        if key != 0x12:
            p = skip_field(p, end, key)
            if p == NULL:
                return -1
            continue
        p = varint(p, end, &size)
        if p == NULL or size > <uint64_t>(end - p):
            return -1
        inner = p + size
        dim = 0
        while p < inner:
            p = varint(p, inner, &key)
            if p == NULL:
                return -1
            if key == 0x08:
                p = varint(p, inner, &dim)
            else:
                p = skip_field(p, inner, key)
            if p == NULL:
                return -1
        if dim != 1:
            is_single[0] = 0
    return 0


cdef int scalar_of_tensor(const uint8_t *p, const uint8_t *end, double *out) noexcept nogil:
    """1: the tensor is one number, in `out`. 0: it is something else. -1: malformed."""
    cdef uint64_t key, size, raw
    cdef const uint8_t *content = NULL
    cdef const uint8_t *inner
    cdef uint64_t content_size = 0
    cdef int dtype = 0
    cdef int single = 1
    cdef int count = 0
    cdef int field, wire
    cdef double number = 0.0
    # What TF2, TensorBoard and torch write for a float32: dtype, an empty shape or none, 4 bytes of content or float_val.
    if end - p == 10 and p[0] == 0x08 and p[1] == 1 and p[2] == 0x12 and p[3] == 0 and (p[4] == 0x22 or p[4] == 0x2A) and p[5] == 4:
        out[0] = load_float(p + 6)
        return 1
    while p < end:
        p = varint(p, end, &key)
        if p == NULL:
            return -1
        field = <int>(key >> 3) if key < 1000 else 999
        wire = key & 7
        if key == 0x08:
            p = varint(p, end, &raw)
            dtype = <int>(raw & 0xFFFF)
            if dtype > 100:
                dtype -= 100
        elif key == 0x12 or key == 0x22:
            p = varint(p, end, &size)
            if p == NULL or size > <uint64_t>(end - p):
                return -1
            if key == 0x22:
                content = p
                content_size = size
            elif shape_elements(p, p + size, &single) < 0:
                return -1
            p += size
        elif (field == 5 and wire == 5) or (field == 6 and wire == 1):
            if end - p < (4 if wire == 5 else 8):
                return -1
            number = load_float(p) if wire == 5 else load_double(p)
            p += 4 if wire == 5 else 8
            count += 1
        elif wire == 2 and (field == 5 or field == 6):
            p = varint(p, end, &size)
            if p == NULL or size > <uint64_t>(end - p):
                return -1
            if field == 5:
                if size >= 4:
                    number = load_float(p)
                count += 2 if size > 4 else <int>(size // 4)
            else:
                if size >= 8:
                    number = load_double(p)
                count += 2 if size > 8 else <int>(size // 8)
            p += size
        elif field == 7 or field == 10 or field == 11 or field == 13 or field == 16 or field == 17:
            if wire == 2:
                p = varint(p, end, &size)
                if p == NULL or size > <uint64_t>(end - p):
                    return -1
                inner = p + size
                while p < inner and count < 2:
                    p = varint(p, inner, &raw)
                    if p == NULL:
                        return -1
                    number = number_of_varint(raw, field, dtype)
                    count += 1
                p = inner
            elif wire == 0:
                p = varint(p, end, &raw)
                number = number_of_varint(raw, field, dtype)
                count += 1
            else:
                p = skip_field(p, end, key)
        else:
            p = skip_field(p, end, key)
        if p == NULL:
            return -1
    if not single or item_bytes(dtype) == 0 or count > 1:
        return 0
    if content_size:
        if content_size != <uint64_t>item_bytes(dtype):
            return 0
        out[0] = number_of_content(content, dtype)
        return 1
    # A number that equals its type's default is left out by some writers.
    out[0] = number if count else 0.0
    return 1


cdef int read_value(const uint8_t *p, const uint8_t *end, Value *v) noexcept nogil:
    """Find the parts of one Summary.Value. -1: malformed."""
    cdef uint64_t key, size
    cdef int field
    memset(v, 0, sizeof(Value))
    while p < end:
        p = varint(p, end, &key)
        if p == NULL:
            return -1
        if key == 0x15:
            if end - p < 4:
                return -1
            v.simple = load_float(p)
            v.field = VALUE_SIMPLE
            p += 4
            continue
        field = <int>(key >> 3) if key < 1000 else 999
        if key & 7 != 2 or field > VALUE_METADATA or field == VALUE_SIMPLE:
            p = skip_field(p, end, key)
            if p == NULL:
                return -1
            continue
        p = varint(p, end, &size)
        if p == NULL or size > <uint64_t>(end - p) or field == 0:
            return -1
        if field == VALUE_TAG:
            v.tag = p
            v.tag_size = size
        elif field == VALUE_NODE_NAME:
            v.node = p
            v.node_size = size
        elif field == VALUE_METADATA:
            v.meta = p
            v.meta_size = size
            v.has_meta = 1
        else:
            v.body = p
            v.body_size = size
            v.field = field
        p += size
    return 0


cdef int plugin_class(const uint8_t *p, const uint8_t *end, const uint8_t *name, size_t name_size) noexcept nogil:
    """Whether SummaryMetadata names the plugin whose single numbers are points."""
    cdef uint64_t key, size
    cdef const uint8_t *inner
    while p < end:
        p = varint(p, end, &key)
        if p == NULL:
            return PLUGIN_OTHER
        if key != 0x0A:
            p = skip_field(p, end, key)
            if p == NULL:
                return PLUGIN_OTHER
            continue
        p = varint(p, end, &size)
        if p == NULL or size > <uint64_t>(end - p):
            return PLUGIN_OTHER
        inner = p + size
        while p < inner:
            p = varint(p, inner, &key)
            if p == NULL:
                return PLUGIN_OTHER
            if key == 0x0A:
                p = varint(p, inner, &size)
                if p == NULL or size > <uint64_t>(inner - p):
                    return PLUGIN_OTHER
                if size == 0:
                    return PLUGIN_UNKNOWN
                return PLUGIN_POINTS if size == name_size and memcmp(p, name, name_size) == 0 else PLUGIN_OTHER
            p = skip_field(p, inner, key)
            if p == NULL:
                return PLUGIN_OTHER
    return PLUGIN_UNKNOWN


# --------------------------------------------------------------- scanner

cdef class ScanBuffer:
    """Scratch memory of one scanning thread, reused from file to file."""

    cdef Buffer buffer

    def __cinit__(self):
        self.buffer.data = <uint8_t *>malloc(BUFFER_BYTES)
        self.buffer.capacity = BUFFER_BYTES
        if self.buffer.data == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.buffer.data)


cdef int64_t fill(Buffer *b, int fd, int64_t at, size_t need) noexcept nogil:
    """Bytes available from file offset `at`, at least `need` unless the file ends first; negative errno on failure."""
    cdef size_t skip
    cdef int64_t got
    cdef uint8_t *grown
    if at < b.base or at >= b.base + <int64_t>b.have:
        # Somewhere else in the file: begin small, because what follows a hop is usually one header and another hop.
        b.base = at
        b.have = 0
        b.read_size = FIRST_READ_BYTES
    else:
        skip = <size_t>(at - b.base)
        if skip:
            memmove(b.data, b.data + skip, b.have - skip)
            b.have -= skip
            b.base = at
    if need > b.capacity:
        grown = <uint8_t *>realloc(b.data, need)
        if grown == NULL:
            return -12
        b.data = grown
        b.capacity = need
    while b.have < need:
        got = rg_pread(fd, b.data + b.have, max(need - b.have, min(b.capacity - b.have, b.read_size)), b.base + <int64_t>b.have)
        if got < 0:
            return got
        if got == 0:
            break
        b.have += <size_t>got
        b.read_size = min(b.read_size * 4, <size_t>BUFFER_BYTES)
    return <int64_t>b.have


cdef inline uint32_t hash_name(const uint8_t *p, uint64_t size) noexcept nogil:
    cdef uint32_t h = 2166136261u
    cdef uint64_t i
    for i in range(size):
        h = (h ^ p[i]) * 16777619u
    return h


cdef class EventScanner:
    """Everything known of one event file: where reading stands, its tags, and rows that wait to be taken.

    `scan` runs without the GIL and fills C memory that nobody else sees; `take` hands the rows over.
    """

    cdef TagState *tags
    cdef int32_t tag_count
    cdef int32_t tag_capacity
    cdef int32_t *slots
    cdef uint32_t slot_count
    cdef int32_t previous
    cdef int32_t *undo
    cdef int32_t undo_count
    cdef int32_t undo_capacity
    cdef Extra *extras
    cdef int32_t extra_count
    cdef int32_t extra_capacity
    cdef HeaderSeen seen[HEADER_CACHE]
    cdef bytes plugin
    cdef const uint8_t *plugin_name
    cdef size_t plugin_size
    cdef list columns
    # First byte of the next header: a record cut short is read again whole, so no partial state survives a scan.
    cdef readonly int64_t offset
    cdef readonly int64_t start_offset
    cdef readonly int64_t records
    cdef readonly int64_t skipped
    cdef readonly int64_t first_skipped
    cdef readonly int32_t session_starts
    cdef readonly int64_t min_start_step
    cdef int64_t last_start_step
    cdef readonly double min_wall_time
    cdef readonly double max_wall_time
    cdef readonly uint32_t found_checksum
    cdef readonly uint32_t expected_checksum
    cdef readonly uint64_t found_length
    cdef readonly int read_errno
    cdef int first_skip
    cdef int stop

    def __cinit__(self, bytes plugin, int64_t offset=0, EventScanner like=None):
        cdef int32_t i
        cdef TagState *t
        self.plugin = plugin
        self.plugin_name = <const uint8_t *><const char *>plugin
        self.plugin_size = len(plugin)
        self.columns = []
        self.offset = self.start_offset = offset
        self.first_skipped = -1
        self.min_wall_time = INFINITY
        self.max_wall_time = -INFINITY
        self.slot_count = 16
        self.slots = <int32_t *>malloc(16 * sizeof(int32_t))
        if self.slots == NULL:
            raise MemoryError
        memset(self.slots, 0xFF, 16 * sizeof(int32_t))
        if like is not None:
            # The same tags in the same order, so that absorb() finds them without a search.
            for i in range(like.tag_count):
                t = &like.tags[i]
                if self.find(t.name, t.size) < 0:
                    raise MemoryError
                self.tags[i].plugin = t.plugin
                self.tags[i].following = t.following

    def __dealloc__(self):
        cdef int32_t i
        for i in range(self.tag_count):
            free(self.tags[i].name)
            free(self.tags[i].meta)
            free(self.tags[i].starts)
            cols_free(&self.tags[i].points)
            cols_free(&self.tags[i].blobs)
        free(self.tags)
        free(self.slots)
        free(self.undo)
        free(self.extras)

    # -- tags

    cdef int32_t add_tag(self, const uint8_t *name, uint64_t size, uint32_t h) noexcept nogil:
        cdef TagState *grown
        cdef int32_t *slots
        cdef uint32_t slot, count
        cdef int32_t i
        cdef TagState *t
        if self.tag_count == self.tag_capacity:
            i = self.tag_capacity * 2 if self.tag_capacity else 8
            grown = <TagState *>realloc(self.tags, i * sizeof(TagState))
            if grown == NULL:
                return -1
            self.tags = grown
            self.tag_capacity = i
        if <uint32_t>(self.tag_count + 1) * 2 > self.slot_count:
            count = self.slot_count * 2
            slots = <int32_t *>malloc(count * sizeof(int32_t))
            if slots == NULL:
                return -1
            memset(slots, 0xFF, count * sizeof(int32_t))
            for i in range(self.tag_count):
                slot = self.tags[i].hash & (count - 1)
                while slots[slot] >= 0:
                    slot = (slot + 1) & (count - 1)
                slots[slot] = i
            free(self.slots)
            self.slots = slots
            self.slot_count = count
        t = &self.tags[self.tag_count]
        memset(t, 0, sizeof(TagState))
        t.name = <uint8_t *>malloc(size if size else 1)
        if t.name == NULL:
            return -1
        memcpy(t.name, name, size)
        t.size = <uint32_t>size
        t.hash = h
        t.meta_size = -1
        t.following = self.tag_count + 1
        cols_init_points(&t.points)
        cols_init_blobs(&t.blobs)
        if self.session_starts:
            t.starts = <Start *>calloc(1, sizeof(Start))
            if t.starts == NULL:
                free(t.name)
                return -1
            t.starts[0].step = self.last_start_step
            t.start_count = 1
        slot = h & (self.slot_count - 1)
        while self.slots[slot] >= 0:
            slot = (slot + 1) & (self.slot_count - 1)
        self.slots[slot] = self.tag_count
        self.tag_count += 1
        return self.tag_count - 1

    cdef int32_t find(self, const uint8_t *name, uint64_t size) noexcept nogil:
        """Index of the tag, added when it is new; -1 when memory ran out."""
        cdef int32_t guess = self.tags[self.previous].following if self.tag_count else 0
        cdef uint32_t h, slot
        cdef TagState *t
        if guess >= self.tag_count:
            guess = 0
        if guess < self.tag_count:
            t = &self.tags[guess]
            if t.size == size and memcmp(t.name, name, size) == 0:
                self.previous = guess
                return guess
        h = hash_name(name, size)
        slot = h & (self.slot_count - 1)
        while self.slots[slot] >= 0:
            t = &self.tags[self.slots[slot]]
            if t.hash == h and t.size == size and memcmp(t.name, name, size) == 0:
                break
            slot = (slot + 1) & (self.slot_count - 1)
        guess = self.slots[slot]
        if guess < 0:
            guess = self.add_tag(name, size, h)
            if guess < 0:
                return -1
        self.tags[self.previous].following = guess
        self.previous = guess
        return guess

    cdef int remember(self, int32_t tag, int is_blob) noexcept nogil:
        """Note a row of the current record, so that a malformed record can be taken back whole."""
        cdef int32_t *grown
        cdef int32_t capacity
        if self.undo_count == self.undo_capacity:
            capacity = self.undo_capacity * 2 if self.undo_capacity else 64
            grown = <int32_t *>realloc(self.undo, capacity * sizeof(int32_t))
            if grown == NULL:
                return -2
            self.undo = grown
            self.undo_capacity = capacity
        self.undo[self.undo_count] = tag * 2 + is_blob
        self.undo_count += 1
        return 0

    cdef void take_back(self) noexcept nogil:
        cdef int32_t i, entry
        for i in range(self.undo_count):
            entry = self.undo[i]
            if entry & 1:
                self.tags[entry >> 1].blobs.count -= 1
            else:
                self.tags[entry >> 1].points.count -= 1
        self.undo_count = 0

    cdef inline int push_point(self, TagState *t, double wall_time, int64_t step, double value) noexcept nogil:
        cdef Cols *c = &t.points
        if c.count == c.capacity and cols_reserve(c, c.capacity * 2 if c.capacity else 64) < 0:
            return -2
        if c.width[2] == 4:
            if <double><float>value != value and value == value:
                if cols_widen_value(c) < 0:
                    return -2
                (<double *>c.data[2])[c.count] = value
            else:
                (<float *>c.data[2])[c.count] = <float>value
        else:
            (<double *>c.data[2])[c.count] = value
        (<int64_t *>c.data[0])[c.count] = step
        (<double *>c.data[1])[c.count] = wall_time
        c.count += 1
        t.is_dirty = 1
        return 0

    cdef int push_blob(
        self, int32_t index, double wall_time, int64_t step, int64_t record, uint64_t at, uint64_t size
    ) noexcept nogil:
        cdef TagState *t = &self.tags[index]
        cdef Cols *c = &t.blobs
        if c.count == c.capacity and cols_reserve(c, c.capacity * 2 if c.capacity else 16) < 0:
            return -2
        if c.count == 0 and t.taken_blobs == 0 and t.points.count == 0 and t.taken_points == 0:
            t.blobs_first = 1
        (<int64_t *>c.data[0])[c.count] = step
        (<double *>c.data[1])[c.count] = wall_time
        (<int64_t *>c.data[2])[c.count] = record
        (<uint32_t *>c.data[3])[c.count] = <uint32_t>at
        (<uint32_t *>c.data[4])[c.count] = <uint32_t>size
        c.count += 1
        t.is_dirty = 1
        return self.remember(index, 1)

    cdef int push_extra(
        self, int field, double wall_time, int64_t step, int64_t record, uint64_t at, uint64_t size
    ) noexcept nogil:
        cdef Extra *grown
        cdef Extra *e
        cdef int32_t capacity
        if self.extra_count == self.extra_capacity:
            capacity = self.extra_capacity * 2 if self.extra_capacity else 4
            grown = <Extra *>realloc(self.extras, capacity * sizeof(Extra))
            if grown == NULL:
                return -2
            self.extras = grown
            self.extra_capacity = capacity
        e = &self.extras[self.extra_count]
        e.field = field
        e.wall_time = wall_time
        e.step = step
        e.record = record
        e.at = <uint32_t>at
        e.size = <uint32_t>size
        self.extra_count += 1
        return 0

    cdef int set_meta(self, TagState *t, const uint8_t *meta, uint64_t size) noexcept nogil:
        t.meta = <uint8_t *>malloc(size if size else 1)
        if t.meta == NULL:
            return -2
        memcpy(t.meta, meta, size)
        t.meta_size = <int32_t>size
        t.plugin = plugin_class(meta, meta + size, self.plugin_name, self.plugin_size)
        t.is_dirty = 1
        return 0

    cdef int session_start(self, int64_t step) noexcept nogil:
        """A restart: rows from here on belong to another attempt, in every tag."""
        cdef int32_t i
        cdef TagState *t
        cdef Start *grown
        cdef int64_t points, blobs
        self.session_starts += 1
        self.last_start_step = step
        if self.session_starts == 1 or step < self.min_start_step:
            self.min_start_step = step
        for i in range(self.tag_count):
            t = &self.tags[i]
            points = t.taken_points + t.points.count
            blobs = t.taken_blobs + t.blobs.count
            if t.start_count and t.starts[t.start_count - 1].points == points and t.starts[t.start_count - 1].blobs == blobs:
                t.starts[t.start_count - 1].step = step
                continue
            grown = <Start *>realloc(t.starts, (t.start_count + 1) * sizeof(Start))
            if grown == NULL:
                return -2
            t.starts = grown
            grown[t.start_count].points = points
            grown[t.start_count].blobs = blobs
            grown[t.start_count].step = step
            t.start_count += 1
            t.is_dirty = 1
        return 0

    # -- events

    cdef int keep_value(
        self, Value *v, double wall_time, int64_t step, int64_t record, uint64_t at, uint64_t size
    ) noexcept nogil:
        """File one value under its tag. -1: malformed; -2: out of memory."""
        cdef int32_t index
        cdef TagState *t
        cdef double number
        cdef int is_scalar
        if v.field == 0 and not v.has_meta:
            return 0
        if v.tag_size == 0:
            v.tag = v.node
            v.tag_size = v.node_size
        index = self.find(v.tag, v.tag_size)
        if index < 0:
            return -2
        t = &self.tags[index]
        if v.has_meta and t.meta_size < 0 and self.set_meta(t, v.meta, v.meta_size) < 0:
            return -2
        if t.first_field == 0:
            t.first_field = v.field
        if v.field == VALUE_SIMPLE:
            if self.push_point(t, wall_time, step, v.simple) < 0:
                return -2
            return self.remember(index, 0)
        if v.field == VALUE_TENSOR and t.plugin != PLUGIN_OTHER:
            is_scalar = scalar_of_tensor(v.body, v.body + v.body_size, &number)
            if is_scalar < 0:
                return -1
            if is_scalar:
                if self.push_point(t, wall_time, step, number) < 0:
                    return -2
                return self.remember(index, 0)
        if v.field == 0 and t.plugin == PLUGIN_POINTS:
            return 0
        return self.push_blob(index, wall_time, step, record, at, size)

    cdef int keep_summary(
        self, const uint8_t *p, const uint8_t *end, const uint8_t *payload, double wall_time, int64_t step, int64_t record
    ) noexcept nogil:
        cdef uint64_t key, size
        cdef Value v
        cdef int code
        while p < end:
            p = varint(p, end, &key)
            if p == NULL:
                return -1
            if key != 0x0A:
                p = skip_field(p, end, key)
                if p == NULL:
                    return -1
                continue
            p = varint(p, end, &size)
            if p == NULL or size > <uint64_t>(end - p) or read_value(p, p + size, &v) < 0:
                return -1
            code = self.keep_value(&v, wall_time, step, record, p - payload, size)
            if code < 0:
                return code
            p += size
        return 0

    cdef inline void note_wall_time(self, double wall_time) noexcept nogil:
        if wall_time > self.max_wall_time and wall_time < INFINITY:
            self.max_wall_time = wall_time
        # An event without a wall time (proto3 leaves 0 out) says nothing about when the run began.
        if wall_time < self.min_wall_time and wall_time != 0 and wall_time > -INFINITY:
            self.min_wall_time = wall_time

    cdef inline int keep_plain_scalar(self, const uint8_t *p, const uint8_t *end) noexcept nogil:
        """The event that makes up most logs: wall time, step, and one scalar with short fields, in field order.

        1: kept. 0: anything else, to be decoded by keep_event. -2: out of memory.
        """
        cdef double wall_time, value
        cdef uint64_t step = 0
        cdef int32_t index
        cdef TagState *t
        cdef const uint8_t *tag
        cdef uint32_t tag_size
        if end - p < 18 or p[0] != 0x09:
            return 0
        wall_time = load_double(p + 1)
        p += 9
        if p[0] == 0x10:
            p = varint(p + 1, end, &step)
            if p == NULL or end - p < 8:
                return 0
        # Summary and Value, each with a one-byte size that reaches exactly to the end; then the tag.
        if p[0] != 0x2A or p[1] >= 0x80 or p + 2 + p[1] != end or p[2] != 0x0A or p + 4 + p[3] != end or p[4] != 0x0A:
            return 0
        tag_size = p[5]
        tag = p + 6
        p = tag + tag_size
        if tag_size >= 0x80 or tag_size == 0 or end - p < 5:
            return 0
        if p[0] == 0x15 and end - p == 5:
            value = load_float(p + 1)
        elif p[0] == 0x42 and p[1] == 10 and end - p >= 12 and p[2] == 0x08 and p[3] == 1 and p[4] == 0x12 and p[5] == 0 and (
            p[6] == 0x22 or p[6] == 0x2A
        ) and p[7] == 4:
            # A float32 tensor; metadata behind it was read with the tag's first value.
            value = load_float(p + 8)
            p += 12
            if p != end and (end - p < 2 or p[0] != 0x4A or p + 2 + p[1] != end):
                return 0
            index = self.find(tag, tag_size)
            if index < 0:
                return -2
            if self.tags[index].plugin != PLUGIN_POINTS:
                return 0
            self.note_wall_time(wall_time)
            return -2 if self.push_point(&self.tags[index], wall_time, <int64_t>step, value) < 0 else 1
        else:
            return 0
        index = self.find(tag, tag_size)
        if index < 0:
            return -2
        t = &self.tags[index]
        if t.first_field == 0:
            t.first_field = VALUE_SIMPLE
        self.note_wall_time(wall_time)
        return -2 if self.push_point(t, wall_time, <int64_t>step, value) < 0 else 1

    cdef int keep_event(self, const uint8_t *payload, const uint8_t *end, int64_t record) noexcept nogil:
        """Decode one Event. -1: malformed, nothing of it was kept; -2: out of memory."""
        cdef const uint8_t *p = payload
        cdef const uint8_t *summaries[MAX_SUMMARIES]
        cdef uint64_t sizes[MAX_SUMMARIES]
        cdef uint64_t key, size, raw
        cdef double wall_time = 0.0
        cdef int64_t step = 0
        cdef int found = 0
        cdef int i, field, code
        cdef int extra = 0
        cdef const uint8_t *extra_at = NULL
        cdef uint64_t extra_size = 0
        self.undo_count = 0
        while p < end:
            key = p[0]
            if key == 0x09 and end - p >= 9:
                wall_time = load_double(p + 1)
                p += 9
                continue
            p = varint(p, end, &key)
            if p == NULL:
                return -1
            if key == 0x10:
                p = varint(p, end, &raw)
                if p == NULL:
                    return -1
                step = <int64_t>raw
                continue
            field = <int>(key >> 3) if key < 1000 else 999
            if key & 7 != 2 or field < EVENT_FILE_VERSION or field > EVENT_META_GRAPH:
                p = skip_field(p, end, key)
                if p == NULL:
                    return -1
                continue
            p = varint(p, end, &size)
            if p == NULL or size > <uint64_t>(end - p):
                return -1
            if field == EVENT_SUMMARY:
                if found == MAX_SUMMARIES:
                    return -1
                summaries[found] = p
                sizes[found] = size
                found += 1
            else:
                extra = field
                extra_at = p
                extra_size = size
            p += size
        self.note_wall_time(wall_time)
        for i in range(found):
            code = self.keep_summary(summaries[i], summaries[i] + sizes[i], payload, wall_time, step, record)
            if code < 0:
                self.take_back()
                return code
        if extra == EVENT_SESSION_LOG:
            p = extra_at
            end = extra_at + extra_size
            while p < end:
                p = varint(p, end, &key)
                if p == NULL:
                    return -1
                if key == 0x08:
                    p = varint(p, end, &raw)
                    if p != NULL and raw == 1 and self.session_start(step) < 0:
                        return -2
                else:
                    p = skip_field(p, end, key)
                if p == NULL:
                    return -1
        elif extra == EVENT_GRAPH or extra == EVENT_META_GRAPH or extra == EVENT_RUN_METADATA:
            return self.push_extra(extra, wall_time, step, record, extra_at - payload, extra_size)
        return 0

    # -- large records

    cdef const uint8_t *window(self, Buffer *b, int fd, int64_t at, int64_t end, size_t *have) noexcept nogil:
        """A look at the file from `at` on: up to WINDOW_BYTES, never past `end`."""
        cdef size_t want = <size_t>min(end - at, <int64_t>WINDOW_BYTES)
        cdef int64_t got
        if at >= b.base and at + <int64_t>want <= b.base + <int64_t>b.have:
            have[0] = want
            return b.data + (at - b.base)
        got = fill(b, fd, at, want)
        if got < <int64_t>want:
            return NULL
        have[0] = want
        return b.data

    cdef int hop_value(
        self, Buffer *b, int fd, int64_t at, int64_t end, int64_t record, double wall_time, int64_t step
    ) noexcept nogil:
        """File one large Summary.Value by its small fields alone. 0: filed; 1: read the record whole instead; -1: malformed."""
        cdef uint8_t tag[WINDOW_BYTES]
        cdef uint8_t meta[WINDOW_BYTES]
        cdef Value v
        cdef uint64_t key, size
        cdef int64_t value_at = at
        cdef const uint8_t *p
        cdef const uint8_t *start
        cdef size_t have
        cdef int field, code
        memset(&v, 0, sizeof(Value))
        while at < end:
            start = self.window(b, fd, at, end, &have)
            if start == NULL:
                return 1
            p = varint(start, start + have, &key)
            if p == NULL:
                return -1
            if key & 7 != 2:
                p = skip_field(p, start + have, key)
                if p == NULL or key == 0x15:
                    return 1
                at += p - start
                continue
            p = varint(p, start + have, &size)
            field = <int>(key >> 3) if key < 1000 else 999
            if p == NULL or size > <uint64_t>(end - at - (p - start)):
                return -1
            if field == VALUE_TAG or field == VALUE_NODE_NAME or field == VALUE_METADATA:
                if size > <uint64_t>(start + have - p):
                    return 1
                if field == VALUE_METADATA:
                    memcpy(meta, p, size)
                    v.meta = meta
                    v.meta_size = size
                    v.has_meta = 1
                elif field == VALUE_TAG or v.tag_size == 0:
                    memcpy(tag, p, size)
                    v.tag = tag
                    v.tag_size = size
            elif field > 2 and field < VALUE_METADATA:
                if size <= WINDOW_BYTES:
                    return 1
                v.field = field
            at += (p - start) + <int64_t>size
        if v.field == 0:
            return 1
        # Never a single number: its body is larger than any. So keep_value must not look into it.
        code = self.find(v.tag, v.tag_size)
        if code < 0:
            return -2
        if v.has_meta and self.tags[code].meta_size < 0 and self.set_meta(&self.tags[code], v.meta, v.meta_size) < 0:
            return -2
        if self.tags[code].first_field == 0:
            self.tags[code].first_field = v.field
        return self.push_blob(code, wall_time, step, record, value_at - record - 12, end - value_at)

    cdef int hop_event(self, Buffer *b, int fd, int64_t record, int64_t length) noexcept nogil:
        """File a large record without reading its blobs. Codes as hop_value's."""
        cdef int64_t at = record + 12
        cdef int64_t end = at + length
        cdef int64_t summary_end, value_end
        cdef const uint8_t *p
        cdef const uint8_t *start
        cdef size_t have
        cdef uint64_t key, size, raw
        cdef double wall_time = 0.0
        cdef int64_t step = 0
        cdef int field, code
        self.undo_count = 0
        while at < end:
            start = self.window(b, fd, at, end, &have)
            if start == NULL:
                return 1
            p = varint(start, start + have, &key)
            if p == NULL:
                return -1
            if key == 0x09 and start + have - p >= 8:
                wall_time = load_double(p)
                at += 9
                continue
            if key == 0x10:
                p = varint(p, start + have, &raw)
                if p == NULL:
                    return -1
                step = <int64_t>raw
                at += p - start
                continue
            field = <int>(key >> 3) if key < 1000 else 999
            if key & 7 != 2:
                p = skip_field(p, start + have, key)
                if p == NULL:
                    return -1
                at += p - start
                continue
            p = varint(p, start + have, &size)
            if p == NULL or size > <uint64_t>(end - at - (p - start)):
                return -1
            at += p - start
            if field == EVENT_SUMMARY:
                summary_end = at + <int64_t>size
                if summary_end != end:
                    return 1
                while at < summary_end:
                    start = self.window(b, fd, at, summary_end, &have)
                    if start == NULL:
                        return 1
                    p = varint(start, start + have, &key)
                    if p == NULL or key != 0x0A:
                        return 1
                    p = varint(p, start + have, &size)
                    if p == NULL or size > <uint64_t>(summary_end - at - (p - start)):
                        return -1
                    if size <= WINDOW_BYTES:
                        return 1
                    at += p - start
                    value_end = at + <int64_t>size
                    code = self.hop_value(b, fd, at, value_end, record, wall_time, step)
                    if code != 0:
                        return code
                    at = value_end
            elif field == EVENT_GRAPH or field == EVENT_META_GRAPH or field == EVENT_RUN_METADATA:
                if at + <int64_t>size != end:
                    return 1
                if self.push_extra(field, wall_time, step, record, at - record - 12, size) < 0:
                    return -2
                at = end
            else:
                return 1
        self.note_wall_time(wall_time)
        return 0

    # -- scanning

    cdef inline int check_header(self, const uint8_t *header, uint64_t length) noexcept nogil:
        """Records of one length have one header, so most checks are a comparison with the last one of that length."""
        cdef uint32_t found = load_u32(header + 8)
        cdef HeaderSeen *seen = &self.seen[length & (HEADER_CACHE - 1)]
        if seen.length == length and seen.checksum == found and length != 0:
            return 1
        if rg_masked_crc32c(header, 8) != found:
            return 0
        seen.length = length
        seen.checksum = found
        return 1

    cdef void note_skip(self, int64_t at, int why) noexcept nogil:
        self.skipped += 1
        if self.first_skipped < 0:
            self.first_skipped = at
            self.first_skip = why

    cdef int run(self, int fd, int64_t limit, Buffer *b) noexcept nogil:
        cdef int64_t at = self.offset
        cdef int64_t have = 0
        cdef int64_t need
        cdef uint64_t length
        cdef const uint8_t *header
        cdef int code, stop
        cdef uint8_t probe[4]
        cdef int i, zeros
        b.base = at
        b.have = 0
        b.read_size = FIRST_READ_BYTES
        while True:
            self.offset = at
            if at >= limit:
                return STOP_LIMIT
            have = b.base + <int64_t>b.have - at
            if have < 12:
                have = fill(b, fd, at, 12)
                if have < 0:
                    self.read_errno = <int>-have
                    return STOP_NO_MEMORY if have == -12 else STOP_READ_FAILED
                if have == 0:
                    return STOP_END
            header = b.data + (at - b.base)
            if have < 12:
                return STOP_SHORT
            length = load_u64(header)
            if not self.check_header(header, length):
                zeros = 1
                for i in range(12):
                    if header[i]:
                        zeros = 0
                if zeros:
                    return STOP_ZEROS
                self.found_checksum = load_u32(header + 8)
                self.expected_checksum = rg_masked_crc32c(header, 8)
                self.found_length = length
                return STOP_BAD_LENGTH
            if length > MAX_RECORD_BYTES:
                self.found_length = length
                return STOP_TOO_LONG
            need = <int64_t>length + 16
            if have < need and length > HOP_BYTES:
                have = rg_pread(fd, probe, 4, at + 12 + <int64_t>length)
                if have < 0:
                    self.read_errno = <int>-have
                    return STOP_READ_FAILED
                if have < 4:
                    return STOP_SHORT
                code = self.hop_event(b, fd, at, <int64_t>length)
                if code == -2:
                    return STOP_NO_MEMORY
                if code == 1 and length > MAX_WHOLE_BYTES:
                    code = -1
                if code != 0:
                    self.take_back()
                if code == -1:
                    self.note_skip(at, SKIP_MALFORMED)
                if code != 1:
                    self.records += 1
                    at += need
                    continue
                have = b.base + <int64_t>b.have - at if at >= b.base else 0
            if have < need:
                have = fill(b, fd, at, <size_t>need)
                if have < 0:
                    self.read_errno = <int>-have
                    return STOP_NO_MEMORY if have == -12 else STOP_READ_FAILED
                if have < need:
                    return STOP_SHORT
            header = b.data + (at - b.base)
            if rg_masked_crc32c(header + 12, <size_t>length) != load_u32(header + 12 + length):
                self.note_skip(at, SKIP_CHECKSUM)
            else:
                code = self.keep_plain_scalar(header + 12, header + 12 + length)
                if code == 0:
                    code = self.keep_event(header + 12, header + 12 + length, at)
                if code == -2:
                    return STOP_NO_MEMORY
                if code == -1:
                    self.note_skip(at, SKIP_MALFORMED)
            self.records += 1
            at += need

    def scan(self, int fd, ScanBuffer buffer, int64_t limit=0x7FFFFFFFFFFFFFFF):
        """Read every complete record that begins before `limit`; returns why it stopped (see STOPS)."""
        cdef uint8_t *shrunk
        with nogil:
            self.stop = self.run(fd, limit, &buffer.buffer)
        if buffer.buffer.capacity > BUFFER_BYTES:
            shrunk = <uint8_t *>realloc(buffer.buffer.data, BUFFER_BYTES)
            if shrunk != NULL:
                buffer.buffer.data = shrunk
                buffer.buffer.capacity = BUFFER_BYTES
        if self.stop == STOP_NO_MEMORY:
            raise MemoryError
        return STOPS[self.stop]

    def absorb(self, EventScanner other):
        """Append what `other` read right behind this one. False, with nothing changed, when that needs one reading in order."""
        cdef int32_t i, index
        cdef TagState *t
        cdef TagState *mine
        cdef int code = 0
        if other.start_offset != self.offset or other.session_starts:
            return False
        for i in range(other.tag_count):
            t = &other.tags[i]
            if t.points.count and t.plugin == PLUGIN_UNKNOWN and t.first_field == VALUE_TENSOR:
                # Read as points because no metadata was in sight; the part before may have had it.
                index = self.find(t.name, t.size)
                if index < 0:
                    raise MemoryError
                if self.tags[index].plugin == PLUGIN_OTHER:
                    return False
        with nogil:
            for i in range(other.tag_count):
                t = &other.tags[i]
                if not t.is_dirty:
                    continue
                index = self.find(t.name, t.size)
                if index < 0:
                    code = -2
                    break
                mine = &self.tags[index]
                mine.is_dirty = 1
                if mine.meta_size < 0 and t.meta_size >= 0:
                    code = self.set_meta(mine, t.meta, t.meta_size)
                if mine.first_field == 0:
                    mine.first_field = t.first_field
                if mine.points.count == 0 and mine.taken_points == 0 and mine.blobs.count == 0 and mine.taken_blobs == 0:
                    mine.blobs_first = t.blobs_first
                if code == 0:
                    code = cols_extend(&mine.points, &t.points)
                if code == 0:
                    code = cols_extend(&mine.blobs, &t.blobs)
                if code < 0:
                    break
                cols_free(&t.points)
                cols_free(&t.blobs)
            for i in range(other.extra_count):
                if code == 0:
                    code = self.push_extra(
                        other.extras[i].field, other.extras[i].wall_time, other.extras[i].step,
                        other.extras[i].record, other.extras[i].at, other.extras[i].size,
                    )
        if code < 0:
            raise MemoryError
        self.offset = other.offset
        self.records += other.records
        if other.first_skipped >= 0 and self.first_skipped < 0:
            self.first_skipped = other.first_skipped
            self.first_skip = other.first_skip
        self.skipped += other.skipped
        self.min_wall_time = min(self.min_wall_time, other.min_wall_time)
        self.max_wall_time = max(self.max_wall_time, other.max_wall_time)
        self.stop = other.stop
        self.found_checksum = other.found_checksum
        self.expected_checksum = other.expected_checksum
        self.found_length = other.found_length
        self.read_errno = other.read_errno
        return True

    # -- handing over

    def take(self):
        """Hand the rows over to the tags' Columns; returns the indices of the tags that changed."""
        cdef int32_t i
        cdef TagState *t
        cdef list changed = []
        cdef Columns points, blobs
        while len(self.columns) < self.tag_count:
            self.columns.append([None, None])
        for i in range(self.tag_count):
            t = &self.tags[i]
            if not t.is_dirty:
                continue
            t.is_dirty = 0
            pair = self.columns[i]
            if t.points.count:
                points = pair[0]
                if points is None:
                    points = Columns.__new__(Columns)
                    pair[0] = points
                t.taken_points += t.points.count
                points.append_cols(&t.points)
            if t.blobs.count:
                blobs = pair[1]
                if blobs is None:
                    blobs = Columns.__new__(Columns)
                    pair[1] = blobs
                t.taken_blobs += t.blobs.count
                blobs.append_cols(&t.blobs)
            changed.append(i)
        return changed

    def take_extras(self):
        """Graphs and run metadata: (event field, step, wall_time, record offset, offset in payload, size)."""
        cdef int32_t i
        found = []
        for i in range(self.extra_count):
            e = self.extras[i]
            found.append((e.field, e.step, e.wall_time, e.record, e.at, e.size))
        self.extra_count = 0
        return found

    def tag(self, int32_t index):
        """(name, metadata or None, field of the first value, whether blobs came first, points, blobs)"""
        if index < 0 or index >= self.tag_count:
            raise IndexError(index)
        cdef TagState *t = &self.tags[index]
        points, blobs = self.columns[index]
        return (
            <bytes>t.name[:t.size],
            <bytes>t.meta[:t.meta_size] if t.meta_size >= 0 else None,
            t.first_field,
            bool(t.blobs_first),
            points,
            blobs,
        )

    def starts(self, int32_t index):
        """Session starts seen by a tag: (points before it, blobs before it, step it names)."""
        if index < 0 or index >= self.tag_count:
            raise IndexError(index)
        cdef TagState *t = &self.tags[index]
        cdef int32_t i
        return [(t.starts[i].points, t.starts[i].blobs, t.starts[i].step) for i in range(t.start_count)]

    @property
    def tag_total(self):
        return self.tag_count

    @property
    def skip_reason(self):
        return SKIPS[self.first_skip]


def find_record(int fd, int64_t start, int64_t stop, ScanBuffer buffer):
    """Offset of the first byte in [start, stop) that looks like a record's header, its payload's checksum included; -1: none.

    Only a guess that lets a second thread begin in the middle: bytes inside a payload can look the same, so the result counts only
    when reading from the front arrives exactly here.
    """
    cdef int64_t at = start
    cdef int64_t have
    cdef uint64_t length
    cdef const uint8_t *p
    cdef int64_t found = -1
    cdef Buffer *b = &buffer.buffer
    b.base = start
    b.have = 0
    b.read_size = BUFFER_BYTES
    with nogil:
        while at < stop:
            have = b.base + <int64_t>b.have - at
            if have < 12:
                have = fill(b, fd, at, 12)
                if have < 12:
                    break
            p = b.data + (at - b.base)
            length = load_u64(p)
            # Lengths first: almost every wrong position fails here, before any checksum.
            if length <= HOP_BYTES and rg_masked_crc32c(p, 8) == load_u32(p + 8):
                have = b.base + <int64_t>b.have - at
                if have < <int64_t>length + 16:
                    have = fill(b, fd, at, <size_t>length + 16)
                p = b.data + (at - b.base)
                if have >= <int64_t>length + 16 and rg_masked_crc32c(p + 12, <size_t>length) == load_u32(p + 12 + length):
                    found = at
                    break
            at += 1
    return found
