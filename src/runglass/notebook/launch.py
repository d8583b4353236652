"""Finds or starts the server that a notebook asks for, and stops servers. Shows nothing."""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from typing import IO

import msgspec

from runglass import __version__, flags, instances
from runglass.cli import log_roots
from runglass.errors import BadRequest, PortTaken, RunglassError
from runglass.instances import LOOK_INTERVAL_S, Instance, Order
from runglass.notebook.frame import frame_ancestors

START_PATIENCE_S = 60.0
STOP_PATIENCE_S = 10.0
MAX_OUTPUT_BYTES = 8 * 2**10

# Kept so that servers that have ended do not stay as zombies.
_started: dict[int, subprocess.Popen[bytes]] = {}


def find_or_start(words: list[str]) -> tuple[Instance, bool]:
    """The server for these command-line words, and whether it was already running."""
    if words[:1] in (["inspect"], ["query"], ["run"], ["profile"], ["import"]):
        raise BadRequest(
            f"{words[0]} shows no page. Run it as a command: !runglass {words[0]} …", where=words[0]
        )
    args = flags.parse(words, f"runglass {__version__}")
    if args.command == "inspect":
        raise BadRequest("--inspect shows no page. Run it as a command: !runglass inspect …", where="inspect")
    key = make_key(args)
    is_blocking = args.reload_task == "blocking"
    instance = _find(key, is_blocking=is_blocking)
    if instance is not None:
        return instance, True
    with instances.locked(key, patience_s=START_PATIENCE_S), tempfile.TemporaryFile() as output:
        # Another notebook may have started it meanwhile.
        instance = _find(key, is_blocking=is_blocking)
        if instance is not None:
            return instance, True
        _check_port(args.port, instances.list_instances())
        return _wait(key, _launch(words, args, key, output), output), False


def make_key(args: argparse.Namespace) -> str:
    """Equal for command lines that mean the same: with absolute paths, whatever the order and spelling of flags."""
    ignored = {"logdirs", "logdir", "logdir_spec", "is_named", *flags.WITHOUT_MEANING}
    asked = {name: value for name, value in vars(args).items() if name not in ignored}
    asked["allowed_host"] = sorted(args.allowed_host)
    asked["roots"] = sorted((root.name, os.path.realpath(root.path)) for root in log_roots(args))
    if args.command == "demo":
        # By default its logs are in the working directory.
        asked["folder"] = os.getcwd()
    return hashlib.sha256(msgspec.json.encode(asked, order="deterministic")).hexdigest()


def stop(instance: Instance) -> None:
    with suppress(ProcessLookupError):
        os.kill(instance.pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_PATIENCE_S
    while time.monotonic() < deadline:
        _reap()
        if instance.pid not in _started and instances.ask(instance) == "gone":
            return
        time.sleep(LOOK_INTERVAL_S)
    raise RunglassError(
        f"The server on port {instance.port} did not stop within {STOP_PATIENCE_S:g} s."
        f" Kill its process: kill -9 {instance.pid}.",
        where="stop",
    )


def _find(key: str, *, is_blocking: bool) -> Instance | None:
    """A server that answers. Waits for one that does not, as long as its process exists."""
    deadline = time.monotonic() + START_PATIENCE_S
    while True:
        _reap()
        silent = []
        for instance in reversed(instances.list_instances()):
            answer = instances.ask(instance) if instance.key == key else "gone"
            if answer == "serving":
                return instance
            if answer == "silent":
                silent.append(instance)
        if not silent:
            return None
        if time.monotonic() >= deadline:
            break
        time.sleep(LOOK_INTERVAL_S)
    instance = silent[0]
    hint = "it may still be loading. Run this again to go on waiting" if is_blocking else "it hangs"
    raise RunglassError(
        f"The server on port {instance.port} (pid {instance.pid}) does not answer after {START_PATIENCE_S:g} s; {hint}."
        f" To start another one, kill its process (kill -9 {instance.pid}) and run this again.",
        where="start",
    )


def _check_port(port: int | None, known: list[Instance]) -> None:
    """Raises if one of our servers has the port, with a better message than the server's own."""
    for instance in known:
        if port and instance.port == port and instances.ask(instance) == "serving":
            raise PortTaken(
                f"Port {port} already serves Runglass for {', '.join(instance.logdir)}. Leave out --port to get a free one,"
                f" or stop that server: runglass.notebook.stop({port}).",
                where="port",
            )


def _launch(
    words: list[str], args: argparse.Namespace, key: str, output: IO[bytes]
) -> subprocess.Popen[bytes]:
    from secrets import token_urlsafe

    order = Order(
        key=key,
        token=token_urlsafe(24) if args.token is None else args.token,
        frame_ancestors=frame_ancestors(os.environ, args.allowed_host),
        parent_pid=os.getpid(),
    )
    process = subprocess.Popen(
        # -P: a random.py beside the notebook must not replace the standard library's.
        [sys.executable, "-P", "-m", "runglass", *words],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env={**os.environ, instances.ORDER_VARIABLE: msgspec.json.encode(order).decode()},
        # Interrupting or restarting a kernel signals its whole process group.
        start_new_session=True,
    )
    _started[process.pid] = process
    return process


def _wait(key: str, process: subprocess.Popen[bytes], output: IO[bytes]) -> Instance:
    deadline = time.monotonic() + START_PATIENCE_S
    try:
        while time.monotonic() < deadline:
            # By key, not by process: on Windows the interpreter of a virtual environment starts another one.
            for instance in reversed(instances.list_instances()):
                if instance.key == key and instances.ask(instance) == "serving":
                    return instance
            if process.poll() is not None:
                raise RunglassError(
                    f"The server ended with exit status {process.returncode}. Its output:\n{_tail(output)}",
                    where="start",
                )
            time.sleep(LOOK_INTERVAL_S)
    except KeyboardInterrupt:
        process.terminate()
        raise
    raise RunglassError(
        f"The server (pid {process.pid}) does not answer after {START_PATIENCE_S:g} s; it may still be starting. Run this"
        f" again to go on waiting. Its output:\n{_tail(output)}",
        where="start",
    )


def _tail(output: IO[bytes]) -> str:
    size_bytes = output.seek(0, os.SEEK_END)
    output.seek(max(0, size_bytes - MAX_OUTPUT_BYTES))
    return output.read().decode(errors="replace").strip() or "(nothing)"


def _reap() -> None:
    for pid, process in list(_started.items()):
        if process.poll() is not None:
            del _started[pid]
