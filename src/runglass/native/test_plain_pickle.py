import contextlib
import pickle
import random

import pytest

from runglass.native.plain_pickle import PickleRefused, load_plain

PLAIN = [
    *[0, 255, 256, 65_536, -5, 2**40, -(2**70), 1.5, "é\ud800", (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
    *[{1: {"a": []}}, None, True, False, "x" * 70_000, {(1, "b"): 2}, "n\n\\", [[1]] * 3],
]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_containers(protocol):
    assert load_plain(pickle.dumps(PLAIN, protocol)) == PLAIN
    more = [b"x" * 300, {1, 2}, frozenset([3])]
    if protocol >= 4:
        assert load_plain(pickle.dumps(more, protocol)) == more


def test_shared_values_stay_shared():
    shared = ["frame"]
    first, second = load_plain(pickle.dumps([shared, shared]))
    assert first is second


class Evil:
    def __reduce__(self):
        return print, ("called",)


@pytest.mark.parametrize("value", [Evil(), {"a": [print]}, 1j, range(3)])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_names_are_refused(value, protocol, capsys):
    with pytest.raises(PickleRefused, match="names an object of Python"):
        load_plain(pickle.dumps(value, protocol))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b".",
        b"hello",
        b"\x80\x04K",
        # A place in the memo, a text and a number that would take gigabytes.
        b"\x80\x02]r\xff\xff\xff\x7fh\x00.",
        b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7fa.",
        b"\x80\x02\x8b\xff\xff\xff\x7fa.",
        b"I" + b"9" * 5_000 + b"\n.",
        b"\x80\x02}]K\x01s.",
        b"\x80\x02K\x01a.",
        b"\x80\x02(e.",
        b"\x80\x02(K\x01d.",
        b"h\x07.",
        b"cos\nsystem\n(S'true'\ntR.",
        b"2.",
        b"S'\xff'\nI7x\n.",
    ],
)
def test_what_is_damaged_is_refused_with_its_byte(data):
    with pytest.raises(PickleRefused, match=r"^byte \d+: "):
        load_plain(data)


def test_keys_cannot_use_up_the_stack():
    deep = b"\x80\x04}N" + b"\x85" * 1_000_000 + b"Ns."
    with pytest.raises(PickleRefused, match="a key that is a tuple"):
        load_plain(deep)


def test_damage_is_refused_or_read():
    rng = random.Random(3)
    good = pickle.dumps(
        {"device_traces": [[{"action": "alloc", "size": 3, "frames": [{"line": i}]} for i in range(20)]]}
    )
    for _ in range(3_000):
        data = bytearray(good)
        for _ in range(rng.choice([1, 2, 8])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        with contextlib.suppress(PickleRefused):
            load_plain(bytes(data[: rng.randrange(len(data) + 1)] if rng.random() < 0.3 else data))
