"""`python reducing.py WHO WHAT VECTORS RESULT`: one reduction in a process of its own, by Runglass or by a peer, with what it took as JSON.

Runs in the peers' environment too, so it imports nothing of the benchmarks. Where a peer compiles itself on its first call, a small one
comes first and does not count.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

NEIGHBORS = 15
PERPLEXITY = 30
COMPONENTS = 10
WARM_ROWS = 600


class Times:
    """Wall and CPU seconds since the vectors were in memory, and when there was something to draw."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        self.first_s: float | None = None

    def report(self, phase: str, done: int, total: int | None, positions: Any) -> None:
        if positions is not None and self.first_s is None:
            self.first_s = time.perf_counter() - self.wall

    def taken(self) -> dict[str, float | None]:
        return {
            "wall_s": time.perf_counter() - self.wall,
            "cpu_s": time.process_time() - self.cpu,
            "first_s": self.first_s,
        }


def own(what: str, vectors: Any) -> tuple[Any, dict[str, Any]]:
    from runglass.reductions.model import Reduction
    from runglass.reductions.neighbors import nearest, neighbors_of_all
    from runglass.reductions.reduce import reduce

    if what == "nearest":
        nearest(vectors, 1, NEIGHBORS, "cosine")
        taken = []
        for row in range(20):
            times = Times()
            rows, _ = nearest(vectors, row * 37, NEIGHBORS, "cosine")
            taken.append(times.taken())
        return rows, sorted(taken, key=lambda each: each["wall_s"] or 0)[len(taken) // 2]
    times = Times()
    if what == "neighbors":
        made = neighbors_of_all(vectors, NEIGHBORS, "euclidean")[0]
    else:
        asked = Reduction(method=what, metric="euclidean", perplexity=PERPLEXITY)  # type: ignore[arg-type]
        made = reduce(vectors, *vectors.shape, asked, report=times.report).positions
    return made, times.taken()


def peer(what: str, vectors: Any) -> tuple[Any, dict[str, Any]]:
    run, is_compiled = PEERS[what]
    if is_compiled:
        run(vectors[:WARM_ROWS])
    times = Times()
    made = run(vectors)
    return made, times.taken()


def peer_pca(vectors: Any) -> Any:
    from sklearn.decomposition import PCA  # type: ignore[import-not-found]

    return PCA(COMPONENTS).fit_transform(vectors)


def peer_neighbors(vectors: Any) -> Any:
    from pynndescent import NNDescent  # type: ignore[import-not-found]

    # It counts a row as its own neighbour.
    return NNDescent(vectors, n_neighbors=NEIGHBORS + 1, random_state=0).neighbor_graph[0][:, 1:]


def peer_tsne(vectors: Any) -> Any:
    from openTSNE import TSNE  # type: ignore[import-not-found]

    return np.asarray(TSNE(perplexity=PERPLEXITY, n_jobs=-1, random_state=0).fit(vectors))


def peer_umap(vectors: Any) -> Any:
    from umap import UMAP  # type: ignore[import-not-found]

    return UMAP(n_neighbors=NEIGHBORS).fit_transform(vectors)


def peer_digits(path: Any) -> Any:
    from sklearn.datasets import load_digits

    return load_digits().data.astype(np.float32)


PEERS: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "pca": (peer_pca, False),
    "neighbors": (peer_neighbors, True),
    "tsne": (peer_tsne, False),
    "umap": (peer_umap, True),
}


def main(who: str, what: str, source: str, result: str) -> None:
    warnings.simplefilter("ignore")
    if what == "digits":
        np.save(result, peer_digits(None))
        print("{}")
        return
    made, taken = (own if who == "own" else peer)(what, np.load(source))
    np.save(result, made)
    print(json.dumps(taken))


if __name__ == "__main__":
    main(*sys.argv[1:])
