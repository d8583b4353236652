"""Assets that frameworks wrote: each in the right run and family, with its size. `expected.json` is written by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import runglass
from runglass.store.model import Family

ASSETS = Path(__file__).parent / "assets"


@pytest.mark.parametrize("case", sorted(path.parent.name for path in ASSETS.glob("*/expected.json")))
def test_case(case: str) -> None:
    expected = json.loads((ASSETS / case / "expected.json").read_text(encoding="utf-8"))
    logdir = ASSETS / case / "logdir"
    log = runglass.open(logdir)
    assert log.runs == list(expected)
    found: dict[str, dict[str, dict[str, int]]] = {run: {} for run in log.runs}
    for family in Family:
        for asset in log.assets(family=family.value):
            assert asset.family is family
            found[asset.run].setdefault(family.value, {})[asset.name] = asset.size_bytes
            with log.open_asset(asset) as file:
                assert file.read(0, file.size_bytes) == (logdir / asset.run / asset.name).read_bytes()
    assert found == expected
