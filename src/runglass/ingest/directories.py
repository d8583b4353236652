"""Indexes over directories for the watch: all names that a directory has through links, and which directories are below another.

Looking up costs in proportion to the depth of a path and to what is found, never to how many directories there are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator


class Names:
    """All names of a path below some directories, links among them. The system reports a change under any one of them."""

    def __init__(self, tops: Iterable[str]) -> None:
        self._tops: dict[str, list[str]] = {}
        for top in tops:
            self._tops.setdefault(os.path.realpath(top), []).append(top)
        # Only while one batch of changes is handled: links may change.
        self._real: dict[str, str] = {}

    def forget(self) -> None:
        self._real.clear()

    def of(self, path: str) -> Iterator[str]:
        directory, name = os.path.split(path)
        real = self._real.get(directory)
        if real is None:
            real = self._real[directory] = os.path.realpath(directory)
        real = at = os.path.join(real, name)
        while True:
            for top in self._tops.get(at, ()):
                yield top + real[len(at) :]
            above = os.path.dirname(at)
            if above == at:
                return
            at = above


class DirectoryTree:
    """Some directories, and those above them."""

    def __init__(self) -> None:
        self._own: set[str] = set()
        self._below: dict[str, set[str]] = {}

    def add(self, path: str) -> None:
        self._own.add(path)
        above = os.path.dirname(path)
        while above != path:
            below = self._below.setdefault(above, set())
            if path in below:
                return
            below.add(path)
            path, above = above, os.path.dirname(above)

    def remove(self, path: str) -> None:
        self._own.discard(path)
        while path not in self._own and path not in self._below:
            above = os.path.dirname(path)
            below = self._below.get(above)
            if below is None:
                return
            below.discard(path)
            if below:
                return
            del self._below[above]
            path = above

    def is_above(self, path: str) -> bool:
        """Whether one of them is at or below this path."""
        return path in self._own or path in self._below

    def list_below(self, path: str) -> list[str]:
        """Those at or below this path."""
        found: list[str] = []
        waiting = [path]
        while waiting:
            at = waiting.pop()
            if at in self._own:
                found.append(at)
            waiting.extend(self._below.get(at, ()))
        return found


def is_below_any(path: str, tops: set[str]) -> bool:
    """Whether a path is one of these or below one."""
    while path not in tops:
        above = os.path.dirname(path)
        if above == path:
            return False
        path = above
    return True


def drop_nested(paths: set[str]) -> list[str]:
    """Those that are not below another of them, in order."""
    return [path for path in sorted(paths) if not is_below_any(os.path.dirname(path), paths)]
