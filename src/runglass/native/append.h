/* Writes all of it at the file's position; -1 when the system does not take it. */
#ifndef RUNGLASS_APPEND_H
#define RUNGLASS_APPEND_H

#include <errno.h>
#include <stddef.h>

#if defined(_WIN32)
#include <io.h>
#define rg_write_some(fd, data, size) _write(fd, data, (unsigned int)((size) > 0x40000000 ? 0x40000000 : (size)))
#else
#include <unistd.h>
#define rg_write_some(fd, data, size) write(fd, data, size)
#endif

static int rg_append(int fd, const void *data, size_t size)
{
    const char *p = data;
    while (size > 0) {
        long long wrote = rg_write_some(fd, p, size);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return -1;
        p += wrote;
        size -= (size_t)wrote;
    }
    return 0;
}

#endif
