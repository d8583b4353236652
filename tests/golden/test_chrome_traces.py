"""Chrome traces that frameworks wrote: the native reader finds what the plain one finds, to the picosecond."""

from __future__ import annotations

import pytest
from tests.support.plain_traces import PROFILES, list_profiles, read_chrome
from tests.support.trace_rows import Content, as_double, list_rows, track_names

from runglass.native.trace_rows import TraceRows
from runglass.query.profiles.formats import chrome

TRACES = list_profiles(".trace.json", ".trace.json.gz")


def test_there_are_traces():
    assert len(TRACES) == 5


@pytest.mark.parametrize("path", TRACES, ids=lambda path: str(path.relative_to(PROFILES).parts[0]))
def test_as_the_plain_reader(path):
    plain = read_chrome(path)
    rows = TraceRows()
    file = chrome.read(Content(path.read_bytes()), path.name, rows)
    found = list_rows(rows)
    assert rows.problems == []
    origin_ps = file.metadata["origin_us"] * 10**6
    assert [(*each[:4], each.start_ps + origin_ps, each.duration_ps) for each in found] == [
        each[:6] for each in plain.events
    ]
    for mine, theirs in zip(found, plain.events, strict=True):
        assert mine.arguments == {key: as_double(value) for key, value in theirs.arguments.items()}
        assert (mine.link != 0) == (theirs.link is not None and theirs.phase in "stf")
    assert track_names(rows) == {key: (track.process, track.thread) for key, track in plain.tracks.items()}
    base_ns = file.base_ns
    assert (base_ns and base_ns - file.metadata["origin_us"] * 1000) == plain.base_ns
    assert {key: file.metadata[key] for key in plain.metadata if key != "metadata"}.keys() == (
        plain.metadata.keys() - {"metadata"}
    )
    flows = {(each.category, each.name, each.link) for each in plain.events if each.phase in "stf"}
    assert len({each.link for each in found if each.link}) == len(flows)
