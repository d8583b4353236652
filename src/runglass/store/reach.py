"""Which files a run may read: the only place that decides about links, absolute paths and `..`. Opens no file."""

from __future__ import annotations

import errno
import os
from typing import NamedTuple

from msgspec import Struct

from runglass.errors import AssetGone, AssetRefused


class Place(Struct, frozen=True):
    """Where a run lies on disk."""

    # The log directory, and the run's directory at or below it. Absolute; may contain links.
    root: str
    directory: str


class Reached(NamedTuple):
    # The path below the run's directory, and the path without links.
    relative: str
    real: str


def resolve(place: Place, path: str, *, where: str) -> Reached:
    """Resolve a path that a run may read; raises AssetRefused if it may not, AssetGone if there is nothing.

    `path` is below the run's directory or absolute, as the walk found it or as an asset names it. It may lead

    - to anything in the run's directory, wherever a link took that directory itself: the user named it, or linked it;
    - through a link in the run's directory, to anything in the log directory: runs share files that way;

    and nowhere else. Logs are not trusted: a name inside a file never leads out of the run, neither by `..` nor as an absolute
    path, which reaches only what a relative one could. `where` names the asset in errors.
    """
    try:
        directory, root = os.path.realpath(place.directory), os.path.realpath(place.root)
        named = os.path.normpath(os.path.join(place.directory, path))
    except (OSError, ValueError) as error:
        raise why_not(error, where) from error
    try:
        real = os.path.realpath(named, strict=True)
    except (OSError, ValueError) as error:
        is_outside = not os.path.isabs(path) and not is_at_or_below(named, place.directory)
        if is_outside and isinstance(error, FileNotFoundError):
            # Whether there is such a file outside is not told either.
            raise _refused("it names", where) from error
        raise why_not(error, where) from error
    for top in (place.directory, directory):
        if is_at_or_below(named, top) and (is_at_or_below(real, directory) or is_at_or_below(real, root)):
            return Reached(os.path.relpath(named, top), real)
    if os.path.isabs(path) and is_at_or_below(real, directory):
        return Reached(os.path.relpath(real, directory), real)
    found = "a link leads to" if is_at_or_below(named, place.directory) else "it names"
    raise _refused(found, where)


def _refused(found: str, where: str) -> AssetRefused:
    return AssetRefused(
        f"{where}: {found} a file outside the run's directory. Only files in it are read, and files in the log directory that "
        "it links to. Copy the file into the run's directory.",
        where=where,
    )


def is_at_or_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip(os.sep) + os.sep)


def shown_name(path: str) -> str:
    """A relative path as it is shown and sent: with "/" between folders, and bytes that are not UTF-8 escaped."""
    name = path.replace(os.sep, "/")
    # One replacement character for all such bytes could make two names equal.
    return (
        name
        if name.isascii()
        else name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    )


def why_not(error: Exception, where: str) -> AssetGone | AssetRefused:
    """The error to raise when the system refuses to open or read an asset."""
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return AssetGone(f"{where}: there is no such file. List the assets again.", where=where)
    if isinstance(error, OSError) and error.errno == errno.ESTALE:
        return AssetGone(
            f"{where}: the file server no longer has this file. List the assets again.", where=where
        )
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return AssetRefused(f"{where}: a link that leads back to itself. Remove it.", where=where)
    if isinstance(error, OSError):
        return AssetRefused(
            f"{where}: cannot be read: {error.strerror}. Check the file and its permissions.", where=where
        )
    return AssetRefused(f"{where}: this is not the name of a file: {error}.", where=where)
