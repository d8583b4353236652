"""How much memory there is, of the machine or of the container it is limited to; how it goes back; when garbage is collected; which
errors pass; where caches are."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
# Where the system does not tell.
FALLBACK_BYTES = 8 << 30
# Open files of a server: some for every connection.
MAX_FILES = 65_536
# The process or the system has no descriptors or memory left for now. The file or connection itself is fine.
OUT_OF_RESOURCES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def read_memory_bytes() -> int:
    limits = []
    try:
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        limits.append(FALLBACK_BYTES)
    for path in CGROUP_LIMITS:
        try:
            limits.append(int(Path(path).read_text()))
        except (OSError, ValueError):
            continue
    return min(limits)


def give_large_buffers_back() -> None:
    """Make large buffers pages of their own, which go back to the system when they are freed. For a process that serves for
    days; where the C library has no such setting, nothing happens."""
    if sys.platform != "linux":
        return
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    # M_MMAP_THRESHOLD: by default it grows to 32 MB as buffers are freed. M_TRIM_THRESHOLD: setting the first sets it low, too.
    mallopt(-3, 1 << 20)
    mallopt(-1, 16 << 20)


def allow_more_files() -> None:
    """Let this process have as many open files as the system allows it; by default it is often a small part of that."""
    try:
        import resource
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def default_folder() -> Path:
    """The folder for caches of this user on this system."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "runglass" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/runglass"
    # The XDG specification says to ignore relative paths.
    named = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "runglass"


def settings_folder() -> Path:
    """The folder for what this user sets on this system."""
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData/Roaming") / "runglass"
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/runglass"
    named = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(named) if os.path.isabs(named) else Path.home() / ".config") / "runglass"


class CacheFolder:
    """Where this process caches what it can make again: a server says so, other programs use the default."""

    def __init__(self) -> None:
        self._chosen: Path | None = None
        self._is_chosen = False

    def choose(self, folder: Path | None) -> None:
        """None: nothing is left on disk."""
        self._chosen, self._is_chosen = folder, True

    def path(self) -> Path | None:
        return self._chosen if self._is_chosen else default_folder()


cache_folder = CacheFolder()


@contextmanager
def paused_collection() -> Iterator[None]:
    """No garbage collection meanwhile, for code that makes many objects without cycles that stay. For moments only: it holds for
    all threads."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
