"""Access control: hosts, origins and tokens, each right, wrong and missing."""

from __future__ import annotations

import socket

import pytest

from runglass.errors import BadArgument
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.hosts import is_loopback, split_host
from runglass.server.in_process import InProcess
from runglass.server.security import make_token
from runglass.server.settings import Settings

TOKEN = "s3cret-token"


def client(**settings) -> InProcess:
    return InProcess(App(MemorySource().add_run("a"), Settings(**settings)))


def status(client: InProcess, host: str, origin: str | None = None) -> int:
    headers = {"host": host} | ({"origin": origin} if origin is not None else {})
    got = client.get("/api/runs", **headers)
    if got.status != 200:
        assert got.json["error"]["code"] == "forbidden"
    return got.status


@pytest.mark.parametrize(
    ("host", "parts"),
    [
        ("localhost", ("localhost", "")),
        ("LocalHost:80", ("localhost", "80")),
        ("[::1]", ("::1", "")),
        ("[::1]:6006", ("::1", "6006")),
        ("name.", ("name", "")),
        ("", ("", "")),
    ],
)
def test_split_host(host, parts):
    assert split_host(host) == parts


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:6006", "[::1]:6006", "LOCALHOST:1", "127.0.0.1."])
def test_own_hosts(host):
    assert status(client(), host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:6006",
        "",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "10.0.0.5",
        "[::2]",
    ],
)
def test_foreign_hosts(host):
    assert status(client(), host) == 403


def test_bound_and_allowed_hosts():
    bound = client(host="gpu7", token="")
    assert [status(bound, host) for host in ("gpu7:6006", "localhost", "gpu8")] == [200, 200, 403]
    six = client(host="fe80::1", token="")
    assert status(six, "[fe80::1]:6006") == 200
    proxied = client(allowed_hosts=("runs.example:443", "Other.Example"))
    assert [status(proxied, host) for host in ("runs.example", "other.example:8443", "evil.example")] == [
        200,
        200,
        403,
    ]


def test_bound_to_every_address():
    everywhere = client(host="0.0.0.0", token="")
    assert [
        status(everywhere, host) for host in ("192.168.1.20:6006", "[fe80::2]", socket.gethostname())
    ] == [200] * 3
    assert status(everywhere, "evil.example") == 403


@pytest.mark.parametrize(
    ("host", "origin", "expected"),
    [
        ("localhost:6006", "http://localhost:6006", 200),
        ("localhost", "http://localhost:80", 200),
        ("[::1]:6006", "http://[::1]:6006", 200),
        ("localhost:6006", "http://localhost:3000", 403),
        ("localhost:6006", "http://127.0.0.1:6006", 403),
        ("localhost:6006", "https://evil.example", 403),
        ("localhost:6006", "null", 403),
        ("localhost:6006", "", 403),
        ("localhost:6006", "file://", 403),
    ],
)
def test_origins(host, origin, expected):
    assert status(client(), host, origin) == expected


def test_origin_of_a_proxy():
    proxied = client(allowed_hosts=("runs.example",))
    assert status(proxied, "127.0.0.1:6006", "https://runs.example") == 200


def test_beyond_loopback_a_token_is_required_or_explicitly_empty():
    with pytest.raises(BadArgument, match="token"):
        Settings(host="0.0.0.0")
    with pytest.raises(BadArgument, match="letters"):
        Settings(token="a;b")
    assert all(is_loopback(host) for host in ("localhost", "127.1.2.3", "::1", "::ffff:127.0.0.1"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "gpu7", "::ffff:10.0.0.1", ""))
    Settings(token=make_token())
    assert make_token() != make_token()


def test_token_in_the_address_becomes_a_cookie(tmp_path):
    (tmp_path / "index.html").write_text("page")
    guarded = client(host="0.0.0.0", port=7007, token=TOKEN, page=tmp_path)
    got = guarded.get(f"/?a=1&token={TOKEN}&b=%26")
    assert (got.status, got.headers["location"]) == (303, "./?a=1&b=%26")
    cookie, *attributes = got.headers["set-cookie"].split("; ")
    assert cookie == f"runglass_token_7007={TOKEN}"
    assert set(attributes) == {"HttpOnly", "SameSite=Strict", "Path=/"}
    assert guarded.get("/", cookie=cookie).body == b"page"
    assert guarded.get("/api/status", cookie=f"x=y; {cookie}").json["token_required"] is True


def test_token_for_scripts():
    guarded = client(token=TOKEN)
    assert guarded.get("/api/runs", authorization=f"Bearer {TOKEN}").status == 200
    direct = guarded.get(f"/api/tags?token={TOKEN}&kind=scalar")
    assert (direct.status, "set-cookie" in direct.headers) == (200, True)


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("/", {}),
        ("/api/runs", {}),
        ("/assets/x.js", {}),
        ("/api/runs?token=wrong", {}),
        (f"/api/runs?token={TOKEN}&token=wrong", {}),
        ("/api/runs", {"authorization": "Bearer wrong"}),
        ("/api/runs", {"authorization": f"Basic {TOKEN}"}),
        ("/api/runs", {"authorization": "Bearer \xff"}),
        ("/api/runs", {"cookie": "runglass_token_6006=wrong"}),
        ("/api/runs", {"cookie": f"runglass_token_1={TOKEN}"}),
    ],
)
def test_without_the_right_token(url, headers):
    got = client(token=TOKEN).get(url, **headers)
    assert (got.status, got.json["error"]["code"], got.json["error"]["where"]) == (403, "forbidden", "token")
    assert TOKEN not in got.text


def test_prefix_and_token():
    guarded = client(token=TOKEN, path_prefix="/x")
    got = guarded.get(f"/x/?token={TOKEN}")
    assert (got.status, got.headers["location"]) == (303, "./")
    assert "Path=/x;" in got.headers["set-cookie"]


def test_token_in_the_path_needs_no_cookie_and_no_name(tmp_path):
    (tmp_path / "index.html").write_text("page")
    guarded = client(token=TOKEN, path_prefix="/x", page=tmp_path)
    behind_a_proxy = {"host": "hub.example", "origin": "https://hub.example:8443"}
    got = guarded.get(f"/x/~{TOKEN}/", **behind_a_proxy)
    assert (got.status, got.body, "set-cookie" in got.headers) == (200, b"page", False)
    assert guarded.get(f"/x/~{TOKEN}/api/tags?kind=scalar", **behind_a_proxy).status == 200


@pytest.mark.parametrize(
    "path",
    [
        f"/~{TOKEN}",
        "/~wrong/api/runs",
        "/~/api/runs",
        f"/x~{TOKEN}/api/runs",
        f"/~{TOKEN}x/api/runs",
        f"/{TOKEN}/",
    ],
)
def test_a_path_without_the_right_token(path):
    assert client(token=TOKEN).get(path).status == 403
    assert client().get(path).status == 404


def test_frames_can_be_allowed():
    headers = client(frame_ancestors="*").get("/api/runs").headers
    assert "frame-ancestors *" in headers["content-security-policy"]
