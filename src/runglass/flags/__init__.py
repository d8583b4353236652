"""The command line's flags. Parses words only; opens and starts nothing."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NamedTuple

from runglass.flags import cache, importing, ingest, profile, query, run, token
from runglass.flags.commands import ALL_COMMANDS, SHELLS, mistaken_command
from runglass.flags.parser import Parser
from runglass.flags.serve import COMMANDS, WITHOUT_MEANING, make_parser, notes, parse, parse_projects

__all__ = [
    "ALL_COMMANDS",
    "COMMANDS",
    "OTHER_COMMANDS",
    "SHELLS",
    "WITHOUT_MEANING",
    "Command",
    "Parser",
    "list_parsers",
    "make_parser",
    "mistaken_command",
    "notes",
    "parse",
    "parse_projects",
]


class Command(NamedTuple):
    """A command with flags of its own."""

    make_parser: Callable[[], Parser]
    parse: Callable[[list[str]], argparse.Namespace]


OTHER_COMMANDS = {
    "run": Command(run.make_parser, run.parse),
    "profile": Command(profile.make_parser, profile.parse),
    "query": Command(query.make_parser, query.parse),
    "import": Command(importing.make_parser, importing.parse),
    "token": Command(token.make_parser, token.parse),
    "cache": Command(cache.make_parser, cache.parse),
    "ingest": Command(ingest.make_parser, ingest.parse),
}


def list_parsers() -> dict[str, Parser]:
    """Every parser by command; "" for none."""
    return {
        **{command: make_parser("", command) for command in ("", *COMMANDS)},
        **{name: command.make_parser() for name, command in OTHER_COMMANDS.items()},
    }
