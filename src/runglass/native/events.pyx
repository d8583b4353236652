"""Scans event files record by record, without the GIL: framing, checksums, resuming, and large files in several parts.

What is inside a record is event_decoder.pyx's business. Knows descriptors, not paths.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from runglass.native.event_decoder cimport EventDecoder
from runglass.native.file_buffer cimport BUFFER_BYTES, FIRST_READ_BYTES, Buffer, fill, rg_pread
from runglass.native.records cimport rg_crc32c_init, rg_masked_crc32c
from runglass.native.wire cimport load_u32, load_u64

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
    # A record above this is looked at through a window, and hopped over when all its values are large.
    HOP_BYTES = 64 * 1024
    # Protobuf's own limit of one message.
    MAX_RECORD_BYTES = 0x7FFFFFFF
    # A record that mixes small and large values is read whole, so that its checksum is known; up to this size.
    MAX_WHOLE_BYTES = 256 * 1024 * 1024
    HEADER_CACHE = 64
    HEAD_BYTES = 64

cdef struct HeaderSeen:
    uint64_t length
    uint32_t checksum


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


cdef class EventScanner(EventDecoder):
    """Everything known of one event file: where reading stands, its tags, and rows that wait to be taken.

    `scan` runs without the GIL and fills C memory that nobody else sees; `take` hands the rows over.
    """

    cdef HeaderSeen seen[HEADER_CACHE]
    cdef uint8_t first_bytes[HEAD_BYTES]
    cdef int head_size
    cdef readonly int64_t records
    cdef readonly int64_t skipped
    cdef readonly int64_t first_skipped
    cdef readonly uint32_t found_checksum
    cdef readonly uint32_t expected_checksum
    cdef readonly uint64_t found_length
    cdef readonly int read_errno
    cdef int first_skip
    cdef int stop

    def __cinit__(self, bytes plugin, int64_t offset=0, EventScanner like=None):
        self.first_skipped = -1
        if like is not None:
            self.copy_tags(like)

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
                if at == 0:
                    self.head_size = <int>min(have, <int64_t>HEAD_BYTES)
                    memcpy(self.first_bytes, b.data, self.head_size)
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

    def scan(self, int fd, ScanBuffer buffer, int64_t limit=0x7FFFFFFFFFFFFFFF, int64_t size=0):
        """Read every complete record that begins before `limit`; returns why it stopped (see STOPS).

        `size` is where this scanner's rows will end as far as is known: a hint for how much room they need, not a bound.
        """
        cdef uint8_t *shrunk
        self.expected_end = size
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
        cdef int code
        if other.start_offset != self.offset or not self.fits_behind(other):
            return False
        with nogil:
            code = self.append(other)
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

    @property
    def state(self):
        """Where reading stands, but for the tags, as numbers; what `resume` takes."""
        return (
            self.offset,
            self.records,
            self.skipped,
            self.first_skipped,
            self.first_skip,
            self.found_checksum,
            self.expected_checksum,
            self.found_length,
            self.read_errno,
            self.session_starts,
            self.min_start_step,
            self.last_start_step,
            self.min_wall_time,
            self.max_wall_time,
        )

    def resume(self, tuple state, bytes head, list tags):
        """Make this new scanner go on where another stood, as its `state`, `head` and `saved_tags()` say."""
        if self.records or self.tag_count or len(head) > HEAD_BYTES or not 0 <= state[4] < len(SKIPS):
            raise ValueError("only a new scanner can go on from a state")
        self.resume_tags(tags)
        (
            self.offset,
            self.records,
            self.skipped,
            self.first_skipped,
            self.first_skip,
            self.found_checksum,
            self.expected_checksum,
            self.found_length,
            self.read_errno,
            self.session_starts,
            self.min_start_step,
            self.last_start_step,
            self.min_wall_time,
            self.max_wall_time,
        ) = state
        self.start_offset = self.offset
        self.head_size = <int>len(head)
        memcpy(self.first_bytes, <const uint8_t *><const char *>head, self.head_size)

    @property
    def head(self):
        """The file's first bytes, as the scan from its front saw them."""
        return <bytes>self.first_bytes[:self.head_size]

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
