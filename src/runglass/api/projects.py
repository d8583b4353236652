"""The projects of a server: several log directories, each with an address of its own. Knows how they are listed, not how they are opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.api.person import Asked, Person
from runglass.api.route import Reply, Route
from runglass.query.source import DataSource


class PersonAnswer(Struct, frozen=True):
    # Empty: the server does not ask who somebody is.
    name: str
    # Whether they may change shared marks.
    can_mark: bool


class ProjectAnswer(Struct, frozen=True, kw_only=True):
    name: str
    # Of its page, relative to the page that lists the projects.
    path: str
    locations: Annotated[list[str], Meta(description="Its log directories.")]
    state: Annotated[
        Literal["waiting", "loading", "ready", "resting", "failed"],
        Meta(
            description="Waiting: not opened yet. Resting: closed again; the figures are those of the last time."
        ),
    ]
    runs: Annotated[int | None, Meta(description="Null: not known yet.")]
    active: Annotated[int | None, Meta(description="Runs whose newest value is less than ten minutes old.")]
    last_wall_time: Annotated[Number | None, Meta(description="Of the newest value.")]
    problem: Annotated[str, Meta(description="Why it cannot be opened; empty if it can.")]


class Projects(Struct, frozen=True):
    # Those that who asks may open. Empty: the server has no projects, only its log directories.
    projects: list[ProjectAnswer]
    person: PersonAnswer
    version: str
    # Title of the page, where the server was given one.
    window_title: str


ListProjects = Callable[[Person], Projects]


def describe_person(person: Person) -> PersonAnswer:
    return PersonAnswer(person.name, person.can_mark)


def make_routes(list_projects: ListProjects) -> tuple[Route, ...]:
    def read_projects(source: DataSource, asked: Asked) -> Reply:
        """The projects of this server that you may open, and who you are to it."""
        return list_projects(asked.person)

    return (Route("/api/projects", read_projects, Projects, wants_person=True),)
