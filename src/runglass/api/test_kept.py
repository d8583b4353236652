"""What caches keep, for how long, and what they drop first."""

from __future__ import annotations

import gc
import weakref

import pytest

from runglass.api.kept import PerSource, Versioned
from runglass.lru import LruCache
from runglass.query.memory import MemorySource


class Made:
    """Counts how often a value is made."""

    def __init__(self):
        self.count = 0

    def __call__(self):
        self.count += 1
        return self.count


def test_a_value_holds_until_its_version_changes():
    kept, make = Versioned(), Made()
    assert [kept.read("a", version, make) for version in (1, 1, 2, 2, 1)] == [1, 1, 2, 2, 3]
    assert (kept.find("a", 1), kept.find("a", 2), kept.find("b", 1)) == (3, None, None)


def test_keys_have_versions_of_their_own():
    kept, make = Versioned(), Made()
    assert [kept.read(key, 7, make) for key in "abab"] == [1, 2, 1, 2]
    assert kept.read("a", 8, make) == 3
    assert kept.read("b", 7, make) == 2


def test_a_value_that_cannot_be_made_is_not_kept():
    kept = Versioned()
    with pytest.raises(IndexError):
        kept.read("a", 1, lambda: [][0])
    assert kept.read("a", 1, lambda: "there") == "there"


def test_keys_that_are_gone_are_forgotten():
    kept, make = Versioned(), Made()
    for key in "abc":
        kept.read(key, 1, make)
    kept.forget_all_but({"b", "other"})
    assert [kept.read(key, 1, make) for key in "abc"] == [4, 2, 5]


def test_each_source_has_its_own_until_it_is_gone():
    per_source = PerSource(lambda: LruCache(2))
    a, b = MemorySource(), MemorySource()
    of_a = weakref.ref(per_source.of(a))
    assert per_source.of(a) is of_a()
    assert per_source.of(b) is not of_a()
    del a
    gc.collect()
    assert of_a() is None
