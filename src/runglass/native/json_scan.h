/* Scanning JSON: the end of a string eight bytes at a time, the end of a word by a table. */
#ifndef RUNGLASS_JSON_SCAN_H
#define RUNGLASS_JSON_SCAN_H

#include <stdint.h>
#include <string.h>

#define RG_EACH_BYTE(value) (0x0101010101010101ULL * (value))

/* A byte of `word` that equals `value` has its high bit set in the result; of the others, only those above it may. */
static inline uint64_t rg_bytes_equal(uint64_t word, uint64_t value)
{
    uint64_t difference = word ^ RG_EACH_BYTE(value);
    return (difference - RG_EACH_BYTE(1)) & ~difference & RG_EACH_BYTE(0x80);
}

/* The first quote or backslash. There must be one, and eight bytes after it. */
static inline const uint8_t *rg_quote_or_backslash(const uint8_t *p)
{
#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (;;) {
        uint64_t word, found;
        memcpy(&word, p, 8);
        found = rg_bytes_equal(word, '"') | rg_bytes_equal(word, '\\');
        if (found)
            return p + (__builtin_ctzll(found) >> 3);
        p += 8;
    }
#else
    while (*p != '"' && *p != '\\')
        p++;
    return p;
#endif
}

/* Whether a number or a bare word ends before this byte: at space, control characters and , : " [ ] { } */
static const uint8_t rg_word_ends[256] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ['"'] = 1, [','] = 1,
    [':'] = 1, ['['] = 1, [']'] = 1, ['{'] = 1, ['}'] = 1};

#endif
