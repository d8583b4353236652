"""Vectors to reduce, made once under bench/out/vectors: clusters of any size, and words of the Python standard library by the words
that stand beside them."""

from __future__ import annotations

import re
import sysconfig
from collections import Counter
from pathlib import Path

import numpy as np

from bench.workloads import OUT

FOLDER = OUT / "vectors"
CLUSTERS = 10
WORDS = 3_000
WORD_DIMENSIONS = 100
WINDOW = 4


def clusters(n: int, d: int) -> Path:
    """Ten Gaussian clusters, each long in some thirty directions and narrow in the others."""
    path = FOLDER / f"clusters-{n}-{d}-30.npy"
    if not path.exists():
        rng = np.random.default_rng(n + d)
        centres = rng.standard_normal((CLUSTERS, d), np.float32) * 3
        widths = np.geomspace(2, 0.1, d).astype(np.float32)
        made = np.empty((n, d), np.float32)
        for start in range(0, n, 65_536):
            part = made[start : start + 65_536]
            part[:] = rng.standard_normal(part.shape, np.float32) * widths
            part += centres[rng.integers(0, CLUSTERS, len(part))]
        save(path, made)
    return path


def words() -> Path:
    """The most frequent words of the standard library's sources: singular vectors of how much more often than by chance two of them
    stand near each other."""
    path = FOLDER / "words.npy"
    if not path.exists():
        texts = []
        for source in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
            texts.append(re.findall(r"[a-z]{3,}", source.read_text("utf-8", "replace").lower()))
        counts = Counter(word for text in texts for word in text)
        number = {word: place for place, (word, _) in enumerate(counts.most_common(WORDS))}
        pairs = np.zeros((WORDS, WORDS))
        for text in texts:
            known = np.array([number.get(word, -1) for word in text])
            for apart in range(1, WINDOW + 1):
                first, second = known[:-apart], known[apart:]
                both = (first >= 0) & (second >= 0)
                np.add.at(pairs, (first[both], second[both]), 1)
        pairs += pairs.T
        chance = np.outer(pairs.sum(axis=1), pairs.sum(axis=0)) / max(pairs.sum(), 1)
        more = np.log(np.maximum(pairs / np.maximum(chance, 1e-9), 1))
        values, vectors = np.linalg.eigh(more @ more.T)
        found = vectors[:, ::-1][:, :WORD_DIMENSIONS] * np.maximum(values[::-1][:WORD_DIMENSIONS], 0) ** 0.25
        save(path, found.astype(np.float32))
    return path


def save(path: Path, made: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished.npy")
    np.save(unfinished, made)
    unfinished.replace(path)
