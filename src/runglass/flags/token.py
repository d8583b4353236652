"""Flags of `runglass token`."""

from __future__ import annotations

import argparse

from runglass.errors import BadRequest
from runglass.flags.parser import Parser, with_underscores
from runglass.flags.value_types import parse_duration

EXAMPLES = (
    ("runglass token create ann", "reads everything; printed once"),
    ("runglass token create ben --project vision --marks", "one project, and may change shared marks"),
    ("runglass token create guest --expires 7d", "ends by itself"),
    ("runglass token list", "who has one"),
    ("runglass token revoke ann", "from now on, on open pages too"),
)


def make_parser() -> Parser:
    parser = Parser(
        "token",
        EXAMPLES,
        usage="runglass token create NAME [--project NAME …] [--marks] [--expires TIME] [--tokens PATH]\n"
        "       runglass token list [--tokens PATH]\n"
        "       runglass token revoke NAME [--tokens PATH]",
        description="Make, list and revoke tokens. A server with --tokens lets in those who have one.",
    )
    parser.add_argument("action", choices=("create", "list", "revoke"), help="what to do")
    parser.add_argument("name", nargs="?", metavar="NAME", help="whose token it is; for revoke also its id")
    parser.add_argument(
        "--project",
        action="append",
        default=[],
        metavar="NAME",
        help="it opens only this project; may be repeated (default: all)",
    )
    parser.add_argument(
        "--marks", action="store_true", help="it may change shared marks (default: read only)"
    )
    parser.add_argument(
        "--expires",
        type=parse_duration,
        metavar="TIME",
        help="it ends after this time, such as 12h, 30d or 1y",
    )
    parser.add_argument(
        "--tokens", metavar="PATH", help="the file of tokens (default: in the user's folder for settings)"
    )
    return parser


def parse(argv: list[str]) -> argparse.Namespace:
    args = make_parser().parse_words(with_underscores(argv))
    if args.action == "list" and args.name is not None:
        raise BadRequest(f"{args.name!r} is one word too many: runglass token list.", where="name")
    if args.action != "list" and args.name is None:
        raise BadRequest(
            f"Whose token? Write a name: runglass token {args.action} NAME. To show a directory named token:"
            " runglass serve token.",
            where="name",
        )
    return args
