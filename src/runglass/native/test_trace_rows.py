import tempfile
from pathlib import Path

import numpy as np
import pytest

from runglass.native.trace_rows import (
    MISSING,
    TraceRows,
    arguments_of,
    columns_of,
    find_arguments,
    numbers_of,
    samples_of,
    texts_of,
)


def filled(spill=None, count=3):
    rows = TraceRows(spill, pending_bytes=1 << 20)
    rows.begin_file("a.json", "host a")
    track = rows.add_track("7", "12", process_name="python", thread_name="main", process_order=2)
    for i in range(count):
        rows.add_row(
            "X",
            track,
            1000 * i,
            10,
            f"op {i % 2}",
            "cpu_op",
            arguments={
                "correlation": i,
                "share": i / 2,
                "on": True,
                "none": None,
                "text": f"t{i % 2}",
            },
        )
    rows.freeze()
    return rows


def test_columns_strings_and_tracks():
    rows = filled()
    assert rows.count == 3
    assert rows.start_ps.tolist() == [0, 1000, 2000]
    assert rows.duration_ps.tolist() == [10, 10, 10]
    assert [rows.strings[each] for each in rows.name] == ["op 0", "op 1", "op 0"]
    assert rows.strings[rows.category[0]] == "cpu_op"
    assert rows.phase.tolist() == [ord("X")] * 3
    [(file, process_id, name, labels, order)] = rows.processes
    assert (file, rows.strings[process_id], rows.strings[name], labels, order) == (0, "7", "python", -1, 2)
    [(process, thread_id, thread_name, thread_order)] = rows.tracks
    assert (process, rows.strings[thread_id], rows.strings[thread_name], thread_order) == (
        0,
        "12",
        "main",
        -1,
    )
    assert (rows.files[0].first_row, rows.files[0].row_end) == (0, 3)


def test_a_view_outlives_the_rows():
    starts = filled().start_ps
    assert starts.tolist() == [0, 1000, 2000]
    with pytest.raises(ValueError, match="read-only"):
        starts[0] = 1


def test_questions_about_arguments():
    rows = filled()
    ids = {rows.strings[i]: i for i in range(len(rows.strings))}
    blob, ends = rows.arguments, rows.arguments_end
    assert numbers_of(blob, ends, ids["correlation"]).tolist() == [0, 1, 2]
    assert numbers_of(blob, ends, ids["text"]).tolist() == [MISSING] * 3
    numbers, texts = columns_of(blob, ends, [ids["share"], -1, ids["correlation"]], [ids["text"]])
    assert numbers.tolist() == [[0, 0, 1], [MISSING] * 3, [0, 1, 2]]
    assert texts.tolist() == [texts_of(blob, ends, ids["text"]).tolist()]
    numbers, texts = columns_of(blob, ends, [ids["correlation"]], [], np.array([2, 99, 0]))
    assert (numbers.tolist(), texts.shape) == ([[2, MISSING, 0]], (0, 3))
    at, keys, values = samples_of(blob, ends, np.array([2, 0, 99]))
    assert at.tolist() == [0, 0, 0, 1, 1, 1]
    assert [rows.strings[key] for key in keys] == ["correlation", "share", "on"] * 2
    assert values.tolist() == [2, 1, 1, 0, 0, 1]
    assert [rows.strings[i] for i in texts_of(blob, ends, ids["text"])] == ["t0", "t1", "t0"]
    assert texts_of(blob, ends, ids["share"]).tolist() == [-1] * 3
    values = [(rows.strings[key], value) for key, _, value in arguments_of(blob, int(ends[0]), int(ends[1]))]
    assert values == [
        ("correlation", 1),
        ("share", 0.5),
        ("on", True),
        ("none", None),
        ("text", ids["t1"]),
    ]
    mask = np.zeros(len(rows.strings), np.uint8)
    assert find_arguments(blob, ends, mask).tolist() == [False] * 3
    assert find_arguments(blob, ends, mask, 0.5).tolist() == [False, True, False]
    assert find_arguments(blob, ends, mask, 2).tolist() == [False, False, True]
    assert find_arguments(blob, ends, mask, 2, first=1).tolist() == [False, True]
    assert find_arguments(blob, ends, mask, 2, first=1, last=2).tolist() == [False]
    assert find_arguments(blob, ends, mask, 2, first=2, last=9).tolist() == [True]
    assert find_arguments(blob, ends, mask, 2, first=3).tolist() == []
    mask[ids["t0"]] = 1
    assert find_arguments(blob, ends, mask).tolist() == [True, False, True]


def test_damaged_arguments_stay_inside():
    rows = filled()
    blob = rows.arguments
    whole = arguments_of(blob, 0, len(blob))
    for end in range(len(blob) + 3):
        found = arguments_of(blob, 0, end)
        assert found == whole[: len(found)]
        if end <= len(blob):
            every = np.ones(len(rows.strings), np.uint8)
            has_text = find_arguments(blob, np.array([end], np.int64), every).tolist()
            assert has_text == [any(kind >= 5 for _, kind, _ in found)]
    for ends in ([5, 3, 10**15], [-4, 2, 2]):
        numbers_of(blob, np.array(ends, np.int64), 0)
        samples_of(blob, np.array(ends, np.int64), np.arange(-1, 5))


def test_many_arguments_go_to_the_file(tmp_path: Path):
    count = 100_000
    with (tmp_path / "arguments").open("w+b") as spill:
        rows = filled(spill, count)
        assert spill.seek(0, 2) == len(rows.arguments) > 1 << 20
        ids = {rows.strings[i]: i for i in range(len(rows.strings))}
        numbers = numbers_of(rows.arguments, rows.arguments_end, ids["correlation"])
        assert np.array_equal(numbers, np.arange(count))
        del rows


