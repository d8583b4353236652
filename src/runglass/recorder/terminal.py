"""A pseudo-terminal for a command, so that it prints as in ours: colours, progress bars, prompts, Ctrl+C.

POSIX only. Does not know what becomes of the output.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import signal
import termios
import threading
import tty
from typing import Any

READ_BYTES = 1 << 16


class Terminal:
    def __init__(self, ours: int, keyboard: int) -> None:
        """`ours` is the descriptor of our terminal, `keyboard` that of our standard input."""
        self.master, self.slave = os.openpty()
        self._ours = ours
        self._keyboard = keyboard
        self._attributes: list[Any] | None = None
        self._match_size()
        if os.isatty(keyboard):
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self.slave, termios.TCSANOW, termios.tcgetattr(keyboard))

    def become_controlling(self) -> None:
        """Runs in the process of the command, before it starts: keys such as Ctrl+C reach its group through this terminal."""
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)

    def connect(self) -> None:
        """After the command has its side: pass on size and keys from now on."""
        os.close(self.slave)
        signal.signal(signal.SIGWINCH, lambda *_: self._match_size())
        self._match_size()
        if os.isatty(self._keyboard) and self._is_in_front():
            # We may be in the background when the terminal is restored.
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            self._attributes = termios.tcgetattr(self._keyboard)
            atexit.register(self.close)
            # Keys pass through unchanged; the terminal of the command makes lines and signals of them.
            tty.setraw(self._keyboard)
            threading.Thread(target=self._pass_keys, name="runglass-keys", daemon=True).start()

    def close(self) -> None:
        if self._attributes is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._keyboard, termios.TCSADRAIN, self._attributes)

    def _is_in_front(self) -> bool:
        """In the background the keyboard belongs to another process."""
        try:
            return os.tcgetpgrp(self._keyboard) == os.getpgrp()
        except OSError:
            # A terminal that controls no session.
            return True

    def _match_size(self) -> None:
        with contextlib.suppress(termios.error, OSError):
            termios.tcsetwinsize(self.master, termios.tcgetwinsize(self._ours))

    def _pass_keys(self) -> None:
        with contextlib.suppress(OSError):
            while keys := os.read(self._keyboard, READ_BYTES):
                while keys:
                    keys = keys[os.write(self.master, keys) :]
