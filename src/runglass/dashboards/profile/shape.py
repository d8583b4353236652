"""What the profile's routes and jobs take and answer, as types. Holds no logic.

Times are picoseconds since the origin of the trace; of a pprof profile, bytes. What is one number per event is sent in the column format:
its head lists the blocks by name, type and length.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from runglass.api.answers import Number
from runglass.query.profiles.analysis.model import (
    AliveRow,
    Finding,
    KernelRow,
    OpRow,
    OpsBy,
    RegionSum,
    Saving,
    StepRow,
    Suspect,
)
from runglass.query.profiles.analysis.tree import TreeBy
from runglass.query.profiles.model import Meaning, Place, SessionKind, TrackKind, Unit

MAX_TRACKS = 4_096
MAX_WIDTH = 16_384
MAX_ROWS = 100_000
# Of the steps of a profile that are sent at once: as many as a chart has room for.
MAX_STEPS = 2_000

Moment = Annotated[float, Meta(ge=-9.2e18, le=9.2e18)]
EventId = Annotated[int, Meta(ge=0, le=2**31 - 1)]
TrackId = Annotated[int, Meta(ge=0, le=2**31 - 1)]
StepNumber = Annotated[int, Meta(ge=-(2**53), le=2**53)]
Width = Annotated[int, Meta(ge=1, le=MAX_WIDTH, description="Pixels.")]
Limit = Annotated[int, Meta(ge=1, le=MAX_ROWS)]
Tracks = Annotated[list[TrackId], Meta(max_length=MAX_TRACKS)]


class ProfileRef(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A profile: a session of a run, or a file that was sent before."""

    run: str | None = None
    session: str | None = None
    file: str | None = None


class ListedProfile(Struct, frozen=True, kw_only=True):
    run: str
    session: str
    kind: SessionKind
    files: Annotated[list[str], Meta(description="Below the run's directory.")]
    workers: Annotated[list[str], Meta(description="Hosts or ranks.")]
    size_bytes: int
    time_s: Annotated[float, Meta(description="When its newest file was written, in seconds since 1970.")]
    first_step: Annotated[
        int | None,
        Meta(description="Null: it has no steps, or it was not opened yet and is too large to look."),
    ]
    last_step: int | None
    problem: str | None


class ProfileList(Struct, frozen=True):
    generation: int
    sessions: list[ListedProfile]


class ProfileFileQuery(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(description="Of the file; its ending helps where its content does not tell.")]


class ProfileFile(Struct, frozen=True):
    """A trace that was sent: kept for whoever knows the token, until others push it out."""

    file: str


class TraceTrack(Struct, frozen=True, kw_only=True):
    id: int
    # Name of the process.
    process: str
    # Id of the process.
    process_id: str
    name: Annotated[
        str, Meta(description="What it is called: by its thread or stream, without a number that is a hash.")
    ]
    # Name of the thread or stream, as in the file.
    thread: str
    # Id of the thread or stream.
    thread_id: str
    kind: TrackKind
    place: Place
    device: Annotated[int | None, Meta(description="Number of the device; null on the host.")]
    host: str
    # What the profiler says of the process.
    labels: str
    rows: Annotated[int, Meta(description="Events of one row do not overlap.")]
    events: int
    # Number of its first event; the others follow.
    first_event: int
    busy_ps: Annotated[int, Meta(description="Duration of the outermost events.")]


class TraceCounter(Struct, frozen=True, kw_only=True):
    id: int
    track: int
    name: str
    unit: Annotated[str, Meta(description='"bytes", "%", or empty.')]
    min: Number
    max: Number
    # How many samples it has.
    samples: int


class TraceStep(Struct, frozen=True, kw_only=True, gc=False):
    number: int
    name: str
    start_ps: int
    end_ps: int
    host: str


class TraceDevice(Struct, frozen=True, kw_only=True):
    id: int
    host: str
    name: str
    # Its memory; null where the profile does not tell.
    memory_bytes: int | None
    # Compute capability; null where the profile does not tell.
    capability: str | None
    # Its multiprocessors; null where the profile does not tell.
    processors: int | None
    # Operations per second that it can do; null where that is not known.
    peak_flops: float | None
    # Bytes per second from its memory; null where that is not known.
    bandwidth_bytes: float | None


class TraceCategory(Struct, frozen=True, kw_only=True):
    """Categories are numbered in the order of this list."""

    name: Annotated[str, Meta(description="As the file calls it; there may be several of one name.")]
    meaning: Annotated[Meaning, Meta(description="What its events do, as category, name and place tell.")]
    place: Place
    events: int


