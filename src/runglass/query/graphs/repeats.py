"""Which groups have the same structure, and which of them stand next to each other as a numbered row: layers.0 … layers.5."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.query.graphs.hierarchy import Ints, Tree

Hashes = NDArray[np.uint64]

# Two of a large block are a repeat; small ones only when there are more.
MIN_REPEATS = 3
MIN_REPEATS_LARGE = 2
LARGE = 6
# Longer labels are not looked at for numbers.
MAX_LABEL = 200
NUMBERED = re.compile(r"^(.*?)(\d+)(\D*)$", re.DOTALL)


class Repeat(Struct, frozen=True):
    """Groups with equal structure in a row; the first one stands for all."""

    members: tuple[int, ...]
    # "layers.0-5"
    label: str


def mix(values: Hashes) -> Hashes:
    """Spreads numbers over 64 bits (splitmix64), so that sums of them do not meet by accident."""
    with np.errstate(over="ignore"):
        z = values + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def hash_text(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def hash_texts(texts: Sequence[str]) -> Hashes:
    return np.fromiter((hash_text(text) for text in texts), np.uint64, len(texts))


def hash_structure(tree: Tree, own: Hashes, edge_from: Ints, edge_to: Ints, edge_words: Hashes) -> Hashes:
    """A number per item, equal for items with equal structure: what is below them in order, and how it is wired inside.

    `own`: what an item is by itself (op, class). Edges are between positions; `edge_words` is what they are by themselves.
    """
    hashes = mix(own)
    leaves = np.flatnonzero((tree.size == 1) & (tree.first[1:] == tree.first[:-1]))
    item_at = np.zeros(int(tree.size[0]), np.int32)
    item_at[tree.lo[leaves]] = leaves
    with np.errstate(over="ignore"):
        if len(edge_from):
            common = tree.common_ancestors(item_at[edge_from], item_at[edge_to])
            lo = tree.lo[common].astype(np.uint64)
            word = mix((edge_from.astype(np.uint64) - lo) * np.uint64(0x100000001B3) + edge_words)
            np.add.at(hashes, common, mix(word + (edge_to.astype(np.uint64) - lo)))
        for items in reversed(tree.by_depth[1:]):
            shown = items[tree.size[items] > 0]
            place = tree.place[shown].astype(np.uint64)
            np.add.at(hashes, tree.parent[shown], mix(mix(hashes[shown]) + place))
    return hashes


def find_repeats(
    tree: Tree, hashes: Hashes, is_group: NDArray[np.bool_], labels: Sequence[str]
) -> list[Repeat]:
    """Everywhere, also inside of others; in the order of the tree's children."""
    order = tree.children_of_all
    if len(order) < MIN_REPEATS_LARGE:
        return []
    before, after = order[:-1], order[1:]
    alike = (
        (tree.parent[before] == tree.parent[after])
        & (hashes[before] == hashes[after])
        & is_group[before]
        & is_group[after]
    )
    found = []
    for start, end in _runs(alike):
        for members in _numbered_rows(order[start : end + 1].tolist(), labels):
            least = MIN_REPEATS_LARGE if tree.size[members[0]] >= LARGE else MIN_REPEATS
            if len(members) >= least:
                found.append(Repeat(tuple(members), row_label([labels[item] for item in members])))
    return found


def _runs(alike: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.diff(np.concatenate([[0], alike.astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _numbered_rows(items: list[int], labels: Sequence[str]) -> list[list[int]]:
    rows: list[list[int]] = []
    last: tuple[str, int, str] | None = None
    for item in items:
        now = split_number(labels[item])
        if last is not None and now is not None and follows(last, now):
            rows[-1].append(item)
        else:
            rows.append([item])
        last = now
    return rows


def split_number(label: str) -> tuple[str, int, str] | None:
    """What stands before and after the last number of a label; a label without one may be the first of a row: number 0."""
    if len(label) > MAX_LABEL:
        return None
    found = NUMBERED.match(label)
    if found is None:
        return (label, 0, "") if label else None
    digits = found[2]
    return (found[1], int(digits), found[3]) if len(digits) < 12 else None


def follows(last: tuple[str, int, str], now: tuple[str, int, str]) -> bool:
    if now[1] != last[1] + 1:
        return False
    # "block" is followed by "block_1".
    return (last[0], last[2]) == (now[0], now[2]) or (
        last[1] == 0 and now[2] == "" and now[0].rstrip("_.-") == last[0] and last[2] == ""
    )


def row_label(labels: Sequence[str]) -> str:
    """ "layers.0-5"; digits stay as they are written."""
    first, last = NUMBERED.match(labels[0]), NUMBERED.match(labels[-1])
    if last is None:
        return f"{labels[0]}-{labels[-1]}"
    return f"{last[1]}{first[2] if first is not None else 0}-{last[2]}{last[3]}"


def what_differs(values: Sequence[tuple[str, Sequence[Any]]], most: int = 4) -> list[str]:
    """Sentences about columns of values, one per member, that are not all equal: "dim 64, 128"."""
    found = []
    for name, column in values:
        distinct = list(dict.fromkeys(str(value) for value in column))
        if len(distinct) > 1:
            shown = ", ".join(distinct[:4]) + (", …" if len(distinct) > 4 else "")
            found.append(f"{name} {shown}".strip())
        if len(found) == most:
            break
    return found
