/* Squared distances and products of float32 rows, four numbers at a time. Sums are always added in the same order, so results do not
   depend on the machine. */

#ifndef RUNGLASS_DISTANCE_H
#define RUNGLASS_DISTANCE_H

#include <string.h>

#if defined(__GNUC__)
typedef float four __attribute__((vector_size(16)));
static inline four load4(const float *at) { four got; memcpy(&got, at, sizeof got); return got; }
static inline float add4(four a) { return (a[0] + a[1]) + (a[2] + a[3]); }
#define PLUS(a, b) ((a) + (b))
#define MINUS(a, b) ((a) - (b))
#define TIMES(a, b) ((a) * (b))
static const four zero4 = {0, 0, 0, 0};
#else
typedef struct { float x, y, z, w; } four;
static inline four load4(const float *at) { four got; memcpy(&got, at, sizeof got); return got; }
static inline float add4(four a) { return (a.x + a.y) + (a.z + a.w); }
static inline four PLUS(four a, four b) { four c = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; return c; }
static inline four MINUS(four a, four b) { four c = {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; return c; }
static inline four TIMES(four a, four b) { four c = {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; return c; }
static const four zero4 = {0, 0, 0, 0};
#endif

#if defined(__GNUC__)
#define FETCH(at) __builtin_prefetch(at)
#else
#define FETCH(at) ((void)0)
#endif

/* The squared distance of two rows of `d` numbers, a multiple of 4, or anything above `limit` as soon as it is exceeded. */
static inline float squared_within(const float *restrict a, const float *restrict b, int d, float limit)
{
    float total = 0;
    int i = 0;
    for (; i + 16 <= d; i += 16) {
        four p = MINUS(load4(a + i), load4(b + i)), q = MINUS(load4(a + i + 4), load4(b + i + 4));
        four r = MINUS(load4(a + i + 8), load4(b + i + 8)), s = MINUS(load4(a + i + 12), load4(b + i + 12));
        total += add4(PLUS(PLUS(TIMES(p, p), TIMES(q, q)), PLUS(TIMES(r, r), TIMES(s, s))));
        if (total > limit)
            return total;
    }
    for (; i + 4 <= d; i += 4) {
        four p = MINUS(load4(a + i), load4(b + i));
        total += add4(TIMES(p, p));
    }
    return total;
}

/* The squared distance of rows of any length. */
static inline float squared(const float *restrict a, const float *restrict b, long d)
{
    four p = zero4, q = zero4, r = zero4, s = zero4;
    float rest = 0;
    long i = 0;
    for (; i + 16 <= d; i += 16) {
        four e = MINUS(load4(a + i), load4(b + i)), f = MINUS(load4(a + i + 4), load4(b + i + 4));
        four g = MINUS(load4(a + i + 8), load4(b + i + 8)), h = MINUS(load4(a + i + 12), load4(b + i + 12));
        p = PLUS(p, TIMES(e, e));
        q = PLUS(q, TIMES(f, f));
        r = PLUS(r, TIMES(g, g));
        s = PLUS(s, TIMES(h, h));
    }
    for (; i < d; i++)
        rest += (a[i] - b[i]) * (a[i] - b[i]);
    return add4(PLUS(PLUS(p, q), PLUS(r, s))) + rest;
}

/* The product of two rows, and the squared length of the first. */
static inline float product(const float *restrict a, const float *restrict b, long d, float *length)
{
    four p = zero4, q = zero4, r = zero4, s = zero4;
    float rest = 0, rest_length = 0;
    long i = 0;
    for (; i + 8 <= d; i += 8) {
        four e = load4(a + i), f = load4(a + i + 4);
        p = PLUS(p, TIMES(e, load4(b + i)));
        q = PLUS(q, TIMES(f, load4(b + i + 4)));
        r = PLUS(r, TIMES(e, e));
        s = PLUS(s, TIMES(f, f));
    }
    for (; i < d; i++) {
        rest += a[i] * b[i];
        rest_length += a[i] * a[i];
    }
    *length = add4(PLUS(r, s)) + rest_length;
    return add4(PLUS(p, q)) + rest;
}

#endif
