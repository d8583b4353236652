"""Profiles that are damaged, hostile or odd, from the directory to the answers: what can be read is shown, and the trouble is named."""

from __future__ import annotations

import errno
import gzip
import itertools
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import runglass
from runglass.machine import cache_folder
from runglass.query.locations import parse_locations
from runglass.query.open import open_logs
from runglass.query.profiles import column_file, read
from runglass.query.profiles.formats import chrome
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.server.settings import Settings

TORCH = "host.1700000000000000000.pt.trace.json"
SESSION = "plugins/profile/2026_01_02_03_04_05"
YEAR_9999_US = 253_402_300_799_000_000


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "cache"
    cache_folder.choose(None)


class Board:
    """A log directory with profiles, asked over HTTP."""

    def __init__(self, logdir: Path, cache: Path | None = None) -> None:
        logs = open_logs(parse_locations([str(logdir)]))
        logs.load()
        self.client = InProcess(App(logs.source, Settings(cache_dir=cache)))

    def sessions(self) -> list[dict[str, Any]]:
        answer = self.client.get("/api/profile")
        assert answer.status == 200, answer.text
        return answer.json["sessions"]

    def open(self, session: str | None = None) -> dict[str, Any]:
        """What is said of the only profile, or its error."""
        ref = {"run": "run", "session": session or self.sessions()[0]["session"]}
        job = self.client.post("/api/jobs", {"work": "profile.open", "question": {"session": ref}}).json
        self.client.get(f"/api/jobs/events?id={job['id']}")
        self.ref = ref
        return self.client.get(f"/api/jobs/result?id={job['id']}").json

    def ask(self, route: str, **body: Any) -> Any:
        answer = self.client.post(f"/api/profile/{route}", {"session": self.ref, **body})
        assert answer.status == 200, answer.text
        return answer.json if answer.headers["content-type"].startswith("application/json") else answer.body

    def sums(self, about: dict[str, Any]) -> dict[str, tuple[int, int]]:
        """By name: events and ps."""
        rows = self.ask("sums", from_ps=0, to_ps=about["end_ps"] + 1, by="name")["rows"]
        return {row["label"]: (row["count"], row["total_ps"]) for row in rows}

    def draw(self, about: dict[str, Any]) -> None:
        """Whatever the first picture asks."""
        tracks = [track["id"] for track in about["tracks"]][:1000]
        self.ask("strip", width=800)
        self.ask("slices", from_ps=0, to_ps=max(1, about["end_ps"]), width=800, tracks=tracks)
        counters = [counter["id"] for counter in about["counters"]]
        self.ask("counters", from_ps=0, to_ps=max(1, about["end_ps"]), width=800, counters=counters)
        self.ask("flows", from_ps=0, to_ps=max(1, about["end_ps"]), width=800, tracks=tracks, event=None)
        self.ask("gaps", from_ps=0, to_ps=max(1, about["end_ps"]), min_ps=0, limit=10)


def put(logdir: Path, name: str, data: bytes) -> Board:
    path = logdir / "run" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return Board(logdir)


def span(
    name: str, start_us: Any, duration_us: Any, tid: Any = 1, pid: Any = 1, **more: Any
) -> dict[str, Any]:
    return {
        "ph": "X",
        "name": name,
        "cat": "cpu_op",
        "ts": start_us,
        "dur": duration_us,
        "pid": pid,
        "tid": tid,
        **more,
    }


def chrome_file(*events: Any, **around: Any) -> bytes:
    return json.dumps({**around, "traceEvents": events}).encode()


def show(board: Board) -> tuple[dict[str, Any], dict[str, tuple[int, int]]]:
    about = board.open()
    assert "error" not in about, about
    board.draw(about)
    return about, board.sums(about)


# ---- files that end too early, or are not what their name says


SOME = [span(f"op {index}", 10 * index, 5, args={"Ev Idx": index}) for index in range(40)]


