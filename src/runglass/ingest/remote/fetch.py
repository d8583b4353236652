"""Fetches bytes of objects into a mirror: event files from their front, hopping over blobs, and any other range when it is asked for.

Each call runs in the thread of its caller; pieces of one call are fetched side by side.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

from runglass.ingest.remote.hop import (
    FRAME_BYTES,
    HEADER_BYTES,
    HOP_BYTES,
    can_hop,
    follow_records,
    read_length,
)
from runglass.ingest.remote.mirror import Kept, Mirror
from runglass.ingest.remote.model import Entry, ObjectChanged, Trouble
from runglass.ingest.remote.spans import Span, merge_near, split_long
from runglass.ingest.remote.storage import Storage

MB = 1 << 20
# What is left of an event file up to this size is fetched at once.
SMALL_BYTES = 4 * MB
FIRST_BLOCK_BYTES = 1 * MB
MAX_BLOCK_BYTES = 8 * MB
# One request.
PIECE_BYTES = 2 * MB
# A hop must save at least this much, because it costs the time of a request.
HOP_OVER_BYTES = 1 * MB
WINDOW_FETCH_BYTES = 16 * 1024
# When an object grew, as much of what is known is fetched again to see that it is still the same one.
OVERLAP_BYTES = 64
# Assets up to this size are fetched whole, of larger ones blocks.
WHOLE_ASSET_BYTES = 8 * MB
ASSET_BLOCK_BYTES = 1 * MB
NEAR_BYTES = 64 * 1024


class Fetcher:
    def __init__(self, mirror: Mirror, pieces: Executor, find_storage: Callable[[], Storage]) -> None:
        """`find_storage` raises Trouble while there is no connection."""
        self._mirror = mirror
        self._pieces = pieces
        self._find_storage = find_storage

    # -- event files

    def fetch_events(self, relative: str, entry: Entry) -> Kept:
        """Bring an event file up to date. Raises ObjectChanged if the object is not as listed, Trouble and OSError."""
        storage = self._find_storage()
        kept = self._mirror.kept.get(relative)
        if kept is not None and kept.entry != entry and not self._continues(storage, relative, kept, entry):
            kept = None
        size = entry.size_bytes
        if kept is None:
            first = size if size <= SMALL_BYTES else min(size, FIRST_BLOCK_BYTES)
            data = self._read(storage, entry, 0, first)
            kept = self._mirror.place(relative, entry, data)
        kept.is_done = False
        block = FIRST_BLOCK_BYTES
        # A record that must be read whole ends here.
        whole_until = 0
        while kept.prefix < size:
            rest = size - kept.prefix
            if rest > SMALL_BYTES and kept.prefix >= whole_until:
                after = self._hop(storage, relative, kept, entry)
                if after < 0:
                    # A damaged header, or a record that is still being written: the scanner reads no further.
                    break
                if after > kept.prefix:
                    whole_until = after
                    continue
                if after > 0:
                    continue
            end = size if rest <= SMALL_BYTES else min(size, kept.prefix + block)
            block = min(2 * block, MAX_BLOCK_BYTES)
            self._extend(storage, relative, kept, entry, end)
        self._mirror.finish(relative, kept, entry)
        return kept

    def _extend(self, storage: Storage, relative: str, kept: Kept, entry: Entry, end: int) -> None:
        data = self._read(storage, entry, kept.prefix, end)
        self._mirror.write(relative, kept, kept.prefix, data)
        kept.prefix = end

    def _hop(self, storage: Storage, relative: str, kept: Kept, entry: Entry) -> int:
        """Hop over the blobs of the record at the end of what is there. 0: there is nothing to hop over, read on; below 0: nothing
        further is needed; above `prefix`: read up to here; else it hopped."""
        record = self._find_open_record(relative, kept)
        if kept.prefix - record < HEADER_BYTES:
            return 0
        length = read_length(self._mirror.read(relative, record, HEADER_BYTES))
        if length is None:
            return -1
        end = record + FRAME_BYTES + length
        if length <= HOP_BYTES or end - kept.prefix <= HOP_OVER_BYTES:
            return 0
        if end > entry.size_bytes:
            return -1

        def window(at: int, size: int) -> bytes:
            if kept.spans.list_missing(at, at + size):
                upto = min(entry.size_bytes, at + max(size, WINDOW_FETCH_BYTES))
                self._mirror.write(relative, kept, at, self._read(storage, entry, at, upto))
            return self._mirror.read(relative, at, size)

        if not can_hop(window, record + HEADER_BYTES, end - 4):
            return end
        # The bytes behind it come last: only they make the record complete for a scanner that reads meanwhile.
        upto = min(entry.size_bytes, end + FIRST_BLOCK_BYTES)
        data = self._read(storage, entry, end - 4, upto)
        self._mirror.write(relative, kept, end - 4, data)
        kept.record, kept.prefix = end, upto
        return upto

    def _find_open_record(self, relative: str, kept: Kept) -> int:
        """The first record that is not wholly there."""
        if kept.prefix - kept.record < HEADER_BYTES:
            return kept.record
        header = self._mirror.read(relative, kept.record, HEADER_BYTES)
        after = kept.record + FRAME_BYTES + (read_length(header) or 0)
        if after <= kept.prefix:
            data = self._mirror.read(relative, after, kept.prefix - after)
            kept.record = after + follow_records(data, 0)
        return kept.record

    def _continues(self, storage: Storage, relative: str, kept: Kept, entry: Entry) -> bool:
        """Whether the object still begins with what is there, by the last bytes of that."""
        if entry.size_bytes < kept.prefix or entry.size_bytes < kept.entry.size_bytes:
            return False
        if entry.size_bytes == kept.entry.size_bytes and entry.tag != kept.entry.tag:
            return False
        start = max(0, kept.prefix - OVERLAP_BYTES)
        missing = kept.spans.list_missing(start, kept.prefix)
        if missing:
            start = missing[-1][1]
        known = self._mirror.read(relative, start, kept.prefix - start)
        # In one request with what is new, if that is little.
        end = entry.size_bytes
        if end - kept.prefix > SMALL_BYTES:
            end = kept.prefix
        data = self._read(storage, entry, start, end)
        if data[: len(known)] != known:
            return False
        if len(data) > len(known):
            self._mirror.write(relative, kept, kept.prefix, data[len(known) :])
            kept.prefix = end
        return True

    # -- ranges that somebody looks at

    def make_present(self, relative: str, ranges: Sequence[Span], *, is_asset: bool) -> None:
        """Raises OSError if they cannot be had."""
        kept = self._mirror.kept.get(relative)
        if kept is None:
            raise FileNotFoundError(errno.ENOENT, "it is no longer in the store")
        kept.used = time.time()
        size = kept.entry.size_bytes
        if is_asset and size <= WHOLE_ASSET_BYTES:
            ranges = [(0, size)]
        elif is_asset:
            block = ASSET_BLOCK_BYTES
            ranges = [(start // block * block, -(-end // block) * block) for start, end in ranges]
        missing = [span for start, end in ranges for span in kept.spans.list_missing(start, min(end, size))]
        if not missing:
            return
        try:
            storage = self._find_storage()
            spans = split_long(merge_near(missing, NEAR_BYTES), PIECE_BYTES)
            for span, data in zip(
                spans, self._pieces.map(lambda each: storage.read(kept.entry, *each), spans), strict=True
            ):
                self._mirror.write(relative, kept, span[0], data)
            if not is_asset:
                # Without what lies between them, which reading needs.
                for start, end in missing:
                    kept.looked_at.add(start, end)
            # One request is one state of the object, several may be of two. Records of event files have checksums.
            if is_asset and spans != [(0, size)]:
                now = storage.look_at(kept.entry)
                if now != kept.entry:
                    raise ObjectChanged(relative)
        except ObjectChanged:
            if is_asset:
                # Bytes of two states may be mixed in it.
                self._mirror.place(relative, kept.entry)
            raise OSError(errno.ESTALE, "it was replaced in the store") from None
        except Trouble as trouble:
            number = errno.ENOENT if trouble.state == "missing" else errno.EIO
            raise OSError(number, trouble.reason) from None

    def _read(self, storage: Storage, entry: Entry, start: int, end: int) -> bytes:
        pieces = split_long([(start, end)], PIECE_BYTES)
        if len(pieces) < 2:
            return storage.read(entry, start, end) if pieces else b""
        return b"".join(self._pieces.map(lambda each: storage.read(entry, *each), pieces))
