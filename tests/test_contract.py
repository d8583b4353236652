"""What must agree across the slices: the list of dashboards and their folders, routes and their documents, and error shapes."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from runglass import __version__
from runglass.api.jobs import JobResult
from runglass.api.route import JSON, Route
from runglass.dashboards.text.shape import Found
from runglass.query.memory import MemorySource
from runglass.registry import DASHBOARDS
from runglass.server.app import App
from runglass.server.dispatch import Api
from runglass.server.field_meanings import MEANINGS
from runglass.server.in_process import InProcess
from runglass.server.openapi import encode_document
from runglass.server.openapi_details import decode_example, list_arrays
from runglass.server.problems import ErrorAnswer
from runglass.server.request_examples import BODIES, QUERIES, UNANSWERED
from runglass.server.settings import Settings
from runglass.store.model import Family, Kind

ROOT = Path(__file__).parent.parent
WEB = ROOT / "web"
SETTINGS = Settings(version=__version__)
SOURCE = MemorySource().add_scalars("run", "tag", step=[0], value=[1.0])
API = Api(SOURCE, SETTINGS)
CLIENT = InProcess(App(SOURCE, SETTINGS))
ROUTES = pytest.mark.parametrize("route", API.routes, ids=lambda route: route.path)


def folders(parent: Path) -> set[str]:
    return {folder.name for folder in parent.iterdir() if folder.is_dir() and not folder.name.startswith("_")}


def test_registry_and_folders_agree():
    names = [dashboard.name for dashboard in DASHBOARDS]
    assert len(set(names)) == len(names)
    assert set(names) == folders(ROOT / "src/runglass/dashboards")
    assert set(names) == folders(WEB / "src/dashboards")


ROUTE = re.compile(r"\bclient\.(ask|askBody|bytes|binary|post|address)[<(]")
OPTION = re.compile(r"\.(option|setOption)\(")
FROM_INDEX = re.compile(r"""["']\.{1,2}/index["']""")
OLD_NAMES = re.compile(r"(?:.*_)?(?:desk|api|settings|look|view|clips)\.(?:svelte\.)?ts")


def faults_of_slice(folder: Path) -> list[str]:
    """How a dashboard's folder on the page differs from the others: a reader who knows one finds their way in all."""
    texts = {
        file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8")
        for file in folder.rglob("*")
        if file.suffix in (".ts", ".svelte") and not file.stem.endswith(".test")
    }
    faults = [f"{name} is missing" for name in ("index.ts", "how_to.ts") if name not in texts]
    if any(re.fullmatch(r"\w+Card\.svelte", name) for name in texts) and "cards.ts" not in texts:
        faults.append("cards.ts is missing: it says which cards there are")
    for name, text in sorted(texts.items()):
        if ROUTE.search(text) and name != "ask.ts":
            faults.append(f"{name} asks the server: that belongs into ask.ts")
        if OPTION.search(text) and name not in ("options.ts", "options.svelte.ts"):
            faults.append(f"{name} reads or writes options of the address: that belongs into options.ts")
        if FROM_INDEX.search(text):
            faults.append(f"{name} imports index.ts, which imports everything else: cards are in cards.ts")
        if OLD_NAMES.fullmatch(name.rpartition("/")[2]):
            faults.append(f"{name}: requests are in ask.ts, what the user sets is in options.ts")
    return faults


@pytest.mark.parametrize("name", sorted(folders(WEB / "src/dashboards")))
def test_slices_of_the_page_are_built_alike(name):
    assert faults_of_slice(WEB / "src/dashboards" / name) == []


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("XCard.svelte", "", "cards.ts is missing"),
        ("page.ts", 'client.ask("x/y", {})', "page.ts asks the server"),
        ("page.ts", 'this.client.askBody<T>("x/y", {})', "page.ts asks the server"),
        (
            "dialogs/Form.svelte",
            'settings.setOption("x.y", "1")',
            "dialogs/Form.svelte reads or writes options",
        ),
        ("page.ts", 'import { cards } from "./index";', "page.ts imports index.ts"),
        ("x_desk.ts", "", "x_desk.ts: requests are in ask.ts"),
        ("x_settings.svelte.ts", "", "x_settings.svelte.ts: requests are in ask.ts"),
    ],
)
def test_a_slice_of_another_shape_is_noticed(tmp_path, file, text, fault):
    for name in ("index.ts", "how_to.ts"):
        (tmp_path / name).touch()
    assert faults_of_slice(tmp_path) == []
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text)
    (found,) = faults_of_slice(tmp_path)
    assert found.startswith(fault)


def test_every_dashboard_has_something_to_show_and_keeps_to_its_own_paths():
    for dashboard in DASHBOARDS:
        assert dashboard.kinds or dashboard.families
        assert all(isinstance(kind, Kind) for kind in dashboard.kinds)
        assert all(isinstance(family, Family) for family in dashboard.families)
        assert all(f"{route.path}/".startswith(f"/api/{dashboard.name}/") for route in dashboard.routes)


