"""Makes damaged bytes out of good ones: flipped, cut, doubled, overwritten and invented, from a seeded generator.

`repair` makes the checksums of an event file hold again, so that damage is not stopped by them."""

from __future__ import annotations

import random
import struct

from runglass.native.records import masked_crc32c

LIMIT_BYTES = 64 * 1024
# Numbers that parsers get wrong: ends of ranges, and lengths that point outside.
AWKWARD = [
    b"\x00" * 12,
    b"\xff" * 12,
    b"\x80" * 10,
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    (2**63).to_bytes(8, "little"),
    (2**31).to_bytes(8, "little"),
    b"\x0a\xff\xff\xff\xff\x07",
    b"\x2a\x80\x80\x80\x80\x10",
]


def mutate(rng: random.Random, seeds: list[bytes]) -> bytes:
    data = bytearray(rng.choice(seeds)[:LIMIT_BYTES])
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        if not data:
            return rng.randbytes(rng.randrange(64))
        at = rng.randrange(len(data))
        kind = rng.randrange(7)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            data[at : at + rng.randrange(1, 16)] = rng.randbytes(rng.randrange(16))
        elif kind == 3:
            end = min(len(data), at + rng.randrange(1, 200))
            data[at:at] = data[at:end]
        elif kind == 4:
            awkward = rng.choice(AWKWARD)
            data[at : at + len(awkward)] = awkward
        elif kind == 5:
            other = rng.choice(seeds)
            begin = rng.randrange(len(other) or 1)
            data[at:at] = other[begin : begin + rng.randrange(200)]
        else:
            del data[at : at + rng.randrange(1, 64)]
    return bytes(data[:LIMIT_BYTES])


def repair(data: bytes) -> bytes:
    """The same event file with checksums that hold, as far as its lengths lead through it."""
    whole = bytearray(data)
    at = 0
    while at + 12 <= len(whole):
        (length,) = struct.unpack_from("<Q", whole, at)
        struct.pack_into("<I", whole, at + 8, masked_crc32c(whole[at : at + 8]))
        end = at + 12 + length
        if end + 4 > len(whole):
            break
        struct.pack_into("<I", whole, end, masked_crc32c(whole[at + 12 : end]))
        at = end + 4
    return bytes(whole)
