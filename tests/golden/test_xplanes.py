"""Profiles of TensorFlow and JAX: the native reader finds what the plain one finds, to the picosecond, whatever happened to the file."""

from __future__ import annotations

import random
import struct

import pytest
from tests.support.plain_traces import PROFILES, list_profiles, parse_xplane, read_space, read_xplane
from tests.support.trace_rows import Content, Row, list_rows, track_names

from runglass.native.trace_rows import TraceRows
from runglass.query.profiles.formats import xplane

XPLANES = list_profiles(".xplane.pb")


def case(path):
    return str(path.relative_to(PROFILES).parts[0])


def read(data: bytes, name: str = "vm.xplane.pb", **named) -> TraceRows:
    rows = TraceRows()
    xplane.read(Content(data), name, rows, **named)
    return rows


def events(rows: TraceRows) -> list[Row]:
    return [row for row in list_rows(rows) if row.phase == "X"]


def as_kept(key, value):
    """Numbers without a sign that are too large for one with: as text, or with a sign where they only name something."""
    if not isinstance(value, int) or value < 1 << 63:
        return value
    return value - (1 << 64) if key in ("_p", "_c", "flow") else str(value)


@pytest.mark.parametrize("path", XPLANES, ids=case)
def test_as_the_plain_reader(path):
    plain = read_xplane(path)
    rows = read(path.read_bytes(), path.name)
    found = events(rows)
    assert rows.problems == []
    assert [(each.track, each.name, each.start_ps, each.duration_ps) for each in found] == [
        (each.track, each.name, each.start_ps, each.duration_ps) for each in plain.events
    ]
    for mine, theirs in zip(found, plain.events, strict=True):
        mine.arguments.pop("full_name", None)
        assert mine.arguments == {key: as_kept(key, value) for key, value in theirs.arguments.items()}
    used = {each.track for each in plain.events}
    named = {key: names for key, names in track_names(rows).items() if key[1] != "memory"}
    assert named == {key: (track.process, track.thread) for key, track in plain.tracks.items() if key in used}
    (file,) = rows.files
    assert (file.host, file.base_ns) == ("vm", plain.base_ns)
    space = read_space(path)
    assert [each["name"] for each in file.metadata["planes"]] == [plane.name for plane in space.planes]
    assert [each["stats"] for each in file.metadata["planes"]] == [plane.stats for plane in space.planes]


def test_what_the_gpu_did_is_told_apart():
    path = next(path for path in XPLANES if case(path) == "jax_profile_gpu")
    rows = read(path.read_bytes())
    kinds = {(row.track[0], row.category) for row in events(rows)}
    assert ("/device:GPU:0", "kernel") in kinds
    assert ("/host:CPU", "cuda_runtime") in kinds
    assert {category for process, category in kinds if process.startswith("/device")} == {"kernel"}
    counters = [row for row in list_rows(rows) if row.phase == "C"]
    allocations = [row for row in events(rows) if row.name.startswith(("MemoryAlloc", "MemoryDealloc"))]
    assert [(row.start_ps, row.name, row.arguments["bytes_allocated"]) for row in counters] == [
        (row.start_ps, row.arguments["allocator_name"], row.arguments["bytes_allocated"])
        for row in allocations
    ]
    assert len(counters) == 50


def test_several_hosts_share_the_rows():
    rows = TraceRows()
    for path in XPLANES:
        xplane.read(Content(path.read_bytes()), f"{case(path)}.xplane.pb", rows)
    rows.freeze()
    assert [file.host for file in rows.files] == [case(path) for path in XPLANES]
    own = [file.row_end - file.first_row for file in rows.files]
    assert sum(own) == rows.count
    for path, file in zip(XPLANES, rows.files, strict=True):
        assert (rows.phase[file.first_row : file.row_end] == ord("X")).sum() == len(read_xplane(path).events)


def test_small_pieces_give_the_same():
    """A reader that gives only as much as must be had."""

    class Slow(Content):
        def read(self, offset, size):
            return super().read(offset, min(size, 4096 + 64 << 10))

    class Filling(Slow):
        def read_into(self, offset, into):
            data = super().read(offset, len(into))
            into[: len(data)] = data
            return len(data)

    path = next(path for path in XPLANES if case(path) == "jax_profile")
    for reader in (Slow, Filling):
        rows = TraceRows()
        xplane.read(reader(path.read_bytes()), "vm.xplane.pb", rows)
        assert list_rows(rows) == list_rows(read(path.read_bytes()))


