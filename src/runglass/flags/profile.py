"""Flags of `runglass profile`."""

from __future__ import annotations

import argparse

from runglass.flags.parser import Parser, with_underscores

EXAMPLES = (
    ("runglass profile logs", "the newest profile"),
    ("runglass profile logs --run b --compare a", "what changed from run a to run b"),
    ("runglass profile logs --steps 10 13", "what changed from step 10 to step 13"),
    ("runglass profile logs --markdown > profile.md", "a report to keep"),
)


def make_parser() -> Parser:
    parser = Parser(
        "profile",
        EXAMPLES,
        usage="runglass profile LOGDIR … [--run RUN] [--session NAME] [--compare NAME] [--steps BEFORE NOW] "
        "[--json | --markdown]",
        description="Say where the time of a training went, by one of its profiles, and what to do about it.",
    )
    parser.add_argument("logdirs", nargs="+", metavar="LOGDIR", help="a directory of logs")
    parser.add_argument("--run", metavar="RUN", help="of this run (default: the newest profile of all runs)")
    parser.add_argument("--session", metavar="NAME", help="this profile (default: the newest one)")
    parser.add_argument(
        "--compare",
        metavar="NAME",
        help="with this earlier one: a profile of the same run, a run, or RUN/PROFILE",
    )
    parser.add_argument(
        "--steps",
        nargs=2,
        type=int,
        metavar=("BEFORE", "NOW"),
        help="compare these steps in place of average ones; without --compare, two steps of the profile",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for machines")
    form.add_argument("--markdown", action="store_true", help="as a report to keep or send")
    return parser


def parse(argv: list[str]) -> argparse.Namespace:
    return make_parser().parse_words(with_underscores(argv))
