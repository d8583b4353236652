/* Floats from 0 to 1 as bytes: each of the 256 gets an equal share, what lies outside is cut, NaN becomes 0. */
#ifndef RUNGLASS_UNIT_BYTES_H
#define RUNGLASS_UNIT_BYTES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>

/* Processors fetch ahead within a page; a picture that left the cache begins a page every thousand floats. */
#define RG_AHEAD_BYTES 4096

/* Of NaN and a number, maximum and minimum take the second, as `a > b ? a : b` does: NaN becomes 0, and is no limit. */
static __m128i rg_four_floats(const float *x, __m128 *low, __m128 *high)
{
    __m128 values = _mm_loadu_ps(x), scaled = _mm_mul_ps(values, _mm_set1_ps(255.5f));
    *low = _mm_min_ps(values, *low);
    *high = _mm_max_ps(values, *high);
    scaled = _mm_min_ps(_mm_max_ps(scaled, _mm_setzero_ps()), _mm_set1_ps(255.0f));
    return _mm_cvttps_epi32(scaled);
}

static __m128i rg_two_doubles(const double *x, __m128d *low, __m128d *high)
{
    __m128d values = _mm_loadu_pd(x), scaled = _mm_mul_pd(values, _mm_set1_pd(255.5));
    *low = _mm_min_pd(values, *low);
    *high = _mm_max_pd(values, *high);
    scaled = _mm_min_pd(_mm_max_pd(scaled, _mm_setzero_pd()), _mm_set1_pd(255.0));
    return _mm_cvttpd_epi32(scaled);
}

static __m128i rg_four_doubles(const double *x, __m128d *low, __m128d *high)
{
    return _mm_unpacklo_epi64(rg_two_doubles(x, low, high), rg_two_doubles(x + 2, low, high));
}

/* As many as are handled sixteen at a time; compilers make no such loop of what follows. */
#define RG_SIXTEENS(name, real, vector, lanes, four, zero, store)                                                      \
    static ptrdiff_t name(const real *x, ptrdiff_t n, uint8_t *out, real *limits)                                      \
    {                                                                                                                  \
        ptrdiff_t i = 0;                                                                                               \
        int lane;                                                                                                      \
        real lows[lanes], highs[lanes];                                                                                \
        vector low = zero, high = zero;                                                                                \
        for (; i + 16 <= n; i += 16) {                                                                                 \
            __m128i first = _mm_packs_epi32(four(x + i, &low, &high), four(x + i + 4, &low, &high));                   \
            __m128i second = _mm_packs_epi32(four(x + i + 8, &low, &high), four(x + i + 12, &low, &high));             \
            _mm_storeu_si128((__m128i *)(out + i), _mm_packus_epi16(first, second));                                   \
            _mm_prefetch((const char *)(x + i) + RG_AHEAD_BYTES, _MM_HINT_T0);                                         \
            _mm_prefetch((const char *)(out + i) + RG_AHEAD_BYTES, _MM_HINT_T0);                                       \
        }                                                                                                              \
        store(lows, low);                                                                                              \
        store(highs, high);                                                                                            \
        for (lane = 0; lane < lanes; lane++) {                                                                         \
            limits[0] = lows[lane] < limits[0] ? lows[lane] : limits[0];                                               \
            limits[1] = highs[lane] > limits[1] ? highs[lane] : limits[1];                                             \
        }                                                                                                              \
        return i;                                                                                                      \
    }
RG_SIXTEENS(rg_sixteen_floats, float, __m128, 4, rg_four_floats, _mm_setzero_ps(), _mm_storeu_ps)
RG_SIXTEENS(rg_sixteen_doubles, double, __m128d, 2, rg_four_doubles, _mm_setzero_pd(), _mm_storeu_pd)
#else
#define RG_SIXTEENS(name, real)                                                                                        \
    static ptrdiff_t name(const real *x, ptrdiff_t n, uint8_t *out, real *limits)                                      \
    {                                                                                                                  \
        return 0;                                                                                                      \
    }
RG_SIXTEENS(rg_sixteen_floats, float)
RG_SIXTEENS(rg_sixteen_doubles, double)
#endif

/* `limits` become the least and the most of them and 0. */
#define RG_UNIT_BYTES(name, real, sixteens)                                                                            \
    static void name(const real *x, ptrdiff_t n, uint8_t *out, real *limits)                                           \
    {                                                                                                                  \
        ptrdiff_t i;                                                                                                   \
        limits[0] = limits[1] = 0;                                                                                     \
        for (i = sixteens(x, n, out, limits); i < n; i++) {                                                            \
            real value = x[i] * (real)255.5;                                                                           \
            limits[0] = x[i] < limits[0] ? x[i] : limits[0];                                                           \
            limits[1] = x[i] > limits[1] ? x[i] : limits[1];                                                           \
            value = value > 0 ? value : 0;                                                                             \
            value = value < 255 ? value : 255;                                                                         \
            out[i] = (uint8_t)(int)value;                                                                              \
        }                                                                                                              \
    }

RG_UNIT_BYTES(rg_unit_floats, float, rg_sixteen_floats)
RG_UNIT_BYTES(rg_unit_doubles, double, rg_sixteen_doubles)

#endif
