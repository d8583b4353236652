"""What the projector computes in jobs."""

from __future__ import annotations

from runglass.api.matching import match_texts
from runglass.dashboards.projector.clustering import (
    compute_clusters,
    identify_clusters,
    load_clusters,
)
from runglass.dashboards.projector.moving import (
    compute_steps,
    estimate_steps_bytes,
    identify_steps,
    load_steps,
)
from runglass.dashboards.projector.reducing import (
    compute_reduction,
    estimate_memory_bytes,
    identify_reduction,
    load_reduction,
    needed_jobs,
)
from runglass.dashboards.projector.searching import identify_texts, load_texts
from runglass.dashboards.projector.shape import (
    ClustersAnswer,
    ClustersBody,
    MovieAnswer,
    MovieBody,
    MoviePartial,
    PointSearchBody,
    ReduceAnswer,
    ReduceBody,
    ReducePartial,
)
from runglass.jobs.work import Work

REDUCE = Work(
    name="projector.reduce",
    title="Project points",
    question=ReduceBody,
    identify=identify_reduction,
    needs=needed_jobs,
    load=load_reduction,
    compute=compute_reduction,
    result=ReduceAnswer,
    partial=ReducePartial,
    # Native code without the GIL.
    runs_in="thread",
    can_pause=True,
    memory_bytes=estimate_memory_bytes,
    holds_partials="latest",
    on_disk=True,
    advice="Try fewer points.",
)

STEPS = Work(
    name="projector.steps",
    title="Project all steps",
    question=MovieBody,
    identify=identify_steps,
    load=load_steps,
    compute=compute_steps,
    result=MovieAnswer,
    partial=MoviePartial,
    runs_in="thread",
    can_pause=True,
    memory_bytes=estimate_steps_bytes,
    on_disk=True,
    advice="Try fewer points.",
)

CLUSTERS = Work(
    name="projector.clusters",
    title="Find clusters",
    question=ClustersBody,
    identify=identify_clusters,
    needs=lambda body: [body.job],
    load=load_clusters,
    compute=compute_clusters,
    result=ClustersAnswer,
    runs_in="thread",
    advice="Try fewer points.",
)

SEARCH = Work(
    name="projector.search",
    title="Search points",
    question=PointSearchBody,
    identify=identify_texts,
    load=load_texts,
    compute=match_texts,
    runs_in="process",
    stall_s=20.0,
    advice="Try a simpler pattern or one column.",
)

WORKS = (REDUCE, STEPS, CLUSTERS, SEARCH)
