"""`python -m bench.writer`: what logging costs with Runglass, torch, tensorboardX, TensorFlow and a plain file.

python -m bench.writer                everything (some minutes)
python -m bench.writer --quick        fewer calls; the figures mean little
python -m bench.writer --no-peers     only Runglass and the plain file

The peers run in .venvs/interop, which `make interop` makes; WRITER_PEERS names another Python.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.setting import cpu_name
from bench.workloads import OUT

ROOT = Path(__file__).parents[2]
OURS = ("runglass", "plain")
PEERS = ("torch", "tensorboardX", "tensorflow")
Figures = dict[str, float]


@dataclass(frozen=True)
class Measure:
    """What is measured, with how many calls for us and for the slower peers, and the limits of the figures."""

    name: str
    what: str
    count: int
    peer_count: int
    shown: Callable[[Figures], str]
    must_be: str
    is_met: Callable[[Figures], bool]


def scalar_measure(
    name: str, what: str, count: int, peer_count: int, most_p50_us: float, most_p99_us: float
) -> Measure:
    return Measure(
        name,
        f"add_scalar of {what}, p50 / p99",
        count,
        peer_count,
        lambda found: f"{found['p50_us']:.2f} / {found['p99_us']:.2f} µs",
        f"≤ {most_p50_us:g} / {most_p99_us:g} µs",
        lambda found: found["p50_us"] <= most_p50_us and found["p99_us"] <= most_p99_us,
    )


MEASURES = (
    scalar_measure("scalars", "a float", 1_000_000, 50_000, 0.7, 2),
    scalar_measure("numpy_scalars", "np.float32", 300_000, 50_000, 1.5, 4),
    scalar_measure("tensor_scalars", "a CPU tensor of torch", 300_000, 50_000, 4, 10),
    Measure(
        "scalars",
        "add_scalar, sustained with close",
        1_000_000,
        50_000,
        lambda found: f"{found['per_s']:,.0f} /s",
        "≥ 1,000,000 /s",
        lambda found: found["per_s"] >= 1_000_000,
    ),
    Measure(
        "histograms",
        "add_histogram of 1M float32, caller",
        50,
        20,
        lambda found: f"{found['caller_ms']:.2f} ms",
        "≤ 1.5 ms",
        lambda found: found["caller_ms"] <= 1.5,
    ),
    Measure(
        "images",
        "add_image 512x512x3, caller / in the file",
        50,
        20,
        lambda found: f"{found['caller_ms']:.2f} / {found['whole_ms']:.2f} ms",
        "≤ 0.4 / 12 ms",
        lambda found: found["caller_ms"] <= 0.4 and found["whole_ms"] <= 12,
    ),
    Measure(
        "float_images",
        "the same as float32, caller / in the file",
        50,
        20,
        lambda found: f"{found['caller_ms']:.2f} / {found['whole_ms']:.2f} ms",
        "≤ 0.4 / 12 ms",
        lambda found: found["caller_ms"] <= 0.4 and found["whole_ms"] <= 12,
    ),
    Measure(
        "imports",
        "import / heavy packages with it",
        5,
        1,
        lambda found: f"{found['import_ms']:,.0f} ms / {found['heavy']:.0f}",
        "≤ 80 ms / 0",
        lambda found: found["import_ms"] <= 80 and not found["heavy"],
    ),
)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("bench.writer", description="What logging costs, side by side.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the calls")
    parser.add_argument("--no-peers", action="store_true", help="only Runglass and the plain file")
    parser.add_argument("--json", type=Path, help="also write all figures to this file")
    return parser.parse_args()


def peer_python() -> str | None:
    named = os.environ.get("WRITER_PEERS") or str(ROOT / ".venvs" / "interop" / "bin" / "python")
    return named if Path(named).exists() else None


def measured(side: str, name: str, count: int, python: str) -> Figures | str:
    """The figures of one side, or why there are none: its package is missing, or it does not log this kind."""
    command = [python, "-m", "bench.writer.sides", side, name, str(count)]
    # Runglass from this checkout, in the peers' environment too.
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT / "src")}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=quiet, capture_output=True, text=True, timeout=600, check=False
        )
    except subprocess.TimeoutExpired:
        return "over 600 s"
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        return "–" if "AttributeError" in last[0] or "ModuleNotFound" in last[0] else last[0][:60]
    found: Figures = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    chosen = arguments()
    python = None if chosen.no_peers else peer_python()
    sides = [*OURS, *(PEERS if python else ())]
    if not python and not chosen.no_peers:
        print("The peers are left out: there is no .venvs/interop (make interop).", file=sys.stderr)
    found: dict[tuple[str, str], Figures | str] = {}
    rows = [["what", *sides, "must be", "ok"]]
    scale = 0.1 if chosen.quick else 1.0
    is_good = True
    for measure in MEASURES:
        cells = [measure.what]
        for side in sides:
            if (side, measure.name) not in found:
                is_ours = side in OURS
                count = max(1, int(scale * (measure.count if is_ours else measure.peer_count)))
                is_in_peers = python is not None and (not is_ours or measure.name == "tensor_scalars")
                found[side, measure.name] = measured(
                    side, measure.name, count, python if is_in_peers and python else sys.executable
                )
            figures = found[side, measure.name]
            cells.append(figures if isinstance(figures, str) else measure.shown(figures))
        ours = found["runglass", measure.name]
        met = not isinstance(ours, str) and measure.is_met(ours)
        is_good = is_good and met
        rows.append([*cells, measure.must_be, "yes" if met else "NO"])
        print(" | ".join(rows[-1]), flush=True)
    about = (
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, {cpu_name()}, load {os.getloadavg()[0]:.1f}, "
        f"Python {platform.python_version()}" + (", quick: means little" if chosen.quick else "")
    )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    print()
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    print(about)
    OUT.mkdir(parents=True, exist_ok=True)
    lines = ["# Writer benchmark", "", about, "", *("| " + " | ".join(row) + " |" for row in rows)]
    lines.insert(5, "|" + " --- |" * len(rows[0]))
    (OUT / "writer.md").write_text("\n".join(lines) + "\n")
    if chosen.json:
        figures_by_name = {f"{side} {name}": figures for (side, name), figures in found.items()}
        chosen.json.write_text(json.dumps({"about": about, "figures": figures_by_name}, indent=1) + "\n")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
