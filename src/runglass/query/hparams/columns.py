"""Hyperparameters as columns: the union of all names, with types that follow from the values. Pure.

What was declared and turns out wrong is said, never believed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.native.hparams import gather
from runglass.query.hparams.model import (
    NOT_FINITE,
    RECORD,
    Domain,
    Experiment,
    HParam,
    HParamInfo,
    HParamType,
    Session,
)

# Names of what repeats a training without changing it. As on the page, where it groups runs into bands.
SEED_NAME = re.compile(
    r"(.*[^a-z])?(random_?)?(seed|rng|repeat|trial|replica|fold)s?([^a-z].*)?", re.IGNORECASE
)
MAX_NAMED = 6


class HParamColumn(Struct, frozen=True):
    info: HParamInfo
    type: HParamType
    # Where the values come from, joined by ", ".
    source: str
    problem: str | None
    distinct: int
    missing: int
    # One per session; None where it has none. Of one type unless `type` is "mixed".
    values: list[HParam | None]
    # How much the values tell, in nats: 0 if all are equal.
    entropy: float

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def is_constant(self) -> bool:
        return self.distinct <= 1 and not self.missing


def is_seed(name: str) -> bool:
    return SEED_NAME.fullmatch(name) is not None


def make_columns(sessions: Sequence[Session], experiments: Iterable[Experiment]) -> list[HParamColumn]:
    """In the order of first use."""
    values = gather([session.hparams for session in sessions])
    sources = _sources(sessions, values)
    declared: dict[str, list[HParamInfo]] = {}
    for experiment in experiments:
        for info in experiment.hparams:
            declared.setdefault(info.name, []).append(info)
    return [
        _make_column(name, each, ", ".join(sources[name]), declared.get(name, []))
        for name, each in values.items()
    ]


def _sources(sessions: Sequence[Session], names: Iterable[str]) -> dict[str, dict[str, None]]:
    """Where each name comes from, in the order of first use."""
    found: dict[str, dict[str, None]] = {name: {} for name in names}
    if not any(session.files for session in sessions):
        return {name: {RECORD: None} for name in found}
    for session in sessions:
        for name in session.hparams:
            found[name][session.files.get(name, RECORD)] = None
    return found


def order_columns(columns: Iterable[HParamColumn]) -> list[HParamColumn]:
    """Those that differ come first, the most telling of them at the front; those that are equal in all sessions last."""
    return sorted(columns, key=_rank)


def _make_column(
    name: str, values: list[HParam | None], source: str, declared: list[HParamInfo]
) -> HParamColumn:
    info, problems = _merge(name, declared)
    kind, values, doubt = _unify(values)
    problems += doubt
    given = [value for value in values if value is not None]
    if info.type is not None and info.type != kind and not doubt:
        problems.append(f"Declared as {info.type}, but the values are {_kind_words(kind)}.")
    if info.domain is not None:
        problems += _check_domain(info.domain, given)
    counts = _count_distinct(kind, given)
    shares = counts / max(1, len(given))
    return HParamColumn(
        info,
        kind,
        source,
        " ".join(problems) or None,
        len(counts),
        len(values) - len(given),
        values,
        float(-(shares * np.log(shares)).sum()),
    )


def _count_distinct(kind: HParamType, given: list[HParam]) -> NDArray[np.int64]:
    """How often each value occurs. NaN is one value, though it differs from itself; True is not 1.0."""
    if kind == "number":
        return np.unique(np.array(given, np.float64), return_counts=True)[1]
    counts = Counter(map(_key, given) if kind == "mixed" else given)
    return np.array(list(counts.values()), np.int64)


def _merge(name: str, declared: list[HParamInfo]) -> tuple[HParamInfo, list[str]]:
    """What the experiments say of it, the first one first."""
    problems = []
    domains = list(dict.fromkeys(info.domain for info in declared if info.domain is not None))
    if len(domains) > 1:
        # A run that declares the values of its own trial, as add_hparams can, does not contradict the others.
        told = "; ".join(describe_domain(domain) for domain in domains[:MAX_NAMED])
        problems.append(f"Experiments declare different values: {told}.")
    types = list(dict.fromkeys(info.type for info in declared if info.type is not None))
    merged = HParamInfo(
        name,
        next((info.display_name for info in declared if info.display_name), ""),
        next((info.description for info in declared if info.description), ""),
        types[0] if len(types) == 1 else None,
        domains[0] if len(domains) == 1 else None,
    )
    return merged, problems


def _unify(values: list[HParam | None]) -> tuple[HParamType, list[HParam | None], list[str]]:
    """The type of all values, the values in that type, and what had to be read into them."""
    counts = Counter(map(type, values))
    counts.pop(type(None), None)
    if len(counts) == 1:
        (only,) = counts
        if only is float:
            return "number", values, []
        if only is bool:
            return "bool", values, []
        if any(value not in NOT_FINITE for value in values if value is not None):
            return "string", values, []
        return "number", [None if value is None else float(value) for value in values], []
    numbers, texts, bools = counts[float], counts[str], counts[bool]
    if bools and not texts and all(value in (0.0, 1.0) for value in values if type(value) is float):
        plain: list[HParam | None] = [None if value is None else bool(value) for value in values]
        return "bool", plain, [f"Written as 0 or 1 in {_runs(numbers)}, as true or false in {_runs(bools)}."]
    if numbers and not bools:
        read = [_number(value) if type(value) is str else value for value in values]
        if all(value is not None or given is None for value, given in zip(read, values, strict=True)):
            odd = sum(type(value) is str and value not in NOT_FINITE for value in values)
            doubt = [f"Written as text in {_runs(odd)}, as a number in the others."] if odd else []
            return "number", read, doubt
    words = [
        f"{what} in {_runs(count)}"
        for what, count in (("numbers", numbers), ("text", texts), ("true or false", bools))
        if count
    ]
    return "mixed", values, [f"Values of several types: {', '.join(words)}."]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _check_domain(domain: Domain, given: list[HParam]) -> list[str]:
    if domain.values is not None:
        allowed = {_key(value) for value in domain.values}
        outside = [value for value in given if _key(value) not in allowed]
    elif domain.min is not None and domain.max is not None:
        low, high = domain.min, domain.max
        outside = [value for value in given if isinstance(value, str) or not low <= value <= high]
    else:
        return []
    if not outside:
        return []
    named = list(dict.fromkeys(describe_value(value) for value in outside))
    more = ", …" if len(named) > MAX_NAMED else ""
    return [
        f"Declared as {describe_domain(domain)}, but {_runs(len(outside))} {'has' if len(outside) == 1 else 'have'} other values: "
        f"{', '.join(named[:MAX_NAMED])}{more}."
    ]


def _key(value: HParam) -> object:
    if isinstance(value, float):
        # True equals 1.0, so the type is part of the key.
        return (float, value if value == value else "NaN")
    return (type(value), value)


def describe_domain(domain: Domain) -> str:
    if domain.values is not None:
        more = ", …" if len(domain.values) > MAX_NAMED else ""
        return f"{{{', '.join(describe_value(value) for value in domain.values[:MAX_NAMED])}{more}}}"
    return f"{describe_value(domain.min or 0.0)} to {describe_value(domain.max or 0.0)}"


def describe_value(value: HParam) -> str:
    """As text: numbers in their shortest form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = repr(value).removesuffix(".0")
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(text, text.replace("e-0", "e-"))
    return value if len(value) <= 60 else f"{value[:59]}…"


def _kind_words(kind: HParamType) -> str:
    return {
        "number": "numbers",
        "string": "text",
        "bool": "true or false",
        "mixed": "of several types",
    }[kind]


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count:,} runs"


def _rank(column: HParamColumn) -> tuple[bool, bool, int, float]:
    is_name = column.type in ("string", "mixed") and column.distinct == len(column.values) > 1
    # What is in most runs and takes many values tells most; a seed or a name tells nothing.
    return column.is_constant, is_seed(column.name) or is_name, column.missing, -column.entropy
