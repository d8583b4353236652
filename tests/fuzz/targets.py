"""What damaged bytes are thrown at. Each target may refuse with the errors it names; anything else is a finding."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import random
import tempfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
from tests.fuzz import index_target, more_targets
from tests.support.event_oracle import Malformed, fields
from tests.support.picture import picture
from tests.support.trace_rows import Content

from runglass.errors import ValueDamaged
from runglass.ingest.canonical import decode_value, read_metadata
from runglass.native import wire
from runglass.native.events import STOPS, EventScanner, ScanBuffer, find_record
from runglass.native.hparams import read_session_start
from runglass.native.records import RecordCursor, frame
from runglass.native.trace_json import ChromeScanner
from runglass.native.trace_rows import TraceRows, arguments_of
from runglass.query.embeddings.formats.arrays import open_checkpoint_files
from runglass.query.embeddings.formats.content import BytesContent
from runglass.query.embeddings.metadata import parse_metadata
from runglass.query.embeddings.model import EmbeddingDamaged
from runglass.query.embeddings.read import read_file as read_embedding_file
from runglass.query.embeddings.sprites import SpriteSheet
from runglass.query.graphs.formats.hlo import list_modules
from runglass.query.graphs.formats.run_metadata import parse_profile, parse_run_metadata
from runglass.query.graphs.model import Graph, GraphDamaged
from runglass.query.graphs.read import read_file
from runglass.query.profiles.analysis.input_pipeline import input_pipeline
from runglass.query.profiles.analysis.kernels import kernels
from runglass.query.profiles.analysis.overview import overview
from runglass.query.profiles.build import build_trace
from runglass.query.profiles.formats import chrome, pprof, snapshot, xplane
from runglass.query.profiles.model import TEXT, ProfileDamaged
from runglass.query.profiles.steps_xplane import find_steps
from runglass.reader import open_log
from runglass.schema import event, hlo, hparams, layout, mesh, onnx, run_metadata, struct, summary, tensor
from runglass.schema import graph as graph_schema
from runglass.schema.hparams import plain_hparams as plain_start
from runglass.schema.pprof import PROFILE as PPROF
from runglass.store.model import Kind, SeriesMeta

GOLDEN = Path(__file__).parent.parent / "golden" / "logs"
GRAPHS = Path(__file__).parent.parent / "golden" / "graphs"
PROFILES = Path(__file__).parent.parent / "golden" / "profiles"
EMBEDDINGS = Path(__file__).parent.parent / "golden" / "embeddings"
# Inputs that once were findings, by target.
CORPUS = Path(__file__).parent / "corpus"
# Each name makes other readers try the bytes; the last one leaves it to the bytes.
GRAPH_NAMES = (
    "m.pb",
    "saved_model.pb",
    "m.meta",
    "m.onnx",
    "m.pt2",
    "m.json",
    "m.pbtxt",
    "m.hlo_proto.pb",
    "m",
)
SCHEMAS = [
    value
    for module in (
        event,
        graph_schema,
        hlo,
        hparams,
        layout,
        mesh,
        onnx,
        run_metadata,
        struct,
        summary,
        tensor,
    )
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
    models = graph_files()
    own["graph"] = [*(models * (len(messages) // len(models))), *messages]
    own["embedding"] = embedding_files()
    own["chrome_trace"] = chrome_files()
    own["xplane"] = xplane_files()
    own["memory_profile"] = memory_files()
    own["repaired"] = files
    own["checkpoint"] = more_targets.blocks(own["embedding"])
    own["own_files"] = more_targets.kept_files(own["chrome_trace"])
    own["index"] = index_target.index_files(GOLDEN)
    own["words"] = more_targets.WORDS
    own["assets"] = [*own["words"], *own["embedding"], *own["memory_profile"], *models, *own["xplane"][:20]]
    wandb = sorted((GOLDEN.parent / "imports").rglob("*.wandb"))
    own["imports"] = [*more_targets.ROWS, *(path.read_bytes() for path in wandb)]
    own["media"] = media_files(messages)
    return {name: own.get(name, events) for name in TARGETS}


def media_files(messages: list[bytes]) -> list[bytes]:
    """Pictures and clips that were logged, and those of other tests."""
    support = Path(__file__).parent.parent / "support"
    paths = [path for name in ("sounds", "videos") for path in sorted((support / name).iterdir())]
    starts = (b"\x89PNG", b"GIF8", b"RIFF", b"\xff\xd8")
    return [path.read_bytes() for path in paths if path.is_file()] + [
        data for data in messages if data.startswith(starts)
    ]


def event_files() -> list[bytes]:
    return [path.read_bytes() for path in sorted(GOLDEN.rglob("*tfevents*")) if path.is_file()]


def graph_files() -> list[bytes]:
    """Models that frameworks wrote, and the JSON of the one that is an archive: damage rarely survives a checksum."""
    found = [path.read_bytes() for path in sorted(GRAPHS.iterdir()) if path.name != "expected.json"]
    with zipfile.ZipFile(GRAPHS / "net.pt2") as archive:
        found += [archive.read(name) for name in archive.namelist() if name.endswith("model.json")]
    # The beginnings of larger ones are used, so smaller ones come along.
    return found + [data[len(data) // 2 :] for data in found]


def embedding_files() -> list[bytes]:
    """Vectors of every format, labels and sprites."""
    paths = [path for path in EMBEDDINGS.rglob("*") if path.is_file() and path.suffix != ".json"]
    found = [path.read_bytes() for path in sorted(paths)]
    for save in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        save(file, vectors=np.ones((5, 3), np.float32), labels=np.array(list("abcde")))
        found.append(file.getvalue())
    file = io.BytesIO()
    np.save(file, np.asfortranarray(np.ones((6, 4))))
    return [*found, file.getvalue()]


def chrome_files() -> list[bytes]:
    """Traces that frameworks wrote, from their beginning and from the middle on, and one with events of every phase."""
    found = [
        gzip.decompress(path.read_bytes())
        for path in PROFILES.rglob("*.trace.json.gz")
        if "logdir" in path.parts
    ]
    phases = b",".join(
        b'{"ph":"%c","name":"n\\u00e9","cat":"c","pid":"p","tid":%d,"ts":%d.125,"dur":3,"id":"0x1","args":{"a":[1,{"b":N/A}],"c":1e9}}'
        % (phase, at % 3, at)
        for at, phase in enumerate(b"XBBEiCstfbneMIEB")
    )
    return [*found, *(b"[" + data[len(data) // 2 :] for data in found), b"[" + phases * 20 + b"]"]


def xplane_files() -> list[bytes]:
    """Profiles that frameworks wrote, and their planes one by one: what comes first in a large file is rarely an event."""
    found = [path.read_bytes() for path in sorted(PROFILES.rglob("*.xplane.pb"))]
    planes = [
        encode_plane(body)
        for data in found
        for number, wire_type, body in fields(data)
        if number == 1 and wire_type == 2
    ]
    return [*found, *(plane for plane in planes if len(plane) < 100_000)]


def encode_plane(body: bytes) -> bytes:
    """A profile that holds one plane."""
    size = bytearray()
    left = len(body)
    while left >= 0x80:
        size.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([0x0A, *size, left]) + body


def memory_files() -> list[bytes]:
    frames = [{"name": "f", "filename": "a.py", "line": 3}]
    actions = [
        {"action": action, "time_us": at, "size": 512 * at, "addr": at % 4, "stream": 0, "frames": frames}
        for at, action in enumerate(
            ["segment_alloc", "alloc", "alloc", "free_requested", "free_completed"] * 8
        )
    ]
    block = {"address": 1, "size": 512, "state": "active_allocated", "frames": frames}
    found = {
        "device_traces": [[], actions],
        "segments": [{"device": 1, "total_size": 1 << 20, "allocated_size": 512, "blocks": [block]}],
        "external_annotations": [{"stage": "START", "name": "step", "device": 1, "time_us": 3}],
    }
    texts = ["", "bytes", "device", "cuda:0", "main", "a.py"]
    profile = {
        "sample_type": [{"unit": 1}],
        "sample": [
            {"location_id": [1, 2, 1], "value": [at], "label": [{"key": 2, "str": 3}]} for at in range(9)
        ],
        "location": [{"id": at, "line": [{"function_id": 1, "line": at}]} for at in (1, 2)],
        "function": [{"id": 1, "name": 4, "filename": 5}],
        "string_table": texts,
    }
    return [*(pickle.dumps(found, protocol) for protocol in range(6)), wire.encode(PPROF, profile)]


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


def graph(data: bytes, rng: random.Random) -> None:
    """A file that a user dropped, with everything that can be asked of its nodes."""
    readers = (
        lambda: read_file(rng.choice(GRAPH_NAMES), data),
        lambda: parse_run_metadata(data),
        lambda: parse_profile(data),
        lambda: list_modules(lambda at, size: data[at : at + size], len(data)),
    )
    try:
        found = rng.choice((readers[0], readers[0], *readers))()
    except GraphDamaged:
        return
    if not isinstance(found, Graph):
        return
    bodies = [found, *(found.functions[name] for name in list(found.functions)[:20])]
    for each in bodies:
        assert len(each.paths) == len(set(each.paths)) == len(each.names) == len(each.ops)
        assert ((each.edge_from >= -1) & (each.edge_from < len(each))).all()
        assert ((each.edge_to >= 0) & (each.edge_to < len(each))).all()
        assert set(each.missing) == set((each.edge_from < 0).nonzero()[0].tolist())
        assert len(each.costs.parameters) == len(each.costs.flops) == len(each)
        for node in range(min(50, len(each))):
            each.attributes(node)
            each.values(node)
            each.shapes(node)
            each.dtypes(node)
            each.source(node)
        for names in each.calls.values():
            assert all(name in each.functions for name in names)


def embedding(data: bytes, rng: random.Random) -> None:
    """Bytes as vectors that a user dropped, as a checkpoint with and without its other file, as labels and as a sprite."""
    if data.startswith(b"PAR1"):
        # pyarrow's business.
        return
    content = BytesContent("v", data)
    index = BytesContent("v.index", data)
    with suppress(EmbeddingDamaged):
        dropped = read_embedding_file("v", data, data if rng.random() < 0.5 else None)
        assert dropped.vectors(0, 3).shape == (min(3, dropped.rows), dropped.dimensions)
        assert all(len(column) == dropped.rows for column in dropped.metadata.columns.values())
    for main in (content, index):
        with suppress(EmbeddingDamaged):
            arrays = open_checkpoint_files([main], {0: content})
            for variable in arrays.variables[:20]:
                with suppress(EmbeddingDamaged):
                    matrix = arrays.matrix(variable.name)
                    assert (matrix.rows, matrix.dimensions) == variable.shape or len(variable.shape) == 1
                    matrix.read(0, min(2, matrix.rows))
    labels = parse_metadata("m", data, 7)
    assert all(len(column) == 7 for column in labels.columns.values())
    with suppress(EmbeddingDamaged):
        SpriteSheet(content, rng.choice([None, (8, 8), (1, 3)]), 9).tiles([0, 8], 4)


def chrome_trace(data: bytes, rng: random.Random) -> None:
    """Bytes as a Chrome trace in pieces of any size, plain and compressed."""
    rows = TraceRows()
    rows.begin_file("t.json")
    scanner = ChromeScanner(rows)
    size = rng.choice([211, 5_000, 100_000])
    for at in range(0, len(data), size):
        scanner.feed(data[at : at + size])
    scanner.finish()
    assert scanner.position == len(data)
    check_rows(rows)
    if rng.random() < 0.1:
        rows = TraceRows()
        chrome.read(Content(zlib.compress(data, 1, 31)), "t.json", rows)
        check_rows(rows)


def xplane_trace(data: bytes, rng: random.Random) -> None:
    """Bytes as a profile of XLA, read and now and then built."""
    rows = TraceRows()
    xplane.read(Content(data), "t.xplane.pb", rows)
    check_rows(rows)
    if rng.random() < 0.1:
        trace = build_trace(rows, "xplane", sizes=[len(data)], find_steps=find_steps)
        assert len(trace.step) == len(trace) <= rows.count
        assert ((trace.step >= -1) & (trace.step < len(trace.steps))).all()
        kernels(trace)
        input_pipeline(trace)
        for step in overview(trace).steps:
            assert sum(step.parts.values()) == step.duration_ps


def memory_profile(data: bytes, rng: random.Random) -> None:
    """Bytes as a memory snapshot of torch and as a profile of pprof."""
    for module in (snapshot, pprof):
        rows = TraceRows()
        with suppress(ProfileDamaged):
            module.read(Content(data), "m", rows)
            check_rows(rows)


def check_rows(rows: TraceRows) -> None:
    rows.freeze()
    assert (rows.duration_ps >= 0).all()
    assert ((rows.track >= 0) & (rows.track < rows.track_count)).all()
    for column in (rows.name, rows.category):
        assert ((column >= -1) & (column < len(rows.strings))).all()
    assert (np.diff(rows.arguments_end, prepend=0) >= 0).all()
    begin = 0
    for end in rows.arguments_end[:50].tolist():
        for key, kind, value in arguments_of(rows.arguments, begin, end):
            assert rows.strings[key] is not None
            assert kind < TEXT or rows.strings[value] is not None
        begin = end
    assert all(isinstance(each, str) for each in rows.problems)


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
    "graph": graph,
    "embedding": embedding,
    "chrome_trace": chrome_trace,
    "xplane": xplane_trace,
    "memory_profile": memory_profile,
    "log": log,
    "framed_log": framed_log,
    "repaired": more_targets.repaired(scan, log),
    "routes": more_targets.routes,
    "assets": more_targets.assets,
    "index": index_target.index,
    "checkpoint": more_targets.checkpoint,
    "own_files": more_targets.own_files,
    "words": more_targets.words,
    "imports": more_targets.imports,
    "media": more_targets.media,
}


def run_bounded(name: str, data: bytes, rng: random.Random) -> None:
    """Run one target; memory far beyond what the input justifies is a finding like any other, where it is traced."""
    if not tracemalloc.is_tracing():
        TARGETS[name](data, rng)
        return
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    TARGETS[name](data, rng)
    _, peak = tracemalloc.get_traced_memory()
    used = peak - before
    assert used <= SPARE_BYTES + BYTES_PER_BYTE * len(data), (
        f"{name}: {used:,} bytes for {len(data):,} of input"
    )
