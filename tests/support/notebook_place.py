"""Where a notebook of a test lives: its files, its servers' notes, and nothing of the user's."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from tests.support.event_files import log_bytes, put

SOURCES = Path(__file__).parents[2] / "src"


class Place:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.runtime = folder / "runtime"
        self.runtime.mkdir(mode=0o700)
        put(self.work / "logs" / "train", log_bytes(50))
        put(self.work / "more logs" / "test", log_bytes(50, tag="accuracy"))

    def environ(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(SOURCES),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "JUPYTER_RUNTIME_DIR": str(self.runtime),
            "JUPYTER_CONFIG_DIR": str(self.folder / "config"),
            "IPYTHONDIR": str(self.folder / "ipython"),
        }

    def write(self, *cells: str) -> Path:
        """A notebook with these cells."""
        notebook = {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
            "cells": [
                {
                    "cell_type": "code",
                    "id": f"cell-{number}",
                    "source": cell,
                    "metadata": {},
                    "outputs": [],
                    "execution_count": None,
                }
                for number, cell in enumerate(cells)
            ],
        }
        file = self.work / "runs.ipynb"
        file.write_text(json.dumps(notebook))
        return file

    def end_servers(self) -> None:
        """What the notebook started and did not end."""
        for info in self.runtime.glob("runglass-*/pid-*.json"):
            os.kill(json.loads(info.read_text())["pid"], signal.SIGTERM)