def test_a_full_disk_costs_arguments_and_says_so():
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "r+b", buffering=0) as spill:
        rows = filled(spill, 100_000)
    assert rows.count == 100_000
    assert rows.problems == ["a.json: no room on the disk for the arguments of more events"]
    assert len(rows.arguments) >= 1 << 20
    assert rows.arguments_end[-1] <= len(rows.arguments)


def test_times_out_of_range_are_clipped_and_said():
    rows = TraceRows()
    rows.begin_file("a.json")
    track = rows.add_track("1", "1")
    rows.add_row("X", track, 5, -1, "negative", at=10)
    rows.add_row("X", track, 5, -2, "negative", at=20)
    rows.add_row("X", track, 5, 2**63 - 1, "endless", at=30)
    rows.add_row("X", track, -(2**63), 4, "before", at=40)
    rows.freeze()
    assert rows.duration_ps.tolist() == [0, 0, 2**62 - 5, 4]
    assert rows.start_ps.tolist() == [5, 5, 5, -(2**62)]
    assert rows.problems[0] == "a.json: byte 10: a negative duration, shown as 0 (2 times)"
    assert [each.split(": ")[1] for each in rows.problems] == ["byte 10", "byte 30", "byte 40"]


def test_strings_of_any_bytes_and_size():
    rows = TraceRows()
    long = "é" * (1 << 20)
    number = rows.intern_text(long)
    assert rows.intern_text(long) == number
    surrogate = rows.intern_text("\ud800")
    empty = rows.intern_text("")
    assert rows.intern_text("") == empty
    many = [rows.intern_text(f"name {i}") for i in range(100_000)]
    assert len(set(many)) == 100_000
    rows.freeze()
    assert rows.strings[number] == "é" * (1 << 19)
    assert rows.strings[empty] == ""
    assert rows.strings[surrogate] == "�" * 3
    assert rows.strings[many[-1]] == "name 99999"


def test_links_that_begin_late():
    rows = TraceRows()
    rows.begin_file("a.json")
    track = rows.add_track("1", "1")
    for i in range(3000):
        rows.add_row("s", track, i, 0, "n", link=i if i % 2000 == 1999 else 0)
    rows.freeze()
    assert rows.link.sum() == 1999
    assert rows.link[1999] == 1999
    assert filled().link.tolist() == [0, 0, 0]


def test_a_spill_file_may_be_temporary():
    with tempfile.TemporaryFile() as spill:
        rows = filled(spill)
        assert len(rows.arguments) > 0


def rows_with(*arguments):
    rows = TraceRows()
    rows.begin_file("a.json")
    track = rows.add_track("7", "12")
    for number, each in enumerate(arguments):
        rows.add_row("X", track, number, 1, "op", "cpu_op", arguments=each)
    rows.freeze()
    return rows


def test_numbers_of_every_size_are_found():
    numbers = [0, 1, -1, 63, 64, -64, -65, 8191, 8192, 2**31, -(2**40), 2**56, 2**62, 2**63 - 1, -(2**63)]
    rows = rows_with(*({"number": number, "on": True} for number in numbers), {"share": 7.0, "none": None})
    blob, ends = rows.arguments, rows.arguments_end
    none = np.zeros(len(rows.strings), np.uint8)

    def found(number):
        return np.flatnonzero(find_arguments(blob, ends, none, number)).tolist()

    for at, number in enumerate(numbers):
        assert found(number) == [at]
    assert (found(7), found(7.0), found(5), found(2**70)) == ([len(numbers)], [len(numbers)], [], [])
    # Of a row that was cut anywhere, what is whole is looked at, and nothing beyond it.
    (long,) = rows_with({"number": -(2**63), "on": True}).arguments_end
    for cut in range(long):
        part = find_arguments(blob[ends[-3] : ends[-3] + cut], np.array([cut]), none, numbers[-1])
        assert part.tolist() == [cut >= long - 2]


def test_texts_of_arguments_are_known():
    rows = rows_with({"key": "value", "number": 3}, {"key": "op"})
    used = [rows.strings[number] for number in np.flatnonzero(rows.argument_texts)]
    assert sorted(used) == ["op", "value"]


@pytest.mark.parametrize("share", [0, 0.001, 0.02, 0.3, 1])
@pytest.mark.parametrize("wanted", [1, 3, 300])
def test_texts_are_found_however_rare_they_are(share, wanted):
    """Rare ones by their bytes, which stand in numbers and other texts too; frequent and many ones by looking at all rows."""
    rng = np.random.default_rng(wanted)
    texts = [f"text {number}" for number in range(300)]
    given = []
    for _ in range(4_000):
        number = int(rng.integers(wanted)) if rng.random() < share else int(rng.integers(wanted, 301)) % 300
        given.append(
            {"a": int(rng.integers(-(2**40), 2**40)), "text": texts[number], "b": 5, "c": float(number)}
        )
    rows = rows_with(*given)
    blob, ends = rows.arguments, rows.arguments_end
    marked = set(texts[:wanted])
    mask = np.array([text in marked for text in rows.strings], np.uint8)
    expected = [row["text"] in marked for row in given]
    assert find_arguments(blob, ends, mask).tolist() == expected
    assert find_arguments(blob, ends, mask, first=7, last=3_000).tolist() == expected[7:3_000]
    # Ends that a damaged file may have: nothing is read beyond the arguments.
    odd = ends.copy()
    odd[[5, 1_000, 3_999]] = [2**62, -5, 2**40]
    assert len(find_arguments(blob, odd, mask)) == len(given)
