"""A series in a request: named by run and tag, and looked up or missed. Knows no kind of value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta, Struct
from numpy import arange

from runglass.errors import RunUnknown, SeriesUnknown
from runglass.query.source import DataSource, Int64, Values
from runglass.store.model import Attempts, Kind, SeriesKey


class SeriesRef(Struct, frozen=True, forbid_unknown_fields=True):
    run: str
    tag: str

    @property
    def key(self) -> SeriesKey:
        return SeriesKey(self.run, self.tag)


class Unknown(Struct, frozen=True, omit_defaults=True):
    """Names in a request that nothing in the log has. They are left out of the answer: a run may vanish between listing and asking."""

    # Runs that do not exist.
    runs: list[str] = []
    # Tags that none of the runs has.
    tags: list[str] = []
    # Of `series`: those whose run or tag does not exist.
    series: list[SeriesRef] = []


Missed = Annotated[
    Unknown | None, Meta(description="What was asked for and is not there; left out if all is there.")
]


def find_unknown_series(source: DataSource, series: Iterable[SeriesRef], *, kind: Kind) -> Unknown | None:
    """Those of a request that do not exist, each once; None if all do."""
    tag_set_of, tag_sets = source.list_tag_sets(kind=kind)

    def exists(key: SeriesKey) -> bool:
        number = tag_set_of.get(key.run)
        return number is not None and key.tag in tag_sets[number]

    missing = [key for key in dict.fromkeys(each.key for each in series) if not exists(key)]
    return Unknown(series=[SeriesRef(key.run, key.tag) for key in missing]) if missing else None


def find_series(
    source: DataSource, key: SeriesKey, *, kind: Kind, attempts: Attempts = "latest"
) -> Values | None:
    """None if the series does not exist: a run may vanish between listing and asking."""
    try:
        return source.read_values(key, kind=kind, attempts=attempts)
    except (RunUnknown, SeriesUnknown):
        return None


def row_numbers(values: Values) -> Int64:
    """The index of each value among all attempts: it stays the same when a restart overwrites other values."""
    return arange(len(values.step)) if values.rows is None else values.rows
