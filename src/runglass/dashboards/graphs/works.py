"""What the graphs dashboard computes in jobs."""

from __future__ import annotations

from runglass.api.matching import match_texts
from runglass.dashboards.graphs.searching import WORK, identify_texts, load_texts
from runglass.dashboards.graphs.shape import PatternBody
from runglass.jobs.work import Work

SEARCH = Work(
    name=WORK,
    title="Search a graph",
    question=PatternBody,
    identify=identify_texts,
    load=load_texts,
    compute=match_texts,
    runs_in="process",
    stall_s=20.0,
    advice="Try a simpler pattern.",
)

WORKS = (SEARCH,)
