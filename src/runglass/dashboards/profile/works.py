"""What the profile computes in jobs: the files of a session become a trace; regular expressions are searched for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runglass.api.matching import match_texts
from runglass.dashboards.profile.describing import describe
from runglass.dashboards.profile.loaded import Loaded, known_profiles
from runglass.dashboards.profile.searching import WORK, identify_texts, load_texts
from runglass.dashboards.profile.shape import AboutProfile, PatternBody, ProfileBody
from runglass.jobs.context import Context
from runglass.jobs.work import Work
from runglass.query.profiles.model import give_back
from runglass.query.source import DataSource

BASE_BYTES = 200 << 20


def identify_profile(source: DataSource, body: ProfileBody) -> Any:
    return known_profiles.of(source).identify(source, body.session)


def load_profile(context: Context, source: DataSource, body: ProfileBody) -> Iterator[Loaded]:
    context.progress("Reading", 0)
    loaded = known_profiles.of(source).open(source, body.session, flag=context.flag, report=context.progress)
    context.check()
    yield loaded


def describe_profile(context: Context, inputs: Iterator[Loaded]) -> AboutProfile:
    loaded = next(inputs)
    about = describe(loaded)
    loaded.trace.release()
    give_back()
    return about


def estimate_bytes(source: DataSource, body: ProfileBody) -> int:
    return BASE_BYTES + known_profiles.of(source).size_bytes(source, body.session) // 2


OPEN = Work(
    name="profile.open",
    title="Open a profile",
    question=ProfileBody,
    identify=identify_profile,
    load=load_profile,
    compute=describe_profile,
    result=AboutProfile,
    # Native code without the GIL.
    runs_in="thread",
    memory_bytes=estimate_bytes,
    stall_s=None,
    advice="Profile fewer steps.",
)

SEARCH = Work(
    name=WORK,
    title="Search a profile",
    question=PatternBody,
    identify=identify_texts,
    load=load_texts,
    compute=match_texts,
    runs_in="process",
    stall_s=20.0,
    advice="Try a simpler pattern.",
)

WORKS = (OPEN, SEARCH)
