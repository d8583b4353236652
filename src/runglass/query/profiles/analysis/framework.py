"""Which framework wrote a profile, so that what is said of it is in its words."""

from __future__ import annotations

import re
from typing import Literal

from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.model import Trace, used_names

# Empty: any, or none that is known.
Framework = Literal["torch", "jax", "tensorflow", ""]
JAX = re.compile(r"\bjax\b|^PjitFunction|^jit\(|^jit_|^PjRt|^Pjit", re.IGNORECASE)


@kept
def framework_of(trace: Trace) -> Framework:
    if trace.info.kind == "torch":
        return "torch"
    if trace.info.kind != "xplane":
        return ""
    return "jax" if any(JAX.search(trace.text(number)) for number in used_names(trace)) else "tensorflow"
