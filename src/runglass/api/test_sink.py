"""What is written to a sink comes out once, in order."""

from __future__ import annotations

from io import UnsupportedOperation

import pytest

from runglass.api.sink import Sink


def test_what_was_written_is_taken_once():
    sink = Sink()
    assert sink.writable()
    assert (sink.write(b"one"), sink.write(memoryview(b"two"))) == (3, 3)
    assert (sink.take(), sink.take()) == (b"onetwo", b"")
    sink.write(b"three")
    assert (sink.take(), sink.tell()) == (b"three", 11)


def test_it_cannot_seek():
    with pytest.raises(UnsupportedOperation):
        Sink().seek(0)
