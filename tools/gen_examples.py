"""Record what a server answers to the requests of the OpenAPI document, over a short demo: the examples of its answers.

python tools/gen_examples.py > src/runglass/server/answer_examples.json
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from socket import gethostname
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from runglass.api.jobs import JobAnswer, JobResult
from runglass.api.route import JSON, Route, encode_json
from runglass.dashboards.text.shape import Found
from runglass.demo import write_demo
from runglass.overlay.model import Mark
from runglass.query.memory import MemorySource
from runglass.server.dispatch import Api
from runglass.server.openapi_details import decode_example
from runglass.server.request_examples import BODIES, FILE, JOB, QUERIES, UNANSWERED
from runglass.server.settings import Settings

NOW = 1_800_000_000
STEPS = 40
# Of a list as many, and of a text so many characters: an example shows what an answer looks like.
ENTRIES = 2
CHARACTERS = 200
# What counts or measures this one server, and what to write instead.
OWN = {
    "generation": NOW * 1000,
    "revision": NOW * 1000,
    "overlay_revision": NOW * 1000,
    "now": float(NOW),
    "elapsed_s": 0.1,
}
# The end of the name of an event file: host, process, number.
WRITER = re.compile(r"(events\.out\.tfevents\.\d+)\.[\w.-]+")
POINTS = b"0.5\t1\n0.25\t-1\n"
UPLOADS = {
    "/api/graphs/file": b'node { name: "x" op: "Placeholder" }\nnode { name: "y" op: "Relu" input: "x" }\n',
    "/api/profile/file": json.dumps(
        [{"ph": "X", "name": "step", "pid": 1, "tid": 1, "ts": 0, "dur": 250}]
    ).encode(),
    "/api/projector/file": POINTS,
    "/api/projector/labels": b"cat\ndog\n",
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_demo(Path(folder, "runglass-demo"), now=NOW, steps=STEPS)
        for file in Path(folder).glob("*/translate/**/*.trace.json.gz"):
            # Its times are those of this machine.
            file.unlink()
        for file in Path(folder).rglob("*"):
            os.utime(file, (NOW, NOW))
        # Names in answers are relative to where the server was started.
        command = [sys.executable, "-m", "runglass", "runglass-demo", "--port", "0"]
        command += ["--shared_overlay", "marks.json", "--cache_dir", "cache"]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+/", server.stdout.readline())
            assert found, "the server did not start"
            examples = record(found[0].rstrip("/"))
        finally:
            server.terminate()
            server.wait()
    print(json.dumps(examples, indent=1, ensure_ascii=False))


def record(address: str) -> dict[str, Any]:
    while not ask(address, "/api/status")["is_loaded"]:
        time.sleep(0.1)
    job = ask(address, "/api/jobs", body=BODIES["/api/jobs"])["id"]
    while ask(address, "/api/jobs")["jobs"][0]["state"] != "done":
        time.sleep(0.1)
    vectors = ask(address, "/api/projector/file", query={"name": "points.tsv"}, body=POINTS)["file"]
    # Ids of this server, and what requests have in their place.
    real = {JOB["id"]: job, FILE: vectors}
    examples = {}
    routes = Api(MemorySource(), Settings()).routes
    # Marks are written before they are read.
    for route in sorted(routes, key=lambda route: (route.path, route.method == "GET")):
        if JSON in route.media_types and route.path not in UNANSWERED:
            query = QUERIES.get(route.path, {}) if route.body is None else {}
            body = UPLOADS.get(route.path) if route.body is None else BODIES[route.path]
            answer = ask(address, route.path, query=replace(query, real), body=replace(body, real))
            if route.upload_bytes:
                real[FILE] = answer["file"]
            answer = replace(answer, {made: written for written, made in real.items()})
            examples[f"{route.method} {route.path}"] = shorten(route, answer)
    return examples


def ask(
    address: str,
    path: str,
    *,
    query: Mapping[str, Any] | None = None,
    body: bytes | dict[str, Any] | None = None,
) -> Any:
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = Request(
        f"{address}{path}?{urlencode(query or {}, doseq=True)}", data=data, headers={"Accept": JSON}
    )
    try:
        with urlopen(request) as answer:
            return msgspec.json.decode(answer.read())
    except HTTPError as error:
        raise SystemExit(f"{path}: {error.read().decode()}") from error


def replace(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: replace(each, names) for name, each in value.items()}
    if isinstance(value, list):
        return [replace(each, names) for each in value]
    return names.get(value, value) if isinstance(value, str) else value


def shorten(route: Route, answer: Any) -> Any:
    # By its types, which tell a list from a pair and names from fields.
    typed = decode_example(answer, Found if route.answer is JobResult else route.answer)
    return msgspec.json.decode(encode_json(cut(typed)))


def cut(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        fields = {name: cut(getattr(value, name)) for name in value.__struct_fields__}
        fields.update({name: made for name, made in OWN.items() if fields.get(name) is not None})
        if isinstance(value, Mark):
            fields.update(at=float(NOW), version=OWN["revision"])
        if isinstance(value, JobAnswer):
            fields["id"] = JOB["id"]
        return type(value)(**fields)
    if isinstance(value, list):
        return [cut(each) for each in value[:ENTRIES]]
    if isinstance(value, tuple):
        return tuple(cut(each) for each in value)
    if isinstance(value, dict):
        return {cut(name): cut(each) for name, each in list(value.items())[:ENTRIES]}
    if isinstance(value, str):
        text = "host" if value == gethostname() else WRITER.sub(r"\1.host.1.0", value)
        return text if len(text) <= CHARACTERS else f"{text[:CHARACTERS]}…"
    if isinstance(value, float) and math.isfinite(value) and abs(value) < 1e6:
        # The last digits differ between processors.
        return float(f"{value:.6g}")
    return value


if __name__ == "__main__":
    main()
