/* Squared distances and products of float32 rows, four numbers at a time. Sums are always added in the same order, so results do not
   depend on the machine. */

#ifndef RUNGLASS_DISTANCE_H
#define RUNGLASS_DISTANCE_H

#include <string.h>

#include "prefetch.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

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
/* Which bit is the lowest that is set; there is one. */
#define LOWEST(bits) __builtin_ctz(bits)
#else
static inline int LOWEST(unsigned bits) { int at = 0; while (!(bits >> at & 1)) at++; return at; }
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

/* Which pairs of four rows and four others may be nearer to each other than the larger of their two limits: bit 4 p + q for a[p], b[q].
   Rows have `d` numbers, a multiple of 4. `low` is of each row a little less than its squared length, by more than all products can be
   rounded, so no pair is missed, and what comes of it does not depend on how a machine rounds. */
static inline unsigned nearer_4x4(const float *const *a, const float *const *b, int d, const float *low_a, const float *low_b,
                                  const float *limits_a, const float *limits_b)
{
    unsigned found = 0;
    int i, p, q;
#if defined(__aarch64__)
    const uint32x4_t bits = {1, 2, 4, 8};
    float32x4_t sums[4][4];
    for (p = 0; p < 4; p++)
        for (q = 0; q < 4; q++)
            sums[p][q] = vdupq_n_f32(0);
    for (i = 0; i < d; i += 4) {
        float32x4_t left[4], right[4];
        for (p = 0; p < 4; p++)
            left[p] = vld1q_f32(a[p] + i), right[p] = vld1q_f32(b[p] + i);
        for (p = 0; p < 4; p++)
            for (q = 0; q < 4; q++)
                sums[p][q] = vfmaq_f32(sums[p][q], left[p], right[q]);
    }
    for (p = 0; p < 4; p++) {
        float32x4_t product = vpaddq_f32(vpaddq_f32(sums[p][0], sums[p][1]), vpaddq_f32(sums[p][2], sums[p][3]));
        float32x4_t square = vsubq_f32(vaddq_f32(vld1q_f32(low_b), vdupq_n_f32(low_a[p])), vaddq_f32(product, product));
        uint32x4_t is_far = vcgeq_f32(square, vmaxq_f32(vld1q_f32(limits_b), vdupq_n_f32(limits_a[p])));
        found |= vaddvq_u32(vbicq_u32(bits, is_far)) << (4 * p);
    }
#else
    four sums[4][4];
    for (p = 0; p < 4; p++)
        for (q = 0; q < 4; q++)
            sums[p][q] = zero4;
    for (i = 0; i < d; i += 4) {
        four left[4], right[4];
        for (p = 0; p < 4; p++)
            left[p] = load4(a[p] + i), right[p] = load4(b[p] + i);
        for (p = 0; p < 4; p++)
            for (q = 0; q < 4; q++)
                sums[p][q] = PLUS(sums[p][q], TIMES(left[p], right[q]));
    }
    for (p = 0; p < 4; p++)
        for (q = 0; q < 4; q++) {
            float square = low_a[p] + low_b[q] - 2 * add4(sums[p][q]);
            /* Not a number is not far. */
            if (!(square >= (limits_a[p] > limits_b[q] ? limits_a[p] : limits_b[q])))
                found |= 1u << (4 * p + q);
        }
#endif
    return found;
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
