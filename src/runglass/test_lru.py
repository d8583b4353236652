"""What the cache evicts first, and what it counts."""

from __future__ import annotations

from runglass.lru import LruCache


def test_what_was_used_longest_ago_goes_first():
    cache = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_sizes_are_counted():
    cache = LruCache(10, size_of=len)
    cache.put("a", "1234")
    cache.put("b", "1234")
    cache.put("a", "12")
    cache.put("c", "1234")
    assert [cache.get(key) for key in "abc"] == ["12", "1234", "1234"]
    cache.put("d", "1")
    assert [cache.get(key) for key in "abcd"] == [None, "1234", "1234", "1"]


def test_one_value_is_kept_however_large():
    cache = LruCache(10, size_of=len)
    cache.put("a", "1")
    cache.put("b", "x" * 100)
    assert (cache.get("a"), cache.get("b")) == (None, "x" * 100)
    cache.put("c", "2")
    assert (cache.get("b"), cache.get("c")) == (None, "2")


def test_all_values_and_none():
    cache = LruCache(3, size_of=len)
    cache.put("a", "12")
    cache.put("b", "3")
    assert cache.values() == ["12", "3"]
    cache.clear()
    assert (cache.values(), cache.get("a")) == ([], None)
    cache.put("c", "123")
    assert cache.values() == ["123"]
