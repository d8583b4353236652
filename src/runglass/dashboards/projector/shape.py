"""What the projector's routes and jobs take and answer, as types. Holds no logic.

What is one number per point is sent in the column format: its head lists the blocks by name, type and length.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from runglass.api.answers import Number

MAX_TEXTS = 5_000
MAX_TILES = 1_024
MAX_NEIGHBORS = 1_000
MAX_ENCODED_ROWS = 8_000_000

Step = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Row = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Count = Annotated[int, Meta(ge=1, le=MAX_NEIGHBORS)]
Metric = Literal["cosine", "euclidean"]
Method = Literal["pca", "tsne", "umap", "custom"]
Prepare = Literal["none", "centre", "unit", "spherize", "whiten"]
SearchMode = Literal["text", "pattern", "exact"]
ColumnType = Literal["number", "category", "text"]
EncodedRows = Annotated[
    Annotated[str, Meta(max_length=MAX_ENCODED_ROWS)] | None,
    Meta(description="Base64 of int32 row numbers. Null: all rows."),
]


class EmbeddingRef(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An embedding: of a run by name, at a step or the newest; or a file that was sent before."""

    run: str | None = None
    name: str | None = None
    step: Step | None = None
    file: str | None = None


class ListedEmbedding(Struct, frozen=True, kw_only=True):
    run: str
    name: str
    steps: Annotated[list[int], Meta(description="Ascending; none where it has no steps.")]
    rows: Annotated[int | None, Meta(description="Null: unknown before the file is read.")]
    dimensions: int | None
    dtype: str
    path: Annotated[str, Meta(description="Of the vectors, or of the checkpoint.")]
    # Whether it has labels.
    has_metadata: bool
    # Whether it has thumbnails.
    has_sprite: bool
    # Whether TensorBoard's bookmarks were saved with it.
    has_bookmarks: bool
    is_offered: Annotated[bool, Meta(description="Found in a checkpoint that no configuration names.")]
    problem: str | None


class EmbeddingList(Struct, frozen=True):
    generation: int
    embeddings: list[ListedEmbedding]


class FileQuery(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(description="Of the file; its ending helps where its content does not tell.")]


class LabelsQuery(FileQuery, frozen=True, forbid_unknown_fields=True):
    file: Annotated[str, Meta(description="The token of the vectors.")]


class EmbeddingFile(Struct, frozen=True):
    """Vectors that were sent: kept in memory, for whoever knows the token, until others push them out."""

    file: str
    rows: int
    dimensions: int


class EmbeddingBody(Struct, frozen=True, forbid_unknown_fields=True):
    embedding: EmbeddingRef


class ColumnAbout(Struct, frozen=True, kw_only=True):
    name: str
    type: ColumnType
    distinct: int
    missing: int
    is_categorical: Annotated[
        bool,
        Meta(description="Best coloured as categories: also few whole numbers, which are names of classes."),
    ]
    is_logged: Annotated[
        bool, Meta(description="Logged by the run for each row, at the step of the embedding.")
    ]
    min: Annotated[Number | None, Meta(description="Of numbers, the finite ones.")]
    max: Number | None


class SpriteAbout(Struct, frozen=True):
    width: Annotated[int, Meta(description="Of one picture, in pixels.")]
    height: int
    count: int


class AboutAnswer(Struct, frozen=True, kw_only=True):
    rows: int
    dimensions: int
    dtype: str
    step: Annotated[int | None, Meta(description="The one that is shown; null where it has no steps.")]
    steps: list[int]
    columns: list[ColumnAbout]
    label: Annotated[str | None, Meta(description="The column to name points by.")]
    color: Annotated[str | None, Meta(description="The column to colour points by.")]
    # Thumbnails of the points; null without any.
    sprite: SpriteAbout | None
    has_sequences: Annotated[bool, Meta(description='Read them as the column "__next__".')]
    left_out: Annotated[
        int | None,
        Meta(
            description="Rows with a number that is not finite; null: too large to be counted before a reduction."
        ),
    ]
    problems: list[str]
    paths: list[str]
    bookmarks: Annotated[list[Any] | None, Meta(description="As TensorBoard wrote them.")]


