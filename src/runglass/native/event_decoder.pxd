# Turns the bytes of one event into rows; scanning files is events.pyx's business.
from libc.stdint cimport int64_t, uint8_t, uint64_t

from runglass.native.file_buffer cimport Buffer
from runglass.native.rows cimport TagRows, TagState


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


cdef class EventDecoder(TagRows):
    # First byte of the next header: a record cut short is read again whole, so no partial state survives a scan.
    cdef readonly int64_t offset
    cdef readonly int64_t start_offset
    cdef int64_t expected_end
    cdef readonly double min_wall_time
    cdef readonly double max_wall_time

    cdef int64_t capacity_for(self, int64_t count) noexcept nogil
    cdef int push_point(self, TagState *t, double wall_time, int64_t step, double value) noexcept nogil
    cdef void note_wall_time(self, double wall_time) noexcept nogil
    cdef int keep_value(
        self, Value *v, double wall_time, int64_t step, int64_t record, uint64_t at, uint64_t size
    ) noexcept nogil
    cdef int keep_summary(
        self, const uint8_t *p, const uint8_t *end, const uint8_t *payload, double wall_time, int64_t step, int64_t record
    ) noexcept nogil
    cdef int keep_plain_scalar(self, const uint8_t *p, const uint8_t *end) noexcept nogil
    cdef int keep_event(self, const uint8_t *payload, const uint8_t *end, int64_t record) noexcept nogil
    cdef const uint8_t *window(self, Buffer *b, int fd, int64_t at, int64_t end, size_t *have) noexcept nogil
    cdef int hop_value(
        self, Buffer *b, int fd, int64_t at, int64_t end, int64_t record, double wall_time, int64_t step
    ) noexcept nogil
    cdef int hop_event(self, Buffer *b, int fd, int64_t record, int64_t length) noexcept nogil
