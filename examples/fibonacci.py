"""The Fibonacci sequence over 100 steps: the shortest example. A logarithmic y axis makes it a straight line."""

from __future__ import annotations

import argparse

import numpy as np

from runglass import SummaryWriter


def main(logdir: str) -> None:
    with SummaryWriter(logdir) as writer:
        current, following = 0, 1
        for step in range(100):
            # float64 keeps more digits than the usual float32.
            writer.add_scalar("fibonacci", np.float64(current), step)
            current, following = following, current + following


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logdir", default="logs/fibonacci")
    main(parser.parse_args().logdir)
