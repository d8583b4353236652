"""What is known of a regular expression without running it: why it cannot be searched for, how long it may take, which texts all
that it matches contains, and whether it finds the same in lower case, where matching takes a third of the time."""

from __future__ import annotations

import re

from runglass.query.patterns import UNREADABLE

SPECIAL = re.compile(r"[|()]|\[[^\]]*\\")
GROUPED = re.compile(r"[()\[\\]")
CLASS = re.compile(r"\[\]?[^\]]*\]")
ESCAPED = re.compile(r"\\.")
REPEATED = re.compile(r".(?:[*?+]|\{[^}]*\})")
OTHER = re.compile(r"[^A-Za-z0-9_/ -]+")
PLAIN = re.compile(r"[A-Za-z0-9_/ -]+(?:\|[A-Za-z0-9_/ -]+)*")
MAX_ALTERNATIVES = 4
QUICK_REPEATS = 2
# Letters stand for themselves, of either case; in a class, for themselves or as ends of a range of one case. No flags.
LETTERS_ALONE = re.compile(
    r"""(?: [A-Za-z0-9_/:;,=<>@!#%&~' .|)^$*+?-] | \((?!\?) | \(\?: | \{[0-9,]*\} | \\[dswb] | \\[!-/:-@\[-`{-~]
    | \[\^?(?: [a-z]-[a-z] | [A-Z]-[A-Z] | [0-9]-[0-9] | [A-Za-z0-9_/:;,=.\ ] | \\[dsw] | \\[!-/:-@\[-`{-~] )+-?\] )*""",
    re.VERBOSE,
)


def find_problem(pattern: str) -> str | None:
    """Why a pattern is not searched for. Repetition of a repetition can take longer than anybody waits."""
    try:
        re.compile(pattern)
    except UNREADABLE as error:
        return f"The pattern /{pattern}/ cannot be read: {error}."
    if re.search(r"[+*}]\??\)[+*{]", pattern):
        return f"The pattern /{pattern}/ repeats a repetition, which can take very long. Write it without."
    return None


def is_quick(pattern: str) -> bool:
    """Whether a text of some hundred letters takes a moment at most: nothing is grouped, and hardly anything repeated."""
    return "(" not in pattern and sum(map(pattern.count, "*+?{")) <= QUICK_REPEATS


def plain_texts(pattern: str) -> list[str]:
    """The texts that it stands for, if it is nothing but some texts with `|` between them."""
    return pattern.split("|") if PLAIN.fullmatch(pattern) else []


def needed_texts(pattern: str) -> list[str]:
    """Texts in lower case that everything that a pattern matches contains, the longest first, as far as that is obvious."""
    if SPECIAL.search(pattern):
        return []
    # A character that may be missing or come often is none of the text.
    plain = REPEATED.sub("\0", ESCAPED.sub("\0", CLASS.sub("\0", pattern)))
    return sorted({text.lower() for text in OTHER.split(plain) if len(text) > 1}, key=len)[::-1]


def needed_of_each(pattern: str) -> list[str]:
    """Of each alternative such a text, if every one has one; otherwise none, as where that is not obvious."""
    parts = pattern.split("|")
    if GROUPED.search(pattern) or len(parts) > MAX_ALTERNATIVES:
        return []
    texts = [next(iter(needed_texts(part)), "") for part in parts]
    return texts if all(texts) else []


def lower_pattern(pattern: str) -> str | None:
    """What finds in lower-case ASCII what the pattern finds in either case; None: that is not obvious."""
    return pattern.lower() if LETTERS_ALONE.fullmatch(pattern) else None
