"""What damaged bytes are thrown at. Each target may refuse with the errors it names; anything else is a finding."""

from __future__ import annotations

import os
import random
import tempfile
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.support.event_oracle import Malformed, fields
from tests.support.picture import picture

from runglass.errors import ValueDamaged
from runglass.ingest.canonical import decode_value, read_metadata
from runglass.native import wire
from runglass.native.events import STOPS, EventScanner, ScanBuffer, find_record
from runglass.native.hparams import read_session_start
from runglass.native.records import RecordCursor, frame
from runglass.reader import open_log
from runglass.schema import event, graph, hparams, layout, mesh, run_metadata, struct, summary, tensor
from runglass.schema.hparams import plain_hparams as plain_start
from runglass.store.model import Kind, SeriesMeta

GOLDEN = Path(__file__).parent.parent / "golden" / "logs"
SCHEMAS = [
    value
    for module in (event, graph, hparams, layout, mesh, run_metadata, struct, summary, tensor)
    for value in vars(module).values()
    if isinstance(value, wire.Message)
]
# Python objects for one byte of input, generously: a message of empty sub-messages is mostly dictionaries.
BYTES_PER_BYTE = 2000
SPARE_BYTES = 8 << 20


def seeds() -> dict[str, list[bytes]]:
    """The good bytes that each target's damaged ones are made of."""
    files = event_files()
    events = payloads(files)
    messages = pieces(events)
    own = {"scan": files, "cursor": files, "log": files, "schemas": messages, "canonical": messages}
    own["session_start"] = messages
    return {name: own.get(name, events) for name in TARGETS}


def event_files() -> list[bytes]:
    return [path.read_bytes() for path in sorted(GOLDEN.rglob("*tfevents*")) if path.is_file()]


def payloads(files: list[bytes]) -> list[bytes]:
    found = []
    for data in files:
        cursor = RecordCursor()
        cursor.feed(data)
        try:
            found += [bytes(payload) for _, payload, _ in cursor]
        except ValueError:
            continue
    return found


def pieces(messages: list[bytes]) -> list[bytes]:
    """Every message inside the messages: values, tensors, graphs, layouts, whatever they hold. What is none is among them too."""
    found = dict.fromkeys(messages)
    level = messages
    for _ in range(5):
        level = [body for message in level for body in bodies(message)]
        found |= dict.fromkeys(level)
    return list(found)


def bodies(message: bytes) -> list[bytes]:
    try:
        return [body for _, wire_type, body in fields(message) if wire_type == 2 and len(body) > 2]
    except Malformed:
        return []


def scan(data: bytes, rng: random.Random) -> None:
    """The scanner over a file that arrives in two pieces, and the search for a record in its middle."""
    with tempfile.TemporaryFile() as file:
        cut = rng.randrange(len(data) + 1)
        file.write(data[:cut])
        file.flush()
        scanner = EventScanner(b"scalars")
        buffer = ScanBuffer()
        scanner.scan(file.fileno(), buffer, size=cut)
        scanner.take()
        file.write(data[cut:])
        file.flush()
        stop = scanner.scan(file.fileno(), buffer, size=len(data))
        assert stop in STOPS
        assert scanner.offset <= len(data)
        scanner.take()
        scanner.take_extras()
        for index in range(scanner.tag_total):
            _, _, _, _, points, blobs = scanner.tag(index)
            if points is not None:
                lengths = {len(column) for column in points.read_points()}
                assert lengths == {points.count}
            if blobs is not None:
                step, _, record, value_at, value_size = blobs.read_ranges()
                assert len(step) == blobs.count
                assert ((record >= 0) & (record + 12 + value_at + value_size <= len(data))).all()
            scanner.starts(index)
        at = find_record(file.fileno(), rng.randrange(len(data) + 1), len(data), buffer)
        assert -1 <= at < max(1, len(data))
        os.ftruncate(file.fileno(), 0)
        scanner.scan(file.fileno(), buffer)


def scan_framed(data: bytes, rng: random.Random) -> None:
    """The same with good framing around bad payloads, so that the decoder is reached."""
    size = rng.choice([8, 64, 512, 70_000])
    scan(b"".join(frame(data[at : at + size]) for at in range(0, len(data), size)), rng)


def cursor(data: bytes, rng: random.Random) -> None:
    reader = RecordCursor()
    with suppress(ValueError):
        for at in range(0, len(data), 97):
            reader.feed(data[at : at + 97])
            for _ in reader:
                pass


def schemas(data: bytes, rng: random.Random) -> None:
    message = rng.choice(SCHEMAS)
    try:
        found = wire.decode(message, data)
    except wire.WireError:
        return
    wire.decode(message, wire.encode(message, found))


def canonical(data: bytes, rng: random.Random) -> None:
    kind = rng.choice(list(Kind))
    with suppress(ValueDamaged):
        read_metadata(data if rng.random() < 0.5 else None, rng.randrange(10), "tag")
    with suppress(ValueDamaged):
        decode_value(data, SeriesMeta(kind, kind.value))


def session_start(data: bytes, rng: random.Random) -> None:
    """The native decoder refuses, or reads what the general one reads."""
    found = read_session_start(data)
    if found is not None:
        values = plain_start(data)["session_start_info"].get("hparams", {})
        assert found[0].keys() == {name for name, value in values.items() if value is not None}


def log(data: bytes, rng: random.Random) -> None:
    """A whole log directory: two files, one of which grows, everything in them read through the public door."""
    cut = rng.randrange(len(data) + 1)
    with tempfile.TemporaryDirectory(prefix="runglass-fuzz-") as directory:
        path = Path(directory) / "events.out.tfevents.1"
        path.write_bytes(data[:cut])
        path.with_name("events.out.tfevents.2").write_bytes(data[rng.randrange(len(data) + 1) :])
        opened = open_log(directory)
        with path.open("ab") as file:
            file.write(data[cut:])
        opened.reload()
        picture(opened.source)
        opened.hparams()
        for health in opened.health:
            assert "internal error" not in health.reason, health.reason


def framed_log(data: bytes, rng: random.Random) -> None:
    size = rng.choice([64, 512, 70_000])
    log(b"".join(frame(data[at : at + size]) for at in range(0, len(data), size)), rng)


TARGETS: dict[str, Callable[[bytes, random.Random], None]] = {
    "scan": scan,
    "scan_framed": scan_framed,
    "cursor": cursor,
    "schemas": schemas,
    "canonical": canonical,
    "session_start": session_start,
    "log": log,
    "framed_log": framed_log,
}


def run_bounded(name: str, data: bytes, rng: random.Random) -> None:
    """Run one target; memory far beyond what the input justifies is a finding like any other."""
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    TARGETS[name](data, rng)
    _, peak = tracemalloc.get_traced_memory()
    used = peak - before
    assert used <= SPARE_BYTES + BYTES_PER_BYTE * len(data), (
        f"{name}: {used:,} bytes for {len(data):,} of input"
    )
