"""Rows about reductions: how long they take beside scikit-learn, pynndescent, openTSNE and umap-learn, how true their pictures are, and
what memory they need. The peers have an environment of their own, .venvs/projector, made on first use."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench import vectors
from bench.peers import ROOT
from bench.setting import Setting, attempt
from bench.table import Row
from bench.workloads import OUT

VENV = ROOT / ".venvs" / "projector"
PACKAGES = ("scikit-learn", "umap-learn", "openTSNE", "pynndescent")
SCRIPT = Path(__file__).parent / "reducing.py"
TIMEOUT_S = 1_800

MIN_RECALL = 0.95
RECALL_ROWS = 1_000
MAX_LOSS = 0.01
MAX_SHARE = 1.5
FIRST_S = 1.0


@dataclass(frozen=True)
class Taken:
    wall_s: float
    cpu_s: float
    first_s: float | None

    def __str__(self) -> str:
        wall = f"{self.wall_s * 1e3:.0f} ms" if self.wall_s < 0.1 else f"{self.wall_s:.2f} s"
        first = "" if self.first_s is None else f", first picture {self.first_s:.2f} s"
        return f"{wall} (CPU {self.cpu_s:.2f} s){first}"


def peers_python() -> str:
    python = VENV / "bin" / "python"
    if not (VENV / "installed").exists():
        print("installing the projector's peers into .venvs/projector …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], check=True)
        (VENV / "installed").touch()
    return str(python)


def reduce_once(who: str, what: str, source: Path) -> tuple[Taken, Path]:
    result = OUT / "vectors" / f"{source.stem}-{what}-{who}.npy"
    python = sys.executable if who == "own" else peers_python()
    command = [python, str(SCRIPT), who, what, str(source), str(result)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "it ended early")
    told = json.loads(done.stdout.splitlines()[-1])
    return Taken(told.get("wall_s", 0.0), told.get("cpu_s", 0.0), told.get("first_s")), result


def time_rows(setting: Setting) -> Iterator[Row]:
    """What, vectors, how long it may take, whether it has to be as fast as the peer, and whether there is a first picture."""
    small, large = round(10_000 * setting.scale), round(70_000 * setting.scale)
    wide = round(100_000 * setting.scale)
    for name, what, shape, limit_s, has_peer in (
        ("PCA, ten components", "pca", (wide, 300), 2.0, True),
        ("exact neighbours of one point", "nearest", (wide, 300), 0.03, False),
        ("15 neighbours of all", "neighbors", (wide, 100), None, True),
        ("t-SNE", "tsne", (small, 128), 15.0, False),
        ("t-SNE", "tsne", (large, 50), 60.0, False),
        ("UMAP", "umap", (small, 128), 6.0, False),
        ("UMAP", "umap", (large, 50), 40.0, False),
    ):
        demands = [
            f"≤ {limit_s:g} s" if limit_s and limit_s >= 1 else f"≤ {limit_s * 1e3:g} ms" if limit_s else ""
        ]
        demands += ["≤ peer"] if has_peer else []
        demands += [f"recall ≥ {MIN_RECALL}"] if what == "neighbors" else []
        demands += [f"first picture ≤ {FIRST_S:g} s"] if what in ("tsne", "umap") else []
        row = Row(f"{name}, {shape[0]:,} × {shape[1]}", must_be=", ".join(filter(None, demands)))
        measure(row, setting, what=what, source=vectors.clusters(*shape), limit_s=limit_s, must_beat=has_peer)
        yield row


def measure(
    row: Row, setting: Setting, *, what: str, source: Path, limit_s: float | None, must_beat: bool
) -> None:
    is_ok: list[bool] = []
    best: dict[str, Taken] = {}

    def run(who: str, times: int) -> None:
        taken = []
        for _ in range(times):
            each, result = reduce_once(who, what, source)
            taken.append(each)
        best[who] = min(taken, key=lambda each: each.wall_s)
        said = str(best[who])
        if what == "neighbors":
            share = recall(np.load(source), np.load(result))
            said += f", recall {share:.3f}"
            if who == "own":
                is_ok.append(share >= MIN_RECALL)
        setattr(row, "ours" if who == "own" else "peer", said)
        row.raw[who] = [(each.wall_s, each.cpu_s, each.first_s) for each in taken]

    is_long = what in ("tsne", "umap")
    done = attempt(row, "ours", lambda: run("own", 1 if is_long else setting.repeat))
    if setting.peer_repeat and what != "nearest":
        attempt(row, "peer", lambda: run("peer", 1 if is_long else setting.peer_repeat))
    if not done:
        return
    if limit_s is not None:
        is_ok.append(best["own"].wall_s <= limit_s)
    if is_long:
        is_ok.append((best["own"].first_s or 0.0) <= FIRST_S)
    if must_beat and "peer" in best:
        is_ok.append(best["own"].wall_s <= best["peer"].wall_s)
    row.ok = all(is_ok) if not must_beat or "peer" in best else None


def recall(points: np.ndarray, found: np.ndarray) -> float:
    """Of the exact neighbours of some rows."""
    rows = np.random.default_rng(0).choice(len(points), min(RECALL_ROWS, len(points)), replace=False)
    lengths = (points.astype(np.float64) ** 2).sum(axis=1)
    hits = 0
    for start in range(0, len(rows), 50):
        some = rows[start : start + 50]
        squares = lengths[None] - 2 * (points[some] @ points.T)
        squares[np.arange(len(some)), some] = np.inf
        near = np.argpartition(squares, found.shape[1], axis=1)[:, : found.shape[1]]
        hits += int((near[:, :, None] == found[some][:, None, :]).any(axis=2).sum())
    return hits / (len(rows) * found.shape[1])


def quality_rows(setting: Setting) -> Iterator[Row]:
    from runglass.reductions.quality import kept_neighbors, trustworthiness

    if not setting.peer_repeat:
        return
    for name, source in (
        ("digits", lambda: reduce_once("peer", "digits", vectors.FOLDER / "digits.npy")[1]),
        ("word vectors", vectors.words),
        ("10 clusters", lambda: vectors.clusters(3_000, 50)),
    ):
        for what, title in (("tsne", "t-SNE"), ("umap", "UMAP")):
            row = Row(
                f"trustworthiness and neighbours kept, {title} of {name}", must_be=f"≥ peer - {MAX_LOSS}"
            )
            found: dict[str, tuple[float, float]] = {}

            def judge(who: str, row: Row = row, what: str = what, source=source, found=found) -> None:  # type: ignore[no-untyped-def]
                path = source()
                points = np.load(path)
                positions = np.load(reduce_once(who, what, path)[1]).astype(np.float32)
                found[who] = (trustworthiness(points, positions), kept_neighbors(points, positions))
                said = f"{found[who][0]:.4f}, {found[who][1]:.4f}"
                setattr(row, "ours" if who == "own" else "peer", said)
                row.raw[who] = found[who]

            if attempt(row, "ours", lambda: judge("own")) and attempt(row, "peer", lambda: judge("peer")):
                row.ok = all(
                    mine >= theirs - MAX_LOSS
                    for mine, theirs in zip(found["own"], found["peer"], strict=True)
                )
            yield row


MEMORY = """
import gc, json, os, sys
import numpy as np
from runglass.reductions.model import Reduction
from runglass.reductions.reduce import reduce

