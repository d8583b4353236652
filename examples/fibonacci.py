"""The Fibonacci sequence over 100 steps: the shortest example. A logarithmic y axis makes it a straight line."""

from __future__ import annotations

import argparse

from runglass import SummaryWriter


def main(logdir: str) -> None:
    with SummaryWriter(logdir) as writer:
        current, following = 0, 1
        for step in range(100):
            # The usual 32 bits hold seven digits of a number, these sixteen.
            writer.add_scalar("fibonacci", current, step, double_precision=True)
            current, following = following, current + following


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/fibonacci")
    logdir = parser.parse_args().logdir
    main(logdir)
    print(f"Show it: runglass {logdir}")
