"""Takes the native modules of another build, which RUNGLASS_NATIVE names, instead of those of the package.

Import before any of them.
"""

from __future__ import annotations

import os
from pathlib import Path

import runglass.native

if folder := os.environ.get("RUNGLASS_NATIVE"):
    missing = {path.stem for path in Path(runglass.native.__path__[0]).glob("*.pyx")} - {
        path.name.partition(".")[0] for path in Path(folder).glob("*.so")
    }
    if missing:
        raise SystemExit(f"{folder} lacks the modules {', '.join(sorted(missing))}: `make fuzz` builds them.")
    runglass.native.__path__.insert(0, folder)
