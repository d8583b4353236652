"""Further targets: event files whose checksums hold, whole logs through the routes, files beside event files, the server's own
files, and small languages that users and files speak."""

from __future__ import annotations

import argparse
import random
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from urllib.parse import urlencode

from tests.fuzz.mutate import repair
from tests.support.trace_rows import Content

from runglass.errors import RunglassError
from runglass.flags.value_types import parse_size
from runglass.importing.writing import import_runs
from runglass.ingest.roots import parse_spec
from runglass.jobs.cache import pack, unpack
from runglass.jobs.context import Encoded
from runglass.media.audio_files import read_audio_header
from runglass.media.formats import parse_image
from runglass.media.picture_files import count_frames, header_size, is_cut_short
from runglass.native.records import frame, masked_crc32c
from runglass.native.trace_rows import TraceRows
from runglass.query.embeddings.formats.arrays import open_checkpoint_files
from runglass.query.embeddings.formats.content import BytesContent
from runglass.query.embeddings.formats.sorted_table import MAGIC, SortedTable
from runglass.query.embeddings.model import EmbeddingDamaged
from runglass.query.expressions import parse_expression
from runglass.query.hparams.config_files import parse_config
from runglass.query.profiles import column_file
from runglass.query.profiles.build import build_trace
from runglass.query.profiles.formats import chrome
from runglass.query.profiles.model import ARRAYS
from runglass.reader import open_log
from runglass.schema.graph import GRAPH
from runglass.schema.projector import PROJECTOR_CONFIG
from runglass.schema.text_proto import TextProtoError, parse_text
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind

Target = Callable[[bytes, random.Random], None]
Question = tuple[str, object]
EVENT_FILE = "events.out.tfevents.1"
# Where bytes become a file that something reads.
ASSET_NAMES = (
    "projector_config.pbtxt",
    "hparams.yaml",
    "config.json",
    "config.toml",
    "trace.json",
    "host.xplane.pb",
    "snapshot.pickle",
    "memory.prof",
    "graph.pbtxt",
    "saved_model.pb",
    "model.onnx",
    "model.keras",
    "model.json",
    "checkpoint",
    "model.ckpt.index",
)
CONFIG_NAMES = ("hparams.yaml", "config.json", "config.toml", ".hydra/overrides.yaml")
IMAGE_FORMS = ("png", "gif", "bmp", "jpeg", "webp", "mp4", "webm", "svg")


# ---- logs through the routes


@contextmanager
def asking(folder: str) -> Iterator[tuple[InProcess, list[tuple[str, str, Kind]]]]:
    """The app over a folder, and the series that are in it."""
    opened = open_log(folder)
    app = App(opened.source)
    try:
        found = [
            (each.key.run, each.key.tag, each.meta.kind) for each in islice(opened.source.list_series(), 4)
        ]
        yield InProcess(app), found
    finally:
        app.close()


def check_answers(client: InProcess, questions: list[Question]) -> None:
    for path, body in questions:
        answer = client.get(path) if body is None else client.post(path, body)
        assert answer.status < 500, f"{path} {body}: {answer.status} {answer.body[:500]!r}"


def questions_of(run: str, tag: str, kind: Kind) -> list[Question]:
    """What a page asks of a series."""
    # Surrogates cannot travel, and no page has them.
    named = urlencode({"run": run, "tag": tag}, errors="replace")
    series = {"series": [{"run": run, "tag": tag}]}
    known: dict[Kind, list[Question]] = {
        Kind.SCALAR: [
            (f"/api/scalars/points?{named}", None),
            ("/api/scalars/lines", series | {"format": "json"}),
            ("/api/scalars/summary", series),
        ],
        Kind.IMAGE: [(f"/api/images/list?{named}", None), (f"/api/images/blob?{named}", None)],
        Kind.AUDIO: [(f"/api/audio/list?{named}", None), (f"/api/audio/blob?{named}", None)],
        Kind.TEXT: [(f"/api/text/value?{named}", None), ("/api/text/values", series)],
        Kind.HISTOGRAM: [
            ("/api/histograms/series", series),
            (f"/api/histograms/values?{named}", None),
            ("/api/distributions/bands", series),
        ],
        Kind.PR_CURVE: [("/api/pr_curves/curves", series)],
        Kind.MESH: [(f"/api/mesh/geometry?{named}", None)],
        Kind.HPARAMS: [("/api/hparams", None), ("/api/hparams/table", {})],
        Kind.CUSTOM_SCALARS: [("/api/custom_scalars/layout", None)],
        Kind.GRAPH: [("/api/graphs", None), ("/api/graphs/levels", {"graph": {"run": run, "name": tag}})],
    }
    return known.get(kind, [("/api/steps", series | {"kind": kind.value})])


