from __future__ import annotations

import gzip
import json
import math
import random
import zlib

import pytest
from tests.support.trace_rows import Content, Row, list_rows

from runglass.native.trace_json import ChromeScanner
from runglass.native.trace_rows import TraceRows
from runglass.query.profiles.formats import chrome
from runglass.query.profiles.formats.torch import parse_name

US = 10**6


def read(data: bytes | str, name: str = "t.json") -> tuple[list[Row], list[str]]:
    rows = TraceRows()
    chrome.read(Content(data.encode() if isinstance(data, str) else data), name, rows)
    return list_rows(rows), rows.problems


def event(text: str) -> Row:
    """The only event of a file, which is fine."""
    rows, problems = read(f'[{{"ph": "X", "name": "a", "pid": 1, "tid": 2, "ts": 0, {text}}}]')
    assert problems == []
    (row,) = rows
    return row


SMALL = """{"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": [
  {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "python"}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 7, "tid": 8, "ts": 10.5, "dur": 3.25,
   "args": {"Input Dims": [[1, 2], []], "External id": 4, "share": 0.5}},
  {"ph": "i", "name": "[memory]", "pid": 7, "tid": 8, "ts": 11, "s": "t", "args": {"Bytes": -512}},
  {"ph": "s", "id": 3, "name": "ac2g", "cat": "ac2g", "pid": 7, "tid": 8, "ts": 12},
  {"ph": "f", "id": 3, "name": "ac2g", "cat": "ac2g", "pid": 0, "tid": 20, "ts": 13.001, "bp": "e"},
  {"ph": "X", "cat": "kernel", "name": "vectorized \\u00e9 \\"q\\"", "pid": 0, "tid": 20, "ts": 13.001, "dur": 2}
], "traceName": "x.json"}"""


@pytest.mark.parametrize(
    ("written", "ps"),
    [
        ("3848261353091.450", 3848261353091_450000),
        ("0.000001", 1),
        ("0.0000005", 1),
        ("0.00000049", 0),
        ("31.920999999999999", 31_921000),
        ("-1.5", -1_500000),
        ('"12.5"', 12_500000),
        ("1.5e3", 1500_000000),
        ("1E-6", 1),
        ("7", 7_000000),
        ("4000000000000000.25", 4 * 10**21 + 250_000),
    ],
)
def test_times_are_exact(written, ps):
    rows = TraceRows()
    file = chrome.read(Content(f'[{{"ph":"i","name":"a","ts":{written}}}]'.encode()), "t.json", rows)
    (row,) = list_rows(rows)
    assert row.start_ps + file.metadata["origin_us"] * US == ps
    assert rows.problems == []


def test_arguments_keep_their_types():
    row = event(
        '"dur": 1, "args": {"a": 1, "b": -2, "c": 0.1, "d": 1e300, "e": true, "f": false, "g": null, "h": "t\\n\\u20ac\\ud83d\\ude00",'
        '"i": [1, {"x": "]"}], "j": 18446744073709551615, "k": 9223372036854775807, "l": {}, "m": 0.30000000000000004, "n": "",'
        '"o": -9223372036854775808, "p": 123456789012345678901234567890.5, "q": 00012}'
    )
    assert row.arguments == {
        "a": 1,
        "b": -2,
        "c": 0.1,
        "d": 1e300,
        "e": True,
        "f": False,
        "g": None,
        "h": "t\n€😀",
        "i": [1, {"x": "]"}],
        "j": 2**64 - 1,
        "k": 2**63 - 1,
        "l": {},
        "m": 0.30000000000000004,
        "n": "",
        "o": -(2**63),
        "p": 123456789012345678901234567890.5,
        "q": 12,
    }


def test_what_is_no_json_is_read_anyway():
    row = event(
        '"dur": 1, "args": {"a": N/A, "b": NaN, "c": -Infinity, "d": "tab\there \x01", "e": [nan, 1],, "f": None "g": 3,}, '
    )
    assert math.isnan(row.arguments.pop("b"))
    assert row.arguments == {
        "a": "N/A",
        "c": -math.inf,
        "d": "tab\there \x01",
        "e": "[nan, 1]",
        "f": "None",
        "g": 3,
    }


