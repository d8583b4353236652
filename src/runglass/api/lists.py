"""The routes that list what exists: status, runs, tags, series, files and dashboards. Knows no dashboard by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatch
from importlib.util import find_spec
from typing import cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from runglass.api.answers import Number, number_or_none
from runglass.api.dashboard import Dashboard
from runglass.api.kept import Versioned
from runglass.api.person import Asked, Person
from runglass.api.progress import ProgressAnswer, progress_answer
from runglass.api.projects import PersonAnswer, describe_person
from runglass.api.route import Answer, NoParameters, Reply, Route, encode_json, encode_once
from runglass.query.source import DataSource
from runglass.store.model import Family, FileHealth, FileState, Kind, RemoteStatus


class About(Struct, frozen=True, kw_only=True):
    """What the status says about the server itself."""

    version: str
    window_title: str
    live: bool
    token_required: bool
    project: str = ""
    # The revision of the marks that all share; None where the server shares none.
    overlay_revision: Callable[[], int | None] = lambda: None


class Status(Struct, frozen=True):
    # Version of Runglass that serves.
    version: str
    # Log directories, as they were named.
    locations: list[str]
    # Locations that do not exist; empty as soon as there are runs.
    missing: list[str]
    # Title of the page, if one was set.
    window_title: str
    # Grows with every change of the logs: while it is the same, so is everything else here.
    generation: int
    # True once the first scan is complete.
    is_loaded: bool
    # How many runs there are so far.
    runs: int
    # How many tags all runs have together.
    series: int
    # How many values were logged, of every kind.
    points: int
    # Bytes of all event files.
    size_bytes: int
    # How many event files are in each state, as in {"ok": 105}; the states are those of /api/health.
    files: dict[str, int]
    # Files that are not event files; `size_bytes` leaves them out.
    assets: int
    # Bytes of all assets.
    asset_bytes: int
    # How far the first scan has come.
    progress: ProgressAnswer
    # Whether the server notices changes by itself.
    live: bool
    # Whether requests need a token.
    token_required: bool
    # The formats in which scalars can be exported.
    exports: list[str]
    # Name of the project; null where the server has no projects.
    project: str | None
    # Who asks, as the server knows them.
    person: PersonAnswer
    # Grows with every change of the marks that all share; null where the server shares none.
    overlay_revision: int | None
    # Locations that are read over a network, and how each is doing.
    remote: list[RemoteStatus]


class Run(Struct, frozen=True):
    # Its directory below the log directory, with / between parts; . for the log directory itself.
    name: str
    # When its first value was logged, in seconds since 1970; null without values.
    start_time: Number | None
    # When its newest value was logged, in seconds since 1970; null without values.
    last_wall_time: Number | None
    # How many tags it has.
    series: int
    # How many values it has logged, of every kind.
    points: int
    # How many event files it has.
    files: int
    # Bytes of its event files.
    size_bytes: int
    # The worst state of its files.
    health: FileState
    # How often it was restarted.
    restarts: int
    # How many other files of it Runglass can show: profiles, embeddings, configurations, models.
    assets: int
    # Bytes of its assets.
    asset_bytes: int


class Runs(Struct, frozen=True):
    generation: int
    # Every run, oldest first.
    runs: list[Run]


class TagsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    kind: Kind | None = None
    run: str | None = None


class Tags(Struct, frozen=True):
    """Runs with equal tags share one entry of `tag_sets`; `runs` says which."""

    generation: int
    # For every run, the place of its tags in `tag_sets`.
    runs: dict[str, int]
    # Tags with the kind of each, as in {"loss": "scalar"}; once for all runs that have the same.
    tag_sets: list[dict[str, str]]


class SeriesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    run: str
    tag: str | None = None


class OptionalRunQuery(Struct, frozen=True, forbid_unknown_fields=True):
    run: str | None = None


class Series(Struct, frozen=True):
    # As it was logged.
    tag: str
    # What its values are: scalar, image, audio, text, histogram and so on.
    kind: Kind
    # Name of the TensorBoard plugin in the file, such as scalars; empty where there is none.
    plugin: str
    display_name: str
    description: str
    # How many values it has, overwritten ones included.
    count: int
    generation: int


class SeriesList(Struct, frozen=True):
    generation: int
    # Every tag of the run, in the order of their first values.
    series: list[Series]


class Health(Struct, frozen=True):
    # Every event file, and every directory that cannot be listed.
    files: list[FileHealth]


class DashboardAnswer(Struct, frozen=True):
    # As addresses have it: #/scalars.
    name: str
    # As the tab shows it.
    title: str
    # Kinds of values that it shows.
    kinds: list[Kind]
    # Families of assets that it shows.
    families: list[Family]
    # Whether any series of these kinds, any asset of these families, or a file that it can read exists.
    is_active: bool


class Dashboards(Struct, frozen=True):
    dashboards: list[DashboardAnswer]


class ListsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    # Kinds whose tags the answer includes.
    kind: list[Kind] = []


class Lists(Struct, frozen=True):
    # What api/status answers.
    status: Status
    # As /api/runs.
    runs: Runs
    # As /api/dashboards.
    dashboards: Dashboards
    # As /api/tags, for the kinds that were asked for.
    tags: dict[Kind, Tags]


def make_routes(about: About, dashboards: Sequence[Dashboard]) -> tuple[Route, ...]:
    kept: Versioned[object, Answer] = Versioned()
    statuses: Versioned[None, Status] = Versioned()
    exports = ["csv", "json", *(["parquet"] if find_spec("pyarrow") else [])]

    def status_of(source: DataSource, person: Person) -> Status:
        progress = source.progress()
        runs = source.list_runs()
        states = Counter(file.state.value for file in source.list_files())
        return Status(
            version=about.version,
            locations=source.locations,
            # Looking is for an empty page: a file system that hangs would hold up every listing.
            missing=[] if runs else source.list_missing(),
            window_title=about.window_title,
            generation=source.generation,
            is_loaded=progress.is_loaded,
            runs=len(runs),
            series=sum(run.series for run in runs),
            points=sum(run.points for run in runs),
            size_bytes=sum(run.size_bytes for run in runs),
            files=dict(states),
            assets=sum(run.assets for run in runs),
            asset_bytes=sum(run.asset_bytes for run in runs),
            # Runs that came after the first scan are not part of its progress.
            progress=progress_answer(
                msgspec.structs.replace(progress, runs_found=len(runs), runs_loaded=len(runs))
                if progress.is_loaded
                else progress
            ),
            live=about.live,
            token_required=about.token_required,
            exports=exports,
            project=about.project or None,
            person=describe_person(person),
            overlay_revision=about.overlay_revision(),
            remote=source.list_remote(),
        )

    def known_status(source: DataSource, person: Person) -> Status:
        status = statuses.read(None, source.generation, lambda: status_of(source, person))
        if not status.runs:
            # Directories appear without a change in the source.
            return status_of(source, person)
        # What changes without a change in the source.
        return replace(
            status,
            person=describe_person(person),
            overlay_revision=about.overlay_revision(),
            remote=source.list_remote(),
        )

    def runs_of(source: DataSource) -> Answer:
        generation = source.generation
        return kept.read("runs", generation, lambda: encode_once(_runs(source, generation)))

    def tags_of(source: DataSource, kind: Kind | None) -> Answer:
        generation = source.generation
        return kept.read(
            ("tags", kind),
            generation,
            lambda: encode_once(Tags(generation, *source.list_tag_sets(kind=kind))),
        )

    def dashboards_of(source: DataSource) -> Answer:
        return kept.read("dashboards", source.generation, lambda: encode_once(active_dashboards(source)))

    def active_dashboards(source: DataSource) -> Dashboards:
        active = find_active(source, dashboards)
        return Dashboards(
            [
                DashboardAnswer(
                    each.name,
                    each.title,
                    list(each.kinds),
                    list(each.families),
                    is_active=each.name in active,
                )
                for each in dashboards
            ]
        )

    def read_status(source: DataSource, asked: Asked) -> Reply:
        """What this server shows, how much data there is, and how far it has loaded."""
        return known_status(source, asked.person)

    def list_runs(source: DataSource, query: NoParameters) -> Reply:
        """All runs, oldest first."""
        return runs_of(source)

    def list_tags(source: DataSource, query: TagsQuery) -> Reply:
        """The tags of every run with their kinds; runs with equal tags share one list."""
        if query.run is None:
            return tags_of(source, query.kind)
        series = source.list_series(run=query.run, kind=query.kind)
        return Tags(source.generation, {query.run: 0}, [{info.key.tag: info.meta.kind for info in series}])

    def list_dashboards(source: DataSource, query: NoParameters) -> Reply:
        """The dashboards in the order of their tabs, and which of them have data."""
        return dashboards_of(source)

    def list_all(source: DataSource, asked: Asked) -> Reply:
        """Status, runs, dashboards and the tags of some kinds in one answer: the page's first request."""
        query = cast(ListsQuery, asked.parameters)
        # The status comes first, so that the other lists are at least as new as its generation.
        parts = {
            "status": encode_json(known_status(source, asked.person)),
            "runs": runs_of(source).body,
            "dashboards": dashboards_of(source).body,
            "tags": _encode_object({kind: tags_of(source, kind).body for kind in query.kind}),
        }
        return Answer(_encode_object(parts))

    return (
        Route("/api/lists", list_all, Lists, query=ListsQuery, wants_person=True),
        Route("/api/status", read_status, Status, wants_person=True),
        Route("/api/runs", list_runs, Runs),
        Route("/api/tags", list_tags, Tags, query=TagsQuery),
        Route("/api/series", list_series, SeriesList, query=SeriesQuery),
        Route("/api/health", list_health, Health, query=OptionalRunQuery),
        Route("/api/dashboards", list_dashboards, Dashboards),
    )


def find_active(source: DataSource, dashboards: Sequence[Dashboard]) -> set[str]:
    """The names of the dashboards that have data."""
    _, tag_sets = source.list_tag_sets()
    kinds = {kind for tags in tag_sets for kind in tags.values()}
    families = {family for run in source.list_runs() for family in run.families}
    has_files = any(each.files for each in dashboards)
    asset_names = {asset.name for asset in source.list_assets()} if has_files else set()
    return {
        each.name
        for each in dashboards
        if not kinds.isdisjoint(each.kinds)
        or not families.isdisjoint(each.families)
        or any(fnmatch(name, pattern) for pattern in each.files for name in asset_names)
    }


def _encode_object(parts: Mapping[str, bytes]) -> bytes:
    """A JSON object of values that are encoded already."""
    return b"{%s}" % b",".join(encode_json(name) + b":" + value for name, value in parts.items())


def list_series(source: DataSource, query: SeriesQuery) -> Reply:
    """The series of one run with their metadata."""
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
    """How much of every file could be read, and why not more."""
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
                assets=run.assets,
                asset_bytes=run.asset_bytes,
            )
            for run in source.list_runs()
        ],
    )
