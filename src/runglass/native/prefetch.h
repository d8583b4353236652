/* Asks for memory that is used soon, so that nothing waits for it then. A no-op where there is no way to ask. */
#ifndef RUNGLASS_PREFETCH_H
#define RUNGLASS_PREFETCH_H

#if defined(__GNUC__)
#define FETCH(at) __builtin_prefetch(at)
#else
#define FETCH(at) ((void)(at))
#endif

#endif
