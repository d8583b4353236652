"""Values on the nodes of a graph, as one answer."""

from __future__ import annotations

from runglass.api.answers import number, number_or_none
from runglass.dashboards.graphs.loaded import LoadedGraph
from runglass.dashboards.graphs.shape import (
    FamiliesAnswer,
    FamilyAnswer,
    NodeCurve,
    PaintAnswer,
    PaintBody,
    PaintBy,
    RankedNode,
)
from runglass.errors import BadRequest
from runglass.query.graphs.families import Curves, find_family, list_families
from runglass.query.graphs.paint import Painted, match_values, paint_items, paint_measure, tag_of_node
from runglass.query.graphs.shown import Shown
from runglass.query.source import DataSource


def paint(source: DataSource, loaded: LoadedGraph, body: PaintBody) -> PaintAnswer:
    shown = loaded.show(body.view)
    if not isinstance(body.by, PaintBy):
        return to_answer(paint_measure(shown, body.by, body.shown, body.top))
    if body.by.values is not None:
        found, unmatched = match_values(loaded.names, body.by.values)
        return to_answer(paint_items(shown, found, body.shown, body.top, unmatched))
    if body.by.family is None:
        raise BadRequest("`by` needs a measure, a `family` or `values`.", where="by")
    return _paint_family(source, loaded, shown, body, body.by)


def _paint_family(
    source: DataSource, loaded: LoadedGraph, shown: Shown, body: PaintBody, by: PaintBy
) -> PaintAnswer:
    run = by.run
    if run is None and body.graph.run is not None:
        own = find_family(source, loaded.names, by.family or "", body.graph.run)
        run = body.graph.run if own.tags else None
    family = find_family(source, loaded.names, by.family or "", run)
    curves = Curves(source, family, by.statistic)
    found = curves.values_at(body.step)
    painted = paint_items(shown, found, body.shown, body.top, family.count - len(family.tags))
    tag = None if body.node is None else tag_of_node(shown, curves, body.node, body.step)
    series = None
    if tag is not None:
        steps, values = curves.curve(tag)
        series = NodeCurve(tag, steps, [number(value) for value in values])
    return to_answer(painted, curves.steps(), body.step, series)


def to_answer(
    painted: Painted, steps: list[int] | None = None, step: int | None = None, series: NodeCurve | None = None
) -> PaintAnswer:
    return PaintAnswer(
        unit=painted.unit,
        steps=steps or [],
        step=step if step is not None or not steps else steps[-1],
        values=[number_or_none(value) for value in painted.values],
        min=painted.min,
        max=painted.max,
        histogram=painted.histogram,
        ranking=[RankedNode(each.id, each.label, each.where, number(each.value)) for each in painted.ranking],
        series=series,
        matched=painted.matched,
        unmatched=painted.unmatched,
    )


def families(source: DataSource, loaded: LoadedGraph, run: str | None) -> FamiliesAnswer:
    return FamiliesAnswer(
        [
            FamilyAnswer(each.id, each.label, each.kind, len(each.tags), each.count, each.run)
            for each in list_families(source, loaded.names, run)
        ]
    )
