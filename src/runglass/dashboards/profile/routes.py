"""The profile's routes: which profiles there are, what the timeline draws, one event, search, sums, gaps. A job opens a profile."""

from __future__ import annotations

from runglass.api.route import COLUMNS, CSV, JSON, Answer, Later, NoParameters, Reply, Route, Upload
from runglass.dashboards.profile.analysing import (
    answer_advice,
    answer_blocks,
    answer_buffers,
    answer_compare,
    answer_input,
    answer_kernels,
    answer_memory,
    answer_ops,
    answer_overview,
    answer_steps,
    answer_tree,
    answer_workers,
)
from runglass.dashboards.profile.asking import ask
from runglass.dashboards.profile.describing import answer_event, listed_profile, ref_or_none
from runglass.dashboards.profile.loaded import Loaded, known_profiles
from runglass.dashboards.profile.pictures import (
    answer_search,
    draw_counters,
    draw_flows,
    draw_slices,
    draw_strip,
)
from runglass.dashboards.profile.searching import ask_matches
from runglass.dashboards.profile.shape import (
    AdviceAnswer,
    AdviceBody,
    AtBody,
    BlocksBody,
    BuffersBody,
    CompareBody,
    CountersAnswer,
    CountersBody,
    EventAnswer,
    EventBody,
    FlowsAnswer,
    FlowsBody,
    FoundEvent,
    GapsAnswer,
    GapsBody,
    InputBody,
    KernelsAnswer,
    KernelsBody,
    MatchAnswer,
    MatchBody,
    MemoryAnswer,
    MemoryBody,
    OpsAnswer,
    OpsBody,
    PathAnswer,
    ProfileBody,
    ProfileFile,
    ProfileFileQuery,
    ProfileList,
    ProfileSteps,
    RangeBody,
    SlicesAnswer,
    SlicesBody,
    StepEventBody,
    StepsBody,
    StripAnswer,
    StripBody,
    SumsAnswer,
    SumsBody,
    TraceMatches,
    TraceSearchBody,
    TreeBody,
    WorkersBody,
)
from runglass.dashboards.profile.summing import answer_gaps, answer_path, answer_sums
from runglass.query.profiles.analysis.model import (
    Blocks,
    Comparison,
    InputPipeline,
    Overview,
    ProgramBuffers,
)
from runglass.query.profiles.analysis.tree import Tree
from runglass.query.profiles.analysis.workers import Workers
from runglass.query.profiles.event_info import find_at, step_to
from runglass.query.profiles.search import find_match
from runglass.query.source import DataSource

MAX_FILE_BYTES = 1 << 30


def list_all(source: DataSource, _: NoParameters) -> Reply:
    """Every profile of every run, with its training steps where they are known."""

    def work() -> ProfileList:
        reader = known_profiles.of(source)
        generation = source.generation
        infos = reader.list_all(source)
        steps = reader.list_steps(source, infos)
        return ProfileList(
            generation, [listed_profile(info, *each) for info, each in zip(infos, steps, strict=True)]
        )

    return Later(work)


def add_file(source: DataSource, upload: Upload) -> Reply:
    """Keep a trace that the user chose, for that page."""
    assert isinstance(upload.query, ProfileFileQuery)
    return ProfileFile(known_profiles.of(source).add_file(upload.query.name, upload.data))


def read_slices(source: DataSource, body: SlicesBody) -> Reply:
    """Events of tracks in a time range as they are drawn: what is thinner than a pixel is joined and counted."""
    return ask_matches(source, body.session, body.q, body.mode, lambda loaded: draw_slices(loaded, body))


def read_counters(source: DataSource, body: CountersBody) -> Reply:
    """Counters in a time range: low, high and last value of every pixel."""
    return ask(source, body.session, lambda loaded: draw_counters(loaded, body))


def read_strip(source: DataSource, body: StripBody) -> Reply:
    """The whole profile in one strip: what host and devices did over time."""
    return ask(source, body.session, lambda loaded: draw_strip(loaded, body.width))


def read_flows(source: DataSource, body: FlowsBody) -> Reply:
    """Which event led to which: those of one event, or all in a time range."""
    return ask(source, body.session, lambda loaded: draw_flows(loaded, body))


