"""Protobuf's text format by schema, for strings, whole numbers and messages. Configurations use it.

Values are the same dicts as for the wire format. Pure: opens no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from runglass.native.wire import Field, Message

TOKEN = re.compile(
    r"""(?:\s|\#[^\n]*)*(?:
        (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<word>[^\s\#"'{}<>\[\]:,;]+)
      | (?P<mark>[{}<>\[\]:,;])
      | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
ESCAPE = re.compile(
    rb"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
WRITTEN = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
CLOSING = {"{": "}", "<": ">"}
# A config has three levels; more would only exhaust the stack.
MAX_DEPTH = 64


class TextProtoError(ValueError):
    """Text that is not a text proto, with the line of the error."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line


def format_text(message: Message, values: dict[str, Any]) -> str:
    return "".join(f"{line}\n" for line in _lines(message, values, ""))


def _lines(message: Message, values: dict[str, Any], indent: str) -> Iterator[str]:
    for field in message.fields:
        given = values.get(field.name)
        for value in given if field.repeated and given is not None else [given]:
            if value is None:
                continue
            if isinstance(field.type, Message):
                yield f"{indent}{field.name} {{"
                yield from _lines(field.type, value, f"{indent}  ")
                yield f"{indent}}}"
            else:
                yield f"{indent}{field.name}: {quote(value) if field.type == 'string' else int(value)}"


def quote(text: str) -> str:
    """As protobuf writes it: UTF-8 stays, control characters become octal."""
    # UTF-8 has no lone surrogates, and a reader would refuse the whole file.
    text = text.encode("utf-8", "replace").decode()
    escaped = (
        WRITTEN.get(char) or (char if char >= " " and char != "\x7f" else f"\\{ord(char):03o}")
        for char in text
    )
    return f'"{"".join(escaped)}"'


def parse_text(message: Message, text: str) -> dict[str, Any]:
    """Skips fields that the schema does not have."""
    reader = _Reader(text)
    values = _parse_fields(reader, message, "", 0)
    if reader.token:
        raise reader.error("a field name")
    return values


class _Reader:
    """One token at a time; `token` is empty at the end of the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.kind = self.token = ""
        self.advance()

    def advance(self) -> str:
        """Return the current token and move to the next."""
        taken = self.token
        match = TOKEN.match(self.text, self.at)
        if match is None:
            raise TextProtoError(self.text.count("\n", 0, self.at) + 1, "a string without its closing quote.")
        self.at = match.end()
        self.kind = match.lastgroup or ""
        self.token = match[self.kind]
        return taken

    def take(self, *tokens: str) -> bool:
        if self.kind == "mark" and self.token in tokens:
            self.advance()
            return True
        return False

    def error(self, expected: str) -> TextProtoError:
        line = self.text.count("\n", 0, self.at) + 1
        return TextProtoError(line, f"expected {expected}, found {self.token[:40] or 'the end'!r}.")


def _parse_fields(reader: _Reader, message: Message | None, closing: str, depth: int) -> dict[str, Any]:
    """Reads fields up to and past `closing`. Without a message, inside an unknown field, it drops the values."""
    if depth > MAX_DEPTH:
        raise reader.error(f"at most {MAX_DEPTH} nested messages")
    fields = {field.name: field for field in message.fields} if message is not None else {}
    values: dict[str, Any] = {}
    while not (closing and reader.take(closing)):
        if reader.kind == "end" and not closing:
            break
        if reader.take("[") and reader.kind == "word":
            # A name in brackets is an extension, not a field of the message.
            name = reader.advance()
            if not reader.take("]"):
                raise reader.error("']'")
        elif reader.kind == "word":
            name = reader.advance()
        else:
            raise reader.error("a field name")
        field = fields.get(name)
        has_colon = reader.take(":")
        if reader.take("["):
            found = []
            while not reader.take("]"):
                found.append(_parse_value(reader, field, depth))
                reader.take(",")
        elif has_colon or (reader.kind == "mark" and reader.token in CLOSING):
            found = [_parse_value(reader, field, depth)]
        else:
            raise reader.error(f"':' after {name}")
        reader.take(",", ";")
        if field is None or not found:
            continue
        if field.repeated:
            values.setdefault(name, []).extend(found)
        else:
            values[name] = found[-1]
    return values


def _parse_value(reader: _Reader, field: Field | None, depth: int) -> Any:
    is_message = reader.kind == "mark" and reader.token in CLOSING
    if field is not None and isinstance(field.type, Message) != is_message:
        raise reader.error("a message" if not is_message else f"a value of {field.name}")
    if is_message:
        kind = field.type if field is not None and isinstance(field.type, Message) else None
        return _parse_fields(reader, kind, CLOSING[reader.advance()], depth + 1)
    if reader.kind == "string":
        if field is not None and field.type != "string":
            raise reader.error(f"a number for {field.name}")
        parts = []
        while reader.kind == "string":
            parts.append(unescape(reader.advance()[1:-1]))
        return b"".join(parts).decode("utf-8", "replace")
    if reader.kind != "word" or (field is not None and field.type == "string"):
        raise reader.error("a string in quotes")
    if field is None:
        return reader.advance()
    try:
        number = int(reader.token, 0)
    except ValueError:
        raise reader.error(f"a whole number for {field.name}") from None
    reader.advance()
    return number


def unescape(text: str) -> bytes:
    """Escapes are bytes, so several of them may form one character."""

    def byte(match: re.Match[bytes]) -> bytes:
        hexadecimal, octal, short, long, letter = match.groups()
        if hexadecimal:
            return bytes([int(hexadecimal, 16)])
        if octal:
            return bytes([int(octal, 8) & 0xFF])
        if short or long:
            code = int(short or long, 16)
            return (chr(code) if code < 0x110000 else "�").encode("utf-8", "replace")
        return LETTERS.get(letter, letter)

    return ESCAPE.sub(byte, text.encode("utf-8", "replace"))
