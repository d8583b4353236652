from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from runglass.ingest import logdir as logdir_module
from runglass.ingest.assets import ASSET_RULES, RUN_FOLDER, find_owner
from runglass.ingest.logdir import Walk, is_event_file, walk_runs
from runglass.ingest.roots import parse_root
from runglass.store.model import Family
from runglass.store.reach import shown_name


@pytest.mark.parametrize(
    ("path", "family", "owner"),
    [
        ("projector_config.pbtxt", Family.PROJECTOR, ""),
        ("a/b/projector_config.pbtxt", Family.PROJECTOR, "a/b"),
        ("a/plugins/org_tensorflow_tensorboard_projector/projector_config.pbtxt", Family.PROJECTOR, "a"),
        ("a/plugins/org_tensorflow_tensorboard_projector/metadata.tsv", None, "a"),
        ("a/plugins/profile/2026_11_15/vm.xplane.pb", Family.PROFILE, "a"),
        ("a/plugins/profile/2026_11_15/cache_version.txt", Family.PROFILE, "a"),
        ("a/plugins/profile/2026_11_15/config.json", Family.PROFILE, "a"),
        ("plugins/profile/s/ALL_HOSTS.op_stats.pb", Family.PROFILE, ""),
        ("a/plugins/profile/stray.xplane.pb", None, "a"),
        ("a/vm.xplane.pb", Family.PROFILE, "a"),
        ("a/worker0.1794705289884105709.pt.trace.json", Family.PROFILE, "a"),
        ("a/worker0.pt.trace.json.gz", Family.PROFILE, "a"),
        ("a/trace.json", Family.PROFILE, "a"),
        ("a/backtrace.json", None, "a"),
        ("a/perfetto.trace.json", Family.PROFILE, "a"),
        ("a/memory_snapshot.pickle", Family.PROFILE, "a"),
        ("a/rank0_snapshot_12.pickle", Family.PROFILE, "a"),
        ("a/data.pickle", None, "a"),
        ("a/memory.prof", Family.PROFILE, "a"),
        ("a/tfdbg_events.1794704061.vm.metadata", Family.DEBUGGER, "a"),
        ("a/tfdbg_events.1794704061.vm.graph_execution_traces", Family.DEBUGGER, "a"),
        ("a/hparams.yaml", Family.CONFIG, "a"),
        ("a/config.toml", Family.CONFIG, "a"),
        ("a/config.py", None, "a"),
        ("a/my_config.json", None, "a"),
        ("a/args.json", Family.CONFIG, "a"),
        ("a/.hydra/overrides.yaml", Family.CONFIG, "a"),
        ("a/other.yaml", None, "a"),
        ("a/model.onnx", Family.GRAPH, "a"),
        ("a/graph.pbtxt", Family.GRAPH, "a"),
        ("a/saved_model.pb", Family.GRAPH, "a"),
        ("a/frozen.pb", Family.GRAPH, "a"),
        ("a/train_graph.pb", Family.GRAPH, "a"),
        ("a/model.ckpt-1.meta", Family.GRAPH, "a"),
        ("a/best.keras", Family.GRAPH, "a"),
        ("a/program.pt2", Family.GRAPH, "a"),
        ("a/MODEL.ONNX", None, "a"),
        ("a/odd\nname.onnx", Family.GRAPH, "a"),
        ("a/checkpoint", Family.CHECKPOINT, "a"),
        ("a/model.ckpt-1.index", Family.CHECKPOINT, "a"),
        ("a/model.ckpt-1.data-00000-of-00001", None, "a"),
        ("a/best.weights.h5", Family.CHECKPOINT, "a"),
        ("a/model.safetensors", Family.CHECKPOINT, "a"),
        # Folders of these names mean nothing elsewhere, and unknown folders below a plugin's are like any other.
        ("profile/s/vm.txt", None, "profile/s"),
        ("plugins/train/model.onnx", Family.GRAPH, "plugins/train"),
        ("a/plugins/profile/s/deeper/model.onnx", Family.GRAPH, "a/plugins/profile/s/deeper"),
        ("plugins/plugins/model.onnx", Family.GRAPH, "plugins/plugins"),
    ],
)
def test_family_and_run_of_a_file(path, family, owner):
    *folders, name = path.split("/")
    count, kind = find_owner(folders)
    rule = kind.match(name)
    assert (rule.family if rule else None, "/".join(folders[:count])) == (family, owner)
    assert not is_event_file(name)


def test_configs_and_checkpoints_say_something_about_a_run_and_make_none():
    makes = {(rule.family, rule.makes_run) for rule in ASSET_RULES}
    assert makes == {
        (Family.PROJECTOR, True),
        (Family.PROFILE, True),
        (Family.PROFILE, False),
        (Family.DEBUGGER, True),
        (Family.CONFIG, False),
        (Family.GRAPH, True),
        (Family.GRAPH, False),
        (Family.CHECKPOINT, False),
    }
    makes_run = {
        name: rule.makes_run for rule in ASSET_RULES for name in rule.names if rule.family is Family.GRAPH
    }
    assert [name for name, makes in makes_run.items() if not makes] == [
        "*.pb",
        "*.meta",
        "*.keras",
        "model.json",
    ]


def test_a_look_at_the_ending_suffices_for_most_names():
    """The quick check of `match` must pass every name that a pattern matches."""
    for rule in ASSET_RULES:
        if "" in rule.folders:
            for pattern in rule.names:
                assert RUN_FOLDER.match(pattern.replace("*", "x")) is not None, pattern


