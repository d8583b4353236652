"""Golden profiles as traces."""

from __future__ import annotations

from pathlib import Path

from tests.support.plain_traces import PROFILES

from runglass.query.profiles.model import Trace
from runglass.query.profiles.read import read_file


def golden_path(case: str, ending: str) -> Path:
    """The last file of this ending in a golden profile's log."""
    return sorted(path for path in (PROFILES / case / "logdir").rglob(f"*{ending}"))[-1]


def load_profile(path: Path) -> Trace:
    return read_file(path.name, path.read_bytes())
