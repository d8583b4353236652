"""MLflow's file store: `mlruns/EXPERIMENT/RUN/` with a file per metric, parameter and tag, and `meta.yaml`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml

from runglass.errors import BadArgument
from runglass.importing.model import ForeignRun, Row
from runglass.writer.values.hparams import HParam

# RunStatus of MLflow's service.proto.
OUTCOMES = {3: "success", 4: "failure", 5: "failure"}


def read_mlflow(path: Path) -> Iterator[ForeignRun]:
    """All runs below an mlruns folder, one experiment, or one run; deleted ones are left out."""
    metas = [meta for meta in sorted(path.rglob("meta.yaml")) if ".trash" not in meta.parts]
    runs = [(meta, about) for meta in metas if "run_id" in (about := _read_yaml(meta))]
    if not runs:
        raise BadArgument(f"{path} has no runs of MLflow: there is no meta.yaml with a run_id below it.")
    for meta, about in runs:
        if about.get("lifecycle_stage") != "deleted":
            yield _read_run(meta.parent, about)


def _read_run(folder: Path, about: dict[str, Any]) -> ForeignRun:
    experiment = folder.parent / "meta.yaml"
    project = str(_read_yaml(experiment).get("name", "")) if experiment.exists() else ""
    shown = about.get("run_name") or "run"
    start, end = about.get("start_time"), about.get("end_time")
    run = ForeignRun(
        "/".join(filter(None, [project, f"{shown}-{str(about['run_id'])[:8]}"])),
        _rows(folder / "metrics"),
        hparams={name: _parse(text) for name, text in _read_files(folder / "params")},
        start_time=start / 1000 if start else None,
        end_time=end / 1000 if end else None,
        notes=dict(_read_files(folder / "tags")).get("mlflow.note.content", ""),
    )
    outcome = OUTCOMES.get(about.get("status", 0))
    run.outcome = "success" if outcome == "success" else "failure" if outcome else "unknown"
    return run


def _rows(folder: Path) -> Iterator[Row]:
    """By step. MLflow keeps a file per metric: a line is a time in milliseconds, a value and a step."""
    points = []
    for tag, text in _read_files(folder):
        for line in text.splitlines():
            words = line.split()
            if len(words) >= 2:
                points.append((int(words[2]) if len(words) > 2 else 0, int(words[0]), tag, float(words[1])))
    points.sort(key=lambda point: point[:2])
    for (step, time_ms), group in groupby(points, key=lambda point: point[:2]):
        yield Row(step, time_ms / 1000, scalars={tag: value for _, _, tag, value in group})


def _read_files(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8", errors="replace")


def _parse(text: str) -> HParam:
    """MLflow keeps parameters as text."""
    for parse in (int, float):
        try:
            return parse(text)
        except ValueError:
            continue
    return text == "True" if text in ("True", "False") else text


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise BadArgument(f"{path} is not YAML: {error}") from error
    return found if isinstance(found, dict) else {}
