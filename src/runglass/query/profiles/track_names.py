"""What tracks are called: by the name or the role of their thread. Files of JAX and TensorFlow number threads by a hash, which says nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runglass.query.profiles.model import Trace, Track

# PyTorch: thread 3322 (pt_autograd_0).
NAMED = re.compile(r"thread \S+ \((.+)\)", re.DOTALL)
# The number of a thread that a system gave has fewer digits.
HASH = re.compile(r"-?\d{10,}")
NAMELESS = "thread"


def is_hash(thread_id: str) -> bool:
    return HASH.fullmatch(thread_id) is not None


def names_of(trace: Trace) -> list[str]:
    found: list[str] = trace.computed.get("track names", lambda: name_tracks(trace.tracks))
    return found


def name_tracks(tracks: Sequence[Track]) -> list[str]:
    """A name for each track. Threads of one role in a process, which only a hash tells apart, are numbered."""
    roles = [role_of(track) for track in tracks]
    # By place and role, the numbers of the threads.
    threads: dict[tuple[str, str, str, str], dict[str, int]] = {}
    for track, role in zip(tracks, roles, strict=True):
        if is_hash(track.thread_id):
            known = threads.setdefault((track.host, track.process, track.process_id, role), {})
            known.setdefault(track.thread_id, len(known) + 1)
    names = []
    for track, role in zip(tracks, roles, strict=True):
        known = threads.get((track.host, track.process, track.process_id, role), {})
        number = known.get(track.thread_id, 0)
        is_alone = len(known) == 1 and role != NAMELESS
        names.append(f"{role} {number}" if number and not is_alone else role)
    return names


def role_of(track: Track) -> str:
    """Without its number, where the name has it."""
    thread = track.thread.strip()
    named = NAMED.fullmatch(thread)
    if named is not None:
        return named[1]
    if track.thread_id and thread.endswith(f"/{track.thread_id}"):
        thread = thread[: -len(track.thread_id) - 1]
    if thread and not (thread == track.thread_id and is_hash(thread)):
        return thread
    if is_hash(track.thread_id):
        return NAMELESS
    if not track.thread_id:
        return track.kind
    return f"thread {track.thread_id}" if track.thread_id.isdecimal() else track.thread_id
