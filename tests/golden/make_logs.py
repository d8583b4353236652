"""Writes the folders of logs/ that are our own: one rule of reading each, with what is expected of it.

The files are in the repository; run this (`python -m tests.golden.make_logs`) only to add a case. What is expected is written
here by hand, never taken from what the package reads.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support import event_bytes as eb

LOGS = Path(__file__).parent / "logs"
FIRST = "events.out.tfevents.1700000000.host.1.0"
SECOND = "events.out.tfevents.1700000100.host.2.0"
THIRD = "events.out.tfevents.1700000200.host.3.0"

Files = dict[str, bytes]
Expected = dict[str, Any]
CASES: dict[str, Callable[[], tuple[Files, Expected]]] = {}


def case(make: Callable[[], tuple[Files, Expected]]) -> Callable[[], tuple[Files, Expected]]:
    CASES[make.__name__] = make
    return make


def file(*payloads: bytes, wall_time: float = 1.7e9) -> bytes:
    return eb.records(eb.file_version(wall_time), *payloads)


def points(
    steps: range | list[int], *, value: float = 0.0, wall_time: float = 1.7e9, tag: str = "loss"
) -> list[bytes]:
    """One point a second; its value is its step plus `value`."""
    return [
        eb.scalar(tag, step + value, step=step, wall_time=wall_time + index)
        for index, step in enumerate(steps)
    ]


def spoil(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


# ---- restarts


@case
def restart_at_file_boundary() -> tuple[Files, Expected]:
    """The second file falls back to step 6: a restart, although nothing says so."""
    files = {
        FIRST: file(*points(range(10))),
        SECOND: file(*points(range(6, 12), value=100, wall_time=1.7e9 + 100), wall_time=1.7e9 + 100),
    }
    loss = {
        "kind": "scalar",
        "step": [*range(10), *range(6, 12)],
        "value": [*map(float, range(10)), *(step + 100.0 for step in range(6, 12))],
        "segment": [0] * 10 + [1] * 6,
        "latest_step": [*range(12)],
        "latest_value": [*map(float, range(6)), *(step + 100.0 for step in range(6, 12))],
    }
    return files, {
        "restarts": 1,
        "tags": {"loss": loss},
        "files": {FIRST: ["ok", None], SECOND: ["ok", None]},
    }


@case
def restart_at_session_start() -> tuple[Files, Expected]:
    """SessionLog START at step 4, inside one file and at the head of another; one tag is never logged again."""
    first = [*points(range(8)), *points(range(8), tag="once"), eb.session_log(4, wall_time=1.7e9 + 50)]
    first += points(range(4, 8), value=10, wall_time=1.7e9 + 50)
    second = [eb.session_log(6, wall_time=1.7e9 + 100), *points(range(6, 9), value=20, wall_time=1.7e9 + 100)]
    files = {FIRST: file(*first), SECOND: file(*second, wall_time=1.7e9 + 100)}
    loss = {
        "kind": "scalar",
        "step": [*range(8), 4, 5, 6, 7, 6, 7, 8],
        "segment": [0] * 8 + [1] * 4 + [2] * 3,
        "latest_step": [0, 1, 2, 3, 4, 5, 6, 7, 8],
        "latest_value": [0.0, 1.0, 2.0, 3.0, 14.0, 15.0, 26.0, 27.0, 28.0],
    }
    once = {"kind": "scalar", "step": [*range(8)], "latest_step": [0, 1, 2, 3]}
    return files, {"restarts": 2, "tags": {"loss": loss, "once": once}}


@case
def session_start_in_a_file_without_the_tag() -> tuple[Files, Expected]:
    """A second attempt dies before it logs `eval`: what the first logged from there on is overwritten all the same."""
    files = {
        FIRST: file(*points(range(10)), *points(range(10), tag="eval")),
        SECOND: file(
            eb.session_log(5, wall_time=1.7e9 + 100),
            *points([5, 6], value=10, wall_time=1.7e9 + 100),
            wall_time=1.7e9 + 100,
        ),
        THIRD: file(
            eb.session_log(7, wall_time=1.7e9 + 200),
            *points([7, 8], value=20, wall_time=1.7e9 + 200),
            *points([8], value=20, wall_time=1.7e9 + 203, tag="eval"),
            wall_time=1.7e9 + 200,
        ),
    }
    loss = {
        "kind": "scalar",
        "step": [*range(10), 5, 6, 7, 8],
        "segment": [0] * 10 + [1, 1, 2, 2],
        "latest_step": [0, 1, 2, 3, 4, 5, 6, 7, 8],
        "latest_value": [0.0, 1.0, 2.0, 3.0, 4.0, 15.0, 16.0, 27.0, 28.0],
    }
    evaluation = {
        "kind": "scalar",
        "step": [*range(10), 8],
        "latest_step": [0, 1, 2, 3, 4, 8],
        "latest_value": [0.0, 1.0, 2.0, 3.0, 4.0, 28.0],
    }
    return files, {"restarts": 2, "tags": {"loss": loss, "eval": evaluation}}


@case
def session_starts_in_the_ninth_and_tenth_file() -> tuple[Files, Expected]:
    """Files of one second are in the order of their numbers: `.3`, `.9`, `.10`. Neither restart mentions `eval`."""
    base = "events.out.tfevents.1700000000.host.1"

    def restart(step: int, wall_time: float) -> bytes:
        log = eb.session_log(step, wall_time=wall_time)
        return file(log, *points([step], value=10, wall_time=wall_time), wall_time=wall_time)

    files = {
        f"{base}.3": file(*points(range(10)), *points(range(10), tag="eval")),
        f"{base}.9": restart(7, 1.7e9 + 100),
        f"{base}.10": restart(5, 1.7e9 + 200),
        f"{base}.11": file(*points([6], value=20, wall_time=1.7e9 + 300, tag="eval"), wall_time=1.7e9 + 300),
    }
    loss = {
        "kind": "scalar",
        "step": [*range(10), 7, 5],
        "segment": [0] * 10 + [1, 2],
        "latest_step": [0, 1, 2, 3, 4, 5],
    }
    evaluation = {
        "kind": "scalar",
        "step": [*range(10), 6],
        "segment": [0] * 10 + [1],
        "latest_step": [0, 1, 2, 3, 4, 6],
        "latest_value": [0.0, 1.0, 2.0, 3.0, 4.0, 26.0],
    }
    return files, {"restarts": 2, "tags": {"loss": loss, "eval": evaluation}}


@case
def session_start_without_a_step() -> tuple[Files, Expected]:
    """A START that names step 0, as writers do that do not know better: the first point after it says where it begins."""
    payloads = [*points(range(6)), eb.session_log(0, wall_time=1.7e9 + 50)]
    payloads += points(range(3, 6), value=10, wall_time=1.7e9 + 50)
    loss = {
        "kind": "scalar",
        "step": [0, 1, 2, 3, 4, 5, 3, 4, 5],
        "segment": [0] * 6 + [1] * 3,
        "latest_step": [0, 1, 2, 3, 4, 5],
        "latest_value": [0.0, 1.0, 2.0, 13.0, 14.0, 15.0],
    }
    return {FIRST: file(*payloads)}, {"restarts": 1, "tags": {"loss": loss}}


@case
def two_writers_are_no_restart() -> tuple[Files, Expected]:
    """Two processes log the same tag side by side: their wall times overlap, so nothing is overwritten."""
    files = {
        FIRST: file(*points(range(0, 20, 2), wall_time=1.7e9)),
        SECOND: file(*points(range(1, 21, 2), wall_time=1.7e9 + 0.5)),
    }
    steps = [*range(0, 20, 2), *range(1, 21, 2)]
    loss = {"kind": "scalar", "step": steps, "segment": [0] * 20, "latest_step": steps}
    return files, {"restarts": 0, "tags": {"loss": loss}}


@case
def file_names_out_of_order() -> tuple[Files, Expected]:
    """The file that comes first by name was written last: order is by name, and going back in time is no restart."""
    files = {
        FIRST: file(*points(range(5, 10), wall_time=1.7e9 + 100), wall_time=1.7e9 + 100),
        SECOND: file(*points(range(5), wall_time=1.7e9)),
    }
    steps = [5, 6, 7, 8, 9, 0, 1, 2, 3, 4]
    loss = {"kind": "scalar", "step": steps, "segment": [0] * 10, "latest_step": steps}
    return files, {"restarts": 0, "tags": {"loss": loss}}


@case
def steps_going_back_inside_a_file() -> tuple[Files, Expected]:
    """Repeated and falling steps in one uninterrupted file are kept as they are."""
    steps = [0, 1, 1, 1, 5, 3, 4, 0]
    loss = {"kind": "scalar", "step": steps, "segment": [0] * 8, "latest_step": steps}
    return {FIRST: file(*points(steps))}, {"restarts": 0, "tags": {"loss": loss}}


# ---- damage


@case
def zero_tail() -> tuple[Files, Expected]:
    """Space that was reserved and is not yet written: no fault, more may come."""
    whole = file(*points(range(3)))
    expected = {
        "tags": {"loss": {"kind": "scalar", "step": [0, 1, 2]}},
        "files": {FIRST: ["cut_short", len(whole)]},
    }
    return {FIRST: whole + bytes(4096)}, expected


@case
def payload_damage() -> tuple[Files, Expected]:
    """One flipped byte in a payload costs that record alone."""
    payloads = points(range(5))
    before = len(file(*payloads[:2]))
    data = spoil(file(*payloads), before + 14)
    loss = {"kind": "scalar", "step": [0, 1, 3, 4], "value": [0.0, 1.0, 3.0, 4.0]}
    return {FIRST: data}, {"tags": {"loss": loss}, "files": {FIRST: ["skipped", before]}}


@case
def length_damage() -> tuple[Files, Expected]:
    """A length that fails its checksum ends the file there."""
    payloads = points(range(5))
    before = len(file(*payloads[:2]))
    data = spoil(file(*payloads), before + 1)
    return {FIRST: data}, {
        "tags": {"loss": {"kind": "scalar", "step": [0, 1]}},
        "files": {FIRST: ["damaged", before]},
    }


# ---- tags and metadata


@case
def two_kinds_under_one_tag() -> tuple[Files, Expected]:
    """A tag that holds numbers first and pictures later: both can be reached, the first kind names the series."""
    picture = eb.png(3, 2)
    payloads = [
        *points(range(2), tag="mixed"),
        eb.event(eb.summary(eb.image_value("mixed", picture, 3, 2)), wall_time=1.7e9 + 2, step=2),
        *points([3], tag="mixed"),
        eb.event(
            eb.summary(eb.tensor_value("other", eb.strings([b"words"]), plugin="text")),
            wall_time=1.7e9,
            step=0,
        ),
        *points([1], tag="other"),
    ]
    tags = {
        "mixed": {
            "kind": "scalar",
            "other_kind": "image",
            "step": [0, 1, 3],
            "other_values": [[["png", 3, 2]]],
        },
        "other": {
            "kind": "text",
            "other_kind": "scalar",
            "step": [0],
            "values": ["words"],
            "other_values": [1.0],
        },
    }
    return {FIRST: file(*payloads)}, {"tags": tags}


@case
def metadata_in_first_event_only() -> tuple[Files, Expected]:
    """As TF1 writes: only the first value of a tag says what it is."""
    described = eb.metadata("scalars", display_name="Loss", description="of *training*")
    texts = [eb.strings([b"first"], dims=(1,)), eb.strings([b"second"], dims=(1,))]
    payloads = [
        eb.event(eb.summary(eb.value("loss", eb.chunk(8, one(1.0)), described)), wall_time=1.7e9, step=0),
        eb.event(eb.summary(eb.value("loss", eb.chunk(8, one(2.0)))), wall_time=1.7e9, step=1),
        eb.event(eb.summary(eb.tensor_value("note", texts[0], plugin="text")), wall_time=1.7e9, step=0),
        eb.event(eb.summary(eb.tensor_value("note", texts[1])), wall_time=1.7e9, step=1),
    ]
    tags = {
        "loss": {
            "kind": "scalar",
            "step": [0, 1],
            "value": [1.0, 2.0],
            "display_name": "Loss",
            "description": "of *training*",
        },
        "note": {"kind": "text", "step": [0, 1], "values": [["first"], ["second"]]},
    }
    return {FIRST: file(*payloads)}, {"tags": tags}


@case
def metadata_in_later_events_only() -> tuple[Files, Expected]:
    """What a tag is, is said only after its first values."""
    described = eb.metadata("scalars", display_name="Loss", description="of *training*")
    payloads = [
        eb.event(eb.summary(eb.value("loss", eb.chunk(8, one(1.0)))), wall_time=1.7e9, step=0),
        eb.event(eb.summary(eb.value("loss", eb.chunk(8, one(2.0)), described)), wall_time=1.7e9, step=1),
        eb.event(eb.summary(eb.tensor_value("note", eb.strings([b"first"]))), wall_time=1.7e9, step=0),
        eb.event(
            eb.summary(eb.tensor_value("note", eb.strings([b"second"]), plugin="text")),
            wall_time=1.7e9,
            step=1,
        ),
    ]
    tags = {
        "loss": {
            "kind": "scalar",
            "step": [0, 1],
            "value": [1.0, 2.0],
            "display_name": "Loss",
            "description": "of *training*",
        },
        "note": {"kind": "text", "step": [0, 1], "values": ["first", "second"]},
    }
    return {FIRST: file(*payloads)}, {"tags": tags}


@case
def merged_summaries() -> tuple[Files, Expected]:
    """TF1's merge_all: one event holds a value of every tag, and a tag may even be in it twice."""
    payloads = []
    for step in range(3):
        picture = eb.image_value("picture/image/0", eb.png(2, 2), 2, 2)
        histogram = eb.histogram_value("weights", [-1.0, 0.0, 1.0, 2.0], [0.0, 4.0, 2.0, 0.0], -0.5, 0.75)
        sound = eb.audio_value("tone/audio/0", eb.wav(40), sample_rate=8000.0, frames=40)
        numbers = [
            eb.simple("loss", step * 0.5),
            eb.simple("acc", step * 0.25),
            eb.simple("acc", step * 0.125),
        ]
        payloads.append(
            eb.event(eb.summary(*numbers, picture, histogram, sound), wall_time=1.7e9 + step, step=step)
        )
    tags = {
        "loss": {"kind": "scalar", "step": [0, 1, 2], "value": [0.0, 0.5, 1.0]},
        "acc": {"kind": "scalar", "step": [0, 0, 1, 1, 2, 2], "value": [0.0, 0.0, 0.25, 0.125, 0.5, 0.25]},
        "picture/image/0": {"kind": "image", "step": [0, 1, 2], "values": [[["png", 2, 2]]] * 3},
        "weights": {
            "kind": "histogram",
            "step": [0, 1, 2],
            "values": [[[-0.5, 0.0, 4.0], [0.0, 0.75, 2.0]]] * 3,
        },
        "tone/audio/0": {"kind": "audio", "step": [0, 1, 2], "values": [[["wav", 8000.0, 1, 40]]] * 3},
    }
    return {FIRST: file(*payloads)}, {"tags": tags}


