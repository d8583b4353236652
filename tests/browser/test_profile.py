"""Profiles in a browser: a trace is found, searched, read event by event and summed; it has its place on the step axis of the other tabs."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.made_traces import make_trace, span, write_trace
from tests.support.page import address_has, card, reload, wait_ready

import runglass
from runglass.query.source import DataSource
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.values import summaries

MS = 1_000_000_000
EARLIER_NS = 1_780_000_000_000_000_000
# Later than that of the run before it.
LATER_NS = 1_790_000_900_000_000_000


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("profiles")
    for run in ("fast", "slow"):
        with EventWriter(folder / run) as writer:
            for step in range(30):
                writer.add_values([summaries.scalar("loss", 1 / (step + 1))], step)
    write_trace(folder / "fast", make_trace())
    slow = [span("kernel", "void late_kernel<float>()", 0, 7, 79_000, 500, {"correlation": 999})]
    write_trace(folder / "slow", make_trace(20, 4, slow), time_ns=LATER_NS)
    # The second rank comes late to the collective, which ends for both at the same time.
    for rank, late in enumerate((0, 4_000)):
        sent = {"Input Dims": [[1_000_000]], "Input type": ["float"]}
        reduce = span("user_annotation", "gloo:all_reduce", 100, 103, 11_000 + late, 6_000 - late, sent)
        write_trace(folder / "ranks", make_trace(30, 2, [reduce]), worker=f"rank{rank}", time_ns=EARLIER_NS)
    broken = folder / "broken"
    broken.mkdir()
    (broken / "worker0.1790000000000000001.pt.trace.json").write_text("no trace at all")
    return folder


@pytest.fixture(scope="module")
def profiles(logdir: Path) -> DataSource:
    return runglass.open(logdir).source


@pytest.fixture(scope="module")
def memory_profiles(tmp_path_factory: pytest.TempPathFactory) -> DataSource:
    run = tmp_path_factory.mktemp("memory") / "run"
    golden = Path(__file__).parents[1] / "golden"
    files = {
        "h200.1.pt.trace.json.gz": golden / "memory/leak.h200.pt.trace.json.gz",
        "memory.prof": golden / "profiles/jax_memory/logdir/run/memory.prof",
        "plugins/profile/cpu/vm.xplane.pb": next((golden / "profiles/jax_profile").rglob("*.xplane.pb")),
    }
    for name, path in files.items():
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, run / name)
    return runglass.open(run.parent).source


def event(page: Page) -> Locator:
    return page.get_by_role("region", name="Selected event")


def sums(page: Page) -> Locator:
    return page.get_by_role("region", name="Sums of the range")


def find(page: Page, text: str) -> None:
    field = page.get_by_role("textbox", name="Search events")
    field.fill(text)
    expect(page.get_by_role("search").get_by_role("status")).to_contain_text(re.compile(r"\d"))
    field.press("Enter")
    field.press("Escape")


def test_finds_an_event_and_tells_all_about_it(open_page, profiles, problems):
    page = open_page(
        profiles, "#/profile?option=profile.session;fast;1790000000000000000&option=profile.view;trace"
    )
    expect(page.get_by_role("button", name="Choose a profile")).to_contain_text("steps 10–13")
    expect(page.get_by_role("region", name="Legend")).to_contain_text("Device idle")
    # Before anything is selected: where the device waited, and for what.
    idle = page.get_by_role("region", name="Idle times of devices")
    expect(idle).to_contain_text("DataLoader")
    page.get_by_role("radio", name="Critical path").check(force=True)
    address_has(page, "profile.side;path")
    path = page.get_by_role("region", name="Critical path")
    expect(path).to_contain_text(re.compile("of what is visible.*host .*device"))
    expect(path.get_by_role("listitem").first).to_contain_text("__next__")

    field = page.get_by_role("textbox", name="Search events")
    field.fill("relu_kernel")
    status = page.get_by_role("search").get_by_role("status")
    expect(status).to_have_text("4")
    field.press("Enter")
    expect(status).to_have_text("1 of 4")
    field.press("Enter")
    expect(status).to_have_text("2 of 4")
    page.get_by_role("button", name="Previous match").click()
    expect(status).to_have_text("1 of 4")
    details = event(page)
    expect(details.get_by_role("heading", level=2)).to_have_text("relu_kernel")
    for text in (
        "1 msat 18 ms of step 10",
        "aten::relu",
        "64 × 1 × 1, 128 × 1 × 1",
        "32 per thread 2 KiB shared",
        "in the queue for 5.98 ms",
        "train.py:12",
    ):
        expect(details).to_contain_text(
            re.compile(re.escape(text).replace(r"\ ", r"\s+").replace("ms", r"ms\s*"))
        )
    all_of_it = details.locator("dl").last
    expect(all_of_it).to_contain_text("4 1 per step")

    # From the kernel to its launch and back, and to the next of its name; the address keeps all of it.
    details.get_by_role("button", name="Go to launch").click()
    expect(details.get_by_role("heading", level=2)).to_have_text("cudaLaunchKernel")
    details.get_by_role("button", name="Go to kernel").click()
    expect(details.get_by_role("heading", level=2)).to_have_text("relu_kernel")
    address_has(page, "profile.event;")
    first = page.url
    details.get_by_role("button", name="Next of this name").click()
    expect(details).to_contain_text("of step 11")
    expect(page.get_by_role("button", name="Show step 11 in Scalars")).to_be_visible()
    expect(page).not_to_have_url(first)
    address_has(page, "profile.search;relu_kernel")
    reload(page)
    expect(event(page)).to_contain_text("of step 11")
    expect(page.get_by_role("textbox", name="Search events")).to_have_value("relu_kernel")

    # A pattern that is none is told; colours and arrows are in the address too.
    page.get_by_role("button", name=".*").click()
    page.get_by_role("textbox", name="Search events").fill("relu(")
    expect(page.get_by_role("search").get_by_role("alert")).to_be_visible()
    page.get_by_role("textbox", name="Search events").fill("")
    expect(page.get_by_role("search").get_by_role("alert")).to_have_count(0)
    page.get_by_role("radio", name="Step").check(force=True)
    address_has(page, "profile.color;step")
    expect(page.get_by_role("region", name="Legend")).to_contain_text("step 12")
    event(page).get_by_role("button", name="Close the event").click()
    expect(event(page)).to_have_count(0)
    # The browser remarks on the answers to the pattern.
    assert all("400 (Bad Request)" in problem for problem in problems)
    problems.clear()


def test_sums_of_ranges_are_compared_and_exported(open_page, profiles):
    # The second step.
    view = f"option=profile.session;fast;1790000000000000000&option=profile.range;{20 * MS};{40 * MS}"
    page = open_page(profiles, f"#/profile?{view}")
    table = sums(page)
    expect(table.get_by_role("heading", name="Range")).to_be_visible()
    rows = table.get_by_role("listitem")
    expect(rows).to_have_text(
        [
            re.compile("conv_kernel.*3.00.*50.0 %.*1"),
            re.compile("batch_norm_kernel.*2.00"),
            re.compile("relu_kernel.*1.00"),
        ]
    )
    expect(table).to_contain_text(re.compile(r"busy\s*6\.00\s*30 %\s*3"))
    with page.expect_download() as download:
        table.get_by_role("button", name="Export the sums as CSV").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert len(lines) == 4
    assert "conv_kernel" in lines[1]
    table.get_by_role("combobox", name="Which tracks").select_option(label="On the host")
    expect(rows.filter(has_text="__next__")).to_contain_text("10.00")
    table.get_by_role("radio", name="Track").check(force=True)
    expect(rows.first).to_contain_text("main")

    # Against a shorter range: the first is kept, the other is chosen on the ruler or in the address.
    half = f"{view}&option=profile.against;0;{16 * MS}&option=profile.place;device"
    page.evaluate("(hash) => void (location.hash = hash)", f"#/profile?{half}")
    expect(table).to_contain_text("against 16 ms")
    expect(rows.filter(has_text="conv_kernel")).to_contain_text(re.compile(r"3\.00\s*3\.00\s*0\.00"))
    expect(rows.filter(has_text="batch_norm_kernel")).to_contain_text(re.compile(r"1\.00\s*2\.00\s*\+1\.00"))
    table.get_by_role("button", name="Clear the range").click()
    expect(table.get_by_role("heading", name="Visible")).to_be_visible()


def test_tracks_are_hidden_pinned_and_filtered(open_page, profiles):
    page = open_page(
        profiles, "#/profile?option=profile.session;fast;1790000000000000000&option=profile.view;trace"
    )
    # A group is dragged by its name above the one before it.
    names = page.get_by_role("list", name="Tracks").locator(".group .names")
    expect(names.first).to_contain_text("Host")
    upper, lower = names.first.bounding_box(), names.nth(1).bounding_box()
    page.mouse.move(lower["x"] + 30, lower["y"] + 8)
    page.mouse.down()
    page.mouse.move(upper["x"] + 30, upper["y"] + 2, steps=4)
    page.mouse.up()
    expect(names.first).to_contain_text("GPU 0")
    address_has(page, "profile.order;")
    button = page.get_by_role("button", name="Tracks", exact=True)
    before = int((button.text_content() or "").split(" of ")[1])
    button.click()
    menu = page.get_by_role("dialog", name="Tracks")
    menu.get_by_role("checkbox", name="stream 7").uncheck()
    expect(button).to_contain_text(f"{before - 1} of {before}")
    address_has(page, "profile.hidden;")
    menu.get_by_role("button", name="Pin main").first.click()
    address_has(page, "profile.pinned;")
    menu.get_by_role("textbox", name="Filter tracks").fill("loader")
    expect(menu.get_by_role("checkbox", name="stream 7")).to_have_count(0)
    menu.get_by_role("textbox", name="Filter tracks").fill("")
    menu.get_by_role("button", name="Show all tracks in their order").click()
    expect(button).to_contain_text(f"{before} of {before}")


def test_sums_up_and_advises(open_page, profiles, problems):
    # A profile with steps opens on its summary.
    page = open_page(profiles, "#/profile?option=profile.session;fast;1790000000000000000")
    expect(page.get_by_role("region", name="Figures")).to_contain_text("19.99 ms")
    expect(page.get_by_role("region", name="Figures")).to_contain_text(re.compile(r"Device busy\s*30 %"))
    steps = page.get_by_role("region", name="Steps")
    expect(steps.get_by_role("list", name="Parts of an average step")).to_contain_text("Input")
    expect(steps.get_by_role("button", name="step 12: ")).to_be_visible()
    expect(page.get_by_role("region", name="Top ops").get_by_role("row").nth(1)).to_contain_text("aten::conv")
    advice = page.get_by_role("region", name="Advice")
    expect(advice).to_contain_text("The device waits for input")
    # A finding leads to the events that it is about.
    advice.get_by_role("button", name="Show in trace").first.click()
    expect(event(page)).to_be_visible()
    page.get_by_role("navigation", name="Views of the profile").get_by_role("button", name="Summary").click()
    address_has(page, "profile.view;summary")
    page.get_by_role("region", name="Steps").get_by_role("button", name="Open trace").click()
    expect(sums(page)).to_be_visible()

    # Ops with the time in which none ran, and kernels that are too short to keep a device busy.
    views = page.get_by_role("navigation", name="Views of the profile")
    views.get_by_role("button", name="Ops").click()
    ops = page.get_by_role("table", name="ops")
    expect(ops.get_by_role("button", name="conv", exact=True)).to_be_visible()
    expect(ops.get_by_role("button", name="IDLE", exact=True)).to_have_count(0)
    page.get_by_role("checkbox", name="Idle").check()
    expect(ops.get_by_role("button", name="IDLE", exact=True)).to_be_visible()
    address_has(page, "profile.idle;on")
    views.get_by_role("button", name="Kernels").click()
    kernels = page.get_by_role("table", name="kernels")
    conv = kernels.get_by_role("row").filter(has_text="conv_kernel")
    # Calls, total, share, mean, shortest, longest, and how long the device was idle before it.
    expect(conv).to_contain_text(re.compile(r"4\s*12 ms\s*50.0 %\s*3 ms\s*3 ms\s*3 ms\s*39 ms"))
    # Conditions on columns, beside words; what is saved is what is shown.
    field = page.get_by_role("textbox", name="Search kernels")
    field.fill("total>=8ms mean<3ms")
    found = kernels.get_by_role("row")
    expect(found).to_have_count(2)
    expect(found.nth(1)).to_contain_text("batch_norm_kernel")
    field.fill("relu total>=8ms")
    expect(page.get_by_role("region", name="Table of kernels").get_by_role("status")).to_contain_text("0")
    field.fill("share>40%")
    expect(found.nth(1)).to_contain_text("conv_kernel")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save these kernels as CSV").click()
    assert len(Path(download.value.path()).read_text().splitlines()) == 2
    address_has(page, "profile.filter;")
    field.fill("")
    expect(found).to_have_count(4)
    page.get_by_role("radio", name="Short").check(force=True)
    expect(page.get_by_text("No kernel is shorter than 5 µs on average.")).to_be_visible()

    # Against the profile of the other run, whose last step has one more kernel.
    views = page.get_by_role("navigation", name="Views of the profile")
    # Input: the verdict, what to do, and every step, each with a place in the trace. One worker has no tab for workers.
    views.get_by_role("button", name="Input").click()
    expect(page.get_by_role("region", name="Verdict")).to_contain_text("50 %")
    expect(page.get_by_role("region", name="Advice")).to_contain_text("DataLoader")
    expect(page.get_by_role("region", name="Stages")).to_contain_text(re.compile("Wait.*10 ms"))
    expect(views.get_by_role("button", name="Workers")).to_have_count(0)
    steps = page.get_by_role("table", name="input steps")
    expect(steps.get_by_role("row")).to_have_count(5)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the input steps as CSV").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert (lines[0], len(lines)) == ("Step,Step time,Input,Share,Wait,Transfer", 5)
    steps.get_by_role("button", name="11").click()
    address_has(page, "profile.view;trace")
    address_has(page, "profile.time;")
    views.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("button", name="Choose the profile to compare with")).to_contain_text("slow")
    expect(page.get_by_role("region", name="Step time")).to_contain_text("19.99 ms")
    expect(page.get_by_role("region", name="What explains it")).to_contain_text("late_kernel")
    expect(page.get_by_role("region", name="Findings")).to_contain_text(
        "No finding is gone, and none is new."
    )

    # One step of the other: its last one alone has that kernel.
    causes = page.get_by_role("region", name="What explains it").get_by_role("row")
    expect(causes.filter(has_text="late_kernel")).to_contain_text("0.25 → 0")
    page.get_by_role("combobox", name="Step of the profile to compare with").select_option("step 23")
    expect(causes.filter(has_text="late_kernel")).to_contain_text("1 → 0")
    address_has(page, "profile.steps;23;")
    expect(page.get_by_role("region", name="Findings")).to_contain_text("not compared for single steps")
    # A link to a step that is not there says so, and the list has those that are.
    page.evaluate(
        "() => void (location.hash = location.hash.replace(/(profile.steps(?:;|%3B))23/, (_, name) => name + '99'))"
    )
    expect(page.get_by_role("main")).to_contain_text("no step 99; it has steps from 20 to 23")
    page.get_by_role("combobox", name="Step of the profile to compare with").select_option("step 22")
    expect(page.get_by_role("region", name="Step time")).to_be_visible()
    # Two steps of one profile; what they are by default is in the lists.
    page.get_by_role("button", name="Choose the profile to compare with").click()
    page.get_by_role("list", name="Profiles").get_by_role("button").filter(has_text="fast").click()
    now = page.get_by_role("combobox", name="Step of this profile")
    expect(now).not_to_have_value("")
    now.select_option("step 12")
    page.get_by_role("combobox", name="Step of the profile to compare with").select_option("step 11")
    address_has(page, "profile.steps;11;12")
    expect(page.get_by_role("region", name="Step time")).to_contain_text("the same")
    now.select_option("step 11")
    expect(page.get_by_text("This is the same profile")).to_be_visible()
    # The browser remarks on the answer to the step that is not there.
    assert all("400 (Bad Request)" in problem for problem in problems)
    problems.clear()


def test_tells_what_memory_was_for(open_page, memory_profiles):
    page = open_page(memory_profiles, "#/profile?option=profile.session;run;1&option=profile.view;memory")
    moment = page.get_by_role("region", name="At the moment")
    expect(moment).to_contain_text("3.7 GB at the peak")
    expect(moment.get_by_role("list", name="What memory is for")).to_contain_text("Optimizer state")
    table = page.get_by_role("table", name="rows")
    expect(table.get_by_role("row").nth(1)).to_contain_text("679.5 MB")
    page.get_by_role("radio", name="Leak suspects").check(force=True)
    expect(page.get_by_role("table", name="suspects").get_by_role("row").nth(1)).to_contain_text("4.7 MB")

    # A block of the list is shown with the line of code that made it; the icicle has the same under the modules.
    page.get_by_role("radio", name="Allocations").check(force=True)
    page.get_by_role("table", name="allocations").get_by_role("button", name="cat", exact=True).first.click()
    block = page.get_by_role("region", name="Selected block")
    expect(block).to_contain_text("679.5 MB")
    expect(block.get_by_role("list", name="Stack")).to_contain_text("train.py:25")
    page.get_by_role("radio", name="By stack or module").check(force=True)
    page.get_by_role("radio", name="Module", exact=True).check(force=True)
    icicle = page.get_by_role("group", name="Icicle")
    icicle.get_by_role("button", name="Block_6").first.click()
    expect(icicle.get_by_role("button", name="Conv2d_12").first).to_be_visible()
    block.get_by_role("button", name="Close the block").click()
    address_has(page, "profile.tree;module")

    # Another moment: the least that is alive between two steps.
    chart = page.get_by_role("img", name="Memory over time").bounding_box()
    page.mouse.click(chart["x"] + 60, chart["y"] + 30)
    expect(moment.get_by_role("button", name="Show the peak")).to_be_visible()
    address_has(page, "profile.moment;")

    # The time of the ops under the same modules, and as bars.
    page.get_by_role("button", name="Ops", exact=True).click()
    page.get_by_role("radio", name="Icicle").check(force=True)
    expect(icicle.get_by_role("button", name=re.compile("^UNet_0 .*ms")).first).to_be_visible()
    page.get_by_role("radio", name="Bars").check(force=True)
    expect(page.get_by_role("region", name="On the host").get_by_role("listitem").first).to_contain_text("%")

    page.get_by_role("radio", name="Roofline").check(force=True)
    dot = page.get_by_role(
        "button", name=re.compile("aten::cudnn_convolution .*of what the device can do", re.DOTALL)
    )
    expect(dot).to_be_visible()

    # JAX's profile of memory is nothing but stacks, and one without memory says what would record it.
    page.goto(
        page.url.split("#")[0] + "#/profile?option=profile.session;run;memory&option=profile.view;memory"
    )
    wait_ready(page)
    expect(page.get_by_role("button", name="device_put 8.4 MB").first).to_be_visible()
    views = page.get_by_role("navigation", name="Views of the profile")
    expect(views.get_by_role("button")).to_have_text(["Trace", "Memory", "Compare"])
    page.goto(page.url.split("#")[0] + "#/profile?option=profile.session;run;cpu&option=profile.view;memory")
    wait_ready(page)
    expect(page.get_by_text("save_device_memory_profile")).to_be_visible()
    # What its programs need is known without it.
    buffers = page.get_by_role("table", name="buffers")
    expect(buffers.get_by_role("row").nth(1)).to_contain_text(re.compile("temporary.*gen_jax.py:25"))
    # Other tables say what is not recorded, too.
    views.get_by_role("button", name="Kernels").click()
    expect(page.get_by_role("main")).to_contain_text(
        "No device is in this profile. JAX and TensorFlow record"
    )
    views.get_by_role("button", name="Ops").click()
    page.get_by_role("radio", name="Shapes").check(force=True)
    expect(page.get_by_role("main")).to_contain_text("record_shapes=True")


def test_sets_workers_beside_each_other(open_page, profiles):
    page = open_page(
        profiles, f"#/profile?option=profile.session;ranks;{EARLIER_NS}&option=profile.view;workers"
    )
    expect(page.get_by_role("region", name="An average step of each worker")).to_contain_text("of 2 workers")
    late = page.get_by_role("region", name="Who holds up the others")
    expect(late.get_by_role("button", name="rank0, step 30: 19.99 ms, 15.99 ms without")).to_be_visible()
    expect(late.get_by_role("button", name="rank1, step 30: 19.99 ms, 19.99 ms without")).to_be_visible()
    collectives = page.get_by_role("table", name="collectives")
    expect(collectives.get_by_role("row").nth(1)).to_have_text(
        re.compile(r"gloo:all_reduce\s*4.0 MB\s*1\s*8 ms\s*4 ms\s*4 ms\s*50.0 %\s*2 GB/s\s*rank1, 1 of 1")
    )
    # Their steps have the same numbers: the summary tells them apart.
    views = page.get_by_role("navigation", name="Views of the profile")
    views.get_by_role("button", name="Summary").click()
    steps = page.get_by_role("region", name="Steps")
    first = steps.get_by_role("button", name="step 30 of rank0: 19.99 ms")
    expect(first).to_be_visible()
    # Dragging over bars shows them alone.
    begin, end = first.bounding_box(), steps.get_by_role("button", name="step 31 of rank0").bounding_box()
    page.mouse.move(begin["x"] + 5, begin["y"] + 40)
    page.mouse.down()
    page.mouse.move(end["x"] + 5, end["y"] + 40, steps=3)
    page.mouse.up()
    steps.get_by_role("button", name="All steps").click()
    expect(first).to_be_visible()
    views.get_by_role("button", name="Workers").click()
    late.get_by_role("button", name="rank1, step 31").click()
    address_has(page, "profile.view;trace")


def test_has_its_place_on_the_step_axis(open_page, profiles):
    page = open_page(profiles, "#/scalars")
    marks = card(page, "loss").get_by_role("group", name="On the step axis")
    slow = marks.get_by_role("link", name="Profile of steps 20–23, slow")
    expect(slow).to_be_visible()
    expect(marks.get_by_role("link")).to_have_count(2)
    slow.click()
    wait_ready(page)
    # Opened at that step, which the other tabs then show.
    expect(page.get_by_role("button", name="Choose a profile")).to_contain_text("steps 20–23")
    address_has(page, "profile.time;")
    find(page, "late_kernel")
    expect(event(page)).to_contain_text("of step 23")
    page.get_by_role("button", name="Show step 23 in Scalars").click()
    expect(page.get_by_role("group", name="Cursor")).to_contain_text("23")
    address_has(page, "cursor=23")

    # On the Overview: on the cursor's track, and as a card.
    page.evaluate("(hash) => void (location.hash = hash)", "#/overview?theme=light")
    wait_ready(page)
    track = page.get_by_role("group", name="Cursor", exact=True)
    expect(track.get_by_role("link", name="Profile of steps 10–13, fast")).to_be_visible()
    shown = card(page, "Profile of steps 10–13, fast")
    expect(shown).to_contain_text("device busy 30 %")
    shown.get_by_role("link", name="Open trace").click()
    wait_ready(page)
    expect(page.get_by_role("button", name="Choose a profile")).to_contain_text("fast")


def test_opens_files_and_says_what_is_wrong_with_others(open_page, profiles, tmp_path):
    page = open_page(profiles, "#/profile?option=profile.session;broken;1790000000000000001")
    expect(page.get_by_role("main")).to_contain_text("no JSON begins here")
    page.get_by_role("button", name="Choose a profile").click()
    expect(page.get_by_role("list", name="Profiles").get_by_role("listitem")).to_have_count(4)
    trace = tmp_path / "mine.json"
    trace.write_text(json.dumps(make_trace(more=[span("cpu_op", "aten::mine", 100, 101, 79_999, 1)])))
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open a file").click()
    chooser.value.set_files(trace)
    expect(page.get_by_role("button", name="Choose a profile")).to_contain_text("mine.json")
    wait_ready(page)
    page.get_by_role("navigation", name="Views of the profile").get_by_role("button", name="Trace").click()
    find(page, "aten::mine")
    expect(event(page).get_by_role("heading", level=2)).to_have_text("mine")
    # A run in the rail leads back to its profile.
    page.get_by_role("button", name="Choose a profile").click()
    page.get_by_role("list", name="Profiles").get_by_role("button").filter(has_text="slow").click()
    expect(page.get_by_role("button", name="Choose a profile")).to_contain_text("steps 20–23")
