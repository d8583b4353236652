"""`python -m bench.writer.on_gpu`: what logging costs a training on a GPU. Needs PyTorch and an NVIDIA GPU, and no peers.

A transformer of 110 million parameters (AdamW, bfloat16, 16,384 tokens a step) trains in blocks of steps: alone, with the loss fetched
by `.item()` or given to `add_scalar` as it is, and watched. Blocks of all kinds take turns; the median block of each is compared with
the median block without logging.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import runglass
from bench import table
from bench.table import Row

WIDTH, LAYERS, HEADS, WORDS = 768, 12, 12, 32_768
BATCH, LENGTH = 32, 512
STEPS, ROUNDS, WARM_UP = 100, 5, 20
WATCH_EVERY_MUST, WATCH_100_MUST, ITEM_SHARE_MUST = 0.10, 0.005, 0.1

Step = Callable[[], Any]


def make_training(torch: Any) -> tuple[Any, Step]:
    """A model, and one step of its training, which returns the loss without waiting for it."""
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(
        WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True, norm_first=True
    )
    model = nn.Sequential(
        nn.Embedding(WORDS, WIDTH),
        nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False),
        nn.Linear(WIDTH, WORDS, bias=False),
    )
    model[2].weight = model[0].weight
    model = model.to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    words = torch.randint(0, WORDS, (BATCH, LENGTH), device="cuda")

    def step() -> Any:
        with torch.autocast("cuda", torch.bfloat16):
            loss = nn.functional.cross_entropy(model(words).flatten(0, 1), words.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        return loss

    return model, step


def time_steps(torch: Any, step: Step, log: Callable[[Any, int], None]) -> float:
    torch.cuda.synchronize()
    began = time.perf_counter()
    for number in range(STEPS):
        log(step(), number)
    torch.cuda.synchronize()
    return (time.perf_counter() - began) / STEPS


def measure(torch: Any, logdir: str) -> dict[str, list[float]]:
    model, step = make_training(torch)
    found: dict[str, list[float]] = {}
    numbers: list[float] = []
    with runglass.SummaryWriter(logdir) as writer:

        def watched(every: int) -> float:
            # The first logged step compiles kernels.
            with runglass.watch(model, writer, every):
                step()
                return time_steps(torch, step, lambda loss, number: None)

        ways: dict[str, Callable[[], float]] = {
            "alone": lambda: time_steps(torch, step, lambda loss, number: None),
            "item": lambda: time_steps(torch, step, lambda loss, number: numbers.append(loss.item())),
            "add_scalar": lambda: time_steps(
                torch, step, lambda loss, number: writer.add_scalar("loss", loss.detach(), number)
            ),
            "watch 100": lambda: watched(100),
            "watch 1": lambda: watched(1),
        }
        for _ in range(WARM_UP):
            step()
        for name in ways:
            ways[name]()
        for _ in range(ROUNDS):
            for name, way in ways.items():
                found.setdefault(name, []).append(way())
    return found


def rows_of(found: dict[str, list[float]]) -> list[Row]:
    step_s = {name: statistics.median(times) for name, times in found.items()}
    alone = step_s["alone"]
    added = {name: taken - alone for name, taken in step_s.items()}

    def row(what: str, ours: str, must_be: str, ok: bool | None) -> Row:
        made = Row(what, must_be=must_be)
        made.ours, made.ok = ours, ok
        return made

    rows = [row("a step without logging", f"{alone * 1e3:.2f} ms", "", None)]
    logged = row(
        "add_scalar of the loss in every step: added to a step",
        f"{added['add_scalar'] * 1e3:.3f} ms",
        f"≤ 1/{1 / ITEM_SHARE_MUST:.0f} of .item()",
        added["add_scalar"] <= ITEM_SHARE_MUST * added["item"],
    )
    logged.peer = f".item() {added['item'] * 1e3:.3f} ms"
    rows.append(logged)
    for name, most in (("watch 100", WATCH_100_MUST), ("watch 1", WATCH_EVERY_MUST)):
        share = added[name] / alone
        rows.append(row(f"{name.replace(' ', ', every=')}", f"{share:.2%}", f"≤ {most:.1%}", share <= most))
    return rows


def main() -> int:
    try:
        torch = import_module("torch")
    except ImportError:
        torch = None
    if torch is None or not torch.cuda.is_available():
        print("This benchmark needs PyTorch and an NVIDIA GPU.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as logdir:
        rows = rows_of(measure(torch, logdir))
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    print(table.plain(rows))
    return 0 if all(row.ok is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
