"""Grouping and aggregation of sessions, beside plain Python written to be read."""

from __future__ import annotations

import math
import statistics

from hypothesis import given
from hypothesis import strategies as st

from runglass.query.hparams.columns import is_seed
from runglass.query.hparams.groups import aggregate, group_rows

finite = st.floats(-1e6, 1e6)
metric = st.none() | finite | st.sampled_from([math.nan, math.inf, -math.inf])
hparam = (
    st.floats()
    | st.booleans()
    | st.text(max_size=4)
    | st.sampled_from(["adam", "1.0", "x" * 90 + "a", "x" * 90 + "b"])
)
names = st.sampled_from(["lr", "seed", "random_seed", "data.fold", "opt", "seedling"])
rows = st.lists(st.tuples(st.dictionaries(names, hparam), st.sampled_from(["", "a", "b"])), max_size=30)


def is_equal(a: object, b: object) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, float) and isinstance(b, float):
        # 0.0 and -0.0 were logged as different numbers.
        return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return a == b


def are_equal(a: dict[str, object], b: dict[str, object]) -> bool:
    return a.keys() == b.keys() and all(is_equal(a[name], b[name]) for name in a)


@given(st.lists(metric, max_size=40))
def test_aggregates(values):
    found = aggregate(values)
    kept = [value for value in values if value is not None and math.isfinite(value)]
    assert found.n == len(kept)
    if not kept:
        assert found.mean is found.median is found.min is found.max is found.standard_error is None
        return
    assert (found.min, found.max, found.median) == (min(kept), max(kept), statistics.median(kept))
    assert math.isclose(found.mean, math.fsum(kept) / len(kept), rel_tol=1e-9, abs_tol=1e-9)
    assert found.min <= found.mean <= found.max
    if len(kept) == 1:
        assert found.standard_error is None
    else:
        expected = statistics.stdev(kept) / math.sqrt(len(kept))
        assert math.isclose(found.standard_error, expected, rel_tol=1e-6, abs_tol=1e-6)


@given(rows, st.sampled_from(["settings", "group", "lr", "opt", "absent"]))
def test_groups(rows, by):
    numbered = list(enumerate(rows))
    groups = group_rows(numbered, by, hparams=lambda row: row[1][0], facts=lambda row: {"group": row[1][1]})

    def belong_together(one, other):
        if by == "group":
            return one[1] == other[1]
        if by == "settings":
            kept = [
                {name: value for name, value in row[0].items() if not is_seed(name)} for row in (one, other)
            ]
            return are_equal(*kept)
        values = [row[0].get(by) for row in (one, other)]
        return is_equal(*values)

    # Every row is in one group, and two rows share it exactly if they belong together.
    group_of = {number: place for place, (_, members) in enumerate(groups) for number, _ in members}
    assert sorted(number for _, members in groups for number, _ in members) == [
        number for number, _ in numbered
    ]
    for number, row in numbered:
        for other_number, other in numbered:
            assert (group_of[number] == group_of[other_number]) == belong_together(row, other)
    # In the order of their first rows, and rows in their own order.
    firsts = [members[0][0] for _, members in groups]
    assert firsts == sorted(firsts)
    assert all(
        [number for number, _ in members] == sorted(number for number, _ in members) for _, members in groups
    )


def test_names_of_seeds():
    """As on the page, where runs are grouped into bands by the same rule."""
    seeds = [
        "seed",
        "random_seed",
        "data.seed",
        "SEED",
        "seed_1",
        "rng",
        "trial",
        "replica",
        "cv_fold",
        "seeds",
    ]
    assert [name for name in seeds if not is_seed(name)] == []
    others = ["lr", "seedling", "manifold", "trials_per_day_x", "unseeded"]
    assert [name for name in others if is_seed(name)] == ["trials_per_day_x"]
