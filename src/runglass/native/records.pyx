"""Record framing: a length, its checksum, a payload, its checksum. Knows nothing of what a payload holds.

The loader of event files has its own loop over the same framing; this module serves writers and other record files.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.string cimport memcpy

rg_crc32c_init()

CHECKSUM_KIND = rg_crc32c_kind().decode("ascii")


class RecordError(ValueError):
    """A length that fails its checksum: nothing after `offset` in this stream can be trusted."""

    def __init__(self, offset, found, expected):
        super().__init__(f"byte {offset}: length checksum {found:#010x}, expected {expected:#010x}")
        self.offset = offset
        self.found = found
        self.expected = expected


def crc32c(const unsigned char[::1] data not None):
    return rg_crc32c(&data[0] if data.shape[0] else NULL, data.shape[0])


def crc32c_by_table(const unsigned char[::1] data not None):
    """The portable version, for holding the fast one against it."""
    return rg_crc32c_table(&data[0] if data.shape[0] else NULL, data.shape[0])


def masked_crc32c(const unsigned char[::1] data not None):
    return rg_masked_crc32c(&data[0] if data.shape[0] else NULL, data.shape[0])


cdef uint8_t *put_record(uint8_t *out, bytes payload) noexcept:
    cdef uint64_t n = PyBytes_GET_SIZE(payload)
    cdef const uint8_t *data = <const uint8_t *>PyBytes_AS_STRING(payload)
    store_u64(out, n)
    store_u32(out + 8, rg_masked_crc32c(out, 8))
    memcpy(out + HEADER_BYTES, data, n)
    store_u32(out + HEADER_BYTES + n, rg_masked_crc32c(data, n))
    return out + HEADER_BYTES + n + FOOTER_BYTES


def frame(bytes payload not None):
    """One record, ready to append to a file."""
    cdef bytes out = PyBytes_FromStringAndSize(NULL, PyBytes_GET_SIZE(payload) + HEADER_BYTES + FOOTER_BYTES)
    put_record(<uint8_t *>PyBytes_AS_STRING(out), payload)
    return out


def frame_many(list payloads not None):
    """Many records back to back."""
    cdef Py_ssize_t total = 0
    # A snapshot: another thread may change the list while this runs.
    cdef tuple fixed = tuple(payloads)
    for payload in fixed:
        if not isinstance(payload, bytes):
            raise TypeError(f"payloads must be bytes, got {type(payload).__name__}")
        total += PyBytes_GET_SIZE(payload) + HEADER_BYTES + FOOTER_BYTES
    cdef bytes out = PyBytes_FromStringAndSize(NULL, total)
    cdef uint8_t *p = <uint8_t *>PyBytes_AS_STRING(out)
    for payload in fixed:
        p = put_record(p, <bytes>payload)
    return out


cdef class RecordCursor:
    """Reads records from bytes that arrive in pieces.

    Iterating gives `(offset, payload, payload_ok)` for every whole record fed so far and then stops; feed more and
    iterate again. A length that fails its checksum raises RecordError, now and at every later try.
    """

    cdef bytearray pending
    # Where `pending` starts in the stream, and where in `pending` the next record starts.
    cdef readonly unsigned long long base
    cdef Py_ssize_t at

    def __init__(self, unsigned long long offset=0):
        self.pending = bytearray()
        self.base = offset
        self.at = 0

    @property
    def offset(self):
        """Stream offset of the first record not given out yet."""
        return self.base + self.at

    def feed(self, data):
        del self.pending[: self.at]
        self.base += self.at
        self.at = 0
        self.pending += data

    def __iter__(self):
        return self

    def __next__(self):
        cdef const uint8_t[::1] view = self.pending
        cdef Py_ssize_t left = view.shape[0] - self.at
        if left < HEADER_BYTES:
            raise StopIteration
        cdef const uint8_t *p = &view[self.at]
        cdef uint64_t n = load_u64(p)
        cdef uint32_t found = load_u32(p + 8)
        cdef uint32_t expected = rg_masked_crc32c(p, 8)
        if found != expected:
            raise RecordError(self.base + self.at, found, expected)
        # Compared this way round because n comes from the file and n + anything may wrap.
        if n > <uint64_t>left or <uint64_t>left - n < HEADER_BYTES + FOOTER_BYTES:
            raise StopIteration
        cdef bytes payload = PyBytes_FromStringAndSize(<const char *>(p + HEADER_BYTES), <Py_ssize_t>n)
        cdef bint ok = load_u32(p + HEADER_BYTES + n) == rg_masked_crc32c(p + HEADER_BYTES, n)
        cdef object offset = self.base + self.at
        self.at += HEADER_BYTES + <Py_ssize_t>n + FOOTER_BYTES
        return offset, payload, ok
