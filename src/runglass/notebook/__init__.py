"""Runglass inside a notebook: `%load_ext runglass`, `%runglass --logdir logs`, and the same as functions.

Does not import IPython by itself, so the functions also work in plain Python, where they print an address.
"""

from __future__ import annotations

import builtins
import os
import shlex
import sys
import time
from typing import Any

from runglass import instances
from runglass.errors import BadArgument, RunglassError
from runglass.instances import Instance
from runglass.notebook import frame, launch
from runglass.visible import make_one_line, make_visible

__all__ = ["display", "list", "start", "stop"]

DEFAULT_HEIGHT = 800


def start(args: str) -> None:
    """Show the server for these command-line flags, as in `start("--logdir logs")`; start it if it does not run.

    >>> notebook.start("--logdir logs")
    """
    try:
        words = shlex.split(args, comments=True)
    except ValueError as error:
        raise BadArgument(
            f"{args!r} cannot be split into words like a shell command: {error}.", where="args"
        ) from None
    try:
        instance, is_reused = launch.find_or_start(words)
    except SystemExit:
        # argparse has already printed its message or the help.
        return
    if is_reused:
        _say(f"Reusing {_describe(instance)}. To stop it: runglass.notebook.stop({instance.port})")
    frame.show(instance, DEFAULT_HEIGHT, os.environ)


def list() -> None:
    """Print your running servers on this machine.

    >>> notebook.list()
    """
    found = instances.list_serving()
    if not found:
        print("No Runglass server is running.")
    for instance in found:
        _say(_describe(instance))


def display(port: int | None = None, height: int | None = None) -> None:
    """Show a running server: the one on this port, or the newest.

    >>> notebook.display(height=600)
    """
    if height is not None and (not isinstance(height, int) or height < 1):
        raise BadArgument(
            f"height is {height!r}; it must be a whole number of pixels, such as 800.", where="height"
        )
    frame.show(_choose(port, instances.list_serving()), height or DEFAULT_HEIGHT, os.environ)


def stop(port: int | None = None) -> None:
    """Stop a running server: the one on this port, or the newest that a notebook started.

    >>> notebook.stop()
    """
    serving = instances.list_serving()
    instance = _choose(port, serving if port is not None else [each for each in serving if each.key])
    launch.stop(instance)
    _say(f"Stopped {_describe(instance)}.")


def _say(text: str) -> None:
    # Names of log directories come from whoever started the server.
    print(make_one_line(text))


def add_magics(shell: Any) -> None:
    """What `%load_ext runglass` does."""

    def run(line: str) -> None:
        try:
            start(line)
        except RunglassError as error:
            # A traceback would hide the message.
            print(make_visible(f"Error: {error.message}"), file=sys.stderr)

    shell.register_magic_function(run, magic_kind="line", magic_name="runglass")
    # For notebooks that were written for TensorBoard; if TensorBoard's own magic is loaded, it stays.
    if shell.find_line_magic("tensorboard") is None:
        shell.register_magic_function(run, magic_kind="line", magic_name="tensorboard")


def _choose(port: int | None, serving: builtins.list[Instance]) -> Instance:
    fitting = [instance for instance in serving if port is None or instance.port == port]
    if fitting:
        return fitting[-1]
    where = "" if port is None else f" on port {port}"
    raise BadArgument(
        f"No Runglass server is running{where}. runglass.notebook.list() lists yours; start one with %runglass --logdir LOGDIR.",
        where="port",
    )


def _describe(instance: Instance) -> str:
    age_s = max(0, time.time() - instance.start_time)
    age = next(
        (
            f"{age_s / size:.0f} {unit}"
            for size, unit in ((86400, "d"), (3600, "h"), (60, "min"))
            if age_s >= size
        ),
        f"{age_s:.0f} s",
    )
    return f"Runglass of {', '.join(instance.logdir)} on port {instance.port} (pid {instance.pid}, started {age} ago)"
