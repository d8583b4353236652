"""`python -m tests.load`: attacks a server on loopback, prints a table of figures, and fails where one is beyond its limit."""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.load.faults import STAGES as FAULTS
from tests.load.figures import Figure, format_table
from tests.load.restarts import STAGES as RESTARTS
from tests.load.serving import STAGES as SERVING
from tests.load.stage import Setting

STAGES = {**SERVING, **FAULTS, **RESTARTS}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help=f"stages, separated by commas: {', '.join(STAGES)}")
    parser.add_argument("--small", action="store_true", help="less of everything, within two minutes")
    parser.add_argument(
        "--patience",
        type=float,
        default=1.0,
        help="times and speeds may be this much worse than their limits",
    )
    parser.add_argument("--server", default=f"{sys.executable} -m runglass", help="the command to attack")
    parser.add_argument("--no-browser", action="store_true", help="no Chromium among the pages")
    parser.add_argument("--folder", help="where logs are made (default: a temporary folder)")
    args = parser.parse_args()
    if not Path("/proc/self/status").exists():
        print("The load test reads /proc: it runs on Linux.", file=sys.stderr)
        return 2
    names = args.only.split(",") if args.only else list(STAGES)
    figures: list[Figure] = []
    failed: list[str] = []
    with TemporaryDirectory(prefix="runglass-load-", dir=args.folder) as folder:
        setting = Setting(Path(folder), shlex.split(args.server), args.small, not args.no_browser)
        for name in names:
            begin = time.perf_counter()
            try:
                found = asyncio.run(STAGES[name](setting))
            except AssertionError as error:
                failed.append(f"{name}: {error}")
                found = []
            figures += found
            print(f"{name}: {time.perf_counter() - begin:.1f} s", file=sys.stderr, flush=True)
    print(format_table(figures, args.patience))
    failed += [f"{each.stage}: {each.name}" for each in figures if not each.is_kept(args.patience)]
    for each in failed:
        print(f"FAILED {each}", file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())
