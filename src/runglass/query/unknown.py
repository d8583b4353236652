"""The errors for unknown runs and series, with suggestions.

Shared by every DataSource, so that a mistyped tag gets the same help everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable

from runglass.errors import RunUnknown, SeriesUnknown
from runglass.store.model import SeriesKey

NAMES_SHOWN = 5
# difflib is slow; with more names than this, the first few are shown instead of the closest.
NAMES_COMPARED = 2000


def run_unknown(run: str, known: Iterable[str]) -> RunUnknown:
    names = list(known)
    if not names:
        return RunUnknown(f"There is no run {run!r}: no runs were found yet.", where=run)
    return RunUnknown(
        f"There is no run {run!r} among {len(names):,}. {_nearest(run, names)}",
        where=run,
        has_list=True,
    )


def series_unknown(key: SeriesKey, known: Iterable[str], *, wanted: str = "series") -> SeriesUnknown:
    """`known`: the tags of this run that qualify; `wanted`: what the caller needs, such as "scalar series"."""
    names = list(known)
    where = f"{key.run}/{key.tag}"
    if not names:
        return SeriesUnknown(f"Run {key.run!r} has no {wanted}, so none with tag {key.tag!r}.", where=where)
    return SeriesUnknown(
        f"Run {key.run!r} has no {wanted} with tag {key.tag!r}. {_nearest(key.tag, names)}",
        where=where,
        has_list=True,
    )


def tag_unknown(tag: str, known: Iterable[str]) -> SeriesUnknown:
    """For a tag that no run has."""
    names = sorted(known)
    if not names:
        return SeriesUnknown(f"No run has the tag {tag!r}: nothing was logged yet.", where=tag)
    return SeriesUnknown(f"No run has the tag {tag!r}. {_nearest(tag, names)}", where=tag)


def _nearest(wanted: str, names: list[str]) -> str:
    close: list[str] = []
    if len(names) <= NAMES_COMPARED:
        from difflib import get_close_matches

        close = get_close_matches(wanted, names, n=NAMES_SHOWN)
    shown = close or names[:NAMES_SHOWN]
    listed = ", ".join(repr(name) for name in shown)
    if close:
        return f"Close: {listed}."
    more = len(names) - len(shown)
    return f"There {'is' if len(names) == 1 else 'are'} {listed}{f' and {more:,} more' if more else ''}."
