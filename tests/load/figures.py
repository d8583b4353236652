"""What `make load` measures: figures with limits, and the table that shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# Time and speed depend on the machine, so their limits give way by the patience that is asked for; the others never do.
Kind = Literal["count", "time", "speed"]


@dataclass(frozen=True, slots=True)
class Figure:
    stage: str
    name: str
    value: float
    unit: str
    # At most this; at least this for a speed.
    limit: float
    kind: Kind = "count"

    def allowed(self, patience: float) -> float:
        if self.kind == "time":
            return self.limit * patience
        return self.limit / patience if self.kind == "speed" else self.limit

    def is_kept(self, patience: float) -> bool:
        allowed = self.allowed(patience)
        return self.value >= allowed if self.kind == "speed" else self.value <= allowed


def format_table(figures: list[Figure], patience: float) -> str:
    rows = [("stage", "figure", "value", "limit", "")]
    for each in figures:
        sign = "≥" if each.kind == "speed" else "≤"
        limit = f"{sign} {format_number(each.allowed(patience))} {each.unit}".rstrip()
        value = f"{format_number(each.value)} {each.unit}".rstrip()
        rows.append((each.stage, each.name, value, limit, "" if each.is_kept(patience) else "FAILED"))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)).rstrip()
        for row in rows
    )


def format_number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"
