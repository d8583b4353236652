"""The hot decoder: the bytes of one Event become rows of its tags, without the GIL and without a Python object.

Knows the wire layout of Event and Summary. Plugin names mean nothing to it: the caller says which plugin's single numbers are points;
everything else is kept as a byte range, and the large ones are not even read.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from runglass.native.columns cimport Cols, cols_reserve, cols_widen_value
from runglass.native.file_buffer cimport Buffer, fill
from runglass.native.rows cimport DID_POINT, PLUGIN_OTHER, PLUGIN_POINTS, TagRows, TagState, find_tag
from runglass.native.tensor_scalar cimport load_double, load_float, scalar_of_tensor
from runglass.native.wire cimport find_field, read_varint, skip_keyed

cdef enum:
    WINDOW_BYTES = 4096
    MAX_SUMMARIES = 8

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


cdef int read_value(const uint8_t *p, const uint8_t *end, Value *v) noexcept nogil:
    """Find the parts of one Summary.Value. -1: malformed."""
    cdef uint64_t key, size
    cdef int field
    memset(v, 0, sizeof(Value))
    # Empty names stand somewhere too: C's memory functions want no NULL, not even for nothing.
    v.tag = v.node = p
    while p < end:
        p = read_varint(p, end, &key)
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
            p = skip_keyed(p, end, key)
            if p == NULL:
                return -1
            continue
        p = read_varint(p, end, &size)
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


cdef class EventDecoder(TagRows):
    def __cinit__(self, bytes plugin, int64_t offset=0, like=None):
        self.offset = self.start_offset = offset
        self.min_wall_time = INFINITY
        self.max_wall_time = -INFINITY

    cdef int64_t capacity_for(self, int64_t count) noexcept nogil:
        """Room for the rows that the rest of the range will bring if it goes on like this, so that most columns grow once."""
        cdef double share
        if count < 64:
            return 64
        share = <double>(self.offset + 1 - self.start_offset) / <double>(self.expected_end - self.start_offset + 1)
        if share <= 0 or share >= 0.5:
            return count * 2
        # Never far ahead of what was read: the rest may be one large picture, or a hole in a sparse file.
        return max(count * 2, <int64_t>min(<double>count / share * 1.02 + 16, <double>count * 64))

    cdef int push_point(self, TagState *t, double wall_time, int64_t step, double value) noexcept nogil:
        cdef Cols *c = &t.points
        if c.count == c.capacity and cols_reserve(c, self.capacity_for(c.count)) < 0:
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

    cdef int keep_value(
        self, Value *v, double wall_time, int64_t step, int64_t record, uint64_t at, uint64_t size
    ) noexcept nogil:
        """File one value under its tag. -1: malformed; -2: out of memory."""
        cdef int32_t index
        cdef TagState *t
        cdef double number
        cdef int is_scalar, field
        if v.field == 0 and not v.has_meta:
            return 0
        if v.tag_size == 0:
            v.tag = v.node
            v.tag_size = v.node_size
        index = find_tag(self, v.tag, v.tag_size)
        if index < 0:
            return -2
        t = &self.tags[index]
        # Metadata without a value says what a tensor would be.
        field = v.field if v.field else VALUE_TENSOR
        if self.learn(index, field, v.meta, v.meta_size, v.has_meta) < 0:
            return -2
        if v.field == VALUE_SIMPLE:
            if self.push_point(t, wall_time, step, v.simple) < 0:
                return -2
            return self.remember(index, DID_POINT)
        if v.field == VALUE_TENSOR and t.plugin != PLUGIN_OTHER:
            is_scalar = scalar_of_tensor(v.body, v.body + v.body_size, &number)
            if is_scalar < 0:
                return -1
            if is_scalar:
                if self.push_point(t, wall_time, step, number) < 0:
                    return -2
                return self.remember(index, DID_POINT)
        if v.field == 0 and t.plugin == PLUGIN_POINTS:
            return 0
        return self.push_blob(index, field, wall_time, step, record, at, size)

    cdef int keep_summary(
        self, const uint8_t *p, const uint8_t *end, const uint8_t *payload, double wall_time, int64_t step, int64_t record
    ) noexcept nogil:
        cdef uint64_t size
        cdef Value v
        cdef int code
        while True:
            code = find_field(&p, end, 0x0A, &size)
            if code <= 0:
                return code
            if read_value(p, p + size, &v) < 0:
                return -1
            code = self.keep_value(&v, wall_time, step, record, p - payload, size)
            if code < 0:
                return code
            p += size

    cdef void note_wall_time(self, double wall_time) noexcept nogil:
        if wall_time > self.max_wall_time and wall_time < INFINITY:
            self.max_wall_time = wall_time
        # An event without a wall time (proto3 leaves 0 out) says nothing about when the run began.
        if wall_time < self.min_wall_time and wall_time != 0 and wall_time > -INFINITY:
            self.min_wall_time = wall_time

    cdef int keep_plain_scalar(self, const uint8_t *p, const uint8_t *end) noexcept nogil:
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
            p = read_varint(p + 1, end, &step)
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
            index = find_tag(self, tag, tag_size)
            if index < 0:
                return -2
            if self.tags[index].plugin != PLUGIN_POINTS:
                return 0
            self.note_wall_time(wall_time)
            return -2 if self.push_point(&self.tags[index], wall_time, <int64_t>step, value) < 0 else 1
        else:
            return 0
        index = find_tag(self, tag, tag_size)
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
        cdef int is_start = 0
        cdef const uint8_t *extra_at = NULL
        cdef uint64_t extra_size = 0
        self.undo_count = 0
        while p < end:
            key = p[0]
            if key == 0x09 and end - p >= 9:
                wall_time = load_double(p + 1)
                p += 9
                continue
            p = read_varint(p, end, &key)
            if p == NULL:
                return -1
            if key == 0x10:
                p = read_varint(p, end, &raw)
                if p == NULL:
                    return -1
                step = <int64_t>raw
                continue
            field = <int>(key >> 3) if key < 1000 else 999
            if key & 7 != 2 or field < EVENT_FILE_VERSION or field > EVENT_META_GRAPH:
                p = skip_keyed(p, end, key)
                if p == NULL:
                    return -1
                continue
            p = read_varint(p, end, &size)
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
        if extra == EVENT_SESSION_LOG:
            # First of all, because a malformed one must leave nothing of its event behind.
            p = extra_at
            end = extra_at + extra_size
            while p < end:
                p = read_varint(p, end, &key)
                if p == NULL:
                    return -1
                if key == 0x08:
                    p = read_varint(p, end, &raw)
                    is_start = raw == 1
                else:
                    p = skip_keyed(p, end, key)
                if p == NULL:
                    return -1
        for i in range(found):
            code = self.keep_summary(summaries[i], summaries[i] + sizes[i], payload, wall_time, step, record)
            if code < 0:
                self.take_back()
                return code
        self.note_wall_time(wall_time)
        if is_start:
            return self.session_start(step)
        if extra == EVENT_GRAPH or extra == EVENT_META_GRAPH or extra == EVENT_RUN_METADATA:
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
        v.tag = tag
        while at < end:
            start = self.window(b, fd, at, end, &have)
            if start == NULL:
                return 1
            p = read_varint(start, start + have, &key)
            if p == NULL:
                return -1
            if key & 7 != 2:
                p = skip_keyed(p, start + have, key)
                if p == NULL or key == 0x15:
                    return 1
                at += p - start
                continue
            p = read_varint(p, start + have, &size)
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
        code = find_tag(self, v.tag, v.tag_size)
        if code < 0:
            return -2
        if self.learn(code, v.field, v.meta, v.meta_size, v.has_meta) < 0:
            return -2
        return self.push_blob(code, v.field, wall_time, step, record, value_at - record - 12, end - value_at)

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
            p = read_varint(start, start + have, &key)
            if p == NULL:
                return -1
            if key == 0x09 and start + have - p >= 8:
                wall_time = load_double(p)
                at += 9
                continue
            if key == 0x10:
                p = read_varint(p, start + have, &raw)
                if p == NULL:
                    return -1
                step = <int64_t>raw
                at += p - start
                continue
            field = <int>(key >> 3) if key < 1000 else 999
            if key & 7 != 2:
                p = skip_keyed(p, start + have, key)
                if p == NULL:
                    return -1
                at += p - start
                continue
            p = read_varint(p, start + have, &size)
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
                    p = read_varint(start, start + have, &key)
                    if p == NULL or key != 0x0A:
                        return 1
                    p = read_varint(p, start + have, &size)
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
