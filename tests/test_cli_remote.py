"""The command with remote locations, in fsspec's store inside the process: what it keeps, shows and forgets."""

from __future__ import annotations

import json
from pathlib import Path

import fsspec
import pytest

from runglass import SummaryWriter, flags
from runglass.cli import main, plan_projects
from runglass.machine import cache_folder
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.server.settings import Settings


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cache_folder, "_chosen", tmp_path / "cache")
    monkeypatch.setattr(cache_folder, "_is_chosen", True)
    return tmp_path / "cache"


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    with SummaryWriter(str(tmp_path / "run")) as writer:
        for step in range(10):
            writer.add_scalar("loss", step, step)
    (file,) = (tmp_path / "run").iterdir()
    name = request.node.name
    fsspec.filesystem("memory").pipe_file(f"/{name}/logs/run/{file.name}", file.read_bytes())
    return f"memory://{name}/logs"


def kept(cache: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    assert main(["cache", "--cache-dir", str(cache), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert bool(told["remote"]) == any(part["name"] == "remote" for part in told["parts"])
    return [each["location"] for each in told["remote"]]


def test_inspect_keeps_what_it_fetched_unless_told_otherwise(
    url: str, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", url, "--no_cache"]) == 0
    assert "10 values" in capsys.readouterr().out
    assert not cache.exists()
    assert main(["inspect", url, "--cache_dir", str(cache)]) == 0
    assert kept(cache, capsys) == [url]


def test_what_is_kept_of_remote_logs_is_listed_and_cleared(
    url: str, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import runglass

    with runglass.open(url) as log:
        assert kept(cache, capsys) == [url]
        assert main(["cache", "--cache-dir", str(cache)]) == 0
        assert f"{url}, last used today" in capsys.readouterr().out
        # A process that runs keeps what it uses, whether it is named or not.
        assert main(["cache", "--cache-dir", str(cache), "--clear", f"{url}/"]) == 1
        assert f"what is kept of {url} is in use" in capsys.readouterr().err
        assert main(["cache", "--cache-dir", str(cache), "--clear"]) == 1
        log.reload()
        assert len(log.scalars("run", "loss")) == 10
    assert main(["cache", "--cache-dir", str(cache), "--clear", "memory://elsewhere"]) == 0
    assert "nothing was kept of memory://elsewhere" in capsys.readouterr().err
    assert kept(cache, capsys) == [url]
    assert main(["cache", "--cache-dir", str(cache), "--clear", f"{url}/"]) == 0
    assert kept(cache, capsys) == []


def test_a_project_may_be_remote(url: str, cache: Path) -> None:
    words = [f"--project=far={url}", "--project=near=logs", "--reload_task=blocking", "--reload_interval=0"]
    plans = plan_projects(flags.parse(words, ""))
    client = InProcess(App(plans, Settings()))
    assert [each["locations"] for each in client.get("/api/projects").json["projects"]] == [[url], ["logs"]]
    status = client.get("/p/far/api/status").json
    assert [(each["location"], each["state"]) for each in status["remote"]] == [(url, "current")]
    assert (status["locations"], status["runs"], status["points"]) == ([url], 1, 10)
