"""Scalars of SummaryWriter are those of torch, byte for byte."""

from __future__ import annotations

from tests.golden.torch_scalars import WRITTEN, log
from tests.support.written import payloads

from runglass.writer.calls.summary_writer import SummaryWriter


def test_the_bytes_of_torch(tmp_path):
    log(SummaryWriter(tmp_path))
    runs = sorted(str(file.parent.relative_to(WRITTEN)) for file in WRITTEN.rglob("*tfevents*"))
    assert runs == [".", "group_one_a", "group_one_b"]
    assert len(payloads(WRITTEN)) == 24
    for run in runs:
        assert payloads(tmp_path / run) == payloads(WRITTEN / run)
