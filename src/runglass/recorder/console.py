"""Turns what a command prints into text to log: without colours, progress bars in their last state, and limited in size.

Knows the control characters of terminals; knows no files or processes.
"""

from __future__ import annotations

import codecs
import re
import threading

# Of the output between two calls of take(), this much of the beginning and of the end is kept.
PART_BYTES = 64 << 10
# After this much output, only the last lines of each call are kept, and more at the very end.
BUDGET_CHARS = 4 << 20
SPARSE_BYTES = 2 << 10
MAX_LINE_CHARS = 4000
# An unfinished line, such as a progress bar, is logged this often.
OPEN_LINE_S = 60.0

TOKEN = re.compile(
    r"""(?P<text>[^\x00-\x08\x0a-\x1f\x7f]+)
      | (?P<newline>\n) | (?P<start>\r) | (?P<back>\x08)
      | \x1b\[(?P<count>[0-9]*)(?P<move>[ABCDGK])
      | \x1b\[[0-?]*[\ -/]*[@-~]
      | \x1b\][^\x07\x1b]*(?:\x07|\x1b\\)
      | \x1b[\ -/]*[0-~]
      | [\x00-\x1f\x7f]""",
    re.VERBOSE,
)
# The start of an escape sequence whose end has not arrived yet.
UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]{0,200}\x1b?|[ -/]*)?\Z")


class Console:
    """The threads that pass output on feed it; the thread that logs takes from it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._screen = Screen()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._head = bytearray()
        self._tail = bytearray()
        self._fed_bytes = 0
        self._left_chars = BUDGET_CHARS
        self._open_lines: list[str] = []
        self._open_since_s = 0.0

    def feed(self, data: bytes) -> None:
        """Cheap for any output: it copies, and drops what is too much."""
        with self._lock:
            self._fed_bytes += len(data)
            if len(self._head) < PART_BYTES and self._left_chars > 0:
                self._head += data[: PART_BYTES - len(self._head)]
            self._tail += data[-PART_BYTES:]
            if len(self._tail) > 2 * PART_BYTES:
                del self._tail[:-PART_BYTES]

    def take(self, now_s: float, *, is_last: bool = False) -> str:
        """The lines that ended since the last call; at the end also unfinished ones."""
        with self._lock:
            head, fed_bytes = bytes(self._head), self._fed_bytes
            tail_bytes = PART_BYTES if self._left_chars > 0 or is_last else SPARSE_BYTES
            tail = bytes(self._tail[-tail_bytes:])
            self._head.clear()
            self._fed_bytes = 0
        self._screen.write(self._decoder.decode(head))
        unread_bytes = fed_bytes - len(head)
        if is_last and self._left_chars <= 0:
            self._screen.write("\n[… the last lines again, without gaps …]\n")
            tail = tail[tail.find(b"\n") + 1 :]
        elif unread_bytes > len(tail):
            # From the start of a line, if there is one.
            tail = tail[tail.find(b"\n") + 1 :]
            self._decoder.reset()
            self._screen.write(f"\n[… {unread_bytes - len(tail):,} bytes left out …]\n")
        else:
            tail = tail[len(tail) - unread_bytes :]
        self._screen.write(self._decoder.decode(tail, final=is_last))
        lines = self._screen.take_finished()
        if (still_open := self._screen.lines) != self._open_lines and (
            is_last or now_s - self._open_since_s >= OPEN_LINE_S
        ):
            lines += still_open
            self._open_lines, self._open_since_s = list(still_open), now_s
        elif lines:
            self._open_since_s = now_s
        text = "\n".join(lines).strip("\n")
        self._left_chars -= len(text)
        return text


class Screen:
    """As much of a terminal as progress bars need: the cursor can move up and overwrite lines."""

    def __init__(self) -> None:
        self.lines = [""]
        self._row = self._column = 0
        self._unfinished = ""

    def write(self, text: str) -> None:
        text = self._unfinished + text
        unfinished = UNFINISHED.search(text)
        self._unfinished = unfinished[0] if unfinished else ""
        for token in TOKEN.finditer(text, 0, len(text) - len(self._unfinished)):
            kind = token.lastgroup
            if kind == "text":
                self._put(token[0])
            elif kind == "newline":
                self._row, self._column = self._row + 1, 0
                if self._row == len(self.lines):
                    self.lines.append("")
            elif kind == "start":
                self._column = 0
            elif kind == "back":
                self._column = max(0, self._column - 1)
            elif kind == "move":
                self._move(token["move"], token["count"])

    def take_finished(self) -> list[str]:
        """The lines above the cursor, which a line feed has ended; later output cannot overwrite them."""
        finished = [line.rstrip() for line in self.lines[: self._row]]
        del self.lines[: self._row]
        self._row = 0
        return finished

    def _put(self, text: str) -> None:
        line = self.lines[self._row]
        end = self._column + len(text)
        if end > MAX_LINE_CHARS:
            text, end = text[: max(0, MAX_LINE_CHARS - self._column)] + "…", MAX_LINE_CHARS
        self.lines[self._row] = line[: self._column].ljust(self._column) + text + line[end:]
        self._column = end

    def _move(self, letter: str, count: str) -> None:
        step = int(count[:4] or 1)
        if letter == "A":
            self._row = max(0, self._row - step)
        elif letter == "B":
            self._row = min(len(self.lines) - 1, self._row + step)
        elif letter == "C":
            self._column = min(MAX_LINE_CHARS, self._column + step)
        elif letter == "D":
            self._column = max(0, self._column - step)
        elif letter == "G":
            self._column = min(MAX_LINE_CHARS, max(0, step - 1))
        elif letter == "K":
            line = self.lines[self._row]
            # No number: from the cursor on. 1: up to the cursor. 2: the whole line.
            keeps_start, keeps_end = count in ("", "0"), count == "1"
            self.lines[self._row] = (
                line[: self._column]
                if keeps_start
                else " " * self._column + line[self._column :]
                if keeps_end
                else ""
            )
