"""Flags of `runglass query`."""

from __future__ import annotations

import argparse

from runglass.flags.parser import Parser, with_underscores
from runglass.flags.value_types import parse_count

QUERY_FORMATS = ("table", "csv", "json", "parquet")
SQL_ENGINES = ("duckdb", "chdb")
EXAMPLES = (
    ('runglass query "select run, points from runs" logs', "a table on the terminal"),
    ("runglass query \"select * from points where tag = 'loss'\" logs --output loss.csv", "a file"),
    ("runglass query - logs < best.sql", "a query from a file"),
)


def make_parser() -> Parser:
    parser = Parser(
        "query",
        EXAMPLES,
        usage="runglass query SQL LOGDIR … [--format table|csv|json|parquet] [--output FILE] [--limit N]",
        description="Answer one SELECT over the tables points, series, runs, hparams and files of logs.",
    )
    parser.add_argument("query", metavar="SQL", help="the query; - reads it from standard input")
    parser.add_argument("logdirs", nargs="+", metavar="LOGDIR", help="a directory of logs, or its address")
    parser.add_argument(
        "--format",
        choices=QUERY_FORMATS,
        help="how to write the rows (default: by the ending of --output, else a table)",
    )
    parser.add_argument("--output", metavar="PATH", help="write them to this file")
    parser.add_argument(
        "--limit",
        type=parse_count,
        metavar="N",
        help="at most so many rows, 0 for all (default 100 in a table, 1,000,000 elsewhere)",
    )
    parser.add_argument(
        "--engine",
        choices=SQL_ENGINES,
        help="what answers (default: ClickHouse if the logs are there, else what is installed)",
    )
    return parser


def parse(argv: list[str]) -> argparse.Namespace:
    return make_parser().parse_words(with_underscores(argv))
