/* Memory that was freed, given back to the system where the C library keeps it for later. */
#ifndef RG_GIVE_BACK_H
#define RG_GIVE_BACK_H

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
static inline void rg_give_back(void) { malloc_trim(0); }
#else
static inline void rg_give_back(void) {}
#endif

#endif
