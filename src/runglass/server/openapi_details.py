"""What the served OpenAPI document says beyond types: security, errors of each route, examples, and a description of every field
that has one in the code. The page's types are made without it.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from runglass.api.route import JSON, encode_json
from runglass.server.field_meanings import MEANINGS
from runglass.server.request_examples import BODIES, QUERIES

REF = "#/components/schemas/"
CLASS = re.compile(r"^class (\w+)")
FIELD = re.compile(r"^    (\w+): ")
COMMENT = re.compile(r"^    # (.*)$")

# What the routes answered to the examples of requests: `make gen` records it.
ANSWERS = Path(__file__).with_name("answer_examples.json")

ERRORS = {
    "400": "A parameter or the body is wrong; the message names it and what is expected.",
    "403": "The token is missing or wrong, or the server does not answer to this host or origin.",
    "404": "There is no such run, series, file or job; the message has the closest names.",
    "413": "The request is too large.",
}


def add_details(document: dict[str, Any], shapes: Iterable[type[msgspec.Struct]]) -> dict[str, Any]:
    """The document with all of that; changes the one that is given."""
    components = document["components"]
    components["responses"] = {
        f"Error{status}": {
            "description": text,
            "content": {JSON: {"schema": {"$ref": f"{REF}ErrorAnswer"}}},
        }
        for status, text in ERRORS.items()
    }
    components["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": "Authorization: Bearer TOKEN"},
        "token": {"type": "apiKey", "in": "query", "name": "token", "description": "?token=TOKEN"},
    }
    # On loopback, the default, nothing is asked for.
    document["security"] = [{}, {"bearer": []}, {"token": []}]
    document["servers"] = [{"url": "/", "description": "This server; paths are below its --path_prefix."}]
    document["info"]["contact"] = {"name": "The Runglass authors"}
    document["info"]["license"] = {"name": "Apache-2.0", "identifier": "Apache-2.0"}
    document["tags"] = []
    answers = msgspec.json.decode(ANSWERS.read_bytes())
    for path, operations in document["paths"].items():
        group = path.split("/")[2].removesuffix(".json")
        if {"name": group} not in document["tags"]:
            document["tags"].append({"name": group})
        for method, operation in operations.items():
            if "requestBody" in operation and path in BODIES:
                operation["requestBody"]["content"][JSON]["example"] = BODIES[path]
            if (answer := answers.get(f"{method.upper()} {path}")) is not None:
                operation["responses"]["200"]["content"][JSON]["example"] = answer
            operation["tags"] = [group]
            operation["description"] = operation["summary"]
            for parameter in operation.get("parameters", []):
                parameter.setdefault("description", MEANINGS.get(parameter["name"], ""))
                if (given := QUERIES.get(path, {}).get(parameter["name"])) is not None:
                    parameter["example"] = given
            _add_errors(operation)
    written = read_comments(shapes)
    for name, schema in components["schemas"].items():
        for field, type_of in schema.get("properties", {}).items():
            text = (
                written.get((name, field))
                or written.get((name.rpartition(".")[2], field))
                or MEANINGS.get(field)
            )
            if text and "description" not in type_of:
                type_of["description"] = text
        for each in list_arrays(schema):
            # Linters want `items`, even where the number of items says that there are no others.
            each["items"] = each.get("items") or {}
    return document


def list_arrays(schema: Any) -> Iterator[dict[str, Any]]:
    """Every array in a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "array":
            yield schema
        for each in schema.values():
            yield from list_arrays(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from list_arrays(each)


def _add_errors(operation: dict[str, Any]) -> None:
    names = {parameter["name"] for parameter in operation.get("parameters", [])}
    statuses = ["400", "403"]
    if "requestBody" in operation or names & {"run", "id", "tag", "file"}:
        statuses.append("404")
    if "requestBody" in operation:
        statuses.append("413")
    responses = operation["responses"]
    default = responses.pop("default")
    responses.update({status: {"$ref": f"#/components/responses/Error{status}"} for status in statuses})
    responses["default"] = default


def read_comments(shapes: Iterable[type[msgspec.Struct]]) -> dict[tuple[str, str], str]:
    """The comment above each field, by class and field: what a field means is written once, for readers of either."""
    modules: dict[str, dict[tuple[str, str], str]] = {}
    found: dict[tuple[str, str], str] = {}
    for shape in shapes:
        for each in shape.__mro__:
            if each.__module__.startswith("runglass."):
                if each.__module__ not in modules:
                    modules[each.__module__] = _read_module(sys.modules[each.__module__])
                said = modules[each.__module__]
                for name, encoded in zip(
                    shape.__struct_fields__, shape.__struct_encode_fields__, strict=True
                ):
                    if (each.__name__, name) in said:
                        found.setdefault((shape.__name__, encoded), said[each.__name__, name])
    return found


def _read_module(module: ModuleType) -> dict[tuple[str, str], str]:
    found = {}
    owner, said = "", list[str]()
    # Not inspect, which parses the module anew for every class of it.
    for line in linecache.getlines(module.__file__ or ""):
        if begins := CLASS.match(line):
            owner = begins[1]
        if comment := COMMENT.match(line):
            said.append(comment[1])
            continue
        if (field := FIELD.match(line)) and said:
            found[owner, field[1]] = " ".join(said)
        said = []
    return found


def list_shapes(roots: Iterable[type[msgspec.Struct]]) -> list[type[msgspec.Struct]]:
    """Every Struct that these are made of."""
    found: dict[type[msgspec.Struct], None] = {}

    def visit(info: Any) -> None:
        if isinstance(info, msgspec.inspect.StructType):
            if info.cls in found:
                return
            found[info.cls] = None
            for field in info.fields:
                visit(field.type)
            return
        for name in ("item_type", "key_type", "value_type", "type"):
            if (inner := getattr(info, name, None)) is not None:
                visit(inner)
        for each in (*getattr(info, "types", ()), *getattr(info, "item_types", ())):
            visit(each)

    for info in msgspec.inspect.multi_type_info(list(dict.fromkeys(roots))):
        visit(info)
    return list(found)


def decode_example(answer: Any, type_of: type[msgspec.Struct]) -> Any:
    """An answer as its type. Refuses what has a field more than the type, or one less."""
    typed = msgspec.convert(answer, type_of)
    if (written := msgspec.json.decode(encode_json(typed))) != answer:
        raise ValueError(f"{type_of.__name__} is {written}, not {answer}")
    return typed
