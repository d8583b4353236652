"""How many threads NumPy's linear algebra takes.

OpenBLAS divides even small products among all cores, and its threads wait for each other by turning round. Where something else needs the
cores (a training, or a browser that loads the page), eigenvectors of 300 × 300 then take a second instead of 20 ms. So code here asks for
one thread and divides what is large among threads of its own.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

# As NumPy's wheels name it, and as other builds do.
NAMES = ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "openblas_{}_num_threads")

_lock = threading.Lock()
_users = 0
_usual = 1


@contextmanager
def one_thread() -> Iterator[None]:
    """For the whole process meanwhile: others that compute at the same time get one too. Another library than OpenBLAS is left as it is."""
    global _users, _usual
    found = find_openblas()
    if found is None:
        yield
        return
    get, put = found
    with _lock:
        if not _users:
            _usual = get()
            put(1)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                put(_usual)


@cache
def find_openblas() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Reads and sets the number of threads; None: NumPy was built with another library, or hides this one."""
    try:
        # A library also finds what those that it needs export.
        from numpy.linalg import _umath_linalg

        library = ctypes.CDLL(_umath_linalg.__file__)
    except (ImportError, OSError):
        return None
    for name in NAMES:
        try:
            get, put = (getattr(library, name.format(verb)) for verb in ("get", "set"))
        except AttributeError:
            continue
        get.restype, get.argtypes = ctypes.c_int, []
        put.restype, put.argtypes = None, [ctypes.c_int]
        return get, put
    return None
