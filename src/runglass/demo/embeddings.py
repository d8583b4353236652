"""Writes embeddings as files of a run: vectors of every step as raw numbers, with their metadata, and one sprite for all steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from runglass.demo.training import Floats
from runglass.schema.projector import PROJECTOR_CONFIG, PROJECTOR_FILE
from runglass.schema.text_proto import format_text
from runglass.writer.values.embedding_files import encode_metadata, encode_sprite

SPRITE = "sprite.png"


@dataclass(frozen=True)
class Table:
    header: list[str]
    rows: list[list[Any]]


@dataclass
class EmbeddingFiles:
    """One embedding of a run. A step is part of its name, as in the logs of torch."""

    folder: Path
    name: str
    # One picture for each point, from 0 to 1.
    tiles: Floats | None = None
    entries: list[dict[str, Any]] = field(default_factory=list)

    def add(self, step: int, vectors: Floats, table: Table) -> None:
        place = f"{step:05d}/{self.name.replace(' ', '_')}"
        target = self.folder / place
        target.mkdir(parents=True, exist_ok=True)
        (target / "tensors.bytes").write_bytes(np.ascontiguousarray(vectors, "<f4").tobytes())
        (target / "metadata.tsv").write_bytes(encode_metadata(table.rows, table.header, len(vectors)))
        entry: dict[str, Any] = {
            "tensor_name": f"{self.name}:{step:05d}",
            "tensor_path": f"{place}/tensors.bytes",
            "tensor_shape": list(vectors.shape),
            "metadata_path": f"{place}/metadata.tsv",
        }
        if self.tiles is not None:
            height, width = self.tiles.shape[1:3]
            entry["sprite"] = {"image_path": SPRITE, "single_image_dim": [width, height]}
        self.entries.append(entry)

    def close(self) -> None:
        if self.tiles is not None:
            pixels = np.rint(255 * self.tiles).astype(np.uint8)
            (self.folder / SPRITE).write_bytes(encode_sprite(pixels))
        text = format_text(PROJECTOR_CONFIG, {"embeddings": self.entries})
        (self.folder / PROJECTOR_FILE).write_text(text, encoding="utf-8")


def logged_steps(steps: int, times: int) -> set[int]:
    """The first and the last one, and others that lie closer together in the beginning."""
    return {int(each) - 1 for each in np.rint(np.geomspace(1, steps, times))}
