"""`python -m tests.fuzz --seconds 60`: damaged bytes at everything that reads until the time is up, best in a checked build.

Every target gets the same time. Where the native modules were built to be followed, inputs that reach new branches are damaged
further, and `--keep` saves them for the next time.
"""

from __future__ import annotations

import argparse
import faulthandler
import logging
import random
import resource
import sys
import time
import traceback
import tracemalloc
from hashlib import blake2b
from pathlib import Path

# Before anything of the package.
from tests.fuzz import checked_build  # noqa: F401
from tests.fuzz.guidance import take_news
from tests.fuzz.mutate import mutate
from tests.fuzz.targets import CORPUS, TARGETS, run_bounded, seeds

# Far above what any batch may take; a hang ends with the stack of where it hung.
HANG_S = 120
MEMORY_KB = 1_500_000
BATCH_S = 0.25
# Measuring memory takes longer than most targets do.
MEASURED = 8
# Inputs that reached something new, of each target.
MAX_FOUND = 2000


class Guided:
    """The inputs of one target: good ones to begin with, and those that led somewhere new."""

    def __init__(self, name: str, good: list[bytes], keep: Path | None) -> None:
        self.good = good
        self.found: list[bytes] = []
        self.count = 0
        self.spent_s = 0.0
        self._folder = None if keep is None else keep / name
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self.found = [path.read_bytes() for path in sorted(self._folder.iterdir())][:MAX_FOUND]

    def draw(self, rng: random.Random) -> bytes:
        if self.found and rng.random() < 0.6:
            return mutate(rng, self.found)
        return mutate(rng, self.good)

    def add(self, data: bytes, rng: random.Random) -> None:
        if len(self.found) < MAX_FOUND:
            self.found.append(data)
        else:
            self.found[rng.randrange(MAX_FOUND)] = data
        if self._folder is not None:
            (self._folder / blake2b(data, digest_size=8).hexdigest()).write_bytes(data)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", help=f"targets, separated by commas: {', '.join(TARGETS)}")
    parser.add_argument("--keep", type=Path, help="a folder for inputs that led somewhere new")
    parser.add_argument("--input", type=Path, help="run one input (with --only) and end")
    args = parser.parse_args()
    names = args.only.split(",") if args.only else list(TARGETS)
    rng = random.Random(args.seed)
    if args.input is not None:
        TARGETS[names[0]](args.input.read_bytes(), rng)
        return 0
    print(f"seed {args.seed}", flush=True)
    # What the server would log of damaged files.
    logging.disable()
    good = seeds()
    inputs = {name: Guided(name, good[name], args.keep) for name in names}
    is_guided = take_news is not None and take_news() > 0
    if not is_guided:
        print("The native modules are not built to be followed: inputs are damaged without guidance.")
    deadline = time.monotonic() + args.seconds
    batches = 0
    failed: list[str] = []
    # A target that failed is left out for the rest of the time.
    while names and time.monotonic() < deadline:
        name = min(names, key=lambda each: inputs[each].spent_s)
        batches += 1
        faulthandler.dump_traceback_later(HANG_S, exit=True)
        if batches % MEASURED == 0:
            tracemalloc.start()
        is_kept = run_batch(name, inputs[name], rng, is_guided=is_guided, seed=args.seed)
        tracemalloc.stop()
        if not is_kept:
            failed.append(name)
            names.remove(name)
    faulthandler.cancel_dump_traceback_later()
    # What native code allocates is seen by nobody but the system.
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if peak_kb > MEMORY_KB:
        print(f"{peak_kb:,} kB of memory were needed at the peak, {MEMORY_KB:,} are allowed", file=sys.stderr)
        return 1
    for name, each in inputs.items():
        print(f"{name:16}{each.count:12,} executions, {len(each.found):,} inputs led somewhere new")
    print(f"{'all':16}{sum(each.count for each in inputs.values()):12,} executions")
    return 1 if failed else 0


def run_batch(name: str, inputs: Guided, rng: random.Random, *, is_guided: bool, seed: int) -> bool:
    begin = time.monotonic()
    while time.monotonic() - begin < BATCH_S:
        data = inputs.draw(rng)
        try:
            run_bounded(name, data, rng)
        except Exception:
            faulthandler.cancel_dump_traceback_later()
            traceback.print_exc()
            path = Path(f"fuzz-finding-{name}-{seed}.bin")
            path.write_bytes(data)
            print(
                f"{name} failed after {inputs.count:,} executions; its input is in {path}. Mended, it goes to"
                f" {CORPUS.name}/{name}/.",
                file=sys.stderr,
            )
            return False
        inputs.count += 1
        if is_guided and take_news is not None and take_news():
            inputs.add(data, rng)
    inputs.spent_s += time.monotonic() - begin
    return True


sys.exit(main())
