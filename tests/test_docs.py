"""The documents keep their word: examples run, links lead somewhere, and every flag and route is described."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import runglass
from runglass import flags
from runglass.demo import write_demo
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.dispatch import Api
from runglass.server.in_process import InProcess
from runglass.server.settings import Settings

ROOT = Path(__file__).parent.parent
FRAMEWORK = re.compile(r"^\s*(?:from|import) (?:torch|keras|jax|tensorflow)\b", re.MULTILINE)
READING = ROOT / "docs/guide/reading-in-python.md"
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "bench").glob("*.md")],
    key=lambda page: page.relative_to(ROOT).as_posix(),
)
BLOCK = re.compile(r"^```(\w*)(?: [^\n]*)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|\b(?:src|srcset|href)=\"([^\"]+)\"")
# What belongs to one machine or workplace: absolute paths of its users, and hosts that packages came from.
FOREIGN = re.compile(
    r"(?<![\w.:/])/(?:home|root|Users|work|opt|tmp|mnt)/\w|\.internal\b|artifactory|registry\.npmjs|pypi\.org/simple|--index-url"
)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def python_blocks(page: Path) -> list[str]:
    return [code for language, code in BLOCK.findall(page.read_text()) if language == "python"]


def prose(page: Path) -> str:
    """A page without its code, where brackets mean other things."""
    return re.sub(r"`[^`\n]*`", "", BLOCK.sub("", page.read_text()))


def anchor(heading: str) -> str:
    """As GitHub makes them: small letters, no punctuation, a hyphen for every space."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def in_reading_order() -> list[Path]:
    """README, then the guide as its index lists it."""
    names = re.findall(r"\]\(([\w-]+\.md)\)", (ROOT / "docs/guide/README.md").read_text())
    return [ROOT / "README.md", *(ROOT / "docs/guide" / each for each in names)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the demo that examples are written for, of fewer steps."""
    folder = tmp_path_factory.mktemp("docs")
    write_demo(folder / "runglass-demo", now=1_800_000_000.0, steps=40)
    return folder


def test_examples_run_in_reading_order_in_one_directory(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib import pyplot

    pyplot.switch_backend("agg")
    monkeypatch.chdir(demo)
    ran = []
    files = set(demo.rglob("*tfevents*"))
    for page in in_reading_order():
        # What follows code of a framework builds on it; those frameworks are not installed here.
        blocks = list(takewhile(lambda code: not FRAMEWORK.search(code), python_blocks(page)))
        if page.name == "query.md" and find_spec("duckdb") is None and find_spec("chdb") is None:
            # tests/scale runs it.
            continue
        namespace: dict[str, Any] = {}
        for code in blocks:
            exec(compile(code, name(page), "exec"), namespace)
        ran += [name(page)] * len(blocks)
        # No page logs into a run of another: a newcomer follows them one after the other.
        found = set(demo.rglob("*tfevents*"))
        runs = {file.parent for file in found - files}
        assert runs & {file.parent for file in files} == set(), name(page)
        files = found
    pyplot.close("all")
    assert len(ran) > 30
    assert {"README.md", "docs/guide/getting-started.md", "docs/guide/reading-in-python.md"} <= set(ran)


@pytest.fixture(scope="module")
def client(demo: Path) -> InProcess:
    return InProcess(App(runglass.open(demo / "runglass-demo").source))


def test_every_curl_example_has_an_answer(client: InProcess) -> None:
    text = "".join(page.read_text() for page in in_reading_order())
    commands = [
        command.replace("\n        ", " ")
        for command in re.findall(r"^    \$ (curl .*(?:\n        .*)*)", text, re.MULTILINE)
    ]
    assert len(commands) > 40
    for command in commands:
        words = shlex.split(command, comments=True)
        path = next(word for word in words if word.startswith("localhost:6006")).removeprefix(
            "localhost:6006"
        )
        if path == "/api/live":
            continue
        data = [words[at + 1] for at, word in enumerate(words) if word == "-d"]
        if "-G" in words:
            query = urlencode([tuple(each.split("=", 1)) for each in data])
            got = client.get(f"{path}?{query}")
        else:
            got = client.post(path, data[0].encode()) if data else client.get(path)
        if path == "/api/jobs":
            # Another process would do the work.
            continue
        # Only the one about errors goes without -f.
        expected = 200 if any(word.startswith("-f") for word in words[1:2]) else 404
        assert got.status == expected, (command, got.body[:300])


def test_every_request_in_the_openapi_document_has_an_answer(client: InProcess) -> None:
    asked = 0
    for path, operations in client.get("/api/openapi.json").json["paths"].items():
        # Jobs and dropped files have other ids on every server, marks are not shared here, and live updates never end.
        if path.startswith(("/api/jobs", "/api/live")) or path in ("/api/projector/export", "/api/overlay"):
            continue
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {})
            if "application/octet-stream" in content:
                continue
            parameters = operation.get("parameters", [])
            query = {each["name"]: each["example"] for each in parameters if "example" in each}
            body = json.dumps(content["application/json"]["example"]).encode() if content else b""
            got = client.ask(method.upper(), f"{path}?{urlencode(query, doseq=True)}", data=body)
            assert got.status == 200, (path, got.body[:300])
            asked += 1
    assert asked > 80


def test_numbers_in_the_guide_are_those_of_the_demo(client: InProcess) -> None:
    """Of those that do not depend on the length of the training. The demo alone: without runs that train live."""
    text = "".join(page.read_text() for page in in_reading_order())
    status = client.get("/api/status").json
    told = re.findall(
        r"'runglass-demo': (\d+) runs|\"is_loaded\":true,\"runs\":(\d+)|among (\d+)\. Close: 'resumed'", text
    )
    assert ["".join(each) for each in told] == [str(status["runs"])] * 3
    missing = client.get("/api/scalars/points?run=resume&tag=loss").json["error"]["message"]
    assert missing in text


def test_every_method_of_the_log_is_described() -> None:
    from runglass.reader import Log, Run, Scalars, Table

    text = READING.read_text()
    methods = [
        each for shape in (Log, Run, Scalars, Table) for each in vars(shape) if not each.startswith("_")
    ]
    assert [method for method in methods if not re.search(rf"\b{method}\b", text)] == []


def links() -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        for found in LINK.finditer(prose(page)):
            target = found[1] or found[2]
            if not target.startswith(("http://", "https://", "mailto:")):
                yield page, target


def test_there_are_links() -> None:
    assert len(list(links())) > 20


def test_links_lead_somewhere() -> None:
    broken = []
    for page, target in links():
        path, _, fragment = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists():
            broken.append(f"{name(page)}: {target}")
        elif fragment:
            headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", place.read_text()), re.MULTILINE)
            if fragment not in map(anchor, headings):
                broken.append(f"{name(page)}: {target}")
    assert broken == []


def all_options() -> list[str]:
    parsers = flags.list_parsers().values()
    return [option for parser in parsers for action in parser._actions for option in action.option_strings]


def test_every_flag_is_described() -> None:
    text = (ROOT / "docs/guide/command-line.md").read_text()
    options = all_options()
    assert "--memory_budget" in options
    assert [option for option in options if not re.search(rf"`{re.escape(option)}\b", text)] == []


def test_every_flag_that_is_described_exists() -> None:
    options = set(all_options())
    text = (ROOT / "docs/guide/command-line.md").read_text()
    described = set(re.findall(r"^\| `(--\w+)", text, re.MULTILINE))
    assert described
    assert described - options == set()


def test_every_route_is_described_and_no_other() -> None:
    routes = {f"{route.method} {route.path}" for route in Api(MemorySource(), Settings()).routes}
    table = set(
        re.findall(r"^\| `((?:GET|POST) /api/[^`]+)` \|", (ROOT / "docs/http.md").read_text(), re.MULTILINE)
    )
    assert table == routes


def test_every_file_in_the_tree_exists() -> None:
    (tree,) = re.findall(
        r"^```\n(src/runglass/.*?)^```$", (ROOT / "docs/architecture.md").read_text(), re.M | re.S
    )
    named = set(re.findall(r"[\w.]*\w\.(?:pyx|py|c|h|ts|svelte)\b", tree))
    assert len(named) > 50
    found = {file.name for top in ("src", "web/src") for file in (ROOT / top).rglob("*.*")}
    assert named - found == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_nothing_of_one_machine(page: Path) -> None:
    assert [found[0] for found in FOREIGN.finditer(page.read_text())] == []
