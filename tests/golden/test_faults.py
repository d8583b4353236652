"""Trainings on a real GPU, each with one known fault, cut to a few steps: the advice names the fault and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from runglass.query.profiles.analysis.advice import advice
from runglass.query.profiles.analysis.compare import compare
from runglass.query.profiles.analysis.workers import workers
from runglass.query.profiles.column_file import ColumnFiles
from runglass.query.profiles.model import Trace
from runglass.query.profiles.read import Content, convert

FAULTS = Path(__file__).parent / "faults"
EXPECTED = {
    "healthy": [],
    "slow_loader": ["waiting_for_input"],
    "no_pin": ["pageable_memory"],
    "sync": ["synchronisation"],
    "tiny_kernels": ["launch_bound"],
    "eager_loop": ["launch_bound"],
    "fp32": ["full_precision"],
    # It comes back from memory that is not pinned, too.
    "copies": ["copies_to_host", "pageable_memory"],
    "leak": ["memory_grows"],
    "recompile": ["recompilation"],
    "straggler": ["straggler"],
    "host_bound": ["host_bound"],
}


def read(fault: str) -> Trace:
    paths = sorted(FAULTS.glob(f"{fault}.*.pt.trace.json.gz"))
    # "straggler.rank1.pt.trace.json.gz" -> "rank1.pt.trace.json.gz"
    files = [
        (path.name.partition(".")[2], lambda path=path: Content(path.read_bytes()), path.stat().st_size)
        for path in paths
    ]
    return convert(files, "torch", [""] * len(files), ColumnFiles(None), "", flag=None, report=None)


@pytest.mark.parametrize("fault", EXPECTED)
def test_the_fault_is_named_and_nothing_else(fault):
    found = advice(read(fault))
    assert [finding.id for finding in found] == EXPECTED[fault]
    assert all(finding.evidence and finding.action for finding in found)


def test_what_is_said_of_some():
    (tiny,) = advice(read("tiny_kernels"))
    assert "Optimizer.step#AdamW.step" in tiny.evidence
    assert "fused=True" in tiny.action
    (loop,) = advice(read("eager_loop"))
    assert "train.py" in loop.source
    (sync,) = advice(read("sync"))
    assert sync.source == "train.py:91"
    (small,) = advice(read("host_bound"))
    assert "aten::normal_ (2.78 ms), run_backward (1.31 ms)" in small.evidence
    (late,) = advice(read("straggler"))
    assert "rank1" in late.title
    # It slept for 50 ms in every step.
    assert late.gain_ps == pytest.approx(50e9, rel=0.1)
    first, second = workers(read("straggler")).workers
    assert first.waiting_ps > 5 * second.waiting_ps


def test_the_gain_is_what_the_cure_brings():
    for fault in ("slow_loader", "copies"):
        slow, healthy = read(fault), read("healthy")
        promised = sum(finding.gain_ps or 0 for finding in advice(slow))
        found = compare(slow, healthy)
        assert promised == pytest.approx(found.before_ps - found.after_ps, rel=0.15)
        assert {finding.id for finding in found.gone} == set(EXPECTED[fault])
        assert found.fresh == []
