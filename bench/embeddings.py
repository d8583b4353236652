"""Log directories with an embedding of any size: made once under bench/out, for the page.

Points lie in ten clusters, with a metadata file of two columns: a name of its own, and the cluster. Small ones are TSV, which
TensorBoard reads too; large ones are a NumPy file. An event file makes the folder a run for TensorBoard.
"""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench import wire
from bench.workloads import BASE_TIME, OUT, write_once

# Raised when the bytes change.
LAYOUT = 1
CLUSTERS = 10
MOST_TSV = 20_000


@dataclass(frozen=True)
class EmbeddingLog:
    rows: int
    dimensions: int
    layout: int = LAYOUT

    @property
    def path(self) -> Path:
        return OUT / "logs" / f"embedding-{self.rows}-{self.dimensions}"


def embedding_log(rows: int, dimensions: int) -> EmbeddingLog:
    """Makes sure that it is on disk."""
    made = EmbeddingLog(rows, dimensions)
    write_once(made.path, lambda: asdict(made), lambda: write(made))
    return made


def write(made: EmbeddingLog) -> None:
    shutil.rmtree(made.path, ignore_errors=True)
    folder = made.path / "points"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(7)
    clusters = rng.integers(CLUSTERS, size=made.rows)
    centres = rng.normal(size=(CLUSTERS, made.dimensions)).astype(np.float32) * 2
    vectors = centres[clusters] + rng.standard_normal((made.rows, made.dimensions), dtype=np.float32)
    if made.rows <= MOST_TSV:
        name = "vectors.tsv"
        np.savetxt(folder / name, vectors, fmt="%.4f", delimiter="\t")
    else:
        name = "vectors.npy"
        np.save(folder / name, vectors)
    lines = ["name\tcluster", *(f"point {row}\tcluster {cluster}" for row, cluster in enumerate(clusters))]
    (folder / "metadata.tsv").write_text("\n".join(lines) + "\n")
    (folder / "projector_config.pbtxt").write_text(
        f'embeddings {{\n  tensor_name: "points"\n  tensor_path: "{name}"\n  metadata_path: "metadata.tsv"\n}}\n'
    )
    event = wire.event(BASE_TIME, 0, "loss", wire.scalar_payload("simple", 0.5))
    (folder / f"events.out.tfevents.{int(BASE_TIME)}.bench.1.0").write_bytes(
        wire.header_record(BASE_TIME) + wire.record(event)
    )
