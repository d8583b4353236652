"""The command `runglass`: its flags, its port rules, `inspect`, and a real server started and stopped."""

from __future__ import annotations

import gc
import http.client
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support import event_bytes as eb
from tests.support.event_files import log_bytes, put
from tests.support.indexed import IndexedLog
from tests.support.plain_traces import PROFILES

from runglass import __version__, doctor, flags
from runglass.cli import main
from runglass.completion import write_script
from runglass.errors import BadRequest, PortTaken
from runglass.profile_report import ProfileReport, Section, Table, render, render_markdown
from runglass.query.memory import MemorySource
from runglass.server.listen import bind

# Every flag of TensorBoard's command line, with a value where it takes one.
TENSORBOARD_FLAGS = {
    "bind_all": None,
    "inspect": None,
    "host": "127.0.0.1",
    "port": "0",
    "reuse_port": "false",
    "load_fast": "auto",
    "extra_data_server_flags": "--no-checksum",
    "grpc_creds_type": "local",
    "grpc_data_provider": "localhost:1",
    "purge_orphaned_data": "true",
    "db": "sqlite:x",
    "db_import": None,
    "tag": "loss",
    "path_prefix": "/x",
    "window_title": "t",
    "max_reload_threads": "2",
    "reload_interval": "5.0",
    "reload_task": "auto",
    "reload_multifile": "true",
    "reload_multifile_inactive_secs": "10",
    "generic_data": "auto",
    "samples_per_plugin": "scalars=100",
    "detect_file_replacement": "true",
}


def parse(*words: str) -> flags.argparse.Namespace:
    return flags.parse(list(words), "runglass 0")


@pytest.mark.parametrize("flag", TENSORBOARD_FLAGS)
def test_tensorboard_flags_are_accepted(flag: str) -> None:
    value = TENSORBOARD_FLAGS[flag]
    given = f"--{flag}" if value is None else f"--{flag}={value}"
    args = parse("--logdir", "logs", given, given)
    told = [note for note in flags.notes(args) if note.startswith(f"--{flag} ")]
    assert len(told) == (flag in flags.WITHOUT_MEANING)


def test_what_a_flag_without_meaning_means_is_told_once(
    logdir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", str(logdir), "--load_fast=false", "--samples_per_plugin", "scalars=1"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert [line.split()[1] for line in told] == ["--load_fast", "--samples_per_plugin"]


def test_log_directories_by_name() -> None:
    assert parse("--logdir_spec", "a:x,b:y").logdir_spec == "a:x,b:y"
    assert parse("serve", "x", "y").logdirs == ["x", "y"]
    assert parse("--logdir=x", "--port=default").port is None


def test_flags_may_be_spelled_with_dashes_and_shortened() -> None:
    assert parse("logs", "--path-prefix=/a/").path_prefix == "/a"
    assert parse("logs", "--window", "x").window_title == "x"
    assert parse("logs", "--memory-budget", "1.5G").memory_budget == 3 << 29
    assert parse("logs", "--cache-dir", "here").cache_dir == "here"
    assert parse("logs").cache_dir is None
    assert parse("logs", "--no-cache").no_cache


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["logs", "--logdir", "other"],
        ["--logdir_spec", "a:b", "--logdir", "c"],
        ["logs", "--host", "x", "--bind_all"],
        ["logs", "--path_prefix", "x"],
        ["logs", "--reload_task", "blocking"],
        ["logs", "--max_reload_threads", "0"],
        ["inspect", "logs", "--event_file", "x"],
        ["logs", "--event_file", "x"],
    ],
)
def test_contradictions_are_refused(words: list[str]) -> None:
    with pytest.raises(BadRequest):
        parse(*words)


