"""Profiles of frameworks from the directory to the trace: every event is there, with its time, thread and arguments, and sums are exact."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.support.plain_traces import PROFILES, list_profiles, read_chrome, read_xplane

from runglass.query.profiles.arguments import arguments
from runglass.query.profiles.read import find_profile, read_profile
from runglass.query.profiles.sums import add_up
from runglass.reader import open_log

FILES = [*list_profiles(".xplane.pb"), *list_profiles(".pt.trace.json"), *list_profiles(".pt.trace.json.gz")]


def case(path):
    return f"{path.relative_to(PROFILES).parts[0]}-{path.name.split('.')[1][-4:]}"


def open_trace(path):
    log = open_log(PROFILES / path.relative_to(PROFILES).parts[0] / "logdir")
    for run in log.runs:
        for session in log.profiles(run):
            info = find_profile(log.source, run, session)
            if any(name.endswith(path.name) for name in info.files):
                return log, info, read_profile(log.source, info)
    raise AssertionError(f"{path} is not listed")


@pytest.mark.parametrize("path", FILES, ids=case)
def test_a_trace_has_every_event_of_its_file(path):
    plain = (read_xplane if path.name.endswith(".pb") else read_chrome)(path)
    log, info, trace = open_trace(path)
    assert info.files == tuple(name for name in info.files if name.endswith(path.name))
    assert trace.info.problems == []
    told = [each for each in plain.events if each.phase in ("X", "i")]
    assert len(trace) == len(told)
    # One origin for all: what remains of every time is the same.
    first = min(each.start_ps for each in plain.events)
    shift = first // 1000 * 1000 if plain.base_ns is not None else first
    threads = {key: (track.process_id, track.thread_id) for key, track in plain.tracks.items()}
    expected = Counter(
        (*threads.get(each.track, each.track), each.name, each.start_ps - shift, each.duration_ps)
        for each in told
    )
    of_track = [(track.process_id, track.thread_id) for track in trace.tracks]
    found = Counter(
        (*of_track[track], trace.name_of(number), start, took)
        for number, (track, start, took) in enumerate(
            zip(trace.track.tolist(), trace.start_ps.tolist(), trace.duration_ps.tolist(), strict=True)
        )
    )
    assert found == expected
    # Arguments stay with their events.
    keys = Counter(key for each in told for key in each.arguments)
    found_keys = Counter(
        key for number in range(len(trace)) for key in dict(arguments(trace, number)) if key in keys
    )
    assert found_keys == keys
    tracks = [track.id for track in trace.tracks if track.kind != "counter"]
    sums = add_up(trace, 0, trace.info.end_ps, "name", tracks=tracks)
    marked = [each.place == "device" and each.meaning in ("module", "step") for each in trace.info.categories]
    work = [number for number in range(len(trace)) if not marked[trace.category[number]]]
    counts = Counter(trace.name_of(number) for number in work)
    totals = Counter[str]()
    for number in work:
        totals[trace.name_of(number)] += int(trace.duration_ps[number])
    assert {each.label: (each.count, each.total_ps) for each in sums.rows} == {
        name: (count, totals[name]) for name, count in counts.items()
    }
    events = log.profile(info.run, info.session).events()
    assert len(events) == len(trace)
    assert (events.start_ps[1:] >= events.start_ps[:-1]).all()
