"""Encodes several PR curves as one answer: JSON, columns or a CSV table. Knows no routes."""

from __future__ import annotations

import io

from msgspec import Struct

from runglass.api.answers import attachment, little_endian, number, number_or_none, numbers, pack_columns
from runglass.api.route import COLUMNS, CSV, Answer
from runglass.api.samples import SampleQuery, find_sample
from runglass.api.series import find_unknown_series
from runglass.csv_lines import csv_writer
from runglass.dashboards.pr_curves.curve import COLUMNS as COLUMN_NAMES
from runglass.dashboards.pr_curves.curve import Curve, Scores, no_curve, parse_curve
from runglass.dashboards.pr_curves.shape import CurveAnswer, Curves, CurvesBody, CurveScores
from runglass.errors import BadRequest, RunUnknown, SampleGone, SeriesUnknown, ValueDamaged
from runglass.query.source import DataSource
from runglass.store.model import Kind

# Total of all curves; a page draws a few hundred thresholds per curve.
MAX_THRESHOLDS = 2_000_000


class _Found(Struct, frozen=True):
    query: SampleQuery
    row: int
    step: int
    wall_time: float
    curve: Curve


def load_answer(source: DataSource, body: CurvesBody) -> Answer | Struct:
    found = _load(source, body.series)
    if body.format == "csv":
        return Answer(_encode_table(found), CSV, (attachment(_file_name(found)),))
    if body.format == "columns":
        head = {"version": 1, "curves": [_head(each) for each in found]}
        blocks = (little_endian(each.curve.columns[name]) for each in found for name in COLUMN_NAMES)
        return Answer(pack_columns(head, blocks), COLUMNS)
    return Curves(
        [
            CurveAnswer(
                run=each.query.run,
                tag=each.query.tag,
                row=each.row,
                step=each.step,
                wall_time=number(each.wall_time),
                problems=each.curve.problems,
                scores=_scores(each.curve.scores),
                **{name: numbers(each.curve.columns[name]) for name in COLUMN_NAMES},
            )
            for each in found
        ],
        find_unknown_series(source, body.series, kind=Kind.PR_CURVE),
    )


def _load(source: DataSource, queries: list[SampleQuery]) -> list[_Found]:
    found: list[_Found] = []
    thresholds = 0
    for query in queries:
        try:
            values, at = find_sample(source, Kind.PR_CURVE, query)
        except (RunUnknown, SeriesUnknown, SampleGone):
            continue
        try:
            curve = parse_curve(source.load_value(values, at))
        except ValueDamaged as error:
            curve = no_curve(error.message)
        thresholds += len(curve.columns["threshold"])
        if thresholds > MAX_THRESHOLDS:
            raise BadRequest(
                f"These curves have more than {MAX_THRESHOLDS:,} thresholds in total. Ask for fewer curves.",
                where="series",
            )
        found.append(_Found(query, at, int(values.step[at]), float(values.wall_time[at]), curve))
    return found


def _head(each: _Found) -> dict[str, object]:
    return {
        "run": each.query.run,
        "tag": each.query.tag,
        "row": each.row,
        "step": each.step,
        "wall_time": number(each.wall_time),
        "problems": each.curve.problems,
        "scores": _scores(each.curve.scores),
        "count": len(each.curve.columns["threshold"]),
    }


def _scores(scores: Scores) -> CurveScores:
    return CurveScores(
        average_precision=number_or_none(scores.average_precision),
        auc=number_or_none(scores.auc),
        best_f1=number_or_none(scores.best_f1),
        best_f1_threshold=number_or_none(scores.best_f1_threshold),
    )


def _encode_table(found: list[_Found]) -> bytes:
    text = io.StringIO()
    table = csv_writer(text)
    table.writerow(["run", "tag", "step", "wall_time", *COLUMN_NAMES])
    for each in found:
        named = (each.query.run, each.query.tag, each.step, repr(each.wall_time))
        columns = (each.curve.columns[name].tolist() for name in COLUMN_NAMES)
        table.writerows((*named, *map(repr, row)) for row in zip(*columns, strict=True))
    return text.getvalue().encode(errors="backslashreplace")


def _file_name(found: list[_Found]) -> str:
    tags = {each.query.tag for each in found}
    return f"pr_curves_{tags.pop() if len(tags) == 1 else len(tags)}.csv"
