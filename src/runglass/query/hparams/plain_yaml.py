"""YAML as plain values. Unknown tags such as !!python/object become text: nothing is ever built from them.

Imported only when there is a YAML file.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from runglass.query.hparams.model import TooMuch

Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAX_ALIASES = 1_000
MAX_MERGED = 5_000
# PyYAML reads 1e-3 as a string, because YAML 1.1 wants a point in it. Everybody means a number.
EXPONENT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$")


class PlainLoader(Base):  # type: ignore[misc]
    """The safe loader, with its own tables of constructors and resolvers."""

    def flatten_mapping(self, node: Any) -> None:
        """`<<: *other`. Mappings that merge mappings that merge mappings would grow without end."""
        super().flatten_mapping(node)
        if len(node.value) > MAX_MERGED:
            raise TooMuch(f"More than {MAX_MERGED:,} names in one mapping")


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


def load_yaml(text: str, *, max_depth: int) -> Any:
    """Raises TooMuch for what is nested deeper: libyaml's composer would overflow the C stack and end the process."""
    depth = aliases = 0
    for event in yaml.parse(text, Loader=PlainLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > max_depth:
                raise TooMuch(f"Nested more than {max_depth} deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
            if aliases > MAX_ALIASES:
                raise TooMuch(f"More than {MAX_ALIASES:,} aliases")
    return yaml.load(text, Loader=PlainLoader)