path, n, d, method = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
file = open(path, "rb")

def read(start, stop):
    return np.frombuffer(os.pread(file.fileno(), (stop - start) * d * 4, start * d * 4 + 128), np.float32).reshape(-1, d)

def status(name):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(name))

reduce(read, 2_000, d, Reduction(method=method, iterations=2, epochs=2))
before = status("VmRSS")
got = reduce(read, n, d, Reduction(method=method, epochs=5))
peak = status("VmHWM") - before
del got
gc.collect()
print(json.dumps([peak, status("VmRSS") - before]))
"""


def memory_row(setting: Setting) -> Iterator[Row]:
    n, d = round(1_000_000 * setting.scale), 100
    for method in ("pca", "umap"):
        row = Row(
            f"memory, {method.upper()} of {n:,} × {d}",
            must_be=f"≤ {MAX_SHARE:g} × the vectors, returned after",
        )

        def look(row: Row = row, method: str = method) -> None:
            path = vectors.clusters(n, d)
            command = [sys.executable, "-c", MEMORY, str(path), str(n), str(d), method]
            told = subprocess.run(
                command, capture_output=True, text=True, timeout=TIMEOUT_S, check=True
            ).stdout
            peak, after = json.loads(told.splitlines()[-1])
            size = n * d * 4
            row.ours = f"{peak / 1e6:.0f} MB = {peak / size:.2f} ×, {after / 1e6:.0f} MB after"
            row.raw["ours"] = (peak, after)
            row.ok = peak <= MAX_SHARE * size and after <= 0.2 * size

        attempt(row, "ours", look)
        yield row


def projector_rows(setting: Setting) -> Iterator[Row]:
    yield from time_rows(setting)
    yield from quality_rows(setting)
    yield from memory_row(setting)
