"""Makes text from logs safe to print for people: a terminal would obey its control characters."""

from __future__ import annotations

import logging


def make_visible(text: str, *, keep: str = "\n\t") -> str:
    """The text with control characters as pictures or escapes: ␛]0;title. Characters in `keep` stay."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each in keep else _picture(each) for each in text)


def make_one_line(text: str) -> str:
    return make_visible(text, keep="")


def _picture(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    # Spaces of other widths are not printable to Python, and harmless.
    if character.isspace() and character not in "\x85\u2028\u2029":
        return character
    return "␡" if code == 0x7F else ascii(character)[1:-1]


class VisibleFormatter(logging.Formatter):
    """The server's log: messages and tracebacks may have names from logs and from requests."""

    def format(self, record: logging.LogRecord) -> str:
        return make_visible(super().format(record))


def log_visibly() -> None:
    """Write all logs of this process to stderr, made visible. For a program of our own, not inside of others."""
    handler = logging.StreamHandler()
    handler.setFormatter(VisibleFormatter("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
