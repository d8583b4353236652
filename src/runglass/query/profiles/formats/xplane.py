"""Profiles of TensorFlow and JAX: `<host>.xplane.pb`. native/xplane.pyx reads them."""

from __future__ import annotations

from collections.abc import Callable

from runglass.native.trace_rows import TraceFile, TraceRows
from runglass.native.xplane import read_xplane
from runglass.query.profiles.formats.chrome import Reader
from runglass.query.profiles.formats.programs import read_programs

ENDING = ".xplane.pb"


def read(
    reader: Reader,
    name: str,
    rows: TraceRows,
    *,
    flag: memoryview | None = None,
    report: Callable[[int], None] | None = None,
) -> TraceFile:
    """Add the events of one host. `report` is told the bytes that were read; where `flag` is set, reading ends early."""
    read_xplane(reader, name, rows, flag=flag, report=report)
    file = rows.files[-1]
    # The name may hold the port of the host, which tells apart two workers of one machine.
    host = name.rpartition("/")[2].removesuffix(ENDING)
    if host:
        file.host = host
    programs = read_programs(reader)
    for problem in programs.problems:
        rows.add_problem(f"{name}: {problem}")
    if programs.instructions:
        file.metadata["programs"] = programs.instructions
    if programs.buffers:
        file.metadata["buffers"] = programs.buffers
    return file
