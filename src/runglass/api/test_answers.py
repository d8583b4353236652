"""Numbers as JSON, CSV and columns: none is lost or becomes null."""

from __future__ import annotations

import json
from math import inf, nan

import numpy as np
import pytest

from runglass.api import answers
from runglass.api.answers import attachment, encode_csv, json_pieces, number, numbers, pack_columns
from runglass.api.route import encode_json


def test_numbers_that_are_not_in_json():
    assert [number(value) for value in (nan, inf, -inf, 1.5)] == ["NaN", "Infinity", "-Infinity", 1.5]
    assert numbers(np.array([1.0, nan, -inf])) == [1.0, "NaN", "-Infinity"]
    assert numbers(np.float32([0.1])) == [float(np.float32(0.1))]
    assert numbers(np.array([], np.float64)) == []


def test_csv_has_full_precision():
    table = encode_csv(["step", "value"], [np.array([2**63 - 1]), np.array([0.1 + 0.2])])
    assert table == b"step,value\n9223372036854775807,0.30000000000000004\n"


def test_pieces_are_the_bytes_of_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 25
    value = np.linspace(0, 1, count)
    value[[3, 11]] = nan, -inf
    columns = {"step": np.arange(count), "value": value, "none": np.array([])}
    table = encode_csv(["step", "value"], [columns["step"], value])
    for size in (1, 7, count - 1, count, count + 1):
        monkeypatch.setattr(answers, "PIECE_ROWS", size)
        whole = {"tag": 'odd "tag"', **{name: numbers(column) for name, column in columns.items()}}
        assert b"".join(json_pieces({"tag": 'odd "tag"'}, columns)) == encode_json(whole)
        assert encode_csv(["step", "value"], [columns["step"], value]) == table


@pytest.mark.parametrize("name", ["../../etc/passwd", 'a"\r\nset-cookie: x=1', "ünïcode", "", "x" * 1000])
def test_file_names_are_safe(name):
    header, value = attachment(name)
    assert header == "content-disposition"
    assert value.isascii()
    assert not set(value) & set("\r\n/\\")
    assert value.count('"') == 2
    assert len(value) < 200


def test_blocks_are_aligned():
    packed = pack_columns({"é": 1}, [b"12345", np.array([1.0]), b"", b"\1"])
    head = int.from_bytes(packed[4:8], "little")
    assert packed[:4] == b"RGC1"
    assert (8 + head) % 8 == 0
    assert json.loads(packed[8 : 8 + head]) == {"é": 1}
    assert packed[8 + head :] == b"12345\0\0\0" + np.array([1.0]).tobytes() + b"\1" + b"\0" * 7


def test_names_that_are_not_utf8_still_make_json():
    assert json.loads(encode_json({"run": "bad\udcff"})) == {"run": "bad\udcff"}
