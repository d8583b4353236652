"""No script of a log ever runs: names, texts, labels, titles, configurations and picture bytes that are hostile, on every dashboard.

Visits whatever dashboards the server lists, so that one that is added is put to the test without a word here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page, Request, expect
from tests.support.made_traces import make_trace, named, span, write_trace
from tests.support.page import go, wait_ready

import runglass
from runglass.registry import DASHBOARDS
from runglass.schema.summary import DataClass
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.graphs.node import Node, graph_event
from runglass.writer.values import hparams, layouts, mesh, summaries
from runglass.writer.values.wav import encode_wav

RUN_THIS = "window.__pwned=1"
ELSEWHERE = "https://evil.example"
# Each is also a name that must be read as it is written.
SHORT = [
    f"<script>{RUN_THIS}</script>",
    f'<img src=x onerror="{RUN_THIS}">',
    f'"><svg onload={RUN_THIS}>',
    f"</style><script>{RUN_THIS}</script>",
    "{{constructor.constructor('" + RUN_THIS + "')()}}",
    f"javascript:{RUN_THIS}",
]
MARKUP = [
    *SHORT,
    f"[a](javascript:{RUN_THIS}) [b](JaVaScRiPt&#58;{RUN_THIS}) [c](data:text/html,<script>{RUN_THIS}</script>)",
    f'<a href="javascript:{RUN_THIS}">d</a> <a href="java&#10;script:{RUN_THIS}">e</a>',
    f"<iframe srcdoc='<script>parent.{RUN_THIS}</script>'></iframe> <object data='{ELSEWHERE}/o'></object>",
    f"<math><annotation-xml encoding='text/html'><img src=x onerror={RUN_THIS}></annotation-xml></math>",
    f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror={RUN_THIS}&gt;'></table></mtext></math>",
    f"<svg><style><img src=x onerror={RUN_THIS}></style><script>{RUN_THIS}</script></svg>",
    f"![f]({ELSEWHERE}/f.png) <img src='{ELSEWHERE}/g.png'> <link rel=stylesheet href='{ELSEWHERE}/h.css'>",
    f"<style>@import '{ELSEWHERE}/i.css'; * {{ background: url({ELSEWHERE}/j.png) }}</style>",
    f"<p style='position:fixed;inset:0;background:url({ELSEWHERE}/k.png)'>k</p> <details open ontoggle={RUN_THIS}>l</details>",
    f"<form action='{ELSEWHERE}'><button>m</button></form> <base href='{ELSEWHERE}/'> <meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
    f"$\\href{{javascript:{RUN_THIS}}}{{n}}$ $\\text{{<img src=x onerror={RUN_THIS}>}}$ $\\includegraphics{{{ELSEWHERE}/o.png}}$",
    f"```html\n</code></pre><img src=x onerror={RUN_THIS}>\n```",
    f'```"><img src=x onerror={RUN_THIS}>\nx\n```',
    f"<{ELSEWHERE}/p> [q]: javascript:{RUN_THIS}\n\n[q]",
]
PAGE_IN_DISGUISE = (
    f"<!DOCTYPE html><html><body><script>{RUN_THIS};parent.{RUN_THIS}</script></body></html>".encode()
)
SVG = f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="{RUN_THIS}"><script>{RUN_THIS}</script></svg>'.encode()

RUNS = [f"{number} {text}" for number, text in enumerate(SHORT)]
# The others have scalars alone: twice as many cards show nothing that these do not.
FULL_RUNS = RUNS[:3]
TAG = f"tag{SHORT[1]}"

# What a page looks like in which nothing of a log became code. Only our own scripts, nothing that listens in an attribute.
ALIEN_NODES = """() => {
  const alien = [];
  for (const node of document.querySelectorAll("*")) {
    const name = node.localName;
    if (name === "script" && !String(node.src).startsWith(location.origin)) alien.push(node.outerHTML);
    if (["iframe", "object", "embed", "base", "form", "foreignobject", "annotation-xml"].includes(name.toLowerCase())) alien.push(node.outerHTML);
    if (name === "meta" && node.httpEquiv === "refresh") alien.push(node.outerHTML);
    for (const { name: attribute, value } of node.attributes) {
      if (/^on/i.test(attribute) || /^\\s*javascript:/i.test(value) && ["href", "src", "action", "xlink:href"].includes(attribute)) alien.push(node.outerHTML);
    }
  }
  return alien;
}"""
WATCH = """
window.__violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.__violations.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


