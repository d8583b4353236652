"""Facts as Markdown, for text summaries."""

from __future__ import annotations

import re
from collections.abc import Mapping


def code_block(text: str, language: str = "") -> str:
    """A fenced block, with more backticks than any run of them in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def table(rows: Mapping[str, str]) -> str:
    lines = [f"| {name} | {_cell(value)} |" for name, value in rows.items()]
    return "\n".join(["| | |", "|---|---|", *lines])


def cut(text: str, limit_chars: int) -> str:
    """A text that is too long as its beginning and end, and the number of characters between them."""
    if len(text) <= limit_chars:
        return text
    half = limit_chars // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"


def _cell(value: str) -> str:
    return value.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
