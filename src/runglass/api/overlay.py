"""The routes of shared marks: read them, and change some. Knows neither where they are kept nor who may do what."""

from __future__ import annotations

from typing import Annotated, cast

from msgspec import Meta, Struct

from runglass.api.person import Asked
from runglass.api.route import Later, Reply, Route
from runglass.errors import BadRequest
from runglass.overlay.model import MAX_CHANGES, Mark, MarkChange, OverlayStore, Written, check_change
from runglass.query.source import DataSource


class OverlayQuery(Struct, frozen=True, forbid_unknown_fields=True):
    since: Annotated[
        int, Meta(ge=0, description="Only marks that changed after this revision; 0 for all.")
    ] = 0


class OverlayAnswer(Struct, frozen=True):
    # False: this server shares none, and every browser keeps its own.
    is_shared: bool
    # Whether who asks may change them.
    can_mark: bool
    revision: Annotated[
        int, Meta(description="Grows with every change of any mark; pass it back as `since`.")
    ]
    problem: Annotated[str, Meta(description="Why marks cannot be saved now; empty if they can.")]
    is_whole: Annotated[
        bool, Meta(description="These are all marks, also with `since`; else those that changed.")
    ]
    marks: list[Mark]


class OverlayBody(Struct, frozen=True, forbid_unknown_fields=True):
    changes: Annotated[list[MarkChange], Meta(max_length=MAX_CHANGES)]


def make_routes(overlay: OverlayStore | None) -> tuple[Route, ...]:
    def read_overlay(source: DataSource, asked: Asked) -> Reply:
        """The marks that all share: names, notes, stars, labels and colours of runs, and saved views."""
        if overlay is None:
            return OverlayAnswer(False, asked.person.can_mark, 0, "", is_whole=True, marks=[])
        since = cast(OverlayQuery, asked.parameters).since
        store, can_mark = overlay, asked.person.can_mark

        def work() -> OverlayAnswer:
            # Without a live page nobody else looks for what other servers wrote.
            store.look()
            shared = store.read()
            marks, is_whole = shared.list_since(since)
            return OverlayAnswer(
                True, can_mark, shared.revision, shared.problem, is_whole=is_whole, marks=marks
            )

        return Later(work)

    def write_overlay(source: DataSource, asked: Asked) -> Reply:
        """Change some marks: of each field the last writer wins, and learns what it has replaced."""
        if overlay is None:
            raise BadRequest(
                "This server shares no marks. Start it with --shared_overlay FILE.", where="shared_overlay"
            )
        asked.person.check_mark()
        changes = cast(OverlayBody, asked.parameters).changes
        for change in changes:
            check_change(change)
        store = overlay
        return Later(lambda: store.write(changes, by=asked.person.name))

    return (
        Route("/api/overlay", read_overlay, OverlayAnswer, query=OverlayQuery, wants_person=True),
        Route("/api/overlay", write_overlay, Written, body=OverlayBody, wants_person=True),
    )
