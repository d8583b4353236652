"""What a dashboard is to the server and the page: a name, a title, kinds of data and routes."""

from __future__ import annotations

from msgspec import Struct

from runglass.api.route import Route
from runglass.store.model import Kind


class Dashboard(Struct, frozen=True):
    # Its folder in both languages, its part of the URL and its key in the page.
    name: str
    title: str
    # The dashboard has something to show when a series of one of these kinds exists.
    kinds: tuple[Kind, ...]
    routes: tuple[Route, ...] = ()
