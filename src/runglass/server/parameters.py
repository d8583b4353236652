"""Parses query strings and JSON bodies into the Struct of a route, or raises BadRequest with the name of the parameter."""

from __future__ import annotations

import types
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl

import msgspec

from runglass.errors import BadRequest

T = TypeVar("T", bound=msgspec.Struct)

# Colab's proxy adds it to every request.
ADDED_BY_PROXIES = frozenset({"authuser"})


def parse_query(query_string: str, shape: type[T]) -> T:
    """A parameter may repeat if its type is a list."""
    lists = _list_fields(shape)
    given: dict[str, Any] = {}
    for name, value in parse_qsl(query_string, keep_blank_values=True):
        if name in ADDED_BY_PROXIES:
            continue
        if name in lists:
            given.setdefault(name, []).append(value)
        elif name in given:
            raise BadRequest(f"Parameter `{name}` is given more than once.", where=name)
        else:
            given[name] = value
    try:
        return msgspec.convert(given, shape, strict=False)
    except msgspec.ValidationError as error:
        raise _bad_request(error, shape, "Parameter") from None


def parse_body(body: bytes, shape: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.ValidationError as error:
        raise _bad_request(error, shape, "Field") from None
    # RecursionError: a body of many opening brackets.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"The body is not JSON: {error}.", where="body") from None


def _bad_request(error: msgspec.ValidationError, shape: type[msgspec.Struct], word: str) -> BadRequest:
    text, _, path = str(error).partition(" - at `")
    where = path.rstrip("`").removeprefix("$").removeprefix(".")
    if "unknown field" in text or "missing required field" in text:
        known = ", ".join(shape.__struct_fields__) if not where else ""
        where = text.split("`")[1]
        does = "is missing" if "missing" in text else "is unknown"
        return BadRequest(f"{word} `{where}` {does}.{f' It takes: {known}.' if known else ''}", where=where)
    if not where:
        return BadRequest(f"{text}.", where="body")
    choices = _choices(shape, where) if "enum value" in text else ()
    expected = f" Expected one of: {', '.join(choices)}." if choices else ""
    return BadRequest(f"{word} `{where}`: {text}.{expected}", where=where)


def _choices(shape: type[msgspec.Struct], where: str) -> list[str]:
    """What the field at this path may be.  "smoothing.kind" -> ["ema", "gaussian", …]"""
    info: Any = msgspec.inspect.type_info(shape)
    for name in where.split("."):
        structs = [each for each in _parts(info) if isinstance(each, msgspec.inspect.StructType)]
        info = next(
            (
                field.type
                for each in structs
                for field in each.fields
                if field.encode_name == name.split("[")[0]
            ),
            None,
        )
    found: list[str] = []
    for each in _parts(info):
        if isinstance(each, msgspec.inspect.LiteralType):
            found += map(str, each.values)
        elif isinstance(each, msgspec.inspect.EnumType):
            found += [str(member.value) for member in each.cls]
    return found


def _parts(info: Any) -> list[Any]:
    """A type without what is around it: unions, lists, annotations."""
    if isinstance(info, msgspec.inspect.UnionType):
        return [part for each in info.types for part in _parts(each)]
    if isinstance(info, msgspec.inspect.Metadata):
        return _parts(info.type)
    return _parts(info.item_type) if isinstance(info, msgspec.inspect.ListType) else [info]


@cache
def _list_fields(shape: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(name for name, hint in get_type_hints(shape).items() if _is_list(hint))


def _is_list(hint: Any) -> bool:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(_is_list(each) for each in get_args(hint))
    return hint is list or origin is list