def routes(data: bytes, rng: random.Random) -> None:
    """One bad payload in good framing beside what is good, and what a page asks of it."""
    with tempfile.TemporaryDirectory(prefix="runglass-fuzz-") as folder:
        (Path(folder) / EVENT_FILE).write_bytes(frame(data) * rng.choice([1, 3]))
        with asking(folder) as (client, series):
            questions = [each for one in series for each in questions_of(*one)]
            check_answers(client, [("/api/series", None), ("/api/health", None), *questions])
            if rng.random() < 0.2:
                check_answers(client, [("/api/overview/summary", {}), ("/api/hparams/table", {})])


def assets(data: bytes, rng: random.Random) -> None:
    """Bytes as a file of a run, listed and read."""
    name = rng.choice(ASSET_NAMES)
    with tempfile.TemporaryDirectory(prefix="runglass-fuzz-") as folder:
        (Path(folder) / EVENT_FILE).write_bytes(frame(b""))
        (Path(folder) / name).write_bytes(data)
        if name.endswith(".index"):
            (Path(folder) / "model.ckpt.data-00000-of-00001").write_bytes(data)
        with asking(folder) as (client, _):
            check_answers(client, [("/api/assets", None)])
            lists = {"graphs": "/api/graphs", "projector": "/api/projector", "profile": "/api/profile"}
            for path in (*lists.values(), "/api/hparams"):
                check_answers(client, [(path, None)])
            found = client.get("/api/graphs").json["graphs"][:2]
            for each in found:
                graph = {"run": each["run"], "name": each["name"]}
                check_answers(client, [("/api/graphs/levels", {"graph": graph})])
            for each in client.get("/api/projector").json["embeddings"][:2]:
                about = {"embedding": {"run": each["run"], "name": each["name"]}}
                check_answers(client, [("/api/projector/about", about)])


def repaired(scan: Target, log: Target) -> Target:
    """An event file as `scan` and `log` take it, with checksums that hold wherever its lengths make sense."""

    def run(data: bytes, rng: random.Random) -> None:
        whole = repair(data)
        if rng.random() < 0.05:
            log(whole, rng)
        else:
            scan(whole, rng)

    return run


# ---- checkpoints


def table_of(block: bytes, name: bytes = b"\xff") -> bytes:
    """A sorted table of one block, with the checksums that it should have."""

    def with_end(data: bytes) -> bytes:
        return data + b"\0" + struct.pack("<I", masked_crc32c(data + b"\0"))

    handle = varint(0) + varint(len(block))
    index = b"\0" + varint(len(name)) + varint(len(handle)) + name + handle + struct.pack("<II", 0, 1)
    start = len(block) + 5
    empty = struct.pack("<II", 0, 1)
    footer = varint(start + len(index) + 5) + varint(len(empty)) + varint(start) + varint(len(index))
    return with_end(block) + with_end(index) + with_end(empty) + footer.ljust(40, b"\0") + MAGIC


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def blocks(files: list[bytes]) -> list[bytes]:
    """The entries of checkpoints as one block each."""
    found = []
    for data in files:
        with suppress(EmbeddingDamaged):
            entries = [
                b"\0" + varint(len(key)) + varint(len(value)) + key + value
                for key, value in SortedTable(BytesContent("t", data))
            ]
            found.append(b"".join(entries) + struct.pack("<II", 0, 1))
    return found


def checkpoint(data: bytes, rng: random.Random) -> None:
    """A block of a checkpoint's index whose checksum holds, so that what is inside is read."""
    values = BytesContent("v.data-00000-of-00001", rng.randbytes(500))
    with suppress(EmbeddingDamaged):
        arrays = open_checkpoint_files([BytesContent("v.index", table_of(data))], {0: values})
        for variable in arrays.variables[:20]:
            with suppress(EmbeddingDamaged):
                matrix = arrays.matrix(variable.name)
                matrix.read(0, min(2, matrix.rows))


# ---- what the server keeps on disk


