"""The assets of a run, and a reader of their bytes that notices when the file changes.

ingest/assets.py decides which files are assets, reach.py which paths may be opened.
"""

from __future__ import annotations

import errno
import itertools
import mmap
import os
import re
import stat
import tempfile
from collections.abc import Callable
from typing import NamedTuple, Self, TypeVar

from msgspec import Struct

from runglass.errors import AssetChanged, AssetGone, AssetRefused, BadArgument
from runglass.store import files
from runglass.store.blobs import read_at, read_at_into
from runglass.store.model import Asset, Family
from runglass.store.reach import Place, resolve, shown_name, why_not

V = TypeVar("V")

# Non-blocking, because a pipe may have replaced the file. Without links, because reach.py has already resolved them.
OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
# O_PATH is enough to pass through a folder, even one without permission to list it.
FOLDER_FLAGS = (
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
# What follows the name of a checkpoint: its step, if the name is for all of them, and the ending of a file.
CHECKPOINT_FILE = re.compile(
    r"(?:-\d+)?(?:\.index|\.data-\d{5}-of-\d{5}|\.weights\.h5|\.h5|\.safetensors|-\d{5}-of-\d{5})?"
)
COPY_BYTES = 4 << 20
# Smaller copies stay in memory.
SMALL_COPY_BYTES = 1 << 20

_generations = itertools.count(1)


class Identity(NamedTuple):
    """Identifies one state of a file. Equal identities mean equal bytes, up to the resolution of the file system's clock."""

    device: int
    inode: int
    size_bytes: int
    modified_ns: int

    @classmethod
    def of(cls, found: os.stat_result) -> Identity:
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)

    def grew_to(self, later: Identity) -> bool:
        return self[:2] == later[:2] and self.size_bytes <= later.size_bytes


class AssetStage(Struct, frozen=True):
    """An asset of a run. Replaced, never changed, when the file changes."""

    asset: Asset
    # Below the run's directory, as the file system spells it.
    path: str
    identity: Identity
    # Whether it makes its directory a run.
    makes_run: bool = False
    # Whether its writer only appends, and since which generation the file has only grown.
    grows: bool = False
    same_since: int = 0


def stage_asset(
    before: AssetStage | None,
    found: os.stat_result,
    *,
    run: str,
    family: Family,
    path: str,
    makes_run: bool = False,
    grows: bool = False,
) -> AssetStage:
    """The asset as it is now; `before` if nothing changed."""
    identity = Identity.of(found)
    if before is not None and (before.identity, before.asset.family) == (identity, family):
        return before
    generation = next(_generations)
    has_grown = grows and before is not None and before.identity.grew_to(identity)
    asset = Asset(run, family, shown_name(path), identity.size_bytes, found.st_mtime, generation)
    since = before.same_since if before is not None and has_grown else generation
    return AssetStage(asset, path, identity, makes_run, grows, since)


def find_named(place: Place, path: str, *, family: Family, where: str) -> list[tuple[str, os.stat_result]]:
    """Files that an asset names, by their paths below the run's directory; raises AssetGone if there are none."""
    try:
        paths = [path]
        files.reveal(os.path.dirname(os.path.normpath(os.path.join(place.directory, path))))
        if family is Family.CHECKPOINT:
            folder, wanted = os.path.split(path)
            real = resolve(place, folder or os.curdir, where=where).real
            files.reveal(real)
            names = os.listdir(real)
            paths = [os.path.join(folder, name) for name in sorted(names) if is_named(name, wanted, family)]
        found = []
        for each in paths:
            reached = resolve(place, each, where=where)
            state = files.stat_file(reached.real, follow_symlinks=False)
            if each != path and stat.S_ISDIR(state.st_mode):
                # A folder whose name begins like the checkpoint's.
                continue
            _want_regular(state)
            found.append((reached.relative, state))
        if not found:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    except OSError as error:
        raise why_not(error, where) from error
    return found


def is_named(name: str, wanted: str, family: Family) -> bool:
    """Whether `wanted` means this file. The name of a checkpoint is a prefix of its files' names."""
    return name == wanted or (
        family is Family.CHECKPOINT
        and name.startswith(wanted)
        and CHECKPOINT_FILE.fullmatch(name, len(wanted)) is not None
    )


