"""Writes a running command into its run: facts once, measurements and console output repeatedly."""

from __future__ import annotations

import os
import shlex
import sys
import threading
import time
import warnings
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from queue import SimpleQueue

from runglass.recorder.console import Console
from runglass.recorder.environment import describe_environment
from runglass.recorder.git import describe_git
from runglass.recorder.gpu_tools import open_gpus
from runglass.recorder.markdown import code_block, table
from runglass.recorder.source import Source
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.values import summaries

PREFIX = "system/"
CONSOLE_INTERVAL_S = 3.0
# How long a short command waits at its end for its description.
FACTS_S = 5.0


class RunLog:
    def __init__(
        self,
        command: Sequence[str],
        pid: int,
        *,
        run_dir: Path,
        console: Console,
        began_s: float,
        interval_s: float,
    ) -> None:
        self._command = command
        self._console = console
        self._began_s = began_s
        self._interval_s = interval_s
        # Steps come from a monotonic clock, because the system clock may be set.
        self._clock_began_s = time.monotonic() - max(0.0, time.time() - began_s)
        self._problems: dict[str, None] = {}
        warnings.showwarning = self._keep_warning
        self._writer = EventWriter(run_dir)
        self._write_text("command", self._describe_command())
        self._writer.flush()
        self._gpus = open_gpus(interval_s)
        self._sources: list[Source] = [
            *self._open_machine(pid, str(run_dir)),
            *([self._gpus] if self._gpus else []),
        ]
        self._facts: SimpleQueue[tuple[str, str]] = SimpleQueue()
        self._fact_finder = threading.Thread(target=self._find_facts, name="runglass-facts", daemon=True)
        self._fact_finder.start()

    def follow(self, ended: threading.Event) -> None:
        """Until the command ends: measure every interval, and log its output every few seconds."""
        next_measure_s = next_console_s = self._elapsed_s()
        while True:
            now_s = self._elapsed_s()
            if now_s >= next_measure_s:
                self._measure()
                # Missed measurements, as while the machine slept, are not repeated.
                next_measure_s = max(next_measure_s + self._interval_s, self._elapsed_s())
            if now_s >= next_console_s:
                self._write_console(is_last=False)
                self._write_facts()
                self._writer.flush()
                next_console_s = now_s + CONSOLE_INTERVAL_S
            # No measurement at the end: a command that has ended uses nothing.
            if ended.wait(max(0.0, min(next_measure_s, next_console_s) - self._elapsed_s())):
                return

    def finish(self, status: int) -> list[str]:
        """Write the end of the command. Returns what went wrong, for the user."""
        self._write_console(is_last=True)
        self._write_text("command", self._describe_command(status))
        self._fact_finder.join(FACTS_S)
        self._write_facts()
        for source in self._sources:
            source.close()
        self._writer.close()
        return list(self._problems)

    def _open_machine(self, pid: int, directory: str) -> list[Source]:
        if sys.platform == "linux":
            from runglass.recorder.linux import ProcSource

            return [ProcSource(pid, directory)]
        try:
            from runglass.recorder.portable import PsutilSource

            return [PsutilSource(pid, directory)]
        except ImportError:
            self._problems["CPU, memory, disk and network were not recorded: install psutil."] = None
        except Exception as error:
            # The command has already ended.
            self._problems[f"CPU, memory, disk and network were not recorded: {error}"] = None
        return []

    def _measure(self) -> None:
        values: dict[str, float] = {}
        for source in list(self._sources):
            try:
                values |= source.read(self._elapsed_s())
            except Exception as error:
                # Systems differ in unexpected ways; the other sources go on.
                self._sources.remove(source)
                self._problems[f"{type(source).__name__} stopped measuring: {error!r}"] = None
        encoded = [summaries.scalar(PREFIX + tag, value) for tag, value in values.items()]
        if encoded:
            self._writer.add_values(encoded, self._step(), time.time())

    def _write_console(self, *, is_last: bool) -> None:
        text = self._console.take(self._elapsed_s(), is_last=is_last)
        if text:
            self._write_text("console", code_block(text))

    def _find_facts(self) -> None:
        """In its own thread, because these facts take long to find out."""
        if git := describe_git(os.getcwd()):
            self._facts.put(("git", git))
        devices = self._gpus.describe() if self._gpus else []
        self._facts.put(("environment", describe_environment(self._command, devices)))

    def _write_facts(self) -> None:
        while not self._facts.empty():
            self._write_text(*self._facts.get())

    def _describe_command(self, status: int | None = None) -> str:
        rows = {"directory": os.getcwd(), "started": local_time(self._began_s)}
        if status is not None:
            rows |= {
                "ended": local_time(time.time()),
                "duration": f"{self._elapsed_s():,.1f} s",
                "exit status": str(status),
            }
        return f"{code_block(shlex.join(self._command))}\n\n{table(rows)}"

    def _write_text(self, tag: str, markdown: str) -> None:
        # File names and output may not be valid Unicode.
        text = markdown.encode("utf-8", "replace").decode()
        self._writer.add_values([summaries.text(PREFIX + tag, text)], self._step(), time.time())

    def _keep_warning(self, message: Warning | str, *_: object, **__: object) -> None:
        """For the end: until then the terminal belongs to the command."""
        self._problems[str(message)] = None

    def _elapsed_s(self) -> float:
        return time.monotonic() - self._clock_began_s

    def _step(self) -> int:
        return int(self._elapsed_s())


def local_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(sep=" ", timespec="seconds")
