"""Model Explorer beside our graphs: the package ai-edge-model-explorer, in an environment of its own, made on first use.

Its readers of TensorFlow's files are a library that needs a newer C library than many systems have, so it gets the same graphs as JSON of its
own format, which its page reads without them. What the conversion takes is not counted.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from bench.graphs import graph_log
from bench.measure import Server
from bench.peers import ROOT
from bench.workloads import OUT

VENV = ROOT / ".venvs" / "model-explorer"
PACKAGE = "ai-edge-model-explorer"


def install() -> Path:
    command = VENV / "bin" / "model-explorer"
    if not command.exists():
        print("installing Model Explorer into .venvs/model-explorer …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        subprocess.run([str(VENV / "bin" / "python"), "-m", "pip", "install", "-q", PACKAGE], check=True)
    return command


def describe() -> str:
    if not (VENV / "bin" / "model-explorer").exists():
        return "Model Explorer did not install"
    code = f"from importlib.metadata import version; print(version({PACKAGE!r}))"
    done = subprocess.run(
        [str(VENV / "bin" / "python"), "-c", code], capture_output=True, text=True, check=False
    )
    return (
        f"Model Explorer {done.stdout.strip()}" if done.returncode == 0 else "Model Explorer did not install"
    )


def server() -> Server:
    return Server(
        "model-explorer", [str(install()), "--no_open_in_browser", "--host=127.0.0.1", "--port={port}"]
    )


def page_of(nodes: int) -> str:
    """The address of a graph of `bench.graphs`."""
    path = OUT / "logs" / f"graph-{nodes}-model-explorer.json"
    if not path.exists():
        path.write_text(json.dumps(convert(nodes)))
    return f"/?data={quote(json.dumps({'models': [{'url': str(path)}]}))}"


def convert(nodes: int) -> dict[str, object]:
    from runglass import open as open_log

    graph = open_log(graph_log(nodes).path).graph("base")
    converted = []
    for node in graph.nodes:
        namespace, _, label = node.name.rpartition("/")
        edges = [each for each in node.inputs if not each.startswith("^")]
        converted.append(
            {
                "id": node.name,
                "label": label,
                "namespace": namespace,
                "incomingEdges": [
                    {
                        "sourceNodeId": each.partition(":")[0],
                        "sourceNodeOutputId": each.partition(":")[2] or "0",
                        "targetNodeInputId": str(number),
                    }
                    for number, each in enumerate(edges)
                ],
                "attrs": [{"key": "op", "value": node.op}, {"key": "device", "value": node.device}],
            }
        )
    return {"label": f"graph-{nodes}", "graphs": [{"id": "base", "nodes": converted}]}
