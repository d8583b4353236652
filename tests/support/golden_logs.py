"""Several of the golden logs as one source, so that a page is opened once for all of them."""

from __future__ import annotations

from pathlib import Path

from runglass.query.locations import parse_locations
from runglass.query.open import open_logs
from runglass.query.source import DataSource

LOGS = Path(__file__).parents[1] / "golden" / "logs"


def open_golden(*cases: str) -> DataSource:
    """The runs of each case are below its name."""
    logs = open_logs(parse_locations([], spec=",".join(f"{case}:{LOGS / case / 'logdir'}" for case in cases)))
    logs.load()
    assert {run.name.split("/")[0] for run in logs.source.list_runs()} == set(cases)
    return logs.source
