"""Parameters and a body for each route that takes them: what to ask the demo. `make gen` asks it, and keeps the answers."""

from __future__ import annotations

from typing import Any

WEIGHTS = [{"run": "lr=0.05/train", "tag": "weights/layer0"}]
GRAPH = {"run": "translate/baseline"}
BEFORE = {"run": "unet/before", "session": "1794939248970467335"}
AFTER = {"run": "unet/after", "session": "1794939268642673467"}
EMBEDDING = {"run": "drawings/wide", "name": "last hidden layer"}
PRODUCT = "encoder/layers.0-2/self_attn/q_proj"
MILLISECOND: dict[str, Any] = {"session": BEFORE, "from_ps": 0, "to_ps": 1_000_000_000}

# What POST /api/jobs and POST /api/projector/file answer: other ids on every machine.
JOB = {"id": "befca18405f83077c06fa0cd1f2ec70d"}
FILE = "42JYehdfWl254YNn"

# Routes without an example: the demo has nothing for them, or they are no use in this document, as the document itself.
UNANSWERED = ("/api/openapi.json",)

# What a route needs, beside what it has a default for.
QUERIES: dict[str, dict[str, Any]] = {
    "/api/assets": {"family": "vectors"},
    "/api/audio/blob": {"run": "denoise/plain", "tag": "tune/noisy"},
    "/api/audio/list": {"run": "denoise/plain", "tag": "tune/noisy"},
    "/api/graphs/file": {"name": "graph.pbtxt"},
    "/api/graphs/table": {"run": "translate/baseline"},
    "/api/health": {"run": "lr=0.05/train"},
    "/api/histograms/values": WEIGHTS[0],
    "/api/hparams/importance": {"metric": "validation|loss", "goal": "min"},
    "/api/hparams/table": {"metric": ["validation|loss"], "stat": "min"},
    "/api/images/blob": {"run": "lr=0.05/validation", "tag": "digits/confusion"},
    "/api/images/list": {"run": "lr=0.05/validation", "tag": "digits/confusion"},
    "/api/jobs/events": {"id": [JOB["id"]]},
    "/api/jobs/partials": JOB,
    "/api/jobs/result": JOB,
    "/api/lists": {"kind": ["text"]},
    "/api/mesh/geometry": {"run": "denoise/plain", "tag": "pictures/relief_VERTEX"},
    "/api/profile/file": {"name": "trace.json"},
    "/api/projector/export": {"job": JOB["id"]},
    "/api/projector/file": {"name": "points.tsv"},
    "/api/projector/labels": {"name": "labels.tsv", "file": FILE},
    "/api/projector/thumbnails": {**EMBEDDING, "rows": "0-2"},
    "/api/scalars/points": {"run": "lr=0.05/train", "tag": "loss"},
    "/api/series": {"run": "lr=0.05/train"},
    "/api/tags": {"kind": "text"},
    "/api/text/series": {"run": "spelling/context=5", "tag": "sample"},
    "/api/text/value": {"run": "spelling/context=5", "tag": "sample"},
}

