"""The metadata of the mesh plugin. The parts of one mesh are up to three series with the same `name`."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from runglass.native.wire import Field, Message, WireError, decode


class MeshPart(IntEnum):
    """MeshPluginData.content_type; `components` has the bit 1 << part for each logged part."""

    UNDEFINED = 0
    VERTEX = 1
    FACE = 2
    COLOR = 3


MESH_PLUGIN = Message(
    "MeshPluginData",
    Field(1, "version", "int32"),
    Field(2, "name", "string"),
    Field(3, "content_type", "enum"),
    Field(5, "json_config", "string"),
    Field(6, "shape", "int32", repeated=True),
    Field(7, "components", "uint32"),
)


def parse_mesh_plugin(content: bytes) -> dict[str, Any]:
    """The metadata of a part; empty if it cannot be decoded, because the numbers may still be good."""
    try:
        return decode(MESH_PLUGIN, content)
    except WireError:
        return {}
