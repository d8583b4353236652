"""Bytes written to a sink come out once, in order."""

from __future__ import annotations

from io import UnsupportedOperation

import pytest

from runglass.api.sink import Sink


def test_written_bytes_are_taken_once():
    sink = Sink()
    assert sink.writable()
    assert (sink.write(b"one"), sink.write(memoryview(b"two"))) == (3, 3)
    assert (sink.take(), sink.take()) == (b"onetwo", b"")
    sink.write(b"three")
    assert (sink.take(), sink.tell()) == (b"three", 11)


def test_it_cannot_seek():
    with pytest.raises(UnsupportedOperation):
        Sink().seek(0)
