"""Clusters of the positions of a reduction, as a job, each named by the words that are most distinctive for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.api.blocks import decode_blocks, encode_blocks
from runglass.dashboards.projector.describing import choose_label
from runglass.dashboards.projector.loaded import identify, known_embeddings
from runglass.dashboards.projector.shape import Cluster, ClustersAnswer, ClustersBody
from runglass.errors import BadRequest
from runglass.jobs.context import Context, Encoded
from runglass.query.embeddings.model import Column
from runglass.query.source import DataSource
from runglass.reductions.clusters import find_clusters

# Texts that are looked at, for all clusters together: a name does not get better by more.
MAX_TEXTS = 40_000
MAX_WORDS = 4
WORD = re.compile(r"[^\W_][\w'-]*[^\W_]|[^\W_]")
# So frequent everywhere that they name nothing.
STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "his",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "she",
        "so",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "they",
        "this",
        "to",
        "was",
        "we",
        "were",
        "what",
        "when",
        "which",
        "who",
        "will",
        "with",
        "you",
        "your",
    ]
)

Int32 = NDArray[np.int32]


class Positions(Struct, frozen=True):
    positions: NDArray[np.float32]
    # Rows of the embedding; None: all.
    rows: Int32 | None
    column: Column | None


def identify_clusters(source: DataSource, body: ClustersBody) -> Any:
    return identify(source, body.embedding)


def load_clusters(
    context: Context, source: DataSource, body: ClustersBody, needed: Sequence[Encoded]
) -> Iterator[Positions]:
    context.progress("Reading", 0)
    loaded = known_embeddings.of(source).load(source, body.embedding)
    columns = loaded.embedding.metadata.columns
    name = body.column or choose_label(columns)
    try:
        head, blocks = decode_blocks(needed[0].data)
        positions = blocks["positions"].reshape(-1, head["dimensions"])
    except (ValueError, KeyError):
        raise BadRequest("This job is not a reduction.", where="job") from None
    axes = [axis for axis in body.axes if axis < positions.shape[1]]
    rows = blocks.get("rows")
    if len(positions) and int(len(positions) - 1 if rows is None else rows[-1]) >= loaded.rows:
        raise BadRequest("This job is a reduction of other rows.", where="job")
    yield Positions(
        np.ascontiguousarray(positions[:, axes]), rows, None if name is None else loaded.column(name)
    )


def compute_clusters(context: Context, inputs: Iterator[Positions]) -> bytes:
    given = next(inputs)
    context.progress("Finding clusters", 0)
    codes, _ = find_clusters(given.positions)
    count = int(codes.max(initial=-1)) + 1
    sizes = np.bincount(codes[codes >= 0], minlength=count)
    order = np.argsort(-sizes, kind="stable")
    place = np.empty(count + 1, np.int32)
    place[order] = np.arange(count, dtype=np.int32)
    place[count] = -1
    codes = place[codes]
    words = name_clusters(context, codes, count, given)
    clusters = []
    for code in range(count):
        members = given.positions[codes == code]
        clusters.append(
            Cluster(
                size=len(members),
                center=[float(each) for each in members.mean(axis=0)],
                name=words[code][0] if words[code] else "",
                words=words[code],
            )
        )
    return encode_blocks(ClustersAnswer(clusters), {"codes": codes})


def name_clusters(context: Context, codes: Int32, count: int, given: Positions) -> list[list[str]]:
    column = given.column
    if column is None or not count:
        return [[] for _ in range(count)]
    chosen = np.flatnonzero(codes >= 0)
    # Evenly over all rows, and the same ones every time.
    chosen = chosen[:: max(1, -(-len(chosen) // MAX_TEXTS))]
    rows = chosen if given.rows is None else given.rows[chosen]
    counts: list[Counter[str]] = [Counter() for _ in range(count)]
    words_of: dict[int, list[str]] = {}
    for number, (cluster, level) in enumerate(
        zip(codes[chosen].tolist(), column.codes[rows].tolist(), strict=True)
    ):
        if not number % 1_000:
            context.progress("Naming clusters", number, len(chosen))
        if level >= 0:
            if level not in words_of:
                words_of[level] = split_words(column.levels[level], is_text=column.type == "text")
            counts[cluster].update(words_of[level])
    return [choose_words(counts, cluster) for cluster in range(count)]


def split_words(text: str, *, is_text: bool) -> list[str]:
    """Each word of a text once; a category is a word as a whole."""
    if not is_text:
        return [text]
    words = [word for word in WORD.findall(text) if word.casefold() not in STOP_WORDS]
    return list(dict.fromkeys(words)) or [text[:40]]


def choose_words(counts: list[Counter[str]], cluster: int) -> list[str]:
    """Those that are frequent here and rare elsewhere. A word of one point names that point, not the cluster."""
    here = counts[cluster]
    total_here = sum(here.values())
    total = sum(sum(each.values()) for each in counts)

    def score(word: str) -> float:
        share = here[word] / total_here
        everywhere = sum(each[word] for each in counts) / total
        return share * float(np.log(share / everywhere))

    candidates = [word for word, count in here.most_common(200) if count > 1]
    return sorted(candidates, key=lambda word: (-score(word), word))[:MAX_WORDS]
