"""Escapes of protobuf's text format: the short way gives what the long one gives."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from runglass.schema.text_proto import ESCAPE, LETTERS, unescape


def plain_unescape(text):
    out = bytearray()
    data = text.encode()
    at = 0
    while at < len(data):
        match = ESCAPE.match(data, at) if data[at : at + 1] == b"\\" else None
        if match is None:
            out.append(data[at])
            at += 1
            continue
        hexadecimal, octal, short, long, letter = match.groups()
        if hexadecimal:
            out.append(int(hexadecimal, 16))
        elif octal:
            out.append(int(octal, 8) & 0xFF)
        elif short or long:
            code = int(short or long, 16)
            out += (chr(code) if code < 0x110000 else "\ufffd").encode("utf-8", "replace")
        else:
            out += LETTERS.get(letter, letter)
        at = match.end()
    return bytes(out)


WORDS = r"""\ n \n \t \\ \' \" \a \0 \12 \377 \400 \777 \18 \9 \x4 \x41 \xzz \u00e9 \U0001F600 \U99999999 \? \q é 1 7 f"""
pieces = st.sampled_from([*WORDS.split(" "), "\n"])


@given(st.lists(pieces, max_size=8).map("".join))
@example("\\000\\001\\377é\\n")
def test_escapes(text):
    assert unescape(text) == plain_unescape(text)
