"""All routes under /api/ for one source, and the dispatch of a request to its handler.

Importing this imports the dashboards and NumPy, so the app does it in a thread once the page can be served.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import cached_property

from runglass.api import assets, hparams, lists, run_values, steps
from runglass.api.dashboard import Dashboard
from runglass.api.route import Answer, NoParameters, Reply, Route
from runglass.query.source import DataSource
from runglass.registry import DASHBOARDS
from runglass.server.live import Live
from runglass.server.openapi import Document, encode_document, make_document
from runglass.server.parameters import parse_body, parse_query
from runglass.server.problems import NotFound, check_method
from runglass.server.settings import Settings


class Api:
    def __init__(
        self, source: DataSource, settings: Settings, *, dashboards: Sequence[Dashboard] = DASHBOARDS
    ) -> None:
        self.live = Live(source)
        self.routes = (
            *lists.make_routes(_about(settings), dashboards),
            *run_values.make_routes(),
            *hparams.make_routes(),
            *steps.ROUTES,
            *assets.ROUTES,
            self.live.route,
            Route("/api/openapi.json", self._read_document, Document),
            *(route for dashboard in dashboards for route in dashboard.routes),
        )
        self._source = source
        self._version = settings.version
        self._route_by_path = {route.path: route for route in self.routes}

    async def dispatch(
        self, method: str, path: str, query: str, read_body: Callable[[], Awaitable[bytes]]
    ) -> Reply:
        """`path` starts with /api; `query` is the raw query string."""
        route = self._route_by_path.get(path)
        if route is None:
            raise NotFound(f"There is no route {path}. GET api/openapi.json lists all routes.", where=path)
        check_method(method, route.method, path)
        parameters = parse_query(query, route.query)
        if route.body is None:
            return route.handler(self._source, parameters)
        return route.handler(self._source, parse_body(await read_body(), route.body))

    @cached_property
    def document(self) -> Answer:
        return Answer(encode_document(make_document(self.routes, version=self._version)), encodings={})

    def _read_document(self, source: DataSource, query: NoParameters) -> Reply:
        """This document."""
        return self.document


def _about(settings: Settings) -> lists.About:
    return lists.About(
        version=settings.version,
        window_title=settings.window_title,
        live=settings.live,
        token_required=bool(settings.token),
    )
