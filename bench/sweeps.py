"""Log directories of hyperparameter searches of known content: made once under bench/out, for the server and for the page.

Session i is the run `sweep_{i // 100:03d}/run_{i:05d}`: a session start, some steps of every metric, a session end. The root has
the experiment record, so that TensorBoard reads the same. Hyperparameters are numbers, categories and booleans in turn.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench import wire
from bench.workloads import BASE_TIME, OUT, write_once

# Raised when the bytes change.
LAYOUT = 1
STEPS = 5
OPTIMIZERS = ("adam", "adamw", "lion", "sgd")
METRICS = ("val/accuracy", "val/loss", "train/loss", "latency_ms", "params_m")


@dataclass(frozen=True)
class Sweep:
    sessions: int
    hparams: int
    metrics: int
    layout: int = LAYOUT

    @property
    def path(self) -> Path:
        return OUT / "logs" / f"sweep-{self.sessions}-{self.hparams}-{self.metrics}"

    def run_name(self, session: int) -> str:
        return f"sweep_{session // 100:03d}/run_{session:05d}"

    def hparam_names(self) -> list[str]:
        first = ["lr", "optimizer", "use_ema", "weight_decay", "width"]
        return [*first, *(f"setting_{i:02d}" for i in range(len(first), self.hparams))][: self.hparams]

    def metric_names(self) -> list[str]:
        return [*METRICS, *(f"metric_{i}" for i in range(len(METRICS), self.metrics))][: self.metrics]

    def values(self, session: int) -> dict[str, float | str | bool]:
        rng = np.random.default_rng(session)
        drawn = rng.random(self.hparams)
        found: dict[str, float | str | bool] = {}
        for number, name in enumerate(self.hparam_names()):
            at = float(drawn[number])
            if number % 5 == 1:
                found[name] = OPTIMIZERS[int(at * 4)]
            elif number % 5 == 2:
                found[name] = at < 0.5
            elif number % 5 == 4:
                found[name] = float(2 ** int(4 + at * 6))
            else:
                found[name] = float(10 ** (-5 + 4 * at))
        return found

    def last_values(self, session: int) -> list[float]:
        """Of every metric, as float32."""
        given = self.values(session)
        lr = -np.log10(float(given["lr"]))
        width = float(given.get("width", 64.0))
        quality = 0.9 - 0.05 * (lr - 3) ** 2 + (0.03 if given.get("optimizer") == "adamw" else 0.0)
        noise = np.random.default_rng(session + 1_000_000).normal(0, 0.01, self.metrics)
        found = [quality, 2 - 2 * quality, 1.9 - 2 * quality, width / 10, width / 100]
        found += [float(i) for i in range(len(found), self.metrics)]
        return [float(np.float32(value + extra)) for value, extra in zip(found, noise, strict=False)]


def sweep(sessions: int, hparams: int, metrics: int) -> Sweep:
    """Makes sure that it is on disk."""
    made = Sweep(sessions, hparams, metrics)
    write_once(made.path, lambda: asdict(made), lambda: write(made))
    return made


def write(made: Sweep) -> None:
    shutil.rmtree(made.path, ignore_errors=True)
    made.path.mkdir(parents=True)
    infos = b"".join(wire.field_bytes(4, wire.field_bytes(1, name.encode())) for name in made.hparam_names())
    infos += b"".join(
        wire.field_bytes(5, wire.field_bytes(1, wire.field_bytes(2, name.encode())))
        for name in made.metric_names()
    )
    write_file(made.path, 0, [plugin_event("experiment", wire.field_bytes(2, infos), BASE_TIME)])
    for session in range(made.sessions):
        write_file(made.path / made.run_name(session), session, session_events(made, session))
    os.sync()


def session_events(made: Sweep, session: int) -> list[bytes]:
    start = BASE_TIME + session * 60
    entries = b"".join(
        wire.field_bytes(1, wire.field_bytes(1, name.encode()) + wire.field_bytes(2, value_bytes(value)))
        for name, value in made.values(session).items()
    )
    group = wire.field_bytes(4, made.run_name(session).encode())
    info = entries + group + wire.field_double(5, start)
    events = [plugin_event("session_start_info", wire.field_bytes(3, info), start)]
    for name, last in zip(made.metric_names(), made.last_values(session), strict=True):
        for step in range(1, STEPS + 1):
            value = last * step / STEPS if step < STEPS else last
            events.append(wire.event(start + step, step, name, wire.scalar_payload("simple", value)))
    end = wire.field_varint(1, 1) + wire.field_double(2, start + STEPS)
    events.append(plugin_event("session_end_info", wire.field_bytes(4, end), start + STEPS))
    return events


def value_bytes(value: float | str | bool) -> bytes:
    if isinstance(value, bool):
        return wire.field_varint(4, int(value))
    return wire.field_bytes(3, value.encode()) if isinstance(value, str) else wire.field_double(2, value)


def plugin_event(tag: str, content: bytes, wall_time: float) -> bytes:
    meta = wire.field_bytes(1, wire.field_bytes(1, b"hparams") + wire.field_bytes(2, content))
    # The empty tensor that TensorBoard's API writes: DT_FLOAT, shape [0].
    tensor = wire.field_bytes(8, wire.field_varint(1, wire.DT_FLOAT) + wire.field_bytes(2, wire.shape(0)))
    return wire.event(wall_time, 0, f"_hparams_/{tag}", tensor, meta)


def write_file(folder: Path, number: int, events: list[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    start = BASE_TIME + number * 60
    name = f"events.out.tfevents.{start:.0f}.bench.{number}.0"
    (folder / name).write_bytes(b"".join([wire.header_record(start), *map(wire.record, events)]))
