/* Floats from 0 to 1 as bytes: each of the 256 gets an equal share, what lies outside is cut, NaN becomes 0. */
#ifndef RUNGLASS_UNIT_BYTES_H
#define RUNGLASS_UNIT_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* So many are converted and then asked whether they left 0 to 1, while they are in the cache. */
#define RG_AT_ONCE 4096

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>

/* Processors fetch ahead within a page; a picture that left the cache begins a page every thousand floats. */
#define RG_AHEAD_BYTES 4096

/* Numbers that no int32 holds, and NaN, become the least int32. */
static __m128i rg_four_floats(const float *x)
{
    return _mm_cvttps_epi32(_mm_mul_ps(_mm_loadu_ps(x), _mm_set1_ps(255.5f)));
}

static __m128i rg_four_doubles(const double *x)
{
    __m128d scale = _mm_set1_pd(255.5);
    return _mm_unpacklo_epi64(_mm_cvttpd_epi32(_mm_mul_pd(_mm_loadu_pd(x), scale)),
                              _mm_cvttpd_epi32(_mm_mul_pd(_mm_loadu_pd(x + 2), scale)));
}

/* Of a multiple of 64; compilers make no such loop of what follows. Whether all were bytes, which those outside are not. */
#define RG_QUICK(name, real, four)                                                                                     \
    static int name(const real *x, ptrdiff_t n, uint8_t *out)                                                          \
    {                                                                                                                  \
        ptrdiff_t i, end;                                                                                              \
        __m128i all = _mm_setzero_si128();                                                                             \
        for (i = 0; i < n;) {                                                                                          \
            _mm_prefetch((const char *)(out + i) + RG_AHEAD_BYTES, _MM_HINT_T0);                                       \
            for (end = i + 64; i < end; i += 16) {                                                                     \
                __m128i first = _mm_packs_epi32(four(x + i), four(x + i + 4));                                         \
                __m128i second = _mm_packs_epi32(four(x + i + 8), four(x + i + 12));                                   \
                _mm_prefetch((const char *)(x + i) + RG_AHEAD_BYTES, _MM_HINT_T0);                                     \
                _mm_storeu_si128((__m128i *)(out + i), _mm_packus_epi16(first, second));                               \
                all = _mm_or_si128(all, _mm_or_si128(first, second));                                                  \
            }                                                                                                          \
        }                                                                                                              \
        all = _mm_cmpeq_epi8(_mm_srli_epi16(all, 8), _mm_setzero_si128());                                             \
        return _mm_movemask_epi8(all) == 0xffff;                                                                       \
    }
RG_QUICK(rg_quick_floats, float, rg_four_floats)
RG_QUICK(rg_quick_doubles, double, rg_four_doubles)
#else
static int rg_quick_floats(const float *x, ptrdiff_t n, uint8_t *out) { return 0; }
static int rg_quick_doubles(const double *x, ptrdiff_t n, uint8_t *out) { return 0; }
#endif

/* `limits` become the least of them and 0 and the most of them and 1; less than a byte's share outside may go unseen. */
#define RG_UNIT_BYTES(name, real, quick)                                                                               \
    static void name(const real *x, ptrdiff_t n, uint8_t *out, real *limits)                                           \
    {                                                                                                                  \
        ptrdiff_t i, end;                                                                                              \
        limits[0] = 0;                                                                                                 \
        limits[1] = 1;                                                                                                 \
        for (i = 0; i < n;) {                                                                                          \
            end = n - i < RG_AT_ONCE ? n : i + RG_AT_ONCE;                                                             \
            if ((end - i) % 64 == 0 && quick(x + i, end - i, out + i))                                                 \
                i = end;                                                                                               \
            for (; i < end; i++) {                                                                                     \
                real value = x[i] * (real)255.5;                                                                       \
                limits[0] = x[i] < limits[0] ? x[i] : limits[0];                                                       \
                limits[1] = x[i] > limits[1] ? x[i] : limits[1];                                                       \
                value = value > 0 ? value : 0;                                                                         \
                value = value < 255 ? value : 255;                                                                     \
                out[i] = (uint8_t)(int)value;                                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }

RG_UNIT_BYTES(rg_unit_floats, float, rg_quick_floats)
RG_UNIT_BYTES(rg_unit_doubles, double, rg_quick_doubles)

#endif
