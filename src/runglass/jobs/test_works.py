"""Works that the tests of jobs run, in threads and in processes. No tests; imports little, because workers import it."""

from __future__ import annotations

import os
import time
from pathlib import Path

from msgspec import Struct

from runglass.errors import BadRequest
from runglass.jobs.work import Work


class Question(Struct, frozen=True):
    """`folder` is where code and test wait for each other: processes share nothing else."""

    folder: str = ""
    steps: int = 3
    size_bytes: int = 0
    salt: int = 0


def identify(source, question):
    return source


def load(context, source, question):
    yield question
    yield from range(question.steps)


def load_slowly(context, source, question):
    """Two inputs at once, and the others when the test lets it go on."""
    yield question
    yield 0
    while not noted(question.folder, "go"):
        context.check()
        time.sleep(0.005)
    yield from range(1, question.steps)


def load_needed(context, source, question, needed):
    yield from needed


def name_job(question):
    return [question.folder]


def join(context, inputs):
    return b"".join(each.data for each in inputs)


def note(question, name):
    """A file to be seen by the test, and counted: one per call."""
    Path(question.folder, f"{name}-{time.monotonic_ns()}-{os.getpid()}").touch()


def noted(folder, name):
    return sum(each.name.startswith(f"{name}-") for each in Path(folder).iterdir())


def add_up(context, inputs):
    """Adds its inputs up, with a partial result for each."""
    question = next(inputs)
    note(question, "started")
    total = 0
    for step in inputs:
        context.progress("adding", step, question.steps)
        total += step
        context.partial({"total": total})
    return {"total": total}


def send_bytes(context, inputs):
    question = next(inputs)
    for step in inputs:
        context.partial(bytes([step % 256]) * question.size_bytes)
    return b"\x00\xffend"


def step_by_step(context, inputs):
    """A step for every check, each noted; the test lets it begin, and it never ends by itself."""
    question = next(inputs)
    context.progress("stepping", 0, None)
    note(question, "started")
    while True:
        context.check()
        note(question, "step")


def wait_for_go(context, inputs):
    question = next(inputs)
    note(question, "started")
    done = 0
    while not noted(question.folder, "go"):
        done += 1
        context.progress("waiting", done, None)
        note(question, "step")
        time.sleep(0.005)
    return {"done": True}


def progress_at_once(context, inputs):
    """Several steps sooner than listeners are told of them, and then none for a while."""
    question = next(inputs)
    for done in range(4):
        context.progress("hurrying", done, 4)
    while not noted(question.folder, "go"):
        context.check()
        time.sleep(0.005)
    return {}


def watch_flag(context, inputs):
    """As a native loop does: looks at the flag and at nothing else."""
    question = next(inputs)
    note(question, "started")
    while not context.flag[0]:
        time.sleep(0.001)
    note(question, "ended")
    context.check()


def fail(context, inputs):
    raise ZeroDivisionError("a secret of the server")


def refuse(context, inputs):
    raise BadRequest("The question makes no sense.", where="steps")


def leave(context, inputs):
    raise SystemExit(3)


def ignore_everything(context, inputs):
    """Never gives the GIL back for long, never checks."""
    question = next(inputs)
    note(question, "started")
    import re

    re.match("(a+)+c", "a" * 64 + "b")


def take_memory(context, inputs):
    held = []
    while True:
        held.append(bytearray(16 * 2**20))
        context.check()


def take_memory_slowly(context, inputs):
    """Past what a limit on allocations sees: memory that is shared with nobody and mapped, not allocated."""
    import mmap

    held = []
    while True:
        block = mmap.mmap(-1, 16 * 2**20)
        for at in range(0, len(block), 4096):
            block[at] = 1
        held.append(block)
        context.check()
        time.sleep(0.005)


def die(context, inputs):
    os._exit(7)


def be_killed(context, inputs):
    import signal

    os.kill(os.getpid(), getattr(signal, "SIGSEGV", signal.SIGTERM))
    time.sleep(60)


def print_much(context, inputs):
    print("this is not a frame\n" * 1000)
    return {"printed": True}


def load_badly(context, source, question):
    yield question
    raise OSError("the disk is gone")


def make(compute, **fields):
    given = {
        "name": compute.__name__,
        "title": "A test",
        "question": Question,
        "identify": identify,
        "load": load,
    }
    return Work(**{**given, "compute": compute, **fields})
