"""Which bytes of a large record the scanner reads when it hops over blobs.

Follows native/event_decoder.pyx (`hop_event`, `hop_value`): it looks at a record through a window, field by field, and skips
bodies by their length. Where it would read the record whole, so must whoever fetches it.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import unpack_from

from runglass.native.records import masked_crc32c

HEADER_BYTES = 12
FRAME_BYTES = 16
WINDOW_BYTES = 4096
# Shorter records are read whole by the scanner.
HOP_BYTES = 64 * 1024
MAX_RECORD_BYTES = 0x7FFFFFFF

SUMMARY, GRAPH, META_GRAPH, RUN_METADATA = 5, 4, 9, 8
VALUE_FIELD = 0x0A
TAG, METADATA, NODE_NAME = 1, 9, 7

# Bytes of the file from a position on: up to a size, fewer only at the end of the record.
Window = Callable[[int, int], bytes]


def follow_records(data: bytes | memoryview, at: int) -> int:
    """The place of the first record that is not wholly in `data`, beginning at the record at `at`."""
    size = len(data)
    while at + HEADER_BYTES <= size:
        after = at + FRAME_BYTES + int(unpack_from("<Q", data, at)[0])
        if after > size:
            break
        at = after
    return at


def read_length(header: bytes) -> int | None:
    """The length of a record by its header; None if that is damaged."""
    length, checksum = unpack_from("<QI", header)
    is_sound = masked_crc32c(header[:8]) == checksum and length <= MAX_RECORD_BYTES
    return int(length) if is_sound else None


def can_hop(window: Window, payload: int, end: int) -> bool:
    """Whether the scanner leaves the blobs of a record unread. `window` has been asked for everything that it does read."""
    at = payload
    while at < end:
        view = window(at, min(WINDOW_BYTES, end - at))
        field, size, body = _read_key(view)
        if field is None:
            # A number, of which the scanner takes wall time and step.
            if body == 0:
                return False
            at += body
            continue
        at += body
        if at + size > end:
            return False
        if field == SUMMARY and at + size == end:
            return _can_hop_values(window, at, end)
        return field in (GRAPH, META_GRAPH, RUN_METADATA) and at + size == end
    return False


def _can_hop_values(window: Window, at: int, end: int) -> bool:
    while at < end:
        view = window(at, min(WINDOW_BYTES, end - at))
        if view[:1] != bytes([VALUE_FIELD]):
            return False
        _, size, body = _read_key(view)
        at += body
        if body == 0 or at + size > end or size <= WINDOW_BYTES or not _can_hop_value(window, at, at + size):
            return False
        at += size
    return True


def _can_hop_value(window: Window, at: int, end: int) -> bool:
    has_blob = False
    while at < end:
        view = window(at, min(WINDOW_BYTES, end - at))
        field, size, body = _read_key(view)
        # A number here may be a point, which the scanner checks by reading the record whole.
        if field is None or body == 0 or at + body + size > end:
            return False
        if field in (TAG, NODE_NAME, METADATA):
            if body + size > len(view):
                return False
        elif 2 < field < METADATA:
            if size <= WINDOW_BYTES:
                return False
            has_blob = True
        at += body + size
    return has_blob


def _read_key(view: bytes) -> tuple[int | None, int, int]:
    """A field with a length: its number, the length, and where its body begins. A number: None, 0, and where it ends; 0 if the
    bytes are neither."""
    key, at = _read_varint(view, 0)
    if at == 0:
        return None, 0, 0
    kind = key & 7
    if kind == 2:
        size, body = _read_varint(view, at)
        return (key >> 3, size, body) if body else (None, 0, 0)
    if kind == 0:
        return None, 0, _read_varint(view, at)[1]
    width = {1: 8, 5: 4}.get(kind, 0)
    return None, 0, at + width if width and at + width <= len(view) else 0


def _read_varint(view: bytes, at: int) -> tuple[int, int]:
    """The number and where it ends; 0 if it does not."""
    number = shift = 0
    while at < len(view) and shift < 70:
        byte = view[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
    return 0, 0
