"""Flags of `runglass import`."""

from __future__ import annotations

import argparse

from runglass.flags.commands import DEFAULT_RUNS
from runglass.flags.parser import Parser, with_underscores

FOREIGN_KINDS = ("wandb", "mlflow", "csv")
EXAMPLES = (
    ("runglass import wandb wandb --logdir logs", "all offline runs below ./wandb"),
    ("runglass import mlflow mlruns --logdir logs", "all experiments of a file store"),
    ("runglass import csv losses.csv log.jsonl --logdir logs", "one run per file"),
)


def make_parser() -> Parser:
    parser = Parser(
        "import",
        EXAMPLES,
        usage="runglass import wandb|mlflow|csv PATH … [--logdir DIR] [--step COLUMN]",
        description="Write logs of other tools as event files. The originals stay as they are.",
    )
    parser.add_argument(
        "kind",
        choices=FOREIGN_KINDS,
        help="wandb: offline runs (*.wandb); mlflow: an mlruns folder; csv: metrics in CSV or JSON lines",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, or folders to search")
    parser.add_argument(
        "--logdir",
        default=DEFAULT_RUNS,
        metavar="DIR",
        help=f"where the runs are written (default {DEFAULT_RUNS})",
    )
    parser.add_argument(
        "--step",
        metavar="COLUMN",
        help="of CSV and JSON lines: the column with steps (default: step, global_step, iteration or epoch, else rows are counted)",
    )
    return parser


def parse(argv: list[str]) -> argparse.Namespace:
    return make_parser().parse_words(with_underscores(argv))
