"""Groups for names that have none but are numbered: block_1_conv, block_1_bn, block_2_conv … become block_1/conv and so on.

Keras applications and many exporters name layers so. Knows only paths.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

# A word with a number, and what is left after it; that is a name, not another number.
NUMBERED = re.compile(r"([A-Za-z](?:[^/]*?[^/\d])??)(\d{1,6})[_-]([^/]*[A-Za-z][^/]*)")
# Blocks of one kind are known by the names that at least two of them share.
MIN_SHARED = 2
MIN_BLOCKS = 2
# A level inside of a level inside of a level.
MAX_DEPTH = 3
# Longer lists of names and longer names are left as they are: there is nothing to read in them.
MAX_SIBLINGS = 20_000
MAX_LABEL = 200


def group_flat_names(paths: list[str]) -> list[str]:
    """The same list if there is nothing to group."""
    grouped = paths
    for _ in range(MAX_DEPTH):
        found = _group_once(grouped)
        if found is None:
            break
        grouped = found
    return grouped


def _group_once(paths: list[str]) -> list[str] | None:
    siblings: dict[str, list[tuple[int, str, str, str]]] = defaultdict(list)
    for node, path in enumerate(paths):
        above, _, label = path.rpartition("/")
        if len(label) <= MAX_LABEL and (parts := NUMBERED.fullmatch(label)):
            siblings[above].append((node, parts[1], parts[2], parts[3]))
    changed: dict[int, str] = {}
    for above, members in siblings.items():
        if len(members) > MAX_SIBLINGS:
            continue
        by_stem: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for _, stem, number, rest in members:
            by_stem[stem][number].add(rest)
        blocks = {stem for stem, names in by_stem.items() if _are_blocks(names.values())}
        for node, stem, number, rest in members:
            if stem in blocks and len(by_stem[stem][number]) >= MIN_SHARED:
                group = f"{above}/{stem}{number}" if above else f"{stem}{number}"
                changed[node] = f"{group}/{rest}"
    if not changed:
        return None
    return [changed.get(node, path) for node, path in enumerate(paths)]


def _are_blocks(names: Iterable[set[str]]) -> bool:
    """Whether two of them share names."""
    counts: dict[str, int] = defaultdict(int)
    for each in names:
        for name in each:
            counts[name] += 1
    return sum(count >= MIN_BLOCKS for count in counts.values()) >= MIN_SHARED
