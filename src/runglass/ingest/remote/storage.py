"""One remote log directory through its backend: lists objects, reads ranges of them, and counts what that takes.

Calls block and may come from any thread. Errors of backends arrive as Trouble.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct

from runglass.ingest.remote.address import Address
from runglass.ingest.remote.model import Emptied, Entry, ObjectChanged, Trouble
from runglass.ingest.remote.troubles import explain

CONNECT_S = 10
READ_S = 30
# Requests at once.
PARALLEL = 16
LISTED_PER_REQUEST = 1000
TAGS = ("ETag", "etag", "versionId", "generation", "md5Hash", "content_md5")
TIMES = ("LastModified", "mtime", "updated", "last_modified", "modified", "Last-Modified", "created")


class Traffic(Struct):
    """What was asked of a store since it was opened."""

    lists: int = 0
    reads: int = 0
    read_bytes: int = 0


class Storage(Protocol):
    traffic: Traffic
    # What the last listing was denied: paths of folders and of objects.
    denied: list[str]

    def list_entries(self, is_wanted: Callable[[str], bool]) -> dict[str, Entry]:
        """All objects below the directory by their path; raises Trouble. Where the details of an object cost a request, only of
        those that are wanted."""
        ...

    def look_at(self, entry: Entry) -> Entry | None:
        """The object as it is now; None if it is gone. Raises Trouble."""
        ...

    def read(self, entry: Entry, start: int, end: int) -> bytes:
        """The bytes of a range; raises ObjectChanged if there are fewer, and Trouble."""
        ...

    def close(self) -> None: ...


class Counted:
    """What all backends share: counting, and errors in our words."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.traffic = Traffic()
        self.denied: list[str] = []
        self._counting = threading.Lock()

    def count(self, *, lists: int = 0, reads: int = 0, read_bytes: int = 0) -> None:
        with self._counting:
            self.traffic.lists += lists
            self.traffic.reads += reads
            self.traffic.read_bytes += read_bytes

    @contextmanager
    def in_our_words(self) -> Iterator[None]:
        try:
            yield
        except ObjectChanged:
            raise
        except Exception as error:
            # Without the cause: its text may hold credentials, and a traceback would print it.
            raise explain(error, self.address) from None


class ObjectStore(Counted):
    """A store with flat names, where one request lists a thousand of them: S3, Google Cloud, Azure, and memory."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._top = f"{address.place}{address.path}".strip("/")
        with self.in_our_words():
            self._files = _open_file_system(address)
            if address.scheme == "memory":
                self._top = f"/{self._top}"

    def list_entries(self, is_wanted: Callable[[str], bool]) -> dict[str, Entry]:
        with self.in_our_words():
            self._files.invalidate_cache()
            found = self._files.find(self._top, detail=True)
            self.count(lists=1 + len(found) // LISTED_PER_REQUEST)
            if not found and not self._files.exists(self._top):
                raise self._why_missing()
        cut = len(self._top.rstrip("/")) + 1
        entries = {}
        for name, info in found.items():
            # The object of exactly this name, if there is one, is no file below it.
            relative = name[cut:] if len(name) >= cut else name.rpartition("/")[2]
            if relative and not relative.endswith("/") and info.get("type") == "file":
                entries[relative] = entry_of(name, info)
        return entries

    def _why_missing(self) -> Trouble:
        why = explain(FileNotFoundError(), self.address)
        try:
            is_empty = self._files.exists(self._top.strip("/").partition("/")[0])
        except Exception:
            is_empty = False
        return Emptied(why.state, why.reason, why.advice) if is_empty else why

    def look_at(self, entry: Entry) -> Entry | None:
        try:
            self.count(reads=1)
            # s3fs answers from its cache unless told otherwise.
            self._files.invalidate_cache()
            return entry_of(entry.key, self._files.info(entry.key))
        except FileNotFoundError:
            return None
        except Exception as error:
            raise explain(error, self.address) from None

    def read(self, entry: Entry, start: int, end: int) -> bytes:
        with self.in_our_words():
            try:
                data: bytes = self._files.cat_file(entry.key, start=start, end=end)
            except OSError as error:
                # The range begins behind the end.
                if "InvalidRange" in str(error) or "416" in str(error):
                    raise ObjectChanged(entry.key) from None
                raise
        self.count(reads=1, read_bytes=len(data))
        if len(data) != end - start:
            raise ObjectChanged(entry.key)
        return data

    def close(self) -> None:
        pass


def _open_file_system(address: Address) -> Any:
    import fsspec

    settings: dict[str, Any] = {"use_listings_cache": False, "skip_instance_cache": True}
    if address.scheme == "memory":
        settings = {}
    elif address.scheme in ("s3", "s3a") and "config_kwargs" not in fsspec.config.conf.get("s3", {}):
        settings["config_kwargs"] = {
            "connect_timeout": CONNECT_S,
            "read_timeout": READ_S,
            "max_pool_connections": 2 * PARALLEL,
            "retries": {"max_attempts": 2},
        }
    files = fsspec.filesystem(address.scheme, **settings)
    if hasattr(files, "retries"):
        # We try again ourselves, and say so meanwhile.
        files.retries = 2
    return files


def entry_of(key: str, info: dict[str, Any]) -> Entry:
    tag = next((str(info[name]) for name in TAGS if info.get(name)), "")
    modified = next((_seconds(info[name]) for name in TIMES if info.get(name)), 0.0)
    return Entry(key, int(info.get("size") or 0), tag.strip('"'), modified)


def _seconds(value: Any) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            from email.utils import parsedate_to_datetime

            try:
                value = parsedate_to_datetime(value)
            except (TypeError, ValueError):
                return 0.0
    return float(value.timestamp()) if isinstance(value, datetime) else 0.0


def open_storage(address: Address) -> Storage:
    """Connects, which takes a moment; raises Trouble."""
    if address.scheme in ("http", "https"):
        from runglass.ingest.remote.http_listing import HttpListing

        return HttpListing(address)
    if address.scheme in ("sftp", "ssh"):
        from runglass.ingest.remote.sftp_folder import SftpFolder

        return SftpFolder(address)
    return ObjectStore(address)
