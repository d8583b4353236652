"""What a profile says costs no import that takes longer than a view may."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.support.profiles import golden_path

CODE = """
import sys
from pathlib import Path
import msgspec
from runglass.dashboards.profile import analysing, shape
from runglass.dashboards.profile.loaded import Loaded
from runglass.query.profiles.read import read_file

path = Path(sys.argv[1])
data = path.read_bytes()
before, after = (Loaded(read_file(path.name, data)) for _ in range(2))
one = {"file": "one"}
assert analysing.answer_overview(before).step_count
for name, answer, body in (
    ("steps", analysing.answer_steps, shape.StepsBody),
    ("advice", analysing.answer_advice, shape.AdviceBody),
    ("input", analysing.answer_input, shape.InputBody),
    ("ops", analysing.answer_ops, shape.OpsBody),
    ("kernels", analysing.answer_kernels, shape.KernelsBody),
    ("memory", analysing.answer_memory, shape.MemoryBody),
    ("tree", analysing.answer_tree, shape.TreeBody),
):
    answer(before, msgspec.convert({"session": one}, body))
    assert "numpy.ma" not in sys.modules, name
body = msgspec.convert({"before": one, "after": {"file": "other"}}, shape.CompareBody)
assert analysing.answer_compare(before, after, body).parts
assert "numpy.ma" not in sys.modules
"""


@pytest.mark.parametrize(
    ("case", "ending"), [("torch_profiler_gpu", ".pt.trace.json.gz"), ("jax_profile_gpu", ".xplane.pb")]
)
def test_no_view_imports_masked_arrays(case, ending):
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(golden_path(case, ending))], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
