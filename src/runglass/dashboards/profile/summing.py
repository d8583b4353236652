"""Sums, gaps and the critical path of a range, as answers."""

from __future__ import annotations

import io

from runglass.api.answers import attachment
from runglass.api.route import CSV, Answer
from runglass.csv_lines import csv_writer
from runglass.dashboards.profile.asking import whole_range
from runglass.dashboards.profile.describing import ref_or_none
from runglass.dashboards.profile.loaded import Loaded
from runglass.dashboards.profile.shape import (
    Gap,
    GapHost,
    GapsAnswer,
    GapsBody,
    LeftOut,
    PathAnswer,
    PathSegment,
    RangeBody,
    Sum,
    SumsAnswer,
    SumsBody,
)
from runglass.query.profiles.critical_path import find_path
from runglass.query.profiles.gaps import find_gaps
from runglass.query.profiles.sums import Sums, add_up


def answer_sums(loaded: Loaded, body: SumsBody) -> Answer | SumsAnswer:
    trace = loaded.trace
    if body.tracks is not None:
        trace.check_tracks(body.tracks)
    low, high = whole_range(body.from_ps, body.to_ps)
    found = add_up(trace, low, high, body.by, tracks=body.tracks, place=body.place)
    if body.format == "csv":
        return Answer(
            encode_csv(found, body.by), CSV, headers=(attachment(f"profile-sums-by-{body.by}.csv"),)
        )
    total = sum(each.self_ps for each in found.rows) or 1
    rest = found.rows[body.limit :]
    return SumsAnswer(
        rows=[
            Sum(
                key=each.key,
                label=each.label,
                hash=each.hash,
                count=each.count,
                total_ps=each.total_ps,
                self_ps=each.self_ps,
                share=each.self_ps / total,
                min_ps=each.min_ps,
                max_ps=each.max_ps,
                event=each.event,
                category=int(trace.category[each.event]),
                place=trace.tracks[trace.track_of(each.event)].place,
            )
            for each in found.rows[: body.limit]
        ],
        left_out=LeftOut(len(rest), sum(each.total_ps for each in rest), sum(each.self_ps for each in rest)),
        count=sum(each.count for each in found.rows),
        busy_ps=found.busy_ps,
        range_ps=found.range_ps,
    )


def encode_csv(found: Sums, by: str) -> bytes:
    text = io.StringIO()
    table = csv_writer(text)
    table.writerow([by, "count", "total_ps", "self_ps", "min_ps", "max_ps"])
    for each in found.rows:
        table.writerow([each.label, each.count, each.total_ps, each.self_ps, each.min_ps, each.max_ps])
    return text.getvalue().encode()


def answer_gaps(loaded: Loaded, body: GapsBody) -> GapsAnswer:
    trace = loaded.trace
    if body.tracks is not None:
        trace.check_tracks(body.tracks)
    low, high = whole_range(body.from_ps, body.to_ps)
    found = find_gaps(trace, low, high, min_ps=int(body.min_ps), limit=body.limit, tracks=body.tracks)
    gaps = []
    for each in found.gaps:
        host = each.host
        gaps.append(
            Gap(
                track=each.track,
                device=each.device,
                start_ps=each.start_ps,
                duration_ps=each.duration_ps,
                host=None
                if host is None
                else GapHost(
                    event=host.event,
                    name=trace.name_of(host.event),
                    track=trace.track_of(host.event),
                    share=host.share,
                ),
                before=ref_or_none(trace, each.before),
                after=ref_or_none(trace, each.after),
            )
        )
    return GapsAnswer(gaps=gaps, count=found.count, total_ps=found.total_ps)


def answer_path(loaded: Loaded, body: RangeBody) -> PathAnswer:
    trace = loaded.trace
    low, high = whole_range(body.from_ps, body.to_ps)
    found = find_path(trace, low, high)
    took = {"host": 0, "device": 0, None: 0}
    segments = []
    for each in found.segments:
        took[each.place] += each.end_ps - each.start_ps
        segments.append(
            PathSegment(
                event=each.event,
                name="" if each.event is None else trace.name_of(each.event),
                track=each.track,
                start_ps=each.start_ps,
                duration_ps=each.end_ps - each.start_ps,
                place=each.place,
            )
        )
    return PathAnswer(
        segments=segments,
        host_ps=took["host"],
        device_ps=took["device"],
        idle_ps=took[None],
        is_cut=found.is_cut,
    )