# ---- encodings


def one(number: float) -> bytes:
    return eb.tensor("float", eb.typed("float", [number]))


def bits(form: str, number: float) -> int:
    """The bits of a number in a struct format, as an unsigned integer."""
    return int.from_bytes(struct.pack(form, number), "little")


@case
def scalar_encodings() -> tuple[Files, Expected]:
    """A single number in every encoding that a tensor allows."""
    integers = [3, -2, 0]
    numbers: dict[str, list[Any]] = dict.fromkeys(("int8", "int16", "int32", "int64"), integers)
    numbers |= {"uint8": [3, 200, 0], "uint16": [3, 40_000, 0], "uint32": [3, 4_000_000_000, 0]}
    numbers |= {
        "uint64": [3, 2**63, 0],
        "bool": [1, 0, 1],
        "float": [1.5, -0.1, 0.0],
        "double": [1.5, -0.1, 1e300],
    }
    numbers |= {"half": [1.5, -0.25, 0.0], "bfloat16": [1.5, -0.25, 0.0]}
    values: dict[str, list[bytes]] = {}
    tags: dict[str, Any] = {}
    for dtype, items in numbers.items():
        typed: list[Any] = items
        stored: list[Any] = items
        if dtype == "half":
            typed = [bits("<e", item) for item in items]
        elif dtype == "bfloat16":
            typed = stored = [bits("<f", item) >> 16 for item in items]
        bodies = {
            "typed field": [eb.typed(dtype, [item]) for item in typed],
            "typed field, unpacked": [eb.typed(dtype, [item], packed=False) for item in typed],
            "content": [eb.content(dtype, [item]) for item in stored],
        }
        expected = [
            struct.unpack("<f", struct.pack("<f", item))[0] if dtype == "float" else float(item)
            for item in items
        ]
        for how, encoded in bodies.items():
            for shape, dims in (
                ("", ()),
                (", no shape", None),
                (", shape [1]", (1,)),
                (", shape [1, 1]", (1, 1)),
            ):
                tag = f"{dtype}/{how}{shape}"
                values[tag] = [eb.tensor(dtype, body, dims=dims) for body in encoded]
                tags[tag] = {"kind": "scalar", "step": [0, 1, 2], "value": expected}
    # torch stores a half as the bits of its float32.
    torch_bits = [struct.unpack("<i", struct.pack("<f", item))[0] for item in (1.5, -0.25, 3.0)]
    values["torch half"] = [eb.tensor("half", eb.typed("half", [item])) for item in torch_bits]
    tags["torch half"] = {"kind": "scalar", "step": [0, 1, 2], "value": [1.5, -0.25, 3.0]}
    # A zero may be left out altogether.
    values["zero left out"] = [eb.tensor("float") for _ in range(3)]
    tags["zero left out"] = {"kind": "scalar", "step": [0, 1, 2], "value": [0.0] * 3}
    payloads = [
        eb.event(
            eb.summary(*(eb.tensor_value(tag, each[step], plugin="scalars") for tag, each in values.items())),
            wall_time=1.7e9 + step,
            step=step,
        )
        for step in range(3)
    ]
    return {FIRST: file(*payloads)}, {"tags": tags}


