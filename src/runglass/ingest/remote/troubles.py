"""Says why a backend failed: its exceptions become a state with words. Never shows what the backend says unread: it may hold
credentials.
"""

from __future__ import annotations

import errno
import re

from runglass.ingest.remote.address import Address
from runglass.ingest.remote.model import Trouble

MAX_DETAIL = 160
# Names of exceptions of backends that are no OSErrors, and of codes that they hold.
DENIED = re.compile(
    r"(?i)credential|accessdenied|access denied|forbidden|unauthorized|authentic|permission|invalidaccesskey|signature|"
    r"tokenrefresh|expiredtoken|known_hosts"
)
THROTTLED = re.compile(
    r"(?i)slowdown|slow down|throttl|too many requests|rate exceeded|serverbusy|\b429\b|\b503\b"
)
MISSING = re.compile(r"(?i)nosuchbucket|nosuchkey|notfound|not found|\b404\b")
LOST_ERRORS = frozenset(
    {
        errno.ECONNREFUSED,
        errno.ECONNRESET,
        errno.EHOSTUNREACH,
        errno.ENETUNREACH,
        errno.ETIMEDOUT,
        errno.EPIPE,
    }
)

ADVICE = {
    "denied": "Check the credentials as the backend takes them, and what they may read.",
    "throttled": "Runglass waits longer between requests and goes on by itself.",
    "missing": "Check the address.",
    "lost": "Runglass tries again by itself.",
    "failed": "Runglass tries again by itself.",
}

SSH_DENIED = (
    "Check that ssh connects to this host without asking: add the key to the agent with ssh-add, or name the password in the "
    "address, as in sftp://user:password@host/path."
)


def explain(error: BaseException, address: Address) -> Trouble:
    if isinstance(error, Trouble):
        return error
    state = _state_of(error)
    detail = address.hide(" ".join(str(error).split()))
    if len(detail) > MAX_DETAIL:
        detail = detail[: MAX_DETAIL - 1] + "…"
    said = f" ({detail})" if detail and state != "missing" else ""
    reason = {
        "denied": "access is denied",
        "throttled": "the store asks to slow down",
        "missing": "there is nothing at this address",
        "lost": "the connection is lost",
        "failed": "the store answers with an error",
    }[state]
    advice = ADVICE[state]
    if state == "denied" and address.scheme in ("sftp", "ssh"):
        advice = SSH_DENIED
    return Trouble(state, f"{reason}{said}", advice)


def _state_of(error: BaseException) -> str:
    status = getattr(error, "status", None)
    text = f"{type(error).__name__} {error}"
    if isinstance(error, PermissionError) or status in (401, 403):
        return "denied"
    if isinstance(error, FileNotFoundError) or status in (404, 410):
        return "missing"
    if status in (429, 503) or (isinstance(error, OSError) and error.errno == errno.EBUSY):
        return "throttled"
    # A connection that fails says which host it was about, and that may contain any word.
    if isinstance(error, (ConnectionError, TimeoutError)) or (
        isinstance(error, OSError) and error.errno in LOST_ERRORS
    ):
        return "lost"
    if isinstance(status, int) and status >= 400:
        return "failed"
    for pattern, state in ((THROTTLED, "throttled"), (DENIED, "denied"), (MISSING, "missing")):
        if pattern.search(text):
            return state
    return "lost" if re.search(r"(?i)connect|timeout|timed out|ssh|dns|resolve|eof", text) else "failed"
