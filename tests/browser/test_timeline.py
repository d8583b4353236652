"""The timeline of a trace in a browser: it is moved by keys, wheel, drags and fingers; events, ranges and tracks are chosen in it."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.made_traces import make_trace, write_trace
from tests.support.page import address_has, read_canvas, written_address

import runglass
from runglass.query.source import DataSource

MS = 1_000_000_000
RULER_PX = 28
SESSION = "#/profile?option=profile.session;train;1790000000000000000"
TRACE = f"{SESSION}&option=profile.view;trace"
# Of a kernel on stream 7 in light colours: normalisation, mixed with white.
NORMALISATION = (0x96, 0xCB, 0x9F)


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> DataSource:
    folder: Path = tmp_path_factory.mktemp("timeline")
    (folder / "train").mkdir()
    write_trace(folder / "train", make_trace())
    return runglass.open(folder).source


def scene(page: Page) -> Locator:
    return page.get_by_role("application", name="Timeline")


def tracks(page: Page) -> Locator:
    return page.get_by_role("list", name="Tracks")


def box_of(page: Page) -> dict[str, float]:
    box = scene(page).bounding_box()
    assert box is not None
    return dict(box)


def moved(page: Page, before: str | None = None) -> tuple[float, float]:
    """The visible time of the address, once it is another than before."""
    pattern = re.compile(r"profile\.time;(-?\d+);(-?\d+)")
    if before is not None:
        expect(page).not_to_have_url(before)
    expect(page).to_have_url(pattern)
    # While keys and buttons are held it has what was shown in between.
    found = pattern.search(unquote(written_address(page)))
    assert found is not None
    return float(found[1]), float(found[2])


def row_y(page: Page, name: str) -> float:
    """The middle of the last row of events of a track, on the page."""
    label = tracks(page).get_by_role("listitem").filter(has_text=name).first.bounding_box()
    assert label is not None
    return label["y"] + label["height"] - 4 - 9


def test_moves_by_keys_wheel_and_drags(open_page, profile, problems):
    page = open_page(profile, TRACE)
    expect(page.get_by_text(re.compile(r"^4 steps, \d+\.?\d* ms$"))).to_be_visible()
    box = box_of(page)
    middle = (box["x"] + box["width"] / 2, box["y"] + 120)

    # Nothing has the focus: the keys work all the same.
    page.mouse.move(*middle)
    page.keyboard.down("w")
    page.wait_for_timeout(300)
    page.keyboard.up("w")
    first = moved(page)
    assert first[1] - first[0] < 78 * MS

    # A drag holds the moment under the pointer.
    before = page.url
    page.mouse.down()
    page.mouse.move(middle[0] - 200, middle[1], steps=4)
    page.mouse.up()
    dragged = moved(page, before)
    length = first[1] - first[0]
    assert dragged[1] - dragged[0] == pytest.approx(length, rel=1e-6)
    assert dragged[0] - first[0] == pytest.approx(200 / box["width"] * length, rel=0.02)

    # Ctrl and wheel zoom around the pointer, Shift and wheel move.
    before = page.url
    page.mouse.move(box["x"] + box["width"] / 4, middle[1])
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    zoomed = moved(page, before)
    assert zoomed[1] - zoomed[0] < length
    quarter = dragged[0] + (dragged[1] - dragged[0]) / 4
    assert (quarter - zoomed[0]) / (zoomed[1] - zoomed[0]) == pytest.approx(0.25, abs=0.01)
    before = page.url
    page.keyboard.down("Shift")
    page.mouse.wheel(0, 100)
    page.keyboard.up("Shift")
    assert moved(page, before)[0] > zoomed[0]

    # A drag with Ctrl zooms into what it covers; 0 shows all again.
    page.keyboard.press("0")
    expect(page).not_to_have_url(re.compile("profile.time"))
    page.keyboard.down("Control")
    page.mouse.move(box["x"] + box["width"] * 0.25, middle[1])
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, middle[1], steps=4)
    page.mouse.up()
    page.keyboard.up("Control")
    from_ps, to_ps = moved(page)
    assert 14 * MS < from_ps < 20 * MS
    assert 38 * MS < to_ps < 45 * MS
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
    expect(page).not_to_have_url(re.compile("profile.time"))
    assert problems == []


def test_selects_events_ranges_and_tracks(open_page, profile, problems):
    page = open_page(profile, TRACE)
    box = box_of(page)
    pixels = read_canvas(scene(page).locator("canvas"))
    near = np.abs(pixels[..., :3] - np.array(NORMALISATION)).max(axis=-1) <= 2
    # Two milliseconds in each of four steps, eighty milliseconds in all.
    assert near.sum(axis=1).max() == pytest.approx(0.1 * pixels.shape[1], rel=0.1)

    # A click selects what is under the pointer; arrow keys go on from there.
    page.mouse.click(box["x"] + box["width"] * (14 / 80), row_y(page, "stream 7"))
    details = page.get_by_role("region", name="Selected event").get_by_role("heading", level=2)
    expect(details).to_have_text("conv_kernel")
    expect(scene(page)).to_be_focused()
    expect(scene(page).locator("[aria-live]")).to_contain_text("3 ms")
    page.keyboard.press("ArrowRight")
    expect(details).to_have_text("batch_norm_kernel")
    page.keyboard.press("f")
    from_ps, to_ps = moved(page)
    assert from_ps < 15 * MS < 17 * MS < to_ps
    assert to_ps - from_ps < 3 * MS
    page.keyboard.press("m")
    address_has(page, "profile.marks;")
    page.keyboard.press("Escape")
    expect(details).to_have_count(0)
    page.keyboard.press("Home")
    expect(page).not_to_have_url(re.compile(r"profile\.time;"))

    # A drag over the ruler is a range; its end can be moved; a click there takes it away.
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 10, steps=3)
    page.mouse.up()
    pattern = re.compile(r"profile\.range;(\d+);(\d+)")
    expect(page).to_have_url(pattern)
    first = pattern.search(unquote(written_address(page)))
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 10, steps=3)
    page.mouse.up()
    expect(page).not_to_have_url(re.compile(re.escape(f"profile.range;{first[1]};{first[2]}")))
    second = pattern.search(unquote(written_address(page)))
    assert second[1] == first[1]
    assert float(second[2]) > float(first[2])
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + 10)
    expect(page).not_to_have_url(pattern)

    # Tracks are pinned, hidden and collapsed by their own menus.
    rows = tracks(page).get_by_role("listitem")
    everything = rows.count()
    page.get_by_role("button", name="Collapse GPU 0").click()
    expect(rows).not_to_have_count(everything)
    page.get_by_role("button", name="Open GPU 0").click()
    expect(rows).to_have_count(everything)
    page.get_by_role("button", name="Actions for stream 7").click(force=True)
    page.get_by_role("menuitem", name="Pin to the top").click()
    expect(page.get_by_role("list", name="Pinned tracks")).to_contain_text("stream 7")
    address_has(page, "profile.pinned;")
    page.get_by_role("button", name="Actions for loader").click(force=True)
    page.get_by_role("menuitem", name="Hide").click()
    expect(rows.filter(has_text="loader")).to_have_count(0)
    assert problems == []


def test_lists_ops_and_kernels(open_page, profile, problems):
    page = open_page(profile, f"{SESSION}&option=profile.view;kernels")
    table = page.get_by_role("table", name="kernels")
    rows = table.locator("tbody tr")
    expect(page.get_by_role("status").filter(has_text="kernels")).to_contain_text("3")
    expect(rows.first).to_contain_text(re.compile(r"conv_kernel.*aten::conv.*12 ms.*50\.0 %"))
    table.get_by_role("button", name="Total").click()
    table.get_by_role("button", name="Total").click()
    expect(rows.first).to_contain_text("relu_kernel")
    address_has(page, "profile.sort;total;up")
    page.get_by_role("textbox", name="Search kernels").fill("norm")
    expect(rows).to_have_count(1)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save these kernels as CSV").click()
    lines = Path(saved.value.path()).read_text().splitlines()
    assert len(lines) == 2
    assert "8000000000" in lines[1].split(",")

    # What is found there is found in the trace.
    page.get_by_role("textbox", name="Search kernels").fill("")
    rows.filter(has_text="conv_kernel").get_by_role("button").click()
    expect(page.get_by_role("search").get_by_role("status")).to_have_text("4")
    page.get_by_role("link", name="Ops").or_(page.get_by_role("tab", name="Ops")).or_(
        page.get_by_role("button", name="Ops", exact=True)
    ).first.click()
    table = page.get_by_role("table", name="ops")
    expect(table).to_contain_text("cudaLaunchKernel")
    page.get_by_role("radiogroup", name="Where").get_by_text("Device").click()
    expect(table).not_to_contain_text("cudaLaunchKernel")
    assert problems == []