@case
def graph_and_meta_graph() -> tuple[Files, Expected]:
    """A graph event wins over the graph inside a meta graph; run metadata is kept under its tag."""
    payloads = [
        eb.graph(eb.graph_def(["input", "output"])),
        eb.meta_graph(eb.graph_def(["other"])),
        eb.run_metadata("step 7", b"\x12\x00", step=7),
    ]
    tags = {
        "__run_graph__": {"kind": "graph", "step": [0], "values": [["input", "output"]]},
        "step 7": {"kind": "graph", "step": [7]},
    }
    return {FIRST: file(*payloads)}, {"tags": tags}


@case
def meta_graph_alone() -> tuple[Files, Expected]:
    """Without a graph event the one inside the meta graph is shown."""
    tags = {"__run_graph__": {"kind": "graph", "step": [0], "values": [["inside"]]}}
    return {FIRST: file(eb.meta_graph(eb.graph_def(["inside"])))}, {"tags": tags}


@case
def large_pictures() -> tuple[Files, Expected]:
    """Records above 64 kB in both encodings, metadata behind the tensor, small ones between; one picture is damaged inside.

    They are indexed without being read, so that damage is found when the picture is asked for.
    """
    large = eb.png(6, 4, padding=70_000)
    old = eb.event(eb.summary(eb.image_value("old", large, 6, 4)), wall_time=1.7e9, step=0)
    pair = eb.strings([b"6", b"4", large, eb.png(5, 5)], dims=(4,))
    tensor = eb.event(eb.summary(eb.tensor_value("tensor", pair, plugin="images")), wall_time=1.7e9, step=0)
    start = [*points([0]), old, tensor, *points([1])]
    payloads = [*start, tensor, *points([2])]
    at = len(file(*start)) + 12 + len(tensor) // 2
    size = ["png", 6, 4]
    tags = {
        "loss": {"kind": "scalar", "step": [0, 1, 2], "value": [0.0, 1.0, 2.0]},
        "old": {"kind": "image", "step": [0], "values": [[size]]},
        "tensor": {"kind": "image", "step": [0, 0], "values": [[size, ["png", 5, 5]], "damaged"]},
    }
    return {FIRST: spoil(file(*payloads), at)}, {"tags": tags, "files": {FIRST: ["ok", None]}}


def write_cases(into: Path) -> None:
    for name, make in CASES.items():
        files, expected = make()
        run = into / name / "logdir" / "run"
        run.mkdir(parents=True, exist_ok=True)
        for file_name, data in files.items():
            (run / file_name).write_bytes(data)
        about = " ".join((make.__doc__ or "").split())
        text = json.dumps({"about": about, **expected}, indent=1)
        (into / name / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_cases(LOGS)
