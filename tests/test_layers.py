"""The import layers hold, and the check that says so can tell when they do not."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
spec = importlib.util.spec_from_file_location("check_layers", ROOT / "tools/check_layers.py")
assert spec is not None
assert spec.loader is not None
check_layers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_layers)


def test_layers_hold():
    assert [
        *check_layers.check_python(ROOT),
        *check_layers.check_circles(ROOT),
        *check_layers.check_web(ROOT),
    ] == []


@pytest.fixture
def tree(tmp_path):
    """A tree of empty modules to break rules in."""
    for name in (
        "errors",
        "registry",
        "cli",
        "store/model",
        "store/stage",
        "native/reduce",
        "query/source",
        "query/open",
        "server/app",
        "server/test_app",
        "api/route",
        "dashboards/scalars/routes",
        "dashboards/images/routes",
        "writer/calls/summary_writer",
        "writer/values/arrays",
        "writer/files/sinks",
    ):
        file = tmp_path / f"src/runglass/{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    for name in (
        "main.ts",
        "base/pacer.ts",
        "api/client.ts",
        "chart/scale.ts",
        "ui/Button.svelte",
        "state/session.svelte.ts",
        "cards/CardGrid.svelte",
        "lines/strokes.ts",
        "run_table/RunTable.svelte",
        "frame/Header.svelte",
        "dashboards/examples.ts",
        "dashboards/scalars/Card.svelte",
        "dashboards/images/index.ts",
        "unlisted/x.ts",
    ):
        file = tmp_path / f"web/src/{name}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return tmp_path


@pytest.mark.parametrize(
    ("file", "line", "is_wrong"),
    [
        ("store/stage", "import runglass.native.reduce", False),
        ("store/stage", "from runglass.native import reduce", False),
        ("store/stage", "from runglass.query.source import DataSource", True),
        ("store/stage", "from runglass import query", True),
        ("store/stage", "from ..query import source", True),
        ("store/stage", "from . import model", False),
        ("store/stage", "def f():\n    import runglass.server.app", True),
        ("native/reduce", "from runglass.store.model import Kind", False),
        ("native/reduce", "from runglass.errors import RunglassError", False),
        ("native/reduce", "from runglass import __version__", False),
        ("native/reduce", "from runglass.store.stage import Stage", True),
        ("dashboards/scalars/routes", "from runglass.query.source import DataSource", False),
        ("dashboards/scalars/routes", "from runglass.api.route import Route", False),
        ("dashboards/scalars/routes", "from runglass.dashboards.images.routes import X", True),
        ("dashboards/scalars/routes", "from runglass.dashboards import images", True),
        ("dashboards/scalars/routes", "from runglass.server.app import App", True),
        ("dashboards/scalars/routes", "from runglass.native import reduce", True),
        ("api/route", "from runglass.dashboards.scalars.routes import ROUTES", True),
        ("api/route", "from runglass.server.app import App", True),
        ("registry", "from runglass.dashboards.scalars.routes import ROUTES", False),
        ("server/app", "from runglass.registry import DASHBOARDS", False),
        ("server/app", "from runglass.store.stage import Stage", True),
        ("server/test_app", "from runglass.store.stage import Stage", False),
        ("cli", "from runglass.query.open import open_logs", False),
        ("cli", "from runglass.server.app import App", False),
        ("cli", "from runglass.store.stage import Stage", True),
        ("cli", "from runglass.ingest.watch import LogdirWatch", True),
        ("query/open", "from runglass.ingest.watch import LogdirWatch", False),
        ("query/source", "from runglass.ingest.watch import LogdirWatch", True),
        ("query/source", "from runglass.query import open", True),
        ("dashboards/scalars/routes", "from runglass.query.open import open_logs", True),
        ("writer/calls/summary_writer", "from runglass.writer.files import sinks", False),
        ("writer/calls/summary_writer", "from runglass.writer import values", False),
        ("writer/files/sinks", "from runglass.writer.values.arrays import to_numpy", False),
        ("writer/files/sinks", "from runglass.writer.calls.summary_writer import SummaryWriter", True),
        ("writer/values/arrays", "from runglass.writer import files", True),
        ("writer/values/arrays", "from ..files import sinks", True),
        ("unlisted", "from runglass.query.source import DataSource", True),
    ],
)
def test_python(tree, file, line, is_wrong):
    (tree / f"src/runglass/{file}.py").write_text(f"\n{line}\n")
    at = line.count("\n") + 2
    found = list(check_layers.check_python(tree))
    assert len(found) == is_wrong
    if is_wrong:
        assert found[0].startswith(f"src/runglass/{file}.py:{at}: ")


SOURCE = "from runglass.query import source"
MODEL = "from runglass.store.model import Kind"
IF_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    "


@pytest.mark.parametrize(
    ("in_model", "in_source", "circle"),
    [
        (SOURCE, "", None),
        ("", MODEL, None),
        (SOURCE, MODEL, ["store.model", "query.source", "store.model"]),
        ("from ..query.source import X", MODEL, ["store.model", "query.source", "store.model"]),
        (IF_TYPES + SOURCE, MODEL, ["store.model", "query.source", "store.model"]),
        (
            SOURCE,
            "class A:\n    from runglass.store import model",
            ["store.model", "query.source", "store.model"],
        ),
        (
            SOURCE,
            "import runglass.store.stage",
            ["store.model", "query.source", "store.stage", "store.model"],
        ),
        ("def f():\n    " + SOURCE, MODEL, None),
        ("f = lambda: __import__('runglass.query.source')", MODEL, None),
        ("from runglass import __version__", "", None),
        ("from runglass.store import model", "", None),
    ],
)
def test_circles(tree, in_model, in_source, circle):
    (tree / "src/runglass/store/model.py").write_text(in_model)
    (tree / "src/runglass/query/source.py").write_text(in_source)
    (tree / "src/runglass/store/stage.py").write_text("from runglass.store import model")
    (tree / "src/runglass/__init__.py").write_text("from runglass.store import model")
    (tree / "src/runglass/store/test_model.py").write_text("import runglass.store.test_model")
    found = list(check_layers.check_circles(tree))
    assert len(found) == (circle is not None)
    if circle:
        assert found[0].startswith(f"src/runglass/{circle[0].replace('.', '/')}.py:")
        assert found[0].endswith(": " + " → ".join(f"runglass.{name}" for name in circle))


@pytest.mark.parametrize(
    ("file", "line", "is_wrong"),
    [
        ("dashboards/scalars/Card.svelte", 'import { x } from "../../api/client";', False),
        ("dashboards/scalars/Card.svelte", 'import d3 from "d3-scale";', False),
        ("dashboards/scalars/Card.svelte", 'import { x } from "../images/index";', True),
        ("dashboards/scalars/Card.svelte", 'import { x } from "../../main";', True),
        ("chart/scale.ts", 'import type { X } from "../api/client";', True),
        ("chart/scale.ts", '} from "../api/client";', True),
        ("chart/scale.ts", 'import "../api/client";', True),
        ("chart/scale.ts", 'export * from "../api/client";', True),
        ("chart/scale.ts", 'const x = await import("../api/client");', True),
        ("chart/scale.ts", 'new Worker(new URL("../api/client.ts", import.meta.url))', True),
        ("chart/scale.ts", 'import x from "../../../elsewhere";', True),
        ("chart/scale.ts", 'import x from "./model";', False),
        ("base/pacer.ts", 'import { x } from "../api/client";', True),
        ("api/client.ts", 'import { x } from "../base/pacer";', False),
        ("api/client.ts", 'import { x } from "../state/session.svelte";', True),
        ("ui/Button.svelte", 'import { x } from "../base/pacer";', False),
        ("ui/Button.svelte", 'import type { X } from "../state/session.svelte";', True),
        ("ui/Button.svelte", 'import { x } from "../chart/scale";', True),
        ("state/session.svelte.ts", 'import { x } from "../api/client";', False),
        ("state/session.svelte.ts", 'import x from "../ui/Button.svelte";', True),
        ("state/session.svelte.ts", 'import x from "../cards/CardGrid.svelte";', True),
        ("cards/CardGrid.svelte", 'import x from "../ui/Button.svelte";', False),
        ("cards/CardGrid.svelte", 'import { x } from "../lines/strokes";', True),
        ("cards/CardGrid.svelte", 'const x = import("../dashboards/scalars/Card.svelte");', True),
        ("lines/strokes.ts", 'import x from "../cards/CardGrid.svelte";', False),
        ("lines/strokes.ts", 'import x from "../run_table/RunTable.svelte";', True),
        ("run_table/RunTable.svelte", 'import x from "../ui/Button.svelte";', False),
        ("run_table/RunTable.svelte", 'import x from "../frame/Header.svelte";', True),
        ("run_table/RunTable.svelte", 'import x from "../dashboards/scalars/Card.svelte";', True),
        ("dashboards/scalars/Card.svelte", 'import x from "../../cards/CardGrid.svelte";', False),
        ("dashboards/scalars/Card.svelte", 'import x from "../../run_table/RunTable.svelte";', False),
        ("dashboards/scalars/Card.svelte", 'import x from "../../frame/Header.svelte";', True),
        ("dashboards/scalars/Card.svelte", 'import { x } from "../examples";', False),
        ("dashboards/examples.ts", 'import { x } from "./scalars/Card.svelte";', True),
        ("frame/Header.svelte", 'import { x } from "../dashboards/examples";', True),
        ("frame/Header.svelte", 'import x from "../run_table/RunTable.svelte";', False),
        ("frame/Header.svelte", 'import { x } from "../lines/strokes";', True),
        ("frame/Header.svelte", 'import x from "../dashboards/scalars/Card.svelte";', True),
        ("unlisted/x.ts", 'import { x } from "../base/pacer";', True),
        ("api/client.ts", "const answer = fetch(url);", False),
        ("main.ts", "const answer = fetch(url);", True),
        ("dashboards/scalars/Card.svelte", "const answer = await window.fetch(url);", True),
        ("dashboards/scalars/Card.svelte", "new EventSource(url);", True),
        ("dashboards/scalars/Card.svelte", "prefetch(url);", False),
        ("main.ts", 'import { x } from "./api/client";', False),
        ("main.ts", 'import { x } from "./dashboards/scalars/Card.svelte";', True),
    ],
)
def test_web(tree, file, line, is_wrong):
    (tree / f"web/src/{file}").write_text(f"// first line\n{line}\n")
    found = list(check_layers.check_web(tree))
    assert len(found) == is_wrong
    if is_wrong:
        assert found[0].startswith(f"web/src/{file}:2: ")