BODIES: dict[str, dict[str, Any]] = {
    "/api/distributions/bands": {"series": WEIGHTS, "percentiles": [5, 50, 95], "format": "json"},
    "/api/graphs/attribute": {"graph": GRAPH, "id": PRODUCT, "name": "_output_shapes"},
    "/api/graphs/difference": {"a": GRAPH, "b": {"run": "translate/qk-norm"}},
    "/api/graphs/families": {"graph": GRAPH},
    "/api/graphs/levels": {"graph": GRAPH, "depth": 1},
    "/api/graphs/node": {"graph": GRAPH, "id": PRODUCT},
    "/api/graphs/paint": {"graph": GRAPH, "by": "parameters"},
    "/api/graphs/search": {"graph": GRAPH, "q": "op:MatMul"},
    "/api/graphs/table": {"graph": GRAPH},
    "/api/graphs/trace": {"graph": GRAPH, "id": PRODUCT, "direction": "inputs"},
    "/api/histograms/ranking": {"by": "previous"},
    "/api/histograms/series": {"series": WEIGHTS, "bins": 30, "max_steps": 10},
    "/api/hparams/table": {"metrics": [{"group": "validation", "tag": "loss", "stat": "min"}]},
    "/api/images/zip": {"samples": [{"run": "lr=0.05/validation", "tag": "digits/confusion"}]},
    "/api/jobs": {"work": "text.search", "question": {"query": "learning rate"}},
    "/api/jobs/cancel": JOB,
    "/api/jobs/pause": JOB,
    "/api/jobs/resume": JOB,
    "/api/overlay": {
        "changes": [{"of": "run", "name": "lr=0.05/train", "field": "note", "value": "a good rate"}]
    },
    "/api/overview/same_texts": {"runs": ["spelling/context=1", "spelling/context=5"]},
    "/api/overview/summary": {"runs": ["lr=0.05/train", "lr=0.05/validation"]},
    "/api/pr_curves/curves": {"series": [{"run": "lr=0.05/validation", "tag": "is it this digit?/3"}]},
    "/api/profile/advice": {"session": BEFORE},
    "/api/profile/at": {"session": BEFORE, "track": 0, "depth": 0, "time_ps": 1_000_000_000},
    "/api/profile/compare": {"before": BEFORE, "after": AFTER},
    "/api/profile/counters": {**MILLISECOND, "width": 400, "counters": []},
    "/api/profile/event": {"session": BEFORE, "event": 100},
    "/api/profile/flows": {**MILLISECOND, "width": 400, "tracks": [0]},
    "/api/profile/gaps": MILLISECOND,
    "/api/profile/input": {"session": BEFORE},
    "/api/profile/kernels": {"session": BEFORE},
    "/api/profile/match": {"session": BEFORE, "q": "conv"},
    "/api/profile/memory": {"session": BEFORE},
    "/api/profile/memory/blocks": {"session": BEFORE},
    "/api/profile/memory/buffers": {"session": BEFORE},
    "/api/profile/ops": {"session": BEFORE, "by": "type"},
    "/api/profile/overview": {"session": BEFORE},
    "/api/profile/path": MILLISECOND,
    "/api/profile/search": {"session": BEFORE, "q": "conv"},
    "/api/profile/slices": {**MILLISECOND, "width": 400, "tracks": [0]},
    "/api/profile/step_event": {"session": BEFORE, "event": 100, "direction": "next"},
    "/api/profile/steps": {"session": BEFORE},
    "/api/profile/strip": {"session": BEFORE, "width": 400},
    "/api/profile/sums": {**MILLISECOND, "by": "name"},
    "/api/profile/tree": {"session": BEFORE},
    "/api/profile/workers": {"session": BEFORE},
    "/api/projector/about": {"embedding": EMBEDDING},
    "/api/projector/column": {"embedding": EMBEDDING, "column": "label"},
    "/api/projector/distances": {"embedding": EMBEDDING, "a": 0, "b": 1},
    "/api/projector/kept": {"embedding": EMBEDDING, "row": 0},
    "/api/projector/neighbors": {"embedding": EMBEDDING, "row": 0, "count": 10},
    "/api/projector/row": {"embedding": EMBEDDING, "row": 0},
    "/api/projector/search": {"embedding": EMBEDDING, "q": "3"},
    "/api/projector/texts": {"embedding": EMBEDDING, "column": "label", "rows": [0, 1, 2]},
    "/api/projector/thumbnails": {"embedding": EMBEDDING, "rows": [0, 1, 2]},
    "/api/runs/values": {
        "runs": ["lr=0.05/train", "lr=0.2/train"],
        "columns": [{"tag": "loss", "stat": "min"}],
    },
    "/api/scalars/bands": {
        "tags": ["loss"],
        "spread": "std",
        "groups": [{"name": "seeds", "runs": ["spirals/seed=1", "spirals/seed=2", "spirals/seed=3"]}],
        "format": "json",
    },
    "/api/scalars/export": {"tags": ["loss"], "format": "json"},
    "/api/scalars/lines": {
        "tags": ["loss"],
        "width": 400,
        "smoothing": {"kind": "ema", "amount": 0.6},
        "format": "json",
    },
    "/api/scalars/summary": {"tags": ["loss"], "runs": ["lr=0.05/train"]},
    "/api/scalars/table": {"tags": ["loss"], "runs": ["lr=0.05/train"], "range": [5, 30]},
    "/api/steps": {"kind": "histogram", "series": WEIGHTS},
    "/api/stops": {"axis": "step", "runs": ["lr=0.05/train"]},
    "/api/text/search": {"query": "learning rate", "limit": 20},
    "/api/text/values": {"series": [{"run": "spelling/context=5", "tag": "sample"}], "limit": 10},
}
