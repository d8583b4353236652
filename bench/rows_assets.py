"""The row about assets: what finding them adds to the cost of opening many runs.

Run as `python -m bench.rows_assets PATH with|without` it opens that directory once, measures, and prints one JSON line.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bench import wire
from bench.measure import Samples
from bench.setting import Setting, attempt
from bench.table import Row
from bench.workloads import BASE_TIME, OUT

DIRECTORIES = 10_000
# An asset in every tenth directory, of these names in turn.
EVERY = 10
NAMES = ("hparams.yaml", "model.onnx", "w.1.pt.trace.json", "plugins/profile/s/host.xplane.pb")
COST_LIMIT = 1.1
# A difference of a few percent needs more rounds than other rows.
LEAST_ROUNDS = 11


def prepare(directories: int) -> Path:
    """One small event file in every directory; made once."""
    path = OUT / "logs" / f"assets-{directories}"
    done = path.with_suffix(".done")
    if not done.exists():
        shutil.rmtree(path, ignore_errors=True)
        data = wire.header_record(BASE_TIME)
        for number in range(directories):
            folder = path / f"group_{number // 100:03d}" / f"run_{number:05d}"
            folder.mkdir(parents=True)
            (folder / "events.out.tfevents.1700000000.bench.1.0").write_bytes(data)
            if number % EVERY == 0:
                asset = folder / NAMES[number // EVERY % len(NAMES)]
                asset.parent.mkdir(parents=True, exist_ok=True)
                asset.write_bytes(b"x")
        os.sync()
        done.touch()
    return path


def open_once(path: Path, *, has_assets: bool, directories: int) -> float:
    """CPU seconds of `runglass.open` in a fresh process; a listing that is wrong raises."""
    command = [sys.executable, "-m", "bench.rows_assets", str(path), "with" if has_assets else "without"]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message")
    answer = json.loads(done.stdout)
    expected = {"runs": directories, "assets": directories // EVERY if has_assets else 0}
    if {name: answer[name] for name in expected} != expected:
        raise RuntimeError(f"listed {answer}, expected {expected}")
    return float(answer["cpu_s"])


def asset_rows(setting: Setting) -> Iterator[Row]:
    directories = round(DIRECTORIES * setting.scale)
    row = Row(
        f"open {directories:,} directories with {directories // EVERY:,} assets: CPU, beside the same without looking for assets",
        must_be=f"≤ {COST_LIMIT:g} x",
    )
    taken: dict[str, list[float]] = {"with": [], "without": []}

    def measure() -> None:
        path = prepare(directories)
        for _ in range(max(setting.repeat, LEAST_ROUNDS)):
            for name, samples in taken.items():
                samples.append(open_once(path, has_assets=name == "with", directories=directories))
        with_s, without_s = Samples(tuple(taken["with"])), Samples(tuple(taken["without"]))
        ratio = with_s.best / without_s.best
        row.ours = f"{with_s.best:.3f} s, without {without_s.best:.3f} s: {ratio:.2f} x"
        row.ok = ratio <= COST_LIMIT

    attempt(row, "ours", measure)
    row.raw = dict(taken)
    yield row


def child(path: str, *, has_assets: bool) -> dict[str, float]:
    import runglass
    import runglass.reader
    from runglass.ingest import assets

    if not has_assets:
        assets.AssetFolder.match = lambda self, name: None  # type: ignore[method-assign]
        assets.AssetFolder.enter = lambda self, name: assets.RUN_FOLDER  # type: ignore[method-assign]
    began = time.process_time()
    log = runglass.open(path)
    cpu_s = time.process_time() - began
    return {"cpu_s": cpu_s, "runs": len(log.runs), "assets": len(log.assets())}


if __name__ == "__main__":
    print(json.dumps(child(sys.argv[1], has_assets=sys.argv[2] == "with")))
