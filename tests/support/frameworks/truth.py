"""What the framework scripts beside this file claim to have logged, kept as JSON for the test to hold Runglass against."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Truth:
    def __init__(self) -> None:
        self.scalars: dict[str, dict[str, list[list[float]]]] = {}
        self.others: list[dict[str, Any]] = []
        self.embeddings: list[dict[str, Any]] = []

    def scalar(self, run: str, tag: str, step: int, value: float) -> None:
        self.scalars.setdefault(run, {}).setdefault(tag, []).append([step, value])

    def text(self, run: str, tag: str, text: str) -> None:
        self.others.append({"run": run, "tag": tag, "kind": "text", "text": text})

    def images(self, run: str, tag: str, **facts: int) -> None:
        self.others.append({"run": run, "tag": tag, "kind": "image", **facts})

    def audio(self, run: str, tag: str, **facts: int) -> None:
        self.others.append({"run": run, "tag": tag, "kind": "audio", **facts})

    def total(self, run: str, tag: str, kind: str, **facts: int) -> None:
        self.others.append({"run": run, "tag": tag, "kind": kind, **facts})

    def embedding(self, run: str, name: str, vectors: Any, **facts: Any) -> None:
        """`facts`: step, metadata (column to labels), tile (width and height of a picture)."""
        rows = [list(map(float, row)) for row in vectors]
        self.embeddings.append({"run": run, "name": name, "vectors": rows, **facts})

    def save(self, out: Path) -> None:
        (out / "truth.json").write_text(json.dumps(self.__dict__))