def read_event(source: DataSource, body: EventBody) -> Reply:
    """All that is known of one event."""
    return ask(source, body.session, lambda loaded: answer_event(loaded, body.event))


def step_from_event(source: DataSource, body: StepEventBody) -> Reply:
    """The event beside, around, inside or after another one."""

    def answer(loaded: Loaded) -> FoundEvent:
        return FoundEvent(ref_or_none(loaded.trace, step_to(loaded.trace, body.event, body.direction)))

    return ask(source, body.session, answer)


def read_at(source: DataSource, body: AtBody) -> Reply:
    """The event of a row at a time."""

    def answer(loaded: Loaded) -> FoundEvent:
        found = find_at(loaded.trace, body.track, body.depth, int(body.time_ps), int(body.within_ps))
        return FoundEvent(ref_or_none(loaded.trace, found))

    return ask(source, body.session, answer)


def search(source: DataSource, body: TraceSearchBody) -> Reply:
    """All events whose name or arguments contain a text, or match a regular expression."""
    return ask_matches(source, body.session, body.q, body.mode, lambda loaded: answer_search(loaded, body))


def read_match(source: DataSource, body: MatchBody) -> Reply:
    """The next or previous match from an event or a time."""

    def answer(loaded: Loaded) -> MatchAnswer:
        trace = loaded.trace
        if body.event is not None:
            trace.check_event(body.event)
        matches = loaded.search(body.q, body.search_in, body.mode, body.tracks)
        at = find_match(
            trace,
            matches,
            event=body.event,
            from_ps=int(body.from_ps),
            forward=body.direction == "next",
        )
        return MatchAnswer(
            count=len(matches.events),
            index=at,
            ref=ref_or_none(trace, None if at is None else int(matches.events[at])),
        )

    return ask_matches(source, body.session, body.q, body.mode, answer)


def read_sums(source: DataSource, body: SumsBody) -> Reply:
    """Count, total and self time in a time range by name, category, track, step or module."""
    return ask(source, body.session, lambda loaded: answer_sums(loaded, body))


def read_gaps(source: DataSource, body: GapsBody) -> Reply:
    """When devices were idle, the longest first, with what the host did meanwhile."""
    return ask(source, body.session, lambda loaded: answer_gaps(loaded, body))


def read_path(source: DataSource, body: RangeBody) -> Reply:
    """The critical path of a time range: what its end waited for."""
    return ask(source, body.session, lambda loaded: answer_path(loaded, body))


def read_overview(source: DataSource, body: ProfileBody) -> Reply:
    """Steps and what their time went to, how busy devices were, the largest ops."""
    return ask(source, body.session, answer_overview)


def read_steps(source: DataSource, body: StepsBody) -> Reply:
    """The steps of a time range and what their time went to; of many, the longest of every few."""
    return ask(source, body.session, lambda loaded: answer_steps(loaded, body))


def read_advice(source: DataSource, body: AdviceBody) -> Reply:
    """What could be faster, with evidence and what to do, the largest gain first."""
    return ask(source, body.session, lambda loaded: answer_advice(loaded, body))


def read_input(source: DataSource, body: InputBody) -> Reply:
    """How much of the steps waits for input, and what the input pipeline does."""
    return ask(source, body.session, lambda loaded: answer_input(loaded, body))


def read_workers(source: DataSource, body: WorkersBody) -> Reply:
    """Workers of a distributed training beside each other: steps, communication, waiting, and their collectives."""
    return ask(source, body.session, lambda loaded: answer_workers(loaded, body))


def compare(source: DataSource, body: CompareBody) -> Reply:
    """What explains the difference between the steps of two profiles."""

    def work() -> Answer | Comparison:
        reader = known_profiles.of(source)
        return answer_compare(reader.load(source, body.before), reader.load(source, body.after), body)

    return Later(work)


def read_ops(source: DataSource, body: OpsBody) -> Reply:
    """Ops of the host and of devices with count, time and rates, by name, type, module, shapes or category."""
    return ask(source, body.session, lambda loaded: answer_ops(loaded, body))


