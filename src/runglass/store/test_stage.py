"""Generations across servers: a page may outlive one server and meet the next at the same address."""

from __future__ import annotations

import time

from runglass.store.stage import Epochs, Store


def test_the_next_server_is_ahead_of_the_last(monkeypatch):
    now_ns = 1_700_000_000 * 10**9
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)
    first = Store([])
    for _ in range(500):
        first.publish([])
    # A second later, with less to tell.
    now_ns += 10**9
    second = Store([])
    second.publish([])
    assert second.generation > first.generation
    assert second.generation < 2**53, "browsers hold numbers as doubles"


def test_every_process_has_epochs_of_its_own():
    assert len({Epochs().first for _ in range(20)}) > 1
