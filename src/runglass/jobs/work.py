"""How a dashboard declares a long computation: `Work`, the key of a job, and its states. Runs nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Literal

import msgspec
from msgspec import Struct

from runglass import __version__
from runglass.jobs.context import Context

DEFAULT_MEMORY_BYTES = 256 * 2**20
DEFAULT_STALL_S = 60.0
ID_BYTES = 16


class JobState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED})


class Work(Struct, frozen=True, kw_only=True):
    """One kind of long computation, declared by a dashboard.

    `load` runs in the server, where the data is. `compute` gets what `load` yields, in a thread or in a worker process; for a
    process it must be a function at the top level of a module, and inputs must be picklable.
    """

    # The dashboard and what is computed: "text.search".
    name: str
    # For users: "Search texts".
    title: str
    # A frozen Struct. Work, question and identity are the key of a job.
    question: type[Struct]
    # (source, question) -> the content the result depends on, as JSON-like values: generations of series, for example.
    # Raises RunglassError for a question that makes no sense. With `on_disk` it must identify the content across servers
    # (file, size, modification time): generations start again with every server.
    identify: Callable[[Any, Any], Any]
    # (context, source, question) -> inputs for `compute`. A generator is consumed as `compute` asks for more. With `needs` it also
    # gets a list of what those jobs have.
    load: Callable[..., Iterable[Any]]
    # (context, inputs) -> the result: bytes, or anything that msgspec can encode as JSON.
    compute: Callable[[Context, Iterator[Any]], Any]
    # (question) -> ids of jobs that this one goes on from: of their results, or the newest partial results they have.
    needs: Callable[[Any], Sequence[str]] | None = None
    # Types of the JSON result and partial results, for the OpenAPI document.
    result: type[Struct] | None = None
    partial: type[Struct] | None = None
    # Threads are for native code that releases the GIL, processes for Python code and for code that may hang or crash.
    runs_in: Literal["thread", "process"] = "thread"
    can_pause: bool = False
    # An estimate, or (source, question) -> one. Jobs wait until there is room for it; a process that exceeds it is killed.
    memory_bytes: int | Callable[[Any, Any], int] = DEFAULT_MEMORY_BYTES
    # A job without a heartbeat for this long fails; None: never.
    stall_s: float | None = DEFAULT_STALL_S
    # "latest": only the newest partial result is held, for results that are refined step by step.
    holds_partials: Literal["all", "latest"] = "all"
    # Whether the result is also cached on disk.
    on_disk: bool = False
    # What the user can do when it takes too long or too much memory; added to such errors.
    advice: str = ""


def make_id(work: Work, question: Struct, identity: Any) -> str:
    """The key of a job, safe in URLs and file names. Includes our version: another one may compute something else."""
    key = [__version__, work.name, msgspec.to_builtins(question), msgspec.to_builtins(identity)]
    text = json.dumps(key, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=ID_BYTES).hexdigest()
