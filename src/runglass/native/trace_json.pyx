"""Chrome trace JSON, event by event as the bytes come, without the GIL: no event becomes a Python object.

Lenient, because tracers write what no parser of JSON takes: bare words, control characters, NaN, and files that end anywhere. An event
that makes no sense is left out and said, and reading goes on at the next one. Times are exact: decimals become picoseconds by
whole numbers.
"""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

from runglass.native.json_text cimport (
    FINE,
    INCOMPLETE,
    INTEGER_NUMBER,
    LONG_NUMBER,
    MALFORMED,
    REAL_NUMBER,
    SPARE_BYTES,
    Fault,
    Number,
    Text,
    read_key,
    read_number,
    read_string,
    rg_word_ends,
    skip_commas,
    skip_nested,
    skip_space,
    skip_word,
)
from runglass.native.trace_rows cimport (
    ARGUMENT_FALSE,
    ARGUMENT_JSON,
    ARGUMENT_NULL,
    ARGUMENT_TEXT,
    ARGUMENT_TRUE,
    NO_STRING,
    Bytes,
    TraceRows,
    bytes_room,
)

cdef enum:
    KEY_SLOTS = 512
    KEY_BYTES = 40
    VALUE_SLOTS = 4096
    TRACK_SLOTS = 128
    TRACK_BYTES = 52
    # A larger event is left out.
    EVENT_BYTES = 256 << 20
    # Other values of the file that are larger are passed over.
    FIELD_BYTES = 1 << 20

cdef enum:
    BEFORE
    FIELDS
    EVENTS
    LOOKING
    PASSING
    AFTER

cdef int64_t PS_PER_DAY = 86_400_000_000_000_000
# Room for sums of two; see trace_rows.
cdef int64_t FAR_US = 4_600_000_000_000
cdef int64_t NO_TIME = -0x7FFFFFFFFFFFFFFF
cdef int64_t TOO_FAR = -0x7FFFFFFFFFFFFFFE

# Strings that were numbered lately: most keys of an event are those of the one before.
cdef struct KeySlot:
    uint8_t size               # 0: free
    uint8_t data[KEY_BYTES]
    int32_t id

# Lists that were numbered lately: shapes and types repeat from event to event.
cdef struct ValueSlot:
    int32_t id
    uint32_t size              # 0: free
    int64_t start              # in the strings of the rows

cdef struct TrackSlot:
    uint8_t is_used
    uint8_t pid_size
    uint8_t tid_size
    uint8_t data[TRACK_BYTES]
    int32_t track

# An event that has begun and not ended ("B"), with its arguments.
cdef struct Open:
    int32_t below              # the one around it on its track, or the next free one; -1: none
    int32_t track              # -1: free
    int64_t start_ps
    int32_t name
    int32_t category
    int64_t at
    uint8_t *arguments
    size_t size

cdef struct Event:
    Text phase
    Text name
    Text category
    Text pid
    Text tid
    Text ts
    Text dur
    Text id
    Text bind
    bint is_local              # the id counts within its process
    bint flows_in
    bint flows_out
    const uint8_t *arguments   # after the brace
    const uint8_t *end


cdef inline bint is_word(const Text *text, const char *word, size_t size) noexcept nogil:
    return text.size == size and memcmp(text.start, word, size) == 0


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    x *= <uint64_t>0x9E3779B97F4A7C15u
    return x ^ (x >> 29)


cdef inline int hex_digit(uint8_t c) noexcept nogil:
    if c"0" <= c <= c"9":
        return c - c"0"
    c |= 32
    return c - c"a" + 10 if c"a" <= c <= c"f" else -1


cdef int hex_value(const uint8_t *p, const uint8_t *end) noexcept nogil:
    cdef int value = 0, i, digit
    if end - p < 4:
        return -1
    for i in range(4):
        digit = hex_digit(p[i])
        if digit < 0:
            return -1
        value = value << 4 | digit
    return value


# Microseconds as whole picoseconds, halves away from zero; TOO_FAR, or NO_TIME if this is no number.
cdef int64_t time_slowly(const Text *text, int64_t origin_us) noexcept with gil:
    try:
        value = Decimal(PyBytes_FromStringAndSize(<const char *>text.start, text.size).decode("ascii"))
        if not value.is_finite():
            return NO_TIME
        if value.adjusted() > 20:
            return TOO_FAR
        value = int((value - origin_us).scaleb(6).to_integral_value(ROUND_HALF_UP))
        return value if abs(value) < FAR_US * 1_000_000 else TOO_FAR
    except (ValueError, InvalidOperation):
        return NO_TIME


