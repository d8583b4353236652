import os
import sys

import pytest

from runglass.ingest.directories import DirectoryTree, Names, drop_nested, is_below_any
from runglass.ingest.logdir import Walk, walk_runs
from runglass.ingest.roots import parse_root
from runglass.ingest.watch import LogdirWatch
from runglass.store.stage import Store


def test_all_names_of_a_path(tmp_path):
    logs = tmp_path / "logs"
    (logs / "run" / "deep").mkdir(parents=True)
    (logs / "latest").symlink_to("run")
    names = Names([str(logs), str(logs / "latest")])
    expected = {str(logs / "run" / "deep" / "x"), str(logs / "latest" / "deep" / "x")}
    for told in ("run", "latest"):
        assert set(names.of(str(logs / told / "deep" / "x"))) == expected
    # What is gone still has its names; a link itself has only one.
    assert set(names.of(str(logs / "run" / "gone"))) == {
        str(logs / "run" / "gone"),
        str(logs / "latest" / "gone"),
    }
    assert set(names.of(str(logs / "latest"))) == {str(logs / "latest")}
    assert set(names.of(str(tmp_path / "elsewhere"))) == set()


def test_directories_below_others():
    tree = DirectoryTree()
    for path in ("/a/b", "/a/b/c", "/a/d/e"):
        tree.add(path)
    assert sorted(tree.list_below("/a")) == ["/a/b", "/a/b/c", "/a/d/e"]
    assert tree.list_below("/a/d") == ["/a/d/e"]
    assert (tree.is_above("/a/d"), tree.is_above("/a/x")) == (True, False)
    tree.remove("/a/d/e")
    assert not tree.is_above("/a/d")
    tree.remove("/a/b")
    assert tree.list_below("/") == ["/a/b/c"]
    tree.remove("/a/b/c")
    assert not tree.is_above("/")


def test_paths_that_are_not_below_others():
    assert drop_nested({"/a", "/a/b/c", "/ab", "/b/c"}) == ["/a", "/ab", "/b/c"]
    assert (is_below_any("/a/b", {"/a"}), is_below_any("/ab", {"/a"})) == (True, False)


def count_calls(work):
    count = 0

    def on_event(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(on_event)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("has_runs", [False, True])
def test_handling_changes_costs_in_proportion_to_them(tmp_path, has_runs):
    """Directories made and removed at once, where there are many already."""
    root = str(tmp_path)
    watch = LogdirWatch(Store([root]), [parse_root(root)], threads=1)
    watch.load()

    def calls_for(first, count):
        paths = [os.path.join(root, f"run{number}") for number in range(first, first + count)]
        for path in paths:
            os.mkdir(path)
            if has_runs:
                open(os.path.join(path, "x.tfevents"), "wb").close()
        made = count_calls(lambda: watch._handle(dict.fromkeys(paths, "added")))
        assert len(watch.store.runs) == (first + count if has_runs else 0)
        return made

    few = calls_for(0, 60)
    many = calls_for(60, 600)
    # Ten times as many directories, a little of which is the same for every batch.
    assert many < 13 * few


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="there is no such folder here")
def test_a_link_to_the_machine_is_not_followed(tmp_path, monkeypatch):
    (tmp_path / "run").mkdir()
    (tmp_path / "run/a.tfevents").touch()
    for name, target in (("root", "/"), ("self", "/proc/self"), ("sys", "/sys"), ("latest", "run")):
        (tmp_path / name).symlink_to(target)
    listed = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: listed.append(path) or scandir(path))
    root = parse_root(str(tmp_path))
    found = list(walk_runs(root, root.path, Walk()))
    assert sorted(run.name for run in found) == ["latest", "run"]
    assert sorted(listed) == [str(tmp_path), str(tmp_path / "latest"), str(tmp_path / "run")]
    assert list(walk_runs(root, str(tmp_path / "self"), Walk())) == []
