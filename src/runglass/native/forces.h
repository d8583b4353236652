/* The forces of t-SNE on one point, four others at a time: repulsion by a list of masses, attraction along edges. */

#ifndef RUNGLASS_FORCES_H
#define RUNGLASS_FORCES_H

#include "distance.h"

#if defined(__GNUC__)
#define OVER(a, b) ((a) / (b))
static inline four all4(float a) { four made = {a, a, a, a}; return made; }
#else
static inline four OVER(four a, four b) { four c = {a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; return c; }
static inline four all4(float a) { four made = {a, a, a, a}; return made; }
#endif

/* `count` is a multiple of 4: the list ends with masses of 0. Adds to the force in `out`, and returns the sum of the kernel. */
static inline float repel2(const float *restrict x, const float *restrict y, const float *restrict mass, int count,
                           float px, float py, float *restrict out)
{
    four one = all4(1), qx = all4(px), qy = all4(py), sum = zero4, fx = zero4, fy = zero4;
    for (int i = 0; i < count; i += 4) {
        four dx = MINUS(qx, load4(x + i)), dy = MINUS(qy, load4(y + i));
        four q = OVER(one, PLUS(one, PLUS(TIMES(dx, dx), TIMES(dy, dy))));
        four w = TIMES(load4(mass + i), q);
        sum = PLUS(sum, w);
        w = TIMES(w, q);
        fx = PLUS(fx, TIMES(w, dx));
        fy = PLUS(fy, TIMES(w, dy));
    }
    out[0] += add4(fx);
    out[1] += add4(fy);
    return add4(sum);
}

static inline float repel3(const float *restrict x, const float *restrict y, const float *restrict z, const float *restrict mass,
                           int count, float px, float py, float pz, float *restrict out)
{
    four one = all4(1), qx = all4(px), qy = all4(py), qz = all4(pz), sum = zero4, fx = zero4, fy = zero4, fz = zero4;
    for (int i = 0; i < count; i += 4) {
        four dx = MINUS(qx, load4(x + i)), dy = MINUS(qy, load4(y + i)), dz = MINUS(qz, load4(z + i));
        four q = OVER(one, PLUS(PLUS(one, TIMES(dz, dz)), PLUS(TIMES(dx, dx), TIMES(dy, dy))));
        four w = TIMES(load4(mass + i), q);
        sum = PLUS(sum, w);
        w = TIMES(w, q);
        fx = PLUS(fx, TIMES(w, dx));
        fy = PLUS(fy, TIMES(w, dy));
        fz = PLUS(fz, TIMES(w, dz));
    }
    out[0] += add4(fx);
    out[1] += add4(fy);
    out[2] += add4(fz);
    return add4(sum);
}

/* Attraction by `count` points of which `others` says where they stand in `at`: 2 or 3 numbers each. */
static inline void attract2(const float *restrict at, const int *restrict others, const float *restrict shares, long count, float px,
                            float py, float *restrict out)
{
    four one = all4(1), qx = all4(px), qy = all4(py), fx = zero4, fy = zero4;
    float x[4], y[4];
    long i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int k = 0; k < 4; k++) {
            const float *there = at + 2 * (long)others[i + k];
            x[k] = there[0];
            y[k] = there[1];
        }
        four dx = MINUS(qx, load4(x)), dy = MINUS(qy, load4(y));
        four w = OVER(load4(shares + i), PLUS(one, PLUS(TIMES(dx, dx), TIMES(dy, dy))));
        fx = PLUS(fx, TIMES(w, dx));
        fy = PLUS(fy, TIMES(w, dy));
    }
    out[0] = add4(fx);
    out[1] = add4(fy);
    for (; i < count; i++) {
        const float *there = at + 2 * (long)others[i];
        float dx = px - there[0], dy = py - there[1], w = shares[i] / (1 + (dx * dx + dy * dy));
        out[0] += w * dx;
        out[1] += w * dy;
    }
}

static inline void attract3(const float *restrict at, const int *restrict others, const float *restrict shares, long count, float px,
                            float py, float pz, float *restrict out)
{
    out[0] = out[1] = out[2] = 0;
    for (long i = 0; i < count; i++) {
        const float *there = at + 3 * (long)others[i];
        float dx = px - there[0], dy = py - there[1], dz = pz - there[2];
        float w = shares[i] / (1 + (dx * dx + dy * dy + dz * dz));
        out[0] += w * dx;
        out[1] += w * dy;
        out[2] += w * dz;
    }
}

#endif