class ColumnBody(EmbeddingBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    column: str


class ColumnAnswer(Struct, frozen=True, kw_only=True):
    """The head of a column. Blocks: `codes` (int32, -1: missing) of `levels`; of numbers `values` (float64); of "__next__"
    `next` (int32, -1: none).
    """

    type: Literal["number", "category", "text", "sequence"]
    levels: list[str]


class PointTextsBody(ColumnBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    rows: Annotated[list[Row], Meta(max_length=MAX_TEXTS)]


class PointTexts(Struct, frozen=True):
    texts: list[str | None]


class PointBody(EmbeddingBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    row: Row


class PointAnswer(Struct, frozen=True, kw_only=True):
    row: int
    values: dict[str, Number | str | None]
    # Whether it has a thumbnail.
    has_picture: bool
    norm: Annotated[Number, Meta(description="Length of the vector.")]


class ThumbnailsQuery(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    run: str | None = None
    name: str | None = None
    step: Step | None = None
    file: str | None = None
    size: Annotated[int, Meta(ge=4, le=256, description="Pixels of a tile.")] = 32
    rows: Annotated[str, Meta(description="Comma-separated; ranges as 0-63.")]


class ThumbnailsBody(EmbeddingBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    rows: Annotated[list[Row], Meta(min_length=1, max_length=MAX_TILES)]
    # Edge of a thumbnail in pixels.
    size: Annotated[int, Meta(ge=4, le=256)] = 32


class PointSearchBody(EmbeddingBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    q: Annotated[str, Meta(max_length=10_000)]
    column: Annotated[str | None, Meta(description="Null: any column.")] = None
    mode: Annotated[
        SearchMode,
        Meta(description="Text that it contains, in any case; a regular expression; the whole value."),
    ] = "text"
    limit: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="Null: all matches.")] = None


class PointMatches(Struct, frozen=True):
    """The head of the matches. Block: `rows` (int32), ascending."""

    count: Annotated[int, Meta(description="Of all matches, also beyond the limit.")]


class NeighborsBody(PointBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    count: Count = 10
    metric: Metric = "cosine"


class NeighborsAnswer(Struct, frozen=True):
    rows: Annotated[list[int], Meta(description="The nearest first, without the point itself.")]
    distances: list[Number]


class DistancesBody(EmbeddingBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    # Row of the first point.
    a: Row
    # Row of the second point.
    b: Row


class DistancesAnswer(Struct, frozen=True):
    # Cosine distance, from 0 to 2.
    cosine: Number
    # Euclidean distance.
    euclidean: Number


class KeptBody(PointBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The step of the embedding is not looked at."""

    count: Count = 10
    metric: Metric = "cosine"


class KeptAnswer(Struct, frozen=True):
    steps: list[int]
    kept: Annotated[
        list[int | None],
        Meta(
            description="How many of the neighbours at the step before are neighbours still; null at the first."
        ),
    ]


class Reducing(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How vectors are reduced to positions."""

    method: Method = "pca"
    dimensions: Annotated[int, Meta(ge=1, le=3, description="PCA has ten components whatever this says.")] = 2
    metric: Metric = "cosine"
    prepare: Prepare = "none"
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0
    perplexity: Annotated[
        Annotated[float, Meta(ge=1, le=300)] | None, Meta(description="Null: by the number of points.")
    ] = None
    learning_rate: Annotated[
        Annotated[float, Meta(gt=0, le=1e6)] | None, Meta(description="Null: by the number of points.")
    ] = None
    early_exaggeration: Annotated[float, Meta(ge=1, le=100)] = 12.0
    iterations: Annotated[int, Meta(ge=1, le=100_000, description="Of t-SNE.")] = 750
    neighbors: Annotated[int, Meta(ge=2, le=500, description="Of UMAP.")] = 15
    min_dist: Annotated[float, Meta(ge=0, le=0.99)] = 0.1
    epochs: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)] | None,
        Meta(description="Of UMAP. Null: by the number of points."),
    ] = None
    rows: EncodedRows = None


class Supervise(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Pull points together that have the same value of a column."""

    column: str
    weight: Annotated[float, Meta(ge=0, le=1, description="0: not at all; 1: as far as the method can.")] = (
        0.5
    )
    ignored: Annotated[str | None, Meta(description="Points with this value are not supervised.")] = None


class AxisEnd(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Some points: those that a search finds, given ones (also those that a pattern found), or those with a value of a column."""

    q: str | None = None
    # How `q` is searched for: in the text, or as the whole of it.
    mode: Literal["text", "exact"] = "text"
    column: Annotated[str | None, Meta(description="Where to search (null: everywhere), or whose value.")] = (
        None
    )
    value: Annotated[str | None, Meta(description="With `column`.")] = None
    rows: EncodedRows = None


class CustomAxis(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename={"from_": "from"}):
    """From the centre of some points to the centre of others."""

    # The points it begins at.
    from_: AxisEnd
    # The points it ends at.
    to: AxisEnd


class CustomAxes(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    # The horizontal axis.
    x: CustomAxis
    # The vertical axis; null for none.
    y: CustomAxis | None = None
    # The third axis; null for none.
    z: CustomAxis | None = None


class ReduceBody(Reducing, frozen=True, forbid_unknown_fields=True, kw_only=True):
    embedding: EmbeddingRef
    supervise: Supervise | None = None
    axes: Annotated[CustomAxes | None, Meta(description="Of `custom`.")] = None
    start: Annotated[
        str | None,
        Meta(
            description="The id of a job: go on from its positions, the newest if it was cancelled or still runs."
        ),
    ] = None
    perturb: Annotated[
        float, Meta(ge=0, le=1, description="With `start`: noise, as a part of the spread of the positions.")
    ] = 0.0


class ReduceAnswer(Struct, frozen=True, kw_only=True):
    """The head of a reduction. Blocks: `positions` (float32, `dimensions` numbers for each row after each other); `rows` (int32)
    unless all rows have a position; of PCA `variance` (float64, the part of the total that each component has).
    """

    method: Method
    dimensions: Annotated[int, Meta(description="Numbers per row: of PCA, its components.")]
    count: Annotated[int, Meta(description="Rows with a position.")]
    iterations: int
    seconds: float
    left_out: Annotated[int, Meta(description="Rows with a number that is not finite.")]
    matches: Annotated[
        dict[str, tuple[int, int]], Meta(description="Of custom axes: points at either end of each.")
    ]
    notes: list[str]
    problems: list[str]


class ReducePartial(Struct, frozen=True, kw_only=True):
    """The head of positions on the way. Blocks as of the result."""

    method: Method
    dimensions: int
    count: int
    done: int
    total: int | None


class MovieBody(Reducing, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All steps of an embedding, aligned."""

    run: str
    name: str
    supervise: Supervise | None = None
    # Custom axes, with the method custom; null for the others.
    axes: CustomAxes | None = None
    components: Annotated[
        Annotated[list[Annotated[int, Meta(ge=0, le=9)]], Meta(min_length=1, max_length=3)] | None,
        Meta(description="Of PCA, one for each dimension. Null: the first."),
    ] = None
    neighbors_kept: Annotated[int, Meta(ge=1, le=100, description="Of each point, to see which change.")] = 10


class MovieAnswer(Struct, frozen=True, kw_only=True):
    """The head of a movie. Blocks: `positions` (float32: steps × rows × dimensions), `rows` (int32) unless all rows have positions,
    `movement` (float64: mean way of a point per step, 0 at the first), `moved` (float32: way of each point over all steps), `changed`
    (float32: part of the neighbours of each point that changed, mean over steps), `kept` (float64: part of the neighbours that were
    kept, mean over points, per step).
    """

    method: Method
    dimensions: int
    count: int
    steps: list[int]
    seconds: float
    # Rows that are not in every step.
    left_out: int
    notes: list[str]
    problems: list[str]


class MoviePartial(Struct, frozen=True, kw_only=True):
    """The head of one more step. Blocks: `positions` (float32: rows × dimensions), `rows` as of the result."""

    method: Method
    dimensions: int
    count: int
    # Place of the step among all steps.
    step_index: int
    steps: list[int]


class ClustersBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    embedding: EmbeddingRef
    job: Annotated[str, Meta(description="The id of a reduction.")]
    axes: Annotated[
        list[Annotated[int, Meta(ge=0, le=9)]],
        Meta(min_length=1, max_length=3, description="Which of its dimensions are shown."),
    ] = field(default_factory=lambda: [0, 1])
    column: Annotated[str | None, Meta(description="To name clusters by. Null: the label.")] = None


class Cluster(Struct, frozen=True, kw_only=True):
    # Points in the cluster.
    size: int
    center: Annotated[list[float], Meta(description="On the axes that are shown.")]
    name: str
    words: Annotated[list[str], Meta(description="The most distinctive of its texts, the first is the name.")]


class ClustersAnswer(Struct, frozen=True):
    """The head of the clusters, the largest first. Block: `codes` (int32 for each position of the reduction, -1: in none)."""

    clusters: list[Cluster]


class ExportQuery(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    run: str | None = None
    name: str | None = None
    step: Step | None = None
    file: str | None = None
    job: Annotated[str, Meta(description="The id of a reduction.")]
    format: Literal["csv", "npz", "parquet"] = "csv"