def write_hostile_logs(folder: Path) -> None:
    rng = np.random.default_rng(0)
    points = rng.random((20, 3))
    for name in RUNS:
        writer = EventWriter(folder / name)
        for step in range(2):
            for text in SHORT:
                scalar = summaries.scalar(
                    f"scalar{text}", float(step), display_name=f"shown {text}", description=" ".join(MARKUP)
                )
                writer.add_values([scalar], step)
            if name not in FULL_RUNS:
                continue
            about = {"description": "\n\n".join(MARKUP)}
            # All of it is new with the second step, so that it stands in the difference too.
            markdown = "\n\n".join(MARKUP) if step else "nothing yet"
            writer.add_values([summaries.text(f"{TAG}text", markdown, **about)], step)
            table = [[text, text] for text in MARKUP]
            writer.add_values([summaries.text(f"{TAG}table", table, **about)], step)
            tree = json.dumps({text: [text, {text: text}] for text in MARKUP})
            writer.add_values([summaries.text(f"{TAG}json", tree, **about)], step)
            noise = rng.standard_normal(500)
            writer.add_values([summaries.histogram(f"{TAG}histogram", noise, **about)], step)
            curve = summaries.pr_curve(f"{TAG}curve", noise > 0, np.clip(noise + 0.5, 0, 1), **about)
            writer.add_values([curve], step)
            pixels = rng.integers(0, 255, (8, 8, 3), np.uint8)
            writer.add_values([summaries.image(f"{TAG}picture", pixels, **about)], step)
            for kind, data in (("page", PAGE_IN_DISGUISE), ("svg", SVG)):
                writer.add_values([blobs(f"{TAG}{kind}", "images", [b"9", b"9", data])], step)
            sound = encode_wav(rng.random(800) - 0.5, 8_000)
            for kind, data in (("sound", sound), ("page", PAGE_IN_DISGUISE)):
                clip = blobs(f"{TAG}{kind} to hear", "audio", [data, "".join(MARKUP).encode()], shape=(1, 2))
                writer.add_values([clip], step)
            config = {
                "material": {"cls": SHORT[0], SHORT[1]: SHORT[0]},
                "camera": {"cls": SHORT[0], "__proto__": {"x": 1}},
            }
            writer.add_values(mesh.mesh(f"{TAG}mesh", points, config=config, **about), step)
        chart = {text: ["Multiline", [f"scalar{SHORT[0]}", text]] for text in SHORT}
        writer.add_values([layouts.layout_value(dict.fromkeys(SHORT, chart))], 0)
        nodes = [
            Node(name=f"node{text}", op=f"op{text}", device=text, attrs={f"attr{text}": text})
            for text in SHORT
        ]
        nodes.append(Node(name="all", op=SHORT[0], inputs=[node.name for node in nodes]))
        writer.add_event(graph_event(nodes))
        chosen = {f"hparam{text}": text for text in SHORT}
        writer.add_values([hparams.session_start(chosen, start_time_s=1.0, group_name=SHORT[0])], 0)
        writer.close()
        if name in FULL_RUNS:
            write_embedding(folder / name, points)
            write_trace(folder / name, hostile_trace())


def hostile_trace() -> dict[str, Any]:
    """Names of processes, threads, categories, events, files, functions and arguments."""
    events = [named("process_name", 500 + at, 0, f"process{text}") for at, text in enumerate(SHORT)]
    for at, text in enumerate(SHORT):
        thread = 600 + at
        events.append(named("thread_name", 500 + at, thread, f"thread{text}"))
        frame = f"{text}.py(1): {text}"
        events += [
            span("python_function", frame, 500 + at, thread, 0, 79_000),
            span(f"category{text}", f"event{text}", 500 + at, thread, 1, 70_000, {f"key{text}": text}),
            span("user_annotation", f"ProfilerStep#{at} {text}", 500 + at, thread, 2, 60_000),
        ]
    return make_trace(more=events)


def write_embedding(run: Path, vectors: NDArray[Any]) -> None:
    np.save(run / "vectors.npy", vectors)
    head = [f"column{text}" for text in SHORT]
    rows = [[f"{text} {row % 4}" for text in SHORT] for row in range(len(vectors))]
    (run / "metadata.tsv").write_text("\n".join("\t".join(row) for row in [head, *rows]) + "\n")
    name = json.dumps(f"vectors{SHORT[0]}")
    (run / "projector_config.pbtxt").write_text(
        f'embeddings {{ tensor_name: {name} tensor_path: "vectors.npy" metadata_path: "metadata.tsv" }}\n'
    )


def blobs(tag: str, plugin: str, items: list[bytes], shape: tuple[int, ...] = (-1,)) -> bytes:
    array = np.empty(len(items), object)
    array[:] = items
    return summaries.summary_value(
        tag,
        array.reshape(shape),
        plugin=plugin,
        data_class=DataClass.UNKNOWN,
        display_name=SHORT[0],
        description="\n\n".join(MARKUP),
    )


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("hostile")
    write_hostile_logs(folder)
    return runglass.open(folder).source