cdef int64_t time_of(const Text *text, int64_t origin_us) noexcept nogil:
    cdef const uint8_t *p = text.start
    cdef const uint8_t *end = p + text.size
    cdef int64_t us = 0, ps = 0, unit = 100_000
    cdef bint negative = False
    cdef int digits = 0
    if p == NULL or p == end:
        return NO_TIME
    if p[0] == c"-":
        negative = True
        p += 1
    while p < end and c"0" <= p[0] <= c"9":
        us = us * 10 + (p[0] - c"0")
        digits += 1
        p += 1
        if digits == 18:
            return time_slowly(text, origin_us)
    if p < end and p[0] == c"." and digits:
        p += 1
        while p < end and c"0" <= p[0] <= c"9":
            if unit:
                ps += (p[0] - c"0") * unit
                unit //= 10
            elif unit == 0:
                ps += p[0] >= c"5"
                unit = -1
            p += 1
            if unit < 0:
                while p < end and c"0" <= p[0] <= c"9":
                    p += 1
    if p != end or not digits:
        return time_slowly(text, origin_us)
    if negative:
        us = -us
        ps = -ps
    us -= origin_us
    if not -FAR_US < us < FAR_US:
        return TOO_FAR
    return us * 1_000_000 + ps


cdef double real_slowly(const Text *text) noexcept with gil:
    try:
        return float(PyBytes_FromStringAndSize(<const char *>text.start, text.size))
    except ValueError:
        return NAN


cdef bint long_integer(const Text *text, int64_t *value) noexcept with gil:
    try:
        found = int(PyBytes_FromStringAndSize(<const char *>text.start, text.size)) if text.size < 40 else 1 << 64
    except ValueError:
        return False
    if not -(1 << 63) <= found < 1 << 63:
        return False
    value[0] = found
    return True


