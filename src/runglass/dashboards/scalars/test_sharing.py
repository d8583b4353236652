"""Pages that ask the same share an answer that costs much, for a moment; cheap answers are always new."""

from __future__ import annotations

import threading

import pytest

from runglass.dashboards.scalars import sharing
from runglass.dashboards.scalars.sharing import SharedAnswers


class Asked:
    """Counts how often an answer is made; its cost is what the test says, not what this machine takes."""

    def __init__(self, monkeypatch, cost_s):
        self.made = 0
        self.generation = 1
        self.now_s = 0.0
        self._cpu_s = 0.0
        self._cost_s = cost_s
        self.shared = SharedAnswers()
        monkeypatch.setattr(sharing, "thread_time", lambda: self._cpu_s)
        monkeypatch.setattr(sharing, "monotonic", lambda: self.now_s)

    def make(self):
        self.made += 1
        self._cpu_s += self._cost_s
        return b"answer %d" % self.made

    def ask(self, question=b"q"):
        return self.shared.read(question, lambda: self.generation, self.make)


def test_a_costly_answer_is_given_again_until_its_time_is_up(monkeypatch):
    asked = Asked(monkeypatch, cost_s=0.02)
    assert asked.shared.find(b"q", 1) is None
    assert asked.ask() == asked.ask() == asked.shared.find(b"q", 1) == b"answer 1"
    asked.generation = 2
    asked.now_s = 0.079
    assert asked.ask() == asked.shared.find(b"q", 2) == b"answer 1"
    asked.now_s = 0.081
    assert asked.shared.find(b"q", 2) is None
    assert asked.ask() == b"answer 2"
    # Without a change it stays, however old it is.
    asked.now_s = 1000.0
    assert asked.ask() == b"answer 2"
    assert asked.ask(b"another question") == b"answer 3"


def test_no_answer_is_older_than_a_quarter_of_a_second(monkeypatch):
    asked = Asked(monkeypatch, cost_s=5.0)
    asked.ask()
    asked.generation = 2
    asked.now_s = 0.251
    assert asked.ask() == b"answer 2"


def test_a_cheap_answer_is_always_new(monkeypatch):
    asked = Asked(monkeypatch, cost_s=0.0019)
    assert asked.ask() == b"answer 1"
    asked.generation = 2
    assert asked.ask() == b"answer 2"


def test_an_error_is_not_kept(monkeypatch):
    asked = Asked(monkeypatch, cost_s=0.02)
    with pytest.raises(ZeroDivisionError):
        asked.shared.read(b"q", lambda: 1, lambda: bytes(1 // 0))
    assert asked.ask() == b"answer 1"


def test_who_asks_meanwhile_waits_for_the_same_answer(monkeypatch):
    asked = Asked(monkeypatch, cost_s=0.02)
    begun, go_on, answers = threading.Event(), threading.Event(), []

    def make():
        begun.set()
        assert go_on.wait(10)
        return asked.make()

    threads = [
        threading.Thread(target=lambda: answers.append(asked.shared.read(b"q", lambda: 1, make)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    assert begun.wait(10)
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert answers == [b"answer 1"] * 3
