"""The stack of an event: from its arguments, or from the Python functions around it."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from runglass.query.profiles.model import Trace

# "train.py(121): train_step", "$train.py:121 train_step", "train.py:121"
FRAMES = (
    re.compile(r"(?P<file>[^()]+?)\((?P<line>\d+)\): (?P<function>.+)"),
    re.compile(r"\$(?P<file>.+?):(?P<line>\d+) (?P<function>.+)"),
    re.compile(r"\$?(?P<file>[^\s:]+\.pyx?):(?P<line>\d+)(?::\d+)?(?:\s+(?P<function>.+))?"),
)
PACKAGES = re.compile(r"(?:site|dist)-packages[/\\]|<frozen |<string>|<built-in|^\$?<")
# A terminal's lines and a notebook's cells are the user's.
TYPED = re.compile(r"<stdin>|<ipython-input-.*>")
COMPILED = (".cpp", ".cc", ".cu", ".cuh", ".c", ".h", ".hpp", ".pyx")
FRAMEWORKS = frozenset(
    {
        *("torch", "torchvision", "torchaudio", "lightning", "pytorch_lightning", "ignite", "accelerate"),
        *("jax", "jaxlib", "flax", "optax", "haiku", "orbax"),
        *("tensorflow", "keras", "numpy", "transformers", "triton", "runglass", "contextlib"),
    }
)


class Frame(Struct, frozen=True):
    file: str
    # None if it is not said.
    line: int | None
    function: str
    is_framework: bool


def parse_frame(text: str) -> Frame | None:
    text = text.strip()
    for pattern in FRAMES:
        match = pattern.fullmatch(text)
        if match is not None:
            file = match["file"]
            return Frame(file, int(match["line"]), match["function"] or "", is_framework(file))
    return None


def is_framework(file: str) -> bool:
    """Whether a file is of a framework or of Python itself, not of the user."""
    if TYPED.fullmatch(file):
        return False
    if PACKAGES.search(file) or file.endswith(COMPILED):
        return True
    parts = re.split(r"[/\\]", file)
    if "lib" in parts and any(part.startswith("python3") for part in parts):
        return True
    first = parts[0].removesuffix(".py")
    return first in FRAMEWORKS or (len(parts) <= 2 and first in sys.stdlib_module_names)


def read_stack(trace: Trace, given: Mapping[str, Any], around: Sequence[int]) -> list[Frame]:
    """The innermost first. `around`: the event and those around it, the outermost first."""
    stack = given.get("Call stack", given.get("call stack"))
    if isinstance(stack, str):
        lines = stack.split(";")
    else:
        lines = str(given.get("source_stack") or "").splitlines() or [str(given.get("source") or "")]
    found = [frame for line in lines if (frame := parse_frame(line)) is not None]
    if found:
        return found
    # Names repeat: each is parsed once.
    names = [trace.name_of(event) for event in reversed(around)]
    return [frame for name in names if (frame := parse_frame(name)) is not None]
