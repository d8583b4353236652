"""The route that lists assets: files of runs that are not event files. Sends none of their bytes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from runglass.api.route import Later, Reply, Route
from runglass.query.source import Capability, DataSource
from runglass.store.model import Asset, Family


class AssetsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    run: str | None = None
    family: Annotated[
        Family | None,
        Meta(
            description="checkpoint and vectors are listed only when they are asked for: other assets name them."
        ),
    ] = None


class Assets(Struct, frozen=True):
    generation: int
    assets: list[Asset]


def list_assets(source: DataSource, query: AssetsQuery) -> Reply:
    """Files of one run or of all that are not event files, by run and name."""

    def work() -> Assets:
        generation = source.generation
        if Capability.ASSETS not in source.capabilities:
            return Assets(generation, [])
        return Assets(generation, source.list_assets(run=query.run, family=query.family))

    # What an asset names is found by reading that asset.
    return Later(work)


ROUTES = (Route("/api/assets", list_assets, Assets, query=AssetsQuery),)