def put(path: Path, data: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def walked(top: Path, start: Path | None = None, *, is_deep: bool = True) -> dict[str, list[str]]:
    """By run: names of event files, and of assets with their family."""
    found = walk_runs(parse_root(str(top)), str(start or top), Walk(), is_deep=is_deep)
    return {
        run.name: [
            *(name for name, _ in run.files),
            *sorted(f"{asset.rule.family}: {asset.relative}" for asset in run.assets),
        ]
        for run in found
    }


def test_assets_belong_to_the_run_above_their_folder(tmp_path):
    put(tmp_path / "a/x.tfevents")
    put(tmp_path / "a/plugins/profile/s1/vm.xplane.pb")
    put(tmp_path / "a/plugins/profile/s2/vm.xplane.pb")
    put(tmp_path / "a/.hydra/config.yaml")
    put(tmp_path / "a/notes.txt")
    put(tmp_path / "a/deeper/x.tfevents")
    assert walked(tmp_path) == {
        "a": [
            "x.tfevents",
            "config: .hydra/config.yaml",
            "profile: plugins/profile/s1/vm.xplane.pb",
            "profile: plugins/profile/s2/vm.xplane.pb",
        ],
        "a/deeper": ["x.tfevents"],
    }


def test_assets_make_a_run_and_a_config_alone_does_not(tmp_path):
    put(tmp_path / "profiled/plugins/profile/s/vm.xplane.pb")
    put(tmp_path / "profiled/config.json")
    put(tmp_path / "source/config.json")
    put(tmp_path / "source/.hydra/config.yaml")
    put(tmp_path / "tfdbg_events.1.vm.metadata")
    assert walked(tmp_path) == {
        ".": ["debugger: tfdbg_events.1.vm.metadata"],
        "profiled": ["config: config.json", "profile: plugins/profile/s/vm.xplane.pb"],
    }


def test_event_files_in_a_folder_of_assets_are_a_run_of_their_own(tmp_path):
    put(tmp_path / "a/plugins/profile/s/x.tfevents")
    put(tmp_path / "a/plugins/profile/s/vm.xplane.pb")
    put(tmp_path / "a/plugins/other/x.tfevents")
    assert walked(tmp_path) == {
        "a": ["profile: plugins/profile/s/vm.xplane.pb"],
        "a/plugins/profile/s": ["x.tfevents"],
        "a/plugins/other": ["x.tfevents"],
    }


def test_a_walk_of_one_run_leaves_out_what_lies_below_it(tmp_path):
    put(tmp_path / "a/x.tfevents")
    put(tmp_path / "a/plugins/profile/s/vm.xplane.pb")
    put(tmp_path / "a/plugins/profile/s/deeper/x.tfevents")
    put(tmp_path / "a/b/x.tfevents")
    assert walked(tmp_path, tmp_path / "a", is_deep=False) == {
        "a": ["x.tfevents", "profile: plugins/profile/s/vm.xplane.pb"],
        "a/plugins/profile/s/deeper": ["x.tfevents"],
    }


def test_a_walk_that_begins_inside_a_run_leaves_its_assets_alone(tmp_path):
    put(tmp_path / "a/plugins/profile/s/vm.xplane.pb")
    put(tmp_path / "a/plugins/profile/s/x.tfevents")
    assert walked(tmp_path, tmp_path / "a/plugins/profile") == {"a/plugins/profile/s": ["x.tfevents"]}


def test_only_regular_files_are_assets(tmp_path):
    put(tmp_path / "a/x.tfevents")
    put(tmp_path / "a/folder.onnx/inside.onnx")
    os.mkfifo(tmp_path / "a/pipe.onnx")
    (tmp_path / "a/nowhere.onnx").symlink_to("not there")
    (tmp_path / "a/loop.onnx").symlink_to("loop.onnx")
    (tmp_path / "a/link.onnx").symlink_to("folder.onnx/inside.onnx")
    assert walked(tmp_path) == {
        "a": ["x.tfevents", "graph: link.onnx"],
        "a/folder.onnx": ["graph: inside.onnx"],
    }


def test_a_linked_folder_of_assets(tmp_path):
    put(tmp_path / "logs/a/x.tfevents")
    put(tmp_path / "elsewhere/profile/s/vm.xplane.pb")
    (tmp_path / "logs/a/plugins").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere/profile/up").symlink_to("..")
    assert walked(tmp_path / "logs") == {"a": ["x.tfevents", "profile: plugins/profile/s/vm.xplane.pb"]}


def test_names_that_are_not_text(tmp_path):
    top = os.fsencode(tmp_path)
    os.mkdir(top + b"/a")
    for name in (b"/a/new\nline.onnx", b"/a/not utf-8 \xff.onnx"):
        with open(top + name, "wb"):
            pass
    (run,) = walk_runs(parse_root(str(tmp_path)), str(tmp_path), Walk())
    assert sorted(shown_name(asset.relative) for asset in run.assets) == [
        "new\nline.onnx",
        "not utf-8 \\xff.onnx",
    ]


def test_a_single_event_file_has_no_assets(tmp_path):
    put(tmp_path / "config.json")
    file = put(tmp_path / "x.tfevents")
    assert walked(file) == {".": ["x.tfevents"]}


def test_every_entry_of_a_large_folder_is_looked_at_once(tmp_path, monkeypatch):
    for number in range(20_000):
        (tmp_path / f"{number}.{'onnx' if number % 100 == 0 else 'bin'}").touch()
    calls = Counter()
    for function in ("_look_at", "_stat"):
        real = getattr(logdir_module, function)

        def counted(*args, function=function, real=real):
            calls[function] += 1
            return real(*args)

        monkeypatch.setattr(logdir_module, function, counted)
    assert len(walked(tmp_path)["."]) == 200
    # The walk also stats its start.
    assert calls == {"_look_at": 20_000, "_stat": 201}
