"""Logs written by the real frameworks, read exactly: every folder of logs/ with a manifest.json.

The manifests hold what TensorBoard's own loader makes of the same files, without sampling. Where Runglass differs on purpose,
the tables below say why.
"""

from __future__ import annotations

import base64
import hashlib
import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runglass
from runglass.ingest.canonical import KIND_BY_PLUGIN
from runglass.native.wire import decode
from runglass.query.source import SeriesKey
from runglass.reader import Log
from runglass.schema.graph import GRAPH
from runglass.schema.hparams import HPARAMS_PLUGIN
from runglass.schema.layout import LAYOUT
from runglass.schema.run_metadata import RUN_METADATA
from runglass.store.model import Kind

LOGS = Path(__file__).parent / "logs"
CASES = sorted(path.parent.name for path in LOGS.glob("*/manifest.json"))

# A bad payload checksum costs one record; TensorBoard gives up the rest of the file. Value: the step of the lost record.
SKIPPED = {("edge_damaged", "crc_payload_middle"): 4, ("edge_damaged", "crc_footer_middle"): 4}
# After a second SessionLog START TensorBoard deletes what the restart overwrote; here that is attempts="latest".
PURGED = {("edge_restart", "overlap_session_start")}
RUN_METADATA_PLUGINS = {"graph_run_metadata", "graph_run_metadata_graph", "graph_tagged_run_metadata"}


