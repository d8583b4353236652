"""Finds matches of a regular expression in texts, as a program of its own: a pattern may take for ever, and a process can be ended.

Reads JSON lines: first the pattern and its flags, then lists of texts. Answers each list by a line: per text the number of
matches and the place of the first ones. Imports nothing of ours, so that it starts at once.
"""

from __future__ import annotations

import json
import re
import sys
from itertools import islice

MAX_COUNT = 1_000
MAX_PLACES = 20


def find_places(pattern: re.Pattern[str], text: str) -> tuple[int, list[tuple[int, int]]]:
    """How often the pattern is found, and where at first. What matches nothing (an empty span) is not found."""
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
