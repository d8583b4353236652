"""Turns example inputs into the arguments of a call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Mapping
from typing import Any

BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def call_arguments(function: Callable[..., Any], inputs: object) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A tuple or a list holds the arguments; so does a mapping whose keys are parameter names.

    Anything else is the only argument, even a mapping with other keys or a named tuple.
    """
    if type(inputs) in (tuple, list):
        return tuple(inputs), {}  # type: ignore[arg-type]
    if isinstance(inputs, Mapping) and set(inputs) <= set(parameter_names(function, BY_NAME)):
        return (), dict(inputs)
    return (inputs,), {}


def parameter_names(function: Callable[..., Any], kinds: Container[Any]) -> list[str]:
    """In order; empty if Python cannot tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [each.name for each in parameters if each.kind in kinds]
