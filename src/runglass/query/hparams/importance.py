"""Which hyperparameters made the difference in a metric: functional ANOVA over a random forest. Pure.

Each tree is a step function of the hyperparameters, whose variance divides exactly into what one of them explains, what a pair
explains beyond its two, and the rest. Numbers count by rank, so a logarithm changes nothing. Every value weighs as much as it
has runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import isfinite
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.native.forest import MAX_BINS, divide_variance
from runglass.query.goals import Goal
from runglass.query.hparams.columns import HParamColumn

TREES = 64
MIN_RUNS = 8
# Rows in a leaf, and how many leaves are enough for any number of runs.
MIN_LEAF = 2
MAX_LEAVES = 500
QUICK_BINS = 8
# More are not looked at: those that correlate most are chosen.
MAX_COLUMNS = 60
# Pairs among as many of the most important ones.
MAX_PAIRED = 20
# What fewer trees than this share of all lie above or below.
OUTSIDE = 0.05
# Beyond as many interquartile ranges, values count as the last one inside: a run that diverged says that it diverged.
MAX_RANGES = 10.0
# Pairs that explain less are not listed.
MIN_PAIR_SHARE = 0.005
# A forest that predicts less than this of runs it has not seen says nothing.
MIN_R2 = 0.1

Progress = Callable[[int, int], None]


class ImportanceRow(Struct, frozen=True):
    """One hyperparameter, or a pair: what it explains beyond its two."""

    names: list[str]
    # Of the variance of the forest, 0 to 1, and where most trees lie.
    share: float
    # Lower end of the interval of the share.
    low: float
    # Upper end of the interval of the share.
    high: float
    # Runs that have it, both for a pair.
    n: int
    # Whether it gets more than a column of random numbers does in nearly all trees.
    distinguishable: bool


class Importance(Struct, frozen=True, kw_only=True):
    n: int
    # How well trees predict runs that they were not grown on; None before the forest is grown.
    r2: float | None = None
    trees: int = 0
    method: Literal["correlation", "fanova"] = "correlation"
    # Why there is no answer.
    refused: str | None = None
    rows: list[ImportanceRow] = []
    # How far to trust it.
    trust: str = ""


class _Coded(Struct, frozen=True):
    name: str
    codes: NDArray[np.uint8]
    bins: int
    is_category: bool
    given: NDArray[np.bool_]
    # Equal for columns that no run tells apart.
    pattern: tuple[bool, bytes]


def measure_importance(
    columns: Sequence[HParamColumn],
    target: Sequence[float | None],
    *,
    goal: Goal,
    seed: int = 0,
    on_first: Callable[[Importance], None] = lambda first: None,
    on_progress: Progress = lambda done, total: None,
) -> Importance:
    """`columns` and `target` have one value per run; runs whose target is missing or not finite are left out.

    `on_first` gets a quick answer by correlation, `on_progress` is called after every tree and may raise to stop.
    """
    rows = np.array(
        [row for row, value in enumerate(target) if value is not None and isfinite(value)], np.int64
    )
    values = np.array([target[row] for row in rows], np.float64)
    refused = _refuse(values)
    if refused is None:
        coded = [each for column in columns if (each := _code(column, rows)) is not None]
        if not coded:
            refused = "No hyperparameter differs among these runs."
    if refused is not None:
        return Importance(n=len(rows), refused=refused)
    notes = []
    coded, same = _without_copies(coded)
    notes += same
    values, cut = _cut_outliers(values, goal)
    if cut:
        notes.append(f"{_count(cut, 'run')} far off the others count as the last one that is not.")
    quick = _correlate(coded, values)
    order = np.argsort([-row.share for row in quick], kind="stable")
    if len(coded) > MAX_COLUMNS:
        left_out = len(coded) - MAX_COLUMNS
        notes.append(f"{_count(left_out, 'hyperparameter')} that correlate least are left out.")
        order = order[:MAX_COLUMNS]
    coded = [coded[place] for place in order]
    on_first(
        Importance(
            n=len(rows),
            rows=[quick[place] for place in order],
            trust="A first look by correlation, each hyperparameter on its own; the forest is being grown.",
        )
    )
    return _grow(coded, values, seed, notes, on_progress)


def _refuse(values: NDArray[np.float64]) -> str | None:
    if len(values) < MIN_RUNS:
        return f"{_count(len(values), 'run')} with a value of this metric; at least {MIN_RUNS} are needed."
    if values.max() == values.min():
        return "The metric has the same value in all runs."
    return None


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _code(column: HParamColumn, rows: NDArray[np.int64]) -> _Coded | None:
    """The column as codes below MAX_BINS; None if it does not differ. A missing value has a code of its own."""
    listed: list[Any] = [column.values[row] for row in rows]
    given = np.array([value is not None for value in listed])
    is_category = column.type in ("string", "mixed")
    if is_category:
        keys = [None if value is None else (type(value).__name__, str(value)) for value in listed]
        counts: dict[Any, int] = {}
        for key in keys:
            counts[key] = counts.get(key, 0) + 1
        if len(counts) == len(rows):
            # A name: nothing can be learned from what never repeats.
            return None
        # The rarest share the last code.
        ranked = sorted(counts, key=lambda key: (-counts[key], str(key)))
        code_of = {key: min(place, MAX_BINS - 1) for place, key in enumerate(ranked)}
        codes = np.array([code_of[key] for key in keys], np.int64)
        ranks = codes
    else:
        numbers = np.array([np.nan if value is None else float(value) for value in listed])
        # NaN that was logged comes after all numbers, infinities at either end.
        levels, inverse = np.unique(np.where(np.isnan(numbers), np.inf, numbers), return_inverse=True)
        inverse = inverse.reshape(-1) + 1
        inverse[np.isnan(numbers) & given] = len(levels) + 1
        inverse[~given] = 0
        ranks = inverse
        codes = _bin(ranks, MAX_BINS)
    codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    bins = int(codes.max()) + 1
    if bins == 1:
        return None
    pattern = _pattern(ranks, is_category=is_category)
    return _Coded(column.name, codes.astype(np.uint8), bins, is_category, given, pattern)


def _bin(ranks: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Ranks as at most `limit` codes with about as many rows each; equal ranks stay together."""
    levels, inverse, counts = np.unique(ranks, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    if len(levels) <= limit:
        return inverse
    middle = np.cumsum(counts) - counts / 2
    codes: NDArray[np.int64] = (middle * limit / len(ranks)).astype(np.int64)
    return codes[inverse]


def _without_copies(coded: Sequence[_Coded]) -> tuple[list[_Coded], list[str]]:
    """Leaves out columns that vary exactly as an earlier one: no run tells them apart."""
    kept: dict[tuple[bool, bytes], _Coded] = {}
    copies: dict[str, list[str]] = {}
    for each in coded:
        key = each.pattern
        if key in kept:
            copies.setdefault(kept[key].name, []).append(each.name)
        else:
            kept[key] = each
    notes = [
        f"{', '.join(names)} {'varies' if len(names) == 1 else 'vary'} exactly as {name}, which stands for all."
        for name, names in copies.items()
    ]
    return list(kept.values()), notes


def _pattern(ranks: NDArray[np.int64], *, is_category: bool) -> tuple[bool, bytes]:
    """Equal for numbers in the same or the opposite order, and for categories by other names."""
    _, first, inverse = np.unique(ranks, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    if is_category or len(first) == 2:
        return len(first) > 2, np.argsort(np.argsort(first))[inverse].tobytes()
    return False, min(inverse.tobytes(), (len(first) - 1 - inverse).tobytes())


def _cut_outliers(values: NDArray[np.float64], goal: Goal) -> tuple[NDArray[np.float64], int]:
    """On the bad side, as from runs that diverged."""
    low, high = np.quantile(values, [0.25, 0.75])
    reach = MAX_RANGES * (high - low)
    if not reach > 0:
        return values, 0
    far = values > high + reach if goal == "min" else values < low - reach
    count = int(far.sum())
    if not count:
        return values, 0
    last = values[~far].max() if goal == "min" else values[~far].min()
    return np.where(far, last, values), count


def _correlate(coded: Sequence[_Coded], values: NDArray[np.float64]) -> list[ImportanceRow]:
    """The share of the ranks' variance that lies between its values, or between a few bins of them: the correlation ratio.

    Unlike a rank correlation it sees an optimum in the middle.
    """
    ranks = _ranks(values)
    centered = ranks - ranks.mean()
    n = len(values)
    around = float((centered**2).sum())
    found = []
    for each in coded:
        codes = each.codes if each.is_category else _bin(each.codes.astype(np.int64), QUICK_BINS)
        counts = np.bincount(codes)
        sums = np.bincount(codes, weights=centered)[counts > 0]
        counts = counts[counts > 0]
        between = float((sums**2 / counts).sum()) / around
        # What as many bins explain by chance is taken off.
        share = max(0.0, 1 - (1 - between) * (n - 1) / max(1, n - len(counts)))
        # Twice the standard error of chance.
        is_more = share > 2 * (2 * (len(counts) - 1)) ** 0.5 / n
        found.append(ImportanceRow([each.name], share, share, share, int(each.given.sum()), is_more))
    return found


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """From 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means: NDArray[np.float64] = ends - (counts - 1) / 2
    return means[inverse.reshape(-1)]


def _grow(
    coded: Sequence[_Coded],
    values: NDArray[np.float64],
    seed: int,
    notes: Sequence[str],
    on_progress: Progress,
) -> Importance:
    rng = np.random.default_rng(seed)
    n = len(values)
    # The last column is random: what it seems to explain is what chance explains.
    random_bins = min(n, MAX_BINS)
    codes = np.zeros((len(coded) + 1, n), np.uint8)
    for place, each in enumerate(coded):
        codes[place] = each.codes
    bins = [*(each.bins for each in coded), random_bins]
    mass = np.zeros((len(bins), MAX_BINS))
    pairs = np.array(list(combinations(range(min(len(coded), MAX_PAIRED)), 2)), np.int32).reshape(-1, 2)
    single = np.zeros((TREES, len(bins)))
    joint = np.zeros((TREES, len(pairs)))
    sums, counts = np.zeros(n), np.zeros(n)
    predicted = np.zeros(n)
    # Around 0 and of variance 1, so that rounding cannot look like a gain.
    target = (values - values.mean()) / values.std()
    is_grown = np.zeros(TREES, np.bool_)
    for number in range(TREES):
        for place, each in enumerate(coded):
            if each.is_category:
                # Categories have no order: each tree sees another one.
                codes[place] = rng.permutation(each.bins).astype(np.uint8)[each.codes]
        codes[-1] = rng.permutation(n) % random_bins
        for place, count in enumerate(bins):
            mass[place] = np.bincount(codes[place], minlength=MAX_BINS) / n
            assert count <= MAX_BINS
        rows = rng.integers(0, n, n)
        out = np.ones(n, np.bool_)
        out[rows] = False
        variance = divide_variance(
            codes,
            target,
            mass,
            pairs,
            rows,
            predicted,
            single[number],
            joint[number],
            min_leaf=max(MIN_LEAF, n // MAX_LEAVES),
            seed=int(rng.integers(1, 2**63)),
        )
        if variance > 0:
            single[number] /= variance
            joint[number] /= variance
            is_grown[number] = True
        sums[out] += predicted[out]
        counts[out] += 1
        on_progress(number + 1, TREES)
    seen = counts > 0
    left = float(((target[seen] - sums[seen] / counts[seen]) ** 2).sum())
    around = float(((target[seen] - target[seen].mean()) ** 2).sum())
    r2 = 1 - left / around if around > 0 else 0.0
    if not is_grown.any():
        return Importance(
            n=n, r2=r2, trees=TREES, method="fanova", refused="No split of the runs explains anything."
        )
    single, joint = single[is_grown], joint[is_grown]
    # Of a forest that predicts nothing, nothing is told apart from chance.
    chance = float(np.quantile(single[:, -1], 1 - OUTSIDE)) if r2 >= MIN_R2 else 1.0
    found = [
        _row([each.name], single[:, place], int(each.given.sum()), chance) for place, each in enumerate(coded)
    ]
    for number, (a, b) in enumerate(pairs.tolist()):
        both = coded[a].given & coded[b].given
        row = _row([coded[a].name, coded[b].name], joint[:, number], int(both.sum()), chance)
        if row.share >= MIN_PAIR_SHARE:
            found.append(row)
    found.sort(key=lambda row: (-row.share, len(row.names), row.names))
    return Importance(n=n, r2=r2, trees=TREES, method="fanova", rows=found, trust=_trust(n, r2, notes))


def _row(names: list[str], shares: NDArray[np.float64], n: int, chance: float) -> ImportanceRow:
    low, high = np.quantile(shares, [OUTSIDE, 1 - OUTSIDE])
    share = float(shares.mean())
    return ImportanceRow(names, share, float(low), float(high), n, share > chance)


def _trust(n: int, r2: float, notes: Sequence[str]) -> str:
    share = f"{max(0.0, r2) * 100:.0f} %"
    if r2 < MIN_R2:
        text = f"The forest cannot predict runs that it has not seen (R² {r2:.2f}, {n:,} runs): the bars say next to nothing."
    elif r2 < 0.5:
        text = f"The forest predicts {share} of the variance of runs that it has not seen ({n:,} runs): take the bars as a hint."
    elif n < 30:
        text = f"The forest predicts {share} of the variance of runs that it has not seen, but {n:,} runs are few: look at the intervals."
    else:
        text = f"The forest predicts {share} of the variance of runs that it has not seen ({n:,} runs): the long bars can be trusted."
    return " ".join([text, *notes])
