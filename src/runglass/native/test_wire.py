from __future__ import annotations

from array import array

import pytest

from runglass.native.wire import Field, Message, WireError, decode, encode

INNER = Message(
    "Inner", Field(1, "a", "int32"), Field(2, "b", "string"), Field(3, "many", "int64", repeated=True)
)
TREE = Message("Tree")
TREE.define(Field(1, "child", TREE), Field(2, "leaf", "int32"))
OUTER = Message(
    "Outer",
    Field(1, "inner", INNER),
    Field(2, "names", "string", repeated=True),
    Field(3, "table", INNER, key="string"),
    Field(4, "counts", "uint32", key="int64"),
    Field(5, "numbers", "float", repeated=True, is_array=True),
    Field(6, "flags", "bool", repeated=True, is_array=True),
    Field(7, "either", "int32", oneof="choice"),
    Field(8, "or_this", INNER, oneof="choice"),
    Field(9, "loose", "int32", repeated=True, packed=False),
    Field(16, "raw", "bytes"),
)


def round_trip(values):
    return decode(OUTER, encode(OUTER, values))


def test_every_form_of_field_comes_back():
    values = {
        "inner": {"a": -1, "b": "é", "many": [1, -(2**63), 2**63 - 1]},
        "names": ["", "x"],
        "table": {"k": {"a": 0}, "": {}},
        "counts": {-5: 2**32 - 1},
        "numbers": array("f", [0.5, float("inf")]),
        "flags": array("b", [1, 0]),
        "either": 0,
        "loose": [3, -3],
        "raw": b"\0\xff",
    }
    assert round_trip(values) == values


def test_fields_are_written_in_the_order_of_their_numbers():
    assert encode(INNER, {"b": "x", "a": 1}) == b"\x08\x01\x12\x01x"


def test_a_negative_int32_takes_ten_bytes():
    assert encode(INNER, {"a": -2}) == b"\x08\xfe" + b"\xff" * 8 + b"\x01"
    # Five bytes, as a writer that cut the sign off would: still the same number.
    assert decode(INNER, b"\x08\xfe\xff\xff\xff\x0f") == {"a": -2}


def test_packed_and_unpacked_numbers_mix():
    assert decode(INNER, bytes.fromhex("1801 1a020203 1804")) == {"many": [1, 2, 3, 4]}
    assert decode(OUTER, bytes.fromhex("2d0000003f 2a040000803f")) == {"numbers": array("f", [0.5, 1.0])}


def test_the_last_scalar_wins_and_messages_merge():
    first = encode(OUTER, {"inner": {"a": 1, "b": "x", "many": [1]}})
    second = encode(OUTER, {"inner": {"a": 2, "many": [2]}})
    assert decode(OUTER, first + second) == {"inner": {"a": 2, "b": "x", "many": [1, 2]}}


def test_a_map_key_that_comes_twice_keeps_its_last_value():
    first = encode(OUTER, {"table": {"k": {"a": 1, "b": "x"}}})
    second = encode(OUTER, {"table": {"k": {"a": 2}}})
    assert decode(OUTER, first + second) == {"table": {"k": {"a": 2}}}


def test_an_empty_map_entry_has_default_key_and_value():
    assert decode(OUTER, b"\x1a\x00\x22\x00") == {"table": {"": {}}, "counts": {0: 0}}


def test_only_the_last_member_of_a_oneof_stays():
    either = encode(OUTER, {"either": 1})
    other = encode(OUTER, {"or_this": {"a": 1}})
    assert decode(OUTER, either + other) == {"or_this": {"a": 1}}
    assert decode(OUTER, other + either) == {"either": 1}


def test_unknown_fields_and_wrong_wire_types_are_skipped():
    unknown = bytes.fromhex("a00601 a106" + "00" * 8 + "a2060178 a506" + "00" * 4)
    text_where_a_number_belongs = b"\x0a\x01x"
    number_where_a_text_belongs = b"\x10\x05"
    data = unknown + text_where_a_number_belongs + number_where_a_text_belongs + b"\x08\x07"
    assert decode(INNER, data) == {"a": 7}


def test_wrong_utf8_is_replaced():
    assert decode(INNER, b"\x12\x03a\xffb") == {"b": "a\ufffdb"}
    assert decode(INNER, encode(INNER, {"b": "a\ud800b"})) == {"b": "a?b"}


def test_a_message_may_be_given_as_its_bytes():
    assert round_trip({"inner": b"\x08\x07"}) == {"inner": {"a": 7}}


@pytest.mark.parametrize(
    ("data", "offset", "what"),
    [
        ("08", 0, "Inner.a is longer"),
        ("0801 1205 61", 2, "Inner.b is longer"),
        ("0801 ff", 2, "no field key"),
        ("00", 0, "no field key"),
        ("0b", 0, r"field 1 of Inner \(wire type 3\)"),
        ("2500", 0, r"field 4 of Inner \(wire type 5\)"),
        ("1a028080", 2, "a number of Inner.many is cut off"),
        ("08ffffffffffffffffffff01", 0, "Inner.a is longer"),
    ],
)
def test_malformed_bytes_name_the_place(data, offset, what):
    with pytest.raises(WireError, match=f"byte {offset}: .*{what}") as caught:
        decode(INNER, bytes.fromhex(data))
    assert caught.value.offset == offset


def test_the_offset_counts_from_the_outermost_byte():
    with pytest.raises(WireError) as caught:
        decode(OUTER, bytes.fromhex("3801 0a020805 0a0108"))
    assert caught.value.offset == 8


def test_a_cut_off_array_is_refused():
    with pytest.raises(WireError, match=r"Outer\.numbers is cut off"):
        decode(OUTER, bytes.fromhex("2a050000003f00"))


def test_nesting_has_a_limit_both_ways():
    deep: dict[str, object] = {"leaf": 1}
    for _ in range(99):
        deep = {"child": deep}
    data = encode(TREE, deep)
    assert decode(TREE, data) == deep
    with pytest.raises(WireError, match="nested more than 100"):
        decode(TREE, encode(TREE, {"child": data}))
    with pytest.raises(ValueError, match="nested more than 100"):
        encode(TREE, {"child": deep})


def test_values_that_do_not_fit_are_refused():
    with pytest.raises(OverflowError):
        encode(INNER, {"a": 2**31})
    with pytest.raises(OverflowError):
        encode(OUTER, {"counts": {0: -1}})
    with pytest.raises(TypeError):
        encode(INNER, {"b": b"bytes"})
    with pytest.raises(ValueError, match="'nope'"):
        encode(INNER, {"a": 1, "nope": 2})


def test_a_number_given_twice_is_refused():
    with pytest.raises(ValueError, match="field number 1 is given twice"):
        Message("Twice", Field(1, "a", "int32"), Field(1, "b", "int32"))
