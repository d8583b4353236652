/* CRC32C: the CPU's own instruction where there is one (three interleaved streams, because the instruction can start
 * every cycle but takes two or three to finish), tables of eight slices elsewhere. Chosen at run time, so one binary
 * runs on every CPU of its architecture. */
#include "crc32c.h"

#include <string.h>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

#if defined(__x86_64__) || defined(_M_X64)
#define HAS_SSE42 1
#include <nmmintrin.h>
#elif (defined(__aarch64__) || defined(_M_ARM64)) && !defined(__AARCH64EB__)
#define HAS_ARM 1
#if defined(__linux__)
#include <sys/auxv.h>
#elif defined(_WIN32)
#include <windows.h>
#endif
#endif

static uint32_t slices[8][256];
static const char *kind = "table";

static uint64_t load64(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
           (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static uint32_t table_update(uint32_t crc, const uint8_t *p, size_t n)
{
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t x = load64(p) ^ crc;
        crc = slices[7][x & 0xFF] ^ slices[6][(x >> 8) & 0xFF] ^ slices[5][(x >> 16) & 0xFF] ^
              slices[4][(x >> 24) & 0xFF] ^ slices[3][(x >> 32) & 0xFF] ^ slices[2][(x >> 40) & 0xFF] ^
              slices[1][(x >> 48) & 0xFF] ^ slices[0][x >> 56];
    }
    for (; n; n--, p++)
        crc = slices[0][(crc ^ *p) & 0xFF] ^ (crc >> 8);
    return crc;
}

uint32_t rg_crc32c_table(const uint8_t *p, size_t n)
{
    return ~table_update(0xFFFFFFFFu, p, n);
}

static void build_slices(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1u)));
        slices[0][i] = crc;
    }
    for (int s = 1; s < 8; s++)
        for (int i = 0; i < 256; i++)
            slices[s][i] = slices[0][slices[s - 1][i] & 0xFF] ^ (slices[s - 1][i] >> 8);
}

#if defined(HAS_SSE42) || defined(HAS_ARM)

/* Stream lengths: long ones so that joining costs nothing, short ones for what is left. Multiples of 8. */
#define LONG_BYTES 4096
#define SHORT_BYTES 256

/* shift[b][x]: the state after a stream's worth of zero bytes, for byte b of the state before; XOR of four gives all. */
static uint32_t shift_long[4][256];
static uint32_t shift_short[4][256];

static void build_shift(uint32_t shift[4][256], size_t bytes)
{
    static const uint8_t zeros[LONG_BYTES] = {0};
    for (int b = 0; b < 4; b++) {
        shift[b][0] = 0;
        for (int x = 1; x < 256; x++) {
            int low = x & -x;
            /* The update is linear, so single bits are run through it and the rest are sums of those. */
            shift[b][x] = x == low ? table_update((uint32_t)x << (8 * b), zeros, bytes) : shift[b][low] ^ shift[b][x ^ low];
        }
    }
}

static inline uint32_t shifted(uint32_t shift[4][256], uint32_t crc)
{
    return shift[0][crc & 0xFF] ^ shift[1][(crc >> 8) & 0xFF] ^ shift[2][(crc >> 16) & 0xFF] ^ shift[3][crc >> 24];
}

#if defined(HAS_SSE42)
#define STEP8(crc, x) ((uint32_t)_mm_crc32_u64((crc), (x)))
#define STEP4(crc, x) _mm_crc32_u32((crc), (x))
#define STEP1(crc, x) _mm_crc32_u8((crc), (x))
#if defined(__clang__) && __clang_major__ >= 14
/* A feature of its own since then; builds that name their features one by one do not get it with sse4.2. */
#define FAST __attribute__((target("sse4.2,crc32")))
#elif defined(__GNUC__) || defined(__clang__)
#define FAST __attribute__((target("sse4.2")))
#endif
#elif defined(__clang__)
#define STEP8(crc, x) __builtin_arm_crc32cd((crc), (x))
#define STEP4(crc, x) __builtin_arm_crc32cw((crc), (x))
#define STEP1(crc, x) __builtin_arm_crc32cb((crc), (x))
#define FAST __attribute__((target("crc")))
#elif defined(__GNUC__)
#define STEP8(crc, x) __builtin_aarch64_crc32cx((crc), (x))
#define STEP4(crc, x) __builtin_aarch64_crc32cw((crc), (x))
#define STEP1(crc, x) __builtin_aarch64_crc32cb((crc), (x))
#define FAST __attribute__((target("+crc")))
#else
#define STEP8(crc, x) __crc32cd((crc), (x))
#define STEP4(crc, x) __crc32cw((crc), (x))
#define STEP1(crc, x) __crc32cb((crc), (x))
#endif
#ifndef FAST
#define FAST
#endif

/* Both architectures are little-endian here, so a plain load is the wire order. */
static inline uint64_t raw64(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
    return x;
}

static inline uint32_t raw32(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, 4);
    return x;
}

#define THREE_STREAMS(bytes, shift)                                                                                    \
    while (n >= 3 * (bytes)) {                                                                                         \
        uint32_t b = 0, c = 0;                                                                                         \
        for (size_t i = 0; i < (bytes); i += 8) {                                                                      \
            crc = STEP8(crc, raw64(p + i));                                                                            \
            b = STEP8(b, raw64(p + (bytes) + i));                                                                      \
            c = STEP8(c, raw64(p + 2 * (bytes) + i));                                                                  \
        }                                                                                                              \
        crc = shifted(shift, shifted(shift, crc) ^ b) ^ c;                                                             \
        p += 3 * (bytes);                                                                                              \
        n -= 3 * (bytes);                                                                                              \
    }

FAST static uint32_t fast(const uint8_t *p, size_t n)
{
    uint32_t crc = 0xFFFFFFFFu;
    if (n >= 3 * SHORT_BYTES) {
        THREE_STREAMS(LONG_BYTES, shift_long)
        THREE_STREAMS(SHORT_BYTES, shift_short)
    }
    for (; n >= 8; n -= 8, p += 8)
        crc = STEP8(crc, raw64(p));
    if (n & 4) {
        crc = STEP4(crc, raw32(p));
        p += 4;
    }
    for (n &= 3; n; n--, p++)
        crc = STEP1(crc, *p);
    return ~crc;
}

static int cpu_is_fast(void)
{
#if defined(HAS_SSE42) && defined(_MSC_VER)
    int registers[4];
    __cpuid(registers, 1);
    return (registers[2] >> 20) & 1;
#elif defined(HAS_SSE42)
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2");
#elif defined(__linux__)
    /* HWCAP_CRC32, spelled out because old headers lack it. */
    return (getauxval(AT_HWCAP) >> 7) & 1;
#elif defined(__APPLE__)
    return 1;
#elif defined(_WIN32)
    /* PF_ARM_V8_CRC32_INSTRUCTIONS_AVAILABLE */
    return IsProcessorFeaturePresent(31) != 0;
#else
    return 0;
#endif
}

#endif

uint32_t (*rg_crc32c)(const uint8_t *p, size_t n) = rg_crc32c_table;

void rg_crc32c_init(void)
{
    build_slices();
#if defined(HAS_SSE42) || defined(HAS_ARM)
    if (cpu_is_fast()) {
        build_shift(shift_long, LONG_BYTES);
        build_shift(shift_short, SHORT_BYTES);
#if defined(HAS_SSE42)
        kind = "sse4.2";
#else
        kind = "armv8";
#endif
        rg_crc32c = fast;
    }
#endif
}

const char *rg_crc32c_kind(void)
{
    return kind;
}
