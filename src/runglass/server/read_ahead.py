"""Reads what pages ask for first, once all logs are loaded and before anybody asks: the lists, and what active dashboards name.

One thread, which ends when it is done. What it reads stays in the caches of those who read it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from runglass.api.dashboard import Dashboard
from runglass.api.lists import find_active
from runglass.query.source import DataSource
from runglass.server.problems import logger

WAIT_S = 1.0


class ReadAhead:
    def __init__(
        self, source: DataSource, dashboards: Sequence[Dashboard], *, read_lists: Callable[[], object]
    ) -> None:
        self._source = source
        self._dashboards = dashboards
        self._read_lists = read_lists
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="runglass-read-ahead", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """The thread ends after what it is reading."""
        self._is_closed.set()

    def _run(self) -> None:
        try:
            generation = self._source.generation
            while not self._source.progress().is_loaded:
                if self._is_closed.is_set():
                    return
                generation = self._source.wait_for_change(generation, timeout_s=WAIT_S)
            self._read_lists()
            active = find_active(self._source, self._dashboards)
            for each in self._dashboards:
                if each.read_ahead is not None and each.name in active and not self._is_closed.is_set():
                    each.read_ahead(self._source)
        # Whoever asks for it reads it then, and gets the error.
        except Exception as error:
            logger.debug("reading ahead stopped", exc_info=error)