@pytest.fixture
def case_logdir(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The logdir of a case; unpacked first where its file names are too odd for a repository."""
    case: str = request.param
    archive = LOGS / case / "logdir.tar"
    if archive.exists():
        with tarfile.open(archive) as packed:
            packed.extractall(tmp_path, filter="data")
        return tmp_path / "logdir"
    return LOGS / case / "logdir"


@pytest.mark.parametrize("case_logdir", CASES, indirect=True, ids=CASES)
def test_reads_what_frameworks_wrote(case_logdir: Path, request: pytest.FixtureRequest) -> None:
    case = request.node.callspec.id
    manifest = json.loads((LOGS / case / "manifest.json").read_text(encoding="utf-8"))
    log = runglass.open(case_logdir)
    assert set(log.runs) == set(manifest["runs"])
    wrong = []
    for run, expected in manifest["runs"].items():
        wrong += [f"{run}: {text}" for text in compare_run(log, case, run, expected)]
    assert not wrong, "\n".join(wrong)


def compare_run(log: Log, case: str, run: str, expected: dict[str, Any]) -> list[str]:
    series = {info.key.tag: info for info in log.source.list_series(run=run)}
    wrong = []
    if set(series) != set(expected["tensors"]):
        wrong.append(f"tags: found {sorted(series)}, expected {sorted(expected['tensors'])}")
    for tag, truth in expected["tensors"].items():
        if tag in series:
            meta = series[tag].meta
            facts = {
                "kind": (meta.kind, KIND_BY_PLUGIN.get(truth["plugin"], Kind.TENSOR)),
                "description": (meta.description, truth.get("description", "")),
            }
            facts.update(compare_series(log, case, SeriesKey(run, tag), meta, truth))
            wrong += [
                f"{tag}: {name}: found {found!r}, expected {wanted!r}"
                for name, (found, wanted) in facts.items()
                if found != wanted
            ]
    return wrong


def compare_series(
    log: Log, case: str, key: SeriesKey, meta: Any, truth: dict[str, Any]
) -> dict[str, tuple[Any, Any]]:
    attempts = "latest" if (case, key.run) in PURGED else "all"
    series = log.read(*key, attempts=attempts)
    if (case, key.run) in SKIPPED:
        return compare_to_undamaged(log, series, key, SKIPPED[case, key.run])
    facts: dict[str, tuple[Any, Any]] = {
        "number of values": (len(series), truth["n"]),
        "steps": (sha256(series.step.astype("<i8")), truth["steps_sha256"]),
        "first step": (int(series.step[0]), truth["first_step"]),
        "last step": (int(series.step[-1]), truth["last_step"]),
        "first wall time": (same_float(series.wall_time[0]), truth["first_wall_time"]),
        "last wall time": (same_float(series.wall_time[-1]), truth["last_wall_time"]),
    }
    if meta.kind is Kind.SCALAR:
        value = log.scalars(*key, attempts=attempts).value
        facts["values"] = (sha256(value.astype("<f8")), truth["values_f64_sha256"])
        return facts
    if "payload_sha256" in truth:
        found = [[hashlib.sha256(item.data).hexdigest() for item in items] for items in series.value]
        facts["every value"] = (found, truth["payload_sha256"])
    for index, which in ((0, "first"), (-1, "last")):
        for name, pair in compare_value(series.value[index], meta, truth, truth[which]).items():
            facts[f"{which} {name}"] = pair
    return facts


def compare_to_undamaged(log: Log, series: Any, key: SeriesKey, lost_step: int) -> dict[str, tuple[Any, Any]]:
    whole = log.scalars("ok", key.tag)
    kept = whole.step != lost_step
    (health,) = [file for file in log.health if file.run == key.run]
    return {
        "steps": (series.step.tolist(), whole.step[kept].tolist()),
        "values": (list(series.value), whole.value[kept].tolist()),
        "skipped records": (health.skipped_records, 1),
    }


def compare_value(value: Any, meta: Any, truth: dict[str, Any], expected: Any) -> dict[str, tuple[Any, Any]]:
    """Facts about one value: found and expected."""
    if meta.kind is Kind.IMAGE:
        images = expected["images"]
        return {
            "bytes": (
                [hashlib.sha256(image.data).hexdigest() for image in value],
                [each["sha256"] for each in images],
            ),
            "sizes": ([[image.width, image.height] for image in value], [each["size"] for each in images]),
            "formats": ([image.format for image in value], [each["format"].lower() for each in images]),
        }
    if meta.kind is Kind.AUDIO:
        clips = expected["clips"]
        return {
            "bytes": (
                [hashlib.sha256(clip.data).hexdigest() for clip in value],
                [each["sha256"] for each in clips],
            ),
            "rates": ([clip.sample_rate for clip in value], [each["rate"] for each in clips]),
            "channels": ([clip.channels for clip in value], [each["channels"] for each in clips]),
            "frames": ([clip.frames for clip in value], [each["nframes"] for each in clips]),
        }
    if meta.kind is Kind.TEXT:
        return {
            "strings": ([value] if isinstance(value, str) else value.ravel().tolist(), expected["strings"]),
            "shape": ([] if isinstance(value, str) else list(value.shape), expected["shape"]),
        }
    if meta.kind is Kind.GRAPH:
        return compare_graph(value, truth["plugin"], expected)
    if meta.kind is Kind.HPARAMS:
        content = base64.b64decode(truth["plugin_content_b64"])
        return {"message": (list(value), list(decode(HPARAMS_PLUGIN, content)))}
    if meta.kind is Kind.CUSTOM_SCALARS:
        # The manifest knows the layout's bytes; they are the values' own, so decode and encode must agree on them.
        return {
            "layout": (set(value) <= {field.name for field in LAYOUT.fields}, True),
            "shape": ([], truth["shape"]),
        }
    array = np.asarray(value)
    if meta.kind is Kind.HISTOGRAM:
        # TensorBoard rounds old histograms to float32; here they stay float64.
        array = array.astype(expected["dtype"])
    return {
        "dtype": (str(array.dtype), expected["dtype"]),
        "shape": (list(array.shape), expected["shape"]),
        "numbers": (sha256(array), expected["sha256_le"]),
    }


def compare_graph(value: bytes, plugin: str, expected: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    if plugin == "graph_keras_model":
        model = json.loads(value)
        layers = [[layer["class_name"], layer["config"]["name"]] for layer in model["config"]["layers"]]
        return {
            "class": (model["class_name"], expected["class_name"]),
            "layers": (layers, expected["layers"]),
        }
    if plugin in RUN_METADATA_PLUGINS:
        metadata = decode(RUN_METADATA, value)
        devices = {
            device["device"]: len(device.get("node_stats", []))
            for device in metadata.get("step_stats", {}).get("dev_stats", [])
        }
        functions = [
            {
                "pre": node_count(each.get("pre_optimization_graph", {})),
                "post": node_count(each.get("post_optimization_graph", {})),
            }
            for each in metadata.get("function_graphs", [])
        ]
        return {
            "devices": (devices, {name: each["node_stats"] for name, each in expected["devices"].items()}),
            "partition graphs": (
                [node_count(each) for each in metadata.get("partition_graphs", [])],
                expected["partition_graphs"],
            ),
            "function graphs": (functions, expected["function_graphs"]),
        }
    graph = decode(GRAPH, value)
    nodes = graph.get("node", [])
    return {
        "nodes": (len(nodes), expected["nodes"]),
        "edges": (sum(len(node.get("input", [])) for node in nodes), expected["edges"]),
        "names": (
            hashlib.sha256("\n".join(node["name"] for node in nodes).encode()).hexdigest(),
            expected["names_sha256"],
        ),
        "functions": (len(graph.get("library", {}).get("function", [])), expected["functions"]),
    }


def node_count(graph: dict[str, Any]) -> int:
    return len(graph.get("node", []))


def sha256(array: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def same_float(number: Any) -> float | str:
    """As the manifests write floats: non-finite ones are strings."""
    value = float(number)
    if np.isnan(value):
        return "NaN"
    return value if np.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")
