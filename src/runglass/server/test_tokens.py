"""Tokens with names: made, used, revoked, expired; and files of them that are wrong."""

from __future__ import annotations

import asyncio
import json
import os
import sys

import pytest

from runglass.errors import BadRequest
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.server.settings import Settings
from runglass.server.tokens import TokenFile, TokensUnreadable, TokenUnknown, create_token, revoke_token


@pytest.fixture
def path(tmp_path):
    return tmp_path / "config/tokens.json"


def client(path, **settings) -> InProcess:
    return InProcess(App(MemorySource().add_run("a"), Settings(tokens=path, **settings)))


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_file_has_no_token_and_is_closed_to_others(path):
    token = create_token(path, "ann", right="mark")
    assert token.startswith("rgt_")
    assert token not in path.read_text()
    assert token.split("_", 2)[2] not in path.read_text()
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o777 == 0o600
    (listed,) = TokenFile(path).list_tokens()
    assert (listed.name, listed.right, listed.projects, listed.revoked) == ("ann", "mark", None, None)


def test_a_named_token_opens_until_it_is_revoked(path):
    token = create_token(path, "ann")
    guarded = client(path)
    assert guarded.get("/api/runs").status == 403
    assert guarded.get("/api/status", **bearer(token)).json["person"] == {"name": "ann", "can_mark": False}
    got = guarded.get(f"/?token={token}")
    assert (got.status, got.headers["location"]) == (303, "./")
    cookie = got.headers["set-cookie"].partition(";")[0]
    assert guarded.get("/api/runs", cookie=cookie).status == 200
    assert guarded.get(f"/~{token}/api/runs").status == 200

    assert revoke_token(path, "ann").name == "ann"
    for url, headers in [
        ("/api/runs", bearer(token)),
        ("/api/runs", {"cookie": cookie}),
        (f"/~{token}/api/runs", {}),
    ]:
        refused = guarded.get(url, **headers)
        assert (refused.status, refused.json["error"]["code"]) == (403, "token_ended")
        assert "was revoked" in refused.json["error"]["message"]
        assert token not in refused.text
    with pytest.raises(TokenUnknown, match="no token 'ann' that could be revoked"):
        revoke_token(path, "ann")
    # The name is free again, and the old token stays out.
    create_token(path, "ann")
    assert guarded.get("/api/runs", **bearer(token)).status == 403


def test_tokens_expire(path):
    token = create_token(path, "ann", expires_s=-1.0)
    assert "has expired" in client(path).get("/api/runs", **bearer(token)).json["error"]["message"]


@pytest.mark.parametrize("wrong", ["", "rgt_", "rgt_00000000_x", "rgt", "x_y_z"])
def test_what_is_no_token_is_refused(path, wrong):
    create_token(path, "ann")
    got = client(path).get("/api/runs", **bearer(wrong))
    assert (got.status, got.json["error"]["code"]) == (403, "forbidden")


def test_right_id_with_a_wrong_secret(path):
    token = create_token(path, "ann")
    assert client(path).get("/api/runs", **bearer(token[:-1])).status == 403
    assert client(path).get("/api/runs", **bearer(token + "x")).status == 403


def test_token_of_the_command_line_stays_beside_them(path):
    named = create_token(path, "ann")
    guarded = client(path, token="own3r")
    assert guarded.get("/api/status", **bearer("own3r")).json["person"] == {"name": "owner", "can_mark": True}
    assert guarded.get("/api/runs", **bearer(named)).status == 200


def test_names(path):
    create_token(path, "ann")
    with pytest.raises(BadRequest, match="already"):
        create_token(path, "ann")
    for name in ("", "  ", "a\nb", "x" * 101):
        with pytest.raises(BadRequest, match="1 to 100"):
            create_token(path, name)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "damaged"),
        (b"{}", "damaged"),
        (b'{"format": "other", "version": 1, "tokens": []}', "'other' 1"),
        (b'{"format": "runglass-tokens", "version": 2, "tokens": []}', "'runglass-tokens' 2"),
    ],
)
def test_a_damaged_file_opens_nothing_and_is_not_overwritten(path, content, why, caplog):
    token = create_token(path, "ann")
    guarded = client(path)
    assert guarded.get("/api/runs", **bearer(token)).status == 200
    path.write_bytes(content)
    path.chmod(0o600)
    got = guarded.get("/api/runs", **bearer(token))
    assert (got.status, got.json["error"]["code"]) == (503, "tokens_unreadable")
    assert guarded.get("/api/runs").status == 403
    assert [record.message for record in caplog.records if why in record.message]
    with pytest.raises(TokensUnreadable, match=why):
        create_token(path, "ben")
    assert path.read_bytes() == content


@pytest.mark.skipif(sys.platform == "win32", reason="modes say nothing there")
def test_a_file_that_others_may_change_is_not_believed(path):
    create_token(path, "ann")
    path.chmod(0o622)
    with pytest.raises(TokensUnreadable, match="chmod 600"):
        TokenFile(path).list_tokens()


def test_a_file_that_vanished_opens_nothing(path):
    token = create_token(path, "ann")
    guarded = client(path)
    path.unlink()
    assert guarded.get("/api/runs", **bearer(token)).status == 503
    assert os.listdir(path.parent) == ["tokens.json.lock"]


def test_live_connection_ends_with_its_token(path):
    token = create_token(path, "ann")
    other = create_token(path, "ben")
    app = App(MemorySource().add_run("a"), Settings(tokens=path))

    async def follow(text: str) -> tuple[asyncio.Task[None], asyncio.Queue[bytes]]:
        came: asyncio.Queue[bytes] = asyncio.Queue()

        async def receive():
            await asyncio.Event().wait()

        async def send(message):
            came.put_nowait(message.get("body", b""))

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/api/live",
            "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"authorization", f"Bearer {text}".encode())],
            "client": ("127.0.0.1", 1),
        }
        task = asyncio.ensure_future(app(scope, receive, send))
        assert await came.get() == b""
        assert (await came.get()).startswith(b"event: change")
        return task, came

    async def scenario() -> None:
        (mine, came), (others, _) = await follow(token), await follow(other)
        app.look()
        revoke_token(path, "ann")
        app.look()
        assert await came.get() == b"event: ended\ndata: {}\n\n"
        await mine
        assert not others.done()
        others.cancel()

    asyncio.run(scenario())


def test_file_is_plain_json(path):
    create_token(path, "ann", projects=["vision"])
    read = json.loads(path.read_text())
    assert read["format"] == "runglass-tokens"
    assert set(read["tokens"][0]) == {"id", "name", "digest", "projects", "created"}
