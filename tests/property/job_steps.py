"""A work whose code goes step by step where a test tells it to, for threads and worker processes. Imports little."""

from __future__ import annotations

import time
from pathlib import Path

from msgspec import Struct

from runglass.jobs.work import Work

# Steps that look whether the job goes on, and one that does not.
LOOKS = ("check", "progress", "partial")
STEPS = (*LOOKS, "compute")


class Walk(Struct, frozen=True):
    folder: str
    steps: tuple[str, ...]
    # Before which step the code waits for the test; one past the last: before the result.
    stop_before: int
    turn: int


def load(context, source, question):
    yield question


def walk(context, inputs):
    (question,) = inputs
    folder = Path(question.folder)
    with (folder / "log").open("a") as log:
        for number, step in enumerate([*question.steps, "end"]):
            if number == question.stop_before:
                (folder / "here").touch()
                while not (folder / "on").exists():
                    time.sleep(0.001)
            if step == "check":
                context.check()
            elif step == "progress":
                context.progress("walking", number, len(question.steps))
            elif step == "partial":
                context.partial({"number": number})
            log.write(f"{number}\n")
            log.flush()
    return {"is_done": True}


def make_work(runs_in):
    return Work(
        name=f"walk.{runs_in}",
        title="A walk",
        question=Walk,
        identify=lambda source, question: None,
        load=load,
        compute=walk,
        runs_in=runs_in,
        can_pause=True,
    )
