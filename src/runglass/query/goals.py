"""What the name of a scalar tells: its words, whether it is a loss, and whether higher or lower is better. Pure."""

from __future__ import annotations

import re
from typing import Literal

from runglass.query.trainings import HELD_OUT

Goal = Literal["min", "max"]

# The words of names, the most telling first.
HIGHER = (
    "accuracy acc top1 f1 miou iou map auc auroc bleu rouge psnr ssim r2 reward return score precision recall"
)
LOWER = "loss nll perplexity ppl error err mse rmse mae wer cer fid"
# What costs something. Their names do not make them main metrics.
COSTS = frozenset(
    [
        "latency",
        "time",
        "duration",
        "seconds",
        "secs",
        "ms",
        "memory",
        "mem",
        "size",
        "bytes",
        "params",
        "parameters",
        "flops",
        "macs",
        "cost",
        "energy",
    ]
)
RANKS: dict[str, tuple[Goal, int]] = {
    **{word: ("max", rank) for rank, word in enumerate(HIGHER.split())},
    **{word: ("min", rank) for rank, word in enumerate(LOWER.split())},
}
NAME = re.compile(r"[A-Za-z0-9]+")
WORD = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+\d*(?![a-z])|\d+")


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


def guess_goal(tag: str) -> Goal:
    """As `goal_of`, with a guess where the name does not tell: less of what costs something, more of anything else."""
    return goal_of(tag) or ("min" if COSTS.intersection(words_of(tag)) else "max")


def is_loss(tag: str) -> bool:
    return "loss" in words_of(tag)


def rank_of(tag: str) -> tuple[int, bool, int]:
    """Orders tags, the most telling first; those without a telling word come last."""
    words = words_of(tag)
    rank = min((RANKS[word][1] for word in words if word in RANKS), default=len(RANKS))
    is_held_out = any(word in HELD_OUT for word in words)
    # `loss` and `val/loss` before `val/aux_loss`.
    others = sum(word not in RANKS and word not in HELD_OUT for word in words)
    return rank, not is_held_out, others
