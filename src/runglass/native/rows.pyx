"""The tags of one event file and the rows that were read for them and wait to be taken: C memory that nobody else sees.

A record can be taken back whole, which is what happens to a malformed one. Knows neither files nor how events are encoded.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from runglass.native.columns cimport Cols, Columns, cols_extend, cols_free, cols_init_blobs, cols_init_points, cols_reserve
from runglass.native.wire cimport find_field


cdef inline uint32_t hash_name(const uint8_t *p, uint64_t size) noexcept nogil:
    cdef uint32_t h = 2166136261u
    cdef uint64_t i
    for i in range(size):
        h = (h ^ p[i]) * 16777619u
    return h


cdef int plugin_class(const uint8_t *p, const uint8_t *end, const uint8_t *name, size_t name_size) noexcept nogil:
    """Whether SummaryMetadata names the plugin whose single numbers are points."""
    cdef uint64_t size
    cdef const uint8_t *inner
    cdef int code
    while True:
        code = find_field(&p, end, 0x0A, &size)
        if code <= 0:
            return PLUGIN_UNKNOWN if code == 0 else PLUGIN_OTHER
        inner = p + size
        code = find_field(&p, inner, 0x0A, &size)
        if code < 0:
            return PLUGIN_OTHER
        if code > 0:
            if size == 0:
                return PLUGIN_UNKNOWN
            return PLUGIN_POINTS if size == name_size and memcmp(p, name, name_size) == 0 else PLUGIN_OTHER


cdef class TagRows:
    """Filled by a subclass that scans; `take` hands the rows over to Columns that anyone may read."""

    def __cinit__(self, bytes plugin, offset=0, like=None):
        self.plugin = plugin
        self.plugin_name = <const uint8_t *><const char *>plugin
        self.plugin_size = len(plugin)
        self.columns = []
        self.slot_count = 16
        self.slots = <int32_t *>malloc(16 * sizeof(int32_t))
        if self.slots == NULL:
            raise MemoryError
        memset(self.slots, 0xFF, 16 * sizeof(int32_t))

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

    cdef int32_t lookup(self, const uint8_t *name, uint64_t size, uint32_t h) noexcept nogil:
        """Index of a tag that is known; -1 when it is not."""
        cdef uint32_t slot = h & (self.slot_count - 1)
        cdef TagState *t
        while self.slots[slot] >= 0:
            t = &self.tags[self.slots[slot]]
            if t.hash == h and t.size == size and memcmp(t.name, name, size) == 0:
                break
            slot = (slot + 1) & (self.slot_count - 1)
        return self.slots[slot]

    cdef int32_t search(self, const uint8_t *name, uint64_t size) noexcept nogil:
        """find_tag() without a guess."""
        cdef uint32_t h = hash_name(name, size)
        cdef int32_t index = self.lookup(name, size, h)
        if index < 0:
            index = self.add_tag(name, size, h)
            if index < 0:
                return -1
        self.tags[self.previous].following = index
        self.previous = index
        return index

    cdef int set_meta(self, TagState *t, const uint8_t *meta, uint64_t size) noexcept nogil:
        """Only for a tag that has none: the first metadata wins."""
        t.meta = <uint8_t *>malloc(size if size else 1)
        if t.meta == NULL:
            return -2
        memcpy(t.meta, meta, size)
        t.meta_size = <int32_t>size
        t.plugin = plugin_class(meta, meta + size, self.plugin_name, self.plugin_size)
        t.is_dirty = 1
        return 0

    cdef int learn(self, int32_t index, int field, const uint8_t *meta, uint64_t meta_size, int has_meta) noexcept nogil:
        """What a tag's first value says of it."""
        cdef TagState *t = &self.tags[index]
        if has_meta and t.meta_size < 0:
            if self.set_meta(t, meta, meta_size) < 0 or self.remember(index, DID_META) < 0:
                return -2
        if t.first_field == 0:
            t.first_field = field
            return self.remember(index, DID_FIRST_FIELD)
        return 0

    cdef int copy_tags(self, TagRows like) except -1:
        """The same tags in the same order and with the same metadata, so that append() finds them without a search."""
        cdef int32_t i
        cdef TagState *t
        for i in range(like.tag_count):
            t = &like.tags[i]
            if find_tag(self, t.name, t.size) < 0:
                raise MemoryError
            if t.meta_size >= 0 and self.set_meta(&self.tags[i], t.meta, t.meta_size) < 0:
                raise MemoryError
            self.tags[i].is_dirty = 0
            self.tags[i].following = t.following
        return 0

    # -- rows

    cdef int push_blob(
        self, int32_t index, int field, double wall_time, int64_t step, int64_t record, uint64_t at, uint64_t size
    ) noexcept nogil:
        cdef TagState *t = &self.tags[index]
        cdef Cols *c = &t.blobs
        if c.count == c.capacity and cols_reserve(c, c.capacity * 2 if c.capacity else 16) < 0:
            return -2
        if c.count == 0 and t.taken_blobs == 0 and t.points.count == 0 and t.taken_points == 0:
            t.blobs_first = 1
            if self.remember(index, DID_BLOBS_FIRST) < 0:
                return -2
        if t.blob_field == 0:
            t.blob_field = field
            if self.remember(index, DID_BLOB_FIELD) < 0:
                return -2
        (<int64_t *>c.data[0])[c.count] = step
        (<double *>c.data[1])[c.count] = wall_time
        (<int64_t *>c.data[2])[c.count] = record
        (<uint32_t *>c.data[3])[c.count] = <uint32_t>at
        (<uint32_t *>c.data[4])[c.count] = <uint32_t>size
        c.count += 1
        t.is_dirty = 1
        return self.remember(index, DID_BLOB)

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

    cdef int remember(self, int32_t tag, int did) noexcept nogil:
        """Note what the current record did, so that a malformed record can be taken back whole."""
        cdef int32_t *grown
        cdef int32_t capacity
        if self.undo_count == self.undo_capacity:
            capacity = self.undo_capacity * 2 if self.undo_capacity else 64
            grown = <int32_t *>realloc(self.undo, capacity * sizeof(int32_t))
            if grown == NULL:
                return -2
            self.undo = grown
            self.undo_capacity = capacity
        self.undo[self.undo_count] = tag * 8 + did
        self.undo_count += 1
        return 0

    cdef void take_back(self) noexcept nogil:
        cdef int32_t i
        cdef int did
        cdef TagState *t
        for i in range(self.undo_count):
            t = &self.tags[self.undo[i] >> 3]
            did = self.undo[i] & 7
            if did == DID_POINT:
                t.points.count -= 1
            elif did == DID_BLOB:
                t.blobs.count -= 1
            elif did == DID_META:
                free(t.meta)
                t.meta = NULL
                t.meta_size = -1
                t.plugin = PLUGIN_UNKNOWN
            elif did == DID_FIRST_FIELD:
                t.first_field = 0
            elif did == DID_BLOB_FIELD:
                t.blob_field = 0
            else:
                t.blobs_first = 0
        self.undo_count = 0

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
                t.is_dirty = 1
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

    cdef bint fits_behind(self, TagRows other) noexcept nogil:
        """Whether the rows of `other`, read on their own, are what reading on from here would have given."""
        cdef int32_t i, index
        cdef TagState *t
        cdef TagState *mine
        if other.session_starts:
            return False
        for i in range(other.tag_count):
            t = &other.tags[i]
            index = self.lookup(t.name, t.size, t.hash) if t.is_dirty else -1
            if index < 0 or self.tags[index].meta_size < 0:
                continue
            # A tag's first metadata decides what its tensors are, and the part before may have had another one.
            mine = &self.tags[index]
            if (t.meta_size >= 0 and t.plugin != mine.plugin) or (mine.plugin == PLUGIN_OTHER and t.points.count):
                return False
        return True

    cdef int append(self, TagRows other) noexcept nogil:
        """Take over all rows of `other`. -2: out of memory."""
        cdef int32_t i, index
        cdef TagState *t
        cdef TagState *mine
        cdef Extra *e
        for i in range(other.tag_count):
            t = &other.tags[i]
            if not t.is_dirty:
                continue
            index = find_tag(self, t.name, t.size)
            if index < 0:
                return -2
            mine = &self.tags[index]
            mine.is_dirty = 1
            if mine.meta_size < 0 and t.meta_size >= 0 and self.set_meta(mine, t.meta, t.meta_size) < 0:
                return -2
            if mine.first_field == 0:
                mine.first_field = t.first_field
            if mine.blob_field == 0:
                mine.blob_field = t.blob_field
            if mine.points.count == 0 and mine.taken_points == 0 and mine.blobs.count == 0 and mine.taken_blobs == 0:
                mine.blobs_first = t.blobs_first
            if cols_extend(&mine.points, &t.points) < 0 or cols_extend(&mine.blobs, &t.blobs) < 0:
                return -2
            cols_free(&t.points)
            cols_free(&t.blobs)
        for i in range(other.extra_count):
            e = &other.extras[i]
            if self.push_extra(e.field, e.wall_time, e.step, e.record, e.at, e.size) < 0:
                return -2
        return 0

    # -- handing over

    def saved_tags(self):
        """All tags as (name, metadata or None, field of the first value, of the first blob, whether blobs came first, points,
        blobs, session starts): what `resume_tags` goes on from, with Columns that nobody adds to. None unless the Columns hold exactly
        what was taken."""
        cdef int32_t i
        cdef TagState *t
        cdef Columns points, blobs
        found = []
        if len(self.columns) != self.tag_count:
            return None
        for i in range(self.tag_count):
            t = &self.tags[i]
            points, blobs = self.columns[i]
            if t.is_dirty or t.taken_points != (0 if points is None else points.count) or (
                t.taken_blobs != (0 if blobs is None else blobs.count)
            ):
                return None
            found.append((
                <bytes>t.name[:t.size],
                <bytes>t.meta[:t.meta_size] if t.meta_size >= 0 else None,
                t.first_field,
                t.blob_field,
                t.blobs_first != 0,
                None if points is None else points.freeze(),
                None if blobs is None else blobs.freeze(),
                self.starts(i),
            ))
        return found

    def held_columns(self):
        """(points, blobs) of every tag."""
        return list(self.columns)

    cdef int resume_tags(self, list saved) except -1:
        """Go on where another scanner stood; this one is new. The Columns are the same objects from now on."""
        cdef int32_t index
        cdef TagState *t
        cdef bytes name, meta
        cdef Columns points, blobs
        cdef Py_ssize_t i
        for name, meta, first_field, blob_field, blobs_first, points, blobs, starts in saved:
            index = find_tag(self, <const uint8_t *><const char *>name, len(name))
            if index < 0:
                raise MemoryError
            if index != len(self.columns):
                raise ValueError(f"tag {name!r} twice")
            self.columns.append([points, blobs])
            t = &self.tags[index]
            if meta is not None and self.set_meta(t, <const uint8_t *><const char *>meta, len(meta)) < 0:
                raise MemoryError
            t.is_dirty = 0
            t.first_field = first_field
            t.blob_field = blob_field
            t.blobs_first = blobs_first
            t.taken_points = 0 if points is None else points.count
            t.taken_blobs = 0 if blobs is None else blobs.count
            if starts:
                t.starts = <Start *>calloc(len(starts), sizeof(Start))
                if t.starts == NULL:
                    raise MemoryError
                for i in range(len(starts)):
                    t.starts[i].points, t.starts[i].blobs, t.starts[i].step = starts[i]
                t.start_count = <int32_t>len(starts)
        return 0

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
        """(name, metadata or None, fields of the first value and of the first blob, whether blobs came first, points, blobs)"""
        if index < 0 or index >= self.tag_count:
            raise IndexError(index)
        cdef TagState *t = &self.tags[index]
        points, blobs = self.columns[index]
        return (
            <bytes>t.name[:t.size],
            <bytes>t.meta[:t.meta_size] if t.meta_size >= 0 else None,
            (t.first_field, t.blob_field),
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
