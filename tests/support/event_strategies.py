"""Hypothesis strategies for the bytes of events: what real writers write, what odd ones may, and what is no event at all."""

from __future__ import annotations

import math
import struct

from hypothesis import strategies as st
from tests.support import event_bytes as eb

TAGS = [b"loss", b"acc/train", "精度 🎉".encode(), b"\xff\xfe", b"\xff\xfd", b"x" * 150, b""]
PLUGINS = ["scalars", "scalars", "text", "images", "histograms", "hparams", "", "mine"]
# Wire bytes that end too early: metadata and messages that cannot be decoded.
BROKEN = [b"\x0a\xff", b"\x08", b"\x00", b"\x0b\x01", b"\xff" * 11]

steps = st.one_of(
    st.none(),
    st.integers(0, 40),
    st.sampled_from([-1, -(2**63), 2**53 + 1, 2**63 - 1, 2**32]),
    st.integers(-(2**63), 2**63 - 1),
)
wall_times = st.one_of(
    st.none(),
    st.floats(1.6e9, 1.8e9),
    st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, -5.0, 5e-324, 1.7e9]),
)
float32s = st.floats(width=32)
float64s = st.one_of(st.floats(), float32s, st.sampled_from([1e300, 5e-324, 1 + 2**-52, 0.1]))
INTEGERS = {
    "int8": st.integers(-(2**7), 2**7 - 1),
    "uint8": st.integers(0, 2**8 - 1),
    "int16": st.integers(-(2**15), 2**15 - 1),
    "uint16": st.integers(0, 2**16 - 1),
    "int32": st.integers(-(2**31), 2**31 - 1),
    "uint32": st.integers(0, 2**32 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "uint64": st.integers(0, 2**64 - 1),
    "bool": st.integers(0, 1),
    "bfloat16": st.integers(0, 2**16 - 1),
}


@st.composite
def tensors(draw: st.DrawFn) -> bytes:
    """A tensor of zero, one or two numbers of any type, in any encoding, with its fields in any order."""
    dtype = draw(st.sampled_from(sorted(eb.TYPED_FIELDS)))
    in_content = draw(st.booleans())
    count = draw(st.sampled_from([1, 1, 1, 0, 2]))
    items = draw(st.lists(element(dtype, in_content=in_content), min_size=count, max_size=count))
    body = eb.content(dtype, items) if in_content else eb.typed(dtype, items, packed=draw(st.booleans()))
    dims = draw(st.sampled_from([None, (), (1,), (1, 1), (2,), (0,), (3,)]))
    parts = [eb.number(1, eb.DTYPES[dtype]), b"" if dims is None else eb.shape(dims), body]
    parts.append(draw(st.sampled_from([b"", b"", eb.number(3, 7), eb.chunk(99, b"later")])))
    return b"".join(draw(st.permutations(parts)) if draw(st.booleans()) else parts)


def element(dtype: str, *, in_content: bool) -> st.SearchStrategy[float]:
    if dtype == "float":
        return float32s
    if dtype == "double":
        return float64s
    if dtype == "half":
        bits = st.integers(0, 2**16 - 1)
        return st.floats(width=16) if in_content else st.one_of(bits, st.floats(width=16).map(float32_bits))
    if dtype == "bfloat16" and not in_content:
        return st.one_of(INTEGERS[dtype], float32s.map(float32_bits))
    return INTEGERS[dtype]


def float32_bits(number: float) -> int:
    """As torch stores a half: the float32's bits, as a signed number."""
    return int(struct.unpack("<i", struct.pack("<f", number))[0])


@st.composite
def metadata(draw: st.DrawFn) -> bytes:
    if draw(st.integers(0, 12)) == 0:
        return eb.chunk(9, draw(st.sampled_from(BROKEN)))
    return eb.metadata(
        draw(st.sampled_from(PLUGINS)),
        display_name=draw(st.sampled_from(["", "Loss"])),
        description=draw(st.sampled_from(["", "*of* training"])),
        data_class=draw(st.integers(0, 3)),
    )


@st.composite
def values(draw: st.DrawFn) -> bytes:
    """A Summary.Value of any kind."""
    tag = draw(st.sampled_from(TAGS))
    kind = draw(
        st.sampled_from(
            ["simple", "simple", "tensor", "tensor", "strings", "vector", "histogram", "image", "none"]
        )
    )
    parts = []
    if kind == "simple":
        parts.append(eb.fixed32(2, draw(float32s)))
    elif kind == "tensor":
        parts.append(eb.chunk(8, draw(tensors())))
    elif kind == "strings":
        parts.append(eb.chunk(8, eb.strings(draw(st.lists(st.binary(max_size=8), max_size=3)), dims=None)))
    elif kind == "vector":
        parts.append(eb.chunk(8, eb.floats([1.0, 2.0, 3.0], (3,))))
    elif kind == "histogram":
        parts.append(eb.histogram_value("", [0.0, 1.0, 2.0], [0.0, 3.0, 1.0], -1.0, 1.5)[2:])
    elif kind == "image":
        parts.append(eb.image_value("", eb.png(2, 2), 2, 2)[2:])
    if draw(st.integers(0, 2)) == 0:
        parts.insert(draw(st.integers(0, len(parts))), draw(metadata()))
    name = eb.chunk(7 if draw(st.integers(0, 15)) == 0 else 1, tag)
    parts.insert(draw(st.sampled_from([0, 0, 0, len(parts)])), name)
    return b"".join(parts)


@st.composite
def payloads(draw: st.DrawFn, *, broken: bool = True, starts: bool = True) -> bytes:
    """An Event of any kind; with `broken`, now and then something that is none."""
    wall_time, step = draw(wall_times), draw(steps)
    kinds = ["summary"] * 10 + ["graph", "meta_graph", "run_metadata", "version", "nothing"]
    kind = draw(
        st.sampled_from(kinds + (["start", "start"] if starts else []) + (["broken"] if broken else []))
    )
    if kind == "graph":
        return eb.event(eb.chunk(4, eb.graph_def(["a"])), wall_time=wall_time, step=step)
    if kind == "meta_graph":
        return eb.event(eb.chunk(9, eb.chunk(2, eb.graph_def(["m"]))), wall_time=wall_time, step=step)
    if kind == "run_metadata":
        return eb.event(
            eb.chunk(8, eb.chunk(1, b"step 1") + eb.chunk(2, b"")), wall_time=wall_time, step=step
        )
    if kind == "version":
        return eb.event(
            eb.chunk(3, b"brain.Event:2"), eb.chunk(10, eb.chunk(1, b"w")), wall_time=wall_time, step=step
        )
    if kind == "nothing":
        return eb.event(wall_time=wall_time, step=step)
    if kind == "start":
        status = draw(st.sampled_from([1, 1, 2, 3]))
        return eb.event(eb.chunk(7, eb.number(1, status)), wall_time=wall_time, step=step)
    found = draw(st.lists(values(), min_size=1, max_size=3))
    if kind == "broken":
        return draw(broken_payloads(found))
    if draw(st.integers(0, 9)) == 0:
        # Step and wall time behind the summary: allowed, and written by nobody we know.
        return eb.summary(*found) + eb.event(wall_time=wall_time, step=step)
    return eb.event(eb.summary(*found), wall_time=wall_time, step=step)


@st.composite
def broken_payloads(draw: st.DrawFn, found: list[bytes]) -> bytes:
    """An event that begins well and turns out to be none."""
    whole = eb.event(eb.summary(*found), wall_time=1.7e9, step=3)
    how = draw(st.sampled_from(["cut", "garbage", "bad value", "bad session", "bad tensor"]))
    if how == "cut":
        return whole[: draw(st.integers(1, len(whole) - 1))]
    if how == "garbage":
        return draw(st.binary(min_size=1, max_size=40))
    bad = draw(st.sampled_from(BROKEN))
    if how == "bad value":
        return eb.event(eb.summary(*found, eb.value(b"loss", bad)), wall_time=1.7e9, step=3)
    if how == "bad tensor":
        return eb.event(eb.summary(*found, eb.tensor_value(b"fresh", bad)), wall_time=1.7e9, step=3)
    return whole + eb.chunk(7, eb.number(1, 1) + bad)


def event_files(
    *, max_events: int = 12, broken: bool = True, starts: bool = True
) -> st.SearchStrategy[bytes]:
    return st.lists(payloads(broken=broken, starts=starts), max_size=max_events).map(
        lambda found: eb.records(eb.file_version(), *found)
    )
