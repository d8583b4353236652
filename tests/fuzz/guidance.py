"""Tells inputs that took the native modules somewhere new from those that did not.

Import before the package: modules that were built to be followed need what `coverage.c` defines. Without a C compiler, or with
modules of the ordinary build, nothing is ever new.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

SOURCE = Path(__file__).with_name("coverage.c")


def load() -> Callable[[], int] | None:
    """A function that says how many branches were new since the last call."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "coverage.so"
        command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE)]
        if subprocess.run(command, check=False).returncode:
            return None
        loaded = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    take_news: Callable[[], int] = loaded.take_news
    return take_news


take_news = load()
