/* Powers of two by a polynomial: the same on every machine, about six digits. */

#ifndef RUNGLASS_LAYOUT_H
#define RUNGLASS_LAYOUT_H

#include <stdint.h>
#include <string.h>

static inline float fast_exp2(float x)
{
    if (x < -126.0f)
        return 0.0f;
    if (x > 126.0f)
        x = 126.0f;
    int32_t whole = (int32_t)(x < 0 ? x - 1.0f : x);
    float f = x - (float)whole, made;
    int32_t bits = (whole + 127) << 23;
    memcpy(&made, &bits, 4);
    return made * (1.0f + f * (0.69314718f + f * (0.24022651f + f * (0.05550411f + f * (0.00961813f + f * (0.00133336f + f * 0.00015404f))))));
}

#endif