@pytest.mark.parametrize(
    "text",
    [
        "[{}]",
        '\ufeff{{"traceEvents": [{}]}}',
        '{{"a": [{{"ph": "X"}}], "traceEvents": [{}], "b": "}}]"}}',
        "[{}",
        "[{},\r\n",
        '{{"otherData": {{"x": [1, "[", {{}}]}}, "traceEvents": [{}, {{}}]}}',
        '{{"N": N/A, "big": "' + "x" * 3_000_000 + '", "traceEvents": [{}]}}',
    ],
)
def test_forms_of_files(text):
    rows, problems = read(
        text.format(
            '{"args": {"k": 1}, "dur": 2, "tid": "main", "pid": "host a", "ts": 1, "name": "n", "ph": "X"}'
        )
    )
    assert rows == [Row("X", ("host a", "main"), "n", None, US, 2 * US, {"k": 1}, 0)]
    assert problems == []


def test_values_of_the_file():
    rows = TraceRows()
    text = '{"deviceProperties": [{"id": 0, "x": N/A}], "baseTimeNanoseconds": 5000, "traceEvents": [], "s": "é", "bad": [1}'
    file = chrome.read(Content(text.encode()), "t.json", rows)
    assert file.metadata["deviceProperties"] == [{"id": 0, "x": "N/A"}]
    assert (file.base_ns, file.metadata["s"]) == (5000, "é")


