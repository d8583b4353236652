"""Who asks, and what they may do. Does not know how they proved it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from runglass.errors import Forbidden

# Read everything; or also change the shared marks.
Right = Literal["read", "mark"]


class Person(Struct, frozen=True, kw_only=True):
    # "" where the server asks nobody who they are.
    name: str = ""
    right: Right = "mark"
    # None: all of them.
    projects: frozenset[str] | None = None
    # What is limited and ended together: one token, one user of a proxy, or one address.
    credential: str = ""

    def may_see(self, project: str) -> bool:
        return self.projects is None or project in self.projects

    @property
    def can_mark(self) -> bool:
        return self.right == "mark"

    def check_mark(self) -> None:
        if not self.can_mark:
            raise Forbidden(
                "Your token may read, but not change the marks that all share. Ask who runs this server for one that may:"
                " runglass token create NAME --marks.",
                where="token",
            )


NOBODY = Person()


class Asked(Struct, frozen=True):
    """The parameters of a route that wants to know who asks."""

    parameters: Struct
    person: Person
