"""What can be said on the command line of every benchmark."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path


def parse_options(
    program: str, about: str, *, parts: Collection[str], parts_are: str, quick: str, peer_repeat: int
) -> argparse.Namespace:
    """`parts` are what `--only` chooses from, and `parts_are` what they are called."""
    parser = argparse.ArgumentParser(program, description=about)
    every = ", ".join(parts)
    parser.add_argument("--only", default=",".join(parts), help=f"comma-separated {parts_are}: {every}")
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--json", type=Path, help="write all samples there too")
    parser.add_argument("--repeat", type=int, default=5, help="rounds of Runglass (and of the floor)")
    parser.add_argument(
        "--peer-repeat", type=int, default=peer_repeat, help="rounds of the peers; 0 leaves them out"
    )
    chosen = parser.parse_args()
    unknown = set(chosen.only.split(",")) - set(parts)
    if unknown:
        parser.error(f"no such {parts_are}: {', '.join(sorted(unknown))} (there are {every})")
    return chosen
