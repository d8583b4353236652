"""`runglass.project`: the reductions of the Projector, on an array."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from runglass.errors import BadArgument
from runglass.reductions.model import METHODS, Floats, Method, Reduction, Report, ignore
from runglass.reductions.reduce import reduce

OPTIONS = frozenset(Reduction.__struct_fields__) - {"method"}


def project(
    vectors: ArrayLike,
    method: Method = "umap",
    *,
    labels: ArrayLike | None = None,
    start: ArrayLike | None = None,
    axes: ArrayLike | None = None,
    report: Report = ignore,
    **options: Any,
) -> Floats:
    """Reduce `vectors` (n × d) to positions (n × dimensions, float32).

        positions = runglass.project(vectors, method="umap", neighbors=30, metric="cosine")

    `method` is "umap", "tsne", "pca" or "custom" (along `axes`, one direction for each dimension). Options are the parameters of the
    Projector: dimensions (2), metric ("cosine"), prepare, seed, perplexity, learning_rate, iterations, neighbors, min_dist, epochs and
    the rest of `runglass.reductions.model.Reduction`. `labels` (any values, None for none) with supervise_weight draw rows of one label
    together. `start` are positions to go on from. PCA gives as many components as `dimensions` says, up to ten.

    Rows with NaN or infinite numbers have NaN for a position.
    """
    array = np.asarray(vectors)
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise BadArgument(
            f"vectors are n × d numbers, not {array.dtype} of shape {array.shape}.", where="vectors"
        )
    unknown = sorted(set(options) - OPTIONS)
    if unknown:
        raise BadArgument(
            f"{unknown[0]} is not an option. Options: {', '.join(sorted(OPTIONS))}.", where=unknown[0]
        )
    if method not in METHODS:
        raise BadArgument(f"method is {method!r}; it can be {', '.join(METHODS)}.", where="method")
    wanted = options.get("dimensions", 2)
    if method == "pca":
        # Those of the picture are a choice among the components.
        options = {**options, "dimensions": 2}
        if not isinstance(wanted, int) or not 1 <= wanted <= 10:
            raise BadArgument(f"dimensions is {wanted!r}; it can be 1 to 10.", where="dimensions")
    try:
        asked = msgspec.convert({"method": method, **options}, Reduction)
    except msgspec.ValidationError as error:
        raise BadArgument(f"An option is wrong: {error}.", where="options") from None
    n, d = array.shape
    got = reduce(
        array,
        n,
        d,
        asked,
        labels=None if labels is None else to_codes(labels, n),
        axes=None if axes is None else np.asarray(axes, np.float64),
        start=None if start is None else np.asarray(start, np.float32),
        report=report,
    )
    positions = got.positions[:, :wanted] if method == "pca" else got.positions
    if got.rows is None:
        return np.ascontiguousarray(positions)
    full = np.full((n, positions.shape[1]), np.nan, np.float32)
    full[got.rows] = positions
    return full


def to_codes(labels: ArrayLike, n: int) -> NDArray[np.int32]:
    """Equal labels have equal codes; None and NaN have -1."""
    values = list(np.asarray(labels, dtype=object).ravel())
    if len(values) != n:
        raise BadArgument(f"There are {len(values):,} labels for {n:,} rows.", where="labels")
    known: dict[Any, int] = {}
    return np.array(
        [-1 if value is None or value != value else known.setdefault(value, len(known)) for value in values],
        np.int32,
    )
