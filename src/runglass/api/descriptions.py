"""What was logged about tags beside their values: display names and descriptions. Most tags have none."""

from __future__ import annotations

from msgspec import Struct

from runglass.api.kept import PerSource, Versioned
from runglass.api.route import Answer, Later, NoParameters, Reply, Route, encode_once
from runglass.query.source import DataSource
from runglass.store.model import Kind

MAX_DESCRIBED = 10_000
# Of one tag: runs may describe it in different words.
MAX_TEXTS = 8


class Description(Struct, frozen=True):
    display_name: str
    description: str
    # The first run with these words, and how many have them.
    run: str
    runs: int


class Described(Struct, frozen=True):
    tag: str
    kind: Kind
    texts: list[Description]


class Descriptions(Struct, frozen=True):
    """Tags whose display name or description says something that the tag does not."""

    tags: list[Described]


_kept: PerSource[Versioned[str, Answer]] = PerSource(Versioned)


def list_descriptions(source: DataSource, query: NoParameters) -> Reply:
    """Display names and descriptions of tags, where there are any."""
    # They come with a series and do not change; values that are added change nothing.
    runs = source.list_runs()
    version = len(runs), sum(run.series for run in runs)
    return Later(lambda: _kept.of(source).read("", version, lambda: encode_once(_describe(source))))


def _describe(source: DataSource) -> Descriptions:
    found: dict[tuple[str, Kind], dict[tuple[str, str], list[str]]] = {}
    for info in source.list_series():
        meta = info.meta
        name = (
            "" if meta.display_name in (info.key.tag, info.key.tag.rpartition("/")[2]) else meta.display_name
        )
        if not name and not meta.description:
            continue
        texts = found.setdefault((info.key.tag, meta.kind), {})
        texts.setdefault((name, meta.description), []).append(info.key.run)
        if len(found) >= MAX_DESCRIBED:
            break
    return Descriptions(
        [
            Described(
                tag,
                kind,
                [
                    Description(display_name=name, description=text, run=runs[0], runs=len(runs))
                    for (name, text), runs in list(texts.items())[:MAX_TEXTS]
                ],
            )
            for (tag, kind), texts in found.items()
        ],
    )


ROUTES = (Route("/api/descriptions", list_descriptions, Descriptions),)
