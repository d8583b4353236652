"""The page from disk: caching, missing files, and nothing outside its folder."""

from __future__ import annotations

import pytest

from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.server.settings import Settings


@pytest.fixture
def page(tmp_path):
    page = tmp_path / "page"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<!doctype html>" + " " * 5000)
    (page / "assets/main-abc123.js").write_text("export {};" + "//" * 5000)
    (page / "assets/data.bin").write_text("unknown type")
    (tmp_path / "secret.txt").write_text("secret")
    (page / "link.txt").symlink_to(tmp_path / "secret.txt")
    return page


@pytest.fixture
def client(page):
    return InProcess(App(MemorySource(), Settings(page=page)))


def test_page_is_revalidated_and_hashed_files_are_cached(client):
    index = client.get("/")
    assert (index.status, index.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert index.headers["cache-control"] == "no-cache"
    assert client.get("/index.html").body == index.body
    script = client.get("/assets/main-abc123.js")
    assert (script.status, script.headers["content-type"]) == (200, "text/javascript; charset=utf-8")
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_page_is_compressed_on_loopback_too(client):
    got = client.get("/", accept_encoding="gzip")
    assert (got.headers["content-encoding"], got.headers["vary"]) == ("gzip", "accept-encoding")
    assert len(got.body) < 500


def test_files_that_the_build_compressed_are_sent_as_they_are(client, page):
    (page / "assets/main-abc123.js.gz").write_bytes(b"packed")
    script = client.get("/assets/main-abc123.js", accept_encoding="gzip, zstd")
    assert (script.body, script.headers["content-encoding"]) == (b"packed", "gzip")
    assert client.get("/assets/main-abc123.js").body.startswith(b"export {};")
    assert client.get("/assets/main-abc123.js.gz").status == 404


def test_a_new_build_is_seen(client, page):
    assert client.get("/").status == 200
    (page / "index.html").write_text("rebuilt")
    assert client.get("/").body == b"rebuilt"


@pytest.mark.parametrize(
    "url",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/assets/../../secret.txt",
        "/assets/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/..%5csecret.txt",
        "/link.txt",
        "//etc/passwd",
        "/assets",
        "/assets/",
        "/assets/data.bin",
        "/assets/missing.js",
        "/a%00b.js",
        "/index.html/x.js",
        "/" + "x" * 5000 + ".js",
    ],
)
def test_nothing_else(client, url):
    got = client.get(url)
    assert (got.status, got.json["error"]["code"]) == (404, "not_found")


def test_page_that_was_not_built(tmp_path):
    client = InProcess(App(MemorySource(), Settings(page=tmp_path)))
    got = client.get("/")
    assert (got.status, got.json["error"]["code"]) == (503, "page_missing")
    assert "make setup" in got.json["error"]["message"]
    assert client.get("/api/runs").status == 200
