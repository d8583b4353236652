"""What the graph routes take and answer, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from runglass.query.graphs.levels import Level
from runglass.query.graphs.structure import StructureView

Step = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
MAX_GROUPS = 1_000


class GraphRef(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A graph: of a run by name, at a step or the newest; or a file that was sent before."""

    run: str | None = None
    name: str | None = None
    step: Step | None = None
    file: str | None = None


class ListedGraph(Struct, frozen=True):
    run: str
    name: str
    format: str
    steps: Annotated[list[int], Meta(description="At which it was logged; none for files.")]
    is_asset: bool
    has_profile: bool


class GraphList(Struct, frozen=True):
    generation: int
    graphs: list[ListedGraph]


class LevelsBody(Struct, frozen=True, forbid_unknown_fields=True):
    graph: GraphRef
    groups: Annotated[list[str], Meta(max_length=MAX_GROUPS)] = field(default_factory=lambda: [""])
    depth: Annotated[int, Meta(ge=1, le=64)] = 1
    limit: Annotated[int, Meta(ge=1, le=20_000)] = 1_000
    view: StructureView = StructureView()


class NameCount(Struct, frozen=True):
    name: str
    count: int


class GraphFacts(Struct, frozen=True, kw_only=True):
    nodes: int
    edges: int
    parameters: int | None
    flops: float | None
    functions: int
    depth: Annotated[int, Meta(description="Levels of groups.")]
    format: str
    problems: list[str]
    ops: Annotated[list[NameCount], Meta(description="The most frequent first.")]
    devices: list[NameCount]
    dtypes: list[NameCount]
    clusters: list[NameCount]
    measures: Annotated[
        list[str], Meta(description="Those that are known: time, memory, parameters, flops, tpu.")
    ]


class LevelsAnswer(Struct, frozen=True):
    graph: GraphFacts
    levels: list[Level]
