"""Protobuf's text format by schema. Configurations use it, and graphs that were written for people to read.

Values are the same dicts as for the wire format. Pure: opens no file.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import Any

from runglass.native.wire import Field, Message

# A string, a word, a mark, or a quote without its partner. Comments are taken for tokens, and left out.
TOKEN = re.compile(
    r"""\#[^\n]*
      | "(?:[^"\\\n]++|\\.)*+" | '(?:[^'\\\n]++|\\.)*+'
      | [^\s\#"'{}<>\[\]:,;]+
      | [{}<>\[\]:,;"']""",
    re.VERBOSE | re.DOTALL,
)
MARKS = frozenset("{}<>[]:,;")
QUOTES = frozenset("\"'")
SEPARATORS = frozenset(",;")
ESCAPE = re.compile(
    rb"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
# Those that Python's bytes have too. A repeat of one kind is taken at once, because an engine that may give it back runs out of stack.
PLAIN_ESCAPES = re.compile(
    rb"(?:[^\\]++|\\(?:[nrtabfv\\'\"]|x[0-9a-fA-F]{2}(?![0-9a-fA-F])|[0-3][0-7]{2}|[0-7]{1,2}(?![0-7])))*+"
)
LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
WRITTEN = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
CLOSING = {"{": "}", "<": ">"}
# A config has three levels, a graph ten; more would only exhaust the stack.
MAX_DEPTH = 64
FLOATS = frozenset({"float", "double"})
TEXTS = frozenset({"string", "bytes"})
BOOLS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}


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


def parse_text(message: Message, text: str, enums: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Skips fields that the schema does not have. `enums` are the numbers of names; a name that is not among them is skipped too."""
    reader = _Reader(text, enums or {})
    return _parse_fields(reader, message, "", 0)


class _Reader:
    """One token at a time; `token` is empty at the end of the text."""

    __slots__ = ("_matches", "at", "enums", "text", "token")

    def __init__(self, text: str, enums: Mapping[str, int]) -> None:
        self.text = text
        self.enums = enums
        self.at = 0
        self.token = ""
        self._matches = TOKEN.finditer(text)
        self.advance()

    def advance(self) -> str:
        """Return the current token and move to the next."""
        taken = self.token
        for match in self._matches:
            token = match[0]
            if token[0] == "#":
                continue
            self.token = token
            self.at = match.end()
            if len(token) == 1 and token in QUOTES:
                line = self.text.count("\n", 0, self.at) + 1
                raise TextProtoError(line, "a string without its closing quote.")
            return taken
        self.token = ""
        self.at = len(self.text)
        return taken

    def is_word(self) -> bool:
        return bool(self.token) and self.token[0] not in QUOTES and self.token not in MARKS

    def error(self, expected: str) -> TextProtoError:
        line = self.text.count("\n", 0, self.at) + 1
        return TextProtoError(line, f"expected {expected}, found {self.token[:40] or 'the end'!r}.")


# Fields by name. Messages are constants.
_fields: dict[int, tuple[Message, dict[str, Field]]] = {}


def _fields_of(message: Message) -> dict[str, Field]:
    known = _fields.get(id(message))
    if known is None:
        known = _fields[id(message)] = message, {field.name: field for field in message.fields}
    return known[1]


def parse_items(
    message: Message, text: str, enums: Mapping[str, int] | None = None
) -> Iterator[tuple[Field, Any]]:
    """The values of a text one after the other, each with its field, for texts that are too large to have them all at once."""
    reader = _Reader(text, enums or {})
    while reader.token:
        field, found = _parse_field(reader, _fields_of(message), 0)
        if field is not None:
            for each in found:
                if each is not None:
                    yield field, each


def _parse_fields(reader: _Reader, message: Message | None, closing: str, depth: int) -> dict[str, Any]:
    """Reads fields up to and past `closing`. Without a message, inside an unknown field, it drops the values."""
    if depth > MAX_DEPTH:
        raise reader.error(f"at most {MAX_DEPTH} nested messages")
    fields = _fields_of(message) if message is not None else {}
    values: dict[str, Any] = {}
    while reader.token != closing:
        field, found = _parse_field(reader, fields, depth)
        if field is not None:
            _put(values, field, found)
    reader.advance()
    return values


def _parse_field(reader: _Reader, fields: dict[str, Field], depth: int) -> tuple[Field | None, list[Any]]:
    """One field with its values; None for one that the message does not have."""
    if reader.token == "[":
        # A name in brackets is an extension, not a field of the message.
        reader.advance()
        name = reader.advance() if reader.is_word() else ""
        if reader.token != "]":
            raise reader.error("']'")
        reader.advance()
    elif reader.is_word():
        name = reader.advance()
    else:
        raise reader.error("a field name")
    field = fields.get(name)
    token = reader.token
    if token == ":":
        reader.advance()
        token = reader.token
    elif token != "[" and token not in CLOSING:
        raise reader.error(f"':' after {name}")
    if token == "[":
        reader.advance()
        found = []
        while reader.token != "]":
            found.append(_parse_value(reader, field, depth))
            if reader.token == ",":
                reader.advance()
        reader.advance()
    else:
        found = [_parse_value(reader, field, depth)]
    if reader.token in SEPARATORS:
        reader.advance()
    return field, found


def _put(values: dict[str, Any], field: Field, found: list[Any]) -> None:
    """None in `found` is the name of an enum that is not known."""
    found = [each for each in found if each is not None]
    if not found:
        return
    name = field.name
    if field.key is not None:
        entries = values.setdefault(name, {})
        for entry in found:
            if "value" in entry:
                entries[entry.get("key", "" if field.key in TEXTS else 0)] = entry["value"]
    elif field.repeated:
        values.setdefault(name, []).extend(found)
    else:
        values[name] = found[-1]


def _parse_value(reader: _Reader, field: Field | None, depth: int) -> Any:
    """None is a name of an enum that is not known."""
    token = reader.token
    is_message = token in CLOSING
    if field is not None and (isinstance(field.type, Message) or field.key is not None) != is_message:
        raise reader.error("a message" if not is_message else f"a value of {field.name}")
    if is_message:
        kind = _message_of(field) if field is not None else None
        return _parse_fields(reader, kind, CLOSING[reader.advance()], depth + 1)
    if token[:1] in QUOTES:
        if field is not None and field.type not in TEXTS:
            raise reader.error(f"a number for {field.name}")
        parts = []
        while reader.token[:1] in QUOTES:
            parts.append(unescape(reader.advance()[1:-1]))
        found = b"".join(parts)
        return found if field is not None and field.type == "bytes" else found.decode("utf-8", "replace")
    if not reader.is_word() or (field is not None and field.type in TEXTS):
        raise reader.error("a string in quotes")
    if field is None:
        return reader.advance()
    return _parse_word(reader, field)


# By the field of a map: the message that its entries are.
_entries: dict[int, tuple[Field, Message]] = {}


def _message_of(field: Field) -> Message | None:
    if field.key is None:
        return field.type if isinstance(field.type, Message) else None
    known = _entries.get(id(field))
    if known is None:
        key: Any = field.key
        kind: Any = field.type
        made = Message(f"{field.name} entry", Field(1, "key", key), Field(2, "value", kind))
        known = _entries[id(field)] = field, made
    return known[1]


def _parse_word(reader: _Reader, field: Field) -> Any:
    token = reader.token
    if field.type == "bool" and token.lower() in BOOLS:
        reader.advance()
        return BOOLS[token.lower()]
    try:
        if field.type in FLOATS:
            # "1.5f" is a float too; "inf" is one as it stands.
            bare = token if token.lower().endswith("inf") else token.rstrip("fF")
            number: Any = float(bare)
        else:
            number = _whole(token)
    except ValueError:
        if field.type == "enum" and token.isidentifier():
            reader.advance()
            return reader.enums.get(token)
        what = "a number" if field.type in FLOATS else "a whole number"
        raise reader.error(f"{what} for {field.name}") from None
    reader.advance()
    return number


def _whole(token: str) -> int:
    """In decimal, 0x hexadecimal, or octal with a leading 0, which Python does not take."""
    digits = token.lstrip("-")
    if len(digits) > 1 and digits[0] == "0" and digits.isdigit():
        return int(token, 8)
    return int(token, 0)


def unescape(text: str) -> bytes:
    """Escapes are bytes, so several of them may form one character."""
    data = text.encode("utf-8", "replace")
    if b"\\" not in data:
        return data
    if PLAIN_ESCAPES.fullmatch(data):
        # The same rules, without a call for each: tensors are texts of millions of escapes.
        return codecs.escape_decode(data)[0]

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

    return ESCAPE.sub(byte, data)