def own_files(data: bytes, rng: random.Random) -> None:
    """A trace or a result in the cache folder that is not what was written."""
    found = unpack(data)
    assert found is None or pack(found) == data
    with tempfile.TemporaryDirectory(prefix="runglass-fuzz-") as folder:
        (Path(folder) / "profiles").mkdir()
        (Path(folder) / "profiles" / f"key{column_file.SUFFIX}").write_bytes(data)
        trace = column_file.ColumnFiles(Path(folder)).get("key")
        if trace is not None:
            assert all(len(getattr(trace, name)) >= 0 for name in ARRAYS)


def kept_files(chrome_files: list[bytes]) -> list[bytes]:
    found = [pack(Encoded(b'{"a": 1}', is_json=True)), pack(Encoded(b"\0" * 100, is_json=False))]
    # A large one would be cut.
    for data in chrome_files[-1:]:
        rows = TraceRows()
        chrome.read(Content(data), "t.json", rows)
        rows.freeze()
        with tempfile.TemporaryDirectory(prefix="runglass-fuzz-") as folder:
            column_file.ColumnFiles(Path(folder)).put("key", build_trace(rows, "chrome", sizes=[len(data)]))
            found += [path.read_bytes() for path in Path(folder).rglob(f"*{column_file.SUFFIX}")]
    return found


# ---- small languages and headers


def words(data: bytes, rng: random.Random) -> None:
    """Configuration files, expressions, sizes and lists of folders."""
    for name in CONFIG_NAMES:
        assert isinstance(parse_config(name, data).problem, str)
    text = data.decode("utf-8", "replace")
    for message in (PROJECTOR_CONFIG, GRAPH):
        with suppress(TextProtoError):
            parse_text(message, text)
    for parse in (parse_expression, parse_spec):
        with suppress(RunglassError):
            parse(text)
    with suppress(argparse.ArgumentTypeError):
        parse_size(text)


WORDS = [
    b"lr: 0.1\nlayers: [64, 32]\nnested: {a: 1, b: null}\nname: !!python/name:os.system x\nanchor: &a [1, *a]\n",
    b'{"lr": 0.1, "layers": [64, 32], "nested": {"a": 1e400, "b": null}}',
    b"lr = 0.1\nlayers = [64, 32]\n[nested]\na = 1\nwhen = 2020-01-01T00:00:00Z\n",
    b"- lr=0.1\n- +model=large\n- ~old\n- 'a.b=[1,2]'\n",
    b'embeddings { tensor_name: "e" tensor_path: "v.tsv" sprite { image_path: "s.png" single_image_dim: 8 } }',
    b'node { name: "a" op: "Const" attr { key: "value" value { tensor { dtype: DT_FLOAT float_val: 1.5 } } } }',
    b"=`train/loss` / (`a b` + 2) ** -1.5e3",
    b"=log(abs(loss)) - min(loss, 3)",
    b"first:/a/b,second:/c",
    b"20M",
]


def imports(data: bytes, rng: random.Random) -> None:
    """Bytes as a file of another tool that is imported."""
    kind, name = rng.choice(IMPORTED)
    with tempfile.TemporaryDirectory(prefix="runglass-fuzz-") as folder:
        source = Path(folder) / "from"
        path = source / "experiment" / "run" / name
        path.parent.mkdir(parents=True)
        if kind == "mlflow":
            (source / "experiment" / "run" / "meta.yaml").write_bytes(b"run_id: a\nstart_time: 5\n")
        path.write_bytes(data)
        with suppress(RunglassError):
            import_runs(kind, [str(path.parent if kind == "csv" else source)], Path(folder) / "to")


IMPORTED = (
    ("csv", "a.csv"),
    ("csv", "a.jsonl"),
    ("wandb", "run-a.wandb"),
    ("mlflow", "meta.yaml"),
    ("mlflow", "metrics"),
)
ROWS = [
    b'step,loss,note\n0,1.5,a\n1,nan,"b\nc"\n2,1e400,\n',
    b'{"step": 0, "loss": 1.5, "nested": {"a": [1]}}\n{"step": 1e300, "time": "2020-01-01"}\n',
    b"run_id: abc\nrun_name: x\nstart_time: 1700000000000\nstatus: 3\nlifecycle_stage: active\n",
]


def media(data: bytes, rng: random.Random) -> None:
    """Headers of pictures, videos and clips."""
    read_audio_header(data)
    image = parse_image(data)
    for form in {image.format, rng.choice(IMAGE_FORMS)}:
        size = header_size(data, form)
        assert size is None or min(size) >= 0
        count_frames(data, form)
        is_cut_short(data, form)
