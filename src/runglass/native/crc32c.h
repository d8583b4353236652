/* CRC32C (Castagnoli) and the masked form that record files store. Knows nothing of records or Python.
 *
 * The C file is compiled into each extension module that needs it; every such module calls rg_crc32c_init() once, at
 * import, before any other function here. */
#ifndef RUNGLASS_CRC32C_H
#define RUNGLASS_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Builds the tables and picks the fastest version this CPU runs. */
void rg_crc32c_init(void);

/* The picked version. Safe without the GIL and from many threads. */
extern uint32_t (*rg_crc32c)(const uint8_t *p, size_t n);

/* The version that runs everywhere, kept reachable so that tests can hold the fast one against it. */
uint32_t rg_crc32c_table(const uint8_t *p, size_t n);

/* "sse4.2", "armv8" or "table". */
const char *rg_crc32c_kind(void);

static inline uint32_t rg_crc32c_mask(uint32_t crc)
{
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

static inline uint32_t rg_masked_crc32c(const uint8_t *p, size_t n)
{
    return rg_crc32c_mask(rg_crc32c(p, n));
}

#endif
