"""Who asks, by a trusted proxy; how often they may; and the log of what they asked."""

from __future__ import annotations

import os
import sys

import pytest

from runglass.errors import BadArgument, RunglassError
from runglass.query.memory import MemorySource
from runglass.server.access_log import AccessLog, Visit, without_secrets
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.server.limits import RateLimit, TooMany
from runglass.server.settings import Settings

PROXY = {"auth_header": "X-Forwarded-User", "trusted_proxies": ("10.1.0.0/16", "::1")}


def client(address: str = "127.0.0.1", **settings) -> InProcess:
    return InProcess(App(MemorySource().add_run("a"), Settings(**settings)), client=address)


def test_a_trusted_proxy_says_who_asks():
    for address in ("10.1.2.3", "::ffff:10.1.2.3", "::1"):
        got = client(address, **PROXY).get("/api/status", x_forwarded_user="ann")
        assert got.json["person"] == {"name": "ann", "can_mark": True}
        assert got.json["token_required"] is True


@pytest.mark.parametrize("address", ["127.0.0.1", "10.2.0.1", "192.168.1.1", "::2", "unix"])
def test_nobody_else_may_say_it(address):
    got = client(address, **PROXY).get("/api/status", x_forwarded_user="ann")
    assert (got.status, got.json["error"]["where"]) == (403, "x-forwarded-user")
    guarded = client(address, token="s3cret", **PROXY)
    got = guarded.get("/api/status", x_forwarded_user="ann", authorization="Bearer s3cret")
    assert got.json["person"]["name"] == "owner"


@pytest.mark.parametrize("user", ["", " ", "a\tb\x1b", "x" * 201])
def test_a_name_that_cannot_be_shown_is_refused(user):
    assert client("::1", **PROXY).get("/api/status", x_forwarded_user=user).status == 403


def test_a_name_beside_that_of_the_proxy_is_refused():
    """A proxy that adds its header to one that the client sent."""
    app = App(MemorySource(), Settings(**PROXY))
    guard = app._guard
    with pytest.raises(RunglassError, match="once"):
        guard.identify("::1", ["admin", "ann"], None, {})


def test_names_are_utf_8():
    got = client("::1", **PROXY).get("/api/status", x_forwarded_user="Zoë".encode().decode("latin-1"))
    assert got.json["person"]["name"] == "Zoë"


def test_header_and_address_belong_together():
    for settings in ({"auth_header": "X-User"}, {"trusted_proxies": ("::1",)}):
        with pytest.raises(BadArgument, match="belong together"):
            Settings(**settings)
    with pytest.raises(BadArgument, match="neither an address nor a network"):
        Settings(auth_header="X-User", trusted_proxies=("proxy.example",))
    # It asks who somebody is, so it needs no token to be bound to all addresses.
    Settings(host="0.0.0.0", **PROXY)


def test_rate_limit_counts_each_for_themselves():
    now = 0.0
    limit = RateLimit(2.0, clock=lambda: now)
    for _ in range(20):
        limit.take("ann")
    with pytest.raises(TooMany) as refused:
        limit.take("ann")
    assert refused.value.retry_after_s == 1
    limit.take("ben")
    now = 0.5
    limit.take("ann")
    with pytest.raises(TooMany):
        limit.take("ann")
    now = 1e6
    for _ in range(20):
        limit.take("ann")


def test_too_many_requests_are_told_when_to_come_again():
    limited = client(rate_limit=0.2)
    assert [limited.get("/api/runs").status for _ in range(3)] == [200, 200, 429]
    got = limited.get("/api/runs")
    assert (got.headers["retry-after"], got.json["error"]["code"]) == ("5", "too_many_requests")
    assert "Try again in 5 s" in got.json["error"]["message"]
    # The page itself is not counted.
    assert limited.get("/no-such-file").status == 404


@pytest.mark.parametrize(
    ("path", "query", "shown"),
    [
        ("/api/runs", "", "/api/runs"),
        ("/~s3cret/api/runs", "", "/~…/api/runs"),
        ("/x/~s3cret/", "", "/x/~…/"),
        ("/", "token=s3cret", "/?token=…"),
        ("/", "a=1&token=s3cret&b=2", "/?a=1&token=…&b=2"),
        ("/", "to%6ben=s3cret&tag=a%20b", "/?to%6ben=…&tag=a%20b"),
        ("/", "tokens=5", "/?tokens=5"),
    ],
)
def test_access_log_has_no_secrets(path, query, shown):
    assert without_secrets(path, query) == shown


def lines(path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text().splitlines()]


def test_access_log(tmp_path):
    log = tmp_path / "access.log"
    served = client("::1", access_log=str(log), **PROXY)
    served.get("/api/runs", x_forwarded_user="ann")
    served.get("/api/none?token=s3cret", x_forwarded_user="ann b")
    served.get("/api/\x1b[2J", x_forwarded_user="ann b")
    served.get("/api/runs")
    first, second, third, fourth = lines(log)
    assert first[1:6] == ["ann", "-", "GET", "/api/runs", "200"]
    assert (int(first[6]) > 20, float(first[7]) >= 0) == (True, True)
    assert second[1:6] == ["-", "-", "GET", "/api/none?token=…", "403"]
    assert (third[1], third[4], third[5]) == ("ann b", "/api/␛[2J", "404")
    assert fourth[1] == "-"


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be renamed there")
def test_access_log_is_rotated(tmp_path):
    path = tmp_path / "access.log"
    log = AccessLog(str(path))
    visit = Visit("GET", "/", "", 0.0)
    log.write(visit)
    os.rename(path, tmp_path / "access.log.1")
    log.reopen()
    log.write(visit)
    assert len(lines(path)) == len(lines(tmp_path / "access.log.1")) == 1
    # Without a signal it is noticed a little later.
    os.rename(path, tmp_path / "access.log.2")
    log._looked_at = 0.0
    log.write(visit)
    assert len(lines(path)) == 1
    log.close()


def test_access_log_that_cannot_be_opened(tmp_path):
    with pytest.raises(RunglassError, match="cannot be opened"):
        AccessLog(str(tmp_path / "no/such/folder"))
