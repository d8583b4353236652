"""A body for each route that takes one: what to send to the demo. Bodies with the id of a job, and files, are left out."""

from __future__ import annotations

from typing import Any

WEIGHTS = [{"run": "lr=0.05/train", "tag": "weights/layer0"}]
GRAPH = {"run": "translate/baseline"}
SESSION = {"run": "translate/baseline", "session": "training"}
EMBEDDING = {"run": "drawings/wide", "name": "last hidden layer"}
PRODUCT = "encoder/layers.0-2/self_attn/q_proj"
MILLISECOND: dict[str, Any] = {"session": SESSION, "from_ps": 0, "to_ps": 1_000_000_000}

BODIES: dict[str, dict[str, Any]] = {
    "/api/distributions/bands": {"series": WEIGHTS, "percentiles": [5, 50, 95]},
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
    "/api/overview/same_texts": {"runs": ["lr=0.05", "lr=0.2"]},
    "/api/overview/summary": {"runs": ["lr=0.05/train", "lr=0.05/validation"]},
    "/api/pr_curves/curves": {"series": [{"run": "lr=0.05/validation", "tag": "is it this digit?/3"}]},
    "/api/profile/advice": {"session": SESSION},
    "/api/profile/at": {"session": SESSION, "track": 0, "depth": 0, "time_ps": 1_000_000_000},
    "/api/profile/compare": {"before": SESSION, "after": {**SESSION, "run": "translate/qk-norm"}},
    "/api/profile/counters": {**MILLISECOND, "width": 400, "counters": []},
    "/api/profile/event": {"session": SESSION, "event": 0},
    "/api/profile/flows": {**MILLISECOND, "width": 400, "tracks": [0]},
    "/api/profile/gaps": MILLISECOND,
    "/api/profile/input": {"session": SESSION},
    "/api/profile/kernels": {"session": SESSION},
    "/api/profile/match": {"session": SESSION, "q": "MatMul"},
    "/api/profile/memory": {"session": SESSION},
    "/api/profile/memory/blocks": {"session": SESSION},
    "/api/profile/memory/buffers": {"session": SESSION},
    "/api/profile/ops": {"session": SESSION, "by": "type"},
    "/api/profile/overview": {"session": SESSION},
    "/api/profile/path": MILLISECOND,
    "/api/profile/search": {"session": SESSION, "q": "MatMul"},
    "/api/profile/slices": {**MILLISECOND, "width": 400, "tracks": [0]},
    "/api/profile/step_event": {"session": SESSION, "event": 0, "direction": "next"},
    "/api/profile/steps": {"session": SESSION},
    "/api/profile/strip": {"session": SESSION, "width": 400},
    "/api/profile/sums": {**MILLISECOND, "by": "name"},
    "/api/profile/tree": {"session": SESSION},
    "/api/profile/workers": {"session": SESSION},
    "/api/projector/about": {"embedding": EMBEDDING},
    "/api/projector/column": {"embedding": EMBEDDING, "column": "label"},
    "/api/projector/distances": {"embedding": EMBEDDING, "a": 0, "b": 1},
    "/api/projector/kept": {"embedding": EMBEDDING, "row": 0},
    "/api/projector/neighbors": {"embedding": EMBEDDING, "row": 0, "count": 10},
    "/api/projector/row": {"embedding": EMBEDDING, "row": 0},
    "/api/projector/search": {"embedding": EMBEDDING, "q": "3"},
    "/api/projector/texts": {"embedding": EMBEDDING, "column": "label", "rows": [0, 1, 2]},
    "/api/projector/thumbnails": {"embedding": EMBEDDING, "rows": [0, 1, 2]},
    "/api/runs/values": {"columns": [{"tag": "loss", "stat": "min"}]},
    "/api/scalars/bands": {
        "tags": ["loss"],
        "spread": "std",
        "groups": [{"name": "seeds", "runs": ["spirals/seed=1", "spirals/seed=2", "spirals/seed=3"]}],
        "format": "json",
    },
    "/api/scalars/export": {"tags": ["loss"], "format": "csv"},
    "/api/scalars/lines": {
        "tags": ["loss"],
        "width": 400,
        "smoothing": {"kind": "ema", "amount": 0.6},
        "format": "json",
    },
    "/api/scalars/summary": {"tags": ["loss"], "runs": ["lr=0.05/train"]},
    "/api/scalars/table": {"tags": ["loss"], "range": [100, 500]},
    "/api/steps": {"kind": "histogram", "series": WEIGHTS},
    "/api/stops": {"axis": "step", "runs": ["lr=0.05/train"]},
    "/api/text/search": {"query": "learning rate", "limit": 20},
    "/api/text/values": {"series": [{"run": "spelling/context=5", "tag": "sample"}], "limit": 10},
}
