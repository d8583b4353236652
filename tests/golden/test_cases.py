"""Our own folders of logs/: one rule of reading each, against the expected.json that make_logs.py wrote by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.golden.make_logs import CASES, write_cases

import runglass
from runglass.errors import ValueDamaged
from runglass.native.wire import decode
from runglass.reader import Log
from runglass.schema.graph import GRAPH
from runglass.store.model import Audio, Image, Kind, SeriesKey

LOGS = Path(__file__).parent / "logs"
RUN = "run"


@pytest.mark.parametrize("case", sorted(path.parent.name for path in LOGS.glob("*/expected.json")))
def test_case(case: str) -> None:
    expected = json.loads((LOGS / case / "expected.json").read_text(encoding="utf-8"))
    log = runglass.open(LOGS / case / "logdir")
    assert log.runs == [RUN]
    assert list(log.tags(RUN)) == list(expected["tags"])
    (info,) = log.source.list_runs()
    assert info.restarts == expected.get("restarts", 0)
    files = {Path(file.path).name: [file.state.value, file.byte] for file in log.health}
    for name, health in expected.get("files", {}).items():
        assert files[name] == health
    for tag, facts in expected["tags"].items():
        found = describe_series(log, tag)
        assert {name: found[name] for name in facts} == facts, tag


def describe_series(log: Log, tag: str) -> dict[str, Any]:
    """Everything that an expected.json may say of a series."""
    (info,) = [info for info in log.source.list_series(run=RUN) if info.key.tag == tag]
    every, latest = log.read(RUN, tag, attempts="all"), log.read(RUN, tag)
    facts: dict[str, Any] = {
        "kind": info.meta.kind.value,
        "other_kind": info.other_kind.value if info.other_kind else None,
        "display_name": info.meta.display_name,
        "description": info.meta.description,
        "step": every.step.tolist(),
        "segment": every.segment.tolist(),
        "latest_step": latest.step.tolist(),
        "values": [describe_value(every.value, index) for index in range(len(every))],
    }
    if info.meta.kind is Kind.SCALAR:
        (columns,) = log.source.read_columns([SeriesKey(RUN, tag)], attempts="all")
        facts["value"] = columns.value.tolist()
        facts["latest_value"] = log.scalars(RUN, tag).value.tolist()
    if info.other_kind:
        other = log.read(RUN, tag, kind=info.other_kind)
        facts["other_values"] = [describe_value(other.value, index) for index in range(len(other))]
    return facts


def describe_value(values: Any, index: int) -> Any:
    try:
        value = values[index]
    except ValueDamaged:
        return "damaged"
    if isinstance(value, list):
        return [describe_media(item) for item in value]
    if isinstance(value, bytes):
        return [node["name"] for node in decode(GRAPH, value).get("node", [])]
    return value.tolist() if isinstance(value, np.ndarray) else value


def describe_media(item: Image | Audio) -> list[Any]:
    if isinstance(item, Image):
        return [item.format, item.width, item.height]
    return [item.format, item.sample_rate, item.channels, item.frames]


def test_files_are_what_make_logs_writes(tmp_path: Path) -> None:
    """So that nobody edits one without the other."""
    write_cases(tmp_path)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    kept = {path: (LOGS / path).read_bytes() for path in made if (LOGS / path).exists()}
    assert made == kept
    assert sorted(path.parent.name for path in LOGS.glob("*/expected.json")) == sorted(CASES)
