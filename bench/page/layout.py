"""The layout of one large level of a graph, without a page around it. The peers it was chosen over are in docs/decisions."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

from bench.page.visit import Figures
from bench.peers import Peer

SCRIPT = Path(__file__).parent / "layout.mjs"
# Nodes and edges in one group.
LEVELS = {"layout-1000": (1_000, 1_500), "layout-5000": (5_000, 7_500)}


def measure(name: str, chosen: argparse.Namespace, peer: Peer | None) -> tuple[list[Figures], list[Figures]]:
    size = [str(number) for number in LEVELS[name]]
    own: list[Figures] = []
    for _ in range(chosen.repeat):
        took = subprocess.run(["node", SCRIPT, *size], check=True, capture_output=True, text=True)
        own.append({"layout_s": float(took.stdout)})
        print(f"{name}: layout_s {own[-1]['layout_s']:.3f}", flush=True)
    return own, []
