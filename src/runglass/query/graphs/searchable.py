"""The texts of one graph that are searched: read when they are first looked at, and kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from runglass.native.graph import texts_with
from runglass.query.graphs.attribute_lines import AttributeLines, Mask
from runglass.query.graphs.model import Graph, shape_text
from runglass.query.graphs.patterns import lower_pattern, needed_of_each, needed_texts

# What a pattern may look at of one text.
MAX_TEXT = 400
AHEAD_S = 30.0


class Pattern(NamedTuple):
    """A pattern and the texts that it is looked for in, none longer than it may look at."""

    text: str
    ignores_case: bool
    texts: Sequence[str]


class Searchable:
    """The texts of one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        # Several requests may read attributes at once.
        self._lock = threading.Lock()
        self._ahead: threading.Thread | None = None
        self._attributes = AttributeLines(graph)
        # Of the last pattern, which is asked for several times.
        self._last: tuple[str, NDArray[np.int64], Pattern] | None = None

    @cached_property
    def names(self) -> list[str]:
        return [name.lower() for name in self.graph.names]

    def look_in_names(self, pattern: str) -> tuple[NDArray[np.int64], Pattern]:
        """Nodes whose name may match, and the names."""
        last = self._last
        if last is None or last[0] != pattern:
            last = self._last = pattern, *self._look_in_names(pattern)
        return last[1], last[2]

    def _look_in_names(self, pattern: str) -> tuple[NDArray[np.int64], Pattern]:
        in_lower = lower_pattern(pattern) if self._is_ascii else None
        names = self._short_names if in_lower is None else self._short_lower
        places = self._find_candidates(pattern)
        if places is None:
            return np.arange(len(names)), Pattern(in_lower or pattern, in_lower is None, names)
        some = [names[place] for place in places]
        return np.array(places, np.int64), Pattern(in_lower or pattern, in_lower is None, some)

    def names_with(self, texts: Sequence[str]) -> Mask:
        """Nodes whose name has one of these texts, in either case."""
        joined, starts = self._joined
        has = np.zeros(len(starts), np.bool_)
        for text in texts:
            has |= texts_with(joined, starts, encode(text.lower()))
        return has

    def _find_candidates(self, pattern: str) -> list[int] | None:
        """Nodes whose name has the texts that a pattern needs; None: all."""
        has: Mask | None = None
        if needed := needed_texts(pattern):
            has = np.logical_and.reduce([self.names_with([text]) for text in needed])
        elif alternatives := needed_of_each(pattern):
            has = self.names_with(alternatives)
        return None if has is None else np.flatnonzero(has).tolist()

    @cached_property
    def _short_names(self) -> Sequence[str]:
        return cut_texts(self.graph.names)

    @cached_property
    def _short_lower(self) -> Sequence[str]:
        return cut_texts(self.names)

    @cached_property
    def _is_ascii(self) -> bool:
        return self._joined[0].isascii()

    @cached_property
    def _joined(self) -> tuple[bytes, NDArray[np.int64]]:
        """All names after each other, and where each begins: to look in one text is much faster than in many."""
        encoded = [encode(name) for name in self.names]
        sizes = np.array([len(name) for name in encoded], np.int64)
        return b"".join(encoded), np.cumsum(sizes) - sizes

    @cached_property
    def shapes(self) -> list[str]:
        return [shape_text(shape).replace("×", "x") for shape in self.graph.shape_names]

    def read_attributes(self, is_time: Callable[[], bool]) -> list[str]:
        """Every different "name=value" in lower case. Reads the attributes of all nodes first, as long as there is time."""
        attributes = self._attributes
        while True:
            with self._lock:
                if not attributes.is_complete:
                    attributes.read_part()
                if attributes.is_complete:
                    return attributes.texts
                done = attributes.nodes_read / len(self.graph)
            if not is_time():
                raise TimeoutError(f"Attributes are still being read ({done:.0%}). Search again in a moment.")

    def read_ahead(self) -> None:
        """Read the attributes meanwhile."""
        if self._ahead is None and not self._attributes.is_complete:
            self._ahead = threading.Thread(target=self._read_for, args=(AHEAD_S,), daemon=True)
            self._ahead.start()

    def _read_for(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        with suppress(TimeoutError):
            self.read_attributes(lambda: time.monotonic() < until)

    def with_attributes(self, wanted: set[str]) -> Mask:
        """Nodes that have one of these attributes."""
        return self._attributes.nodes_with(wanted)


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def make_pattern(pattern: str, texts: Sequence[str]) -> Pattern:
    joined = "".join(texts)
    lower = lower_pattern(pattern) if joined.isascii() and joined == joined.lower() else None
    some = cut_texts(texts)
    return Pattern(pattern, True, some) if lower is None else Pattern(lower, False, some)


def cut_texts(texts: Sequence[str]) -> Sequence[str]:
    if max(map(len, texts), default=0) <= MAX_TEXT:
        return texts
    return [text[:MAX_TEXT] for text in texts]
