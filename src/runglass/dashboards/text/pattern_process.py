"""Searches texts for a regular expression in a process of its own: a pattern may run forever, and a process can be killed.

Reads JSON lines: first the pattern and its flags, then lists of texts. Prints one line per list: for each text the number of
matches and the spans of the first ones. Imports nothing of ours, so that it starts fast.
"""

from __future__ import annotations

import json
import re
import sys
from itertools import islice

MAX_COUNT = 1_000
MAX_PLACES = 20


def find_places(pattern: re.Pattern[str], text: str) -> tuple[int, list[tuple[int, int]]]:
    """The number of matches and the spans of the first ones. Empty matches do not count."""
    places: list[tuple[int, int]] = []
    count = 0
    for match in islice(pattern.finditer(text), MAX_COUNT):
        if match.start() < match.end():
            count += 1
            if len(places) < MAX_PLACES:
                places.append(match.span())
    return count, places


def main() -> None:
    source, flags = json.loads(sys.stdin.readline())
    pattern = re.compile(source, flags)
    for line in sys.stdin:
        print(json.dumps([find_places(pattern, text) for text in json.loads(line)]), flush=True)


if __name__ == "__main__":
    main()
