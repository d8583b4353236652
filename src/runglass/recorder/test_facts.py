from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runglass.errors import BadRequest
from runglass.recorder import git
from runglass.recorder.environment import describe_environment, interpreter_of
from runglass.recorder.recording import make_run_dir, short_name

WHO = ["-c", "user.name=a", "-c", "user.email=a@example.com"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    def ask(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *WHO, *words], check=True, capture_output=True)

    ask("init", "-b", "topic")
    (tmp_path / "train.py").write_text("a\n")
    ask("add", "train.py")
    ask("commit", "-m", "First | step")
    return tmp_path


def test_a_clean_repository(repository: Path) -> None:
    text = git.describe_git(str(repository))
    assert text is not None
    assert "| branch | topic |" in text
    assert "| state | clean |" in text
    assert "First \\| step" in text
    assert "```" not in text


def test_changes_are_kept_and_bounded(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "DIFF_LIMIT_CHARS", 1000)
    (repository / "train.py").write_text("b ```\n")
    (repository / "secret.txt").write_text("do not log")
    text = git.describe_git(str(repository))
    assert text is not None
    assert "| state | 1 files changed, 1 not tracked |" in text
    assert "````diff\n" in text
    assert "+b ```" in text
    assert "secret.txt" in text
    assert "do not log" not in text
    (repository / "train.py").write_text("x\n" * 10_000)
    assert len(git.describe_git(str(repository)) or "") < 2000


def test_no_repository_and_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert git.describe_git(str(tmp_path)) is None
    monkeypatch.setenv("PATH", "")
    assert git.describe_git(os.getcwd()) is None


def test_a_repository_without_commits(tmp_path: Path) -> None:
    subprocess.run(["git", "init", str(tmp_path)], check=True, capture_output=True)
    assert "| commit | none yet |" in (git.describe_git(str(tmp_path)) or "")


def test_the_environment_and_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_TOKEN", "hush-hush")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,3")
    text = describe_environment([sys.executable, "train.py"], ["NVIDIA X"])
    assert "| CUDA_VISIBLE_DEVICES | 0,3 |" in text
    assert "| GPU 0 | NVIDIA X |" in text
    assert f"CPython {'.'.join(map(str, sys.version_info[:3]))}" in text
    assert "numpy==" in text
    assert "hush" not in text


def test_a_command_that_is_not_python() -> None:
    assert "packages" not in describe_environment(["git", "status"], [])
    assert interpreter_of(["nowhere-to-be-found"]) is None


@pytest.mark.skipif(sys.platform == "win32", reason="scripts name their interpreter on POSIX")
def test_the_interpreter_of_a_script(tmp_path: Path) -> None:
    for first, found in (
        (f"#!{sys.executable} -u", True),
        ("#!/bin/sh", False),
        ('#!"', False),
        ("\xff\x00", False),
    ):
        script = tmp_path / "torchrun"
        script.write_bytes(f"{first}\nimport os\n".encode("latin-1"))
        script.chmod(0o755)
        assert (interpreter_of([str(script)]) is not None) == found


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("python train.py --lr 1", "train"),
        ("/usr/bin/python3.11 -u src/train.py", "train"),
        ("python -m my.tool x", "my.tool"),
        ("python -c print(1)", "python"),
        ("python", "python"),
        ("python -m", "python"),
        ("torchrun --nproc 2 a.py", "torchrun"),
        ("./run.sh", "run"),
        ("bash go.sh", "go"),
        ("../..", "command"),
        ("a:b*c", "a_b_c"),
    ],
)
def test_names_of_runs(command: str, name: str) -> None:
    assert short_name(command.split()) == name


def test_every_run_has_its_own_directory(tmp_path: Path) -> None:
    made = {make_run_dir(tmp_path / "runs", None, ["x"])[0] for _ in range(5)}
    assert len(made) == 5
    assert all(path.is_dir() for path in made)
    assert make_run_dir(tmp_path, "a/b", ["x"]) == (tmp_path / "a/b", True)
    assert make_run_dir(tmp_path, "a/b", ["x"]) == (tmp_path / "a/b", False)


@pytest.mark.parametrize("name", ["", "..", "../x", "/x", "a/../../b", "."])
def test_a_name_stays_below_the_log_directory(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadRequest, match="name"):
        make_run_dir(tmp_path, name, ["x"])


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in (None, "x"):
        with pytest.raises(BadRequest, match="--logdir"):
            make_run_dir(tmp_path / "file", name, ["x"])