def test_begin_and_end_are_one_event():
    rows, problems = read(
        '[{"ph":"B","name":"outer","ts":1,"tid":1,"args":{"a":1}},{"ph":"B","name":"inner","ts":2,"tid":1},'
        '{"ph":"B","name":"other","ts":2,"tid":2},{"ph":"E","ts":5,"tid":1,"args":{"b":2}},{"ph":"E","ts":9,"tid":1,"args":{"c":3}},'
        '{"ph":"E","ts":9,"tid":3},{"ph":"X","name":"x","ts":10,"dur":5,"tid":4}]'
    )
    found = {row.name: (row.phase, row.start_ps // US, row.duration_ps // US, row.arguments) for row in rows}
    assert found == {
        "inner": ("X", 2, 3, {"b": 2}),
        "outer": ("X", 1, 8, {"a": 1, "c": 3}),
        # To the end of the file.
        "other": ("X", 2, 13, {}),
        "x": ("X", 10, 5, {}),
    }
    assert len(problems) == 2
    assert any("did not begin" in each for each in problems)
    assert any("does not end" in each for each in problems)


def test_flows_and_async_events_are_linked():
    rows, _ = read(
        '[{"ph":"s","id":1,"name":"a","cat":"c","ts":1},{"ph":"f","id":"1","name":"a","cat":"c","ts":2,"bp":"e"},'
        '{"ph":"s","id":2,"name":"a","cat":"c","ts":1},{"ph":"s","id":1,"name":"b","cat":"c","ts":1},'
        '{"ph":"b","id":"0x5","name":"load","cat":"io","ts":1},{"ph":"e","id":"0x5","name":"load","cat":"io","ts":3},'
        '{"ph":"b","id2":{"local":"0x5"},"pid":1,"name":"l","cat":"io","ts":1},{"ph":"e","id2":{"local":"0x5"},"pid":2,"name":"l","cat":"io","ts":1},'
        '{"ph":"X","name":"out","ts":1,"dur":1,"bind_id":"7","flow_out":true},{"ph":"X","name":"in","ts":3,"dur":1,"bind_id":"7","flow_in":true}]'
    )
    links = [row.link for row in rows]
    assert links[0] == links[1] != 0
    assert len({links[0], links[2], links[3], links[4], links[6], links[7]}) == 6
    assert links[4] == links[5]
    assert [(row.phase, row.name) for row in rows[8:]] == [
        ("X", "out"),
        ("s", "out"),
        ("X", "in"),
        ("f", "in"),
    ]
    assert links[9] == links[11] != 0


def test_counters_of_one_name_are_told_apart_by_id():
    rows, _ = read(
        '[{"ph":"C","name":"q","id":1,"ts":1,"args":{"n":3}},{"ph":"C","name":"q","ts":1,"args":{"n":4}}]'
    )
    assert [(row.phase, row.name, row.arguments) for row in rows] == [
        ("C", "q[1]", {"n": 3}),
        ("C", "q", {"n": 4}),
    ]


def test_wrong_times_are_said():
    rows, problems = read(
        '[{"ph":"X","name":"negative","ts":1,"dur":-5},{"ph":"X","name":"nan","ts":2,"dur":NaN},{"ph":"X","name":"none","ts":NaN,"dur":1},'
        '{"ph":"X","name":"year 9999","ts":3,"dur":253402300799000000},{"ph":"X","name":"far","ts":253402300799000000,"dur":1},'
        '{"ph":"X","name":"zero","ts":4,"dur":0},{"ph":"X","name":"no dur","ts":5},{"ph":"X","name":"no ts"},{"name":"no ph","ts":1},'
        '{"ph":"i","name":"Record Window End","ts":999999999999}]'
    )
    assert [(row.name, row.duration_ps) for row in rows if row.name != "year 9999"] == [
        ("negative", 0),
        ("nan", 0),
        ("zero", 0),
        ("no dur", 0),
    ]
    assert next(row.duration_ps for row in rows if row.name == "year 9999") > 40 * 86_400 * 10**12
    told = " ".join(problems)
    for word in (
        "negative duration",
        "dur) that is not a number",
        "without a time (ts)",
        "50 days",
        "without a phase",
    ):
        assert word in told
    assert "t.json: byte 1: " in told
    assert "(2 times)" in told


def test_a_long_name_is_cut():
    rows, problems = read(
        '[{"ph":"X","name":"' + "n" * 3_000_000 + '","ts":1,"dur":1},{"ph":"X","name":"b","ts":1,"dur":1}]'
    )
    assert [len(row.name) for row in rows] == [1 << 20, 1]
    assert len(problems) == 1


def test_many_tracks():
    rows = TraceRows()
    text = ",".join(
        f'{{"ph":"X","name":"a","pid":{i % 7},"tid":"t{i}","ts":{i},"dur":1}}' for i in range(20_000)
    )
    chrome.read(Content(f"[{text}]".encode()), "t.json", rows)
    rows.freeze()
    assert (rows.count, rows.track_count, len(rows.processes)) == (20_000, 20_000, 7)


def scan(data: bytes) -> tuple[list[Row], TraceRows, ChromeScanner]:
    """Without a thread that reads ahead: many times quicker for a small file."""
    rows = TraceRows()
    rows.begin_file("t.json")
    scanner = ChromeScanner(rows)
    scanner.feed(data)
    scanner.finish()
    # The numbers of links depend on all texts before them.
    return [row._replace(link=0) for row in list_rows(rows)], rows, scanner


def test_every_cut_keeps_what_is_before_it():
    whole, _, _ = scan(SMALL.encode())
    assert len(whole) == 5
    data = SMALL.encode()
    ends = [at for at in range(len(data)) if data[at : at + 4] in (b"},\n ", b"}\n],")]
    for cut in range(len(data)):
        rows, found, scanner = scan(data[:cut])
        # The first of them names a process.
        assert rows == whole[: max(sum(end < cut for end in ends) - 1, 0)], cut
        assert found.problems or not scanner.is_whole, cut


def test_a_flipped_bit_costs_few_events():
    whole, _, _ = scan(SMALL.encode())
    data = bytearray(SMALL.encode())
    for at in range(SMALL.index("[\n") + 2, len(data) - 26):
        bit = 1 << at % 8
        data[at] ^= bit
        rows, _, _ = scan(bytes(data))
        data[at] ^= bit
        # The one that is damaged, and the next where a bracket became something else.
        assert sum(row in whole for row in rows) >= len(whole) - 2, at


def test_pieces_of_any_size_give_the_same():
    text = SMALL.encode()
    whole, problems = read(text)
    rng = random.Random(5)
    for size in [1, 2, 3, 7, 64, 300, *(0 for _ in range(20))]:
        rows = TraceRows()
        rows.begin_file("t.json")
        scanner = ChromeScanner(rows)
        at = 0
        while at < len(text):
            end = at + (size or rng.randrange(1, 400))
            scanner.feed(text[at:end])
            at = end
        scanner.finish()
        assert list_rows(rows) == whole
        assert rows.problems == problems
        assert scanner.is_whole
        assert scanner.fields == [
            (b"schemaVersion", b"1"),
            (b"displayTimeUnit", b'"ms"'),
            (b"traceName", b'"x.json"'),
        ]


def test_gzip_in_several_members_and_cut_anywhere():
    whole, _ = read(SMALL)
    half = len(SMALL) // 2
    packed = gzip.compress(SMALL[:half].encode()) + gzip.compress(SMALL[half:].encode()) + bytes(100)
    assert read(packed) == (whole, [])
    for cut in range(2, len(packed) - 100, 5):
        rows, problems = read(packed[:cut])
        assert rows == whole[: len(rows)]
        assert problems, cut
    wrong_sum = bytearray(gzip.compress(SMALL.encode()))
    wrong_sum[-6] ^= 1
    rows, problems = read(bytes(wrong_sum))
    assert rows == whole
    assert "cannot be decompressed" in problems[0]


def test_what_comes_before_damage_in_gzip_is_kept():
    events = ",".join(f'{{"ph":"X","name":"n{i}","ts":{i * 7919 % 10007}.5,"dur":1}}' for i in range(20_000))
    packed = bytearray(gzip.compress(f"[{events}]".encode()))
    middle = len(packed) // 2
    packed[middle : middle + 64] = bytes(range(64))
    rows, problems = read(bytes(packed))
    assert 8_000 < len(rows) < 13_000
    assert [row.name for row in rows[:8_000]] == [f"n{i}" for i in range(8_000)]
    assert any("cannot be decompressed" in each for each in problems)


def test_a_gzip_bomb_ends_early(monkeypatch):
    monkeypatch.setattr(chrome, "BOMB_BYTES", 1 << 20)
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = packer.compress(b"[" + b" " * (32 << 20)) + packer.flush()
    rows, problems = read(packed)
    assert rows == []
    assert "times as large" in problems[0]


def test_reading_can_be_stopped_and_followed(monkeypatch):
    monkeypatch.setattr(chrome, "CHUNK_BYTES", 200)
    seen: list[int] = []
    rows = TraceRows()
    chrome.read(Content(SMALL.encode()), "t.json", rows, flag=memoryview(bytearray(1)), report=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == len(SMALL)
    stopped = TraceRows()
    chrome.read(Content(SMALL.encode()), "t.json", stopped, flag=memoryview(bytearray(b"\1")))
    assert stopped.count == 0


@pytest.mark.parametrize(
    "data",
    [b"", b"   ", b"hello", b"{}", b"[]", b"\x00\x01", b'{"a": 1}', json.dumps([[1, 2], "a"]).encode()],
)
def test_files_without_events(data):
    rows, problems = read(data)
    assert rows == []
    assert bool(data) == any("holds no trace events" in each for each in problems)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/gpu0.1794706253023051283.pt.trace.json.gz", ("gpu0", 1794706253023051283, True)),
        ("host_12.pt.trace.json", ("host_12", None, True)),
        ("my.host.12.pt.trace.json", ("my.host", 12, True)),
        ("vm.trace.json.gz", ("vm", None, False)),
        ("trace.json", ("trace", None, False)),
    ],
)
def test_names_of_files(path, expected):
    assert parse_name(path) == expected
