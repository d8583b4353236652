"""Golden profiles as traces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.plain_traces import PROFILES

from runglass.query.profiles.model import Trace
from runglass.query.profiles.read import read_file


def golden_path(case: str, ending: str) -> Path:
    """The last file of this ending in a golden profile's log."""
    return sorted(path for path in (PROFILES / case / "logdir").rglob(f"*{ending}"))[-1]


def load_profile(path: Path) -> Trace:
    return read_file(path.name, path.read_bytes())


def table_rows(table: Any) -> list[dict[str, Any]]:
    """A table of XProf's answers, which are made for Google's charts, as dicts."""
    ids = [column["id"] for column in table["cols"]]
    return [
        dict(zip(ids, ((cell or {}).get("v") for cell in row["c"]), strict=True)) for row in table["rows"]
    ]
