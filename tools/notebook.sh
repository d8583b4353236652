#!/usr/bin/env bash
# Opens notebooks in a real JupyterLab and in a real VS Code, in environments of their own, with this checkout's Runglass in a real
# Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
VENV=.venvs/notebook
if [ ! -x "$VENV/bin/python" ]; then
  "${PYTHON:-python3}" -m venv "$VENV"
fi
# What Runglass itself needs comes from its own list; the package comes from src/, compiled by `make setup`. What is never imported
# need not be compiled.
"$VENV/bin/python" - <<'PYTHON' | xargs -d '\n' "$VENV/bin/python" -m pip install --quiet --no-compile
import tomllib

with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
print(*project["project"]["dependencies"], *project["dependency-groups"]["notebook"], sep="\n")
PYTHON
# The registry's VS Code that is served to a browser. What it would compile is for terminals and log files, which no test opens.
CODE=.venvs/code-server-4.100.3
if [ ! -f "$CODE/installed" ]; then
  rm -rf "$CODE"
  mkdir -p "$CODE"
  npm pack --silent --pack-destination "$CODE" code-server@4.100.3 >/dev/null
  tar -xzf "$CODE"/*.tgz -C "$CODE" --strip-components=3 package/lib/vscode
  rm "$CODE"/*.tgz
  npm install --silent --prefix "$CODE" --omit=dev --ignore-scripts --no-audit --no-fund
  touch "$CODE/installed"
fi
export RUNGLASS_NOTEBOOK_PYTHON="$PWD/$VENV/bin/python"
export RUNGLASS_JUPYTER="$PWD/$VENV/bin/jupyter-lab"
export RUNGLASS_VSCODE="$PWD/$CODE/out/server-main.js"
.venv/bin/python -m pytest -m notebook tests/notebook
