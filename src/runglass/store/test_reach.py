"""The table of what a run may read. Every row is a file or link on disk, a name for it, and the verdict."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runglass.errors import AssetGone, AssetRefused
from runglass.store.reach import Place, resolve, shown_name

# `logs` is the log directory, `logs/run` the run; `logs/linked` is a link to the directory `far/run`.
FILES = ("logs/run/own.tsv", "logs/run/sub/own.tsv", "logs/other/shared.tsv", "logs/runaway/x.tsv")
OUTSIDE = ("secret.txt", "far/run/own.tsv", "far/beside.tsv", "logs2/x.tsv")
LINKS = {
    "logs/run/to_own": "sub/own.tsv",
    "logs/run/to_other": "../other/shared.tsv",
    "logs/run/to_other_absolutely": "{top}/logs/other/shared.tsv",
    "logs/run/folder_to_other": "../other",
    "logs/run/to_secret": "../../secret.txt",
    "logs/run/folder_outside": "../../far",
    "logs/run/twice": "to_secret",
    "logs/run/to_namesake": "../../logs2/x.tsv",
    "logs/run/loop": "loop",
    "logs/run/to_nothing": "not there",
    "logs/linked": "../far/run",
    "far/run/to_root": "{top}/logs/other/shared.tsv",
    "far/run/to_beside": "../beside.tsv",
}
GONE, REFUSED = AssetGone, AssetRefused

TABLE = [
    # run, path as named, what it really is or the error
    ("run", "own.tsv", "logs/run/own.tsv"),
    ("run", "sub/own.tsv", "logs/run/sub/own.tsv"),
    ("run", "./sub//../own.tsv", "logs/run/own.tsv"),
    ("run", "sub", "logs/run/sub"),
    ("run", "not there.tsv", GONE),
    ("run", "own.tsv/below", GONE),
    # `..` never leads out of the run, not even to another run in the log directory.
    ("run", "../other/shared.tsv", REFUSED),
    ("run", "sub/../../other/shared.tsv", REFUSED),
    ("run", "../runaway/x.tsv", REFUSED),
    ("run", "../run/own.tsv", "logs/run/own.tsv"),
    ("run", "../../secret.txt", REFUSED),
    # Absolute paths lead to this run's files only.
    ("run", "{top}/logs/run/sub/own.tsv", "logs/run/sub/own.tsv"),
    ("run", "{top}/logs/run/../run/own.tsv", "logs/run/own.tsv"),
    ("run", "{top}/logs/run/to_other", "logs/other/shared.tsv"),
    ("run", "{top}/logs/other/shared.tsv", REFUSED),
    ("run", "{top}/secret.txt", REFUSED),
    ("run", "/etc/passwd", REFUSED),
    ("run", "/not there", GONE),
    # Links lead to anything in the log directory.
    ("run", "to_own", "logs/run/sub/own.tsv"),
    ("run", "to_other", "logs/other/shared.tsv"),
    ("run", "to_other_absolutely", "logs/other/shared.tsv"),
    ("run", "folder_to_other/shared.tsv", "logs/other/shared.tsv"),
    ("run", "to_secret", REFUSED),
    ("run", "twice", REFUSED),
    ("run", "folder_outside/beside.tsv", REFUSED),
    ("run", "to_namesake", REFUSED),
    ("run", "loop", REFUSED),
    ("run", "to_nothing", GONE),
    # A linked run: its own files, with any spelling, and links to files in the log directory.
    ("linked", "own.tsv", "far/run/own.tsv"),
    ("linked", "{top}/logs/linked/own.tsv", "far/run/own.tsv"),
    ("linked", "{top}/far/run/own.tsv", "far/run/own.tsv"),
    ("linked", "to_root", "logs/other/shared.tsv"),
    ("linked", "to_beside", REFUSED),
    ("linked", "../other/shared.tsv", REFUSED),
    # These are not names of files.
    ("run", "nul\0.tsv", REFUSED),
    ("run", "\ud800.tsv", REFUSED),
    ("run", "n" * 300, REFUSED),
]


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("reach")
    for name in (*FILES, *OUTSIDE):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(name)
    for name, target in LINKS.items():
        (top / name).symlink_to(target.format(top=top))
    return top


@pytest.mark.parametrize(("run", "path", "verdict"), TABLE, ids=lambda value: repr(value)[:60])
def test_what_a_run_may_read(top, run, path, verdict):
    place = Place(str(top / "logs"), str(top / "logs" / run))
    path = path.replace("{top}", str(top))
    if isinstance(verdict, str):
        reached = resolve(place, path, where="here")
        assert reached.real == str(top / verdict)
        # Its name below the run leads to the same file.
        assert not reached.relative.startswith(("/", ".."))
        assert resolve(place, reached.relative, where="here") == reached
    else:
        with pytest.raises(verdict) as caught:
            resolve(place, path, where="here")
        assert caught.value.where == "here"
        # Errors must not reveal where a refused link leads.
        assert "secret" not in caught.value.message
        assert str(top) not in caught.value.message


def test_the_log_directory_may_be_a_link_itself(top, tmp_path):
    (tmp_path / "logs").symlink_to(top / "logs")
    place = Place(str(tmp_path / "logs"), str(tmp_path / "logs/run"))
    assert resolve(place, "to_other", where="") == ("to_other", str(top / "logs/other/shared.tsv"))
    assert resolve(place, str(top / "logs/run/own.tsv"), where="") == (
        "own.tsv",
        str(top / "logs/run/own.tsv"),
    )
    with pytest.raises(AssetRefused):
        resolve(place, "to_secret", where="")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission(tmp_path):
    (tmp_path / "run/closed").mkdir(parents=True)
    (tmp_path / "run/closed/x").touch()
    (tmp_path / "run/closed").chmod(0)
    with pytest.raises(AssetRefused, match="permission"):
        resolve(Place(str(tmp_path), str(tmp_path / "run")), "closed/x", where="x")


def test_shown_names_of_bytes_that_are_not_text_stay_apart():
    names = [os.fsdecode(name) for name in (b"a/\xff", b"a/\xfe", "a/é\n".encode())]
    assert [shown_name(name) for name in names] == ["a/\\xff", "a/\\xfe", "a/é\n"]
