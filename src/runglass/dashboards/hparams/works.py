"""What the hparams dashboard computes in jobs."""

from __future__ import annotations

from runglass.dashboards.hparams.important import identify_runs, load_runs, measure
from runglass.dashboards.hparams.shape import ImportanceBody
from runglass.jobs.work import Work
from runglass.query.hparams.importance import Importance

IMPORTANCE = Work(
    name="hparams.importance",
    title="Importance of hyperparameters",
    question=ImportanceBody,
    identify=identify_runs,
    load=load_runs,
    compute=measure,
    result=Importance,
    partial=Importance,
    # Trees are grown without the GIL.
    runs_in="thread",
    holds_partials="latest",
    advice="Try fewer runs or fewer hyperparameters.",
)

WORKS = (IMPORTANCE,)