@cython.final
cdef class ChromeScanner:
    """One file. `feed` takes its bytes in order, `finish` ends it; rows go to `rows`, whose file has begun.

    `fields` are the other values of the file, (key, JSON) in its order. `origin_us` is subtracted from all times: set it before the first
    event, where times are so large that picoseconds would not fit.
    """

    cdef TraceRows rows
    cdef uint8_t *data
    cdef size_t have
    cdef size_t capacity
    cdef int64_t base          # byte of the file at data[0]
    cdef size_t wanted         # bytes that make another try worthwhile
    cdef int state
    cdef int state_after       # a value that is passed over
    cdef bint is_last
    cdef bint is_out_of_memory
    cdef int depth
    cdef bint in_string
    cdef bint is_escaped
    cdef int64_t last_ps
    cdef public int64_t origin_us
    cdef readonly int64_t events
    cdef readonly list fields
    cdef KeySlot *keys
    cdef ValueSlot *values
    cdef TrackSlot *tracks
    cdef Bytes scratch
    cdef Bytes opened          # Open each
    cdef Bytes tops            # int32 each, by track: the innermost open event + 1
    cdef int32_t free_open

    def __cinit__(self, TraceRows rows not None):
        self.rows = rows
        self.state = BEFORE
        self.state_after = FIELDS
        self.fields = []
        self.free_open = -1
        self.last_ps = NO_TIME
        self.keys = <KeySlot *>calloc(KEY_SLOTS, sizeof(KeySlot))
        self.values = <ValueSlot *>calloc(VALUE_SLOTS, sizeof(ValueSlot))
        self.tracks = <TrackSlot *>calloc(TRACK_SLOTS, sizeof(TrackSlot))
        if self.keys == NULL or self.values == NULL or self.tracks == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef size_t i
        for i in range(self.opened.size // sizeof(Open)):
            free((<Open *>self.opened.data)[i].arguments)
        free(self.data)
        free(self.keys)
        free(self.values)
        free(self.tracks)
        free(self.scratch.data)
        free(self.opened.data)
        free(self.tops.data)

    def feed(self, bytes chunk not None):
        """The next bytes of the file."""
        cdef const uint8_t *start = <const uint8_t *>PyBytes_AS_STRING(chunk)
        cdef size_t size = PyBytes_GET_SIZE(chunk)
        cdef int done
        with nogil:
            done = self.take(start, size)
        if done < 0:
            raise MemoryError

    def finish(self):
        """The file ends here. Events that have begun end with it."""
        cdef int done
        self.is_last = True
        self.wanted = 0
        with nogil:
            done = self.take(NULL, 0)
            if done == 0:
                done = self.end_all()
        if done < 0:
            raise MemoryError

    @property
    def is_whole(self):
        """Whether the text ended where JSON says, or is known to be damaged; an array of events may stay open."""
        return self.state in (AFTER, LOOKING) or (self.state == EVENTS and self.state_after == AFTER)

    @property
    def position(self):
        return self.base + <int64_t>self.have

    cdef int take(self, const uint8_t *start, size_t size) noexcept nogil:
        cdef uint8_t *moved
        cdef size_t capacity
        cdef const uint8_t *p
        cdef size_t used
        if self.have + size + SPARE_BYTES > self.capacity:
            capacity = max(self.have + size + SPARE_BYTES, self.capacity + self.capacity // 2)
            moved = <uint8_t *>realloc(self.data, capacity)
            if moved == NULL:
                return -1
            self.data = moved
            self.capacity = capacity
        if size:
            memcpy(self.data + self.have, start, size)
            self.have += size
        if self.have < self.wanted:
            return 0
        self.data[self.have] = c"\""
        memset(self.data + self.have + 1, 0, SPARE_BYTES - 1)
        p = self.scan(self.data, self.data + self.have)
        if self.is_out_of_memory:
            return -1
        used = <size_t>(p - self.data)
        self.have -= used
        self.base += <int64_t>used
        # Something incomplete is tried again when there is twice as much of it, so that a long one costs no more than a few tries.
        self.wanted = 0 if used else 2 * self.have
        if used and self.have:
            memmove(self.data, self.data + used, self.have)
        return 0

    cdef int64_t byte_of(self, const uint8_t *p) noexcept nogil:
        return self.base + (p - self.data)

    # -- the text around the events

    cdef const uint8_t *scan(self, const uint8_t *p, const uint8_t *end) noexcept nogil:
        """Takes what is complete and answers where the rest begins."""
        cdef const uint8_t *after
        cdef Fault fault = FINE
        while not self.is_out_of_memory:
            if self.state == EVENTS:
                p = skip_commas(p)
                if p >= end:
                    return end
                if p[0] == c"{":
                    after = self.read_event(p + 1, end, &fault)
                    if after != NULL:
                        p = after
                        continue
                    self.rows.forget_arguments()
                    if fault == INCOMPLETE and end - p < EVENT_BYTES:
                        if not self.is_last:
                            return p
                        self.rows.problem(b"the file ends in the middle of an event; it is cut off or still being written", self.byte_of(p))
                        # Where a bracket was lost, the events after it pass for a part of this one.
                    elif fault == INCOMPLETE:
                        self.rows.problem(b"an event of more than 256 MB, left out", self.byte_of(p))
                    else:
                        self.rows.problem(b"an event that is not JSON, left out", self.byte_of(p))
                    self.state = LOOKING
                    p += 1
                elif p[0] == c"]":
                    self.state = self.state_after
                    p += 1
                else:
                    self.rows.problem(b"what stands between two events is not JSON, left out", self.byte_of(p))
                    self.state = LOOKING
            elif self.state == LOOKING:
                p = self.find_event(p, end)
                if self.state == LOOKING:
                    return p
            elif self.state == FIELDS:
                after = self.scan_field(p, end)
                if after == NULL:
                    return p
                p = after
                if p >= end:
                    return end
            elif self.state == PASSING:
                p = self.pass_over(p, end)
                if p >= end:
                    return end
            elif self.state == AFTER:
                return end
            else:
                if end - p < 3 and not self.is_last:
                    return p
                if end - p >= 3 and p[0] == 0xEF and p[1] == 0xBB and p[2] == 0xBF:
                    p += 3
                p = skip_space(p)
                if p >= end:
                    return end
                if p[0] == c"[":
                    self.state = EVENTS
                    self.state_after = AFTER
                    p += 1
                elif p[0] == c"{":
                    self.state = FIELDS
                    p += 1
                else:
                    self.rows.problem(b"no JSON begins here", self.byte_of(p))
                    self.state = LOOKING
        return p

    cdef const uint8_t *scan_field(self, const uint8_t *p, const uint8_t *end) noexcept nogil:
        """One key of the file and its value, or up to the events; NULL if more bytes are needed."""
        cdef const uint8_t *value
        cdef const uint8_t *after
        cdef Text key, text
        cdef Fault fault = FINE
        p = skip_commas(p)
        if p >= end:
            return end
        if p[0] == c"}":
            self.state = AFTER
            return p + 1
        if p[0] != c"\"":
            self.rows.problem(b"no key of the file begins here", self.byte_of(p))
            self.state = LOOKING
            return p
        value = read_string(p, end, &key)
        if value == NULL:
            return end if self.is_last else NULL
        value = skip_space(value)
        if value >= end:
            return end if self.is_last else NULL
        if value[0] != c":":
            self.rows.problem(b"a key of the file without a value", self.byte_of(p))
            self.state = LOOKING
            return p + 1
        value = skip_space(value + 1)
        if value >= end:
            return end if self.is_last else NULL
        if value[0] == c"[" and is_word(&key, b"traceEvents", 11):
            self.state = EVENTS
            self.state_after = FIELDS
            return value + 1
        if value[0] == c"[" or value[0] == c"{":
            after = skip_nested(value, end, &fault)
        elif value[0] == c"\"":
            after = read_string(value, end, &text)
            fault = INCOMPLETE
        else:
            after = skip_word(value, &text)
            fault = INCOMPLETE
            if after == value:
                fault = MALFORMED
                after = NULL
            elif after >= end and not self.is_last:
                after = NULL
        if after == NULL:
            if fault == INCOMPLETE and end - value < FIELD_BYTES:
                return end if self.is_last else NULL
            if fault == MALFORMED:
                self.rows.problem(b"a value of the file that is not JSON, left out", self.byte_of(value))
            self.state = PASSING
            self.depth = 0
            self.in_string = self.is_escaped = False
            return value
        if after - value <= FIELD_BYTES:
            self.keep_field(&key, value, after)
        return after

    cdef void keep_field(self, const Text *key, const uint8_t *start, const uint8_t *end) noexcept with gil:
        self.fields.append(
            (
                PyBytes_FromStringAndSize(<const char *>key.start, key.size),
                PyBytes_FromStringAndSize(<const char *>start, end - start),
            )
        )

    cdef const uint8_t *pass_over(self, const uint8_t *p, const uint8_t *end) noexcept nogil:
        """To the end of a value, however long it is."""
        while p < end:
            if self.in_string:
                if self.is_escaped:
                    self.is_escaped = False
                elif p[0] == c"\\":
                    self.is_escaped = True
                elif p[0] == c"\"":
                    self.in_string = False
            elif p[0] == c"\"":
                self.in_string = True
            elif p[0] == c"[" or p[0] == c"{":
                self.depth += 1
            elif p[0] == c"]" or p[0] == c"}":
                self.depth -= 1
            elif p[0] != c"," or self.depth:
                p += 1
                continue
            p += 1
            if self.depth <= 0 and not self.in_string:
                self.state = FIELDS if self.depth == 0 else AFTER
                return p
        return end

    cdef const uint8_t *find_event(self, const uint8_t *p, const uint8_t *end) noexcept nogil:
        """The next brace after a comma or a bracket: those of arguments follow a colon."""
        cdef const uint8_t *brace
        cdef const uint8_t *before
        while True:
            brace = <const uint8_t *>memchr(p, c"{", end - p)
            if brace == NULL:
                # What stands before the next brace is looked at again.
                before = end - 1
                while before > p and (before[0] <= 32 or before[0] == c","):
                    before -= 1
                return end if self.is_last else max(p, before)
            before = brace - 1
            while before >= p and before[0] <= 32:
                before -= 1
            if before >= p and (before[0] == c"," or before[0] == c"[" or before[0] == c"}"):
                self.state = EVENTS
                return brace
            p = brace + 1

    # -- one event

    cdef const uint8_t *read_event(self, const uint8_t *p, const uint8_t *end, Fault *fault) noexcept nogil:
        """From after its brace to after the other; NULL and why."""
        cdef Event event
        cdef Text key
        cdef Text value
        cdef const uint8_t *begin = p - 1
        cdef Text *into
        memset(&event, 0, sizeof(Event))
        while True:
            p = skip_commas(p)
            if p >= end:
                fault[0] = INCOMPLETE
                return NULL
            if p[0] == c"}":
                break
            p = read_key(p, end, &key, fault)
            if p == NULL:
                return NULL
            into = NULL
            if key.size == 2:
                if key.start[0] == c"p" and key.start[1] == c"h":
                    into = &event.phase
                elif key.start[0] == c"t" and key.start[1] == c"s":
                    into = &event.ts
                elif key.start[0] == c"i" and key.start[1] == c"d":
                    into = &event.id
                elif key.start[0] == c"b" and key.start[1] == c"p":
                    into = &value
            elif key.size == 3:
                if is_word(&key, b"pid", 3):
                    into = &event.pid
                elif is_word(&key, b"tid", 3):
                    into = &event.tid
                elif is_word(&key, b"cat", 3):
                    into = &event.category
                elif is_word(&key, b"dur", 3):
                    into = &event.dur
                elif is_word(&key, b"id2", 3) and p[0] == c"{":
                    p = self.read_id(p, end, &event, fault)
                    if p == NULL:
                        return NULL
                    continue
            elif key.size == 4:
                if is_word(&key, b"name", 4):
                    into = &event.name
                elif is_word(&key, b"args", 4) and p[0] == c"{":
                    event.arguments = p + 1
                    p = self.read_arguments(p + 1, end, fault)
                    if p == NULL:
                        return NULL
                    continue
            elif key.size == 7:
                if is_word(&key, b"bind_id", 7):
                    into = &event.bind
                elif is_word(&key, b"flow_in", 7):
                    event.flows_in = p[0] == c"t" or p[0] == c"1"
                    into = &value
            elif key.size == 8 and is_word(&key, b"flow_out", 8):
                event.flows_out = p[0] == c"t" or p[0] == c"1"
                into = &value
            elif key.size == 1 and key.start[0] == c"s":
                into = &value
            if into == NULL or p[0] == c"{" or p[0] == c"[":
                # Not of this format: kept with the arguments.
                p = self.read_argument(&key, p, end, fault)
                if p == NULL:
                    return NULL
            elif p[0] == c"\"":
                p = read_string(p, end, into)
                if p == NULL:
                    fault[0] = INCOMPLETE
                    return NULL
            else:
                p = skip_word(p, into)
                if p >= end or into.size == 0:
                    fault[0] = INCOMPLETE if p >= end else MALFORMED
                    return NULL
        event.end = end
        if self.finish_event(&event, self.byte_of(begin)) < 0:
            self.is_out_of_memory = True
        return p + 1

    cdef const uint8_t *read_id(self, const uint8_t *p, const uint8_t *end, Event *event, Fault *fault) noexcept nogil:
        """{"local": "0x1"} or {"global": …}."""
        cdef const uint8_t *after = skip_nested(p, end, fault)
        cdef Text key
        if after == NULL:
            return NULL
        p = skip_space(p + 1)
        if p[0] == c"\"":
            p = read_string(p, after, &key)
            if p != NULL:
                event.is_local = is_word(&key, b"local", 5)
                p = skip_space(p)
                if p[0] == c":":
                    p = skip_space(p + 1)
                    if p[0] == c"\"":
                        read_string(p, after, &event.id)
                    else:
                        skip_word(p, &event.id)
        return after

    cdef const uint8_t *read_arguments(self, const uint8_t *p, const uint8_t *end, Fault *fault) noexcept nogil:
        """From after the brace to after the other; NULL and why."""
        cdef Text key
        while True:
            p = skip_commas(p)
            if p >= end:
                fault[0] = INCOMPLETE
                return NULL
            if p[0] == c"}":
                return p + 1
            p = read_key(p, end, &key, fault)
            if p == NULL:
                return NULL
            p = self.read_argument(&key, p, end, fault)
            if p == NULL:
                return NULL

    cdef const uint8_t *read_argument(self, const Text *key, const uint8_t *p, const uint8_t *end, Fault *fault) noexcept nogil:
        cdef Text text
        cdef const uint8_t *start = p
        cdef int32_t key_id, id = -2
        cdef int64_t number
        cdef int done
        if p[0] == c"\"":
            p = read_string(p, end, &text)
            if p == NULL:
                fault[0] = INCOMPLETE
                return NULL
            key_id = self.key_of(key)
            id = self.text_of(&text)
            done = -1 if key_id < 0 or id < 0 else self.rows.put_text(key_id, ARGUMENT_TEXT, id)
        elif p[0] == c"[" or p[0] == c"{":
            p = self.read_nested(p, end, &id, fault)
            if p == NULL:
                return NULL
            key_id = self.key_of(key)
            done = -1 if key_id < 0 or id < 0 else self.rows.put_text(key_id, ARGUMENT_JSON, id)
        else:
            # Most are small whole numbers.
            number = 0
            while c"0" <= p[0] <= c"9" and p - start < 18:
                number = number * 10 + (p[0] - c"0")
                p += 1
            if p > start and rg_word_ends[p[0]] and p < end:
                key_id = self.key_of(key)
                if key_id < 0 or self.rows.put_int(key_id, number) < 0:
                    self.is_out_of_memory = True
                return p
            p = skip_word(start, &text)
            if p >= end or text.size == 0:
                fault[0] = INCOMPLETE if p >= end else MALFORMED
                return NULL
            key_id = self.key_of(key)
            done = -1 if key_id < 0 else self.put_word(key_id, &text)
        if done < 0:
            self.is_out_of_memory = True
        return p

    cdef const uint8_t *read_nested(self, const uint8_t *p, const uint8_t *end, int32_t *id, Fault *fault) noexcept nogil:
        """A list or an object as the number of its text; NULL and why."""
        cdef uint64_t first, second
        cdef ValueSlot *slot
        cdef const uint8_t *after
        cdef const uint8_t *known = NULL
        cdef size_t size = 0
        # A text that is complete in itself is the value if the bytes begin with it.
        memcpy(&first, p, 8)
        memcpy(&second, p + 8, 8)
        slot = self.values + (mixed(first ^ mixed(second)) >> 40 & (VALUE_SLOTS - 1))
        if slot.size and slot.size <= <size_t>(end - p) and memcmp(self.rows.string_data.data + slot.start, p, slot.size) == 0:
            id[0] = slot.id
            return p + slot.size
        after = skip_nested(p, end, fault)
        if after == NULL:
            return NULL
        id[0] = self.rows.intern(p, <size_t>(after - p))
        if id[0] >= 0:
            self.rows.string_at(id[0], &known, &size)
            # One that was cut is another.
            slot.size = <uint32_t>size if size == <size_t>(after - p) else 0
            slot.start = known - self.rows.string_data.data
            slot.id = id[0]
        return after

    cdef int put_word(self, int32_t key, const Text *text) noexcept nogil:
        cdef Number number
        cdef int32_t id
        cdef int64_t value = 0
        read_number(text, &number)
        if number.kind == INTEGER_NUMBER:
            return self.rows.put_int(key, number.integer)
        if number.kind == REAL_NUMBER:
            return self.rows.put_float(key, number.real)
        if number.kind == LONG_NUMBER:
            if number.integer:
                return self.rows.put_float(key, real_slowly(text))
            if long_integer(text, &value):
                return self.rows.put_int(key, value)
        elif is_word(text, b"null", 4):
            return self.rows.put_argument(key, ARGUMENT_NULL)
        elif is_word(text, b"true", 4):
            return self.rows.put_argument(key, ARGUMENT_TRUE)
        elif is_word(text, b"false", 5):
            return self.rows.put_argument(key, ARGUMENT_FALSE)
        elif is_word(text, b"NaN", 3) or is_word(text, b"nan", 3) or is_word(text, b"-nan", 4):
            return self.rows.put_float(key, NAN)
        elif is_word(text, b"Infinity", 8) or is_word(text, b"-Infinity", 9) or is_word(text, b"inf", 3) or is_word(text, b"-inf", 4):
            return self.rows.put_float(key, real_slowly(text))
        id = self.rows.intern(text.start, text.size)
        # Whole numbers of more than 64 bits stay the digits they are.
        return -1 if id < 0 else self.rows.put_text(key, ARGUMENT_JSON if number.kind == LONG_NUMBER else ARGUMENT_TEXT, id)

    cdef int finish_event(self, const Event *event, int64_t at) noexcept nogil:
        """All of it was read: it becomes a row."""
        cdef uint8_t phase = event.phase.start[0] if event.phase.size == 1 else 0
        cdef int64_t start, duration = 0
        cdef int32_t track, name, category = NO_STRING
        cdef uint64_t link = 0
        if phase == c"M":
            self.rows.forget_arguments()
            return self.name_track(event)
        if phase == c"I" or phase == c"R" or phase == c"P":
            phase = c"i"
        elif phase == c"S":
            phase = c"b"
        elif phase == c"T" or phase == c"p":
            phase = c"n"
        elif phase == c"F":
            phase = c"e"
        if phase == 0 or memchr(b"XBEiCstfbne", phase, 11) == NULL:
            self.rows.forget_arguments()
            if phase == 0 and event.phase.size == 0 and event.ts.size == 0 and event.name.size == 0:
                # {} ends the list in files of XLA.
                return 0
            if phase == 0:
                self.rows.problem(b"an event without a phase (ph), left out", at)
            elif phase != c"c":
                self.rows.problem(b"an event of a phase (ph) that has no place on a timeline, left out", at)
            return 0
        start = time_of(&event.ts, self.origin_us)
        if start == NO_TIME or start == TOO_FAR:
            self.rows.forget_arguments()
            if start == NO_TIME:
                self.rows.problem(b"an event without a time (ts), left out", at)
            elif not is_word(&event.name, b"Record Window End", 17):
                self.rows.problem(b"an event that is more than 50 days away from the rest, left out", at)
            return 0
        if (
            start > self.last_ps
            and self.last_ps != NO_TIME
            and start - self.last_ps > PS_PER_DAY
            and is_word(&event.name, b"Record Window End", 17)
        ):
            # A clock of another kind wrote it.
            self.rows.forget_arguments()
            return 0
        track = self.track_of(&event.pid, &event.tid)
        if track < 0:
            return -1
        self.events += 1
        if phase == c"E":
            return self.end_event(track, start, at)
        name = self.text_of(&event.name)
        if event.category.start != NULL:
            category = self.key_of(&event.category)
        if name < 0 or category < NO_STRING:
            return -1
        if phase == c"B":
            return self.begin_event(track, start, name, category, at)
        if phase == c"X" and event.dur.start != NULL:
            duration = time_of(&event.dur, 0)
            if duration == NO_TIME:
                self.rows.problem(b"a duration (dur) that is not a number, shown as 0", at)
                duration = 0
            elif duration == TOO_FAR:
                # Cut, and said, where rows are added.
                duration = -1 if event.dur.size and event.dur.start[0] == c"-" else 0x7FFFFFFFFFFFFFFF
        if event.id.size:
            if phase == c"C":
                name = self.counter_name(event, name)
                if name < 0:
                    return -1
            elif phase != c"X" and phase != c"i":
                link = self.link_of(event, &event.id, category, name if phase == c"s" or phase == c"t" or phase == c"f" else 0)
        if self.rows.add(phase, track, start, duration, name, category, link, at) < 0:
            return -1
        if start + max(duration, 0) > self.last_ps and 0 <= duration < FAR_US * 1_000_000:
            self.last_ps = start + duration
        if event.bind.size and (event.flows_in or event.flows_out):
            # A flow that is told by the events it binds.
            phase = c"t" if event.flows_in and event.flows_out else c"f" if event.flows_in else c"s"
            link = self.link_of(event, &event.bind, NO_STRING, 0)
            return self.rows.add(phase, track, start, 0, name, category, link, at)
        return 0

    cdef int name_track(self, const Event *event) noexcept nogil:
        """An event of phase M says how its process or thread is called and where it stands."""
        cdef const uint8_t *p = event.arguments
        cdef Text key, text
        cdef Number number
        cdef Fault fault = FINE
        cdef int32_t process_id, process, track = -1, id
        cdef bint of_thread = is_word(&event.name, b"thread_name", 11) or is_word(&event.name, b"thread_sort_index", 17)
        cdef bint is_name = is_word(&event.name, b"process_name", 12) or is_word(&event.name, b"thread_name", 11)
        cdef bint is_order = is_word(&event.name, b"process_sort_index", 18) or is_word(&event.name, b"thread_sort_index", 17)
        if p == NULL or not (is_name or is_order or is_word(&event.name, b"process_labels", 14)):
            return 0
        # They were read once and are complete.
        while True:
            p = skip_commas(p)
            if p[0] != c"\"":
                return 0
            p = read_string(p, event.end, &key)
            if p == NULL:
                return 0
            p = skip_space(p)
            p = skip_space(p + 1)
            if p[0] == c"\"":
                p = read_string(p, event.end, &text)
                if p == NULL:
                    return 0
            elif p[0] == c"[" or p[0] == c"{":
                text.size = 0
                p = skip_nested(p, event.end, &fault)
                if p == NULL:
                    return 0
                continue
            else:
                p = skip_word(p, &text)
            if is_name and is_word(&key, b"name", 4):
                break
            if is_order and is_word(&key, b"sort_index", 10):
                break
            if not is_name and not is_order and is_word(&key, b"labels", 6):
                break
        process_id = self.text_of(&event.pid)
        if process_id < 0:
            return -1
        if of_thread:
            track = self.track_of(&event.pid, &event.tid)
        process = self.rows.process_of(process_id)
        if process < 0 or (of_thread and track < 0):
            return -1
        if is_order:
            read_number(&text, &number)
            if number.kind == INTEGER_NUMBER:
                if of_thread:
                    self.rows.thread_at(track).order = number.integer
                else:
                    self.rows.process_at(process).order = number.integer
            return 0
        id = self.text_of(&text)
        if id < 0:
            return -1
        if of_thread:
            self.rows.thread_at(track).name = id
        elif is_name:
            self.rows.process_at(process).name = id
        else:
            self.rows.process_at(process).labels = id
        return 0

    # -- events in two halves

    cdef int begin_event(self, int32_t track, int64_t start, int32_t name, int32_t category, int64_t at) noexcept nogil:
        cdef int64_t begin = self.rows.argument_ends[self.rows.count - 1] - self.rows.spilled if self.rows.count else 0
        cdef size_t size = self.rows.pending.size - <size_t>begin
        cdef int32_t number = self.free_open
        cdef Open *each
        cdef size_t more
        if <size_t>(track + 1) * 4 > self.tops.size:
            more = <size_t>(track + 1) * 4 - self.tops.size
            if bytes_room(&self.tops, more) < 0:
                return -1
            memset(self.tops.data + self.tops.size, 0, more)
            self.tops.size += more
        if number < 0:
            if bytes_room(&self.opened, sizeof(Open)) < 0:
                return -1
            number = <int32_t>(self.opened.size // sizeof(Open))
            self.opened.size += sizeof(Open)
            each = <Open *>self.opened.data + number
        else:
            each = <Open *>self.opened.data + number
            self.free_open = each.below
        each.arguments = NULL
        each.size = size
        each.below = (<int32_t *>self.tops.data)[track] - 1
        each.track = track
        each.start_ps = start
        each.name = name
        each.category = category
        each.at = at
        (<int32_t *>self.tops.data)[track] = number + 1
        if size:
            each.arguments = <uint8_t *>malloc(size)
            if each.arguments == NULL:
                each.size = 0
                return -1
            memcpy(each.arguments, self.rows.pending.data + begin, size)
        self.rows.forget_arguments()
        return 0

    cdef int end_event(self, int32_t track, int64_t end_ps, int64_t at) noexcept nogil:
        """Ends the innermost event of its track; arguments of both halves are its own."""
        cdef int32_t number = -1
        cdef Open *each
        cdef int done = 0
        if <size_t>(track + 1) * 4 <= self.tops.size:
            number = (<int32_t *>self.tops.data)[track] - 1
        if number < 0:
            self.rows.forget_arguments()
            self.rows.problem(b"the end (E) of an event that did not begin, left out", at)
            return 0
        each = <Open *>self.opened.data + number
        if each.size:
            done = self.rows.put_entries(each.arguments, each.size)
            free(each.arguments)
            each.arguments = NULL
            each.size = 0
        if done == 0:
            done = self.rows.add(c"X", track, each.start_ps, end_ps - each.start_ps, each.name, each.category, 0, each.at)
        (<int32_t *>self.tops.data)[track] = each.below + 1
        each.track = -1
        each.below = self.free_open
        self.free_open = number
        if end_ps > self.last_ps:
            self.last_ps = end_ps
        return done

    cdef int end_all(self) noexcept nogil:
        cdef size_t i
        cdef Open *each
        for i in range(self.opened.size // sizeof(Open)):
            each = <Open *>self.opened.data + i
            if each.track >= 0:
                self.last_ps = max(self.last_ps, each.start_ps)
        for i in range(self.tops.size // 4):
            while (<int32_t *>self.tops.data)[i]:
                each = <Open *>self.opened.data + (<int32_t *>self.tops.data)[i] - 1
                self.rows.problem(b"an event that begins (B) and does not end; it lasts until the file ends", each.at)
                if self.end_event(<int32_t>i, max(self.last_ps, each.start_ps), each.at) < 0:
                    return -1
        return 0

    # -- strings, tracks, flows

    cdef int32_t key_of(self, const Text *text) noexcept nogil:
        """The number of a string that has probably been seen just before."""
        cdef KeySlot *slot
        cdef uint32_t at
        if text.size == 0 or text.size > KEY_BYTES or text.has_escapes:
            return self.text_of(text)
        at = <uint32_t>text.size * 37 + text.start[0] * 5 + text.start[text.size - 1] * 11 + text.start[text.size >> 1]
        slot = self.keys + (at & (KEY_SLOTS - 1))
        if slot.size == text.size and memcmp(slot.data, text.start, text.size) == 0:
            return slot.id
        slot.id = self.rows.intern(text.start, text.size)
        slot.size = <uint8_t>text.size if slot.id >= 0 else 0
        memcpy(slot.data, text.start, text.size)
        return slot.id

    cdef int32_t text_of(self, const Text *text) noexcept nogil:
        """The number of a string; -2 when memory ran out."""
        if not text.has_escapes:
            return self.rows.intern(text.start if text.start != NULL else <const uint8_t *>b"", text.size)
        if self.unescape(text) < 0:
            return -2
        return self.rows.intern(self.scratch.data, self.scratch.size)

    cdef int unescape(self, const Text *text) noexcept nogil:
        cdef const uint8_t *p = text.start
        cdef const uint8_t *end = p + text.size
        cdef uint8_t *out
        cdef int value, low
        self.scratch.size = 0
        # No escape becomes longer than it is written.
        if bytes_room(&self.scratch, text.size + 4) < 0:
            return -1
        out = self.scratch.data
        while p < end:
            if p[0] != c"\\" or p + 1 >= end:
                out[0] = p[0]
                out += 1
                p += 1
                continue
            p += 1
            if p[0] == c"u":
                value = hex_value(p + 1, end)
                if value >= 0:
                    p += 5
                    if 0xD800 <= value < 0xDC00 and end - p >= 6 and p[0] == c"\\" and p[1] == c"u":
                        low = hex_value(p + 2, end)
                        if 0xDC00 <= low < 0xE000:
                            value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00)
                            p += 6
                    if 0xD800 <= value < 0xE000:
                        value = 0xFFFD
                    if value < 0x80:
                        out[0] = <uint8_t>value
                        out += 1
                    elif value < 0x800:
                        out[0] = <uint8_t>(0xC0 | value >> 6)
                        out[1] = <uint8_t>(0x80 | value & 63)
                        out += 2
                    elif value < 0x10000:
                        out[0] = <uint8_t>(0xE0 | value >> 12)
                        out[1] = <uint8_t>(0x80 | value >> 6 & 63)
                        out[2] = <uint8_t>(0x80 | value & 63)
                        out += 3
                    else:
                        out[0] = <uint8_t>(0xF0 | value >> 18)
                        out[1] = <uint8_t>(0x80 | value >> 12 & 63)
                        out[2] = <uint8_t>(0x80 | value >> 6 & 63)
                        out[3] = <uint8_t>(0x80 | value & 63)
                        out += 4
                    continue
            out[0] = p[0]
            if p[0] == c"n":
                out[0] = 10
            elif p[0] == c"t":
                out[0] = 9
            elif p[0] == c"r":
                out[0] = 13
            elif p[0] == c"b":
                out[0] = 8
            elif p[0] == c"f":
                out[0] = 12
            out += 1
            p += 1
        self.scratch.size = <size_t>(out - self.scratch.data)
        return 0

    cdef int32_t track_of(self, const Text *pid, const Text *tid) noexcept nogil:
        cdef TrackSlot *slot = NULL
        cdef int32_t process, thread
        cdef uint32_t at = 0
        if pid.size + tid.size <= TRACK_BYTES:
            at = <uint32_t>(pid.size + tid.size)
            if pid.size:
                at += pid.start[pid.size - 1] * 7
            if tid.size:
                at += tid.start[tid.size - 1] * 3 + tid.start[tid.size >> 1]
            slot = self.tracks + (at & (TRACK_SLOTS - 1))
            if (
                slot.is_used
                and slot.pid_size == pid.size
                and slot.tid_size == tid.size
                and (pid.size == 0 or memcmp(slot.data, pid.start, pid.size) == 0)
                and (tid.size == 0 or memcmp(slot.data + pid.size, tid.start, tid.size) == 0)
            ):
                return slot.track
        process = self.text_of(pid)
        thread = self.text_of(tid)
        if process < 0 or thread < 0:
            return -2
        thread = self.rows.track_of(process, thread)
        if slot != NULL and thread >= 0:
            slot.is_used = True
            slot.pid_size = <uint8_t>pid.size
            slot.tid_size = <uint8_t>tid.size
            if pid.size:
                memcpy(slot.data, pid.start, pid.size)
            if tid.size:
                memcpy(slot.data + pid.size, tid.start, tid.size)
            slot.track = thread
        return thread

    cdef uint64_t link_of(self, const Event *event, const Text *id, int32_t category, int32_t name) noexcept nogil:
        """Equal for the halves of one flow or one asynchronous event, and for no others; never 0."""
        cdef uint64_t link = mixed(<uint64_t>self.rows.file + 1)
        cdef size_t i
        for i in range(id.size):
            link = mixed(link ^ id.start[i])
        link = mixed(link ^ (<uint64_t><uint32_t>category << 32 | <uint32_t>name))
        if event.is_local:
            for i in range(event.pid.size):
                link = mixed(link ^ event.pid.start[i])
        return link | 1

    cdef int32_t counter_name(self, const Event *event, int32_t name) noexcept nogil:
        """Counters of one name are told apart by their ids: "name[id]"."""
        cdef const uint8_t *start = NULL
        cdef size_t size = 0
        self.rows.string_at(name, &start, &size)
        self.scratch.size = 0
        if bytes_room(&self.scratch, size + event.id.size + 2) < 0:
            return -2
        memcpy(self.scratch.data, start, size)
        self.scratch.data[size] = c"["
        memcpy(self.scratch.data + size + 1, event.id.start, event.id.size)
        self.scratch.data[size + 1 + event.id.size] = c"]"
        return self.rows.intern(self.scratch.data, size + event.id.size + 2)
