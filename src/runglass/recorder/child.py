"""A command that runs as if we were not there: we pass on its output at once, and the signals that we get.

Does not know what is recorded; a callback sees the output too.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from io import FileIO
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runglass.recorder.terminal import Terminal

STDIN, STDOUT, STDERR = 0, 1, 2
READ_BYTES = 1 << 16
# Processes that the command left running may hold its output open; we wait this long for them.
DRAIN_S = 1.0
# The keyboard sends these to a whole process group; other signals go to one process.
GROUP_SIGNALS = ("SIGINT", "SIGQUIT")
PASSED_SIGNALS = (*GROUP_SIGNALS, "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


class Child:
    """Starts when it is made. It gets a terminal if our output is one, else pipes."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], on_output: Callable[[bytes], None]
    ) -> None:
        self._on_output = on_output
        self._terminal: Terminal | None = None
        self._threads: list[threading.Thread] = []
        # Only the foreground group may read from the terminal, so a command that may do that stays in our group. Ctrl+C
        # then reaches the command directly.
        self._has_group = os.name == "posix" and (os.isatty(STDOUT) or not os.isatty(STDIN))
        if os.name == "posix" and os.isatty(STDOUT):
            from runglass.recorder.terminal import Terminal

            self._terminal = Terminal(STDOUT, STDIN)
        self._process = self._start(command, environment)
        self.pid = self._process.pid
        self._pass_signals()
        if self._terminal is not None:
            self._terminal.connect()
            self._pass_output(FileIO(self._terminal.master), STDOUT)
        for pipe, target in ((self._process.stdout, STDOUT), (self._process.stderr, STDERR)):
            if pipe is not None:
                self._pass_output(pipe, target)

    def wait(self) -> int:
        """Its exit status; as in a shell, 128 plus the number of the signal that ended it."""
        status = self._process.wait()
        for thread in self._threads:
            thread.join(DRAIN_S)
        if self._terminal is not None:
            self._terminal.close()
        return status if status >= 0 else 128 - status

    def _start(self, command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        options: dict[str, Any] = {"stdin": None, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        if self._terminal is not None:
            for name, descriptor in (("stdin", STDIN), ("stdout", STDOUT), ("stderr", STDERR)):
                if os.isatty(descriptor):
                    options[name] = self._terminal.slave
            options |= {"start_new_session": True, "preexec_fn": self._terminal.become_controlling}
        elif self._has_group:
            options["process_group"] = 0
        return subprocess.Popen(command, env=environment, bufsize=0, **options)

    def _pass_signals(self) -> None:
        for name in PASSED_SIGNALS:
            number = getattr(signal, name, None)
            # If we ignore a signal, as under nohup, the command ignores it too.
            if number is None or signal.getsignal(number) == signal.SIG_IGN:
                continue
            to_group = name in GROUP_SIGNALS
            signal.signal(number, self._signal_group if to_group else self._signal_child)

    def _signal_child(self, number: int, _frame: object) -> None:
        self._process.send_signal(number)

    def _signal_group(self, number: int, _frame: object) -> None:
        # In a shared group, or on Windows, the keyboard has already sent it to the command.
        if self._has_group and self._process.poll() is None:
            os.killpg(self.pid, number)

    def _pass_output(self, source: IO[bytes] | FileIO, target: int) -> None:
        thread = threading.Thread(
            target=self._copy, args=(source, target), name=f"runglass-output-{target}", daemon=True
        )
        thread.start()
        self._threads.append(thread)

    def _copy(self, source: IO[bytes] | FileIO, target: int) -> None:
        while True:
            try:
                data = os.read(source.fileno(), READ_BYTES)
            except OSError:
                # A pseudo-terminal whose other end is closed.
                return
            if not data:
                return
            try:
                write_all(target, data)
            except BrokenPipeError:
                # The reader of our output has gone, as in `… | head`; the command must notice.
                source.close()
                return
            except OSError:
                # A closed terminal, or a full disk behind a redirection; the command goes on.
                pass
            self._on_output(data)


def write_all(target: int, data: bytes) -> None:
    while data:
        try:
            data = data[os.write(target, data) :]
        except BlockingIOError:
            select.select([], [target], [])
