"""Vectors as text: one per line, numbers between tabs, or between commas, semicolons or spaces where there is no tab.

Blank lines are skipped. The first cells of all lines may be labels, and the first line may be a header.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np

from runglass.native.tsv import count_rows, parse_rows
from runglass.query.embeddings.formats.content import Content
from runglass.query.embeddings.formats.memory import check_memory
from runglass.query.embeddings.formats.numbers import ArrayMatrix
from runglass.query.embeddings.model import NUMBER, EmbeddingDamaged, Float32

BOM = b"\xef\xbb\xbf"
HEAD_BYTES = 1 << 16
BLOCK_BYTES = 4 << 20
# A line may be as long; a vector of a million numbers has less.
MAX_LINE_BYTES = 64 << 20
SEPARATORS = "\t,; "
BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f]")
# Of what does not fit, the beginning is shown.
SHOWN_CHARACTERS = 40

Block = tuple[int, int]
"""Offset and size of whole lines."""
T = TypeVar("T")
R = TypeVar("R")


class Layout(NamedTuple):
    """What the first lines tell of the others."""

    separator: str
    # Where the vectors begin: after a byte order mark and a header.
    start: int
    # Cells of every line before its numbers.
    labels: int
    dimensions: int
    header: list[str] | None = None


class TextVectors(NamedTuple):
    matrix: ArrayMatrix
    problems: tuple[str, ...] = ()
    # The cells before the numbers, a list per column.
    labels: tuple[list[str], ...] = ()


def is_text(content: Content) -> bool:
    """Whether this is UTF-8 text, judged by its first bytes."""
    head = content.read(0, HEAD_BYTES)
    if BINARY.search(head):
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # Only the last character may be cut.
        return error.start >= len(head) - 3 and len(head) < content.size
    return True


def find_layout(content: Content) -> Layout:
    lines = _first_lines(content, 2)
    if not lines:
        raise EmbeddingDamaged(f"{content.name} is empty: no line has a vector.", where=content.name)
    start, text = lines[0]
    separator = next((mark for mark in SEPARATORS if mark in text.strip()), "\t")
    cells, header = _cells(text, separator), None
    labels = _count_words(cells)
    if len(lines) > 1:
        below = _cells(lines[1][1], separator)
        # Words where the next line has numbers; or what word2vec writes: how many vectors there are, and their size.
        is_header = labels > _count_words(below) or (
            separator == " " and len(cells) == 2 and not labels and cells[1] == str(len(below) - 1)
        )
        if is_header:
            header, cells, start = cells, below, lines[1][0]
            labels = _count_words(cells)
    if labels == len(cells):
        raise EmbeddingDamaged(
            f"{content.name} has no vectors: a line is {_shown(text)!r}. Expected numbers between tabs.",
            where=content.name,
        )
    return Layout(separator, start, labels, len(cells) - labels, header)


def count_vectors(content: Content, layout: Layout) -> int:
    return sum(_in_threads(lambda block: count_rows(content.read(*block)), _blocks(content, layout.start)))


def parse_vectors(content: Content) -> TextVectors:
    """All vectors of the file. Raises EmbeddingDamaged at a line that is not as the first."""
    layout = find_layout(content)
    blocks = _blocks(content, layout.start)
    counts = _in_threads(lambda block: count_rows(content.read(*block)), blocks)
    ends = np.cumsum(counts).tolist()
    check_memory(content.name, ends[-1], layout.dimensions)
    out = np.empty((ends[-1], layout.dimensions), np.float32)

    def parse(number: int) -> int:
        part: Float32 = out[ends[number] - counts[number] : ends[number]]
        return parse_rows(content.read(*blocks[number]), ord(layout.separator), layout.labels, part)

    for block, wrong in zip(blocks, _in_threads(parse, range(len(blocks))), strict=True):
        if wrong >= 0:
            raise _explain(content, layout, block, wrong)
    return TextVectors(ArrayMatrix(out), _problems(content, layout), _labels(content, layout, blocks))


def _first_lines(content: Content, count: int) -> list[tuple[int, str]]:
    """Lines that are not blank, with their offsets."""
    size = HEAD_BYTES
    while True:
        head = content.read(0, size)
        found: list[tuple[int, str]] = []
        at = len(BOM) if head.startswith(BOM) else 0
        while at < len(head) and len(found) < count:
            end = head.find(b"\n", at)
            if end < 0 and len(head) < content.size:
                break
            line = head[at : end if end >= 0 else len(head)]
            if line.strip():
                found.append((at, line.decode("utf-8", "replace").rstrip("\r")))
            at = end + 1 if end >= 0 else len(head)
        if len(found) == count or len(head) == content.size or size >= MAX_LINE_BYTES:
            return found
        size *= 16


def _cells(line: str, separator: str) -> list[str]:
    return line.strip(" \r").removesuffix(separator).split(separator)


def _count_words(cells: list[str]) -> int:
    """How many of the first cells are no numbers."""
    return next((number for number, cell in enumerate(cells) if NUMBER.fullmatch(cell)), len(cells))


def _blocks(content: Content, start: int) -> list[Block]:
    """The file from `start` in pieces of whole lines."""
    blocks = []
    while start < content.size:
        end = _line_end(content, start + BLOCK_BYTES)
        blocks.append((start, end - start))
        start = end
    return blocks


def _line_end(content: Content, at: int) -> int:
    """Where the line ends that goes on at `at`."""
    while at < content.size:
        data = content.read(at, HEAD_BYTES)
        end = data.find(b"\n")
        if end >= 0:
            return at + end + 1
        at += len(data)
    return content.size


def _in_threads(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    if len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(len(items), os.cpu_count() or 1)) as threads:
        return list(threads.map(work, items))


def _explain(content: Content, layout: Layout, block: Block, offset: int) -> EmbeddingDamaged:
    """What is wrong with the line at `offset` of a block."""
    before = sum(
        content.read(at, min(BLOCK_BYTES, block[0] + offset - at)).count(b"\n")
        for at in range(0, block[0] + offset, BLOCK_BYTES)
    )
    line = content.read(*block)[offset:].split(b"\n", 1)[0].decode("utf-8", "replace")
    cells = _cells(line, layout.separator)
    expected = layout.labels + layout.dimensions
    words = [cell for cell in cells[layout.labels :] if not NUMBER.fullmatch(cell)]
    if len(cells) == expected and words:
        what = f"{_shown(words[0])!r} is not a number"
    else:
        cell = "cell" if len(cells) == 1 else "cells"
        what = f"it has {len(cells):,} {cell} where the first has {expected:,}"
    return EmbeddingDamaged(f"{content.name}, line {before + 1:,}: {what}.", where=content.name)


def _problems(content: Content, layout: Layout) -> tuple[str, ...]:
    problems = []
    if layout.header is not None and layout.separator != " ":
        header = _shown(", ".join(layout.header))
        problems.append(
            f"{content.name} begins with a header ({header}), where none belongs. It is left out."
        )
    if layout.labels:
        problems.append(
            f"{content.name} has words before the numbers of its lines. They are taken as labels."
        )
    return tuple(problems)


def _labels(content: Content, layout: Layout, blocks: Sequence[Block]) -> tuple[list[str], ...]:
    if not layout.labels:
        return ()
    separator = layout.separator.encode()
    rows = [
        line.split(separator, layout.labels)[: layout.labels]
        for block in blocks
        for line in content.read(*block).split(b"\n")
        if line.strip()
    ]
    return tuple([cell.decode("utf-8", "replace") for cell in column] for column in zip(*rows, strict=True))


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
