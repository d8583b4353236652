"""Every source over a folder gives the answers of the plain one, bit for bit, on all golden logs."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import pytest
from tests.support.same_answers import differences, list_everything, read_everything
from tests.support.sources import OpenFolder, open_local, over_folder_sources

LOGS = Path(__file__).parents[1] / "golden" / "logs"
ASSETS = Path(__file__).parents[1] / "golden" / "assets"
# Several runs each, so that one folder stands for many.
CASES = sorted(path.name for path in LOGS.iterdir() if path.is_dir())


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All golden logs in one folder, those with odd names unpacked."""
    top = tmp_path_factory.mktemp("golden")
    for case in CASES:
        archive = LOGS / case / "logdir.tar"
        if archive.exists():
            with tarfile.open(archive) as packed:
                packed.extractall(top / case, filter="data")
        else:
            shutil.copytree(LOGS / case / "logdir", top / case)
    for case in ASSETS.iterdir():
        shutil.copytree(case / "logdir", top / f"assets-{case.name}")
    return top


@pytest.mark.parametrize(
    "open_golden", over_folder_sources(lambda open_folder, top: open_folder(top), without=["local"])
)
def test_answers_of_all_golden_logs(open_golden: OpenFolder, golden: Path) -> None:
    with open_local(golden) as (expected, load), open_golden(golden) as (found, refresh):
        load()
        refresh()
        assert differences(list_everything(expected), list_everything(found)) == []
        assert differences(read_everything(expected), read_everything(found)) == []
