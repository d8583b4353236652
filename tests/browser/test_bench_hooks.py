"""What the page benchmark does to our page still works: it finds its controls, and sees what they change."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench.page import boards, sweep_uses
from bench.page.__main__ import USES
from bench.page.logs import PageLogs
from bench.page.sides import RUNGLASS, SIDES
from bench.page.visit import STEPS, Visit, probe_script
from bench.stamped import picture_number, stamped_png
from bench.sweeps import sweep
from bench.workloads import Workload
from playwright.sync_api import Page, expect
from tests.support.page import wait_ready

import runglass
from runglass.media.formats import parse_image
from runglass.query.memory import MemorySource
from runglass.store.model import Kind

PICTURES = Workload("hooks", "simple", "images", runs=2, tags=3, steps=12, size=64)
PICTURE_STEPS = ("drag", "drag_alone")
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


@pytest.mark.parametrize("steps", [USES, *((step,) for step in STEPS if step not in (*USES, *PICTURE_STEPS))])
def test_steps_of_a_visit(steps: tuple[str, ...], page: Page, serve: Any) -> None:
    server = serve(source_of(LOGS))
    page.add_init_script(probe_script(RUNGLASS))
    page.goto(server.url + "#/scalars")
    loaded = page.evaluate("bench.loaded(30000, 0)")
    assert 0 < loaded["firstMs"] <= loaded["allMs"]
    assert loaded["charts"] > 1
    server.pid = os.getpid()  # a thread of this process, whose CPU time is asked for
    visit = Visit(page.context.browser, server, RUNGLASS, LOGS, still_ms=100, steps=())
    for step in steps:
        found = STEPS[step](visit, page)
        assert found
        assert all(value >= 0 for value in found.values())


def pictures_of(logs: Workload) -> MemorySource:
    source = MemorySource(locations=["logs/hooks"])
    for run in range(logs.runs):
        for tag in range(logs.tags):
            values = [
                [parse_image(stamped_png(logs.size, picture_number(run, tag, step)))]
                for step in range(logs.steps)
            ]
            source.add_values(
                logs.run_name(run), logs.tag_name(tag), Kind.IMAGE, step=np.arange(logs.steps), values=values
            )
    return source


@pytest.mark.parametrize("step", PICTURE_STEPS)
def test_drag_over_pictures(step: str, page: Page, serve: Any) -> None:
    """Pictures are counted by what is stamped on them, as it is on screen."""
    side, _ = SIDES["images"]
    server = serve(pictures_of(PICTURES))
    page.add_init_script(probe_script(side))
    page.goto(f"{server.url}{side.path.removeprefix('/')}")
    loaded = page.evaluate("bench.loaded(30000, 0)")
    assert 0 < loaded["firstMs"] <= loaded["rowMs"] <= loaded["allMs"]
    assert 1 < loaded["row"] <= loaded["charts"]
    visit = Visit(page.context.browser, server, side, PICTURES, still_ms=100, steps=())
    assert all(value > 0 for value in STEPS[step](visit, page).values())


def test_uses_of_a_sweep(page: Page, serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each use sees other rows, and leaves the page as it found it."""
    monkeypatch.setattr("bench.sweeps.OUT", tmp_path)
    monkeypatch.setattr(sweep_uses, "REST_S", 0.0)
    server = serve(runglass.open(sweep(30, 6, 3).path).source)
    tests = "({ all, arePainted }) => ({ table: () => all('main [role=gridcell]').length > 0 })"
    page.add_init_script(f"({boards.PROBE.strip().rstrip(';')})({tests}, 30000);")
    page.goto(server.url + "#/hparams")
    assert page.evaluate("boards.loading")["table"] > 0
    wait_ready(page)
    for use in boards.OWN_HPARAMS.uses:
        assert all(value > 0 for value in use(page).values())
        expect(page.locator("main [role=treegrid]")).to_contain_text("30 runs")
