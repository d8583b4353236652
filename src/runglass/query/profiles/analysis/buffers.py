"""Which memory the programs of XLA need: their buffers, as the compiler laid them out, and what each of them holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runglass.query.profiles.analysis.model import BufferKind, BufferRow, ProgramBuffers
from runglass.query.profiles.model import Trace

NO_PROGRAMS = (
    "This profile carries no program of XLA with its buffers. JAX and TensorFlow write them for whatever is compiled or run while "
    "the profiler records."
)


def buffers(trace: Trace) -> ProgramBuffers:
    rows: list[BufferRow] = []
    for metadata in trace.info.metadata:
        programs = metadata.get("programs") or {}
        for number, given in (metadata.get("buffers") or {}).items():
            instructions = programs.get(number) or {}
            for each in given.get("allocations", ()):
                rows += rows_of(str(given.get("name", "")), each, instructions)
    rows.sort(key=lambda row: (-row.allocation_bytes, row.program, row.allocation, row.offset_bytes))
    return ProgramBuffers(rows=rows, notes=[] if rows else [NO_PROGRAMS])


def rows_of(
    program: str, allocation: Mapping[str, Any], instructions: Mapping[str, list[Any]]
) -> list[BufferRow]:
    kind: BufferKind = allocation["kind"]
    found = []
    for instruction, spelled, offset, size in allocation["holds"]:
        known = instructions.get(spelled)
        found.append(
            BufferRow(
                program=program,
                allocation=int(allocation["index"]),
                kind=kind,
                allocation_bytes=int(allocation["bytes"]),
                offset_bytes=int(offset),
                bytes=int(size),
                instruction=str(instruction),
                category="" if known is None else str(known[2]),
                op="" if known is None else str(known[3]),
                source="" if known is None else str(known[4]),
            )
        )
    return found
