"""The text dashboard in a browser: texts of real logs, every way to show them, search, and texts that are too long or broken."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.golden_logs import LOGS, open_golden
from tests.support.page import address_has, go, reload, wait_ready

from runglass.query.memory import MemorySource
from runglass.store.model import Kind

STORY = """# Step {step}

| prompt | score |
|--------|------:|
| 2 + 2  | {step} |

```python
def f(): return {step}
```

Loss $\\frac{{a}}{{b}}$ and [a link](https://example.org/x), ![plot](https://example.org/plot.png)
"""


def text_card(page: Page, tag: str, run: str) -> Locator:
    return page.get_by_role("article", name=f"{tag}, {run}", exact=True)


def body(page: Page, tag: str, run: str = "a") -> Locator:
    return text_card(page, tag, run).get_by_role("region", name=f"Text of {tag}")


def show_as(page: Page, mode: str) -> None:
    page.get_by_role("radiogroup", name="Text format").get_by_text(mode, exact=True).click()
    wait_ready(page)


def two_runs() -> MemorySource:
    source = MemorySource()
    steps = range(0, 100, 10)
    for run in ("a", "b"):
        source.add_values(
            run, "story", Kind.TEXT, step=steps, values=[STORY.format(step=step) for step in steps]
        )
        config = [json.dumps({"lr": 0.1, "run": run, "deep": {"step": step}}, indent=1) for step in steps]
        source.add_values(run, "config", Kind.TEXT, step=steps, values=config)
    return source


def test_shows_every_text_of_real_logs(open_page):
    cases = ["tf_summary_all", "tf_v1_legacy", "torch_writer_all", "tensorboardX_writer_all"]
    page = open_page(open_golden(*cases), "#/text?option=text.mode;raw")
    for case in cases:
        go(page, f"#/text?option=text.mode;raw&filter=^{case}/")
        check_texts(page, case)


def check_texts(page: Page, case: str) -> None:
    truth = json.loads((LOGS / case / "manifest.json").read_text())["runs"]
    texts = [
        (f"{case}/{run}", tag, told)
        for run, series in truth.items()
        for tag, told in series["tensors"].items()
        if told["plugin"] == "text"
    ]
    assert texts
    for end, place in (("last", "End"), ("first", "Home")):
        for run, tag, told in texts:
            title = tag.removesuffix("/text_summary")
            # A single step has no slider.
            if told["n"] > 1:
                text_card(page, title, run).get_by_role("slider", name=f"Step of {title}").press(place)
            shown = body(page, title, run)
            expect(text_card(page, title, run)).to_have_attribute("data-ready", "true")
            cells = shown.get_by_role("cell")
            wanted = told[end]["strings"]
            if len(wanted) == 1:
                expect(shown).to_have_text(wanted[0], use_inner_text=True)
            else:
                expect(cells).to_have_text(wanted)


def test_markdown_cursor_formats_and_search(open_page, page, problems):
    # Markdown is laid out and fetches nothing
    source = two_runs()
    source.add_values(
        "b", "zebra/note", Kind.TEXT, step=[0, 30, 60], values=["first", "a needle here", "last"]
    )
    source.add_values("b", "zebra/once", Kind.TEXT, step=[0], values=["alone"])
    page = open_page(source, "#/text")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    story = body(page, "story")
    expect(story.get_by_role("heading", name="Step 90")).to_be_visible()
    expect(story.get_by_role("cell", name="90")).to_be_visible()
    assert story.locator(".hljs-keyword").all_text_contents() == ["def", "return"]
    expect(story.locator("math mfrac")).to_have_count(1)
    expect(story.locator("img")).to_have_count(0)
    link = story.get_by_role("link", name="a link")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(link).to_have_attribute("target", "_blank")
    # An object is code, not a paragraph of braces.
    expect(body(page, "config").locator("pre")).to_contain_text('"lr": 0.1')
    assert not [url for url in asked if "example.org" in url]

    # The cursor moves every card
    go(page, "#/text?smoothing=0.6")
    page.get_by_role("textbox", name="Step of all cards, exact").fill("42")
    page.keyboard.press("Enter")
    for run in ("a", "b"):
        expect(body(page, "story", run).get_by_role("heading", name="Step 40")).to_be_visible()
    text_card(page, "story", "b").get_by_role("slider", name="Step of story").press("ArrowRight")
    expect(body(page, "story", "a").get_by_role("heading", name="Step 50")).to_be_visible()
    address_has(page, "cursor=50")

    # Raw, tree and difference
    go(page, "#/text?cursor=50")
    show_as(page, "Raw")
    expect(body(page, "story")).to_contain_text("| 2 + 2  | 50 |")
    show_as(page, "JSON")
    expect(body(page, "story")).to_contain_text("This is not JSON")
    tree = body(page, "config")
    expect(tree.locator("summary", has_text="deep")).to_be_visible()
    expect(tree).to_contain_text("step: 50")
    tree.locator("summary", has_text="deep").click()
    expect(tree.get_by_text("step: 50")).to_be_hidden()
    show_as(page, "Diff")
    expect(body(page, "config")).to_contain_text("Compared with step 40: +1 −1 lines")
    expect(body(page, "zebra/once", "b")).to_contain_text(
        "this is the only step; compare it with another run"
    )
    page.get_by_role("combobox", name="Compare with").select_option("b")
    expect(body(page, "config", "a")).to_contain_text("Compared with b at step 50: +1 −1 lines")
    expect(body(page, "config", "a").locator(".added", has_text='"run": "a"')).to_be_visible()
    # Compared with itself there would be nothing to see.
    expect(body(page, "config", "b")).to_contain_text("Compared with step 40")
    page.get_by_role("radiogroup", name="Compare by").get_by_text("Words").click()
    expect(body(page, "config", "a").locator(".words ins")).to_have_text(["a"])
    address_has(page, "option=text.by;words")
    reload(page)
    expect(body(page, "config", "a").locator(".words ins")).to_have_text(["a"])

    # Copy and download
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    go(page, "#/text?cursor=20")
    card = text_card(page, "story", "b")
    card.get_by_role("button", name="Copy text of story").click()
    expect(page.get_by_text("The text of step 20 is in the clipboard.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == STORY.format(step=20)
    for item, name, wanted in (
        ("Download text", "b_story_20.txt", STORY.format(step=20)),
        ("Download all steps (JSON Lines)", "b_story.jsonl", None),
    ):
        card.get_by_role("button", name="More for story").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=item).click()
        assert download.value.suggested_filename == name
        saved = Path(download.value.path()).read_text()
        if wanted is not None:
            assert saved == wanted
        else:
            assert [json.loads(line)["step"] for line in saved.splitlines()] == list(range(0, 100, 10))

    # A search over runs and steps goes to what it found
    assert problems == []
    go(page, "#/text?tags=story")
    field = page.get_by_role("textbox", name="Search all texts")
    field.fill("NEEDLE")
    results = page.get_by_role("region", name="Search results")
    expect(results).to_contain_text("1 text in 44 of 44")
    expect(results.locator("mark")).to_have_text("needle")
    results.get_by_role("button", name="zebra/note").click()
    expect(body(page, "zebra/note", "b")).to_contain_text("a needle here")
    expect(body(page, "zebra/note", "b")).to_be_in_viewport()
    expect(body(page, "story", "a").get_by_role("heading", name="Step 30")).to_be_attached()
    page.get_by_role("button", name="Search for a regular expression").click()
    field.fill("^a n[e]+dle")
    expect(results.locator("mark")).to_have_text("a needle")
    field.fill("(")
    expect(page.get_by_role("alert")).to_contain_text("This is not a regular expression")
    problems.clear()  # The browser reports the 400 by itself.
    page.get_by_role("button", name="Clear: Search all texts").click()
    expect(results).to_have_count(0)

    # Texts that are logged meanwhile appear
    go(page, "#/text?smoothing=0.6")
    source.add_values("a", "story", Kind.TEXT, step=[200], values=["# Step 200"])
    expect(body(page, "story").get_by_role("heading", name="Step 200")).to_be_visible()


def test_text_that_cannot_be_laid_out_is_shown_as_it_was_logged(page, open_page, problems):
    page.route("**/assets/maths-*.js", lambda route: route.abort())
    open_page(two_runs(), "#/text")
    story = body(page, "story")
    expect(story.get_by_role("status")).to_contain_text("could not be laid out")
    expect(story.locator("pre")).to_contain_text("\\frac")
    expect(body(page, "config").locator("pre")).to_contain_text('"lr": 0.1')
    problems.clear()


def test_the_wheel_over_a_short_text_scrolls_the_page(open_page):
    source = MemorySource()
    for tag in range(30):
        source.add_values("a", f"t{tag}", Kind.TEXT, step=[0], values=["short"])
    page = open_page(source, "#/text")
    body(page, "t0").hover()
    page.mouse.wheel(0, 300)
    page.wait_for_function("() => document.querySelector('.cards').scrollTop > 0")


def test_all_steps_are_a_list_of_which_only_some_exist(open_page):
    source = MemorySource().add_values(
        "a",
        "log",
        Kind.TEXT,
        step=range(5_000),
        values=[f"text {step}\n\n" * (1 + step % 7) for step in range(5_000)],
    )
    page = open_page(source, "#/text")
    page.get_by_role("button", name="List all steps in each card").click()
    wait_ready(page)
    steps = text_card(page, "log", "a").get_by_role("region", name="Steps of log")
    expect(steps.get_by_role("region", name="Step 4999", exact=True)).to_be_visible()
    assert steps.get_by_role("listitem").count() < 30
    # The cursor takes the list with it.
    page.get_by_role("textbox", name="Step of all cards, exact").fill("2500")
    page.keyboard.press("Enter")
    here = steps.get_by_role("region", name="Step 2500", exact=True)
    expect(here).to_be_in_viewport()
    expect(here).to_contain_text("text 2500")
    assert steps.get_by_role("listitem").count() < 30


class Gated(MemorySource):
    """Loads one more batch of texts for each time that the gate is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Semaphore(0)
        for run in ("a", "b", "c"):
            self.add_values(
                run, "log", Kind.TEXT, step=range(200), values=[f"a needle in {run}", *["hay"] * 3] * 50
            )

    def load_values(self, values, indices):
        self.gate.acquire(timeout=60)
        return super().load_values(values, indices)

    def open_wide(self) -> None:
        for _ in range(100):
            self.gate.release()


@pytest.fixture
def gated():
    source = Gated()
    yield source
    source.open_wide()


def test_search_shows_what_it_finds_while_it_runs(open_page, gated):
    page = open_page(gated, "#/text")
    results = page.get_by_role("region", name="Search results")
    bar = results.get_by_role("progressbar", name="Search texts")
    gated.gate.release()
    page.get_by_role("textbox", name="Search all texts").fill("needle in a")
    expect(results.get_by_role("status")).to_contain_text("50 texts")
    expect(bar).to_have_attribute("aria-valuetext", re.compile("^Searching · 200 of 600"))
    expect(results.locator("mark").first).to_have_text("needle in a")
    jobs = page.get_by_role("button", name="Running jobs")
    expect(jobs).to_have_text("1 job · 33 %")
    jobs.click()
    listed = page.get_by_role("dialog", name="Running jobs")
    expect(listed.get_by_role("progressbar", name="Search texts")).to_have_attribute("aria-valuenow", "33")
    # The same question after a reload is the same job.
    reload(page)
    expect(results.get_by_role("status")).to_contain_text("50 texts")
    gated.open_wide()
    expect(results.get_by_role("status")).to_contain_text("50 texts in 600 of 600")
    expect(bar).to_have_count(0)
    expect(jobs).to_have_count(0)
    listed = page.evaluate("fetch('api/jobs').then((answer) => answer.json())")["jobs"]
    assert [job["state"] for job in listed] == ["done"]


def test_search_is_cancelled_and_keeps_what_it_found(open_page, gated):
    page = open_page(gated, "#/text")
    results = page.get_by_role("region", name="Search results")
    gated.gate.release()
    page.get_by_role("textbox", name="Search all texts").fill("needle")
    expect(results.get_by_role("progressbar", name="Search texts")).to_be_visible()
    expect(results.get_by_role("status")).to_contain_text("50 texts")
    results.get_by_role("button", name="Cancel: Search texts").click()
    expect(results.get_by_role("status")).to_contain_text("50 texts in 200 of 600 Cancelled.")
    expect(results.get_by_role("progressbar")).to_have_count(0)
    expect(page.get_by_role("button", name="Running jobs")).to_have_count(0)
    gated.open_wide()
    results.get_by_role("button", name="Search again").click()
    expect(results.get_by_role("status")).to_contain_text("150 texts in 600 of 600")


def test_other_words_replace_a_search_that_runs(open_page, gated):
    page = open_page(gated, "#/text")
    field = page.get_by_role("textbox", name="Search all texts")
    results = page.get_by_role("region", name="Search results")
    field.fill("needle")
    expect(results.get_by_role("progressbar", name="Search texts")).to_be_visible()
    field.fill("needle in c")
    gated.open_wide()
    expect(results.get_by_role("status")).to_contain_text("50 texts in 600 of 600")
    expect(results.locator("mark").first).to_have_text("needle in c")
    listed = page.evaluate("fetch('api/jobs').then((answer) => answer.json())")["jobs"]
    assert [job["state"] for job in listed] == ["cancelled", "done"]


def test_tensors_broken_and_equal_texts(open_page):
    # Tensors are tables
    cube = np.array([[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "**h**"]]], object)
    source = MemorySource()
    source.add_values("a", "cube", Kind.TEXT, step=[0], values=[cube])
    source.add_values("a", "one", Kind.TEXT, step=[0], values=[np.array(["*just* text"], object)])
    source.add_values("a", "none", Kind.TEXT, step=[0], values=[np.empty((0, 3), object)])
    source.add_values(
        "a", "tall", Kind.TEXT, step=[0], values=[np.array([f"row {i}" for i in range(900)], object)]
    )
    source.add_values("a", "bytes", Kind.TEXT, step=[0], values=["caf\ufffd"])
    source.add_values("a", "turns", Kind.TEXT, step=[0, 1], values=["words", np.zeros(3, np.float32)])
    source.add_values("a", "note", Kind.TEXT, step=[0, 1], values=["the same", "the same"])
    page = open_page(source, "#/text?tags=cube|one|none|tall")
    assert body(page, "cube").get_by_role("cell").all_text_contents() == list("abcd")
    body(page, "cube").get_by_role("spinbutton", name="Axis 0").fill("1")
    page.keyboard.press("Enter")
    expect(body(page, "cube").locator("td strong")).to_have_text("h")
    expect(body(page, "one").locator("em")).to_have_text("just")
    expect(body(page, "one").get_by_role("table")).to_have_count(0)
    expect(body(page, "none")).to_contain_text("An empty tensor of 0 × 3")
    expect(body(page, "tall").get_by_role("row")).to_have_count(50)
    body(page, "tall").get_by_role("button", name="850 more rows").click()
    expect(body(page, "tall").get_by_role("row")).to_have_count(250)

    # Broken texts say what is wrong
    go(page, "#/text?tags=bytes|turns")
    expect(body(page, "bytes")).to_contain_text("1 × � stands for bytes that are not valid UTF-8")
    expect(body(page, "turns").get_by_role("alert")).to_contain_text(
        "an array of float32 with shape [3], expected text"
    )
    text_card(page, "turns", "a").get_by_role("button", name="Previous step of turns").click()
    expect(body(page, "turns")).to_have_text("words")

    # An equal text of another step is ready too
    go(page, "#/text?tags=note")
    card = text_card(page, "note", "a")
    card.get_by_role("button", name="Previous step of note").click()
    expect(card.get_by_role("slider")).to_have_value("0")
    expect(card).to_have_attribute("data-ready", "true")


def test_five_megabytes_do_not_stop_the_page(open_page):
    long = "All work and no play makes Jack a dull boy.\n" * 120_000 + "THE END"
    source = MemorySource().add_values("a", "long", Kind.TEXT, step=[0, 1], values=[long, "short"])
    page = open_page(source, "#/text?cursor=0")
    text = body(page, "long")
    expect(text).to_contain_text("The first 20.0 kB of 5.3 MB")
    text.get_by_role("button", name="Show all of it").click()
    expect(text).to_contain_text("Too long to be laid out as Markdown")
    # Playwright's own assertions read such a text many times over.
    page.wait_for_function(
        "(text) => text.textContent.trimEnd().endsWith('THE END')", arg=text.element_handle()
    )
    text_card(page, "long", "a").get_by_role("button", name="Next step of long").click()
    expect(text).to_have_text("short")
