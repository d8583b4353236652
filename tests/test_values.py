"""What frameworks logged, asked for over HTTP as the page does: every image, clip, text, histogram, curve, mesh and layout of
the golden logs against their manifests; and values that are not what their series says.

tests/golden/test_corpus.py reads the same logs in Python; here the routes are what is proven.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from tests.golden.test_corpus import CASES, LOGS, PURGED, case_logdir, same_float, sha256

import runglass
from runglass.api.samples import SANDBOX
from runglass.ingest.canonical import KIND_BY_PLUGIN
from runglass.media.formats import parse_audio, parse_image
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess, InProcessResponse
from runglass.store.model import Kind

assert case_logdir  # a fixture, used by its name

Facts = dict[str, tuple[Any, Any]]
"""By name: what was found, and what was expected."""


class Asker:
    """Asks the routes about one series."""

    def __init__(self, client: InProcess, run: str, tag: str, attempts: str) -> None:
        self.client = client
        self.run = run
        self.tag = tag
        self.attempts = attempts

    def steps(self, kind: Kind) -> dict[str, Any]:
        body = {"kind": kind.value, "attempts": self.attempts, "series": [{"run": self.run, "tag": self.tag}]}
        (series,) = right(self.client.post("/api/steps", body)).json["series"]
        return series  # type: ignore[no-any-return]

    def get(self, path: str, **query: Any) -> InProcessResponse:
        return self.client.get(f"{path}?{urlencode({'run': self.run, 'tag': self.tag, **query})}")


def right(got: InProcessResponse) -> InProcessResponse:
    assert got.status == 200, got.text
    return got


def names(series: dict[str, Any]) -> list[dict[str, Any]]:
    """Of every value, all that names it."""
    columns = zip(series["row"], series["step"], series["wall_time"], strict=True)
    return [{"row": row, "step": step, "wall_time": wall_time} for row, step, wall_time in columns]


def image_facts(ask: Asker, values: list[dict[str, Any]], truth: dict[str, Any]) -> Facts:
    hashes, listed = [], []
    for value in values:
        samples = right(ask.get("/api/images/list", **value)).json["samples"]
        listed.append(samples)
        blobs = [right(ask.get("/api/images/blob", **value, sample=number)) for number in range(len(samples))]
        assert all(SANDBOX[1] in blob.headers[SANDBOX[0]] for blob in blobs)
        assert [blob.headers["content-type"] for blob in blobs] == [each["media_type"] for each in samples]
        assert [len(blob.body) for blob in blobs] == [each["size_bytes"] for each in samples]
        hashes.append([hashlib.sha256(blob.body).hexdigest() for blob in blobs])
    facts: Facts = {}
    if "payload_sha256" in truth:
        facts["every file"] = (hashes, truth["payload_sha256"])
    for index, which in ((0, "first"), (-1, "last")):
        expected = truth[which]["images"]
        facts[f"{which} files"] = (hashes[index], [each["sha256"] for each in expected])
        facts[f"{which} sizes"] = (
            [[each["width"], each["height"]] for each in listed[index]],
            [each["size"] for each in expected],
        )
        facts[f"{which} formats"] = (
            [each["format"] for each in listed[index]],
            [each["format"].lower() for each in expected],
        )
        facts[f"{which} problems"] = ([each["problem"] for each in listed[index]], [None] * len(expected))
    return facts


def audio_facts(ask: Asker, values: list[dict[str, Any]], truth: dict[str, Any]) -> Facts:
    hashes, listed = [], []
    for value in values:
        clips = right(ask.get("/api/audio/list", **value)).json["clips"]
        listed.append(clips)
        blobs = [right(ask.get("/api/audio/blob", **value, sample=number)) for number in range(len(clips))]
        assert [blob.headers["content-type"] for blob in blobs] == [each["media_type"] for each in clips]
        hashes.append([hashlib.sha256(blob.body).hexdigest() for blob in blobs])
    facts: Facts = {}
    if "payload_sha256" in truth:
        facts["every clip"] = (hashes, truth["payload_sha256"])
    for index, which in ((0, "first"), (-1, "last")):
        expected = truth[which]["clips"]
        facts[f"{which} clips"] = (hashes[index], [each["sha256"] for each in expected])
        for ours, theirs in (("sample_rate", "rate"), ("channels", "channels"), ("frames", "nframes")):
            facts[f"{which} {ours}"] = (
                [each[ours] for each in listed[index]],
                [each[theirs] for each in expected],
            )
        facts[f"{which} problems"] = ([each["problem"] for each in listed[index]], [""] * len(expected))
    return facts


def text_facts(ask: Asker, values: list[dict[str, Any]], truth: dict[str, Any]) -> Facts:
    rows = [value["row"] for value in values]
    body = {"series": [{"run": ask.run, "tag": ask.tag, "rows": rows}], "limit": len(rows)}
    texts = right(ask.client.post("/api/text/values", body)).json["texts"]
    facts: Facts = {
        "rows": ([each["row"] for each in texts], rows),
        "problems": ([each["problem"] for each in texts], [None] * len(rows)),
    }
    for index, which in ((0, "first"), (-1, "last")):
        whole = right(ask.get("/api/text/value", **values[index])).json
        facts[f"{which} strings"] = (whole["values"], truth[which]["strings"])
        facts[f"{which} shape"] = (whole["shape"], truth[which]["shape"])
        if not texts[index]["is_cut"]:
            facts[f"{which} of many"] = (texts[index]["values"], whole["values"])
    return facts


def histogram_facts(ask: Asker, values: list[dict[str, Any]], truth: dict[str, Any]) -> Facts:
    stored = right(ask.get("/api/histograms/values")).json["values"]
    facts: Facts = {
        "steps as stored": ([each["step"] for each in stored], [value["step"] for value in values]),
        "problems": ([each["problem"] for each in stored], [None] * len(values)),
    }
    for index, which in ((0, "first"), (-1, "last")):
        expected = truth[which]
        # TensorBoard rounds old histograms to float32; here they stay float64.
        array = np.array(stored[index]["buckets"], np.float64).reshape(-1, 3).astype(expected["dtype"])
        facts[f"{which} buckets"] = (sha256(array), expected["sha256_le"])
    body = {"series": [{"run": ask.run, "tag": ask.tag}], "max_steps": 2000, "bins": 37}
    (binned,) = right(ask.client.post("/api/histograms/series", body)).json["series"]
    for index, each in enumerate(stored):
        total = sum(count for _, _, count in each["buckets"])
        kept = sum(binned["counts"][index]) + binned["below"][index] + binned["above"][index]
        assert kept == pytest.approx(total, rel=1e-9, abs=1e-9), f"step {each['step']}"
    return facts


def curve_facts(ask: Asker, values: list[dict[str, Any]], truth: dict[str, Any]) -> Facts:
    series = [{"run": ask.run, "tag": ask.tag, **value} for value in values]
    curves = right(ask.client.post("/api/pr_curves/curves", {"series": series})).json["curves"]
    facts: Facts = {"rows": ([each["row"] for each in curves], [value["row"] for value in values])}
    for index, which in ((0, "first"), (-1, "last")):
        expected = truth[which]
        logged = [curves[index][name] for name in ("tp", "fp", "tn", "fn", "precision", "recall")]
        array = np.array(logged, np.float64).astype(expected["dtype"])
        facts[f"{which} shape"] = (list(array.shape), expected["shape"])
        facts[f"{which} numbers"] = (sha256(array), expected["sha256_le"])
        thresholds = curves[index]["threshold"]
        facts[f"{which} thresholds"] = ([thresholds[0], thresholds[-1]], [0.0, 1.0])
    return facts


# By how the tag of a part ends; tensorboardX numbers them.
MESH_PARTS = {
    "_VERTEX": "vertices",
    "_1": "vertices",
    "_FACE": "faces",
    "_2": "faces",
    "_COLOR": "colors",
    "_3": "colors",
}


def mesh_facts(ask: Asker, values: list[dict[str, Any]], truth: dict[str, Any]) -> Facts:
    """A part of a mesh at a time: the manifest has the three parts as series of their own."""
    facts: Facts = {}
    (part,) = [name for end, name in MESH_PARTS.items() if ask.tag.endswith(end)]
    for index, which in ((0, "first"), (-1, "last")):
        expected = truth[which]
        meshes, *shape = expected["shape"]
        got = [
            right(ask.get("/api/mesh/geometry", step=values[index]["step"], batch=number)).json
            for number in range(meshes)
        ]
        array = np.array([each[part] for each in got]).astype(expected["dtype"]).reshape(meshes, *shape)
        facts[f"{which} numbers"] = (sha256(array), expected["sha256_le"])
        facts[f"{which} batches"] = ({each["batches"] for each in got}, {meshes})
        facts[f"{which} problems"] = ([each["problems"] for each in got], [[]] * meshes)
    return facts


CHECKS = {
    Kind.IMAGE: image_facts,
    Kind.AUDIO: audio_facts,
    Kind.TEXT: text_facts,
    Kind.HISTOGRAM: histogram_facts,
    Kind.PR_CURVE: curve_facts,
    Kind.MESH: mesh_facts,
}


def series_facts(client: InProcess, case: str, run: str, tag: str, truth: dict[str, Any]) -> Facts:
    kind = KIND_BY_PLUGIN.get(truth["plugin"], Kind.TENSOR)
    if kind not in CHECKS:
        return {}
    ask = Asker(client, run, tag, "latest" if (case, run) in PURGED else "all")
    series = ask.steps(kind)
    facts: Facts = {
        "number of values": (len(series["row"]), truth["n"]),
        "steps": (sha256(np.array(series["step"], "<i8")), truth["steps_sha256"]),
        "first wall time": (same_float(series["wall_time"][0]), truth["first_wall_time"]),
        "last wall time": (same_float(series["wall_time"][-1]), truth["last_wall_time"]),
    }
    return {**facts, **CHECKS[kind](ask, names(series), truth)}


@pytest.mark.parametrize("case_logdir", CASES, indirect=True, ids=CASES)
def test_every_value_over_http(case_logdir: Path, request: pytest.FixtureRequest) -> None:
    case = request.node.callspec.id
    manifest = json.loads((LOGS / case / "manifest.json").read_text(encoding="utf-8"))
    client = InProcess(App(runglass.open(case_logdir).source))
    wrong = [
        f"{run}: {tag}: {name}: found {str(found)[:300]}, expected {str(wanted)[:300]}"
        for run, expected in manifest["runs"].items()
        for tag, truth in expected["tensors"].items()
        for name, (found, wanted) in series_facts(client, case, run, tag, truth).items()
        if found != wanted
    ]
    assert not wrong, "\n".join(wrong)


# TensorBoard loses what the third of three layouts adds to a category that the first does not have.
LOST_CHARTS = {
    "torch_custom_scalars": {
        "default": {"title": "untitled", "multiline": {"tag": ["twse/.*", "regex/(a|b)"]}},
    }
}


@pytest.mark.parametrize("case", sorted(path.parent.name for path in LOGS.glob("*/tensorboard_layout.json")))
def test_layouts_are_tensorboards(case: str) -> None:
    """The layouts of several runs merged, as TensorBoard answered for the same logs."""
    theirs = json.loads((LOGS / case / "tensorboard_layout.json").read_text())
    for category in theirs["category"]:
        category["chart"] += [
            chart for title, chart in LOST_CHARTS.get(case, {}).items() if title == category["title"]
        ]
    client = InProcess(App(runglass.open(LOGS / case / "logdir").source))
    ours = right(client.get("/api/custom_scalars/layout")).json

    def plain(chart: dict[str, Any]) -> dict[str, Any]:
        if chart["kind"] == "margin":
            return {"title": chart["title"], "margin": {"series": chart["series"]}}
        return {"title": chart["title"], "multiline": {"tag": chart["tags"]}}

    assert ours["problems"] == []
    assert [
        {
            "title": category["title"],
            "chart": [plain(each["chart"]) for each in category["charts"]],
            "closed": category["is_closed"],
        }
        for category in ours["categories"]
    ] == theirs["category"]


def test_a_tag_that_changes_its_kind_has_both() -> None:
    client = InProcess(App(runglass.open(LOGS / "two_kinds_under_one_tag" / "logdir").source))

    def tags(kind: str) -> list[str]:
        listed = right(client.get(f"/api/tags?kind={kind}")).json
        return [tag for number in listed["runs"].values() for tag in listed["tag_sets"][number]]

    assert (tags("scalar"), tags("image"), tags("text")) == (["mixed", "other"], ["mixed"], ["other"])
    mixed = Asker(client, "run", "mixed", "latest")
    assert mixed.steps(Kind.SCALAR)["step"] == [0, 1, 3]
    (value,) = names(mixed.steps(Kind.IMAGE))
    (sample,) = right(mixed.get("/api/images/list", **value)).json["samples"]
    assert (sample["format"], sample["width"], sample["height"]) == ("png", 3, 2)


PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55")
ODD_VALUES: dict[str, Any] = {
    "a number": 1.5,
    "text": "words",
    "bytes": b"\xff\xfe",
    "a dict": {"experiment": {}},
    "a vector": np.arange(4.0),
    "a table of the wrong width": np.zeros((2, 2)),
    "an empty table": np.zeros((0, 3)),
    "complex numbers": np.ones((6, 4), np.complex64),
    "strings": np.array([b"1", b"2"], dtype=object),
    "a picture": [parse_image(PNG)],
    "a clip": [parse_audio(b"RIFF")],
    "no file at all": [],
}
QUESTIONS: dict[Kind, list[tuple[str, dict[str, Any] | None]]] = {
    Kind.IMAGE: [("/api/images/list", None), ("/api/images/blob", None)],
    Kind.AUDIO: [("/api/audio/list", None), ("/api/audio/blob", None)],
    Kind.TEXT: [
        ("/api/text/value", None),
        ("/api/text/series", None),
        ("/api/text/values", {"series": [{"run": "run", "tag": "tag"}]}),
        ("/api/text/search", {"query": "w"}),
    ],
    Kind.HISTOGRAM: [
        ("/api/histograms/values", None),
        ("/api/histograms/values?format=csv", None),
        ("/api/histograms/series", {"series": [{"run": "run", "tag": "tag"}], "bins": 5}),
        ("/api/histograms/series", {"series": [{"run": "run", "tag": "tag"}]}),
        ("/api/histograms/ranking", {}),
        ("/api/distributions/bands", {"series": [{"run": "run", "tag": "tag"}]}),
    ],
    Kind.PR_CURVE: [("/api/pr_curves/curves", {"series": [{"run": "run", "tag": "tag"}]})],
    Kind.MESH: [("/api/mesh/geometry", None)],
    Kind.CUSTOM_SCALARS: [("/api/custom_scalars/layout", None)],
}


@pytest.mark.parametrize("odd", ODD_VALUES)
@pytest.mark.parametrize("kind", QUESTIONS, ids=lambda kind: kind.value)
def test_a_value_of_another_shape_or_kind_is_said_and_no_fault(kind: Kind, odd: str) -> None:
    """A tag may change what it holds. The answer says so, or has nothing to show; it is never a fault of the server."""
    source = MemorySource().add_values("run", "tag", kind, step=[0], values=[ODD_VALUES[odd]])
    client = InProcess(App(source))
    for path, body in QUESTIONS[kind]:
        if body is not None:
            got = client.post(path, body)
        elif kind is Kind.CUSTOM_SCALARS:
            got = client.get(path)
        else:
            got = client.get(f"{path}{'&' if '?' in path else '?'}run=run&tag=tag")
        assert got.status in (200, 404, 422), f"{path}: {got.status} {got.text[:300]}"
        if got.status != 200:
            assert got.json["error"]["message"], path
