"""CONTRIBUTING's walk-through works as it stands: its files go into a copy of the project, which is then tested and opened."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
REGISTRY = "src/runglass/registry.py"
REQUESTS = "src/runglass/server/request_examples.py"
COPIED = ("src", "web", "tests", "tools", "docs", "pyproject.toml", "CONTRIBUTING.md")
LEFT_OUT = shutil.ignore_patterns("node_modules", "page", "golden", "*.c", ".*")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with every file of the walk-through in it."""
    if not (ROOT / "web/node_modules").exists():
        pytest.skip("web/node_modules is not installed")
    copy = tmp_path_factory.mktemp("walk") / "runglass"
    copy.mkdir()
    for name in COPIED:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, copy / name, ignore=LEFT_OUT)
        else:
            shutil.copy(place, copy / name)
    (copy / "web/node_modules").symlink_to(ROOT / "web/node_modules")
    blocks = dict(BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text()))
    add_to_registry(copy / REGISTRY, blocks.pop(REGISTRY))
    replace_line(copy / REQUESTS, blocks.pop(REQUESTS))
    for name, text in blocks.items():
        file = copy / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    (copy / "src/runglass/dashboards/tensors/__init__.py").touch()
    run(copy, sys.executable, "tools/gen_types.py", into=copy / "web/openapi.json")
    run(copy / "web", "npm", "run", "--silent", "gen")
    return copy


def add_to_registry(file: Path, block: str) -> None:
    """The import after those that are there, the line at the end of the list."""
    imported, _, listed = block.partition("\n\n")
    text = file.read_text()
    text = text.replace("\nfrom runglass.dashboards.", f"\n{imported}\nfrom runglass.dashboards.", 1)
    head, end, rest = text.rpartition("\n)\n")
    file.write_text(head + "\n" + listed.rstrip("\n") + end + rest)


def replace_line(file: Path, line: str) -> None:
    """The line that begins like this one."""
    begin = line.partition("=")[0]
    text, count = re.subn(rf"^{re.escape(begin)}=.*\n", lambda _: line, file.read_text(), flags=re.MULTILINE)
    assert count == 1, line
    file.write_text(text)


def run(where: Path, *command: str, into: Path | None = None) -> None:
    root = where if where.name != "web" else where.parent
    environment = {
        **os.environ,
        "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}",
        # The tests of the walk-through use none of the installed plugins, which take seconds to import.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    done = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    if into is not None:
        into.write_text(done.stdout)


def test_there_is_a_file_for_every_step() -> None:
    names = [name for name, _ in BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text())]
    assert len(names) == len(set(names)) > 8
    assert {REGISTRY, REQUESTS} <= set(names)


def test_make_builds_with_what_any_build_needs() -> None:
    """`make` builds without an environment of the build's own, so its list is a second one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["dependency-groups"]["build"] == project["build-system"]["requires"]


def test_its_tests_and_the_contract_pass(copy: Path) -> None:
    run(copy, sys.executable, "tools/check_layers.py")
    build_page(copy)
    # In one process, because starting one takes seconds. The types were generated a moment ago.
    own = ["src/runglass/dashboards/tensors", "tests/test_contract.py", "tests/browser/test_tensors.py"]
    without = ["-p", "no:cacheprovider"]
    for name in ("test_generated_types_are_current", "test_document_is_the_same_bytes_every_time"):
        without += ["--deselect", f"tests/test_contract.py::{name}"]
    run(copy, sys.executable, "-m", "pytest", "-x", *without, *own)


def build_page(copy: Path) -> None:
    """With the new dashboard alone: the page finds those that are there, and the others would take most of the time."""
    dashboards = copy / "web/src/dashboards"
    others = [each for each in dashboards.iterdir() if each.is_dir() and each.name != "tensors"]
    aside = copy / "aside"
    aside.mkdir()
    for folder in others:
        folder.rename(aside / folder.name)
    run(copy / "web", "npm", "run", "--silent", "build")
    for folder in others:
        (aside / folder.name).rename(folder)
