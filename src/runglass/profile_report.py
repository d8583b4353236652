"""What `runglass profile` says of a profile: figures, advice and a comparison, as text, Markdown or data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from runglass.query.profiles.analysis.facts import show_bytes
from runglass.query.profiles.analysis.model import Comparison, Finding, MemoryView, Overview
from runglass.query.profiles.listing import list_profiles
from runglass.query.profiles.model import ProfileUnknown
from runglass.query.profiles.rows import LogProfile, read_log_profile
from runglass.query.source import DataSource
from runglass.visible import make_one_line

UNITS = ((1e12, "s"), (1e9, "ms"), (1e6, "µs"), (1e3, "ns"))
SHOWN_CAUSES = 10
SHOWN_ALIVE = 5
NAME_WIDTH = 60


class Table(msgspec.Struct):
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


class Section(msgspec.Struct):
    title: str
    content: list[str | Table]


class ProfileReport(msgspec.Struct):
    title: str
    sections: list[Section]
    data: dict[str, Any]


def choose_profile(source: DataSource, run: str | None, session: str | None) -> LogProfile:
    """The newest profile of a run, or of all runs."""
    if run is None:
        found = [info for info in list_profiles(source) if session in (None, info.session)]
        if not found:
            known = ", ".join(f"{info.run}/{info.session}" for info in list_profiles(source))
            if not known:
                raise ProfileUnknown(
                    "There is no profile in these logs. One is made by runglass.profile(...) around a training loop, "
                    "or by the profiler of PyTorch, JAX or TensorFlow.",
                    where="session",
                )
            raise ProfileUnknown(
                f"There is no profile {session!r} in these logs. Profiles: {known}.", where="session"
            )
        newest = max(found, key=lambda info: info.time_s)
        run, session = newest.run, newest.session
    return read_log_profile(source, run, session)


def find_other(source: DataSource, named: str, run: str) -> LogProfile:
    """A profile to compare with: a session of the same run, a run (its newest), or both with a slash between."""
    infos = list_profiles(source)
    for info in infos:
        if (info.run, info.session) == (run, named) or f"{info.run}/{info.session}" == named:
            return read_log_profile(source, info.run, info.session)
    own = [info for info in infos if info.run == named]
    if own:
        newest = max(own, key=lambda info: info.time_s)
        return read_log_profile(source, newest.run, newest.session)
    known = ", ".join(f"{info.run}/{info.session}" for info in infos) or "none"
    raise ProfileUnknown(
        f"There is no profile {named!r} to compare with. Profiles: {known}.", where="compare"
    )


def report(
    profile: LogProfile, before: LogProfile | None = None, steps: Sequence[int] | None = None
) -> ProfileReport:
    """With a comparison if another profile is given, or the numbers of two steps: the earlier, of the other one or of the same, then
    that of this profile."""
    overview, findings = profile.overview(), profile.advice()
    sections = [steps_section(overview), parts_section(overview)]
    if overview.steps:
        sections.append(advice_section("Advice", findings))
    sections += [memory_section(profile.memory()), ops_section(overview)]
    data: dict[str, Any] = {
        "run": profile.run,
        "session": profile.session,
        "kind": profile.kind,
        "problems": profile.problems,
        "overview": msgspec.to_builtins(overview),
        "advice": msgspec.to_builtins(findings),
    }
    if before is not None or steps is not None:
        before = before or profile
        step, after_step = steps or (None, None)
        comparison = before.compare(profile, step=step, after_step=after_step)
        sections.insert(0, comparison_section(before, comparison, steps))
        data["compared_with"] = {"run": before.run, "session": before.session, "step": step}
        data["comparison"] = msgspec.to_builtins(comparison)
    if profile.problems:
        sections.append(Section("Problems", list(profile.problems)))
    title = f"{profile.run}/{profile.session}: {counted(len(profile), 'event')}, {', '.join(overview.device_names) or 'no device'}"
    return ProfileReport(title, [section for section in sections if section.content], data)


def steps_section(overview: Overview) -> Section:
    content: list[str | Table] = []
    spread = overview.step_ps
    if spread is not None:
        slow = f", {len(overview.outliers)} much longer than usual" if overview.outliers else ""
        many = (
            f" on average (± {duration(spread.deviation)}, {duration(spread.min)} to {duration(spread.max)}){slow}"
            if len(overview.steps) > 1
            else ""
        )
        content.append(f"{counted(len(overview.steps), 'step')} of {duration(spread.mean)}{many}")
    figures = [
        ("Device busy", overview.device_busy),
        ("ops on devices", overview.device_op_share if overview.device_busy is not None else None),
        ("SM efficiency", overview.sm_efficiency),
        ("Occupancy", None if overview.occupancy is None else overview.occupancy / 100),
        ("Tensor cores", overview.tensor_core_share),
        ("16-bit compute", overview.compute_16bit_share),
    ]
    known = [f"{name} {share(value)}" for name, value in figures if value is not None]
    if known:
        content.append(", ".join(known))
    if overview.flop_rate is not None:
        peak = overview.peak_flop_rate
        of_peak = f", {share(overview.flop_rate / peak)} of what the device can do" if peak else ""
        content.append(f"{flop_rate(overview.flop_rate)}{of_peak}")
    return Section("Steps", [*content, *overview.notes])


def parts_section(overview: Overview) -> Section:
    whole = sum(overview.parts.values())
    rows = [
        (words(part), duration(time), share(time / whole))
        for part, time in sorted(overview.parts.items(), key=lambda each: -each[1])
        if time > 0
    ]
    return Section("Where the time of a step goes", [Table(("part", "time", "share"), rows)] if rows else [])


def memory_section(view: MemoryView) -> Section:
    """The highest use of each allocator, and what was alive at the highest of them."""
    content: list[str | Table] = []
    for curve in view.curves:
        place = [f"device {curve.device}"] if curve.device is not None else []
        where = ", ".join([curve.allocator, *place, *filter(None, [curve.host])])
        limit = f" of {show_bytes(curve.limit_bytes)}" if curve.limit_bytes else ""
        content.append(f"{where}: {show_bytes(curve.peak_bytes)}{limit} at the peak")
    rows = [
        (row.op, row.region, f"{row.count:,}", show_bytes(row.bytes)) for row in view.at_peak[:SHOWN_ALIVE]
    ]
    if rows:
        content.append(Table(("made by", "for", "count", "bytes"), rows))
    content += [
        f"{saving.title} saves {show_bytes(saving.bytes)}. {saving.evidence}" for saving in view.savings
    ]
    return Section("Memory", content)


def advice_section(title: str, findings: Sequence[Finding]) -> Section:
    content: list[str | Table] = []
    for number, finding in enumerate(findings, 1):
        gain = f" (up to {share(finding.gain_share)} of a step)" if finding.gain_share else ""
        source = f" [{finding.source}]" if finding.source else ""
        content.append(f"{number}. {finding.title}{gain}. {finding.evidence} {finding.action}{source}")
    if title == "Advice" and not findings:
        content.append("Nothing stands out.")
    return Section(title, content)


def ops_section(overview: Overview) -> Section:
    rows = [
        (row.name, row.type, f"{row.occurrences:,}", duration(row.self_ps), share(row.share))
        for row in overview.top_ops
    ]
    place = overview.top_ops[0].place if overview.top_ops else "host"
    return Section(
        f"Longest ops of the {place}",
        [Table(("op", "type", "calls", "self time", "share"), rows)] if rows else [],
    )


def comparison_section(before: LogProfile, found: Comparison, steps: Sequence[int] | None) -> Section:
    change = found.after_ps - found.before_ps
    now, earlier = ("A step", "") if steps is None else (f"Step {steps[1]:,}", f"step {steps[0]:,} of ")
    where = f"{earlier}{before.run}/{before.session}"
    content: list[str | Table] = [
        f"{now} takes {duration(found.after_ps)}, in {where} {duration(found.before_ps)}: "
        + (f"{duration(abs(change))} {'more' if change > 0 else 'less'}" if change else "the same")
    ]
    parts = [
        (
            words(each.part),
            duration(each.before_ps),
            duration(each.after_ps),
            signed(each.after_ps - each.before_ps),
        )
        for each in sorted(found.parts, key=lambda each: -abs(each.after_ps - each.before_ps))
        if each.before_ps != each.after_ps
    ]
    if parts:
        content.append(Table(("part", "before", "after", "change"), parts))
    causes = [
        (
            cause.name,
            cause.kind,
            f"{cause.calls_before:,.3g} → {cause.calls_after:,.3g}",
            signed(cause.after - cause.before),
            "" if cause.share is None else share(cause.share),
        )
        for cause in [each for each in found.causes if each.kind != "memory"][:SHOWN_CAUSES]
    ]
    if causes:
        content.append(Table(("what explains it", "kind", "calls", "change", "share"), causes))
    content += [f"Solved: {finding.title}" for finding in found.gone]
    content += [f"New: {finding.title}" for finding in found.fresh]
    return Section("Compared", [*content, *found.notes])


# --- figures as words


def duration(time_ps: float) -> str:
    for size, unit in UNITS:
        if abs(time_ps) >= size:
            return f"{time_ps / size:.3g} {unit}"
    return f"{time_ps:.0f} ps"


def flop_rate(each_second: float) -> str:
    for size, unit in ((1e12, "TFLOP/s"), (1e9, "GFLOP/s")):
        if each_second >= size:
            return f"{each_second / size:.3g} {unit}"
    return f"{each_second / 1e6:.3g} MFLOP/s"


def signed(time_ps: float) -> str:
    return f"{'+' if time_ps > 0 else ''}{duration(time_ps)}"


def share(value: float) -> str:
    return f"{100 * value:.1f} %"


def counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def words(part: str) -> str:
    return part.replace("_", " ")


# --- text and Markdown


def render(made: ProfileReport) -> str:
    """For a terminal."""
    lines = [plain(made.title)]
    for section in made.sections:
        lines += ["", plain(section.title)]
        for each in section.content:
            lines += table_lines(each) if isinstance(each, Table) else [f"  {plain(each)}"]
    return "\n".join(lines)


def table_lines(table: Table) -> list[str]:
    rows = [table.header, *((shorten(plain(row[0])), *map(plain, row[1:])) for row in table.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.header))]
    return [
        "  "
        + "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def render_markdown(made: ProfileReport) -> str:
    lines = [f"# {escape(made.title)}"]
    for section in made.sections:
        lines += ["", f"## {escape(section.title)}"]
        for each in section.content:
            if isinstance(each, Table):
                lines += ["", *markdown_rows(table_cells(each, escape))]
            else:
                lines += ["", escape(each)]
    return "\n".join(lines)


def table_cells(table: Table, as_cell: Callable[[str], str]) -> list[list[str]]:
    return [list(table.header), *([as_cell(cell) for cell in row] for row in table.rows)]


def markdown_rows(rows: list[list[str]]) -> list[str]:
    header, *body = rows
    rule = ["---", *("---:" for _ in header[1:])]
    return [f"| {' | '.join(row)} |" for row in (header, rule, *body)]


def plain(text: str) -> str:
    """Names come from files: nothing in them may steer a terminal."""
    return make_one_line(text)


def shorten(text: str) -> str:
    return text if len(text) <= NAME_WIDTH else f"{text[: NAME_WIDTH - 1]}…"


def escape(text: str) -> str:
    made = plain(text)
    for mark in ("\\", "|", "`", "*", "_", "<", "[", "#"):
        made = made.replace(mark, f"\\{mark}")
    return made
