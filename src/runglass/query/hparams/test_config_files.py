"""Configuration files as hyperparameters: formats, flattening, limits, and files that are hostile or broken."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import runglass
from runglass.query.hparams.config_files import MAX_FILE_BYTES, MAX_KEYS, parse_config
from runglass.query.hparams.sessions import SessionReader
from runglass.query.memory import MemorySource
from runglass.schema.hparams import SESSION_START_TAG
from runglass.store.model import Kind
from runglass.writer.calls.summary_writer import SummaryWriter


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("hparams.yaml", "lr: 1e-3\nnet: {depth: 3, act: relu}\n", {"lr": 0.001, "net.depth": 3.0, "net.act": "relu"}),
        ("config.yml", "a: yes\nb: null\nc: [1, x]\nd: 2020-01-01\n", {"a": True, "c": '[1,"x"]', "d": "2020-01-01"}),
        ("args.json", '{"lr": 0.5, "tags": [], "nested": {}}', {"lr": 0.5, "tags": "[]", "nested": "{}"}),
        ("config.toml", "lr = 0.5\n[model]\nwidth = 8\nday = 2020-01-01\n", {"lr": 0.5, "model.width": 8.0, "model.day": '"2020-01-01"'}),
        (".hydra/overrides.yaml", "- lr=0.1\n- +model.depth=3\n- ~gone\n- opt=adam\n", {"lr": 0.1, "model.depth": 3.0, "opt": "adam"}),
        ("config.yaml", "", {}),
        ("config.yaml", "1: one\n2: {3: x}\n", {"1": "one", "2.3": "x"}),
        ("params.json", '{"big": 1' + "0" * 400 + "}", {"big": "1" + "0" * 400}),
        ("params.json", '{"x": NaN}', {"x": "nan"}),
    ],
)  # fmt: skip
def test_values_of_a_file(name, text, expected):
    found = parse_config(name, text.encode())
    if "x" in found.hparams and expected.get("x") == "nan":
        assert repr(found.hparams["x"]) == "nan"
        return
    assert (found.hparams, found.problem) == (expected, "")


def test_tags_of_yaml_are_text_and_build_nothing(tmp_path):
    mark = tmp_path / "built"
    text = f"""
    a: !!python/object/apply:os.system ["touch {mark}"]
    b: !!python/name:os.system
    c: !mine {{x: 1}}
    d: !!python/tuple [1, 2]
    e: !env HOME
    """
    found = parse_config("config.yaml", text.encode())
    assert found.problem == ""
    assert found.hparams["a.!!python/object/apply:os.system"] == f'["touch {mark}"]'
    assert found.hparams["b"] == "!!python/name:os.system"
    assert found.hparams["c.!mine.x"] == 1.0
    assert found.hparams["d.!!python/tuple"] == "[1,2]"
    assert found.hparams["e"] == "!env HOME"
    assert not mark.exists()


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("config.yaml", b"a: [1, 2", "This cannot be read as YAML"),
        ("config.json", b"{", "This is not valid JSON"),
        ("config.toml", b"a = ", "This is not valid TOML"),
        ("config.json", b"[1, 2]", "A list at the top"),
        ("config.yaml", b"\xff\xfe\x00", "This is not UTF-8: byte 0"),
        ("config.json", b"[" * 100_000, "Nested"),
        ("config.yaml", b"a: &a {b: *a}", "Nested"),
        ("config.yaml", b"a: &a [*a]", "more than 10,000 values"),
        ("config.json", ("{" + ",".join(f'"k{i}": 1' for i in range(MAX_KEYS + 1)) + "}").encode(), "More than 5,000 names"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_says_why(name, data, message):
    found = parse_config(name, data)
    assert found.hparams == {}
    assert message in found.problem


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 100_000,
        "{a: " * 50_000,
        "- " * 20_000,
        "".join(" " * i + "a:\n" for i in range(1300)),
        "a: " + "!x [" * 60 + "]" * 60,
    ],
)
def test_nesting_that_would_overflow_the_stack_of_the_parser(text):
    assert parse_config("config.yaml", text.encode()).problem == "Nested more than 40 deep."


def test_mappings_that_merge_each_other():
    levels = [f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 6)}], k{i}: 1}}" for i in range(1, 20)]
    found = parse_config("config.yaml", "\n".join(["a0: &a0 {x: 1}", *levels]).encode())
    assert found.problem == "More than 5,000 names in one mapping."
    aliases = "a: &a [1]\n" + "".join(f"k{i}: *a\n" for i in range(2000))
    assert parse_config("config.yaml", aliases.encode()).problem == "More than 1,000 aliases."
    merged = "base: &base {x: 1, y: 2}\nrun: {<<: *base, y: 3}"
    assert parse_config("config.yaml", merged.encode()).hparams == {
        "base.x": 1.0, "base.y": 2.0, "run.x": 1.0, "run.y": 3.0
    }  # fmt: skip


def test_a_few_bytes_that_stand_for_gigabytes():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    assert "more than 10,000 values" in parse_config("config.yaml", "\n".join(lines).encode()).problem


def sessions_of(source):
    return SessionReader().read(source)


def test_a_record_wins_over_a_file_and_sources_are_named():
    source = MemorySource().add_asset("a", "config", "config.yaml", b"lr: 2\nwidth: 8\n")
    source.add_asset("a", "config", "hparams.yaml", b"width: 9\ndepth: 1\n")
    start = {"session_start_info": {"hparams": {"lr": 1.0}}}
    source.add_values("a", SESSION_START_TAG, Kind.HPARAMS, step=[0], values=[start])
    source.add_asset("b", "config", "args.json", b'{"lr": 3}')
    a, b = sorted(sessions_of(source).sessions, key=lambda session: session.run)
    assert a.hparams == {"lr": 1.0, "width": 9.0, "depth": 1.0}
    assert a.files == {"width": "hparams.yaml", "depth": "hparams.yaml"}
    assert (b.hparams, b.files) == ({"lr": 3.0}, {"lr": "args.json"})


def test_parts_of_a_training_repeat_its_configuration():
    source = MemorySource().add_asset("a", "config", "config.yaml", b"lr: 2")
    source.add_asset("a/train", "config", "config.yaml", b"lr: 2").add_run("a/val")
    assert {each.run: each.members for each in sessions_of(source).sessions} == {
        "a": ("a", "a/train", "a/val")
    }


def test_a_file_is_read_again_when_it_changes():
    source = MemorySource().add_asset("a", "config", "config.yaml", b"lr: 1")
    reader = SessionReader()
    assert reader.read(source).sessions[0].hparams == {"lr": 1.0}
    source.add_asset("a", "config", "config.yaml", b"lr: 2")
    assert reader.read(source).sessions[0].hparams == {"lr": 2.0}


def make_run(folder: Path) -> Path:
    with SummaryWriter(folder) as writer:
        writer.add_scalar("loss", 1.0, 0)
    return folder


def test_files_of_a_log_directory(tmp_path):
    """Of every name that is looked for, too large ones, and links that lead out of the log directory."""
    secret = tmp_path / "secret.yaml"
    secret.write_text("password: hunter2")
    logs = tmp_path / "logs"
    names = [
        *("hparams.yaml", "config.yaml", "config.yml", "config.json", "config.toml"),
        *("args.json", "params.json", ".hydra/config.yaml", ".hydra/overrides.yaml"),
    ]
    for number, name in enumerate(names):
        file = make_run(logs / f"run{number}") / name
        file.parent.mkdir(exist_ok=True)
        content = {"json": '{"lr": 0.5}', "toml": "lr = 0.5"}.get(name.rpartition(".")[2], "lr: 0.5")
        file.write_text("- lr=0.5" if name.endswith("overrides.yaml") else content)
    os.symlink(secret, make_run(logs / "linked") / "config.yaml")
    with open(make_run(logs / "huge") / "config.json", "wb") as out:
        out.truncate(50_000_000)
    rows = runglass.open(logs).hparams()
    assert [(row.run, row.hparams) for row in sorted(rows, key=lambda row: row.run)] == [
        (f"run{number}", {"lr": 0.5}) for number in range(len(names))
    ]
    problems = {problem.run: problem.message for problem in rows.problems}
    assert set(problems) == {"huge", "linked"}
    assert problems["huge"].startswith(f"50.0 MB: configuration files above {MAX_FILE_BYTES / 1e6:g} MB")
    assert "hunter2" not in problems["linked"]
