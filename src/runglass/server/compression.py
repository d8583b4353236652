"""Chooses a content encoding for a client and applies it: zstd where both sides support it, else gzip."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache

from runglass.api.route import COLUMNS, Answer

MIN_SIZE_BYTES = 1024
# Fast rather than small: at this level compressing takes about as long as sending the saved bytes on a home network.
LEVEL = 1
GZIP_WINDOW_BITS = 31

COMPRESSIBLE = ("text/", "application/json", COLUMNS, "image/svg+xml", "application/wasm")


def encode_answer(answer: Answer, accept_encoding: str, *, is_loopback: bool) -> tuple[bytes, str | None]:
    """The encoded body and its content encoding. Takes time in proportion to the body unless it is kept already."""
    kept = answer.encodings
    # Between two programs on one machine, compressing a body that is sent once takes longer than sending it.
    is_worth_it = kept is not None or not is_loopback
    if len(answer.body) < MIN_SIZE_BYTES or not is_worth_it or not answer.media_type.startswith(COMPRESSIBLE):
        return answer.body, None
    accepted = parse_accepted(accept_encoding)
    for known, packed in (kept or {}).items():
        if known in accepted:
            return packed, known
    encoding = choose_encoding(accepted)
    if encoding is None:
        return answer.body, None
    compress = _zstd() if encoding == "zstd" else _gzip
    assert compress is not None
    body = compress(answer.body)
    if kept is not None:
        kept[encoding] = body
    return body, encoding


def parse_accepted(accept_encoding: str) -> set[str]:
    accepted = set()
    for part in accept_encoding.lower().split(","):
        name, _, weight = part.partition(";")
        if weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            accepted.add(name.strip())
    return accepted


def choose_encoding(accepted: set[str]) -> str | None:
    if "zstd" in accepted and _zstd() is not None:
        return "zstd"
    return "gzip" if "gzip" in accepted else None


def _gzip(body: bytes) -> bytes:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP_WINDOW_BITS)
    return packer.compress(body) + packer.flush()


@cache
def _zstd() -> Callable[[bytes], bytes] | None:
    try:
        from compression import zstd
    except ImportError:
        pass
    else:
        return lambda body: bytes(zstd.compress(body, level=LEVEL))
    try:
        import zstandard
    except ImportError:
        return None
    # One compressor per call: they must not be shared between threads.
    return lambda body: bytes(zstandard.ZstdCompressor(level=LEVEL).compress(body))
