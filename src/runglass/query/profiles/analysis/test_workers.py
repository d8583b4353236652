from __future__ import annotations

import pytest
from tests.support.planted_training import STEP_US, STEPS, Training, planted

from runglass.query.profiles.analysis.messages import input_bytes
from runglass.query.profiles.analysis.overview import overview
from runglass.query.profiles.analysis.workers import workers
from runglass.query.profiles.column_file import ColumnFiles
from runglass.query.profiles.model import Trace
from runglass.query.profiles.read import Content, convert

PS = 10**6


def three_workers(late: int, **more: object) -> Trace:
    """The last one comes late to the collective, which ends for all at the same time."""
    files = []
    for rank in range(3):
        made = Training()
        for number in range(STEPS):
            begin = made.step(number, busy_from=5_000)
            wait = late if rank == 2 else 0
            sent = {"Input Dims": [[1_000 + number % 2]], "Input type": ["float"]}
            made.host("gloo:all_reduce", begin + 100 + wait, 4_000 - wait, "user_annotation", **sent)
            made.host("gloo:broadcast", begin + 6_000, 1_000, "user_annotation")
        files.append((f"rank{rank}.1.pt.trace.json", made.write(**(more or {"baseTimeNanoseconds": 10**18}))))
    openers = [(name, lambda data=data: Content(data), len(data)) for name, data in files]
    return convert(openers, "torch", ["", "", ""], ColumnFiles(None), "", flag=None, report=None)


def test_workers_beside_each_other():
    found = workers(three_workers(3_000))
    assert [row.host for row in found.workers] == ["rank0", "rank1", "rank2"]
    assert found.steps == list(range(STEPS))
    assert all(len(each) == STEPS for each in found.step_ps)
    first, _, last = found.workers
    for row in found.workers:
        parts = row.computation_ps + row.overlap_ps + row.communication_ps + row.other_ps
        assert parts == pytest.approx(row.step_ps)
        assert row.step_ps == pytest.approx(STEP_US * PS, rel=0.01)
        # The broadcast runs beside the kernels, which leave a microsecond between them.
        assert row.overlap_ps == pytest.approx(1_000 * PS, rel=0.02)
    assert first.communication_ps == pytest.approx(4_000 * PS, rel=0.02)
    assert last.communication_ps == pytest.approx(1_000 * PS, rel=0.02)
    assert (first.waiting_ps, last.waiting_ps) == (3_000 * PS, 0)
    assert first.transfer_ps == last.transfer_ps == 2_000 * PS
    # All take equally long for a step; the one that holds up the others is the one that does not wait.
    assert found.step_waiting_ps == [[3_000 * PS] * STEPS, [3_000 * PS] * STEPS, [0] * STEPS]
    reduces = [row for row in found.collectives if row.name == "gloo:all_reduce"]
    assert sorted(row.bytes for row in reduces) == [4_000, 4_004]
    for row in reduces:
        assert (row.last, row.last_times) == ("rank2", row.calls)
        assert row.waiting_ps == 2 * row.calls * 3_000 * PS
        # In the millisecond after the last has come.
        assert row.bandwidth == pytest.approx(row.bytes / 1e-3)
    assert sum(row.calls for row in reduces) == STEPS
    broadcast = next(row for row in found.collectives if row.name == "gloo:broadcast")
    assert (broadcast.waiting_ps, broadcast.bytes, broadcast.bandwidth) == (0, None, None)
    assert found.notes == []


def test_what_cannot_be_said():
    alone = workers(planted("healthy").trace())
    assert (len(alone.workers), alone.collectives, alone.workers[0].waiting_ps) == (1, [], None)
    assert "one worker" in alone.notes[0]
    apart = workers(three_workers(0, displayTimeUnit=1))
    assert "clocks" in apart.notes[0]


def test_workers_that_are_not_there():
    info = {"backend": "nccl", "rank": 0, "world_size": 8}
    trace = three_workers(0, baseTimeNanoseconds=10**18, distributedInfo=info)
    note = "The training had 8 workers; profiles of 3 of them are here."
    assert workers(trace).notes[0].startswith(note)
    assert any(each.startswith(note) for each in overview(trace).notes)
    whole = three_workers(0, baseTimeNanoseconds=10**18, distributedInfo={**info, "world_size": 3})
    assert workers(whole).notes == []
    odd = three_workers(0, baseTimeNanoseconds=10**18, distributedInfo={"world_size": "many"})
    assert workers(odd).notes == []


def test_bytes_of_a_collective():
    assert input_bytes([[16, 4], [3]], ["float", "c10::Half"]) == 262
    assert input_bytes([[16], []], ["mystery", "Scalar"]) == -1
    assert input_bytes("[[16]]", ["float"]) == -1
