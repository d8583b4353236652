"""How much memory there is, of the machine or of the container it is limited to, and when garbage is collected."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
# Where the system does not tell.
FALLBACK_BYTES = 8 << 30


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
