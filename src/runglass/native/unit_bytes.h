/* Floats from 0 to 1 as bytes: each of the 256 gets an equal share, what lies outside is cut, NaN becomes 0. */
#ifndef RUNGLASS_UNIT_BYTES_H
#define RUNGLASS_UNIT_BYTES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>

/* Processors fetch ahead within a page; a picture that left the cache begins a page every thousand floats. */
#define RG_AHEAD_BYTES 4096

/* Of NaN and a number, maximum and minimum take the second, as `a > b ? a : b` does. */
static __m128i rg_four_floats(const float *x)
{
    __m128 scaled = _mm_mul_ps(_mm_loadu_ps(x), _mm_set1_ps(255.5f));
    scaled = _mm_min_ps(_mm_max_ps(scaled, _mm_setzero_ps()), _mm_set1_ps(255.0f));
    return _mm_cvttps_epi32(scaled);
}

static __m128i rg_two_doubles(const double *x)
{
    __m128d scaled = _mm_mul_pd(_mm_loadu_pd(x), _mm_set1_pd(255.5));
    scaled = _mm_min_pd(_mm_max_pd(scaled, _mm_setzero_pd()), _mm_set1_pd(255.0));
    return _mm_cvttpd_epi32(scaled);
}

static __m128i rg_four_doubles(const double *x)
{
    return _mm_unpacklo_epi64(rg_two_doubles(x), rg_two_doubles(x + 2));
}

/* As many as are handled sixteen at a time; compilers make no such loop of what follows. */
#define RG_SIXTEENS(name, real, four)                                                                                  \
    static ptrdiff_t name(const real *x, ptrdiff_t n, uint8_t *out)                                                    \
    {                                                                                                                  \
        ptrdiff_t i = 0;                                                                                               \
        for (; i + 16 <= n; i += 16) {                                                                                 \
            __m128i first = _mm_packs_epi32(four(x + i), four(x + i + 4));                                             \
            __m128i second = _mm_packs_epi32(four(x + i + 8), four(x + i + 12));                                       \
            _mm_storeu_si128((__m128i *)(out + i), _mm_packus_epi16(first, second));                                   \
            _mm_prefetch((const char *)(x + i) + RG_AHEAD_BYTES, _MM_HINT_T0);                                         \
            _mm_prefetch((const char *)(out + i) + RG_AHEAD_BYTES, _MM_HINT_T0);                                       \
        }                                                                                                              \
        return i;                                                                                                      \
    }
#else
#define RG_SIXTEENS(name, real, four)                                                                                  \
    static ptrdiff_t name(const real *x, ptrdiff_t n, uint8_t *out)                                                    \
    {                                                                                                                  \
        return 0;                                                                                                      \
    }
#endif

RG_SIXTEENS(rg_sixteen_floats, float, rg_four_floats)
RG_SIXTEENS(rg_sixteen_doubles, double, rg_four_doubles)

#define RG_UNIT_BYTES(name, real, sixteens)                                                                            \
    static void name(const real *x, ptrdiff_t n, uint8_t *out)                                                         \
    {                                                                                                                  \
        ptrdiff_t i;                                                                                                   \
        for (i = sixteens(x, n, out); i < n; i++) {                                                                    \
            real value = x[i] * (real)255.5;                                                                           \
            value = value > 0 ? value : 0;                                                                             \
            value = value < 255 ? value : 255;                                                                         \
            out[i] = (uint8_t)(int)value;                                                                              \
        }                                                                                                              \
    }

RG_UNIT_BYTES(rg_unit_floats, float, rg_sixteen_floats)
RG_UNIT_BYTES(rg_unit_doubles, double, rg_sixteen_doubles)

#endif
