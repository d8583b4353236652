"""The projects of a server: opened when somebody asks for one, closed again when nobody has for a while. One without a name is the only one.

Used in the event loop, except for what it hands to threads. Imports neither NumPy nor any dashboard.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from runglass.errors import BadRequest
from runglass.server.problems import logger

if TYPE_CHECKING:
    from runglass.api.dashboard import Dashboard
    from runglass.api.person import Person
    from runglass.api.projects import ProjectAnswer, Projects
    from runglass.overlay.shared import SharedMarks
    from runglass.query.source import DataSource
    from runglass.server.dispatch import Api
    from runglass.server.settings import Settings

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
FOLDER = "p"
# A project that nobody has asked for so long is closed; the next request opens it again.
IDLE_S = 1_800.0
FUTURE_S = 86_400.0
# A run counts as active for this long after its newest value.
ACTIVE_S = 600.0
# How long the list of projects waits for one to be read before it opens the next.
PATIENCE_S = 30.0

# The source, and what closes it.
Opened = tuple["DataSource", Callable[[], None]]
Submit = Callable[[Callable[[], "Api"]], "Future[Api]"]


class Plan(Struct, frozen=True):
    """What a user named: a project, where its logs are, and how they are opened. Opening runs in a thread."""

    name: str
    locations: tuple[str, ...]
    open: Callable[[], Opened]


class Figures(Struct, frozen=True):
    """What the list of projects shows of one."""

    runs: int
    active: int
    last_wall_time: float | None


class Project:
    def __init__(self, plan: Plan, make_api: Callable[[DataSource], Api]) -> None:
        self.plan = plan
        self._make_api = make_api
        self._api: Future[Api] | None = None
        self._close_source: Callable[[], None] = lambda: None
        self._source: DataSource | None = None
        # Requests that are being answered, live connections included.
        self.visits = 0
        self.used_at = time.monotonic()
        self._opened_at = 0.0
        self._figures: Figures | None = None

    def open(self, submit: Submit) -> Future[Api]:
        """Later calls return the same future unless it failed: descriptors or memory may have been short for a moment."""
        if self._api is None or (self._api.done() and self._api.exception() is not None):
            self._opened_at = time.monotonic()
            self._api = submit(self._open)
        return self._api

    def _open(self) -> Api:
        source, close = self.plan.open()
        self._close_source = close
        try:
            api = self._make_api(source)
        except BaseException:
            close()
            raise
        self._source = source
        return api

    @property
    def api(self) -> Api | None:
        """Where it is open."""
        if self._api is None or not self._api.done() or self._api.cancelled() or self._api.exception():
            return None
        return self._api.result()

    @property
    def is_loading(self) -> bool:
        """Whether it is being opened, or read for the first time; not for longer than anybody would wait."""
        if self._api is None or time.monotonic() - self._opened_at > PATIENCE_S:
            return False
        return not self._api.done() or self._state() == "loading"

    def close(self) -> Callable[[], None]:
        """End its live connections and jobs. What is returned closes its source, which may take a while."""
        self._figures = self._read_figures()
        api, self._api, self._source = self.api, None, None
        close, self._close_source = self._close_source, lambda: None
        if api is not None:
            api.close()
        return close

    def _error(self) -> BaseException | None:
        is_done = self._api is not None and self._api.done() and not self._api.cancelled()
        return self._api.exception() if self._api is not None and is_done else None

    def _state(self) -> Literal["waiting", "loading", "ready", "resting", "failed"]:
        if self._api is None:
            return "waiting" if self._figures is None else "resting"
        if not self._api.done():
            return "loading"
        if self._error() is not None:
            return "failed"
        return "ready" if self._source is not None and self._source.progress().is_loaded else "loading"

    def _read_figures(self) -> Figures | None:
        if self._source is None:
            return self._figures
        runs = self._source.list_runs()
        now = time.time()
        times = [run.last_wall_time for run in runs if run.last_wall_time is not None]
        # Clocks that were wrong name times to come.
        newest = [each for each in times if each < now + FUTURE_S]
        return Figures(
            len(runs), sum(0 <= now - each < ACTIVE_S for each in newest), max(newest, default=None)
        )

    def describe(self) -> ProjectAnswer:
        from runglass.api.answers import number_or_none
        from runglass.api.projects import ProjectAnswer

        figures = self._read_figures()
        error = self._error()
        state = self._state()
        return ProjectAnswer(
            name=self.plan.name,
            path=f"{FOLDER}/{self.plan.name}/",
            locations=list(self.plan.locations),
            state=state,
            runs=None if figures is None else figures.runs,
            active=None if figures is None else figures.active if state != "resting" else 0,
            last_wall_time=None if figures is None else number_or_none(figures.last_wall_time),
            problem="" if error is None else str(error) or type(error).__name__,
        )


class ProjectList:
    """All projects of a server, by name."""

    def __init__(
        self,
        plans: Sequence[Plan],
        settings: Settings,
        *,
        dashboards: Sequence[Dashboard] | None = None,
        overlay: SharedMarks | None = None,
    ) -> None:
        self.is_single = len(plans) == 1 and not plans[0].name
        self._settings = settings
        self._dashboards = dashboards
        self._overlay = overlay
        self._projects = {plan.name: Project(plan, self._maker(plan.name)) for plan in plans}
        if len(self._projects) < len(plans):
            raise BadRequest("Two projects have the same name.", where="project")

    def _maker(self, name: str) -> Callable[[DataSource], Api]:
        def make(source: DataSource) -> Api:
            from runglass.registry import DASHBOARDS
            from runglass.server.dispatch import Api

            return Api(
                source,
                self._settings,
                dashboards=self._dashboards or DASHBOARDS,
                project=name,
                store=None if self._overlay is None else self._overlay.of(name),
                list_projects=None if self.is_single else self.list,
            )

        return make

    def all(self) -> list[Project]:
        return list(self._projects.values())

    def find(self, name: str, person: Person) -> Project | None:
        """None: there is none, or not for this person, who does not learn which."""
        return self._projects.get(name) if person.may_see(name) else None

    def list(self, person: Person) -> Projects:
        from runglass.api.projects import Projects, describe_person

        seen = [each.describe() for name, each in self._projects.items() if person.may_see(name)]
        return Projects(seen, describe_person(person), self._settings.version, self._settings.window_title)

    def open_next(self, submit: Submit, person: Person) -> None:
        """Open one of those that were never opened, if none is being read: whoever looks at the list wants their figures."""
        if any(each.is_loading for each in self._projects.values()):
            return
        for name, each in self._projects.items():
            if person.may_see(name) and each._state() == "waiting":
                each.used_at = time.monotonic()
                each.open(submit)
                return

    def close_idle(self) -> None:
        now = time.monotonic()
        for project in self._projects.values():
            is_idle = project.visits == 0 and now - project.used_at > IDLE_S
            if not self.is_single and is_idle and project.api is not None:
                logger.info("Project %s rests: nobody has asked for it lately", project.plan.name)
                threading.Thread(target=project.close(), name="runglass-close", daemon=True).start()

    def close(self) -> None:
        for project in self._projects.values():
            project.close()()


def split_project(path: str) -> tuple[str | None, str]:
    """The project that a path names, and the path inside of it; None and the path itself if it names none.

    /p/vision/api/runs -> vision, /api/runs; /p/vision -> vision and nothing.
    """
    folder, slash, rest = path[1:].partition("/")
    name, inner, inside = rest.partition("/")
    if folder != FOLDER or not slash or not name:
        return None, path
    return name, inner + inside


def check_name(name: str) -> str:
    if NAME.fullmatch(name) is None:
        raise BadRequest(
            f"{name!r} cannot be the name of a project, because it becomes part of an address: letters, digits, '.', '_'"
            " and '-', 64 at most, a letter or digit first.",
            where="project",
        )
    return name
