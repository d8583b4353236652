"""Offline runs of W&B: `run-ID.wandb` holds protobuf records in LevelDB's log format, with a header of its own.

The numbers of the fields are those of wandb_internal.proto (MIT licence), which W&B keeps compatible. Pictures lie in `files/`.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runglass.errors import BadArgument
from runglass.importing.model import ForeignRun, Row, flatten, plain
from runglass.native.wire import Field, Message, decode

HEADER = b":W&B\xe1\xbe"
HEADER_BYTES = 7
BLOCK_BYTES = 32768
RECORD_HEADER_BYTES = 7
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4

STAMP = Message("Timestamp", Field(1, "seconds", "int64"), Field(2, "nanos", "int32"))
ITEM = Message(
    "Item",
    Field(1, "key", "string"),
    Field(2, "nested_key", "string", repeated=True),
    Field(16, "value_json", "string"),
)
STEP = Message("HistoryStep", Field(1, "num", "int64"))
HISTORY = Message("HistoryRecord", Field(1, "item", ITEM, repeated=True), Field(2, "step", STEP))
UPDATE = Message("UpdateRecord", Field(1, "update", ITEM, repeated=True))
RUN = Message(
    "RunRecord",
    Field(1, "run_id", "string"),
    Field(3, "project", "string"),
    Field(4, "config", UPDATE),
    Field(8, "display_name", "string"),
    Field(9, "notes", "string"),
    Field(17, "start_time", STAMP),
)
EXIT = Message("RunExitRecord", Field(1, "exit_code", "int32"), Field(2, "runtime", "int32"))
STATS = Message("StatsRecord", Field(2, "timestamp", STAMP), Field(3, "item", ITEM, repeated=True))
RECORD = Message(
    "Record",
    Field(2, "history", HISTORY),
    Field(3, "summary", UPDATE),
    Field(5, "config", UPDATE),
    Field(7, "stats", STATS),
    Field(17, "run", RUN),
    Field(18, "exit", EXIT),
)


def find_files(path: Path) -> list[Path]:
    """A .wandb file, or all below a folder such as `wandb/` or one run's. `latest-run` is a link to another of them."""
    if path.is_file():
        return [path]
    found = sorted(each for each in path.rglob("*.wandb") if not any(up.is_symlink() for up in each.parents))
    if not found:
        raise BadArgument(f"{path} has no *.wandb file. Name a wandb folder, or a run in it.")
    return found


def read_records(data: bytes, name: str) -> Iterator[bytes]:
    """Whole records. Ends at the first that is cut short: the run may have been killed. Raises BadArgument if this is another format."""
    if data[: len(HEADER)] != HEADER:
        raise BadArgument(f"{name} is not a file of W&B: it does not begin with ':W&B'.")
    at = HEADER_BYTES
    pieces: list[bytes] = []
    while at + RECORD_HEADER_BYTES <= len(data):
        left = BLOCK_BYTES - at % BLOCK_BYTES
        if left < RECORD_HEADER_BYTES:
            at += left
            continue
        checksum = int.from_bytes(data[at : at + 4], "little")
        size = int.from_bytes(data[at + 4 : at + 6], "little")
        kind = data[at + 6]
        piece = data[at + RECORD_HEADER_BYTES : at + RECORD_HEADER_BYTES + size]
        if len(piece) < size or zlib.crc32(piece, zlib.crc32(bytes([kind]))) != checksum:
            return
        at += RECORD_HEADER_BYTES + size
        if kind in (FULL, FIRST):
            pieces.clear()
        pieces.append(piece)
        if kind in (FULL, LAST):
            yield b"".join(pieces)


