"""Finds texts that several runs logged alike, such as a description of the task, so that the page shows them once.

Compares short series only: what takes long to load is hardly the same.
"""

from __future__ import annotations

from functools import partial
from hashlib import blake2b

import numpy as np

from runglass.api.kept import PerSource, Versioned
from runglass.api.series import find_series
from runglass.dashboards.overview.shape import SameText, SameTexts, SameTextsBody
from runglass.errors import RunglassError
from runglass.query.source import DataSource
from runglass.store.model import Kind, SeriesInfo, SeriesKey

MAX_VALUES = 4
MAX_BYTES = 16_384
# Loading one takes a read from disk.
MAX_SERIES = 2_000

# The content of each series, None if it is not compared; by its generation.
_digests: PerSource[Versioned[SeriesKey, bytes | None]] = PerSource(Versioned)


def find_same_texts(source: DataSource, body: SameTextsBody) -> SameTexts:
    generation = source.generation
    wanted = None if body.runs is None else set(body.runs)
    by_tag: dict[str, list[SeriesInfo]] = {}
    for info in source.list_series(kind=Kind.TEXT):
        if info.count <= MAX_VALUES and (wanted is None or info.key.run in wanted):
            by_tag.setdefault(info.key.tag, []).append(info)
    several = {tag: infos for tag, infos in by_tag.items() if len(infos) > 1}
    if sum(len(infos) for infos in several.values()) > MAX_SERIES:
        return SameTexts(generation, [])
    kept = _digests.of(source)
    found: list[SameText] = []
    for tag, infos in several.items():
        by_content: dict[bytes, list[str]] = {}
        for info in infos:
            digest = kept.read(info.key, info.generation, partial(_load_digest, source, info.key))
            if digest is not None:
                by_content.setdefault(digest, []).append(info.key.run)
        found += [SameText(tag, runs) for runs in by_content.values() if len(runs) > 1]
    return SameTexts(generation, found)


def _load_digest(source: DataSource, key: SeriesKey) -> bytes | None:
    values = find_series(source, key, kind=Kind.TEXT)
    if values is None or len(values.step) > MAX_VALUES:
        return None
    if values.size_bytes is not None and int(values.size_bytes.sum()) > MAX_BYTES:
        return None
    digest = blake2b(values.step.tobytes(), digest_size=16)
    for value in source.load_values(values, range(len(values.step))):
        if isinstance(value, RunglassError):
            return None
        content = value.tolist() if isinstance(value, np.ndarray) else value
        digest.update(repr(content).encode("utf-8", "surrogatepass") + b"\0")
    return digest.digest()
