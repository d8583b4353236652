"""A series in a request: named by run and tag, and looked up. Knows no kind of value."""

from __future__ import annotations

from msgspec import Struct
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
