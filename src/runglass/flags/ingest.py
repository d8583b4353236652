"""Flags of `runglass ingest`."""

from __future__ import annotations

import argparse

from runglass.errors import BadRequest
from runglass.flags.parser import Parser, with_underscores
from runglass.flags.value_types import parse_duration

EXAMPLES = (
    ("runglass ingest logs --to clickhouse://me@host/runs", "what is there now"),
    ("runglass ingest logs --to clickhouse://me@host/runs --follow", "and what comes"),
    ("runglass ingest logs --to chdb:///home/me/runs", "into a folder, without a server"),
    ("runglass ingest --to clickhouse://me@host/runs --keep 90d", "remove what is older"),
)


def make_parser() -> Parser:
    parser = Parser(
        "ingest",
        EXAMPLES,
        usage="runglass ingest LOGDIR … --to clickhouse://user@host/database|chdb:///folder [--follow] [--keep 90d]",
        description="Bring runs into ClickHouse, each point once. Ended and started again, it goes on where it was.",
    )
    parser.add_argument("logdirs", nargs="*", metavar="LOGDIR", help="a directory of logs")
    parser.add_argument(
        "--to", required=True, metavar="DATABASE", help="where to; the password from CLICKHOUSE_PASSWORD"
    )
    parser.add_argument("--follow", action="store_true", help="go on with what is written, until it is ended")
    parser.add_argument(
        "--project", default="", metavar="NAME", help="put NAME/ before the names of the runs"
    )
    parser.add_argument(
        "--keep",
        type=parse_duration,
        metavar="AGE",
        help="remove runs without a value for so long, as in 90d or 12h; with --project, only its runs. Directories stay as they are",
    )
    return parser


def parse(argv: list[str]) -> argparse.Namespace:
    args = make_parser().parse_words(with_underscores(argv))
    if not args.logdirs and args.keep is None:
        raise BadRequest(
            "No log directory was given. Name one: runglass ingest LOGDIR --to DATABASE.", where="logdir"
        )
    return args
