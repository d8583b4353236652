"""Makes the OpenAPI document from route declarations and their types. The same routes give the same bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from runglass.api.route import BYTES, COLUMNS, CSV, EVENTS, JSON, Route
from runglass.jobs.work import Work
from runglass.server.problems import ErrorAnswer

REF = "#/components/schemas/"
Shape = type[msgspec.Struct]


class Document(msgspec.Struct, frozen=True):
    # Version of OpenAPI.
    openapi: str
    # What the document is about.
    info: dict[str, Any]
    # The routes.
    paths: dict[str, Any]
    # The types, answers and ways to sign in that routes refer to.
    components: dict[str, Any]


def make_document(
    routes: Sequence[Route], works: Sequence[Work] = (), *, version: str = ""
) -> dict[str, Any]:
    """Questions and results of works are described among the schemas, where clients find their types."""
    shapes = list_roots(routes, works)
    found, schemas = msgspec.json.schema_components(shapes, ref_template=REF + "{name}")
    # A schema is named after its class, but two classes of one name both get longer names.
    refs = dict(zip(shapes, found, strict=True))
    paths: dict[str, Any] = {}
    for route in sorted(routes, key=lambda route: (route.path, route.method)):
        operations = paths.setdefault(route.path, {})
        operations[route.method.lower()] = _operation(route, refs, schemas, is_second=bool(operations))
    # Query types are listed as parameters already; their schemas stay only where a body refers to them.
    for name in {_name(refs[route.query]) for route in routes}:
        if f'"{REF}{name}"' not in json.dumps([paths, schemas]):
            schemas.pop(name)
    works_of = {
        work.name: {
            part: refs[shape]
            for part, shape in (
                ("question", work.question),
                ("result", work.result),
                ("partial", work.partial),
            )
            if shape is not None
        }
        for work in works
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Runglass",
            "version": version,
            "description": "Paths are relative to the server's path prefix. Numbers that are not finite are the strings"
            ' "NaN", "Infinity" and "-Infinity"; steps are integers.',
        },
        "paths": paths,
        # What POST /api/jobs takes and its routes answer.
        "x-works": works_of,
        "components": {"schemas": {name: schemas[name] for name in sorted(schemas)}},
    }


def list_roots(routes: Sequence[Route], works: Sequence[Work]) -> list[Shape]:
    """The types that requests and answers are."""
    shapes: list[Shape] = [
        ErrorAnswer,
        *(route.answer for route in routes),
        *(route.query for route in routes),
    ]
    shapes += [route.body for route in routes if route.body is not None]
    shapes += [
        shape for work in works for shape in (work.question, work.result, work.partial) if shape is not None
    ]
    return shapes


def encode_document(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def _operation(
    route: Route, refs: dict[Shape, Any], schemas: dict[str, Any], *, is_second: bool
) -> dict[str, Any]:
    content = {
        media_type: {"schema": _answer_schema(refs[route.answer], media_type)}
        for media_type in route.media_types
    }
    operation: dict[str, Any] = {
        "operationId": route.path.removeprefix("/api/").replace("/", "_").replace(".", "_")
        # Of two operations on one path only one can be named after it.
        + (f"_{route.method.lower()}" if is_second else ""),
        "summary": (route.handler.__doc__ or "").strip().partition("\n")[0],
    }
    if parameters := _parameters(schemas[_name(refs[route.query])]):
        operation["parameters"] = parameters
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": refs[route.body]}}}
    elif route.upload_bytes is not None:
        binary = {"type": "string", "format": "binary"}
        operation["requestBody"] = {"required": True, "content": {BYTES: {"schema": binary}}}
    error = {"description": "What went wrong.", "content": {JSON: {"schema": refs[ErrorAnswer]}}}
    operation["responses"] = {"200": {"description": "The answer.", "content": content}, "default": error}
    return operation


def _answer_schema(ref: dict[str, Any], media_type: str) -> dict[str, Any]:
    if media_type == JSON:
        return ref
    if media_type == CSV:
        return {"type": "string"}
    if media_type == EVENTS:
        return {
            "type": "string",
            "description": f"Events whose data is a {_name(ref)}.",
            "contentSchema": ref,
        }
    if media_type == COLUMNS:
        return {"type": "string", "format": "binary", "contentSchema": ref}
    return {"type": "string", "format": "binary"}


def _name(ref: dict[str, Any]) -> str:
    return str(ref["$ref"]).removeprefix(REF)


def _parameters(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """A parameter is left out rather than null, so its type has no null."""
    parameters = []
    for name, field in schema["properties"].items():
        field = dict(field)
        choices = [each for each in field.pop("anyOf", []) if each != {"type": "null"}]
        if len(choices) == 1:
            field.update(choices[0])
        elif choices:
            field["anyOf"] = choices
        if field.get("default", 0) is None:
            del field["default"]
        parameter: dict[str, Any] = {"name": name, "in": "query", "required": name in schema["required"]}
        if description := field.pop("description", None):
            parameter["description"] = description
        parameters.append({**parameter, "schema": field})
    return parameters
