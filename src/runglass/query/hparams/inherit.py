"""The hyperparameters of every run, for the run table: those of its session. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from runglass.query.hparams.model import HParam, Session
from runglass.query.hparams.sessions import above


def inherit_hparams(sessions: Iterable[Session], runs: Iterable[str]) -> Mapping[str, dict[str, HParam]]:
    """The values of every run: its own, else those of the nearest session above it, else those of the only session below
    it, which is how PyTorch writes them."""
    own = {session.run: session.hparams for session in sessions if session.hparams}
    only_below: dict[str, str | None] = {}
    for run in own:
        for each in above(run):
            only_below[each] = None if each in only_below else run
    found: dict[str, dict[str, HParam]] = {}
    for run in runs:
        giver = next((each for each in (run, *above(run)) if each in own), only_below.get(run))
        if giver is not None:
            found[run] = own[giver]
    return found
