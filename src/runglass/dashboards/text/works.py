"""What the text dashboard computes in jobs."""

from __future__ import annotations

from runglass.dashboards.text.matching import find_hits
from runglass.dashboards.text.search import estimate_memory_bytes, identify_texts, load_texts
from runglass.dashboards.text.shape import Found, Hits, SearchBody
from runglass.jobs.work import Work

SEARCH = Work(
    name="text.search",
    title="Search texts",
    question=SearchBody,
    identify=identify_texts,
    load=load_texts,
    compute=find_hits,
    result=Found,
    partial=Hits,
    runs_in="process",
    can_pause=True,
    memory_bytes=estimate_memory_bytes,
    # For a single text: every text is a heartbeat.
    stall_s=20.0,
    advice="Try a simpler pattern or fewer runs.",
)

WORKS = (SEARCH,)
