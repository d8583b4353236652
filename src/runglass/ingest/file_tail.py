"""Follows one event file: opens it, reads what is new, and describes its health.

Handles resuming, replaced and truncated files, damage, and one large file on several threads. run_loader.py knows what the rows
mean.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from concurrent.futures import Executor

from runglass.native.events import STOPS, EventScanner, ScanBuffer, find_record
from runglass.store.index.pack import FileRow, Pack
from runglass.store.index.saved import Identity, SavedExtra, SavedFile, read_at, read_edges
from runglass.store.model import FileState
from runglass.store.parts import FileStage, Part

POINTS_PLUGIN = b"scalars"
# Profilers write a file of this name so that their directory counts as a run; it holds no data.
PROFILE_MARK = ".profile-empty"

# Above this size, a file with small records is split over several threads, in parts of at most PART_BYTES.
SPLIT_BYTES = 12 << 20
PROBE_BYTES = 2 << 20
PART_BYTES = 512 << 20
SMALL_RECORD_BYTES = 4096
SYNC_BYTES = 1 << 20

# Non-blocking: the path may be a pipe without a writer.
OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

_scratch = threading.local()


def scan_buffer() -> ScanBuffer:
    if not hasattr(_scratch, "buffer"):
        _scratch.buffer = ScanBuffer()
    buffer: ScanBuffer = _scratch.buffer
    return buffer


class FileTail:
    """An event file and a scanner at its end. Call `open`, `scan` and `close`, in this order, any number of times."""

    __slots__ = (
        "changed_ns",
        "error",
        "extras",
        "fd",
        "first_lost",
        "identity",
        "indexed_bytes",
        "indices",
        "lost",
        "modified_ns",
        "saved",
        "scanner",
        "size",
        "stage",
        "stop",
    )

    def __init__(self, stage: FileStage) -> None:
        self.stage = stage
        self.scanner: EventScanner | None = None
        self.identity: tuple[int, int] | None = None
        self.modified_ns = 0
        self.changed_ns = 0
        # The entry of an index that it was filled from; it has no scanner until there is more to read.
        self.saved: tuple[Pack, FileRow] | None = None
        # How much of the file the index holds.
        self.indexed_bytes = 0
        # Records that the scanner skipped over unread and that are damaged, and where the first of them is.
        self.lost = 0
        self.first_lost = 0
        # For each tag of the scanner, the parts of its two possible series: points, blobs.
        self.indices: list[list[Part | None]] = []
        # Events that are no summaries, as they were filed.
        self.extras: list[SavedExtra] = []
        # While it is open.
        self.fd = -1
        self.size = 0
        # How the last scan ended: why it stopped, or the exception that our own code raised.
        self.stop = ""
        self.error: Exception | None = None

    def open(self) -> bool:
        """Open the file; False when it was replaced or truncated. On OSError the file is closed."""
        if self.identity is None and not stat.S_ISREG(os.stat(self.stage.path).st_mode):
            # Do not even open it: that would unblock a writer that waits at the other end of a pipe.
            raise OSError(0, "not a regular file")
        self.fd = os.open(self.stage.path, OPEN_FLAGS)
        try:
            return self._look()
        except OSError:
            self.close()
            raise

    def _look(self) -> bool:
        found = os.fstat(self.fd)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(0, "not a regular file")
        before, self.identity = self.identity, (found.st_dev, found.st_ino)
        self.size = found.st_size
        self.modified_ns = found.st_mtime_ns
        self.changed_ns = found.st_ctime_ns
        if self.scanner is None:
            return True
        # The first bytes of a file change only when it is replaced.
        head = self.scanner.head
        return (
            before == self.identity
            and self.size >= self.stage.read_bytes
            and read_at(self.fd, len(head), 0) == head
        )

    def is_as_read(self, found: os.stat_result) -> bool:
        """Whether the file's entry in its directory shows nothing new."""
        return (
            found.st_size == self.stage.size_bytes
            and found.st_mtime_ns == self.modified_ns
            and (found.st_dev, found.st_ino) == self.identity
            and self.stage.state not in (FileState.UNREADABLE, FileState.READING)
            # Preallocated space is filled without a change of size, and file systems have coarse clocks.
            and self.stop != "zeros"
        )

    def lose(self, record: int) -> None:
        if not self.lost:
            self.first_lost = record
        self.lost += 1

    def forget(self) -> None:
        """Drop what was read; the next scan starts at the beginning."""
        self.stage = FileStage(self.stage.name, self.stage.path, self.stage.shown)
        self.scanner = None
        self.saved = None
        self.indexed_bytes = 0
        self.indices = []
        self.extras = []
        self.lost = 0

    def note_saved(self, pack: Pack, row: FileRow) -> None:
        """Everything that was read is in an entry of an index."""
        self.scanner = None
        self.indices = []
        self.saved = pack, row
        self.indexed_bytes = row.offset
        self.identity = row.device, row.inode
        self.size, self.modified_ns, self.changed_ns = row.size, row.modified_ns, row.changed_ns
        self.stop = STOPS[row.stop]
        self.lost, self.first_lost = row.lost, row.first_lost

    def freeze(self, path: str) -> SavedFile | None:
        """What an index keeps of it, with columns that no longer grow; None if that cannot be told. `path`: below the log directory."""
        scanner = self.scanner
        tags = scanner.saved_tags() if scanner is not None else None
        if scanner is None or tags is None or self.identity is None or self.stop not in STOPS:
            return None
        try:
            fd = os.open(self.stage.path, OPEN_FLAGS)
        except OSError:
            return None
        try:
            head, last = read_edges(fd, scanner.offset)
        except OSError:
            return None
        finally:
            os.close(fd)
        if head != scanner.head[: len(head)]:
            return None
        return SavedFile(
            path=path,
            identity=Identity(*self.identity, self.size, self.modified_ns, self.changed_ns),
            head=head,
            last=last,
            stop=STOPS.index(self.stop),
            lost=self.lost,
            first_lost=self.first_lost,
            state=scanner.state,
            tags=tags,
            extras=list(self.extras),
        )

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    @property
    def is_large(self) -> bool:
        return self.size - self.stage.read_bytes > SPLIT_BYTES

    def scan(self) -> None:
        """Read what is new. Touches only the scanner, so it may run on any thread."""
        self.error = None
        try:
            if self.scanner is None:
                self.scanner = EventScanner(POINTS_PLUGIN)
            self.stop = self.scanner.scan(self.fd, scan_buffer(), size=self.size)
        except Exception as error:
            self.error = error

    def scan_in_parts(self, helpers: Executor, threads: int, on_part: Callable[[], None]) -> None:
        """Read a large file on several threads. Each starts where the bytes look like a record; its rows count only when reading
        from the front arrives at exactly that byte. Calls `on_part` whenever there are rows to take.
        """
        self.error = None
        if self.scanner is None:
            self.scanner = EventScanner(POINTS_PLUGIN)
        scanner, fd, size = self.scanner, self.fd, self.size
        first = scanner.offset
        records = scanner.records
        stop = scanner.scan(fd, scan_buffer(), first + PROBE_BYTES, size)
        while stop == "limit":
            is_dense = scanner.records - records > (scanner.offset - first) // SMALL_RECORD_BYTES
            if not is_dense or size - scanner.offset < SPLIT_BYTES // 2:
                stop = scanner.scan(fd, scan_buffer(), size=size)
                break
            span = min(PART_BYTES, (size - scanner.offset) // threads + 1)
            begins = []
            for number in range(1, threads):
                at = find_record(
                    fd,
                    scanner.offset + number * span,
                    min(size, scanner.offset + number * span + SYNC_BYTES),
                    scan_buffer(),
                )
                if at > 0:
                    begins.append(at)
            end = scanner.offset + threads * span
            ends = [*begins[1:], end] if begins else []
            parts = [EventScanner(POINTS_PLUGIN, at, scanner) for at in begins]
            pending = [
                helpers.submit(_scan_part, part, fd, until) for part, until in zip(parts, ends, strict=True)
            ]
            stop = scanner.scan(fd, scan_buffer(), begins[0] if begins else end, size)
            for part, until, reading in zip(parts, ends, pending, strict=True):
                reading.result()
                if stop == "limit":
                    stop = (
                        reading.result()
                        if scanner.absorb(part)
                        else scanner.scan(fd, scan_buffer(), until, size)
                    )
            on_part()
        self.stop = stop

    def set_state(
        self, state: FileState, byte: int | None = None, reason: str = "", advice: str = ""
    ) -> None:
        self.stage.state = state
        self.stage.byte = byte
        self.stage.reason = reason
        self.stage.advice = advice

    def judge(self) -> None:
        """Set the file's health after a scan."""
        scanner = self.saved[1] if self.scanner is None and self.saved is not None else self.scanner
        stop = self.stop
        if scanner is None:
            return
        at = scanner.offset
        skipped = scanner.skipped + self.lost
        before = (
            f"The {scanner.records:,} records before it are shown"
            if scanner.records
            else "Nothing in it can be shown"
        )
        if stop == "bad_length":
            if at == 0 and scanner.head[:2] == b"\x1f\x8b":
                self.set_state(
                    FileState.DAMAGED, 0, "gzip data, not an event file", "Decompress it with gunzip."
                )
            elif at == 0:
                reason = "not an event file: its first bytes are not a record"
                self.set_state(FileState.DAMAGED, 0, reason, "Rename or move it if it is something else.")
            else:
                self.set_state(
                    FileState.DAMAGED,
                    at,
                    f"length checksum 0x{scanner.found_checksum:08x}, expected 0x{scanner.expected_checksum:08x}. {before}; the rest of this "
                    "file cannot be read",
                    "Copy the file again if it is a copy; else the bytes after this one are lost.",
                )
        elif stop == "too_long":
            self.set_state(
                FileState.DAMAGED,
                at,
                f"record length {scanner.found_length:,}, more than an event can have (2 GiB). {before}; the rest of this file cannot be read",
                "Copy the file again if it is a copy; else the bytes after this one are lost.",
            )
        elif stop == "read_failed":
            self.set_state(
                FileState.UNREADABLE,
                at,
                f"reading failed: {os.strerror(scanner.read_errno)}. {before}",
                "Check the disk or the network mount. Runglass tries again.",
            )
        elif skipped:
            why = (
                "payload is not an event"
                if scanner.skip_reason == "malformed"
                else "payload checksum is wrong"
            )
            count = f"{skipped:,} record{'s' if skipped > 1 else ''}"
            first = [scanner.first_skipped] * bool(scanner.skipped) + [self.first_lost] * bool(self.lost)
            self.set_state(
                FileState.SKIPPED,
                min(first),
                f"{why}. {count} skipped; all others are shown",
                "Copy the file again if it is a copy; else those records are lost.",
            )
        elif stop == "short":
            self.set_state(FileState.CUT_SHORT, at, "ends inside a record; waiting for the rest")
        elif stop == "zeros":
            self.set_state(FileState.CUT_SHORT, at, "zeros from here on; waiting for data")
        else:
            self.set_state(FileState.OK)


def _scan_part(part: EventScanner, fd: int, until: int) -> str:
    return part.scan(fd, scan_buffer(), until, until)
