"""How much script the first page loads until nothing more comes: Scalars, the run table and the controls of the header. And that no
dashboard loads the code of another."""

from __future__ import annotations

import gzip
import re
from functools import cache
from pathlib import Path

import runglass
from runglass.registry import DASHBOARDS

ASSETS = Path(runglass.__file__).parent / "server/page/assets"
FIRST = ("index", "main", "scalars", "painter.worker", "RunTable", "HeaderControls")
LIMIT_BYTES = 150_000
IMPORT = re.compile(r'(?:from|import)\s*"\./([\w.-]+\.js)"')


def closure(names: list[str]) -> set[str]:
    """The files, and what they import before they run."""
    found: set[str] = set()
    while names:
        name = names.pop()
        if name not in found:
            found.add(name)
            names.extend(list_imports(name))
    return found


@cache
def list_imports(name: str) -> list[str]:
    return IMPORT.findall((ASSETS / name).read_text())


def test_script_of_the_first_page():
    first = [next(ASSETS.glob(f"{name}-*.js")).name for name in FIRST]
    sizes = {name: len(gzip.compress((ASSETS / name).read_bytes())) for name in closure(first)}
    assert any(name.startswith("shared-") for name in sizes)
    assert sum(sizes.values()) <= LIMIT_BYTES, sizes


def test_no_dashboard_loads_the_code_of_another():
    """What two of them share has a file of its own (vite.config.ts)."""
    own = {dashboard.name: next(ASSETS.glob(f"{dashboard.name}-*.js")).name for dashboard in DASHBOARDS}
    loaded = {
        path.name: sorted(name for name, chunk in own.items() if chunk in parts)
        for path in ASSETS.glob("*.js")
        for parts in [closure([path.name])]
    }
    assert {path: names for path, names in loaded.items() if len(names) > 1} == {}
    assert loaded[own["projector"]] == ["projector"]
