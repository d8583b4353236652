"""`python -m tests.fuzz --seconds 60`: damaged bytes at every parser until the time is up, best in a checked build."""

from __future__ import annotations

import argparse
import faulthandler
import random
import resource
import sys
import time
import traceback
import tracemalloc
from pathlib import Path

from tests.fuzz.mutate import mutate
from tests.fuzz.targets import TARGETS, run_bounded, seeds

# Far above what any input may take; a hang ends with the stack of where it hung.
HANG_S = 30
MEMORY_KB = 1_000_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    rng = random.Random(args.seed)
    good = seeds()
    counts = dict.fromkeys(TARGETS, 0)
    tracemalloc.start()
    deadline = time.monotonic() + args.seconds
    while time.monotonic() < deadline:
        name = rng.choice(list(TARGETS))
        data = mutate(rng, good[name])
        faulthandler.dump_traceback_later(HANG_S, exit=True)
        try:
            run_bounded(name, data, rng)
        except Exception:
            faulthandler.cancel_dump_traceback_later()
            traceback.print_exc()
            path = Path(f"fuzz-finding-{name}-{args.seed}.bin")
            path.write_bytes(data)
            print(f"{name} failed; its input is in {path}", file=sys.stderr)
            return 1
        counts[name] += 1
    faulthandler.cancel_dump_traceback_later()
    # What native code allocates is seen by nobody but the system.
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if peak_kb > MEMORY_KB:
        print(f"{peak_kb:,} kB of memory were needed at the peak, {MEMORY_KB:,} are allowed", file=sys.stderr)
        return 1
    print(", ".join(f"{name}: {count:,}" for name, count in counts.items()))
    return 0


sys.exit(main())
