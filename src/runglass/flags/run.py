"""Flags of `runglass run`."""

from __future__ import annotations

import argparse

from runglass.errors import BadRequest
from runglass.flags.commands import DEFAULT_RUNS
from runglass.flags.parser import Parser
from runglass.flags.value_types import parse_measure_interval

MEASURE_INTERVAL_S = 2.0
EXAMPLES = (
    ("runglass run -- python train.py --lr 0.1", "recorded below ./runs"),
    ("runglass run --logdir logs --name first -- make train", "as the run logs/first"),
)


def make_parser() -> Parser:
    parser = Parser(
        "run",
        EXAMPLES,
        usage="runglass run [--logdir DIR] [--name RUN] [--interval SECONDS] -- COMMAND …",
        description="Run a command unchanged and record what it uses and prints as a run.",
    )
    parser.add_argument(
        "--logdir", default=DEFAULT_RUNS, metavar="DIR", help=f"where runs are kept (default {DEFAULT_RUNS})"
    )
    parser.add_argument("--name", metavar="RUN", help="name of the run (default: the time and the command)")
    parser.add_argument(
        "--interval",
        type=parse_measure_interval,
        default=MEASURE_INTERVAL_S,
        metavar="SECONDS",
        help=f"how often to measure (default {MEASURE_INTERVAL_S:g})",
    )
    # Flags of the command are its own, whatever they are called.
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND …", help="the command to run")
    return parser


def parse(argv: list[str]) -> argparse.Namespace:
    args = make_parser().parse_words(argv)
    if args.words[:1] == ["--"]:
        del args.words[0]
    if not args.words:
        raise BadRequest(
            "No command was given. Write it after two dashes: runglass run -- python train.py. "
            "To show a directory named run: runglass serve run.",
            where="command",
        )
    return args
