from __future__ import annotations

import pytest

from runglass.recorder import console as console_module
from runglass.recorder.console import Console, Screen
from runglass.recorder.markdown import code_block, cut


def printed(*pieces: bytes) -> str:
    console = Console()
    for piece in pieces:
        console.feed(piece)
    return console.take(0.0, is_last=True)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"a\nb\n", "a\nb"),
        (b"a\r\nb\r\n", "a\nb"),
        (b"no end", "no end"),
        (b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b(Bplain\x00\x07\n", "red plain"),
        (b"  1%\r 50%\r100%\ndone\n", "100%\ndone"),
        (b"long text\rshort\n", "shorttext"),
        (b"long text\r\x1b[Kshort\n", "short"),
        (b"long\x1b[2K\rx\n", "x"),
        (b"ab\x08c\n", "ac"),
        (b"tab\there\n", "tab\there"),
        ("größe ✓\n".encode(), "größe ✓"),
        (b"\xff\xfe\n", "��"),
    ],
)
def test_text_is_as_a_terminal_shows_it(data: bytes, text: str) -> None:
    assert printed(data) == text
    assert printed(*(data[at : at + 1] for at in range(len(data)))) == text


def test_nested_progress_bars_keep_their_last_state() -> None:
    frames = b"".join(b"\router %d%%\n\rinner %d%%\x1b[A" % (step, step * 2) for step in range(50))
    assert printed(frames, b"\n\nend\n") == "outer 49%\ninner 98%\nend"


def test_only_what_is_new_is_taken() -> None:
    console = Console()
    console.feed(b"one\ntw")
    assert console.take(0.0) == "one"
    assert console.take(1.0) == ""
    console.feed(b"o\n")
    assert console.take(2.0) == "two"
    assert console.take(3.0, is_last=True) == ""


def test_a_character_or_colour_may_come_in_two_parts() -> None:
    console = Console()
    lines = []
    for piece in (b"\xe2\x9c", b"\x93 \x1b[3", b"1mred\n"):
        console.feed(piece)
        lines.append(console.take(0.0))
    assert lines == ["", "", "✓ red"]


def test_a_long_progress_bar_is_logged_once_a_minute() -> None:
    console = Console()
    seen = []
    for second in range(181):
        console.feed(b"\r%d s" % second)
        seen.append(console.take(float(second)))
    assert list(filter(None, seen)) == ["60 s", "120 s", "180 s"]
    assert console.take(181.0, is_last=True) == ""


def test_too_much_output_keeps_its_beginning_and_end() -> None:
    lines = [b"line %06d\n" % number for number in range(100_000)]
    text = printed(*lines)
    assert len(text) < 3 * console_module.PART_BYTES
    assert text.startswith("line 000000\n")
    assert text.endswith("\nline 099999")
    (note,) = [line for line in text.splitlines() if "left out" in line]
    kept = sum(len(line) + 1 for line in text.splitlines() if line.startswith("line") and len(line) == 11)
    left_out = int(note.split()[1].replace(",", ""))
    assert abs(len(lines) * 12 - kept - left_out) < 12


def test_a_command_that_never_stops_printing_does_not_fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console_module, "BUDGET_CHARS", 10_000)
    monkeypatch.setattr(console_module, "PART_BYTES", 4_000)
    monkeypatch.setattr(console_module, "SPARSE_BYTES", 200)
    console = Console()
    sizes = []
    for second in range(100):
        console.feed(b"%03d %s\n" % (second, b"x" * 95) * 100)
        sizes.append(len(console.take(float(second))))
    assert max(sizes) < 9_000
    assert all(size < 400 for size in sizes[5:])
    assert all(sizes)
    last = console.take(100.0, is_last=True)
    assert 3_000 < len(last) < 5_000
    assert last.endswith("099 " + "x" * 95)


def test_memory_is_bounded() -> None:
    console = Console()
    for _ in range(100):
        console.feed(b"x" * 1_000_000)
    assert len(console._head) + len(console._tail) <= 3 * console_module.PART_BYTES
    assert len(console.take(0.0, is_last=True)) < 2 * console_module.MAX_LINE_CHARS + 100


def test_large_cursor_moves_keep_the_screen_small() -> None:
    screen = Screen()
    screen.write("\x1b[99999A\x1b[99999D\x1b[99999Bx\x1b[99999Cy\x1b[0Gz\x1b[1K")
    assert len(screen.lines) == 1
    assert len(screen.lines[0]) <= console_module.MAX_LINE_CHARS + 2


def test_a_block_has_a_longer_fence_than_its_text() -> None:
    assert code_block("a ```` b") == "`````\na ```` b\n`````"
    assert code_block("x", "diff") == "```diff\nx\n```"


def test_a_cut_says_how_much() -> None:
    assert cut("x" * 10, 10) == "x" * 10
    assert cut("a" * 10 + "b" * 990, 20) == "a" * 10 + "\n[… 980 characters left out …]\n" + "b" * 10
