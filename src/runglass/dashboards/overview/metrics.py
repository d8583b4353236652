"""Chooses the main metrics by the names of their tags: one where higher is better, one where lower is better. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from runglass.dashboards.overview.shape import MetricChoice
from runglass.query.goals import goal_of, rank_of

# A metric that fewer trainings have, compared to the most common one of its sort, is a detail of these.
MIN_SHARE = 0.5


def choose_metrics(trainings_with: Mapping[str, int]) -> list[MetricChoice]:
    """`trainings_with`: how many trainings have a tag. At most one metric of each goal, the one that is to rise first."""
    goals = {tag: goal_of(tag) for tag in trainings_with}
    chosen: list[MetricChoice] = []
    for goal in ("max", "min"):
        fitting = {tag: trainings_with[tag] for tag, each in goals.items() if each == goal}
        common = {tag: count for tag, count in fitting.items() if count >= MIN_SHARE * max(fitting.values())}
        if common:
            best = min(common, key=lambda tag: (rank_of(tag), -common[tag], len(tag), tag))
            chosen.append(MetricChoice(best, goal))
    return chosen
