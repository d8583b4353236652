"""What every test below this folder shares: modules of the folder by their full name, and a place to write event files to."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

# A loaded machine is slow, not wrong; and the same examples on every machine make a failure everyone's.
settings.register_profile(
    "runglass",
    deadline=None,
    derandomize=True,
    max_examples=int(os.environ.get("RUNGLASS_EXAMPLES", "50")),
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("runglass")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Thousands of tests are there to stay: to look through all of them again and again for garbage would take a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    path = tmp_path / "logs"
    path.mkdir()
    return path