def read_kernels(source: DataSource, body: KernelsBody) -> Reply:
    """Kernels by name, op and shape, with occupancy and use of tensor cores."""
    return ask(source, body.session, lambda loaded: answer_kernels(loaded, body))


def read_memory(source: DataSource, body: MemoryBody) -> Reply:
    """Memory over time, its peak, and what was alive then or at another moment."""
    return ask(source, body.session, lambda loaded: answer_memory(loaded, body))


def read_blocks(source: DataSource, body: BlocksBody) -> Reply:
    """The largest allocations with their lifetime, and what they leave of the curve."""
    return ask(source, body.session, lambda loaded: answer_blocks(loaded, body))


def read_buffers(source: DataSource, body: BuffersBody) -> Reply:
    """The memory that programs of XLA need: allocations of the compiler and what is in them."""
    return ask(source, body.session, lambda loaded: answer_buffers(loaded, body))


def read_tree(source: DataSource, body: TreeBody) -> Reply:
    """Time or memory under modules, name scopes or functions."""
    return ask(source, body.session, lambda loaded: answer_tree(loaded, body))


ROUTES = (
    Route("/api/profile", list_all, ProfileList),
    Route("/api/profile/file", add_file, ProfileFile, query=ProfileFileQuery, upload_bytes=MAX_FILE_BYTES),
    Route("/api/profile/slices", read_slices, SlicesAnswer, body=SlicesBody, media_types=(COLUMNS,)),
    Route("/api/profile/counters", read_counters, CountersAnswer, body=CountersBody, media_types=(COLUMNS,)),
    Route("/api/profile/strip", read_strip, StripAnswer, body=StripBody, media_types=(COLUMNS,)),
    Route("/api/profile/flows", read_flows, FlowsAnswer, body=FlowsBody, media_types=(COLUMNS,)),
    Route("/api/profile/event", read_event, EventAnswer, body=EventBody),
    Route("/api/profile/step_event", step_from_event, FoundEvent, body=StepEventBody),
    Route("/api/profile/at", read_at, FoundEvent, body=AtBody),
    Route(
        "/api/profile/search",
        search,
        TraceMatches,
        body=TraceSearchBody,
        media_types=(COLUMNS,),
        is_long=True,
    ),
    Route("/api/profile/match", read_match, MatchAnswer, body=MatchBody),
    Route("/api/profile/sums", read_sums, SumsAnswer, body=SumsBody, media_types=(JSON, CSV)),
    Route("/api/profile/gaps", read_gaps, GapsAnswer, body=GapsBody),
    Route("/api/profile/path", read_path, PathAnswer, body=RangeBody),
    Route("/api/profile/overview", read_overview, Overview, body=ProfileBody),
    Route("/api/profile/steps", read_steps, ProfileSteps, body=StepsBody, media_types=(JSON, CSV)),
    Route("/api/profile/advice", read_advice, AdviceAnswer, body=AdviceBody, media_types=(JSON, CSV)),
    Route("/api/profile/input", read_input, InputPipeline, body=InputBody, media_types=(JSON, CSV)),
    Route("/api/profile/workers", read_workers, Workers, body=WorkersBody, media_types=(JSON, CSV)),
    Route(
        "/api/profile/compare",
        compare,
        Comparison,
        body=CompareBody,
        media_types=(JSON, CSV),
        is_long=True,
    ),
    Route("/api/profile/ops", read_ops, OpsAnswer, body=OpsBody, media_types=(JSON, CSV)),
    Route("/api/profile/kernels", read_kernels, KernelsAnswer, body=KernelsBody, media_types=(JSON, CSV)),
    Route("/api/profile/memory", read_memory, MemoryAnswer, body=MemoryBody, media_types=(JSON, CSV)),
    Route("/api/profile/memory/blocks", read_blocks, Blocks, body=BlocksBody),
    Route(
        "/api/profile/memory/buffers", read_buffers, ProgramBuffers, body=BuffersBody, media_types=(JSON, CSV)
    ),
    Route("/api/profile/tree", read_tree, Tree, body=TreeBody),
)
