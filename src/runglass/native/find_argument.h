/* Where the kind of an argument and the first byte of its value may stand, 64 bytes at a time. */
#ifndef RUNGLASS_FIND_ARGUMENT_H
#define RUNGLASS_FIND_ARGUMENT_H

#include <stddef.h>
#include <stdint.h>

#define RG_MOST_FIRST_BYTES 4

/* A kind from `low` to `high`, then one of the first bytes. Where there are fewer, one is repeated. */
struct rg_pairs {
    uint8_t low;
    uint8_t high;
    uint8_t firsts[RG_MOST_FIRST_BYTES];
};

static inline uint8_t rg_is_pair(const uint8_t *p, const struct rg_pairs *wanted)
{
    uint8_t is_kind = (uint8_t)(p[0] >= wanted->low) & (uint8_t)(p[0] <= wanted->high);
    uint8_t is_first = (uint8_t)(p[1] == wanted->firsts[0]) | (uint8_t)(p[1] == wanted->firsts[1]) |
                       (uint8_t)(p[1] == wanted->firsts[2]) | (uint8_t)(p[1] == wanted->firsts[3]);
    return is_kind & is_first;
}

/* The first such pair from `p` on whose second byte is before `end`; `end` if there is none. */
static inline const uint8_t *rg_find_pair(const uint8_t *p, const uint8_t *end, const struct rg_pairs *given)
{
    /* A copy, which nothing that is read can be. */
    const struct rg_pairs wanted = *given;
    while (end - p > 64) {
        uint8_t found = 0;
        for (int i = 0; i < 64; i++)
            found |= rg_is_pair(p + i, &wanted);
        if (found)
            break;
        p += 64;
    }
    for (; end - p > 1; p++)
        if (rg_is_pair(p, &wanted))
            return p;
    return end;
}

#endif
