/* pread(2) everywhere: read at an offset without moving the file's position, so that threads can share a descriptor. */
#ifndef RUNGLASS_PREAD_H
#define RUNGLASS_PREAD_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#include <io.h>
#include <windows.h>

static int64_t rg_pread(int fd, void *into, size_t size, int64_t offset)
{
    OVERLAPPED at = {0};
    DWORD got = 0;
    at.Offset = (DWORD)offset;
    at.OffsetHigh = (DWORD)(offset >> 32);
    if (!ReadFile((HANDLE)_get_osfhandle(fd), into, size > 0x40000000 ? 0x40000000 : (DWORD)size, &got, &at))
        return GetLastError() == ERROR_HANDLE_EOF ? 0 : -(int64_t)EIO;
    return got;
}
#else
#include <unistd.h>

static int64_t rg_pread(int fd, void *into, size_t size, int64_t offset)
{
    for (;;) {
        ssize_t got = pread(fd, into, size, (off_t)offset);
        if (got >= 0)
            return got;
        if (errno != EINTR)
            return -(int64_t)errno;
    }
}
#endif

#endif
