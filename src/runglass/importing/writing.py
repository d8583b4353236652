"""Finds runs of other tools and writes them as event files, with our own writer."""

from __future__ import annotations

import csv
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from runglass.errors import BadArgument, RunglassError
from runglass.importing.mlflow_folder import read_mlflow
from runglass.importing.model import ForeignRun, Row
from runglass.importing.rows_file import read_table
from runglass.importing.wandb_file import find_files, read_wandb
from runglass.schema.hparams import SessionOutcome
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import hparams, summaries

OUTCOMES = {"success": SessionOutcome.SUCCESS, "failure": SessionOutcome.FAILURE}
FORBIDDEN = '<>:"\\|?*'
Item = TypeVar("Item")
# A step, its time where there is one, and the values of that step.
Encoded = tuple[int, float | None, list[bytes]]
# What foreign files can raise that are damaged, or of a version that nobody has seen.
UNEXPECTED = (
    *(ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError),
    csv.Error,
)


@dataclass
class Imported:
    runs: int = 0
    values: int = 0


def import_runs(kind: str, paths: list[str], logdir: Path, *, step: str | None = None) -> Imported:
    """`kind` is "wandb", "mlflow" or "csv". Changes no run that is already there."""
    done = Imported()
    for path in map(Path, paths):
        if not path.exists():
            raise BadArgument(f"{str(path)!r} does not exist. Check the path.", where=str(path))
        for run in _guarded(path, _find(kind, path, step)):
            done.values += _write(run, _guarded(path, _encoded(run.rows)), logdir / _folder(run.name))
            done.runs += 1
    return done


def _guarded(path: Path, items: Iterator[Item]) -> Iterator[Item]:
    """The same items. What goes wrong on the way to the next one is told with the file."""
    while True:
        try:
            item = next(items)
        except StopIteration:
            return
        except RunglassError:
            raise
        except UNEXPECTED as error:
            raise BadArgument(
                f"{str(path)!r} cannot be imported: {type(error).__name__}: {error}. Something in it is not as the tool writes it.",
                where=str(path),
            ) from error
        yield item


def _find(kind: str, path: Path, step: str | None) -> Iterator[ForeignRun]:
    if kind == "wandb":
        yield from map(read_wandb, find_files(path))
    elif kind == "mlflow":
        yield from read_mlflow(path)
    else:
        files = [path] if path.is_file() else sorted(path.glob("*.csv")) + sorted(path.glob("*.jsonl"))
        if not files:
            raise BadArgument(f"{path} has no *.csv or *.jsonl file.")
        yield from (read_table(each, step=step) for each in files)


def _folder(name: str) -> Path:
    """A run's name as a path that stays below the log directory on every system."""
    cleaned = "".join("_" if char in FORBIDDEN or ord(char) < 32 else char for char in name)
    parts = [part.strip(" .") for part in cleaned.split("/")]
    return Path(*([part for part in parts if part] or ["run"]))


def _write(run: ForeignRun, rows: Iterator[Encoded], folder: Path) -> int:
    """Returns how many values there were. A run that cannot be read to its end leaves nothing behind."""
    if folder.exists() and any(folder.iterdir()):
        raise BadArgument(
            f"{folder} exists already. Delete it, or import into another directory with --logdir.",
            where=str(folder),
        )
    start = run.start_time if run.start_time is not None else time.time()
    count, last = 0, start
    try:
        with EventFileWriter(folder, clock=lambda: start) as writer:
            if run.hparams:
                start_info = hparams.session_start(run.hparams, start_time_s=start, group_name="")
                writer.write(0, wall_time=start, values=[start_info])
            if run.notes:
                writer.write(0, wall_time=start, values=[summaries.text("notes", run.notes)])
            for number, (step, wall_time, values) in enumerate(rows):
                last = wall_time if wall_time is not None else start + number
                count += len(values)
                if values:
                    writer.write(step, wall_time=last, values=values)
            if run.hparams and run.outcome in OUTCOMES:
                end = run.end_time if run.end_time is not None else last
                writer.write(
                    0, wall_time=end, values=[hparams.session_end(OUTCOMES[run.outcome], end_time_s=end)]
                )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return count


def _encoded(rows: Iterator[Row]) -> Iterator[Encoded]:
    for row in rows:
        if not -(2**63) <= row.step < 2**63:
            raise ValueError(f"the step {row.step} does not fit into 64 bits")
        wall_time = None if row.wall_time is None else float(row.wall_time)
        yield row.step, wall_time, list(_values(row))


def _values(row: Row) -> Iterator[bytes]:
    for tag, value in row.scalars.items():
        # All digits: the other tool kept a double.
        yield summaries.scalar(tag, value, form="float64")
    for tag, text in row.texts.items():
        yield summaries.text(tag, text)
    for tag, files in row.images.items():
        if files:
            yield summaries.images(tag, files)
    for tag, (edges, counts) in row.histograms.items():
        bins = np.asarray(edges, np.float64)
        yield summaries.histogram_rows(
            tag, np.stack([bins[:-1], bins[1:], np.asarray(counts, np.float64)], axis=1)
        )
