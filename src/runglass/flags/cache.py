"""Flags of `runglass cache`."""

from __future__ import annotations

import argparse

from runglass.flags.parser import Parser, with_underscores

EXAMPLES = (
    ("runglass cache", "its size, and what for"),
    ("runglass cache --clear logs", "forget what was kept of ./logs"),
    ("runglass cache --clear", "remove all of it; it is made again as needed"),
)


def make_parser() -> Parser:
    parser = Parser(
        "cache",
        EXAMPLES,
        usage="runglass cache [--clear [LOGDIR …]] [--cache-dir PATH] [--json]",
        description="Say what the cache folder holds and what for, or clear it. Everything in it can be made again.",
    )
    parser.add_argument(
        "--clear",
        nargs="*",
        metavar="LOGDIR",
        help="remove what is kept of these log directories (default: everything)",
    )
    parser.add_argument(
        "--cache_dir", metavar="PATH", help="of this folder (default: the user's cache folder)"
    )
    parser.add_argument("--json", action="store_true", help="for machines")
    return parser


def parse(argv: list[str]) -> argparse.Namespace:
    return make_parser().parse_words(with_underscores(argv))
