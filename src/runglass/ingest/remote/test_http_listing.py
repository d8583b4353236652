"""A web server on loopback that lists folders: with ranges and without, with faults, and with a password."""

from __future__ import annotations

import base64
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.support.same_logs import read_facts

import runglass
from runglass import SummaryWriter
from runglass.errors import RunglassError
from runglass.machine import cache_folder
from runglass.query.locations import parse_locations
from runglass.query.open import open_logs

GOLDEN = Path(__file__).parents[4] / "tests/golden"


class Handler(SimpleHTTPRequestHandler):
    """Python's own, and what tests want of it: ranges, a status for some paths, a password."""

    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: object) -> None: ...

    def send_head(self):
        if self.server.hangs_up:
            self.close_connection = True
            return None
        wanted = self.server.password and "Basic " + base64.b64encode(self.server.password.encode()).decode()
        if wanted and self.headers.get("Authorization") != wanted:
            return self.send_error(401)
        for part, status in self.server.fails.items():
            if part in self.path:
                return self.send_error(status)
        if self.command == "GET":
            self.server.gets += 1
        path = Path(self.translate_path(self.path))
        asked = self.headers.get("Range")
        if not (self.server.has_ranges and asked and path.is_file()):
            return super().send_head()
        start, end = map(int, asked.removeprefix("bytes=").split("-"))
        data = path.read_bytes()[start : end + 1]
        self.send_response(206)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        return None


class Server(ThreadingHTTPServer):
    daemon_threads = True
    has_ranges = True
    hangs_up = False
    password = ""
    gets = 0

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.fails: dict[str, int] = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_folder, "_chosen", tmp_path / "cache")
    monkeypatch.setattr(cache_folder, "_is_chosen", True)
    pytest.importorskip("aiohttp")


@pytest.fixture
def serve():
    servers = []

    def start(folder: Path) -> Server:
        servers.append(Server(folder))
        return servers[-1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def write_run(folder: Path, steps: int = 20) -> Path:
    with SummaryWriter(str(folder)) as writer:
        for step in range(steps):
            writer.add_scalar("loss", step, step)
    (file,) = folder.glob("*tfevents*")
    return file


def test_golden_assets_are_read_as_from_a_directory(serve):
    server = serve(GOLDEN / "assets")
    local, remote = (
        open_logs(parse_locations([str(GOLDEN / "assets")])),
        open_logs(parse_locations([server.url])),
    )
    local.load()
    remote.load()
    assert read_facts(remote.source) == read_facts(local.source)
    remote.stop()


@pytest.mark.parametrize("has_ranges", [True, False])
def test_a_file_that_grows(serve, tmp_path, has_ranges):
    file = write_run(tmp_path / "logs/a b%20c#1/run")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    server = serve(tmp_path / "logs")
    server.has_ranges = has_ranges
    with runglass.open(f"{server.url}/") as log:
        (run,) = log.runs
        assert run == "a b%20c#1/run"
        assert len(log.scalars(run, "loss")) < 20
        file.write_bytes(whole)
        log.reload()
        assert log.scalars(run, "loss").step.tolist() == list(range(20))
        gets = server.gets
        log.reload()
        # The pages of three folders.
        assert server.gets == gets + 3


def test_a_server_that_fails_is_a_state_and_loses_nothing(serve, tmp_path):
    write_run(tmp_path / "logs/a")
    write_run(tmp_path / "logs/b")
    server = serve(tmp_path / "logs")
    logs = open_logs(parse_locations([server.url]))
    logs.load()
    for status, state in ((503, "throttled"), (500, "failed"), (403, "denied"), (404, "missing")):
        server.fails = {"/": status}
        logs.load()
        (remote,) = logs.source.list_remote()
        assert remote.state == state
        assert len(logs.source.list_runs()) == 2
        (health,) = [file for file in logs.source.list_files() if not file.run]
        assert (health.path, health.state.value) == (server.url, "unreadable")
        assert "what was read is shown" in health.reason
    server.fails = {"/b/": 403}
    logs.load()
    assert logs.source.list_remote()[0].state == "current"
    assert [file.path for file in logs.source.list_files() if file.state == "unreadable"] == [
        f"{server.url}/b"
    ]
    assert len(logs.source.list_runs()) == 2
    server.fails = {}
    logs.load()
    assert [file.state.value for file in logs.source.list_files()] == ["ok", "ok"]
    server.hangs_up = True
    logs.load()
    assert logs.source.list_remote()[0].state == "lost"
    assert len(logs.source.list_runs()) == 2
    logs.stop()


def test_a_password_is_used_and_never_shown(serve, tmp_path):
    write_run(tmp_path / "logs/a")
    server = serve(tmp_path / "logs")
    server.password = "me:topsecret"
    with_password = server.url.replace("//", "//me:topsecret@")
    with runglass.open(with_password) as log:
        assert log.runs == ["a"]
        assert log.source.locations == [server.url]
        server.password = "me:other"
        log.reload()
        told = repr(log.source.list_remote()) + repr(log.source.list_files())
        assert "denied" in told
        assert "topsecret" not in told
    # What was read before is still there.
    with pytest.warns(UserWarning, match="access is denied") as told:
        log = runglass.open(with_password)
    assert log.runs == ["a"]
    assert "topsecret" not in str(told[0].message)
    log.close()


def test_a_server_that_cannot_be_read_at_all_is_an_error(serve, tmp_path):
    server = serve(tmp_path)
    server.password = "me:other"
    with pytest.raises(RunglassError, match="access is denied") as caught:
        runglass.open(server.url.replace("//", "//me:topsecret@"))
    assert "topsecret" not in str(caught.value)
