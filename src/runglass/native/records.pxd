# Checksums and little-endian loads for modules that read records themselves. Such a module links crc32c.c and calls
# rg_crc32c_init() at import; it does not import runglass.native.records.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from runglass.native.wire cimport load_u32, load_u64, store_u32, store_u64


cdef extern from "crc32c.h" nogil:
    void rg_crc32c_init() noexcept
    uint32_t rg_crc32c(const uint8_t *p, size_t n) noexcept
    uint32_t rg_crc32c_table(const uint8_t *p, size_t n) noexcept
    uint32_t rg_masked_crc32c(const uint8_t *p, size_t n) noexcept
    uint32_t rg_crc32c_mask(uint32_t crc) noexcept
    const char *rg_crc32c_kind() noexcept


# Bytes around a payload: length (8) and its checksum (4) before it, the payload's checksum (4) after it.
cdef enum:
    HEADER_BYTES = 12
    FOOTER_BYTES = 4