DASHBOARDS_WITH_ROUTES = [dashboard for dashboard in DASHBOARDS if dashboard.routes]


@pytest.mark.parametrize("dashboard", DASHBOARDS_WITH_ROUTES, ids=lambda dashboard: dashboard.name)
def test_routes_hold_handlers_only_and_shape_holds_what_travels(dashboard):
    folder = ROOT / "src/runglass/dashboards" / dashboard.name
    assert {"routes.py", "shape.py"} <= {file.name for file in folder.iterdir()}
    defined = list_definitions(folder / "routes.py")
    assert defined == {route.handler.__name__ for route in dashboard.routes}
    home = f"runglass.dashboards.{dashboard.name}"
    for route in dashboard.routes:
        assert route.handler.__module__ == f"{home}.routes"
        for struct in list_structs(route):
            if not struct.__module__.startswith("runglass.dashboards."):
                continue
            assert struct.__module__ == f"{home}.shape", f"{struct.__name__} belongs in {home}.shape"
        for struct in (route.answer, route.query, *([route.body] if route.body else [])):
            # What the query layer answers in types that can travel is sent as it is.
            known = (
                "runglass.api.",
                f"runglass.query.{dashboard.name}.",
                f"runglass.query.{dashboard.name}s.",
            )
            assert struct.__module__ == f"{home}.shape" or struct.__module__.startswith(known)


def list_definitions(file: Path) -> set[str]:
    """The classes and functions at the top of a module."""
    tree = ast.parse(file.read_text())
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    }


def list_structs(route: Route) -> set[type]:
    """Every Struct that travels on this route, those inside others too."""
    found: set[type] = set()

    def walk(node: object) -> None:
        if isinstance(node, msgspec.inspect.StructType):
            if node.cls in found:
                return
            found.add(node.cls)
        if isinstance(node, msgspec.Struct):
            for name in node.__struct_fields__:
                walk(getattr(node, name))
        elif isinstance(node, tuple):
            for each in node:
                walk(each)

    for struct in (route.answer, route.query, *([route.body] if route.body else [])):
        walk(msgspec.inspect.type_info(struct))
    return found


def test_dashboards_are_served_in_the_order_of_the_registry():
    listed = CLIENT.get("/api/dashboards").json["dashboards"]
    assert [each["name"] for each in listed] == [dashboard.name for dashboard in DASHBOARDS]


@cache
def read_document() -> dict[str, Any]:
    """As it is served; one for all tests, which do not change it."""
    return CLIENT.get("/api/openapi.json").json


def test_document_has_every_route_and_no_other():
    document = read_document()
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert described == {(route.method, route.path) for route in API.routes}


@ROUTES
def test_document_describes_the_route(route):
    document = read_document()
    operation = document["paths"][route.path][route.method.lower()]
    assert operation["summary"].endswith(".")
    assert set(operation["responses"]["200"]["content"]) == set(route.media_types)
    assert [each["name"] for each in operation.get("parameters", [])] == list(route.query.__struct_fields__)
    assert ("requestBody" in operation) == (route.method == "POST")
    references = json.dumps(operation).split('"#/components/schemas/')[1:]
    assert {each.partition('"')[0] for each in references} <= set(document["components"]["schemas"])


def test_document_is_the_same_bytes_every_time():
    # Sets have another order there than here.
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    made = subprocess.run(
        [sys.executable, str(ROOT / "tools/gen_types.py")],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        check=True,
    )
    assert made.stdout == encode_document(API.make_document())


def test_document_is_complete():
    """The rules of common linters, and that errors, security and examples are there."""
    document = read_document()
    OpenAPIV31SpecValidator(document).validate()
    operations = [each for methods in document["paths"].values() for each in methods.values()]
    bare = [
        path
        for path, methods in document["paths"].items()
        for operation in methods.values()
        for parameter in operation.get("parameters", [])
        if parameter["required"] and "example" not in parameter
    ]
    assert set(bare) <= set(UNANSWERED)
    ids = [each["operationId"] for each in operations]
    assert len(set(ids)) == len(ids)
    assert set(document["components"]["securitySchemes"]) == {"bearer", "token"}
    assert {} in document["security"]
    for operation in operations:
        assert operation["tags"][0] in [tag["name"] for tag in document["tags"]]
        assert {"200", "400", "403", "default"} <= set(operation["responses"])
        for parameter in operation.get("parameters", []):
            assert parameter["description"], (operation["operationId"], parameter["name"])
    properties = [
        (name, field, "description" in type_of)
        for name, schema in document["components"]["schemas"].items()
        for field, type_of in schema.get("properties", {}).items()
    ]
    bare = [f"{name}.{field}" for name, field, is_described in properties if not is_described]
    # A new field needs a comment above it, unless its name says the same in every answer.
    assert bare == []
    assert ("Status", "missing", True) in properties
    assert document["info"]["contact"]
    arrays = list(list_arrays(document["components"]["schemas"]))
    assert arrays
    assert all("items" in each and each["items"] is not False for each in arrays)
    referred = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))
    assert referred == set(document["components"]["schemas"])


