"""The shared marks of all projects of a server, wherever they are kept, and those of one project."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from runglass.overlay.model import MarkChange, Shared, Written


class SharedMarks(ABC):
    """As OverlayStore, with the name of a project; "" is that of a server without projects."""

    def __init__(self) -> None:
        self._listening = threading.Lock()
        self._listeners: dict[object, Callable[[], None]] = {}

    def of(self, project: str) -> ProjectOverlay:
        return ProjectOverlay(self, project)

    @abstractmethod
    def read(self, project: str) -> Shared:
        """Never waits for a disk or a network."""

    @abstractmethod
    def write(self, project: str, changes: Sequence[MarkChange], *, by: str) -> Written: ...

    @abstractmethod
    def look(self) -> None: ...

    @abstractmethod
    def close(self) -> None:
        """Notice nothing more."""

    def listen(self, on_change: Callable[[], None]) -> Callable[[], None]:
        key = object()
        with self._listening:
            self._listeners[key] = on_change

        def leave() -> None:
            with self._listening:
                self._listeners.pop(key, None)

        return leave

    def _notify(self) -> None:
        with self._listening:
            listeners = list(self._listeners.values())
        for on_change in listeners:
            on_change()


class ProjectOverlay:
    def __init__(self, marks: SharedMarks, project: str) -> None:
        self._marks = marks
        self._project = project

    def read(self) -> Shared:
        return self._marks.read(self._project)

    def write(self, changes: Sequence[MarkChange], *, by: str) -> Written:
        return self._marks.write(self._project, changes, by=by)

    def look(self) -> None:
        self._marks.look()

    def listen(self, on_change: Callable[[], None]) -> Callable[[], None]:
        return self._marks.listen(on_change)
