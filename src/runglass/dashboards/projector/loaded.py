"""Embeddings that were read, with what was computed of them, kept as long as they are the newest and somebody asks."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cached_property
from hashlib import blake2b
from secrets import token_urlsafe
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.api.kept import PerSource, Versioned
from runglass.dashboards.projector.shape import EmbeddingRef
from runglass.errors import BadRequest
from runglass.lru import LruCache
from runglass.query.embeddings.listing import list_embeddings
from runglass.query.embeddings.logged_values import read_logged_columns
from runglass.query.embeddings.model import Column, Embedding, EmbeddingInfo, EmbeddingUnknown
from runglass.query.embeddings.read import read_embedding, read_file
from runglass.query.source import DataSource

# Of embeddings that are kept, as if all of them were in memory; many are only mapped.
KEPT_BYTES = 512 << 20
MAX_FILES = 4
# Embeddings whose logged columns are kept.
MAX_LOGGED = 4
BLOCK_ROWS = 1 << 14
# Of vectors that are held in memory for whoever asks for neighbours again and again. Larger ones are read each time.
RESIDENT_BYTES = 256 << 20
# Larger ones are not read through before somebody wants them reduced.
MAX_COUNTED_BYTES = 2 << 30
# Larger ones are not read before somebody asks.
MAX_AHEAD_BYTES = 32 << 20


class Loaded:
    """One step of an embedding, or a file."""

    def __init__(
        self,
        embedding: Embedding,
        info: EmbeddingInfo | None,
        step: int | None,
        residents: LruCache[Loaded, NDArray[np.float32]],
    ) -> None:
        self.embedding = embedding
        self._residents = residents
        self.info = info
        self.step = step
        self._lock = threading.Lock()
        self._lowered: dict[str, list[str]] = {}

    @property
    def rows(self) -> int:
        return self.embedding.rows

    @property
    def size_bytes(self) -> int:
        return 4 * self.rows * self.embedding.dimensions

    def resident(self) -> NDArray[np.float32] | None:
        """All vectors, held in memory; None if they are too large for that."""
        if self.size_bytes > RESIDENT_BYTES:
            return None
        vectors = self._residents.get(self)
        if vectors is None:
            vectors = self.embedding.vectors()
            self._residents.put(self, vectors)
        return vectors

    def column(self, name: str, logged: Mapping[str, Column] | None = None) -> Column:
        """Of its metadata, or one of those that the run logs for each row."""
        columns = {**self.embedding.metadata.columns, **(logged or {})}
        if name not in columns:
            known = ", ".join(columns) or "none"
            raise EmbeddingUnknown(f"There is no column {name!r}. Columns: {known}.", where="column")
        return columns[name]

    def check_row(self, row: int, *, where: str = "row") -> None:
        if row >= self.rows:
            raise EmbeddingUnknown(
                f"There is no row {row:,}; the embedding has {self.rows:,} rows, from 0.", where=where
            )

    def check_rows(self, rows: NDArray[np.int32], *, where: str = "rows") -> None:
        if len(rows) and (int(rows.min()) < 0 or int(rows.max()) >= self.rows):
            raise EmbeddingUnknown(
                f"Rows {int(rows.min()):,} to {int(rows.max()):,} are asked for; the embedding has {self.rows:,}, from 0.",
                where=where,
            )

    def lowered(self, column: Column) -> list[str]:
        """The different texts of a column as text is searched: in lower case."""
        with self._lock:
            found = self._lowered.get(column.name)
            if found is None:
                found = self._lowered[column.name] = [level.casefold() for level in column.levels]
            return found

    @cached_property
    def not_finite(self) -> int | None:
        """How many rows have a number that is not finite; None: too large to look."""
        embedding = self.embedding
        if self.size_bytes > MAX_COUNTED_BYTES:
            return None
        return sum(
            int(np.count_nonzero(~np.isfinite(embedding.vectors(start, start + BLOCK_ROWS)).all(axis=1)))
            for start in range(0, embedding.rows, BLOCK_ROWS)
        )


class _File:
    def __init__(self, name: str, data: bytes, loaded: Loaded) -> None:
        self.name = name
        self.data = data
        self.loaded = loaded


class EmbeddingReader:
    """The embeddings of one source, and the files that pages sent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listed: Versioned[str, list[EmbeddingInfo]] = Versioned()
        self._logged: LruCache[tuple[str, str, int | None], tuple[int, dict[str, Column]]] = LruCache(
            MAX_LOGGED
        )
        self._embeddings: LruCache[tuple[str, str, int | None], tuple[object, Loaded]] = LruCache(
            KEPT_BYTES, size_of=lambda kept: kept[1].size_bytes
        )
        self._files: LruCache[str, _File] = LruCache(MAX_FILES)
        self._residents: LruCache[Loaded, NDArray[np.float32]] = LruCache(
            RESIDENT_BYTES, size_of=lambda vectors: vectors.nbytes
        )

    def list_all(self, source: DataSource) -> list[EmbeddingInfo]:
        return self._listed.read("", source.generation, lambda: list_embeddings(source))

    def find(self, source: DataSource, run: str, name: str) -> EmbeddingInfo:
        # Of this run alone: while something is logged, the whole list changes with every value. An unknown run raises RunUnknown.
        of_run = self._listed.read(f"/{run}", source.generation, lambda: list_embeddings(source, run))
        for info in of_run:
            if info.name == name:
                return info
        known = ", ".join(info.name for info in of_run) or "none"
        raise EmbeddingUnknown(f"Run {run!r} has no embedding {name!r}. Embeddings: {known}.", where="name")

    def load(self, source: DataSource, ref: EmbeddingRef) -> Loaded:
        """Raises RunUnknown, EmbeddingUnknown, EmbeddingDamaged."""
        if ref.file is not None:
            return self._file(ref.file).loaded
        if ref.run is None or ref.name is None:
            raise BadRequest("An embedding needs `run` and `name`, or a `file`.", where="embedding")
        info = self.find(source, ref.run, ref.name)
        step = ref.step if ref.step is not None or not info.steps else info.steps[-1]
        key = info.run, info.name, step
        # One request parses; the others wait for it.
        with self._lock:
            kept = self._embeddings.get(key)
            if kept is None or kept[0] != info.generation:
                embedding = read_embedding(source, info.run, info.name, step)
                kept = info.generation, Loaded(embedding, info, step, self._residents)
                self._embeddings.put(key, kept)
            return kept[1]

    def logged(self, source: DataSource, loaded: Loaded) -> Mapping[str, Column]:
        """What the run logs for each row, as columns. No result of a job depends on them: they change while the run goes on."""
        info = loaded.info
        if info is None:
            return {}
        key = info.run, info.name, loaded.step
        kept = self._logged.get(key)
        if kept is None or kept[0] != source.generation:
            generation = source.generation
            columns = loaded.embedding.metadata.columns
            found = read_logged_columns(source, info.run, loaded.rows, step=loaded.step, columns=columns)
            kept = generation, found
            self._logged.put(key, kept)
        return kept[1]

    def identify(self, source: DataSource, ref: EmbeddingRef) -> Any:
        """What results on disk depend on."""
        return self.load(source, ref).embedding.identity

    def find_steps(self, source: DataSource, run: str, name: str) -> tuple[EmbeddingInfo, list[int]]:
        """The embedding and its steps, at least two."""
        info = self.find(source, run, name)
        if len(info.steps) < 2:
            count = "one step" if info.steps else "no steps"
            raise BadRequest(
                f"{name} of {run} has {count}; a movement needs two. Log it at several steps.", where="name"
            )
        return info, list(info.steps)

    def add_file(self, name: str, data: bytes) -> tuple[str, Loaded]:
        return self._keep(token_urlsafe(12), name, data, None)

    def add_labels(self, token: str, name: str, data: bytes) -> tuple[str, Loaded]:
        file = self._file(token)
        return self._keep(token, file.name, file.data, (name, data))

    def _file(self, token: str) -> _File:
        file = self._files.get(token)
        if file is None:
            raise EmbeddingUnknown("This file is no longer kept. Choose it again.", where="file")
        return file

    def _keep(
        self, token: str, name: str, data: bytes, labels: tuple[str, bytes] | None
    ) -> tuple[str, Loaded]:
        embedding = read_file(name, data) if labels is None else read_file(name, data, labels[1], labels[0])
        embedding.identity = [_digest(data), None if labels is None else _digest(labels[1])]
        loaded = Loaded(embedding, None, None, self._residents)
        self._files.put(token, _File(name, data, loaded))
        return token, loaded


known_embeddings: PerSource[EmbeddingReader] = PerSource(EmbeddingReader)


def read_ahead(source: DataSource) -> None:
    """The embedding that a page shows first, if it is small. Nothing is fetched over a network that nobody asked for."""
    if source.list_remote():
        return
    reader = known_embeddings.of(source)
    readable = [info for info in reader.list_all(source) if info.problem is None and info.rows is not None]
    # The page chooses in the same way, among the runs that it shows.
    first = min(
        readable,
        key=lambda info: (info.is_offered, not info.has_metadata, -(info.rows or 0)),
        default=None,
    )
    if first is None or 4 * (first.rows or 0) * (first.dimensions or 0) > MAX_AHEAD_BYTES:
        return
    loaded = reader.load(source, EmbeddingRef(first.run, first.name))
    reader.logged(source, loaded)
    _ = loaded.not_finite


def logged_columns(source: DataSource, loaded: Loaded) -> Mapping[str, Column]:
    return known_embeddings.of(source).logged(source, loaded)


def identify(source: DataSource, ref: EmbeddingRef) -> Any:
    return known_embeddings.of(source).identify(source, ref)


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
