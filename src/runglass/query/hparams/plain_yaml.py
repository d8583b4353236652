"""YAML as plain values. Unknown tags such as !!python/object become text: nothing is ever built from them.

Imported only when there is a YAML file.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# PyYAML reads 1e-3 as a string, because YAML 1.1 wants a point in it. Everybody means a number.
EXPONENT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$")


class PlainLoader(Base):  # type: ignore[misc]
    """The safe loader, with its own tables of constructors and resolvers."""


def _with_tag(loader: Any, suffix: str, node: Any) -> Any:
    """What stands behind an unknown tag, named by the tag."""
    tag = node.tag.replace("tag:yaml.org,2002:", "!!")
    if isinstance(node, yaml.ScalarNode):
        return f"{tag} {node.value}".rstrip()
    if not node.value:
        return tag
    if isinstance(node, yaml.SequenceNode):
        return {tag: loader.construct_sequence(node, deep=True)}
    return {tag: loader.construct_mapping(node, deep=True)}


def _as_written(loader: Any, node: Any) -> Any:
    return node.value


PlainLoader.add_multi_constructor("", _with_tag)
# Dates stay as they were written.
for name in ("timestamp", "binary"):
    PlainLoader.add_constructor(f"tag:yaml.org,2002:{name}", _as_written)
PlainLoader.add_implicit_resolver("tag:yaml.org,2002:float", EXPONENT, list("-+.0123456789"))


def load_yaml(text: str) -> Any:
    return yaml.load(text, Loader=PlainLoader)