# --- files made here: a field is its number and its value


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def message(*fields: tuple[int, int | float | bytes | str]) -> bytes:
    out = bytearray()
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        elif isinstance(value, float):
            out += varint(number << 3 | 1) + struct.pack("<d", value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return bytes(out)


def name_of(number: int, name: str, *more: tuple[int, int | bytes | str]) -> bytes:
    return message((1, number), (2, message((1, number), (2, name), *more)))


def plane(*lines: bytes, name: str = "/host:CPU") -> bytes:
    return message(
        (2, name),
        *((3, line) for line in lines),
        (4, name_of(1, "op")),
        (4, name_of(2, "long name", (4, "shown"))),
        (5, name_of(1, "key")),
        (5, name_of(2, "text of a reference")),
    )


def one_line(*events: bytes, id: int = 7, timestamp_ns: int = 5) -> bytes:
    return message((1, id), (2, "thread"), (3, timestamp_ns), *((4, event) for event in events))


def test_values_of_every_kind():
    values = [
        ((2, 0.5), 0.5),
        ((3, 1 << 63), str(1 << 63)),
        ((4, -1), -1),
        ((5, "text"), "text"),
        ((6, b"\xff\x00"), b"\xff\x00"),
        ((7, 2), "text of a reference"),
        ((7, 99), ""),
    ]
    line = one_line(*(message((1, 1), (4, message((1, 1), value))) for value, _ in values))
    found = events(read(message((1, plane(line)))))
    assert [row.arguments["key"] for row in found] == [expected for _, expected in values]


def test_stats_of_any_kind_beside_each_other():
    """Short ones are read by a way of their own; what comes between and after them is not lost."""
    pick = random.Random(3)
    values = [
        (3, 5),
        (3, (1 << 63) + 1),
        (4, -1),
        (4, 1 << 40),
        (4, (1 << 63) - 1),
        (5, "text"),
        (5, "long " * 40),
        (6, b"\xff"),
        (7, 2),
        (7, 300),
    ]
    ids = [1, 2, 127, 128, 300, 9]
    stat_names = [(5, name_of(each, f"stat {each}")) for each in ids[:-1]]
    made, expected = [], []
    for _ in range(300):
        chosen = [(pick.choice(ids[:-1]), pick.choice(values)) for _ in range(pick.randrange(8))]
        fields = [(4, message((1, id), value)) for id, value in chosen]
        if pick.random() < 0.3:
            # Without a name, without a value, with what nobody knows.
            fields.insert(
                pick.randrange(len(fields) + 1),
                (4, pick.choice([b"", message((1, 9)), message((1, 9), (4, 7))])),
            )
            fields.insert(pick.randrange(len(fields) + 1), (9, pick.choice([3, b"bytes"])))
        made.append(message((1, 1), *fields, (2, 10)))
        texts = {2: "stat 2", 300: "stat 300"}
        expected.append(
            {f"stat {id}": texts[value] if kind == 7 else as_kept("", value) for id, (kind, value) in chosen}
        )
    space = message((1, message((2, "/host:CPU"), (3, one_line(*made)), (4, name_of(1, "op")), *stat_names)))
    rows = read(space)
    assert rows.problems == []
    found = [{key: value for key, value in row.arguments.items() if key} for row in events(rows)]
    assert found == expected
    assert {row.start_ps for row in events(rows)} == {5010}


def test_what_allocators_hold_is_told_by_short_stats():
    names = ["allocator_name", "bytes_reserved", "bytes_allocated", "GPU_0_bfc"]
    told = [(4, message((1, 1), (7, 4))), (4, message((1, 2), (4, 3))), (4, message((1, 3), (3, 200)))]
    made = message(
        (2, "/host:CPU"),
        (3, one_line(message((1, 1), (2, 10), *told))),
        (4, name_of(1, "MemoryAllocation")),
        *((5, name_of(number, name)) for number, name in enumerate(names, 1)),
    )
    rows = list_rows(read(message((1, made))))
    assert [(row.phase, row.name, row.arguments) for row in rows[1:]] == [
        ("C", "GPU_0_bfc", {"bytes_allocated": 200, "bytes_reserved": 3})
    ]


def test_names_ids_and_occurrences():
    line = message((1, -5), (10, 1 << 40), (11, "shown"), (2, "hidden"), (4, message((1, 2), (5, 3))))
    rows = read(message((1, plane(line))))
    (row,) = events(rows)
    assert (row.name, row.arguments) == ("shown", {"full_name": "long name", "num_occurrences": 3})
    assert track_names(rows) == {("/host:CPU", str(1 << 40)): ("/host:CPU", "shown")}


def test_a_kernel_that_copies_is_no_copy():
    names = [
        (4, name_of(at, name)) for at, name in enumerate(("MemcpyH2D", "MEMCPYDtoH", "memcpy128", "Memset 0"))
    ]
    line = one_line(*(message((1, at), (4, message((1, 1), (4, 5)))) for at in range(4)))
    data = message((2, "/device:GPU:0"), (3, line), *names, (5, name_of(1, "correlation_id")))
    kinds = [row.category for row in events(read(message((1, data))))]
    assert kinds == ["gpu_memcpy", "gpu_memcpy", "kernel", "gpu_memset"]


def test_planes_of_the_host_are_one():
    call = one_line(message((1, 1)))
    data = message(
        (1, plane(call)), (1, plane(call, name="/host:CUPTI")), (1, plane(call, name="/host:NVTX-CUPTI"))
    )
    rows = read(data)
    assert {row.track for row in events(rows)} == {("/host:CPU", "7")}
    assert [row.category for row in events(rows)] == [None, "cuda_runtime", None]


def test_times_since_1970():
    unix_ns = 1_794_703_439_980_103_896
    line = one_line(message((1, 1), (2, 1), (3, 2)), timestamp_ns=unix_ns + 3)
    rows = read(message((1, plane(one_line(message((1, 1)), timestamp_ns=unix_ns), line))))
    assert [(row.start_ps, row.duration_ps) for row in events(rows)] == [(0, 0), (3001, 2)]
    assert rows.files[0].base_ns == unix_ns


@pytest.mark.parametrize(
    ("event", "start_ps", "duration_ps", "problem"),
    [
        (message((1, 1), (2, 5), (3, -4)), 5005, 0, "negative duration"),
        (message((1, 1), (2, 5), (3, (1 << 63) - 1)), 5005, (1 << 62) - 5005, "more than 50 days, cut"),
        (message((1, 1), (2, (1 << 63) - 1)), 1 << 62, 0, "50 days away"),
        (message((1, 1), (2, -(1 << 63))), -(1 << 62) + 5002, 0, None),
    ],
)
def test_impossible_times(event, start_ps, duration_ps, problem):
    rows = read(message((1, plane(one_line(event)))))
    (row,) = events(rows)
    assert (row.start_ps, row.duration_ps) == (start_ps, duration_ps)
    assert [problem in each and "vm.xplane.pb: byte" in each for each in rows.problems] == [True] * bool(
        problem
    )


def test_clocks_of_two_lines_that_have_nothing_in_common():
    unix_ns = 1_794_703_439_980_103_896
    rows = read(
        message((1, plane(one_line(message((1, 1))), one_line(message((1, 1)), timestamp_ns=unix_ns))))
    )
    first, _ = events(rows)
    assert first.start_ps == 5000
    assert "50 days away" in rows.problems[0]


def test_without_planes():
    for data in (b"", message((2, "no device"), (3, "slow"), (4, "host"))):
        rows = read(data)
        assert rows.count == 0
        assert rows.problems[-1] == "vm.xplane.pb: byte 0: there is no plane in this profile"
    assert rows.problems[:2] == [
        "vm.xplane.pb: the profiler says: no device",
        "vm.xplane.pb: the profiler says: slow",
    ]


def test_a_name_of_100_mb():
    text = b"n" * (100 << 20)
    named = message(
        (2, "/host:CPU"),
        (3, one_line(message((1, 1)), message((1, 3)))),
        (4, message((1, 1), (2, message((2, text))))),
    )
    rows = read(message((1, named + message((4, name_of(3, "after"))))))
    assert [row.name for row in events(rows)] == ["event 1", "after"]
    assert any("more than 64 MB" in each for each in rows.problems)


def test_very_many_lines():
    lines = [(3, one_line(message((1, 1)), id=id)) for id in range(100_000)]
    rows = read(message((1, message((2, "/host:CPU"), *lines))))
    assert (rows.count, rows.track_count) == (100_000, 100_000)


def test_every_cut_keeps_what_was_read():
    path = next(path for path in XPLANES if case(path) == "tf_graph_trace")
    data = path.read_bytes()
    whole = read(data)
    whole.freeze()
    counts = []
    for size in range(len(data)):
        rows = read(data[:size])
        rows.freeze()
        assert rows.start_ps.tolist() == whole.start_ps[: rows.count].tolist()
        assert rows.duration_ps.tolist() == whole.duration_ps[: rows.count].tolist()
        assert all("vm.xplane.pb: byte " in each for each in rows.problems)
        if not rows.problems:
            # Between two parts of the file: the plain reader finds nothing wrong either.
            assert len(parse_xplane(data[:size]).events) == rows.count
        counts.append(rows.count)
    assert counts == sorted(counts)
    assert counts[-1] == whole.count


def test_flipped_bits_and_wrong_lengths():
    path = next(path for path in XPLANES if case(path) == "tf_graph_trace")
    data = path.read_bytes()
    for at in range(len(data)):
        for value in (data[at] ^ 1 << at % 8, 0xFF, 0x00):
            broken = bytearray(data)
            broken[at] = value
            rows = read(bytes(broken))
            rows.freeze()
            assert (rows.duration_ps >= 0).all()
            assert rows.count <= 1000


def test_noise():
    rng = random.Random(5)
    for _ in range(300):
        rows = read(rng.randbytes(rng.randrange(200)))
        assert rows.problems


def test_cancelled_and_reported():
    path = next(path for path in XPLANES if case(path) == "jax_profile")
    data = path.read_bytes()
    done: list[int] = []
    rows = read(data, report=done.append)
    assert done == sorted(done)
    assert done[-1] == len(data)
    stopped = read(data, flag=memoryview(b"\1"))
    assert stopped.count == 0 < rows.count


def test_a_reader_that_fails_is_heard():
    class Failing(Content):
        def read(self, offset, size):
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        xplane.read(Failing(b"x" * 100), "vm.xplane.pb", TraceRows())


def test_a_file_that_gets_shorter():
    path = next(path for path in XPLANES if case(path) == "jax_profile")
    content = Content(path.read_bytes())
    content.data = content.data[:1000]
    rows = TraceRows()
    xplane.read(content, "vm.xplane.pb", rows)
    assert any("the file became shorter" in each for each in rows.problems)
