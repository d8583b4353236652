"""Which files are assets: the families as data, matched by file name and folder. Reads no directory and opens no file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate

from msgspec import Struct

from runglass.schema.projector import CHECKPOINT_STATE_FILE, PROJECTOR_FILE
from runglass.store.model import Family


class AssetRule(Struct, frozen=True):
    family: Family
    # Shell patterns of the file name.
    names: tuple[str, ...]
    # Their folder below the run's directory: "" for the directory itself, "*" for any one folder.
    folders: tuple[str, ...] = ("",)
    # Whether a directory with such a file and without event files is a run.
    makes_run: bool = True
    # Whether the writer only appends, so that a file that grew still has its old bytes.
    grows: bool = False


# The first rule that matches wins.
ASSET_RULES = (
    AssetRule(
        Family.PROJECTOR, (PROJECTOR_FILE,), folders=("", "plugins/org_tensorflow_tensorboard_projector")
    ),
    AssetRule(Family.PROFILE, ("*",), folders=("plugins/profile/*",)),
    AssetRule(
        Family.PROFILE,
        (
            *("*.xplane.pb", "*.trace.json", "*.trace.json.gz", "trace.json", "trace.json.gz"),
            "*snapshot*.pickle",
        ),
    ),
    # JAX's memory profiles; Python's own profiler writes files of that name, too.
    AssetRule(Family.PROFILE, ("*.prof",), makes_run=False),
    AssetRule(Family.DEBUGGER, ("*tfdbg_events*",), grows=True),
    # Source trees and downloaded models are full of files of these names. If they made runs, every such folder would be one,
    # with nothing to show.
    AssetRule(
        Family.CONFIG,
        (
            *("hparams.yaml", "hparams.yml", "args.json", "args.yaml", "args.yml", "params.json"),
            *("config.yaml", "config.yml", "config.json", "config.toml"),
        ),
        makes_run=False,
    ),
    AssetRule(Family.CONFIG, ("*.yaml",), folders=(".hydra",), makes_run=False),
    AssetRule(Family.GRAPH, ("*.onnx", "*.pbtxt", "saved_model.pb", "*.pt2", "*graph*.pb")),
    # Checkpoints and models beside a run's logs; a folder with nothing else is no run.
    AssetRule(Family.GRAPH, ("*.pb", "*.meta", "*.keras", "model.json"), makes_run=False),
    # Files that tell of the others of their checkpoint; those are found by name.
    AssetRule(
        Family.CHECKPOINT,
        (CHECKPOINT_STATE_FILE, "*.index", "*.h5", "*.safetensors"),
        makes_run=False,
    ),
)


class AssetFolder:
    """A kind of folder: which files in it are assets, and which folders in it belong to the same run."""

    __slots__ = ("_any_folder", "_endings", "_marks", "_patterns", "folders")

    def __init__(self, rules: Iterable[tuple[AssetRule, str]]) -> None:
        """`rules`: each with its folder, relative to this one."""
        own: list[AssetRule] = []
        below: dict[str, list[tuple[AssetRule, str]]] = {}
        for rule, folder in rules:
            first, _, rest = folder.partition("/")
            if first:
                below.setdefault(first, []).append((rule, rest))
            else:
                own.append(rule)
        self.folders = {name: AssetFolder(each) for name, each in below.items()}
        self._any_folder = self.folders.get("*")
        self._patterns = [(re.compile("|".join(map(translate, rule.names))), rule) for rule in own]
        # Most files are not assets; the ending of their name rules them out without a regular expression.
        endings = {name: name.rpartition(".")[2] for rule in own for name in rule.names}
        self._endings = {ending for ending in endings.values() if "*" not in ending}
        self._marks = tuple(name.strip("*") for name, ending in endings.items() if "*" in ending)

    def match(self, name: str) -> AssetRule | None:
        """The rule for a file in this folder; None if it is not an asset."""
        if name.rpartition(".")[2] not in self._endings:
            for mark in self._marks:
                if mark in name:
                    break
            else:
                return None
        for pattern, rule in self._patterns:
            if pattern.match(name):
                return rule
        return None

    def enter(self, name: str) -> AssetFolder:
        """The kind of a folder in this one. `RUN_FOLDER`: its files do not belong to this run."""
        return self.folders.get(name) or self._any_folder or RUN_FOLDER


RUN_FOLDER = AssetFolder((rule, folder) for rule in ASSET_RULES for folder in rule.folders)


def find_owner(parts: Iterable[str]) -> tuple[int, AssetFolder]:
    """Which of these nested folders is the run's directory, as a number of folders, and the kind of the innermost one.

    ["a", "plugins", "profile", "today"] -> 1, the kind of a profile's session: its files belong to the run "a".
    """
    owner, kind = 0, RUN_FOLDER
    for number, name in enumerate(parts, 1):
        kind = kind.enter(name)
        if kind is RUN_FOLDER:
            owner = number
    return owner, kind
