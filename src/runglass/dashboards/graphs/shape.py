"""What the graph routes take and answer, as types. Holds no logic. What query/graphs/ answers is sent as it is."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from runglass.api.answers import Number
from runglass.query.graphs.families import FamilyKind, Statistic
from runglass.query.graphs.levels import Level
from runglass.query.graphs.measures import Measure
from runglass.query.graphs.paint import Counts
from runglass.query.graphs.structure import StructureView
from runglass.query.graphs.trace import Direction

Step = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
MAX_GROUPS = 1_000
MAX_SHOWN = 50_000
Shown = Annotated[list[str], Meta(max_length=MAX_SHOWN, description="Ids that are drawn now.")]


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
    steps: Annotated[list[int], Meta(description="At which it was logged, oldest first; none for files.")]
    # Whether it is a file, and not logged in an event file.
    is_asset: bool
    # Whether run metadata with times was logged with it.
    has_profile: bool


class GraphList(Struct, frozen=True):
    generation: int
    graphs: list[ListedGraph]


class FileQuery(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(description="Of the file; its ending helps where its content does not tell.")]


class GraphFile(Struct, frozen=True):
    """A file that was sent: kept in memory, for whoever knows its token, until others push it out."""

    file: str
    format: str
    nodes: int


class GraphBody(Struct, frozen=True, forbid_unknown_fields=True):
    graph: GraphRef


class LevelsBody(GraphBody, frozen=True, forbid_unknown_fields=True):
    groups: Annotated[list[str], Meta(max_length=MAX_GROUPS)] = field(default_factory=lambda: [""])
    depth: Annotated[
        int, Meta(ge=1, le=64, description="1: these groups alone; 2: with the groups in them; and so on.")
    ] = 1
    limit: Annotated[
        int,
        Meta(ge=1, le=20_000, description="Of nodes in all levels; groups that were asked for always come."),
    ] = 1_000
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
    # Types of elements, the most frequent first.
    dtypes: list[NameCount]
    clusters: list[NameCount]
    measures: Annotated[
        list[str], Meta(description="Those that are known: time, memory, parameters, flops, tpu.")
    ]


class LevelsAnswer(Struct, frozen=True):
    graph: GraphFacts
    levels: list[Level]


class NodeBody(GraphBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    id: str
    view: StructureView = StructureView()


class AttributeBody(GraphBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    id: str
    name: str
    view: StructureView = StructureView()


class WholeAttribute(Struct, frozen=True):
    text: Annotated[str, Meta(description="At most 4 MB of it.")]


class SearchBody(GraphBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    q: str
    limit: Annotated[int, Meta(ge=0, le=10_000)] = 200
    view: StructureView = StructureView()


class PatternBody(GraphBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    q: str
    view: StructureView = StructureView()


class TraceBody(GraphBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    id: str
    direction: Direction
    to: Annotated[str | None, Meta(description="path: the other end.")] = None
    shown: Shown = []
    view: StructureView = StructureView()


class PaintBy(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A family of tags, or values of named nodes."""

    # A family of tags; null for values.
    family: str | None = None
    run: Annotated[
        str | None, Meta(description="Null: the graph's own, or the first that has the family.")
    ] = None
    statistic: Annotated[Statistic, Meta(description="Of histograms.")] = "mean"
    values: Annotated[dict[str, float] | None, Meta(description="By name of a node or module.")] = None


class PaintBody(GraphBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    by: Annotated[
        Measure | PaintBy, Meta(description="What nodes take or hold, or what is known of them by name.")
    ]
    step: Annotated[Step | None, Meta(description="The last value up to it; null: the last of all.")] = None
    shown: Shown = []
    node: Annotated[str | None, Meta(description="Whose values over steps are wanted.")] = None
    # How many nodes to rank.
    top: Annotated[int, Meta(ge=0, le=1_000)] = 50
    view: StructureView = StructureView()


class RankedNode(Struct, frozen=True):
    id: str
    label: str
    where: str
    value: Number


class NodeCurve(Struct, frozen=True):
    tag: str
    steps: list[int]
    values: list[Number]


class PaintAnswer(Struct, frozen=True, kw_only=True):
    unit: str
    steps: list[int]
    step: int | None
    values: Annotated[
        list[Number | None],
        Meta(
            description="Of each shown id. A group has the sum of what nodes take or hold, else its largest value."
        ),
    ]
    min: float | None
    max: float | None
    # How the numbers are distributed; null without any.
    histogram: Counts | None
    # The nodes with the largest numbers, the first the largest.
    ranking: list[RankedNode]
    # The curve of one node; null where none was asked for.
    series: NodeCurve | None
    matched: int
    # How many have no node.
    unmatched: int


class FamilyAnswer(Struct, frozen=True):
    id: str
    label: str
    kind: FamilyKind
    matched: int
    tags: int
    run: str


class FamiliesAnswer(Struct, frozen=True):
    families: list[FamilyAnswer]


class DifferenceBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    a: GraphRef
    b: GraphRef
    shown_a: Shown = []
    shown_b: Shown = []
    view: StructureView = StructureView()


class TableQuery(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    run: str
    name: Annotated[str | None, Meta(description="Of the graph; default: the first of the run.")] = None
    step: Step | None = None
    format: Literal["json", "csv"] = "json"
