"""Facts as Markdown, which is what text summaries hold."""

from __future__ import annotations

import re
from collections.abc import Mapping


def code_block(text: str, language: str = "") -> str:
    """Fenced by more backticks than the text has in a row."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def table(rows: Mapping[str, str]) -> str:
    lines = [f"| {name} | {_cell(value)} |" for name, value in rows.items()]
    return "\n".join(["| | |", "|---|---|", *lines])


def cut(text: str, limit_chars: int) -> str:
    """The beginning and the end of a text that is too long, and how much is missing between them."""
    if len(text) <= limit_chars:
        return text
    half = limit_chars // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters are left out here …]\n{text[-half:]}"


def _cell(value: str) -> str:
    return value.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
