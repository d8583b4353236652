"""What the server and the page know of a dashboard: name, title, the data it shows, routes and works."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from runglass.api.route import Route
from runglass.jobs.work import Work
from runglass.query.source import DataSource
from runglass.store.model import Family, Kind


class Dashboard(Struct, frozen=True):
    # Its folder in Python and on the page, and its part of the URL.
    name: str
    title: str
    # The dashboard is active when a series of one of these kinds or an asset of one of these families exists.
    kinds: tuple[Kind, ...] = ()
    families: tuple[Family, ...] = ()
    # Or an asset of any family with such a name.
    files: tuple[str, ...] = ()
    routes: tuple[Route, ...] = ()
    # What it computes in jobs.
    works: tuple[Work, ...] = ()
    # Reads what its page asks for first. Called once all logs are loaded, if the dashboard is active, before anybody asks.
    read_ahead: Callable[[DataSource], None] | None = None