def test_json_that_is_cut_off(logdir: Path) -> None:
    data = chrome_file(*SOME)
    cut = data.index(b'"op 25"') + 3
    about, sums = show(put(logdir, TORCH, data[:cut]))
    assert sums == {f"op {index}": (1, 5_000_000) for index in range(25)}
    (problem,) = about["problems"]
    assert TORCH in problem
    assert f"byte {data.rindex(b'{', 0, cut - 3)}:" in problem


def test_gzip_that_is_cut_off(logdir: Path) -> None:
    packed = gzip.compress(chrome_file(*SOME * 50))
    about, sums = show(put(logdir, TORCH + ".gz", packed[: len(packed) // 2]))
    assert 0 < sum(count for count, _ in sums.values()) < 2_000
    assert any(TORCH in problem and "byte" in problem for problem in about["problems"])


def test_gzip_that_lies_about_its_size(logdir: Path) -> None:
    packed = gzip.compress(chrome_file(*SOME))
    about, sums = show(put(logdir, TORCH + ".gz", packed[:-4] + struct.pack("<I", 17)))
    assert len(sums) == 40
    assert any(TORCH in problem for problem in about["problems"])


def test_gzip_made_to_fill_the_disk(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chrome, "BOMB_BYTES", 4 << 20)
    data = chrome_file(*SOME)[:-2] + b"," + b" " * (64 << 20) + b"]}"
    about, sums = show(put(logdir, TORCH + ".gz", gzip.compress(data, 9)))
    assert len(sums) == 40
    assert any(TORCH in problem for problem in about["problems"])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (TORCH, b""),
        (TORCH, b"\x00\x01\x02 nothing of this is a trace"),
        (TORCH + ".gz", b"not compressed at all"),
        (TORCH, b'{"traceEvents": 17}'),
        ("host.xplane.pb", b"\xff" * 64),
        ("snapshot.pickle", b"cos\nsystem\n(S'true'\ntR."),
        ("snapshot.pickle", b"\x80\x04not a pickle"),
        (f"{SESSION}/memory.prof", b"\x1f\x8bgarbage"),
    ],
    ids=[
        "empty",
        "binary",
        "not gzip",
        "no events",
        "no xplane",
        "pickle of a function",
        "no pickle",
        "no pprof",
    ],
)
def test_a_file_that_is_no_trace(logdir: Path, name: str, data: bytes) -> None:
    """A message with the file's name; neither the list nor the other profiles suffer."""
    put(logdir, "good.trace.json", chrome_file(*SOME))
    board = put(logdir, name, data)
    (bad,) = [each for each in board.sessions() if each["session"] != "good"]
    about = board.open(bad["session"])
    said = about["error"]["message"] if "error" in about else " ".join(about["problems"])
    assert Path(name).name in said
    about = board.open("good")
    assert about["events"] == 40


def test_two_files_of_one_worker(logdir: Path) -> None:
    """Two cycles; each is a session, and none hides the other."""
    put(logdir, "host.1700000000000000000.pt.trace.json", chrome_file(span("first", 0, 5)))
    board = put(logdir, "host.1700000001000000000.pt.trace.json", chrome_file(span("second", 0, 5)))
    found = []
    for each in board.sessions():
        found.append(list(board.sums(board.open(each["session"]))))
    assert found == [["first"], ["second"]]


# ---- times


def test_times_that_are_not_times(logdir: Path) -> None:
    text = b"""[
      {"ph": "X", "name": "good", "ts": 100, "dur": 50, "pid": 1, "tid": 1},
      {"ph": "X", "name": "nan", "ts": NaN, "dur": 5, "pid": 1, "tid": 1},
      {"ph": "X", "name": "negative", "ts": 200, "dur": -5, "pid": 1, "tid": 1},
      {"ph": "X", "name": "zero", "ts": 210, "dur": 0, "pid": 1, "tid": 1},
      {"ph": "X", "name": "no number", "ts": 220, "dur": N/A, "pid": 1, "tid": 1},
      {"ph": "X", "name": "text", "ts": "230.5", "dur": "1.25", "pid": 1, "tid": 1},
      {"ph": "X", "name": "infinite", "ts": 240, "dur": Infinity, "pid": 1, "tid": 1},
      {"ph": "X", "name": "control \x01 character", "ts": 250, "dur": 1, "pid": 1, "tid": 1}
    ]"""
    about, sums = show(put(logdir, "odd.trace.json", text))
    assert sums["good"] == (1, 50_000_000)
    assert sums["negative"] == sums["zero"] == sums["no number"] == sums["infinite"] == (1, 0)
    assert sums["text"] == (1, 1_250_000)
    assert sums["control \x01 character"] == (1, 1_000_000)
    assert len(about["problems"]) >= 2
    assert all("odd.trace.json" in problem for problem in about["problems"])


def test_an_event_that_ends_in_the_year_9999(logdir: Path) -> None:
    about, sums = show(put(logdir, TORCH, chrome_file(span("short", 0, 5), span("long", 10, YEAR_9999_US))))
    assert sums["short"] == (1, 5_000_000)
    assert sums["long"][0] == 1
    assert any("long" in problem or TORCH in problem for problem in about["problems"])


def test_events_that_nest_wrongly(logdir: Path) -> None:
    """Each is there once with its whole time; on one row none is over another."""
    spans = [("a", 0, 10), ("b", 5, 10), ("c", 8, 20), ("in c", 16, 2), ("d", 9, 3)]
    board = put(logdir, TORCH, chrome_file(*(span(*each) for each in spans)))
    about, sums = show(board)
    assert sums == {name: (1, duration * 10**6) for name, _, duration in spans}
    trace = runglass.open(logdir).profile("run")
    events = trace.events()
    rows: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for track, depth, start, duration in zip(
        events.track.tolist(),
        events.depth.tolist(),
        events.start_ps.tolist(),
        events.duration_ps.tolist(),
        strict=True,
    ):
        rows.setdefault((track, depth), []).append((start, start + duration))
    for row in rows.values():
        row.sort()
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(row))
    assert about["events"] == len(spans)


