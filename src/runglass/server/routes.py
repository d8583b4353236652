"""The routes that belong to no dashboard: status, runs, tags, series, files, dashboards and live updates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec

from msgspec import Struct

from runglass.dashboards.answers import Number, number_or_none
from runglass.dashboards.route import EVENTS, Answer, NoParameters, Reply, Route, Stream, encode_json
from runglass.query.source import DataSource
from runglass.registry import Dashboard
from runglass.server import hparams, run_values, steps
from runglass.server.live import Change, Live, ProgressAnswer, progress_answer
from runglass.server.settings import Settings
from runglass.store.model import FileHealth, FileState, Kind


class Status(Struct, frozen=True):
    version: str
    locations: list[str]
    window_title: str
    generation: int
    # True once the first full scan is done.
    is_loaded: bool
    runs: int
    series: int
    points: int
    size_bytes: int
    files: dict[str, int]
    progress: ProgressAnswer
    live: bool
    token_required: bool
    # The formats in which scalars can be exported.
    exports: list[str]


class Run(Struct, frozen=True):
    name: str
    start_time: Number | None
    last_wall_time: Number | None
    series: int
    points: int
    files: int
    size_bytes: int
    health: FileState
    restarts: int


class Runs(Struct, frozen=True):
    generation: int
    runs: list[Run]


class TagsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    kind: Kind | None = None
    run: str | None = None


class Tags(Struct, frozen=True):
    """Runs with equal tags share one entry of `tag_sets`; `runs` says which."""

    generation: int
    runs: dict[str, int]
    tag_sets: list[dict[str, str]]


class SeriesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    run: str
    tag: str | None = None


class OptionalRunQuery(Struct, frozen=True, forbid_unknown_fields=True):
    run: str | None = None


class Series(Struct, frozen=True):
    tag: str
    kind: Kind
    plugin: str
    display_name: str
    description: str
    count: int
    generation: int


class SeriesList(Struct, frozen=True):
    generation: int
    series: list[Series]


class Health(Struct, frozen=True):
    files: list[FileHealth]


class DashboardAnswer(Struct, frozen=True):
    name: str
    title: str
    kinds: list[Kind]
    # Whether any series of these kinds exists.
    is_active: bool


class Dashboards(Struct, frozen=True):
    dashboards: list[DashboardAnswer]


class _Kept:
    """Encoded answers that hold for one generation of the source."""

    def __init__(self) -> None:
        self._generation = -1
        self._answers: dict[object, Answer] = {}

    def answer(self, generation: int, key: object, make: Callable[[], Struct]) -> Answer:
        if generation != self._generation:
            self._generation = generation
            self._answers = {}
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = Answer(encode_json(make()), encodings={})
        return answer


def make_routes(settings: Settings, dashboards: Sequence[Dashboard], live: Live) -> tuple[Route, ...]:
    kept = _Kept()
    exports = ["csv", "json", *(["parquet"] if find_spec("pyarrow") else [])]

    def read_status(source: DataSource, query: NoParameters) -> Reply:
        """What this server shows, how much of it there is, and how far loading is."""
        progress = source.progress()
        runs = source.list_runs()
        states = Counter(file.state.value for file in source.list_files())
        return Status(
            version=settings.version,
            locations=source.locations,
            window_title=settings.window_title,
            generation=source.generation,
            is_loaded=progress.is_loaded,
            runs=len(runs),
            series=sum(run.series for run in runs),
            points=sum(run.points for run in runs),
            size_bytes=sum(run.size_bytes for run in runs),
            files=dict(states),
            progress=progress_answer(progress),
            live=settings.live,
            token_required=bool(settings.token),
            exports=exports,
        )

    def list_runs(source: DataSource, query: NoParameters) -> Reply:
        """All runs, oldest first."""
        generation = source.generation
        return kept.answer(generation, "runs", lambda: _runs(source, generation))

    def list_tags(source: DataSource, query: TagsQuery) -> Reply:
        """Tags of every run with the kind of their series; equal tag lists are sent once."""
        generation = source.generation
        if query.run is not None:
            series = source.list_series(run=query.run, kind=query.kind)
            return Tags(generation, {query.run: 0}, [{info.key.tag: info.meta.kind for info in series}])
        return kept.answer(
            generation, ("tags", query.kind), lambda: Tags(generation, *source.list_tag_sets(kind=query.kind))
        )

    def list_dashboards(source: DataSource, query: NoParameters) -> Reply:
        """The dashboards in the order of their tabs, and which of them have something to show."""
        _, tag_sets = source.list_tag_sets()
        kinds = {kind for tags in tag_sets for kind in tags.values()}
        return Dashboards(
            [
                DashboardAnswer(each.name, each.title, list(each.kinds), not kinds.isdisjoint(each.kinds))
                for each in dashboards
            ]
        )

    def listen(source: DataSource, query: NoParameters) -> Reply:
        """Server-sent events: what changed, at most every 50 ms, the first one at once."""
        return Stream(live.listen())

    return (
        Route("/api/status", read_status, Status),
        Route("/api/runs", list_runs, Runs),
        Route("/api/tags", list_tags, Tags, query=TagsQuery),
        Route("/api/series", list_series, SeriesList, query=SeriesQuery),
        Route("/api/health", list_health, Health, query=OptionalRunQuery),
        Route("/api/dashboards", list_dashboards, Dashboards),
        Route("/api/live", listen, Change, media_types=(EVENTS,)),
        *run_values.make_routes(),
        *hparams.make_routes(),
        *steps.ROUTES,
    )


def list_series(source: DataSource, query: SeriesQuery) -> Reply:
    """The series of one run with what their metadata says."""
    generation = source.generation
    return SeriesList(
        generation,
        [
            Series(
                tag=info.key.tag,
                kind=info.meta.kind,
                plugin=info.meta.plugin,
                display_name=info.meta.display_name,
                description=info.meta.description,
                count=info.count,
                generation=info.generation,
            )
            for info in source.list_series(run=query.run)
            if query.tag is None or info.key.tag == query.tag
        ],
    )


def list_health(source: DataSource, query: OptionalRunQuery) -> Reply:
    """How far every file could be read, and why not further."""
    return Health(source.list_files(run=query.run))


def _runs(source: DataSource, generation: int) -> Runs:
    return Runs(
        generation,
        [
            Run(
                name=run.name,
                start_time=number_or_none(run.start_time),
                last_wall_time=number_or_none(run.last_wall_time),
                series=run.series,
                points=run.points,
                files=run.files,
                size_bytes=run.size_bytes,
                health=run.health,
                restarts=run.restarts,
            )
            for run in source.list_runs()
        ],
    )
