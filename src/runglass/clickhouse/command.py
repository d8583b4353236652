"""`runglass ingest`: brings directories into a database, once or for as long as it runs, and removes what is too old."""

from __future__ import annotations

import getpass
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec.structs import replace

from runglass.clickhouse.address import PASSWORD_VARIABLE, Address, parse_address
from runglass.clickhouse.client import Client, connect
from runglass.clickhouse.open import Following
from runglass.clickhouse.retention import find_old, remove_runs
from runglass.clickhouse.schema import bring_up_to_date
from runglass.errors import RunglassError
from runglass.ingest.roots import LogRoot

FOLLOWED_EVERY_S = 5.0
REMOVE_EVERY_S = 600.0


class Location(Protocol):
    @property
    def shown(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def name(self) -> str: ...


def ask_password(address: Address) -> Address:
    """Ask for the password of a named user, on a terminal, where neither the address nor the environment has it."""
    if address.is_embedded or address.password or not address.user or PASSWORD_VARIABLE in os.environ:
        return address
    if not sys.stdin.isatty():
        return address
    password = getpass.getpass(f"Password of {address.user} at {address.host} (empty for none): ")
    # For every connection of this process.
    os.environ[PASSWORD_VARIABLE] = password
    return replace(address, password=password)


def ingest(
    locations: Sequence[Location],
    to: str,
    *,
    follow: bool,
    keep_s: float | None,
    project: str,
    on_note: Callable[[str], None],
) -> str:
    """Returns what was done, in words. With `follow` it ends when it is interrupted."""
    roots = [LogRoot(each.shown, each.path, each.name) for each in locations]
    for root in roots:
        if not follow and not os.path.exists(root.path):
            raise RunglassError(f"{root.shown!r} does not exist. Check the path.", where=root.shown)
    client = connect(ask_password(parse_address(to)))
    try:
        bring_up_to_date(client)
        began = time.monotonic()
        following = Following(
            client,
            [_named(root, project) for root in roots],
            reload_interval_s=FOLLOWED_EVERY_S if follow else 0.0,
            keep_s=keep_s,
            on_note=on_note,
        )
        removed = _remove_old(client, keep_s, project)
        try:
            if follow:
                following.start()
                _wait(client, keep_s, project, on_note)
            elif roots:
                following.load()
        finally:
            following.stop()
        written = following.ingester.written
        runs = len(following.store.runs)
        told = (
            f"{written.points:,} points and {written.ranges:,} other values of {runs:,} run{'' if runs == 1 else 's'} are new in "
            f"{client.address.shown} ({time.monotonic() - began:.1f} s)."
        )
        return f"{told} Removed {removed:,} run{'' if removed == 1 else 's'}." if removed else told
    finally:
        client.close()


def _named(root: LogRoot, project: str) -> LogRoot:
    if not project:
        return root
    return LogRoot(root.shown, root.path, f"{project}/{root.name}" if root.name else project)


def _remove_old(client: Client, keep_s: float | None, project: str) -> int:
    if keep_s is None:
        return 0
    old = find_old(client, keep_s=keep_s, project=project)
    remove_runs(client, old)
    return len(old)


def _wait(client: Client, keep_s: float | None, project: str, on_note: Callable[[str], None]) -> None:
    """Until Ctrl+C."""
    try:
        while True:
            time.sleep(REMOVE_EVERY_S)
            try:
                removed = _remove_old(client, keep_s, project)
                if removed:
                    on_note(f"Removed {removed:,} runs without a value for longer than --keep.")
            except RunglassError as error:
                on_note(error.message)
    except KeyboardInterrupt:
        return
