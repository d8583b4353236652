"""The environment of a command: host, devices, and the Python that runs it, with its packages.

Reads only a short list of environment variables: others may hold secrets.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from runglass.recorder.markdown import code_block, table

TIMEOUT_S = 20.0
PYTHON = re.compile(r"^python[\d.]*w?(\.exe)?$", re.IGNORECASE)
VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "CONDA_DEFAULT_ENV",
    "VIRTUAL_ENV",
    "KERAS_BACKEND",
    "JAX_PLATFORMS",
    "XLA_FLAGS",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTHONHASHSEED",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "WORLD_SIZE",
    "RANK",
    "LOCAL_RANK",
    "SLURM_JOB_ID",
    "SLURM_JOB_NODELIST",
)
# The interpreter of the command runs this; it may be older than ours.
PACKAGES_CODE = """
import json, platform, sys
try:
    from importlib import metadata
    packages = sorted({"%s==%s" % (each.metadata["Name"], each.version) for each in metadata.distributions()}, key=str.lower)
except Exception:
    packages = []
print(json.dumps({"version": platform.python_version(), "implementation": platform.python_implementation(),
                  "executable": sys.executable, "packages": packages}))
"""


def describe_environment(command: Sequence[str], devices: Sequence[str]) -> str:
    rows = {
        "host": platform.node(),
        "system": platform.platform(),
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "memory": f"{memory_gb():.1f} GB" if memory_gb() else "",
        **{f"GPU {index}": name for index, name in enumerate(devices)},
    }
    interpreter = interpreter_of(command)
    answer = ask_python(interpreter) if interpreter else None
    if answer:
        rows["Python"] = f"{answer['implementation']} {answer['version']}, {answer['executable']}"
    rows |= {name: os.environ[name] for name in VARIABLES if name in os.environ}
    parts = [table({name: value for name, value in rows.items() if value})]
    if answer and answer["packages"]:
        parts.append(f"{len(answer['packages'])} packages:\n\n" + code_block("\n".join(answer["packages"])))
    return "\n\n".join(parts)


def interpreter_of(command: Sequence[str]) -> str | None:
    """The Python that runs a command: named in it, or in the first line of a script such as torchrun."""
    program = shutil.which(command[0])
    if program is None or PYTHON.match(Path(program).name):
        return program
    try:
        with open(program, "rb") as file:
            first = file.readline(512).decode("utf-8", "replace")
    except OSError:
        return None
    words = shlex.split(first[2:]) if first.startswith("#!") and first.count('"') % 2 == 0 else []
    found = next((word for word in words if PYTHON.match(Path(word).name)), None)
    return shutil.which(found) if found else None


def ask_python(interpreter: str) -> dict[str, Any] | None:
    try:
        answer = subprocess.run(
            [interpreter, "-c", PACKAGES_CODE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            start_new_session=True,
        )
        # Start-up code of the site may print before.
        found = json.loads(answer.stdout.splitlines()[-1])
    except (OSError, subprocess.TimeoutExpired, ValueError, IndexError):
        return None
    return found if isinstance(found, dict) else None


def processor() -> str:
    try:
        cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        cpuinfo = ""
    found = re.search(r"^(?:model name|Model|Hardware)\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()


def memory_gb() -> float:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    except (AttributeError, ValueError, OSError):
        return 0.0
