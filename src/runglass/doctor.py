"""The report of `runglass inspect`: what each run and tag holds, and what is wrong with which file.

Returns plain values, and text made from them. Reads only through DataSource.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from runglass.query.source import DataSource, Summary
from runglass.store.model import FAULTS, FileHealth, Kind, SeriesInfo
from runglass.visible import make_one_line

# Limit of the text report: a profiler writes hundreds of files.
ASSETS_SHOWN = 20


class TagReport(Struct, frozen=True):
    tag: str
    kind: str
    plugin: str
    count: int
    first_step: int | None
    last_step: int | None
    min_step: int | None
    max_step: int | None
    restarts: int
    # Points that a later attempt wrote again. They are kept, but hidden by default.
    overwritten: int
    # Steps lower than the step before, inside one attempt, and the first such pair.
    out_of_order: int
    first_out_of_order: tuple[int, int] | None
    nan: int
    inf: int
    first_nan_step: int | None
    # Another kind of value under the same tag.
    also: str | None


class AssetReport(Struct, frozen=True):
    family: str
    name: str
    size_bytes: int


class RunReport(Struct, frozen=True):
    run: str
    tags: list[TagReport]
    files: list[FileHealth]
    assets: list[AssetReport]


class Report(Struct, frozen=True):
    locations: list[str]
    runs: list[RunReport]
    # Directories that could not be listed, with the reason.
    unreadable: dict[str, str]

    @property
    def faults(self) -> list[FileHealth]:
        return [file for run in self.runs for file in run.files if file.state in FAULTS]

    @property
    def is_damaged(self) -> bool:
        return bool(self.faults or self.unreadable)

    def to_json(self) -> dict[str, Any]:
        return {"is_damaged": self.is_damaged, **msgspec.to_builtins(self)}


def examine(source: DataSource, *, unreadable: dict[str, str], tag: str | None = None) -> Report:
    """Report on every series and file; `tag` limits the series to that tag."""
    runs = []
    for run in source.list_runs():
        series = [info for info in source.list_series(run=run.name) if tag in (None, info.key.tag)]
        files = source.list_files(run=run.name)
        # Report damage for any `tag`: the tag may be in the part that cannot be read.
        if tag is None or series or any(file.state in FAULTS for file in files):
            assets = [
                AssetReport(asset.family.value, asset.name, asset.size_bytes)
                for asset in (source.list_assets(run=run.name) if run.assets else ())
            ]
            runs.append(RunReport(run.name, [_report(source, info) for info in series], files, assets))
    return Report(source.locations, runs, unreadable)


def _report(source: DataSource, info: SeriesInfo) -> TagReport:
    values = source.read_values(info.key, attempts="all")
    latest = source.read_values(info.key, attempts="latest")
    steps = values.step
    falls = np.flatnonzero((steps[1:] < steps[:-1]) & (values.segment[1:] == values.segment[:-1]))
    summary: Summary | None = None
    if info.meta.kind is Kind.SCALAR:
        (summary,) = source.read_summaries([info.key], attempts="all")
    has_steps = len(steps) > 0
    return TagReport(
        tag=info.key.tag,
        kind=info.meta.kind.value,
        plugin=info.meta.plugin,
        count=len(steps),
        first_step=int(steps[0]) if has_steps else None,
        last_step=int(steps[-1]) if has_steps else None,
        min_step=int(steps.min()) if has_steps else None,
        max_step=int(steps.max()) if has_steps else None,
        restarts=int(values.segment[-1]) if has_steps else 0,
        overwritten=len(steps) - len(latest.step),
        out_of_order=len(falls),
        first_out_of_order=(int(steps[falls[0]]), int(steps[falls[0] + 1])) if len(falls) else None,
        nan=summary.nan_count if summary else 0,
        inf=summary.pos_inf_count + summary.neg_inf_count if summary else 0,
        first_nan_step=summary.nan_first_step if summary else None,
        also=info.other_kind.value if info.other_kind else None,
    )


def render(report: Report) -> str:
    """The report as text for a terminal."""
    lines = []
    for run in report.runs:
        lines.append(make_one_line(run.run))
        if run.tags:
            width = max(len(_short(tag.tag)) for tag in run.tags)
            for tag in run.tags:
                lines.append(f"  {_short(tag.tag):<{width}}  {_describe(tag)}")
        else:
            lines.append("  no tags")
        for file in run.files:
            lines.extend(_describe_file(file))
        for asset in run.assets[:ASSETS_SHOWN]:
            lines.append(f"  {make_one_line(asset.name)}: {asset.family}, {asset.size_bytes:,} bytes")
        if len(run.assets) > ASSETS_SHOWN:
            lines.append(
                f"  and {_count(len(run.assets) - ASSETS_SHOWN, 'more asset')}; --json lists all of them"
            )
        lines.append("")
    for directory, reason in report.unreadable.items():
        lines.append(
            f"{make_one_line(directory)}: cannot be listed: {make_one_line(reason)}. Check its permissions."
        )
    lines.append(_conclude(report))
    return "\n".join(lines)


def _describe(tag: TagReport) -> str:
    parts = []
    if tag.count:
        parts.append(f"steps {tag.min_step:,} to {tag.max_step:,}")
    if tag.restarts:
        parts.append(
            f"{tag.restarts} restart{'s' if tag.restarts > 1 else ''} ({_count(tag.overwritten, 'point')} written again)"
        )
    if tag.out_of_order and tag.first_out_of_order:
        before, after = tag.first_out_of_order
        parts.append(f"{tag.out_of_order:,} out of order (first: {before:,} then {after:,})")
    if tag.nan:
        parts.append(f"{tag.nan:,} NaN (first at step {tag.first_nan_step:,})")
    if tag.inf:
        parts.append(f"{tag.inf:,} infinite")
    if tag.also:
        parts.append(f"also holds {tag.also} values")
    values = "value" if tag.count == 1 else "values"
    counted = f"{tag.kind:<14} {tag.count:>9,} {values}"
    # A blank more after "value," keeps what follows in one column.
    return f"{counted},{' ' * (7 - len(values))}{', '.join(parts)}" if parts else counted


def _describe_file(file: FileHealth) -> list[str]:
    name = make_one_line(file.path.rsplit("/", 1)[-1])
    facts = f"  {name}: {file.state.value}, {_count(file.records, 'record')}, {file.read_bytes:,} of {file.size_bytes:,} bytes read"
    if not file.reason:
        return [facts]
    where = f"byte {file.byte:,}: " if file.byte is not None else ""
    return [
        facts,
        f"    {where}{make_one_line(file.reason)}.",
        *([f"    {make_one_line(file.advice)}"] if file.advice else []),
    ]


def _conclude(report: Report) -> str:
    series = sum(len(run.tags) for run in report.runs)
    points = sum(tag.count for run in report.runs for tag in run.tags)
    files = sum(len(run.files) for run in report.runs)
    assets = sum(len(run.assets) for run in report.runs)
    total = f"{_count(len(report.runs), 'run')}, {series:,} series, {_count(points, 'value')}, {_count(files, 'file')}"
    if assets:
        total += f", {_count(assets, 'asset')}"
    if not report.is_damaged:
        return f"{total}: no damage found."
    trouble = []
    if report.faults:
        trouble.append(f"{len(report.faults):,} with damage")
    if report.unreadable:
        count = len(report.unreadable)
        trouble.append(f"{count:,} {'directory' if count == 1 else 'directories'} cannot be listed")
    return f"{total}: {', '.join(trouble)}."


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _short(tag: str) -> str:
    tag = make_one_line(tag)
    return tag if len(tag) <= 60 else f"{tag[:57]}..."
