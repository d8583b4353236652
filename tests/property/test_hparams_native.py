"""Session starts decoded natively, beside the general codec; and dicts as columns, beside a loop."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from runglass.native.hparams import gather, read_session_start
from runglass.native.wire import WireError, encode
from runglass.schema.hparams import HPARAMS_PLUGIN, plain_hparams
from runglass.schema.struct import wire_value

plain = st.none() | st.booleans() | st.floats() | st.text(max_size=8)
nested = st.lists(plain, max_size=2) | st.dictionaries(st.text(max_size=3), plain, max_size=2)
names = st.text(max_size=6)
starts = st.fixed_dictionaries(
    {"hparams": st.dictionaries(names, plain, max_size=6)},
    optional={
        "group_name": st.text(max_size=5),
        "start_time_secs": st.floats(),
        "model_uri": st.text(max_size=4),
    },
)


def to_bytes(start, **more):
    hparams = {name: wire_value(value) for name, value in start["hparams"].items()}
    return encode(HPARAMS_PLUGIN, {**more, "session_start_info": {**start, "hparams": hparams}})


def general(data):
    """What the general codec makes of it: the values that are not null, the group, the time; None if it is no session start."""
    decoded = plain_hparams(data)
    if "session_start_info" not in decoded:
        return None
    start = decoded["session_start_info"]
    values = {name: value for name, value in start.get("hparams", {}).items() if value is not None}
    return values, start.get("group_name", ""), start.get("start_time_secs", 0.0)


def sorted_text(found):
    values, group, time = found
    return repr((sorted(values.items(), key=lambda pair: pair[0]), group, time))


@given(starts, st.integers(0, 3))
def test_session_starts(start, version):
    data = to_bytes(start, **({"version": version} if version else {}))
    found = read_session_start(data)
    assert found is not None
    assert sorted_text(found) == sorted_text(general(data))


@given(starts, nested)
def test_lists_and_objects_are_left_to_the_general_codec(start, value):
    assert read_session_start(to_bytes({**start, "hparams": {**start["hparams"], "x": value}})) is None


@given(st.binary(max_size=60))
def test_other_bytes(data):
    agrees_or_refuses(data)


@settings(max_examples=300)
@given(starts, st.data())
def test_damaged_bytes(start, data):
    changed = bytearray(to_bytes(start))
    for _ in range(data.draw(st.integers(1, 3))):
        if changed:
            changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(changed)))
    agrees_or_refuses(bytes(changed))
    agrees_or_refuses(bytes(changed[:cut]))
    # Two messages behind each other merge into one.
    agrees_or_refuses(bytes(changed) + to_bytes(start))


def agrees_or_refuses(data):
    found = read_session_start(data)
    if found is None:
        return
    try:
        expected = general(data)
    except WireError as error:
        raise AssertionError(f"the general codec refuses this: {error}") from None
    assert expected is not None
    assert sorted_text(found) == sorted_text(expected)


@given(
    st.lists(st.dictionaries(names, plain.filter(lambda value: value is not None), max_size=5), max_size=8)
)
def test_dicts_as_columns(rows):
    expected = {name: [row.get(name) for row in rows] for row in rows for name in row}
    found = gather(rows)
    assert repr(found) == repr(expected)
    assert list(found) == list(dict.fromkeys(name for row in rows for name in row))
