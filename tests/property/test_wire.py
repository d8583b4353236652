from __future__ import annotations

import contextlib
import struct
from array import array
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from runglass.native.wire import Message, WireError, decode, encode
from runglass.schema.event import EVENT
from runglass.schema.graph import GRAPH
from runglass.schema.hparams import HPARAMS_PLUGIN
from runglass.schema.layout import LAYOUT
from runglass.schema.mesh import MESH_PLUGIN
from runglass.schema.run_metadata import RUN_METADATA
from runglass.schema.struct import VALUE as JSON_VALUE
from runglass.schema.struct import plain_value, wire_value
from runglass.schema.summary import METADATA
from runglass.schema.summary import VALUE as SUMMARY_VALUE
from runglass.schema.tensor import TENSOR

# Another process on the machine must not fail a test.
untimed = settings(deadline=None)

MESSAGES = [
    EVENT,
    SUMMARY_VALUE,
    METADATA,
    TENSOR,
    GRAPH,
    RUN_METADATA,
    HPARAMS_PLUGIN,
    LAYOUT,
    MESH_PLUGIN,
    JSON_VALUE,
]

EDGES = {
    "double": [0.0, -0.0, 1e308, 5e-324, float("inf"), float("-inf")],
    "float": [0.0, 0.5, -1.5, float("inf")],
    "int32": [0, 1, -1, 127, 128, 2**31 - 1, -(2**31)],
    "int64": [0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63)],
    "uint32": [0, 1, 128, 2**32 - 1],
    "uint64": [0, 1, 2**63, 2**64 - 1],
    "bool": [False, True],
    "string": ["", "loss", "é\0漢", "x" * 200],
    "bytes": [b"", b"\0\xff", b"y" * 130],
}
EDGES |= {"enum": EDGES["int32"], "fixed32": EDGES["uint32"], "fixed64": EDGES["uint64"]}
ARRAY_CODES = {
    "double": "d",
    "float": "f",
    "int32": "i",
    "int64": "q",
    "uint32": "I",
    "uint64": "Q",
    "bool": "b",
}


def values_of(message: Message, random: Random, depth: int = 0) -> dict[str, Any]:
    """A dict as `decode` gives it: a few fields, at most one of each oneof, no empty list."""
    out: dict[str, Any] = {}
    taken = set()
    for field in random.sample(message.fields, min(len(message.fields), random.randint(0, 4))):
        if depth == 6 or (field.oneof is not None and field.oneof in taken):
            continue
        taken.add(field.oneof)

        def one(kind: Any = field.type) -> Any:
            return (
                values_of(kind, random, depth + 1)
                if isinstance(kind, Message)
                else random.choice(EDGES[kind])
            )

        if field.key is not None:
            out[field.name] = {random.choice(EDGES[field.key]): one() for _ in range(random.randint(1, 3))}
        elif field.is_array:
            out[field.name] = array(
                ARRAY_CODES[str(field.type)], [one() for _ in range(random.randint(1, 4))]
            )
        elif field.repeated:
            out[field.name] = [one() for _ in range(random.randint(1, 3))]
        else:
            out[field.name] = one()
    return out


# Drawn by one seed: a strategy per field would spend all its time in drawing.
seeds = st.integers(0, 2**32).map(Random)
any_message = st.sampled_from(MESSAGES)
message_and_values = st.builds(
    lambda message, random: (message, values_of(message, random)), any_message, seeds
)


def values_strategy(message: Message) -> st.SearchStrategy[dict[str, Any]]:
    return seeds.map(lambda random: values_of(message, random))


@untimed
@given(message_and_values)
def test_what_is_encoded_decodes_to_the_same(case):
    message, values = case
    data = encode(message, values)
    assert decode(message, data) == values
    assert encode(message, decode(message, data)) == data


def wire_oracle(data: bytes) -> list[tuple[int, int, bytes]]:
    """The fields of a message by the definition of the format, without a schema."""

    def varint(at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            value |= (data[at] & 0x7F) << shift
            at += 1
            if data[at - 1] < 0x80:
                return value, at
            shift += 7

    fields, at = [], 0
    while at < len(data):
        key, at = varint(at)
        start = at
        if key & 7 == 0:
            _, at = varint(at)
        elif key & 7 == 2:
            size, start = varint(at)
            at = start + size
        else:
            at += {1: 8, 5: 4}[key & 7]
        fields.append((key >> 3, key & 7, data[start:at]))
    return fields


@untimed
@given(values_strategy(SUMMARY_VALUE))
def test_encoding_follows_the_wire_format(values):
    found = {number: content for number, _, content in wire_oracle(encode(SUMMARY_VALUE, values))}
    numbers = {field.name: field.number for field in SUMMARY_VALUE.fields}
    assert list(found) == sorted(numbers[name] for name in values)
    if "tag" in values:
        assert found[1].decode() == values["tag"]
    if "simple_value" in values:
        assert struct.unpack("<f", found[2])[0] == values["simple_value"]
    if "tensor" in values:
        assert decode(TENSOR, found[8]) == values["tensor"]


@settings(untimed, max_examples=300)
@given(any_message, st.binary(max_size=120))
def test_arbitrary_bytes_decode_or_raise_wire_error(message, data):
    with contextlib.suppress(WireError):
        decode(message, data)


@settings(untimed, max_examples=300)
@given(message_and_values, st.data())
def test_mutated_messages_decode_or_raise_wire_error(case, data):
    message, values = case
    mutated = bytearray(encode(message, values))
    for _ in range(data.draw(st.integers(0, 3))):
        if mutated:
            mutated[data.draw(st.integers(0, len(mutated) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(mutated)))
    with contextlib.suppress(WireError):
        decode(message, mutated[:cut])


@untimed
@given(values_strategy(TENSOR), values_strategy(TENSOR))
def test_concatenated_messages_merge(first, second):
    merged = decode(TENSOR, encode(TENSOR, first) + encode(TENSOR, second))
    for field in TENSOR.fields:
        if field.repeated:
            expected = list(first.get(field.name, [])) + list(second.get(field.name, []))
            assert list(merged.get(field.name, [])) == expected
        elif not isinstance(field.type, Message):
            assert merged.get(field.name) == second.get(field.name, first.get(field.name))


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@untimed
@given(json_values)
def test_json_values_come_back(value):
    assert plain_value(decode(JSON_VALUE, encode(JSON_VALUE, wire_value(value)))) == value