def test_clocks_of_hosts_that_differ(logdir: Path) -> None:
    """Years apart: no clock for both, so each begins at 0, and it is said."""
    put(
        logdir,
        "rank0.1700000000000000000.pt.trace.json",
        chrome_file(span("a", 5, 5), baseTimeNanoseconds=10**18),
    )
    other = chrome_file(span("b", 7, 5), baseTimeNanoseconds=17 * 10**17)
    board = put(logdir, "rank1.1700000000000000001.pt.trace.json", other)
    about, sums = show(board)
    assert about["clocks_differ"]
    assert sums == {"a": (1, 5_000_000), "b": (1, 5_000_000)}
    assert about["end_ps"] < 10**9


# ---- names and tracks


def test_processes_and_threads_by_name(logdir: Path) -> None:
    events = [
        span("a", 0, 5, tid="main thread", pid="loader"),
        span("b", 0, 5, tid="7", pid=0),
        span("c", 9, 5, tid=7, pid="0"),
    ]
    about, sums = show(put(logdir, TORCH, chrome_file(*events)))
    assert set(sums) == {"a", "b", "c"}
    assert {track["thread_id"] for track in about["tracks"]} == {"main thread", "7"}


def test_a_name_of_100_megabytes(logdir: Path) -> None:
    """It is kept, and the answers do not grow with it."""
    name = "n" * (100 << 20)
    data = b'[{"ph":"X","name":"%s","ts":0,"dur":5,"pid":1,"tid":1}]' % name.encode()
    board = put(logdir, TORCH, data)
    about = board.open()
    assert about["events"] == 1
    tracks = [track["id"] for track in about["tracks"]]
    drawn = board.ask("slices", from_ps=0, to_ps=about["end_ps"], width=800, tracks=tracks)
    assert len(drawn) < 2 << 20
    assert len(json.dumps(board.ask("event", event=0))) < 4 << 20
    assert len(json.dumps(board.ask("sums", from_ps=0, to_ps=10**7, by="name"))) < 2 << 20