@ROUTES
def test_every_json_answer_has_an_example_of_its_type(route):
    content = read_document()["paths"][route.path][route.method.lower()]["responses"]["200"]["content"]
    if JSON not in content or route.path in UNANSWERED:
        return
    # `make gen` records them: forgotten after a change of a type, one has a field more or less.
    decode_example(content[JSON]["example"], Found if route.answer is JobResult else route.answer)


def test_an_example_of_another_type_is_noticed():
    class Answer(msgspec.Struct):
        runs: int
        tag: str = ""

    decode_example({"runs": 1, "tag": "loss"}, Answer)
    for stale in (
        {"tag": "loss"},
        {"runs": "1", "tag": "loss"},
        {"runs": 1},
        {"runs": 1, "tag": "", "old": 0},
    ):
        with pytest.raises(ValueError, match="runs"):
            decode_example(stale, Answer)


def test_every_body_has_an_example_of_its_type():
    with_body = {route.path: route.body for route in API.routes if route.body is not None}
    assert set(with_body) == set(BODIES)
    for path, body in with_body.items():
        msgspec.convert(BODIES[path], body)
    queries = {
        route.path: route.query for route in API.routes if route.body is None and route.path in QUERIES
    }
    assert set(queries) == set(QUERIES)
    for path, query in queries.items():
        msgspec.convert(QUERIES[path], query)


def test_the_routes_that_one_meets_first_say_what_their_fields_mean():
    """Where a name means several things, the words for all of them say too little."""
    schemas = read_document()["components"]["schemas"]
    vague = {
        *(
            "Its name.",
            "Its title.",
            "Its state.",
            "The value.",
            "The lines.",
            "The first one.",
            "How many there are.",
        ),
        *(
            "Files: how many, or which.",
            "The series: which, or how many.",
            "Size in bytes.",
            "Step of the training.",
        ),
    }
    assert vague <= set(MEANINGS.values())
    first = (
        "Status",
        "Run",
        "Runs",
        "Tags",
        "Series",
        "SeriesList",
        "Health",
        "FileHealth",
        "DashboardAnswer",
    )
    scalars = (
        "Points",
        "Lines",
        "LineAnswer",
        "SummaryBody",
        "SummaryAnswer",
        "NearestRow",
        "RangeRow",
        "Export",
    )
    assert [
        f"{name}.{field}"
        for name in first + scalars
        for field, type_of in schemas[name]["properties"].items()
        if type_of["description"] in vague
    ] == []


def assert_error(got, status: int, code: str) -> None:
    assert (got.status, got.headers["content-type"]) == (status, JSON)
    problem = msgspec.json.decode(got.body, type=ErrorAnswer).error
    assert problem.code == code
    assert problem.message
    assert set(got.json) == {"error"}
    assert set(got.json["error"]) == {"code", "message", "where"}


@ROUTES
def test_errors_have_one_shape(route):
    assert_error(
        CLIENT.ask(route.method, f"{route.path}?no_such_parameter=1", data=b"{}"), 400, "bad_request"
    )
    assert_error(CLIENT.ask("PATCH", route.path), 405, "method_not_allowed")
    assert_error(CLIENT.ask(route.method, f"{route.path}/more"), 404, "not_found")
    assert_error(CLIENT.ask(route.method, route.path, headers={"host": "evil.example"}), 403, "forbidden")
    if route.body is not None:
        assert_error(CLIENT.post(route.path, b"nonsense"), 400, "bad_request")


def test_what_a_field_may_be_is_named_in_its_error():
    got = CLIENT.get("/api/tags?kind=scalars")
    assert "Expected one of: scalar, image, audio" in got.json["error"]["message"]
    body = {"tags": ["tag"], "smoothing": {"kind": "mean"}}
    message = CLIENT.post("/api/scalars/lines", json.dumps(body).encode()).json["error"]["message"]
    assert message.endswith("Expected one of: ema, gaussian, median, none, time_ema.")


GENERATOR = WEB / "node_modules/.bin/openapi-typescript"


@pytest.mark.skipif(not GENERATOR.exists(), reason="web/node_modules is not installed")
def test_generated_types_are_current(tmp_path):
    document = tmp_path / "openapi.json"
    document.write_bytes(encode_document(API.make_document()))
    made = tmp_path / "types.gen.ts"
    subprocess.run([str(GENERATOR), str(document), "-o", str(made)], check=True, capture_output=True)
    current = WEB / "src/api/types.gen.ts"
    assert current.exists(), (
        "make it: python tools/gen_types.py > web/openapi.json && npm --prefix web run gen"
    )
    assert current.read_text() == made.read_text()