class Watch:
    """Everything by which a script could show that it ran, or a page that it spoke to somebody."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.dialogs: list[str] = []
        self.outward: list[str] = []
        self.popups: list[str] = []
        page.add_init_script(WATCH)
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        page.on("popup", lambda popup: self.popups.append(popup.url))
        page.on("request", self._note)
        page.on("framenavigated", lambda frame: self._note_address(frame.url))

    def _note(self, request: Request) -> None:
        self._note_address(request.url)

    def _note_address(self, url: str) -> None:
        if not url.startswith(("http://127.0.0.1", "blob:http://127.0.0.1", "data:", "about:")):
            self.outward.append(url)

    def assert_quiet(self) -> None:
        assert self.page.evaluate("window.__pwned") is None
        assert self.page.evaluate("({}).x") is None
        assert self.page.evaluate("window.__violations") == []
        assert self.page.evaluate(ALIEN_NODES) == []
        assert (self.dialogs, self.outward, self.popups) == ([], [], [])


@pytest.fixture
def watch(page: Page, problems: list[str]) -> Iterator[Watch]:
    watch = Watch(page)
    yield watch
    watch.assert_quiet()
    # Without a graphics card the browser remarks how slow that is.
    problems[:] = [problem for problem in problems if "GL Driver Message" not in problem]


def names_of(page: Page) -> list[str]:
    return [
        each["name"]
        for each in page.request.get(f"{page.url.split('#')[0]}api/dashboards").json()["dashboards"]
    ]


def test_the_watch_sees_what_it_should(open_page, hostile, page, problems):
    watch = Watch(page)
    open_page(hostile, "#/text")
    watch.assert_quiet()
    page.evaluate("(html) => document.body.insertAdjacentHTML('beforeend', html)", "".join(SHORT))
    page.evaluate("(url) => void new Image().setAttribute('src', url)", f"{ELSEWHERE}/x.png")
    expect(page.locator("body > img")).to_have_count(1)
    assert page.evaluate(ALIEN_NODES) != []
    assert [each for each in page.evaluate("window.__violations") if each.startswith("script-src")] != []
    with pytest.raises(AssertionError):
        watch.assert_quiet()
    problems.clear()


def test_nothing_of_a_log_runs(open_page, hostile, watch):
    page = open_page(hostile, "#/scalars")
    names = [dashboard.name for dashboard in DASHBOARDS]
    assert set(names) <= set(names_of(page))
    for name in names:
        visit(page, watch, name)


# Their list of runs is a rail at first.
RAILS = ("graphs", "projector", "profile")


def visit(page: Page, watch: Watch, name: str) -> None:
    show_tab(page, name, "light")
    if name in RAILS:
        # In place of the rail.
        page.keyboard.press("[")
    # Names are read as they were written.
    for run in RUNS[:3]:
        expect(page.get_by_role("checkbox", name=run, exact=True)).to_be_visible()
    # HParams has views instead of cards, Graphs and the Projector a panel beside what is drawn, Profile panels below it.
    others = {"hparams": "section", "graphs": "aside", "projector": "aside", "profile": "section"}
    cards = page.get_by_role("main").locator(others.get(name, "article"))
    expect(cards.first).to_be_visible()
    shown = page.evaluate("document.querySelector('main')?.textContent ?? document.body.textContent")
    assert any(text in shown for text in SHORT), name
    watch.assert_quiet()
    # Down the page, so that every card has been there.
    for _ in range(4):
        cards.last.hover()
        page.mouse.wheel(0, 1_500)
        wait_ready(page)
    watch.assert_quiet()
    show_tab(page, name, "dark")
    watch.assert_quiet()
    if name in RAILS:
        page.keyboard.press("[")


def show_tab(page: Page, name: str, theme: str) -> None:
    page.evaluate("(hash) => void (location.hash = hash)", f"#/{name}?theme={theme}")
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    expect(page.locator(f"a[aria-current=page][href^='#/{name}']")).to_have_count(1)
    wait_ready(page)


def test_no_way_to_show_a_text_runs_it(open_page, hostile, watch):
    page = open_page(hostile, "#/text?option=text.steps;&tags=text$")
    check_texts(page, watch)
    go(page, "#/text?option=text.steps;all&tags=text$")
    check_texts(page, watch)


def check_texts(page: Page, watch: Watch) -> None:
    text = page.get_by_role("article", name=f"{TAG}text, {RUNS[0]}", exact=True)
    modes = page.get_by_role("radiogroup", name="Text format")
    for mode in ("Markdown", "Raw", "JSON", "Diff"):
        modes.get_by_text(mode, exact=True).click()
        wait_ready(page)
        watch.assert_quiet()
        for written in SHORT:
            expect(text).to_contain_text(written)
        # Where a link would be that could do something, a press does nothing.
        for link in page.locator("main article a:not([href])").all()[:8]:
            link.click(force=True)
        page.get_by_role("textbox", name="Search all texts").fill("<script>")
        expect(page.get_by_role("region", name="Search results").locator("mark").first).to_have_text(
            "<script>"
        )
        page.get_by_role("textbox", name="Search all texts").fill("")


def test_what_is_no_picture_is_not_a_page_either(page, serve, hostile, watch):
    """Even an address that somebody opens by itself shows nothing that runs."""
    url = serve(hostile).url
    for path in ("text/value?format=text", "text/value?format=json"):
        route, _, query = path.partition("?")
        page.goto(
            f"{url}api/{route}?run={RUNS[0].replace('<', '%3C')}&tag={TAG.replace('<', '%3C')}text&{query}"
        )
        assert page.evaluate("document.scripts.length") == 0


def test_names_in_windows_menus_and_graphs_are_words(open_page, hostile, watch):
    page = open_page(hostile, "#/scalars")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").fill("script")
    expect(page.get_by_role("option").filter(has_text=SHORT[0]).first).to_be_visible()
    watch.assert_quiet()
    page.keyboard.press("Escape")
    tag = f"scalar{SHORT[0]}"
    page.get_by_role("button", name=f"More for {tag}", exact=True).first.click()
    watch.assert_quiet()
    page.keyboard.press("Escape")

    # Names of nodes
    go(page, "#/graphs?theme=light")
    search = page.get_by_role("combobox", name="Search nodes")
    search.fill("<img")
    expect(page.get_by_role("listbox", name="Matches")).to_contain_text(SHORT[1])
    search.press("Enter")
    panel = page.get_by_role("complementary", name="About the selected node")
    expect(panel).to_contain_text(f"attr{SHORT[1]}")
    watch.assert_quiet()
    for by in ("Operation", "Device"):
        page.get_by_role("button", name="Colour by").click()
        page.get_by_role("button", name=by, exact=True).click()
        expect(page.get_by_role("region", name=f"Legend: {by}")).to_contain_text("<script>")
    page.get_by_role("radio", name="Table").check(force=True)
    expect(page.get_by_role("region", name="Table of nodes")).to_contain_text(f"node{SHORT[0]}"[:20])
    watch.assert_quiet()


def test_names_of_points_are_words(open_page, hostile, watch):
    page = open_page(hostile, "#/projector?option=projector.draw;text")
    page.get_by_role("textbox", name="Search points").fill("<img")
    expect(page.get_by_role("search").get_by_role("status")).to_contain_text("20 of 20")
    page.get_by_role("textbox", name="Search points").press("Enter")
    expect(page.get_by_role("region", name="Colour")).to_contain_text(SHORT[0])
    expect(page.get_by_role("main")).to_contain_text(f"column{SHORT[1]}")
    watch.assert_quiet()
    page.get_by_role("button", name="All points in a table").click()
    page.get_by_role("button", name="Choose an embedding").click()
    expect(page.get_by_role("dialog")).to_contain_text(f"vectors{SHORT[0]}")
    watch.assert_quiet()


def test_names_of_events_are_words(open_page, hostile, watch):
    page = open_page(hostile, "#/profile?theme=light&option=profile.view;trace")
    page.get_by_role("textbox", name="Search events").fill("<img")
    expect(page.get_by_role("search").get_by_role("status")).to_be_visible()
    page.get_by_role("textbox", name="Search events").press("Enter")
    details = page.get_by_role("region", name="Selected event")
    expect(details).to_contain_text(SHORT[1])
    watch.assert_quiet()
    sums = page.get_by_role("region", name="Sums of the range")
    sums.get_by_role("combobox", name="Which tracks").select_option(label="On all tracks")
    # Shortened like names of C++; the title has all of it.
    expect(sums.get_by_title(f"event{SHORT[0]}").first).to_be_visible()
    for by in ("Category", "Track"):
        sums.get_by_role("radio", name=by).check(force=True)
        watch.assert_quiet()
    page.get_by_role("button", name="Tracks", exact=True).click()
    expect(page.get_by_role("dialog", name="Tracks")).to_contain_text(f"thread{SHORT[0]}")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Choose a profile").click()
    expect(page.get_by_role("list", name="Profiles")).to_contain_text(SHORT[0])
    watch.assert_quiet()
