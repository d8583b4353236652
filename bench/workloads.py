"""Log directories of known content: made once under bench/out, reused while their description matches.

Scalar values are predictable: value(run r, tag t, step s) is float32 of (r + 1) * 1000 + t + s / steps; steps are
0 to steps - 1 and the wall time is BASE_TIME + r * 10 + s * 0.25. Knows nothing of who reads them.

Form `simple` is what torch.utils.tensorboard and tensorboardX write (simple_value, histo, image); form `tensor` is what
tf.summary of TF2 writes (a TensorProto, metadata in every event).
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from bench import wire
from bench.stamped import picture_number, stamped_png

OUT = Path(__file__).parent / "out"
BASE_TIME = 1_700_000_000.0
# By kind, raised when its bytes change, so that directories made earlier are made anew.
LAYOUTS = {"scalars": 1, "histograms": 1, "images": 2}

# name: kind, runs, tags, steps, size (histogram buckets or image edge)
SHAPES = {
    "S": ("scalars", 10, 20, 10_000, 0),
    "W": ("scalars", 1000, 10, 1_000, 0),
    "W10": ("scalars", 1000, 10, 10_000, 0),
    "L": ("scalars", 1, 5, 2_000_000, 0),
    "H": ("histograms", 20, 50, 200, 30),
    "I512": ("images", 10, 5, 20, 512),
    "I10k": ("images", 10, 5, 200, 512),
}


@dataclass(frozen=True)
class Workload:
    name: str
    form: str
    kind: str
    runs: int
    tags: int
    steps: int
    size: int
    layout: int = 1

    @property
    def points(self) -> int:
        return self.runs * self.tags * self.steps

    @property
    def path(self) -> Path:
        return OUT / "logs" / f"{self.name}-{self.form}-{self.steps}"

    @property
    def size_bytes(self) -> int:
        return sum(file.stat().st_size for file in self.files())

    def run_name(self, run: int) -> str:
        return f"run_{run:04d}"

    def tag_name(self, tag: int) -> str:
        """Names of unequal length with a group in front, as real runs have."""
        group = {"scalars": "metrics", "histograms": "weights", "images": "samples"}[self.kind]
        word = ("loss", "accuracy", "learning_rate", "grad_norm", "f1")[tag % 5]
        return f"{group}/{word}_{tag:02d}"

    def values(self, run: int, tag: int, steps: np.ndarray) -> np.ndarray:
        return ((run + 1) * 1000 + tag + steps / self.steps).astype("<f4")

    def last_value(self, run: int, tag: int) -> float:
        return float(self.values(run, tag, np.array([self.steps - 1]))[0])

    def files(self) -> list[Path]:
        return sorted(self.path.glob("*/events.out.tfevents.*"))


def workload(name: str, form: str = "simple", *, scale: float = 1.0) -> Workload:
    kind, runs, tags, steps, size = SHAPES[name]
    made = Workload(name, form, kind, runs, tags, max(2, round(steps * scale)), size, LAYOUTS[kind])
    prepare(made)
    return made


def prepare(made: Workload) -> None:
    """Make sure that a workload is on disk and in the page cache."""
    write_once(made.path, lambda: {**asdict(made), "size_bytes": made.size_bytes}, lambda: write(made))
    for file in made.files():
        with file.open("rb", buffering=0) as stream:
            while stream.read(1 << 22):
                pass


def write_once(path: Path, describe: Callable[[], dict[str, Any]], write: Callable[[], None]) -> None:
    """Write logs to `path` unless the note beside it says that they are these; a note comes when they are whole."""
    note = path.with_suffix(".json")
    # As it is read back: tuples are lists.
    if not note.exists() or json.loads(note.read_text()) != json.loads(json.dumps(describe())):
        note.unlink(missing_ok=True)
        write()
        note.write_text(json.dumps(describe()))


def write(made: Workload) -> None:
    shutil.rmtree(made.path, ignore_errors=True)
    for run in range(made.runs):
        folder = made.path / made.run_name(run)
        folder.mkdir(parents=True)
        start = BASE_TIME + run * 10
        with (folder / f"events.out.tfevents.{start:.0f}.bench.{run}.0").open("wb") as out:
            out.write(wire.header_record(start))
            if made.kind == "scalars":
                write_scalars(out, made, run, start)
            else:
                write_blobs(out, made, run, start)
    # Dirty pages written back during a measurement would be charged to whoever runs then.
    os.sync()


def equal_width_steps(steps: int, limit: int) -> list[tuple[int, int]]:
    """Ranges of steps whose varints have one length. Step 0 is in none: it has no step field at all."""
    ranges = []
    low = 1
    while low < steps:
        high = min(steps, 1 << (7 * len(wire.varint(low))), low + limit)
        ranges.append((low, high))
        low = high
    return ranges


def varint_columns(values: np.ndarray, width: int) -> np.ndarray:
    out = np.empty((len(values), width), np.uint8)
    for i in range(width):
        out[:, i] = (values >> (7 * i)) & 0x7F
        if i + 1 < width:
            out[:, i] |= 0x80
    return out


def write_scalars(out: BinaryIO, made: Workload, run: int, start: float) -> None:
    """One event per step and tag; thousands of records of one size at a time are built as a matrix."""
    meta = wire.metadata("scalars") if made.form == "tensor" else b""
    tags = [made.tag_name(tag) for tag in range(made.tags)]
    for t, tag in enumerate(tags):
        payload = wire.scalar_payload(made.form, float(made.values(run, t, np.zeros(1, np.int64))[0]))
        out.write(wire.record(wire.event(start, 0, tag, payload, meta)))
    for low, high in equal_width_steps(made.steps, max(64, 32768 // made.tags)):
        steps = np.arange(low, high, dtype=np.int64)
        step_columns = varint_columns(steps, len(wire.varint(low)))
        wall = (start + steps * 0.25).astype("<f8").view(np.uint8).reshape(-1, 8)
        blocks = []
        for t, tag in enumerate(tags):
            sample = wire.event(0.0, low, tag, wire.scalar_payload(made.form), meta)
            size = len(sample)
            frame = wire.record(sample)
            block = np.empty((len(steps), size + 16), np.uint8)
            block[:] = np.frombuffer(frame, np.uint8)
            body = block[:, 12 : 12 + size]
            body[:, 1:9] = wall
            body[:, 10 : 10 + step_columns.shape[1]] = step_columns
            values = made.values(run, t, steps)
            at = size - 4 - (len(wire.field_bytes(9, meta)) if meta else 0)
            body[:, at : at + 4] = values.view(np.uint8).reshape(-1, 4)
            crc = wire.masked_crc32c_rows(body).astype("<u4")
            block[:, 12 + size :] = crc.view(np.uint8).reshape(-1, 4)
            blocks.append(block)
        out.write(np.concatenate(blocks, axis=1).tobytes())


def write_blobs(out: BinaryIO, made: Workload, run: int, start: float) -> None:
    rng = np.random.default_rng(run)
    meta = wire.metadata(made.kind) if made.form == "tensor" else b""
    for step in range(made.steps):
        for t in range(made.tags):
            if made.kind == "histograms":
                payload = histogram(made, step, rng)
            else:
                payload = image(made, stamped_png(made.size, picture_number(run, t, step)))
            out.write(wire.record(wire.event(start + step * 0.25, step, made.tag_name(t), payload, meta)))


def histogram(made: Workload, step: int, rng: np.random.Generator) -> bytes:
    edges = np.linspace(-3, 3, made.size + 1) * (1 + step / made.steps)
    counts = rng.integers(0, 1000, made.size).astype("<f8")
    if made.form == "simple":
        numbers = (edges[0], edges[-1], counts.sum(), 1.0, 2.0)
        fields = b"".join(wire.field_double(i + 1, number) for i, number in enumerate(numbers))
        columns = wire.field_bytes(6, edges[1:].astype("<f8").tobytes()) + wire.field_bytes(
            7, counts.tobytes()
        )
        return wire.field_bytes(5, fields + columns)
    table = np.stack([edges[:-1], edges[1:], counts], axis=1).astype("<f8")
    head = wire.field_varint(1, wire.DT_DOUBLE) + wire.field_bytes(2, wire.shape(made.size, 3))
    return wire.field_bytes(8, head + wire.field_bytes(4, table.tobytes()))


def image(made: Workload, blob: bytes) -> bytes:
    if made.form == "simple":
        numbers = (made.size, made.size, 3)
        fields = b"".join(wire.field_varint(i + 1, number) for i, number in enumerate(numbers))
        return wire.field_bytes(4, fields + wire.field_bytes(4, blob))
    edge = str(made.size).encode()
    head = wire.field_varint(1, wire.DT_STRING) + wire.field_bytes(2, wire.shape(3))
    return wire.field_bytes(8, head + b"".join(wire.field_bytes(8, part) for part in (edge, edge, blob)))
