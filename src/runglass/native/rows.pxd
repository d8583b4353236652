# The tags of one event file, and the rows that wait to be taken: filled without the GIL by a scanner.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

from runglass.native.columns cimport Cols

cdef enum PluginClass:
    PLUGIN_UNKNOWN = 0
    PLUGIN_POINTS = 1
    PLUGIN_OTHER = 2

# What a record did to a tag, for taking it back.
cdef enum Did:
    DID_POINT = 0
    DID_BLOB = 1
    DID_META = 2
    DID_FIRST_FIELD = 3
    DID_BLOBS_FIRST = 4
    DID_BLOB_FIELD = 5

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
    uint8_t blob_field         # of the first blob, which may be another
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


cdef class TagRows:
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
    cdef bytes plugin
    cdef const uint8_t *plugin_name
    cdef size_t plugin_size
    cdef list columns
    cdef readonly int32_t session_starts
    cdef readonly int64_t min_start_step
    cdef int64_t last_start_step

    cdef int32_t add_tag(self, const uint8_t *name, uint64_t size, uint32_t h) noexcept nogil
    cdef int32_t lookup(self, const uint8_t *name, uint64_t size, uint32_t h) noexcept nogil
    cdef int32_t search(self, const uint8_t *name, uint64_t size) noexcept nogil
    cdef int remember(self, int32_t tag, int did) noexcept nogil
    cdef void take_back(self) noexcept nogil
    cdef int push_blob(
        self, int32_t index, int field, double wall_time, int64_t step, int64_t record, uint64_t at, uint64_t size
    ) noexcept nogil
    cdef int push_extra(
        self, int field, double wall_time, int64_t step, int64_t record, uint64_t at, uint64_t size
    ) noexcept nogil
    cdef int set_meta(self, TagState *t, const uint8_t *meta, uint64_t size) noexcept nogil
    cdef int learn(self, int32_t index, int field, const uint8_t *meta, uint64_t meta_size, int has_meta) noexcept nogil
    cdef int session_start(self, int64_t step) noexcept nogil
    cdef int copy_tags(self, TagRows like) except -1
    cdef bint fits_behind(self, TagRows other) noexcept nogil
    cdef int append(self, TagRows other) noexcept nogil
    cdef int resume_tags(self, list saved) except -1


# Index of a tag, added when it is new; -1 when memory ran out. Writers cycle through their tags, so the guess is nearly always right.
cdef inline int32_t find_tag(TagRows rows, const uint8_t *name, uint64_t size) noexcept nogil:
    cdef int32_t guess = rows.tags[rows.previous].following if rows.tag_count else 0
    cdef TagState *t
    if guess >= rows.tag_count:
        guess = 0
    if guess < rows.tag_count:
        t = &rows.tags[guess]
        if t.size == size and memcmp(t.name, name, size) == 0:
            rows.previous = guess
            return guess
    return rows.search(name, size)
