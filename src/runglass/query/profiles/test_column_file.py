"""Traces in the cache folder: found again, made again when damaged, evicted when there are too many, without a folder."""

from __future__ import annotations

import os

import numpy as np
import pytest

from runglass.native.trace_rows import TraceRows
from runglass.query.profiles.build import build_trace
from runglass.query.profiles.column_file import ColumnFiles, make_key
from runglass.query.profiles.model import ARRAYS


def filled(count=3):
    rows = TraceRows()
    rows.begin_file("a.json", "a")
    track = rows.add_track("1", "1")
    for number in range(count):
        rows.add_row("X", track, 10 * number, 5, f"op {number}", arguments={"at": number})
    rows.freeze()
    return rows


def make(count=3):
    return build_trace(filled(count), "chrome", sizes=[1])


def names(folder):
    return sorted(os.listdir(folder / "profiles"))


def test_what_was_put_is_found_by_another_process(tmp_path):
    key = make_key(["a", 1])
    files = ColumnFiles(tmp_path)
    assert not files.has(key)
    assert files.get(key) is None
    kept = files.put(key, make())
    assert kept.name_of(2) == "op 2"
    again = ColumnFiles(tmp_path).get(key)
    assert again is not None
    assert again.info == kept.info
    assert not again.start_ps.flags.writeable
    assert names(tmp_path) == [f"{key}.trace"]


def test_another_identity_is_another_file():
    assert len({make_key(["a", 1]), make_key(["a", 2]), make_key(["b", 1])}) == 3


def test_a_damaged_file_goes(tmp_path, caplog):
    files = ColumnFiles(tmp_path)
    files.put("k", make())
    path = tmp_path / "profiles/k.trace"
    path.write_bytes(path.read_bytes()[:-100])
    assert files.get("k") is None
    assert "read again" in caplog.text
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"length":', b'"langth":'),
        (b'"type":"<i8"', b'"type":"|i1"'),
        (b'"at":', b'"at":-'),
        (b'"name":"', b'"name":0"'),
    ],
)
def test_a_file_with_another_list_of_columns_goes(tmp_path, old, new):
    files = ColumnFiles(tmp_path)
    files.put("k", make())
    path = tmp_path / "profiles/k.trace"
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))
    assert files.get("k") is None
    assert names(tmp_path) == []


def test_the_least_recently_used_goes(tmp_path):
    size = make().size_bytes + 4_096
    files = ColumnFiles(tmp_path, limit_bytes=3 * size)
    for number, key in enumerate(("a", "b", "c")):
        files.put(key, make())
        os.utime(tmp_path / f"profiles/{key}.trace", (number, number))
    assert files.get("a") is not None
    files = ColumnFiles(tmp_path, limit_bytes=2 * size)
    files.put("d", make())
    kept = names(tmp_path)
    assert "d.trace" in kept
    assert "b.trace" not in kept


def test_without_a_folder_nothing_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    kept = ColumnFiles(None).put("k", make())
    assert kept.name_of(0) == "op 0"
    assert os.listdir(tmp_path) == []
    assert ColumnFiles(None).get("k") is None


def test_a_disk_without_room(tmp_path):
    (tmp_path / "profiles").write_text("in the way")
    with pytest.raises(FileExistsError):
        ColumnFiles(tmp_path).put("k", make())
    with ColumnFiles(tmp_path).begin("k") as writer:
        writer.file.write(b"x")


def test_columns_are_in_the_file_when_they_are_known(tmp_path):
    rows = filled(count=4)
    with ColumnFiles(tmp_path).begin("k") as writer:
        trace = build_trace(rows, "chrome", sizes=[1], columns=writer)
        assert not trace.start_ps.flags.owndata
        assert names(tmp_path) != ["k.trace"]
        kept = writer.finish(trace)
    assert names(tmp_path) == ["k.trace"]
    whole = make(4)
    for name in ARRAYS:
        assert np.array_equal(getattr(kept, name), getattr(whole, name)), name
        assert np.array_equal(getattr(trace, name), getattr(whole, name)), name


def test_what_is_not_finished_leaves_no_file(tmp_path):
    with ColumnFiles(tmp_path).begin("k") as writer:
        build_trace(filled(), "chrome", sizes=[1], columns=writer)
    assert names(tmp_path) == []


def test_large_arrays_of_a_while_are_in_a_file_without_a_name(tmp_path, monkeypatch):
    monkeypatch.setattr("runglass.query.profiles.column_file.PARKED_BYTES", 1)
    with ColumnFiles(tmp_path).begin("k") as writer:
        parked = writer.park(np.arange(5))
        assert not parked.flags.writeable
        assert parked.tolist() == [0, 1, 2, 3, 4]
        trace = build_trace(filled(), "chrome", sizes=[1], columns=writer)
        assert writer.finish(trace).name_of(2) == "op 2"
    assert names(tmp_path) == ["k.trace"]
