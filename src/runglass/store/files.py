"""Files whose bytes may lie elsewhere: makes ranges of them present before they are read. For local files nothing happens.

A provider owns a folder. It answers for the files in it, and is registered for as long as the folder is open.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol


class Provider(Protocol):
    def make_present(self, path: str, ranges: Sequence[tuple[int, int]]) -> None:
        """Fetch what is missing of these ranges; raises OSError if that cannot be had."""
        ...

    def reveal(self, folder: str) -> None:
        """Give every file of a folder an entry, also those that no listing has wanted yet."""
        ...

    def stat(self, path: str | int) -> os.stat_result:
        """As `os.stat`, never in the middle of a change by this provider. A number is an open file."""
        ...


# By folder, without links and without a separator at the end.
_providers: dict[str, Provider] = {}


def provide(folder: str, provider: Provider) -> None:
    _providers[os.path.realpath(folder)] = provider


def withdraw(folder: str) -> None:
    _providers.pop(os.path.realpath(folder), None)


def find_provider(path: str) -> Provider | None:
    """Whose file this is; None for a local one."""
    if not _providers:
        return None
    above = path
    while True:
        provider = _providers.get(above)
        if provider is not None:
            return provider
        further = os.path.dirname(above)
        if further == above:
            return None
        above = further


def make_present(path: str, ranges: Sequence[tuple[int, int]]) -> None:
    """Have these ranges (start, end) of a file on disk before it is read; raises OSError if that fails."""
    provider = find_provider(path)
    if provider is not None:
        provider.make_present(path, ranges)


def reveal(folder: str) -> None:
    provider = find_provider(folder)
    if provider is not None:
        provider.reveal(folder)


def stat_file(path: str, *, follow_symlinks: bool = True) -> os.stat_result:
    provider = find_provider(path)
    return os.stat(path, follow_symlinks=follow_symlinks) if provider is None else provider.stat(path)