class AboutProfile(Struct, frozen=True, kw_only=True):
    """The result of the job `profile.open`."""

    kind: SessionKind
    unit: Unit
    origin_ns: Annotated[
        str | None, Meta(description="Unix nanoseconds of time 0, in digits; null: unknown.")
    ]
    end_ps: int
    busy_from_ps: Annotated[
        int,
        Meta(description="From the first to the last event that takes time, on host threads and devices."),
    ]
    # Where the last event ends.
    busy_to_ps: int
    events: int
    tracks: Annotated[list[TraceTrack], Meta(description="In the order in which they are read.")]
    counters: list[TraceCounter]
    steps: list[TraceStep]
    # Why there are no steps, or how they were found; null if there is nothing to say.
    steps_note: str | None
    categories: list[TraceCategory]
    devices: list[TraceDevice]
    hosts: list[str]
    files: list[str]
    problems: list[str]
    clocks_differ: Annotated[bool, Meta(description="Hosts could not be put on one clock; each begins at 0.")]
    flows: Annotated[dict[str, int], Meta(description="How many there are of each kind.")]
    # Whether events have stacks of source code.
    has_stacks: bool
    # Whether ops have the shapes of their inputs.
    has_shapes: bool
    # Whether it recorded allocations or memory.
    has_memory: bool
    # Whether ops have the module they belong to.
    has_modules: bool


class ProfileBody(Struct, frozen=True, forbid_unknown_fields=True):
    session: ProfileRef


class RangeBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    from_ps: Moment
    to_ps: Moment


SearchIn = Literal["all", "names", "arguments"]
SearchMode = Literal["text", "pattern"]


