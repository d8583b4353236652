"""Chooses the main metrics by the names of their tags: one where higher is better, one where lower is better. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from runglass.dashboards.overview.shape import Goal, MetricChoice
from runglass.dashboards.overview.trainings import HELD_OUT

# The words of names, the most telling first.
HIGHER = (
    "accuracy acc top1 f1 miou iou map auc auroc bleu rouge psnr ssim r2 reward return score precision recall"
)
LOWER = "loss nll perplexity ppl error err mse rmse mae wer cer fid"
RANKS: dict[str, tuple[Goal, int]] = {
    **{word: ("max", rank) for rank, word in enumerate(HIGHER.split())},
    **{word: ("min", rank) for rank, word in enumerate(LOWER.split())},
}
NAME = re.compile(r"[A-Za-z0-9]+")
WORD = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+\d*(?![a-z])|\d+")
# A metric that fewer trainings have, compared to the most common one of its sort, is a detail of these.
MIN_SHARE = 0.5


def words_of(tag: str) -> list[str]:
    """`val/topLoss_total` has the words val, top, loss and total; `mAP` is one word."""
    found: list[str] = []
    for name in NAME.findall(tag):
        lower = name.lower()
        found += [lower] if lower in RANKS else [word.lower() for word in WORD.findall(name)]
    return found


def goal_of(tag: str) -> Goal | None:
    """Whether higher or lower is better; None if the name does not tell. Later words tell more: an error_score is a score."""
    return next((RANKS[word][0] for word in reversed(words_of(tag)) if word in RANKS), None)


def is_loss(tag: str) -> bool:
    return "loss" in words_of(tag)


def choose_metrics(trainings_with: Mapping[str, int]) -> list[MetricChoice]:
    """`trainings_with`: how many trainings have a tag. At most one metric of each goal, the one that is to rise first."""
    goals = {tag: goal_of(tag) for tag in trainings_with}
    chosen: list[MetricChoice] = []
    for goal in ("max", "min"):
        fitting = {tag: trainings_with[tag] for tag, each in goals.items() if each == goal}
        common = {tag: count for tag, count in fitting.items() if count >= MIN_SHARE * max(fitting.values())}
        if common:
            best = min(common, key=lambda tag: (_rank(tag), -common[tag], len(tag), tag))
            chosen.append(MetricChoice(best, goal))
    return chosen


def _rank(tag: str) -> tuple[int, bool, int]:
    words = words_of(tag)
    rank = min(RANKS[word][1] for word in words if word in RANKS)
    is_held_out = any(word in HELD_OUT for word in words)
    # `loss` and `val/loss` before `val/aux_loss`.
    others = sum(word not in RANKS and word not in HELD_OUT for word in words)
    return rank, not is_held_out, others
