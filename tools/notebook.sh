#!/usr/bin/env bash
# Opens notebooks in a real JupyterLab, in an environment of its own, with this checkout's Runglass in a real Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
VENV=.venvs/notebook
if [ ! -x "$VENV/bin/python" ]; then
  "${PYTHON:-python3}" -m venv "$VENV"
fi
# What Runglass itself needs comes from its own list; the package comes from src/, compiled by `make setup`.
"$VENV/bin/python" - <<'PYTHON' | xargs -d '\n' "$VENV/bin/python" -m pip install --quiet
import tomllib

with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
print(*project["project"]["dependencies"], *project["dependency-groups"]["notebook"], sep="\n")
PYTHON
RUNGLASS_JUPYTER="$VENV/bin/jupyter-lab" .venv/bin/python -m pytest -m notebook tests/notebook
