"""Waits for what another thread or process does, bounded in time."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 30.0


def until(is_so: Callable[[], object], what: str = "") -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, f"waited in vain for {what or is_so}"
        time.sleep(0.005)