def read_wandb(path: Path) -> ForeignRun:
    data = path.read_bytes()
    run = ForeignRun(path.stem.removeprefix("run-"), iter(()))
    summary: dict[str, Any] = {}
    logged: set[str] = set()
    last_step = 0
    config: dict[str, Any] = {}
    for record in read_records(data, str(path)):
        found = decode(RECORD, record)
        if about := found.get("run"):
            project, shown = about.get("project", ""), about.get("display_name") or about.get("run_id", "")
            # The id keeps runs of one name apart.
            run.name = "/".join(filter(None, [project, f"{shown}-{about.get('run_id', '')}"]))
            run.notes = about.get("notes", "")
            config.update(_items(about.get("config", {}).get("update", ())))
            run.start_time = _seconds(about.get("start_time"))
        elif "config" in found:
            config.update(_items(found["config"].get("update", ())))
        elif "summary" in found:
            summary.update(_items(found["summary"].get("update", ())))
        elif "exit" in found:
            run.outcome = "failure" if found["exit"].get("exit_code", 0) else "success"
            if run.start_time is not None:
                run.end_time = run.start_time + found["exit"].get("runtime", 0)
        elif "history" in found:
            items = _items(found["history"].get("item", ()))
            logged.update(items)
            last_step = int(items.get("_step", found["history"].get("step", {}).get("num", last_step)))
    config.pop("_wandb", None)
    run.hparams = {name: plain(value) for name, value in flatten("", config, between=".")}
    only = {name: value for name, value in summary.items() if name not in logged}
    run.rows = _rows(data, path, run.start_time, only, last_step)
    return run


def _rows(
    data: bytes, path: Path, start: float | None, summary: dict[str, Any], last_step: int
) -> Iterator[Row]:
    wall_time = start
    for record in read_records(data, str(path)):
        found = decode(RECORD, record)
        if "history" in found:
            items = _items(found["history"].get("item", ()))
            step = int(items.get("_step", found["history"].get("step", {}).get("num", 0)))
            wall_time = items.get("_timestamp", wall_time)
            yield _row(step, wall_time, items, path.parent / "files")
        elif "stats" in found:
            at = _seconds(found["stats"].get("timestamp"))
            items = {
                f"system/{name}": value for name, value in _items(found["stats"].get("item", ())).items()
            }
            yield _row(int((at or 0) - (start or at or 0)), at, items, path.parent / "files")
    # What was set in the summary alone.
    if summary:
        yield _row(last_step, wall_time, summary, path.parent / "files")


def _row(step: int, wall_time: float | None, items: dict[str, Any], folder: Path) -> Row:
    row = Row(step, wall_time)
    for name, value in items.items():
        if name.startswith("_"):
            continue
        kind = value.get("_type") if isinstance(value, dict) else None
        if kind == "histogram" and "bins" in value:
            row.histograms[name] = value["bins"], value["values"]
        elif kind == "image-file":
            row.images[name] = _files(folder, [value["path"]])
        elif kind == "images/separated":
            row.images[name] = _files(folder, value.get("filenames", ()))
        elif kind is None:
            for leaf, each in flatten(name, value, between="/"):
                if isinstance(each, bool | int | float) or each in ("NaN", "Infinity", "-Infinity"):
                    row.scalars[leaf] = float(each)
                elif isinstance(each, str):
                    row.texts[leaf] = each
    return row


def _files(folder: Path, names: Any) -> list[bytes]:
    found = []
    for name in names:
        # A name in a log must not lead out of its folder.
        path = (folder / str(name)).resolve()
        if path.is_relative_to(folder.resolve()) and path.is_file():
            found.append(path.read_bytes())
    return found


def _items(items: Any) -> dict[str, Any]:
    """Values by key. Nested dicts come as one item or as one for each leaf, by the version of W&B; here they are dicts."""
    found: dict[str, Any] = {}
    for item in items:
        *outer, name = item.get("nested_key") or [item.get("key", "")]
        place = found
        for key in outer:
            inner = place.get(key)
            place[key] = inner if isinstance(inner, dict) else {}
            place = place[key]
        # W&B writes NaN and Infinity as Python's json does.
        place[name] = json.loads(item.get("value_json") or "null")
    return found


def _seconds(stamp: dict[str, int] | None) -> float | None:
    return None if stamp is None else stamp.get("seconds", 0) + stamp.get("nanos", 0) / 1e9
