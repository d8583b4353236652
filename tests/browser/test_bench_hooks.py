"""What the page benchmark does to our page still works: it finds its controls, and sees what they change."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from bench.page.logs import PageLogs
from bench.page.sides import RUNGLASS
from bench.page.visit import STEPS, Visit, probe_script
from playwright.sync_api import Page

from runglass.query.memory import MemorySource

LOGS = PageLogs("hooks", "simple", "scalars", runs=10, tags=30, steps=200, size=0)


def source_of(logs: PageLogs) -> MemorySource:
    source = MemorySource(locations=["logs/hooks"])
    step = np.arange(logs.steps)
    for run in range(logs.runs):
        for tag in range(logs.tags):
            source.add_scalars(
                logs.run_name(run), logs.tag_name(tag), step=step, value=logs.values(run, tag, step)
            )
    return source


@pytest.mark.parametrize("step", STEPS)
def test_step_of_a_visit(step: str, page: Page, serve: Any) -> None:
    server = serve(source_of(LOGS))
    page.add_init_script(probe_script(RUNGLASS))
    page.goto(server.url + "#/scalars")
    loaded = page.evaluate("bench.loaded(30000, 0)")
    assert 0 < loaded["firstMs"] <= loaded["allMs"]
    assert loaded["charts"] > 1
    server.pid = os.getpid()  # a thread of this process, whose CPU time is asked for
    visit = Visit(page.context.browser, server, RUNGLASS, LOGS, still_ms=100, steps=())
    found = STEPS[step](visit, page)
    assert found
    assert all(value >= 0 for value in found.values())