@pytest.mark.parametrize(
    "words", [["--port", "65536"], ["--port", "x"], ["--memory_budget", "much"], ["--reload_interval", "-1"]]
)
def test_bad_values_end_the_program(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse("logs", *words)
    assert ended.value.code == 2
    assert words[1] in capsys.readouterr().err


def test_mistakes_are_told_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 1
    error = capsys.readouterr().err
    assert error.startswith("Error: No log directory was given.")
    assert error.count("\n") == 1


# -- what a mistake is answered with, without a server

MISTAKES = [
    ("logs --prot 80", 2, "there is no flag --prot; did you mean --port? See runglass --help."),
    ("inspect logs --jsn0", 2, "there is no flag --jsn0; did you mean --json? See runglass inspect --help."),
    ("demo --steps 4", 2, "there is no flag --steps. See runglass demo --help."),
    ("query logs", 2, "LOGDIR is missing: runglass query SQL LOGDIR. See runglass query --help."),
    ("ingest logs", 2, "--to is missing: runglass ingest LOGDIR --to DATABASE."),
    ("import", 2, "kind, PATH are missing: runglass import wandb|mlflow|csv PATH."),
    ("token", 2, "action is missing: runglass token create|list|revoke."),
    ("profile logs --qqq", 2, "there is no flag --qqq. See runglass profile --help."),
    ("logs --a\x1b[2J", 2, "there is no flag --a␛[2J. See runglass --help."),
    ("logs --port x", 2, "'x' is not a port; write a number"),
    ("logs --completion tcsh", 2, "invalid choice: 'tcsh'"),
    (
        "insepct logs",
        1,
        "'insepct' is not a command and does not exist. Did you mean: runglass inspect logs?",
    ),
    ("dmeo", 1, "Did you mean: runglass demo? To wait for a directory of that name: runglass serve dmeo."),
    ("logs later", 1, "'later' does not exist. Check the path"),
    ("serve later logs", 1, "'later' does not exist. Check the path"),
    ("hdfs://host/logs", 1, "Runglass cannot read from there"),
    ("--logdir_spec a:hdfs://host", 1, "Log directory 'hdfs://host'"),
    ("file://elsewhere/logs", 1, "Runglass cannot read from there"),
    ("logs --logdir logs", 1, "Log directories are named twice: with --logdir and as 'logs'."),
    ("inspect logs --tag lots", 1, "No run has the tag 'lots'. Close: 'loss'."),
    ("inspect empty --tag loss", 1, "No run has the tag 'loss': nothing was logged yet."),
    ("demo one two", 1, "'two' is one word too many: the demo is written to one directory."),
    (
        "demo broken",
        1,
        "broken/.runglass-demo.json cannot be read. Delete the directory, or name another one",
    ),
    ("demo file", 1, "The demo cannot be written to file: File exists."),
    ("demo logs", 1, "logs is not empty and is not a demo."),
    ("demo file/below", 1, "The demo cannot be written to file/below: Not a directory."),
]


@pytest.mark.parametrize(("line", "status", "told"), MISTAKES, ids=[line for line, _, _ in MISTAKES])
def test_mistakes(
    line: str,
    status: int,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    put(tmp_path / "logs" / "train", log_bytes(1))
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    # As a full disk leaves it.
    put(tmp_path / "broken", b"", name=".runglass-demo.json")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        sys.exit(main(line.split()))
    assert ended.value.code == status
    said = capsys.readouterr()
    assert said.err.startswith("Error: ")
    assert told in said.err
    # Above all no address of a server.
    assert (said.err.count("\n"), said.out) == (1, "")


def test_a_directory_that_training_will_make_is_no_mistake() -> None:
    assert flags.mistaken_command("runs") is None
    assert flags.mistaken_command("logs") is None
    assert flags.mistaken_command("profiel") == "profile"


def test_file_urls_are_local(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path / "my logs" / "train", log_bytes(1))
    assert main(["inspect", f"file://{tmp_path}/my%20logs"]) == 0
    assert "1 value" in capsys.readouterr().out
    assert main(["inspect", "--logdir_spec", f"a:file://localhost{tmp_path}/my%20logs"]) == 0
    assert capsys.readouterr().out.startswith("a/train\n")


# -- help and completion


def test_every_command_has_its_own_help(capsys: pytest.CaptureFixture[str]) -> None:
    texts = {}
    for command in flags.ALL_COMMANDS:
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0
        texts[command] = capsys.readouterr().out
        assert texts[command].startswith("usage: runglass ")
        assert f"\n  runglass {command}" in texts[command].partition("examples:")[2]
    assert "--event_file" in texts["inspect"]
    assert "--event_file" not in texts["serve"]
    assert "--bind_all" not in texts["inspect"]


def test_help_is_short_and_help_all_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for flag in ("--help", "--help-all", "--helpfull"):
        with pytest.raises(SystemExit):
            main([flag])
        texts.append(capsys.readouterr().out)
    short, everything, same = texts
    assert same == everything
    assert short.count("\n") < 50
    assert "--samples_per_plugin" not in short
    assert all(f"--{flag}" in everything for flag in TENSORBOARD_FLAGS)
    assert all(f"\n  {command} " in short for command in flags.ALL_COMMANDS)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ins"], ["inspect"]),
        (["inspect", "--j"], ["--json"]),
        (["run", "--n"], ["--name"]),
        (["--completion", "f"], ["fish"]),
        (["serve", "lo"], ["logs"]),
        (["token", ""], ["create", "list", "revoke"]),
        (["import", "csv", "lo"], ["logs"]),
        (["token", "--m"], ["--marks"]),
    ],
)
def test_completion_in_bash(words: list[str], offered: list[str], tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    typed = " ".join(f"'{word}'" for word in ["runglass", *words])
    script = write_script("bash") + (
        f"COMP_WORDS=({typed}); COMP_CWORD={len(words)}; _runglass; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout.split(), done.stderr) == (offered, "")


@pytest.mark.parametrize("shell", flags.SHELLS)
def test_completion_names_every_command_and_flag(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--completion", shell]) == 0
    script = capsys.readouterr().out
    for name in (*flags.ALL_COMMANDS, "memory_budget", "event_file", "interval", "compare", "revoke"):
        assert name in script
    if program := shutil.which(shell):
        subprocess.run([program, "-n", "/dev/stdin"], input=script, text=True, check=True)


# -- ports


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        yield sock.getsockname()[1]


def test_a_taken_port_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with taken_port() as port:
        assert main([str(tmp_path), "--port", str(port)]) == 255
        assert f"Port {port} is in use" in capsys.readouterr().err


def test_the_default_takes_the_first_free_port(monkeypatch: pytest.MonkeyPatch) -> None:
    with taken_port() as port:
        monkeypatch.setattr("runglass.server.listen.FIRST_PORT", port)
        listener = bind(None, bind_all=False, port=None)
        with listener.socket:
            assert port < listener.port < port + 100
            assert listener.is_loopback
        monkeypatch.setattr("runglass.server.listen.PORTS_TRIED", 1)
        with pytest.raises(PortTaken):
            bind(None, bind_all=False, port=None)


def test_port_zero_takes_any() -> None:
    with bind(None, bind_all=False, port=0).socket as sock:
        assert sock.getsockname()[1] > 0


def test_an_address_that_is_not_ours() -> None:
    with pytest.raises(PortTaken, match=r"This machine does not have the address '203\.0\.113\.7'"):
        bind("203.0.113.7", bind_all=False, port=0)


# -- inspect


def test_inspect_says_what_is_there(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(logdir / "train", log_bytes(5))
    assert main(["inspect", str(logdir)]) == 0
    text = capsys.readouterr().out
    assert re.search(r"loss +scalar +5 values, steps 0 to 4", text)
    assert text.rstrip().endswith("1 run, 1 series, 5 values, 1 file: no damage found.")


def test_inspect_finds_damage(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = log_bytes(5)
    put(logdir / "good", good)
    at = len(log_bytes(3))
    put(logdir / "bad", good[:at] + b"\xff" * (len(good) - at))
    assert main(["inspect", str(logdir), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["is_damaged"] is True
    by_run = {run["run"]: run for run in report["runs"]}
    assert by_run["good"]["files"][0]["state"] == "ok"
    (file,) = by_run["bad"]["files"]
    assert (file["state"], file["byte"]) == ("damaged", at)
    assert "length checksum" in file["reason"]
    assert by_run["bad"]["tags"][0]["count"] == 3


def test_inspect_tells_directories_from_damaged_files() -> None:
    source = MemorySource().add_scalars("a", "loss", step=[0], value=[1.0])
    text = doctor.render(
        doctor.examine(source, unreadable={"/logs/b": "cannot be listed: Permission denied"})
    )
    assert text.rstrip().endswith("1 run, 1 series, 1 value, 0 files: 1 directory cannot be listed.")


def test_inspect_counts_assets(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(logdir / "train", log_bytes(5))
    put(logdir / "train", b"12345", name="hparams.yaml")
    put(logdir / "profiled/plugins/profile/today", b"123", name="odd\nname.xplane.pb")
    assert main(["inspect", str(logdir)]) == 0
    text = capsys.readouterr().out
    assert "\n  hparams.yaml: config, 5 bytes\n" in text
    assert "\n  plugins/profile/today/odd␊name.xplane.pb: profile, 3 bytes\n" in text
    assert text.rstrip().endswith("2 runs, 1 series, 5 values, 1 file, 2 assets: no damage found.")
    assert main(["inspect", str(logdir), "--json"]) == 0
    by_run = {run["run"]: run for run in json.loads(capsys.readouterr().out)["runs"]}
    assert by_run["train"]["assets"] == [{"family": "config", "name": "hparams.yaml", "size_bytes": 5}]
    assert (by_run["profiled"]["tags"], by_run["profiled"]["files"]) == ([], [])
    for number in range(30):
        put(logdir / "train", b"", name=f"{number:02}.onnx")
    assert main(["inspect", str(logdir)]) == 0
    text = capsys.readouterr().out
    assert "19.onnx" in text
    assert "20.onnx" not in text
    assert "  and 11 more assets; --json lists all of them\n" in text


def test_inspect_prints_no_control_characters_of_a_log(
    logdir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = "run\x1b]0;title\x07"
    put(logdir / run, log_bytes(2, tag="\x1b[2Jloss\nno tags"), name="a\rb.tfevents")
    assert main(["inspect", str(logdir)]) == 0
    text = capsys.readouterr().out
    assert all(char.isprintable() or char == "\n" for char in text)
    assert text.splitlines()[0] == "run␛]0;title␇"
    assert "\n  ␛[2Jloss␊no tags  scalar" in text
    assert "\n  a␍b.tfevents: ok" in text
    # A path of the user may come from a script.
    assert main(["inspect", str(logdir / "\x1b[2J")]) == 1
    assert "\x1b" not in capsys.readouterr().err


def test_inspect_of_one_tag_and_one_file(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = put(logdir / "train", log_bytes(2) + log_bytes(3, tag="other"))
    assert main(["--inspect", "--logdir", str(logdir), "--tag", "other"]) == 0
    assert "loss" not in capsys.readouterr().out
    assert main(["inspect", "--event_file", str(path), "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert [tag["tag"] for tag in run["tags"]] == ["loss", "other"]


def test_inspect_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(tmp_path / "missing")]) == 1
    assert "does not exist" in capsys.readouterr().err


# -- the real thing


@contextmanager
def server(*words: str) -> Iterator[tuple[subprocess.Popen[str], str, int, str]]:
    """A running server: the process, and host, port and path from the line that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "runglass", *words, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.search(rf"^Runglass {re.escape(__version__)} at http://([^:/]+):(\d+)(/\S*) ", line)
        assert match is not None, line
        yield process, match[1], int(match[2]), match[3]
    finally:
        process.kill()
        process.communicate(timeout=20)


def get(port: int, path: str, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_serves_and_stops(logdir: Path) -> None:
    put(logdir / "train", log_bytes(4))
    with server(str(logdir), "--path_prefix", "/my/runs") as (process, host, port, path):
        assert (host, path) == ("localhost", "/my/runs/")
        status, body = get(port, "/my/runs/api/status")
        assert (status, json.loads(body)["version"]) == (200, __version__)
        status, body = get(port, "/my/runs/api/runs")
        assert status == 200
        assert [run["name"] for run in json.loads(body)["runs"]] in (["train"], [])
        assert get(port, "/api/runs")[0] == 404
        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=20)
        assert process.returncode == 0
        assert "Traceback" not in error


def test_a_server_for_others_asks_for_a_token(logdir: Path) -> None:
    with server(str(logdir), "--host", "0.0.0.0") as (_, _, port, path):
        token = path.removeprefix("/?token=")
        assert token != path
        assert get(port, "/api/status")[0] == 403
        assert get(port, f"/api/status?token={token}")[0] == 200
        assert get(port, "/api/status", Authorization=f"Bearer {token}")[0] == 200


def test_several_log_directories(tmp_path: Path) -> None:
    put(tmp_path / "one" / "train", log_bytes())
    put(tmp_path / "two", log_bytes())
    spec = f"a:{tmp_path / 'one'},b:{tmp_path / 'two'}"
    with server("--logdir_spec", spec, "--reload_interval", "0", "--reload_task", "blocking") as (
        _,
        _,
        port,
        _,
    ):
        body = get(port, "/api/runs")[1]
        assert sorted(run["name"] for run in json.loads(body)["runs"]) == ["a/train", "b/."]


def test_a_missing_log_directory_is_awaited(tmp_path: Path) -> None:
    with server(str(tmp_path / "later")) as (process, _, port, _):
        assert json.loads(get(port, "/api/runs")[1])["runs"] == []
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=20)
        assert process.returncode == 0
        assert "does not exist yet" in error


def test_output_that_nobody_reads_is_no_error(logdir: Path) -> None:
    for number in range(300):
        put(logdir / f"run{number}", log_bytes(1))
    process = subprocess.Popen(
        [sys.executable, "-m", "runglass", "inspect", str(logdir)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr as errors:
        assert errors.read() == ""
    assert process.wait(timeout=20) == 0


@pytest.mark.parametrize("flag", ["--version", "--version_tb"])
def test_version(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([flag])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"runglass {__version__}\n"


# -- profile


def test_profile_says_where_the_time_went(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", str(PROFILES / "jax_profile_gpu" / "logdir")]) == 0
    text = capsys.readouterr().out
    assert text.startswith("run/2026_11_15_01_31_25: 306 events, NVIDIA H200\n")
    assert "5 steps of 364 µs on average" in text
    assert "device compute  23.6 µs   6.5 %" in text
    assert "gemm_fusion_dot_general_5" in text


def test_profile_of_one_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    step = {"ph": "X", "name": "ProfilerStep#0", "pid": 1, "tid": 1, "ts": 0, "dur": 500}
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "one.pt.trace.json").write_text(json.dumps({"traceEvents": [step]}))
    assert main(["profile", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert ": 1 event, no device" in text
    assert "1 step of 500 µs\n" in text


def test_profile_of_memory_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """No share of steps that are not there, and no word of advice about them."""
    assert main(["profile", str(PROFILES / "torch_snapshot" / "logdir")]) == 0
    text = capsys.readouterr().out
    assert "tells of memory alone" in text
    assert "Memory, device 0: 99.7 MB at the peak" in text
    assert "Device busy" not in text
    assert "Nothing stands out" not in text


def test_profile_as_data_and_as_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    logdir = str(PROFILES / "keras_callback_profile" / "logdir")
    assert main(["profile", logdir, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [step["name"] for step in data["overview"]["steps"]] == [
        f"Profiled batch {n}" for n in range(2, 6)
    ]
    assert isinstance(data["advice"], list)
    assert main(["profile", logdir, "--run", "run1/train", "--markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("# run1/train/2026\\_11\\_15")
    assert "| part | time | share |" in lines
    assert any(line.startswith("| Iterator::Root::Prefetch | Dataset | 4 |") for line in lines)


def test_profile_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("jax_profile", "jax_profile_gpu"):
        shutil.copytree(PROFILES / name / "logdir" / "run", tmp_path / name)
    words = ["profile", str(tmp_path), "--run", "jax_profile_gpu", "--compare"]
    assert main([*words, "jax_profile"]) == 0
    text = capsys.readouterr().out
    assert "A step takes 364 µs, in jax_profile/2026_11_15_01_21_13 750 ms: 749 ms less" in text
    assert "host compute" in text
    assert main([*words, "jax_profile/2026_11_15_01_21_13", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["comparison"]["after_ps"] < data["comparison"]["before_ps"]
    # Two steps, of one profile.
    assert main(["profile", str(tmp_path), "--run", "jax_profile", "--steps", "1", "0"]) == 0
    assert "Step 0 takes" in capsys.readouterr().out
    assert main(["profile", str(tmp_path), "--run", "jax_profile", "--steps", "1", "9"]) == 1
    assert "no step 9; it has steps from 0 to 5" in capsys.readouterr().err
    assert main([*words, "nothing"]) == 1
    assert "no profile 'nothing' to compare with" in capsys.readouterr().err


def test_profile_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", str(tmp_path)]) == 1
    assert "There is no profile in these logs" in capsys.readouterr().err
    assert main(["profile", str(tmp_path / "missing")]) == 1
    assert "does not exist" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["profile", str(tmp_path), "--json", "--markdown"])


def test_profile_prints_no_control_characters_of_a_file() -> None:
    table = Table(("op",), [("\x1b[2J|`evil`\n",)])
    made = ProfileReport("t\x07", [Section("s", [table, "a\x1bb"])], {})
    for text in (render(made), render_markdown(made)):
        assert all(letter == "\n" or letter.isprintable() for letter in text)
    assert "\\|\\`evil\\`" in render_markdown(made)


# -- several people


def test_tokens_are_made_listed_and_revoked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    if sys.platform != "linux":
        monkeypatch.setattr("runglass.token_command.settings_folder", lambda: tmp_path / "runglass")
    assert main(["token", "list"]) == 0
    assert "There are no tokens" in capsys.readouterr().err
    assert main(["token", "create", "ann", "--marks", "--project", "vision", "--expires", "2d"]) == 0
    out, err = capsys.readouterr()
    assert re.fullmatch(r"rgt_[0-9a-f]{8}_[\w-]{32}\n", out)
    assert "the only time" in err
    assert main(["token", "list"]) == 0
    assert re.search(r"ann +[0-9a-f]{8} +read, mark +vision +\S+ \S+ +valid until ", capsys.readouterr().out)
    assert main(["token", "revoke", "ann"]) == 0
    assert main(["token", "list"]) == 0
    assert re.search(r"ann .*revoked ", capsys.readouterr().out)
    assert main(["token", "revoke", "ann"]) == 1
    for words in (
        ["token", "create"],
        ["token", "list", "ann"],
        ["token", "create", "x", "--project", "a/b"],
    ):
        assert main(words) == 1
    with pytest.raises(SystemExit):
        main(["token", "create", "x", "--expires", "soon"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--project", "vision"], "is not NAME=LOGDIR"),
        (["--project", "vision="], "is not NAME=LOGDIR"),
        (["--project", "a/b=x"], "cannot be the name of a project"),
        (["--project", "a=x", "logs"], "named twice"),
        (["inspect", "--project", "a=x"], "goes with serve"),
        (["logs", "--auth_header", "X-User"], "belong together"),
        (["logs", "--token", "", "--tokens", "x"], "lets everybody in"),
        (["--project", "a=x", "--tokens", "no/such"], "runglass token create"),
    ],
)
def test_mistakes_about_people_are_told(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 1
    assert told in capsys.readouterr().err


def test_projects_have_addresses_and_an_access_log(logdir: Path, tmp_path: Path) -> None:
    put(logdir / "vision/train", log_bytes(4))
    put(logdir / "speech/a", log_bytes(2))
    put(logdir / "speech2/b", log_bytes(2))
    log = tmp_path / "access.log"
    words = [
        f"--project=vision={logdir / 'vision'}",
        f"--project=speech={logdir / 'speech'}",
        f"--project=speech={logdir / 'speech2'}",
        f"--access_log={log}",
    ]
    with server(*words) as (process, _, port, path):
        assert path == "/"
        status, body = get(port, "/api/projects")
        assert [(each["name"], len(each["locations"])) for each in json.loads(body)["projects"]] == [
            ("vision", 1),
            ("speech", 2),
        ]
        status, body = get(port, "/p/vision/api/status")
        assert (status, json.loads(body)["project"]) == (200, "vision")
        assert get(port, "/api/status")[0] == 404
        if sys.platform != "win32":
            log.rename(tmp_path / "old.log")
            process.send_signal(signal.SIGHUP)
            assert get(port, "/p/none/api/runs")[0] == 404
            assert get(port, "/p/vision/api/runs?token=secret")[0] == 400
        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=20)
        assert (process.returncode, "Traceback" in error) == (0, False)
    if sys.platform != "win32":
        rows = [line.split("\t") for line in (tmp_path / "old.log").read_text().splitlines()]
        assert [(row[2], row[4], row[5]) for row in rows][:2] == [
            ("-", "/api/projects", "200"),
            ("vision", "/p/vision/api/status", "200"),
        ]
        assert "/p/vision/api/runs?token=…" in log.read_text()


def test_the_cache_is_shown_and_cleared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache, logdir = tmp_path / "cache", tmp_path / "logs"
    assert main(["cache", "--cache-dir", str(cache)]) == 0
    assert capsys.readouterr().out == f"{cache} holds nothing of Runglass.\n"
    (logdir / "run").mkdir(parents=True)
    (logdir / "run" / "events.out.tfevents.1").write_bytes(eb.records(eb.scalar("loss", 1.0, step=1)))
    log = IndexedLog(logdir, cache)
    log.write()
    assert main(["cache", "--cache-dir", str(cache), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["logdir"] for each in told["indexed"]] == [str(logdir)]
    # A server that runs keeps what it uses.
    assert main(["cache", "--cache-dir", str(cache), "--clear", str(logdir)]) == 1
    assert "is in use" in capsys.readouterr().err
    del log
    gc.collect()
    assert main(["cache", "--cache-dir", str(cache), "--clear", "elsewhere"]) == 0
    assert "nothing was kept of elsewhere" in capsys.readouterr().err
    assert main(["cache", "--cache-dir", str(cache)]) == 0
    assert f"{logdir}: 1 event file, last used today" in capsys.readouterr().out
    assert main(["cache", "--cache-dir", str(cache), "--clear"]) == 0
    assert "Removed" in capsys.readouterr().out
    assert list(cache.rglob("*.pack")) == []