class FileReader:
    """Reads an asset from its file. All bytes are from the state that was listed; otherwise it raises."""

    def __init__(self, stage: AssetStage, asset: Asset, place: Place) -> None:
        """`asset` is as it was listed, perhaps before the file grew."""
        self._where = f"{asset.run}/{asset.name}"
        if not stage.same_since <= asset.generation:
            raise self._changed("since it was listed")
        self._stage = stage
        self.size_bytes = asset.size_bytes
        self._path = resolve(place, stage.path, where=self._where).real
        self._fd = -1
        try:
            self._fd = _open_without_links(self._path)
            self._check("since it was listed")
        except OSError as error:
            self.close()
            raise why_not(error, self._where) from error
        except (AssetGone, AssetChanged, AssetRefused):
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def read(self, offset: int, size: int) -> bytes:
        if offset < 0 or size < 0:
            raise BadArgument(f"read({offset}, {size}): expected an offset and a size of 0 or more.")
        wanted = max(0, min(size, self.size_bytes - offset))
        return self._read(offset, wanted, lambda: read_at(self._fd, wanted, offset), len)

    def read_into(self, offset: int, into: memoryview) -> int:
        """Fill a buffer with the bytes from `offset`, and say how many there are: fewer only where the asset ends."""
        if offset < 0:
            raise BadArgument(f"read_into({offset}): expected an offset of 0 or more.")
        some = into[: max(0, self.size_bytes - offset)]
        return self._read(offset, len(some), lambda: read_at_into(self._fd, some, offset), int)

    def _read(self, offset: int, wanted: int, fetch: Callable[[], V], count: Callable[[V], int]) -> V:
        if self._fd < 0:
            raise BadArgument(f"read() of {self._where} after close(). Open it again.")
        try:
            files.make_present(self._path, [(offset, offset + wanted)])
            data = fetch()
            # Check after the read, so that it covers the bytes just read.
            self._check("while it was read")
        except OSError as error:
            raise why_not(error, self._where) from error
        if count(data) < wanted:
            raise self._changed("while it was read")
        return data

    def map(self) -> memoryview | None:
        """A private copy. A map of the file itself would kill this process (SIGBUS) when a writer truncates the file."""
        if self.size_bytes <= SMALL_COPY_BYTES:
            return memoryview(self.read(0, self.size_bytes))
        try:
            # All at once, where each read would wait for its part.
            files.make_present(self._path, [(0, self.size_bytes)])
        except OSError as error:
            raise why_not(error, self._where) from error
        try:
            with tempfile.TemporaryFile(prefix="runglass-") as copy:
                for at in range(0, self.size_bytes, COPY_BYTES):
                    copy.write(self.read(at, COPY_BYTES))
                copy.flush()
                return memoryview(mmap.mmap(copy.fileno(), self.size_bytes, access=mmap.ACCESS_READ))
        except OSError as error:
            raise AssetRefused(
                f"{self._where}: cannot be copied to {tempfile.gettempdir()}: {error.strerror}. Make room there, or set TMPDIR.",
                where=self._where,
            ) from error

    def _check(self, when: str) -> None:
        """Raise unless the open file and the file at its path are still the one that was listed."""
        provider = files.find_provider(self._path)
        found = os.fstat(self._fd) if provider is None else provider.stat(self._fd)
        _want_regular(found)
        is_same = Identity.of(found) == self._stage.identity
        if self._stage.grows:
            is_same = is_same or self._stage.identity.grew_to(Identity.of(found))
        # A replaced file stays readable through our descriptor, but it is no longer the run's.
        named = os.stat(self._path, follow_symlinks=False)
        if not is_same or not os.path.samestat(found, named):
            raise self._changed(when)

    def _changed(self, when: str) -> AssetChanged:
        return AssetChanged(
            f"{self._where}: the file has changed {when}. List the assets again and open the new one.",
            where=self._where,
        )


def _open_without_links(path: str) -> int:
    """Open a path without links, folder by folder, so that a link put in place after `resolve` is not followed."""
    folders, name = os.path.split(path)
    if os.open not in os.supports_dir_fd:
        _want_regular(os.stat(path, follow_symlinks=False))
        return os.open(path, OPEN_FLAGS)
    folder = os.open(os.sep, FOLDER_FLAGS)
    try:
        for part in filter(None, folders.split(os.sep)):
            inner = os.open(part, FOLDER_FLAGS, dir_fd=folder)
            os.close(folder)
            folder = inner
        # Do not even open a pipe: that would unblock a writer that waits at its other end.
        _want_regular(os.stat(name, dir_fd=folder, follow_symlinks=False))
        return os.open(name, OPEN_FLAGS, dir_fd=folder)
    finally:
        os.close(folder)


def _want_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise OSError(0, "it is not a regular file")
