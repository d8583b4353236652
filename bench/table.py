"""What a benchmark run says: one row a figure, printed as a table, written as Markdown and JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

HEAD = ("what", "peer", "floor", "runglass", "must be", "ok")


@dataclass
class Row:
    what: str
    peer: str = "–"
    floor: str = "–"
    ours: str = "–"
    must_be: str = "–"
    # None: not judged, because a side is missing or nothing is demanded.
    ok: bool | None = None
    # Every sample behind the cells, for the JSON file.
    raw: dict[str, Any] = field(default_factory=dict)

    def cells(self) -> tuple[str, ...]:
        verdict = "–" if self.ok is None else "yes" if self.ok else "NO"
        return (self.what, self.peer, self.floor, self.ours, self.must_be, verdict)


def plain(rows: list[Row]) -> str:
    lines = [HEAD, *(row.cells() for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    text = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([text[0], "-" * (sum(widths) + 2 * len(widths) - 2), *text[1:]])


def markdown(rows: list[Row], about: list[str]) -> str:
    lines = ["# Benchmark report", "", *(f"- {line}" for line in about), ""]
    lines += ["| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row.cells()) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def write_json(path: Path, rows: list[Row], about: list[str]) -> None:
    path.write_text(json.dumps({"about": about, "rows": [asdict(row) for row in rows]}, indent=1) + "\n")
