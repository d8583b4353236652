/* Which branches of the native modules an input took, for `make fuzz`. The compiler calls the function with the long name at
   every branch of a module built with -fsanitize-coverage=trace-pc. Not part of the package. */

#include <stddef.h>
#include <stdint.h>

#define SLOTS (1 << 16)

static uint8_t hits[SLOTS];
static uint8_t seen[SLOTS];
static uint32_t previous;

void __sanitizer_cov_trace_pc(void)
{
    uint32_t here = (uint32_t)((uintptr_t)__builtin_return_address(0) >> 2) * 2654435761u >> 16;
    uint8_t *slot = &hits[(here ^ previous) & (SLOTS - 1)];
    if (*slot < 255)
        ++*slot;
    previous = here >> 1;
}

/* Once, twice, a few times, often: a bit each. */
static uint8_t level(uint8_t count)
{
    return count < 2 ? 1 : count < 3 ? 2 : count < 8 ? 4 : count < 32 ? 8 : count < 128 ? 16 : 32;
}

/* How many branches were taken for the first time, or more often than ever, since the last call. */
int take_news(void)
{
    int found = 0;
    uint64_t *words = (uint64_t *)hits;
    for (size_t word = 0; word < SLOTS / 8; word++) {
        if (!words[word])
            continue;
        for (size_t at = word * 8; at < word * 8 + 8; at++) {
            if (hits[at] && level(hits[at]) & ~seen[at]) {
                seen[at] |= level(hits[at]);
                found++;
            }
        }
        words[word] = 0;
    }
    previous = 0;
    return found;
}
