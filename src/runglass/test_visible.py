import io
import logging

import pytest

from runglass.visible import VisibleFormatter, make_one_line, make_visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("loss/train – é 漢", "loss/train – é 漢"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("a\rb\x00\x7f", "a␍b␀␡"),
        # C1: some terminals take one for an escape sequence. Then marks that change the direction of writing.
        ("\x9b2J", "\\x9b2J"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\udcff", "\\udcff"),
        ("a\u00a0b", "a\u00a0b"),
        ("two\nlines\t", "two\nlines\t"),
    ],
)
def test_control_characters_become_visible(text, expected):
    assert make_visible(text) == expected


def test_one_line():
    assert make_one_line("two\nlines\u2028\t") == "two␊lines\\u2028␉"


def test_the_log_has_no_control_characters():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(VisibleFormatter("%(message)s"))
    logger = logging.Logger("test")
    logger.addHandler(handler)
    try:
        raise ValueError("\x1b[2J")
    except ValueError:
        logger.exception("Reading %s failed", "run\x1b]0;x\x07")
    text = stream.getvalue()
    assert text.startswith("Reading run␛]0;x␇ failed\nTraceback")
    assert "ValueError: ␛[2J" in text
    assert "\x1b" not in text