@pytest.mark.parametrize(("processes", "most"), [(7, 10_007), (30_000, 11_001)])
def test_very_many_tracks(logdir: Path, processes: int, most: int) -> None:
    """A million of them are read too; this many are enough to see a square of the number."""
    count = 30_000
    events = b",".join(
        b'{"ph":"X","name":"e","ts":%d,"dur":1,"pid":%d,"tid":%d}' % (i, i % processes, i)
        for i in range(count)
    )
    board = put(logdir, TORCH, b"[" + events + b"]")
    about = board.open()
    assert "error" not in about, about
    assert about["events"] == sum(track["events"] for track in about["tracks"]) == count
    assert len(about["tracks"]) == most
    board.draw(about)


# ---- xplane


def field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def plane(*events: tuple[int, int], name: bytes = b"/host:CPU") -> bytes:
    """`events`: start and duration in ps."""
    kind = field(4, field(1, 1) + field(2, field(1, 1) + field(2, b"op")))
    made = b"".join(
        field(4, field(1, 1) + field(2, start) + field(3, duration)) for start, duration in events
    )
    return field(1, field(2, name) + kind + field(3, field(1, 5) + field(2, b"main") + made))


def test_xplane_without_planes(logdir: Path) -> None:
    board = put(logdir, f"{SESSION}/host.xplane.pb", field(2, b"the device was lost") + field(4, b"host"))
    about = board.open()
    said = about["error"]["message"] if "error" in about else " ".join(about["problems"])
    assert "the device was lost" in said


def test_xplane_cut_off_at_every_byte(logdir: Path) -> None:
    """Each is a session of its own, so that one directory shows all."""
    whole = plane((0, 10), (20, 10), (40, 10)) + plane((60, 10), name=b"/device:GPU:0")
    for size in range(len(whole)):
        path = logdir / "run" / f"plugins/profile/{size:04}/host.xplane.pb"
        path.parent.mkdir(parents=True)
        path.write_bytes(whole[:size])
    board = Board(logdir)
    counts = []
    for size in range(len(whole)):
        about = board.open(f"{size:04}")
        if "error" in about:
            assert "host.xplane.pb" in about["error"]["message"]
            counts.append(0)
        else:
            assert about["problems"] or size == 0 or size == len(plane((0, 10), (20, 10), (40, 10)))
            counts.append(about["events"])
    assert counts == sorted(counts)
    assert max(counts) == 4 or counts[-1] == 3


def test_xplane_with_a_wrong_length(logdir: Path) -> None:
    good = plane((0, 10), (20, 10))
    bad = bytearray(plane((60, 10), name=b"/device:GPU:0"))
    bad[1] += 40
    about, sums = show(put(logdir, f"{SESSION}/host.xplane.pb", good + bytes(bad)))
    assert sums["op"][0] >= 2
    assert any("host.xplane.pb" in problem and "byte" in problem for problem in about["problems"])


# ---- the cache


def test_a_disk_without_room_for_the_cache(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(read, "SMALL_EVENTS", 0)
    monkeypatch.setattr(column_file, "append", full)
    about, sums = show(put(logdir, TORCH, chrome_file(*SOME)))
    assert len(sums) == 40
    assert any("No space left on device" in problem for problem in about["problems"])


def test_a_damaged_cache_is_made_again(logdir: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "SMALL_EVENTS", 0)
    put(logdir, TORCH, chrome_file(*SOME))
    _, sums = show(Board(logdir, cache))
    (file,) = (cache / "profiles").iterdir()
    for damage in (b"", b"\0" * 100, file.read_bytes()[:-50]):
        file.write_bytes(damage)
        board = Board(logdir, cache)
        about = board.open()
        assert "error" not in about, about
        assert board.sums(about) == sums
