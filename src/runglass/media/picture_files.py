"""The structure of encoded pictures and videos: size, number of frames, and whether the file is complete.

Reads headers and skips the rest; decodes no pixel. Every loop ends, whatever the bytes say.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

# The most blocks of a GIF, boxes of an MP4 and elements of a WebM to look at; real files have far fewer.
PARTS_LIMIT = 1_000_000

PNG_START = b"\x89PNG\r\n\x1a\n"
# IDs of Matroska elements.
EBML, SEGMENT, TRACKS, TRACK, VIDEO = 0x1A45DFA3, 0x18538067, 0x1654AE6B, 0xAE, 0xE0
PIXEL_WIDTH, PIXEL_HEIGHT = 0xB0, 0xBA

Size = tuple[int, int]


def header_size(data: bytes, form: str) -> Size | None:
    """Width and height; None if the header cannot be read."""
    read = SIZES.get(form)
    try:
        return read(data) if read else None
    except (struct.error, IndexError):
        return None


def png_size(data: bytes) -> Size:
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def gif_size(data: bytes) -> Size:
    width, height = struct.unpack_from("<HH", data, 6)
    return width, height


def bmp_size(data: bytes) -> Size:
    # The oldest header has two bytes per side.
    is_core = struct.unpack_from("<I", data, 14)[0] == 12
    width, height = struct.unpack_from("<HH" if is_core else "<ii", data, 18)
    return abs(width), abs(height)


def jpeg_size(data: bytes) -> Size | None:
    for marker, at in jpeg_segments(data):
        # Start-of-frame markers; C4, C8 and CC are tables in the same range.
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
    return None


def jpeg_segments(data: bytes) -> Iterator[tuple[int, int]]:
    """Marker and position of each segment up to and including the first scan."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        yield marker, at
        if marker == 0xDA:
            return
        at += 2 + int(struct.unpack_from(">H", data, at + 2)[0])


def webp_size(data: bytes) -> Size | None:
    kind = data[12:16]
    if kind == b"VP8X":
        (across,) = struct.unpack("<I", data[24:27] + b"\0")
        (down,) = struct.unpack("<I", data[27:30] + b"\0")
        return across + 1, down + 1
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None


def mp4_size(data: bytes) -> Size | None:
    """The size of the first track that has one; audio tracks say 0 × 0."""
    for name, start, end in boxes(data, 0, len(data)):
        if name != b"moov":
            continue
        for track, track_start, track_end in boxes(data, start, end):
            if track != b"trak":
                continue
            for part, _, part_end in boxes(data, track_start, track_end):
                if part == b"tkhd" and part_end - 8 >= track_start:
                    # In 16.16 fixed point, the last two fields in every version.
                    width, height = struct.unpack_from(">II", data, part_end - 8)
                    if width and height:
                        return width >> 16, height >> 16
    return None


