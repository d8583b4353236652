"""All routes under /api/ for one source, and the dispatch of a request to its handler.

Importing this imports the dashboards and NumPy, so the app does it in a thread once the page can be served.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property, partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from runglass.api import (
    assets,
    descriptions,
    hparams,
    jobs,
    lists,
    not_finite,
    overlay,
    projects,
    run_values,
    steps,
    stops,
)
from runglass.api.dashboard import Dashboard
from runglass.api.person import NOBODY, Asked, Person
from runglass.api.route import (
    Answer,
    Download,
    FromJob,
    FromResult,
    Later,
    NoParameters,
    Reply,
    Route,
    Upload,
)
from runglass.jobs.cache import ResultCache
from runglass.jobs.runner import Runner
from runglass.machine import cache_folder
from runglass.overlay.model import OverlayStore
from runglass.query.source import DataSource
from runglass.registry import DASHBOARDS
from runglass.server.live import Live
from runglass.server.openapi import Document, encode_document, list_roots, make_document
from runglass.server.openapi_details import add_details, list_shapes
from runglass.server.parameters import parse_body, parse_query
from runglass.server.problems import NotFound, check_method
from runglass.server.read_ahead import ReadAhead
from runglass.server.settings import Settings


class Api:
    def __init__(
        self,
        source: DataSource,
        settings: Settings,
        *,
        dashboards: Sequence[Dashboard] = DASHBOARDS,
        project: str = "",
        store: OverlayStore | None = None,
        list_projects: projects.ListProjects | None = None,
    ) -> None:
        """`store` has the marks that all share, where they are shared; `list_projects` is missing where there are none."""
        cache_folder.choose(settings.cache_dir)
        self._works = [work for dashboard in dashboards for work in dashboard.works]
        self.live = Live(source, store)
        self.runner = Runner(
            source,
            self._works,
            cache=ResultCache(settings.cache_dir),
        )
        self.routes = (
            *lists.make_routes(_about(settings, project, store), dashboards),
            *run_values.make_routes(),
            *not_finite.make_routes(),
            *hparams.make_routes(),
            *descriptions.ROUTES,
            *steps.ROUTES,
            *stops.ROUTES,
            *assets.ROUTES,
            *jobs.make_routes(self.runner),
            *overlay.make_routes(store),
            *projects.make_routes(list_projects or partial(_no_projects, settings)),
            self.live.route,
            Route("/api/openapi.json", self._read_document, Document),
            *(route for dashboard in dashboards for route in dashboard.routes),
        )
        self._source = source
        self._version = settings.version
        # By path, then by method.
        self._routes: dict[str, dict[str, Route]] = {}
        for route in self.routes:
            self._routes.setdefault(route.path, {})[route.method] = route
        read_lists = self._routes["/api/lists"]["GET"].handler
        self.read_ahead = ReadAhead(
            source, dashboards, read_lists=lambda: read_lists(source, Asked(lists.ListsQuery(), NOBODY))
        )

    async def dispatch(
        self,
        method: str,
        path: str,
        query: str,
        read_body: Callable[[int | None], Awaitable[bytes]],
        person: Person = NOBODY,
    ) -> Reply:
        """`path` starts with /api; `query` is the raw query string; `read_body` takes how many bytes a body may have,
        None for the usual limit."""
        routes = self._routes.get(path)
        if routes is None:
            raise NotFound(f"There is no route {path}. GET api/openapi.json lists all routes.", where=path)
        route = routes[check_method(method, routes, path)]
        parameters: Struct = parse_query(query, route.query)
        if route.body is not None:
            parameters = parse_body(await read_body(None), route.body)
        elif route.upload_bytes is not None:
            parameters = Upload(parameters, await read_body(route.upload_bytes))
        if route.wants_person:
            parameters = Asked(parameters, person)
        reply = route.handler(self._source, parameters)
        if isinstance(reply, FromResult):
            wanted = reply
            # It may be on disk.
            return Later(lambda: wanted.answer(self.runner.read_result(wanted.job)))
        if isinstance(reply, Later) and reply.prepares_worker:
            reply = replace(reply, work=partial(self._prepare_and_do, reply.work))
        if route.is_long and isinstance(reply, Later | FromJob):
            return replace(reply, is_long=True)
        return reply

    def _prepare_and_do(self, work: Callable[[], Answer | Struct | Download]) -> Answer | Struct | Download:
        self.runner.prepare_worker()
        return work()

    async def wait_for_job(self, reply: FromJob) -> Later:
        """Cancelling this cancels the job, unless somebody else follows it."""
        return await jobs.wait_for_job(self.runner, reply)

    def close(self) -> None:
        """End live connections and jobs. Called in the event loop."""
        self.read_ahead.close()
        self.live.close()
        self.runner.close()

    def make_document(self) -> dict[str, Any]:
        """The types of all routes, from which the page's are made."""
        return make_document(self.routes, self._works, version=self._version)

    @cached_property
    def document(self) -> Answer:
        shapes = list_shapes(list_roots(self.routes, self._works))
        return Answer(encode_document(add_details(self.make_document(), shapes)), encodings={})

    def _read_document(self, source: DataSource, query: NoParameters) -> Reply:
        """This document."""
        # The first time it reads the sources of all types.
        return Later(lambda: self.document)


def _no_projects(settings: Settings, person: Person) -> projects.Projects:
    return projects.Projects([], projects.describe_person(person), settings.version, settings.window_title)


def _about(settings: Settings, project: str, store: OverlayStore | None) -> lists.About:
    return lists.About(
        project=project,
        overlay_revision=lambda: None if store is None else store.read().revision,
        version=settings.version,
        window_title=settings.window_title,
        live=settings.live,
        token_required=settings.asks_who,
    )
