"""`runglass token`: makes, lists and revokes the tokens of a file, and says what it did."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from runglass.machine import settings_folder
from runglass.server.projects import check_name
from runglass.server.tokens import Token, TokenFile, create_token, revoke_token
from runglass.visible import make_one_line

if TYPE_CHECKING:
    import argparse

FILE = "tokens.json"


def token_path(named: str | None) -> Path:
    """Where tokens are: the file that the user named, or the one in their folder for settings."""
    return settings_folder() / FILE if named in (None, "default") else Path(named)


def run(args: argparse.Namespace) -> int:
    path = token_path(args.tokens)
    if args.action == "create":
        text = create_token(
            path,
            args.name,
            right="mark" if args.marks else "read",
            projects=[check_name(name) for name in args.project],
            expires_s=args.expires,
        )
        print(text)
        how = "--tokens default" if args.tokens in (None, "default") else f"--tokens {path}"
        note(
            f"This is the only time the token is shown. Open the server's address with ?token=… at its end;"
            f" the server needs {how}."
        )
    elif args.action == "revoke":
        token = revoke_token(path, args.name)
        note(f"Revoked {token.name!r} ({token.id}). Servers that use {path} refuse it from now on.")
    elif path.exists():
        print(render(TokenFile(path).list_tokens(), time.time()))
    else:
        note(f"There are no tokens: {path} does not exist. Make one: runglass token create NAME.")
    return 0


def render(tokens: list[Token], now: float) -> str:
    rows = [("name", "id", "may", "projects", "made", "state")]
    rows += [
        (
            make_one_line(token.name),
            token.id,
            "read, mark" if token.right == "mark" else "read",
            "all" if token.projects is None else ", ".join(token.projects),
            day(token.created),
            describe_state(token, now),
        )
        for token in tokens
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def describe_state(token: Token, now: float) -> str:
    state = token.state(now)
    if state == "revoked" and token.revoked is not None:
        return f"revoked {day(token.revoked)}"
    if token.expires is None:
        return "valid"
    return f"{'valid until' if state == 'valid' else 'expired'} {day(token.expires)}"


def day(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def note(text: str) -> None:
    import sys

    print(make_one_line(text), file=sys.stderr, flush=True)