class SlicesBody(RangeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    width: Width
    tracks: Tracks
    q: Annotated[
        Annotated[str, Meta(max_length=1_000)] | None, Meta(description="Matches are counted in each slice.")
    ] = None
    search_in: Annotated[SearchIn, Meta(description="Where `q` is looked for.")] = field(
        default="all", name="in"
    )
    mode: SearchMode = "text"


class SlicesAnswer(Struct, frozen=True, kw_only=True):
    """The head of the slices, in the order of the tracks asked for, then depth, then start. Blocks: int32 `track`, `depth`, `event` (of
    a merged block its longest), `name` (number of the text), `category` (index into those of the profile), `step` (index, -1: none), `module` (index into
    `modules`, -1: none), `count` (1: the event itself), `matches`, `label` (index into `labels`; -1: too narrow for one); uint32 `hash`
    (of the name, the same in all traces); float64 `start` (since `from_ps`), `duration`, `busy`.
    """

    labels: list[str]
    modules: list[str]


class CountersBody(RangeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    width: Width
    counters: Tracks


class CountersAnswer(Struct, frozen=True):
    """The head of the counters. Blocks: int32 `counter`; float64 `time` (since `from_ps`), `low`, `high`, `last`: at most one entry per
    pixel and counter, the last one before the range and the first one after it.
    """

    samples: Annotated[int, Meta(description="How many entries there are.")]


class StripBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    width: Width


class StripAnswer(Struct, frozen=True, kw_only=True):
    """The head of the overview. Blocks: int32 `place` (0: host, 1: device), `category`, `pixel`; float64 `share` of the pixel that the
    self time of events of that category takes; on the host on the busiest thread, on devices on average over them.
    """

    busy: Annotated[
        float | None, Meta(description="Share of the trace in which a device was busy. Null: none.")
    ]


class FlowsBody(RangeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    width: Width
    tracks: Tracks
    event: Annotated[EventId | None, Meta(description="Only what it leads to and comes from.")] = None


class FlowsAnswer(Struct, frozen=True):
    """The head of the flows. Blocks: int32 `from_event`, `to_event`, `from_track`, `from_depth`, `to_track`, `to_depth`, `kind`;
    float64 `from_time`, `to_time` (since `from_ps`). Without `event`, those that would be drawn on one another are one.
    """

    count: Annotated[int, Meta(description="Of all flows in the range.")]
    kinds: list[str]


class EventBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    event: EventId


class EventRef(Struct, frozen=True, kw_only=True):
    event: int
    name: str
    category: Annotated[int, Meta(description="Index into those of the profile.")]
    track: int
    depth: int
    start_ps: int
    duration_ps: int


class EventFlow(EventRef, frozen=True, kw_only=True):
    kind: str
    # Whether the arrow comes from that event or leads to it.
    direction: Literal["to", "from"]


class EventArgument(Struct, frozen=True):
    # Name of the argument.
    key: str
    value: Annotated[
        Any, Meta(description="Text, number, true, false, null, list or object, as in the file.")
    ]


class EventName(Struct, frozen=True):
    event: int
    name: str


class StackFrame(Struct, frozen=True, kw_only=True):
    file: str
    line: int | None
    function: str
    # Whether it is code of a framework, and not of the user.
    is_framework: bool


class DurationHistogram(Struct, frozen=True):
    edges: list[float]
    counts: list[int]


class OfName(Struct, frozen=True, kw_only=True):
    """All events of one name, on host or devices as the event itself."""

    count: int
    total_ps: int
    self_ps: int
    mean_ps: float
    min_ps: int
    max_ps: int
    median_ps: float
    share: Annotated[
        float | None, Meta(description="Of the time in which the host's or the devices' tracks are busy.")
    ]
    # How often in a step; null without steps.
    per_step: float | None
    histogram: Annotated[DurationHistogram, Meta(description="Of the durations.")]
    previous: EventRef | None
    next: EventRef | None


class EventShape(Struct, frozen=True, kw_only=True):
    shape: str
    type: str


class EventAnswer(Struct, frozen=True, kw_only=True):
    event: int
    name: str
    category: Annotated[int, Meta(description="Index into those of the profile.")]
    hash: int
    track: int
    depth: int
    start_ps: int
    duration_ps: int
    self_ps: int
    step: Annotated[int | None, Meta(description="Index of its step.")]
    in_step_ps: Annotated[int | None, Meta(description="From the beginning of the step.")]
    arguments: list[EventArgument]
    ancestors: Annotated[list[EventName], Meta(description="The outermost first.")]
    # How many events are directly inside it.
    children: int
    # The call on the host that launched it; null for none.
    launch: EventRef | None
    ahead: Annotated[
        int | None,
        Meta(
            description="Of a kernel: how many on its stream were launched before it and began later than its launch."
        ),
    ]
    operation: Annotated[
        EventRef | None, Meta(description="Of a kernel or its launch: the operation around the launch.")
    ]
    kernels: list[EventRef]
    # How many kernels it launched, also those that are not listed.
    kernel_count: int
    # Arrows from and to other events.
    flows: list[EventFlow]
    stack: Annotated[list[StackFrame], Meta(description="The innermost first.")]
    module: str | None
    shapes: list[EventShape]
    # All events of the same name.
    of_name: OfName


class StepEventBody(EventBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    # Which neighbour of the event is wanted.
    direction: Literal[
        "next", "previous", "parent", "child", "same name next", "same name previous", "launch", "kernel"
    ]


class FoundEvent(Struct, frozen=True):
    ref: EventRef | None


class AtBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    track: TrackId
    depth: Annotated[int, Meta(ge=0, le=2**31 - 1)]
    # Picoseconds since the beginning of the trace.
    time_ps: Moment
    within_ps: Annotated[Moment, Meta(description="The nearest event as far away as that.")] = 0.0


class TraceSearchBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    q: Annotated[str, Meta(max_length=1_000)]
    search_in: SearchIn = field(default="all", name="in")
    mode: Annotated[
        SearchMode, Meta(description="Text that it contains, in any case; a regular expression.")
    ] = "text"
    width: Annotated[Width, Meta(description="Pixels of the overview.")] = 1_000
    tracks: Annotated[Tracks | None, Meta(description="Null: all.")] = None


class PatternBody(ProfileBody, frozen=True, forbid_unknown_fields=True):
    """The question of the job `profile.search`."""

    q: Annotated[str, Meta(max_length=1_000)]


class TraceMatches(Struct, frozen=True, kw_only=True):
    """The head of the matches. Blocks: int32 `pixel`, `count`: where matches begin on the overview."""

    count: int
    first: EventRef | None


class MatchBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    q: Annotated[str, Meta(max_length=1_000)]
    search_in: SearchIn = field(default="all", name="in")
    mode: SearchMode = "text"
    tracks: Tracks | None = None
    event: Annotated[EventId | None, Meta(description="From this one on, or from a time.")] = None
    from_ps: Moment = 0.0
    # Whether to look forwards or backwards.
    direction: Literal["next", "previous"] = "next"


class MatchAnswer(Struct, frozen=True, kw_only=True):
    count: int
    index: Annotated[int | None, Meta(description="Among all matches in the order of time, from 0.")]
    ref: EventRef | None


class SumsBody(RangeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    by: Literal["name", "category", "track", "step", "module"] = "name"
    tracks: Annotated[Tracks | None, Meta(description="Null: all.")] = None
    place: Place | None = None
    limit: Limit = 1_000
    format: Literal["json", "csv"] = "json"


class Sum(Struct, frozen=True, kw_only=True):
    key: Annotated[int, Meta(description="Number of the text, track or step; -1: none.")]
    label: str
    hash: int
    count: int
    total_ps: Annotated[int, Meta(description="Inside the range.")]
    self_ps: Annotated[int, Meta(description="Inside the range, without that of children.")]
    share: Annotated[float, Meta(description="Of the self time of all.")]
    min_ps: Annotated[int, Meta(description="Of whole events, also beyond the range.")]
    max_ps: int
    event: Annotated[int, Meta(description="The longest.")]
    category: Annotated[int, Meta(description="Of the longest.")]
    place: Place


class LeftOut(Struct, frozen=True):
    rows: int
    total_ps: int
    self_ps: int


class SumsAnswer(Struct, frozen=True, kw_only=True):
    """The largest self time first."""

    rows: list[Sum]
    left_out: Annotated[LeftOut, Meta(description="Beyond the limit.")]
    count: int
    busy_ps: Annotated[int, Meta(description="Time in which at least one of these tracks was busy.")]
    # Length of the range.
    range_ps: int


class GapsBody(RangeBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    # Leave out what is shorter, in picoseconds.
    min_ps: Annotated[float, Meta(ge=0, le=9.2e18)] = 0.0
    limit: Limit = 1_000
    tracks: Annotated[Tracks | None, Meta(description="Null: each device as a whole.")] = None


class GapHost(Struct, frozen=True, kw_only=True):
    event: int
    name: str
    track: int
    share: Annotated[float, Meta(description="Of the gap.")]


class Gap(Struct, frozen=True, kw_only=True):
    track: Annotated[int, Meta(description="Whose next event ends the gap, or the last one before it.")]
    # Number of the device that was idle; null if the profile does not number them.
    device: int | None
    start_ps: int
    duration_ps: int
    host: Annotated[GapHost | None, Meta(description="What the host did meanwhile.")]
    before: EventRef | None
    after: EventRef | None


class GapsAnswer(Struct, frozen=True, kw_only=True):
    """The longest first."""

    # Times in which a device did nothing.
    gaps: list[Gap]
    count: int
    total_ps: int


class PathSegment(Struct, frozen=True, kw_only=True):
    event: Annotated[int | None, Meta(description="Null: nothing ran.")]
    name: str
    track: int | None
    start_ps: int
    duration_ps: int
    place: Place | None


class PathAnswer(Struct, frozen=True, kw_only=True):
    """The critical path: what the end of the range waited for, backwards from it, in the order of time."""

    segments: list[PathSegment]
    # Picoseconds of the path on hosts.
    host_ps: int
    # Picoseconds of the path on devices.
    device_ps: int
    # Picoseconds of the path in which nothing ran.
    idle_ps: int
    is_cut: Annotated[bool, Meta(description="It has more parts than are sent: the earliest are missing.")]


class OpsBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    by: OpsBy = "name"
    place: Place | None = None
    with_idle: Annotated[bool, Meta(description="Also the time in which no op ran.")] = False
    from_ps: Annotated[Moment | None, Meta(description="Null: the whole profile.")] = None
    to_ps: Moment | None = None
    format: Literal["json", "csv"] = "json"


class OpsAnswer(Struct, frozen=True):
    """The largest self time first."""

    rows: list[OpRow]


class KernelsBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    from_ps: Annotated[Moment | None, Meta(description="Null: the whole profile.")] = None
    to_ps: Moment | None = None
    format: Literal["json", "csv"] = "json"


class KernelsAnswer(Struct, frozen=True):
    """The largest total time first."""

    rows: list[KernelRow]


class AdviceAnswer(Struct, frozen=True):
    """The largest gain first."""

    findings: list[Finding]


class AdviceBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    format: Literal["json", "csv"] = "json"


class StepsBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    from_ps: Annotated[Moment | None, Meta(description="Those that begin from here on.")] = None
    to_ps: Annotated[Moment | None, Meta(description="Those that begin before.")] = None
    limit: Annotated[
        int, Meta(ge=1, le=10_000, description="Of more, the longest of every few that follow each other.")
    ] = MAX_STEPS
    format: Annotated[Literal["json", "csv"], Meta(description="CSV has all of them.")] = "json"


class ProfileSteps(Struct, frozen=True, kw_only=True):
    """Steps and what their time went to, by host and in the order of time."""

    steps: list[StepRow]
    step_count: Annotated[int, Meta(description="How many there are.")]
    steps_each: Annotated[int, Meta(description="Each stands for so many, of which it is the longest.")]


class InputBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    table: Annotated[Literal["iterators", "loaders", "inside", "stages"], Meta(description="Of the CSV.")] = (
        "iterators"
    )
    format: Literal["json", "csv"] = "json"


class WorkersBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    table: Annotated[Literal["workers", "collectives", "steps"], Meta(description="Of the CSV.")] = "workers"
    format: Literal["json", "csv"] = "json"


class CompareBody(Struct, frozen=True, forbid_unknown_fields=True):
    before: ProfileRef
    after: ProfileRef
    before_step: Annotated[StepNumber | None, Meta(description="One step of it; null: an average one.")] = (
        None
    )
    after_step: Annotated[StepNumber | None, Meta(description="One step of it; null: an average one.")] = None
    table: Annotated[Literal["causes", "parts", "gone", "fresh"], Meta(description="Of the CSV.")] = "causes"
    format: Literal["json", "csv"] = "json"


CurveId = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class MemoryBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    points: Annotated[int, Meta(ge=2, le=100_000, description="Of a curve at most.")] = 2_000
    curve: Annotated[
        CurveId | None,
        Meta(description="Whose moment is told, as an index; null: that with the highest peak."),
    ] = None
    at_ps: Annotated[Moment | None, Meta(description="Null: at the peak.")] = None
    table: Annotated[Literal["at_peak", "suspects", "savings"], Meta(description="Of the CSV.")] = "at_peak"
    format: Literal["json", "csv"] = "json"


class MemoryLine(Struct, frozen=True, kw_only=True):
    device: Annotated[int | None, Meta(description="Null: memory of the host.")]
    host: str
    allocator: str
    # When memory changed.
    times_ps: list[int]
    allocated: Annotated[list[float], Meta(description="The most since the point before.")]
    # Bytes that the allocator holds, at each of these times; null where that was not recorded.
    reserved: list[float] | None
    # When it was highest.
    peak_ps: int
    # The highest.
    peak_bytes: float
    # What the device has; null where that is not known.
    limit_bytes: float | None
    fragmentation: Annotated[
        float | None, Meta(description="At the peak, of what the allocator holds: from 0 to 1.")
    ]


class MemoryAnswer(Struct, frozen=True, kw_only=True):
    curves: list[MemoryLine]
    curve: Annotated[int | None, Meta(description="The one of the moment; null: there is none.")]
    time_ps: Annotated[int, Meta(description="Of the moment.")]
    bytes: Annotated[float, Meta(description="Allocated at the moment.")]
    at_peak: Annotated[list[AliveRow], Meta(description="What was alive at the moment, the largest first.")]
    regions: Annotated[list[RegionSum], Meta(description="What these bytes were for.")]
    suspects: Annotated[list[Suspect], Meta(description="What every step adds to, the most in a step first.")]
    savings: Annotated[list[Saving], Meta(description="At the moment, the largest first.")]
    allocations: int
    notes: list[str]


class BuffersBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    format: Literal["json", "csv"] = "json"


class BlocksBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    # Number of the curve, as in the list of curves.
    curve: CurveId = 0
    limit: Annotated[int, Meta(ge=0, le=20_000, description="The largest ones.")] = 2_000
    points: Annotated[int, Meta(ge=2, le=100_000, description="Of the rest at most.")] = 2_000
    from_ps: Annotated[Moment | None, Meta(description="Null: the whole profile.")] = None
    to_ps: Moment | None = None


class TreeBody(ProfileBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    of: Annotated[
        Literal["time", "memory"], Meta(description="Memory: what is alive at a moment of a curve.")
    ] = "time"
    by: Annotated[
        TreeBy,
        Meta(
            description="nn.Module, name scope, the functions and ops around, or program and category of XLA."
        ),
    ] = "stack"
    place: Annotated[
        Place | None, Meta(description="Of time: where it was spent; null: on devices if there are any.")
    ] = None
    curve: Annotated[CurveId | None, Meta(description="Null: that with the highest peak.")] = None
    at_ps: Annotated[Moment | None, Meta(description="Null: at the peak.")] = None
