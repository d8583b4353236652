"""Marks that people share: names, notes, stars, labels and colours of runs, and saved views. Each field has who wrote it and when, and a version.

Pure. Merging is by field: the last writer wins, and learns what somebody else had written meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal, Protocol

from msgspec import Meta, Struct

from runglass.errors import BadRequest, RunglassError

Of = Literal["run", "view"]
Value = bool | str | None
# What a mark is about: (of, name, field).
Key = tuple[str, str, str]

MAX_CHANGES = 10_000
MAX_NAME = 4_096
MAX_TEXT = {"name": 500, "note": 20_000, "address": 64 * 2**10}
MAX_LABEL = 200
LABEL = "label:"
COLOR = re.compile(r"#[0-9a-fA-F]{6}")
# A mark that was removed is remembered for so long: a page that was away meanwhile must not bring it back.
REMOVED_S = 30 * 86_400.0


class OverlayUnavailable(RunglassError):
    """Shared marks that cannot be read or written now. What is known of them stays; nothing was changed."""

    code = "overlay_unavailable"
    http_status = 503


class Mark(Struct, frozen=True, kw_only=True):
    of: Annotated[Of, Meta(description="What is marked: a run, or a saved view.")]
    name: Annotated[str, Meta(description="Name of the run or view.")]
    field: Annotated[
        str,
        Meta(description="isStarred, name, note, color or label:TEXT of a run; address of a view."),
    ]
    value: Annotated[Value, Meta(description="Null: it was removed.")]
    by: Annotated[str, Meta(description="Who wrote it; empty if the server does not ask.")]
    at: Annotated[float, Meta(description="When, in seconds since 1970.")]
    version: Annotated[int, Meta(description="Of this field: grows with every change.")]

    @property
    def key(self) -> Key:
        return self.of, self.name, self.field


class MarkChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    of: Annotated[Of, Meta(description="What is marked: a run, or a saved view.")]
    name: Annotated[str, Meta(description="Name of the run or view.")]
    field: Annotated[
        str,
        Meta(description="isStarred, name, note, color or label:TEXT of a run; address of a view."),
    ]
    value: Annotated[Value, Meta(description="Null removes it.")]
    base: Annotated[
        int, Meta(ge=0, description="The version of the field that the writer has seen; 0 for none.")
    ] = 0

    @property
    def key(self) -> Key:
        return self.of, self.name, self.field


class Written(Struct, frozen=True):
    revision: int
    # The fields as they are now.
    marks: list[Mark]
    # What others had written in these fields since `base`, and what this change has replaced.
    replaced: list[Mark]


class Shared(Struct, frozen=True):
    """All shared marks at one moment."""

    revision: int
    marks: Mapping[Key, Mark]
    # "" while they can be read and written; else what is wrong, for people.
    problem: str = ""
    # Since this revision the marks are others altogether, as when an older copy was put back: who knows less loads all.
    whole_from: int = 0
    # A mark of a revision may be seen this much later than those of later revisions, where several write at once.
    late_by: int = 0

    def list_since(self, revision: int) -> tuple[list[Mark], bool]:
        """The marks that changed after a revision, and whether these are all there are."""
        is_whole = not self.whole_from <= revision <= self.revision or revision == 0
        marks = [
            mark
            for mark in self.marks.values()
            if (mark.value is not None if is_whole else mark.version > revision - self.late_by)
        ]
        return sorted(marks, key=lambda mark: mark.key), is_whole


class OverlayStore(Protocol):
    """The shared marks of one project. May be used from several threads."""

    def read(self) -> Shared: ...

    def write(self, changes: Sequence[MarkChange], *, by: str) -> Written:
        """Raises OverlayUnavailable; then nothing was written."""
        ...

    def look(self) -> None:
        """Notice what others have written elsewhere. Called about every second while somebody follows."""
        ...

    def listen(self, on_change: Callable[[], None]) -> Callable[[], None]:
        """`on_change` is called from any thread after a change, until the returned function is called."""
        ...


def check_change(change: MarkChange) -> None:
    """Raises BadRequest."""
    if not change.name or len(change.name) > MAX_NAME:
        raise BadRequest(f"A name has 1 to {MAX_NAME:,} characters, not {len(change.name):,}.", where="name")
    field, value = change.field, change.value
    if change.of == "view":
        is_right = field == "address" and _is_text(value, MAX_TEXT["address"])
        is_right = is_right and (value is None or value == "" or str(value).startswith("#"))
    elif field == "isStarred":
        is_right = value is None or value is True
    elif field in ("name", "note"):
        is_right = _is_text(value, MAX_TEXT[field]) and value != ""
    elif field == "color":
        is_right = value is None or (isinstance(value, str) and COLOR.fullmatch(value) is not None)
    elif field.startswith(LABEL):
        is_right = 0 < len(field) - len(LABEL) <= MAX_LABEL and (value is None or value is True)
    else:
        known = "isStarred, name, note, color, label:TEXT; of a view: address"
        raise BadRequest(f"There is no field {field!r} of a {change.of}. Fields: {known}.", where="field")
    if not is_right:
        raise BadRequest(
            f"This value is not one of the field {field!r}: stars and labels are true, colours #rrggbb, names up to"
            f" {MAX_TEXT['name']} and notes up to {MAX_TEXT['note']:,} characters, addresses of views begin with #;"
            " null removes a mark.",
            where="value",
        )


def _is_text(value: Value, limit: int) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= limit)


def merge(
    marks: Mapping[Key, Mark], changes: Sequence[MarkChange], *, by: str, at: float, revision: int
) -> tuple[dict[Key, Mark], Written]:
    """The marks after these changes, and what to tell the writer. `revision` is that of the new marks."""
    after = dict(marks)
    changed: dict[Key, Mark] = {}
    replaced: dict[Key, Mark] = {}
    for change in changes:
        before = after.get(change.key)
        if before is not None and before.value != change.value and before.version > change.base:
            replaced.setdefault(change.key, before)
        if before is None and change.value is None:
            continue
        if before is None or before.value != change.value:
            after[change.key] = Mark(
                of=change.of,
                name=change.name,
                field=change.field,
                value=change.value,
                by=by,
                at=at,
                version=revision,
            )
        changed[change.key] = after[change.key]
    # Fields that this request itself wrote twice replaced nothing of others.
    mine = {key for key, mark in replaced.items() if mark.version == revision}
    told = [mark for key, mark in replaced.items() if key not in mine]
    return after, Written(revision, list(changed.values()), told)


def forget_removed(marks: Mapping[Key, Mark], *, now: float) -> dict[Key, Mark]:
    return {key: mark for key, mark in marks.items() if mark.value is not None or now - mark.at < REMOVED_S}
