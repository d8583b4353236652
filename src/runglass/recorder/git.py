"""The state of the source code: commit, branch, and uncommitted changes. Asks git and changes nothing."""

from __future__ import annotations

import os
import subprocess

from runglass.recorder.markdown import code_block, cut, table

TIMEOUT_S = 10.0
DIFF_LIMIT_CHARS = 256 << 10
MAX_UNTRACKED = 200


def describe_git(directory: str) -> str | None:
    """Markdown, or None without git or a repository."""
    commit = ask_git(directory, "rev-parse", "HEAD")
    status = ask_git(directory, "status", "--porcelain", "--untracked-files=normal")
    if commit is None and status is None:
        return None
    changes = (status or "").splitlines()
    untracked = [line[3:] for line in changes if line.startswith("??")]
    state = (
        f"{len(changes) - len(untracked)} files changed, {len(untracked)} not tracked" if changes else "clean"
    )
    parts = [
        table(
            {
                "commit": (commit or "none yet").strip(),
                "branch": (ask_git(directory, "rev-parse", "--abbrev-ref", "HEAD") or "none").strip(),
                "message": (ask_git(directory, "log", "-1", "--format=%s") or "").strip(),
                "state": state if status is not None else "unknown: git took too long",
            }
        )
    ]
    # Without the user's own diff tools and without rename detection: both may take long.
    diff = ask_git(directory, "diff", "--no-ext-diff", "--no-textconv", "--no-renames", "HEAD", "--")
    if diff and diff.strip():
        parts.append(code_block(cut(diff.rstrip("\n"), DIFF_LIMIT_CHARS), "diff"))
    if untracked:
        more = [f"… and {len(untracked) - MAX_UNTRACKED:,} more"] if len(untracked) > MAX_UNTRACKED else []
        parts.append("Not tracked:\n\n" + code_block("\n".join([*untracked[:MAX_UNTRACKED], *more])))
    return "\n\n".join(parts)


def ask_git(directory: str, *words: str) -> str | None:
    try:
        answer = subprocess.run(
            ["git", "-C", directory, "-c", "core.fsmonitor=false", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            # Git must write nothing, not even its own index cache.
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"},
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.decode("utf-8", "replace") if answer.returncode == 0 else None
