"""What is compressed for which client, and that it decompresses to the same bytes."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest

from runglass.api.route import COLUMNS, Answer
from runglass.query.memory import MemorySource
from runglass.server import compression
from runglass.server.app import App
from runglass.server.compression import choose_encoding, encode_answer, parse_accepted
from runglass.server.in_process import InProcess

zstandard = pytest.importorskip("zstandard")
BODY = b"0123456789" * 1000
UNPACK: dict[str | None, Callable[[bytes], bytes]] = {
    None: bytes,
    "gzip": gzip.decompress,
    "zstd": lambda body: zstandard.ZstdDecompressor().decompress(body),
}


@pytest.mark.parametrize(
    ("accept", "encoding"),
    [
        ("", None),
        ("identity", None),
        ("gzip", "gzip"),
        ("GZIP;q=0.5", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("zstd;q=0, gzip", "gzip"),
        ("gzip; q=0.000", None),
        ("br", None),
        (";;,,=", None),
    ],
)
def test_negotiation(accept, encoding):
    assert choose_encoding(parse_accepted(accept)) == encoding
    body, used = encode_answer(Answer(BODY), accept, is_loopback=False)
    assert used == encoding
    assert UNPACK[used](body) == BODY


def test_without_a_zstd_module(monkeypatch):
    monkeypatch.setattr(compression, "_zstd", lambda: None)
    assert choose_encoding({"zstd", "gzip"}) == "gzip"


@pytest.mark.parametrize(
    ("answer", "is_loopback", "is_compressed"),
    [
        (Answer(BODY), False, True),
        (Answer(BODY), True, False),
        (Answer(BODY, encodings={}), True, True),
        (Answer(BODY[:1000]), False, False),
        (Answer(BODY, COLUMNS), False, True),
        (Answer(BODY, COLUMNS), True, False),
        (Answer(BODY, "image/png"), False, False),
    ],
)
def test_only_where_it_pays(answer, is_loopback, is_compressed):
    _, encoding = encode_answer(answer, "gzip", is_loopback=is_loopback)
    assert (encoding is not None) == is_compressed


def test_kept_answers_are_compressed_once():
    answer = Answer(BODY, encodings={})
    first, _ = encode_answer(answer, "gzip", is_loopback=False)
    second, _ = encode_answer(answer, "gzip", is_loopback=False)
    assert first is second


def test_an_encoding_that_is_there_already_is_sent_rather_than_a_better_one():
    answer = Answer(BODY, encodings={"gzip": b"packed"})
    assert encode_answer(answer, "zstd, gzip", is_loopback=True) == (b"packed", "gzip")
    assert encode_answer(answer, "zstd", is_loopback=True)[1] == "zstd"


@pytest.mark.parametrize("accept", ["gzip", "zstd"])
def test_over_http(accept):
    source = MemorySource().add_scalars("a", "b", step=range(9000), value=range(9000))
    app = App(source)
    url = "/api/scalars/points?run=a&tag=b"
    plain = InProcess(app).get(url, accept_encoding=accept)
    packed = InProcess(app, client="10.0.0.9").get(url, accept_encoding=accept)
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == accept
    assert packed.headers["content-length"] == str(len(packed.body))
    assert UNPACK[accept](packed.body) == plain.body
