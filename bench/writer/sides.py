"""One side of the writer benchmark, in its own process and environment; prints one JSON line.

Needs only the standard library, NumPy and the package it measures. `python -m bench.writer.sides SIDE MEASURE COUNT`.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from typing import Any

Measured = dict[str, float]
IMPORTS = {
    "runglass": "import runglass",
    "torch": "import torch.utils.tensorboard",
    "tensorboardX": "import tensorboardX",
    "tensorflow": "import tensorflow",
    "plain": "pass",
}
# Packages that a logging library must not import.
HEAVY = ("torch", "tensorflow", "PIL", "matplotlib", "pandas", "keras", "jax")
WARM_UP = 1000


class PlainFile:
    """The minimum in Python: one formatted line to a buffered file."""

    def __init__(self, logdir: str) -> None:
        self.file = open(f"{logdir}/log.csv", "w")  # noqa: SIM115

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        self.file.write(f"{tag},{step},{value}\n")

    def flush(self) -> None:
        self.file.flush()

    def close(self) -> None:
        self.file.close()


class TensorFlow:
    def __init__(self, logdir: str) -> None:
        import tensorflow as tf

        self.tf = tf
        self.writer = tf.summary.create_file_writer(logdir)
        self.writer.set_as_default()

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        self.tf.summary.scalar(tag, value, step=step)

    def add_histogram(self, tag: str, values: Any, step: int) -> None:
        self.tf.summary.histogram(tag, values, step=step)

    def add_image(self, tag: str, picture: Any, step: int, dataformats: str = "HWC") -> None:
        self.tf.summary.image(tag, picture[None], step=step)

    def flush(self) -> None:
        self.writer.flush()

    def close(self) -> None:
        self.writer.close()


def open_writer(side: str, logdir: str) -> Any:
    if side == "runglass":
        from runglass import SummaryWriter

        return SummaryWriter(logdir)
    if side == "torch":
        from torch.utils.tensorboard import SummaryWriter as TorchWriter

        return TorchWriter(logdir)
    if side == "tensorboardX":
        from tensorboardX import SummaryWriter as XWriter

        return XWriter(logdir)
    return TensorFlow(logdir) if side == "tensorflow" else PlainFile(logdir)


def timed_calls(side: str, values: Callable[[int], Any], count: int) -> Measured:
    """Times each call, without the cost of the clock."""
    taken_ns = array("q", bytes(8 * count))
    now = time.perf_counter_ns
    with tempfile.TemporaryDirectory() as logdir:
        writer = open_writer(side, logdir)
        for step in range(WARM_UP):
            writer.add_scalar("train/loss", 0.5, step)
        for step in range(count):
            value = values(step)
            start = now()
            writer.add_scalar("train/loss", value, step)
            taken_ns[step] = now() - start
        writer.close()
    # The least that two readings are apart, as a negative number.
    clock_ns = max(now() - now() for _ in range(1000))
    in_order = sorted(taken_ns)
    return {
        "p50_us": (in_order[count // 2] + clock_ns) / 1e3,
        "p99_us": (in_order[count * 99 // 100] + clock_ns) / 1e3,
    }


def scalars(side: str, count: int) -> Measured:
    """Each call by itself, then as many calls in one go, with close."""
    now = time.perf_counter_ns
    found = timed_calls(side, lambda step: step * 0.001, count)
    with tempfile.TemporaryDirectory() as logdir:
        writer = open_writer(side, logdir)
        start = now()
        for step in range(count):
            writer.add_scalar("train/loss", step * 0.001, step)
        writer.close()
        sustained_s = (now() - start) / 1e9
    return {**found, "per_s": count / sustained_s}


def numpy_scalars(side: str, count: int) -> Measured:
    import numpy as np

    return timed_calls(side, lambda step: np.float32(step), count)


def tensor_scalars(side: str, count: int) -> Measured:
    import torch

    return timed_calls(side, lambda step: torch.tensor(step * 0.001), count)


def per_call(side: str, count: int, log: Callable[[Any, int], None]) -> Measured:
    """The median time of one call, and the mean time until a value is in the file.

    Each is in the file before the next is logged, as where a training logs one now and then.
    """
    with tempfile.TemporaryDirectory() as logdir:
        writer = open_writer(side, logdir)
        log(writer, 0)
        writer.flush()
        taken = []
        started = time.perf_counter()
        for step in range(1, count + 1):
            start = time.thread_time()
            log(writer, step)
            taken.append(time.thread_time() - start)
            writer.flush()
        whole = time.perf_counter() - started
        writer.close()
    return {"caller_ms": 1e3 * statistics.median(taken), "whole_ms": 1e3 * whole / count}


def histograms(side: str, count: int) -> Measured:
    import numpy as np

    values = np.random.default_rng(0).standard_normal(1_000_000, dtype=np.float32)
    return per_call(side, count, lambda writer, step: writer.add_histogram("weights", values, step))


def images(side: str, count: int) -> Measured:
    picture = camera_picture()
    return per_call(
        side, count, lambda writer, step: writer.add_image("input", picture, step, dataformats="HWC")
    )


def float_images(side: str, count: int) -> Measured:
    import numpy as np

    picture = camera_picture().astype(np.float32) / 255
    return per_call(
        side, count, lambda writer, step: writer.add_image("input", picture, step, dataformats="HWC")
    )


def camera_picture() -> Any:
    """A smooth picture with camera noise: 512 x 512, three channels, 8 bits."""
    import numpy as np

    rng = np.random.default_rng(0)
    y, x = np.mgrid[0:512, 0:512] / 512
    smooth = np.stack([np.sin(5 * x), np.cos(7 * y), np.sin(3 * x * y)], axis=2) * 100 + 128
    return np.clip(smooth + rng.normal(0, 3, smooth.shape), 0, 255).astype(np.uint8)


def imports(side: str, count: int) -> Measured:
    code = (
        "import sys, time; start = time.perf_counter(); "
        f"{IMPORTS[side]}; "
        f"print(time.perf_counter() - start, sum(name in sys.modules for name in {HEAVY!r}))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        ).stdout.split()
        for _ in range(count)
    ]
    return {"import_ms": 1e3 * min(float(taken) for taken, _ in runs), "heavy": float(runs[0][1])}


MEASURES: dict[str, Callable[[str, int], Measured]] = {
    "scalars": scalars,
    "numpy_scalars": numpy_scalars,
    "tensor_scalars": tensor_scalars,
    "histograms": histograms,
    "images": images,
    "float_images": float_images,
    "imports": imports,
}

if __name__ == "__main__":
    print(json.dumps(MEASURES[sys.argv[2]](sys.argv[1], int(sys.argv[3]))))