def boxes(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Name, start and end of the content of every complete box."""
    for _ in range(PARTS_LIMIT):
        if start + 8 > end:
            return
        size, name = struct.unpack_from(">I4s", data, start)
        head = 8
        if size == 1 and start + 16 <= end:
            (size,) = struct.unpack_from(">Q", data, start + 8)
            head = 16
        elif size == 0:
            size = end - start
        if size < head or start + size > end:
            return
        yield name, start + head, start + size
        start += size


def webm_size(data: bytes) -> Size | None:
    path = (SEGMENT, TRACKS, TRACK, VIDEO)
    sides: dict[int, int] = {}
    pending = [(0, len(data), 0)]
    for _ in range(PARTS_LIMIT):
        if not pending:
            break
        at, end, depth = pending.pop()
        found = element(data, at, end)
        if found is None:
            continue
        number, start, stop = found
        pending.append((stop, end, depth))
        if depth < len(path) and number == path[depth]:
            pending.append((start, stop, depth + 1))
        elif depth == len(path) and number in (PIXEL_WIDTH, PIXEL_HEIGHT) and stop - start <= 8:
            sides[number] = int.from_bytes(data[start:stop], "big")
            if len(sides) == 2:
                break
    return (sides[PIXEL_WIDTH], sides[PIXEL_HEIGHT]) if len(sides) == 2 else None


def element(data: bytes, at: int, end: int) -> tuple[int, int, int] | None:
    """ID, start and end of one EBML element; one that is cut short or of unknown length goes on to `end`."""
    if at >= end or not data[at]:
        return None
    number_bytes = 9 - data[at].bit_length()
    number = int.from_bytes(data[at : at + number_bytes], "big")
    at += number_bytes
    if at >= end or not data[at]:
        return None
    size_bytes = 9 - data[at].bit_length()
    unknown = (1 << 7 * size_bytes) - 1
    size = int.from_bytes(data[at : at + size_bytes], "big") & unknown
    at += size_bytes
    return number, at, end if size == unknown else min(at + size, end)


SIZES: dict[str, Callable[[bytes], Size | None]] = {
    "png": png_size,
    "gif": gif_size,
    "bmp": bmp_size,
    "jpeg": jpeg_size,
    "webp": webp_size,
    "mp4": mp4_size,
    "webm": webm_size,
}


def count_frames(data: bytes, form: str) -> int | None:
    """The number of pictures in one file; None if only a decoder can tell."""
    try:
        if form == "gif":
            return gif_walk(data)[0]
        if form == "png":
            return next(
                (
                    struct.unpack_from(">I", data, at)[0]
                    for name, at, _ in png_chunks(data)
                    if name == b"acTL"
                ),
                1,
            )
        if form == "webp":
            return sum(name == b"ANMF" for name in webp_chunks(data)) or 1
    except (struct.error, IndexError):
        return None
    return 1 if form in ("jpeg", "bmp") else None


def is_cut_short(data: bytes, form: str) -> bool:
    """Whether the structure shows that the end of the file is missing."""
    try:
        match form:
            case "png":
                return not any(name == b"IEND" for name, _, _ in png_chunks(data))
            case "jpeg":
                scan = next((at for marker, at in jpeg_segments(data) if marker == 0xDA), -1)
                return scan < 0 or data.rfind(b"\xff\xd9", scan) < 0
            case "gif":
                return not gif_walk(data)[1]
            case "webp":
                return bool(struct.unpack_from("<I", data, 4)[0] > len(data) - 8)
            case "bmp":
                return bool(struct.unpack_from("<I", data, 2)[0] > len(data))
            case "mp4":
                return not any(name == b"moov" for name, _, _ in boxes(data, 0, len(data)))
    except (struct.error, IndexError):
        return True
    return False


def png_chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Name, start and end of every complete chunk."""
    at = len(PNG_START)
    while at + 12 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        if at + 12 + size > len(data):
            return
        yield name, at + 8, at + 8 + size
        at += 12 + size


def webp_chunks(data: bytes) -> Iterator[bytes]:
    at = 12
    while at + 8 <= len(data):
        name, size = struct.unpack_from("<4sI", data, at)
        yield name
        at += 8 + size + (size & 1)


def gif_walk(data: bytes) -> tuple[int, bool]:
    """The number of complete frames, and whether the file is complete. Only a missing trailer does not count."""
    frames, at = 0, 13 + table_bytes(data[10])
    for _ in range(PARTS_LIMIT):
        if at >= len(data):
            return frames, at == len(data) and frames > 0
        block = data[at]
        if block == 0x2C and at + 10 < len(data):
            start = at + 11 + table_bytes(data[at + 9])
        elif block == 0x21:
            start = at + 2
        else:
            # The trailer, or a byte at which every decoder stops.
            return frames, frames > 0 and block != 0x2C
        end = skip_pieces(data, start)
        if end is None:
            return frames, False
        at = end
        frames += block == 0x2C
    return frames, True


def skip_pieces(data: bytes, at: int) -> int | None:
    """The position after blocks of up to 255 bytes, each after its length, and after the empty block at the end."""
    for _ in range(PARTS_LIMIT):
        if at >= len(data):
            return None
        if not data[at]:
            return at + 1
        at += data[at] + 1
    return None


def table_bytes(flags: int) -> int:
    """The size of the colour table that the flags of a GIF announce."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0
