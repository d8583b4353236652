"""A source with one embedding of three steps and one of bare vectors, and requests about them as the page makes them."""

from __future__ import annotations

import base64

import numpy as np

from runglass.api.blocks import decode_blocks
from runglass.dashboards.projector.sheet import encode_png
from runglass.query.memory import MemorySource
from runglass.store.model import Family

ROWS, DIMENSIONS, TILE = 40, 6, 5
STEPS = (0, 10, 20)
WORDS = {"run": "train", "name": "words"}
NAMES = [f"{'cat' if row % 2 else 'dog'} number {row}" for row in range(ROWS)]


def vectors_at(step):
    rng = np.random.default_rng(7)
    noise = rng.normal(0, 1, (ROWS, DIMENSIONS))
    pull = np.where(np.arange(ROWS) % 2, 1.0, -1.0)[:, None] * step / 4
    return (noise + pull).astype(np.float32)


def metadata():
    lines = ["name\tkind\tdigit\tscore"]
    for row in range(ROWS):
        lines.append(f"{NAMES[row]}\t{'cat' if row % 2 else 'dog'}\t{row % 3}\t{row / 4 if row else ''}")
    return "\n".join(lines).encode()


def sprite():
    side = 7
    pixels = np.zeros((side * TILE, side * TILE, 4), np.uint8)
    for row in range(ROWS):
        at = divmod(row, side)
        pixels[at[0] * TILE : (at[0] + 1) * TILE, at[1] * TILE : (at[1] + 1) * TILE] = (
            row,
            255 - row,
            0,
            255,
        )
    return encode_png(pixels)


def config(steps=STEPS):
    entries = [
        f'embeddings {{ tensor_name: "words:{step:05d}" tensor_path: "{step}.bytes" tensor_shape: {ROWS} '
        f'tensor_shape: {DIMENSIONS} metadata_path: "meta.tsv" bookmarks_path: "marks.txt" '
        f'sprite {{ image_path: "sprite.png" single_image_dim: {TILE} single_image_dim: {TILE} }} }}'
        for step in steps
    ]
    other = 'embeddings { tensor_name: "bare" tensor_path: "bare.tsv" }'
    return "\n".join([*entries, other]).encode()


def make_source():
    source = MemorySource()
    source.add_asset("train", Family.PROJECTOR, "projector_config.pbtxt", config())
    for step in STEPS:
        source.add_asset("train", Family.VECTORS, f"{step}.bytes", vectors_at(step).tobytes())
    source.add_asset("train", Family.VECTORS, "meta.tsv", metadata())
    source.add_asset("train", Family.VECTORS, "sprite.png", sprite())
    source.add_asset("train", Family.VECTORS, "marks.txt", b'[{"label": "a view"}]')
    source.add_asset("train", Family.VECTORS, "bare.tsv", b"1\t2\nnan\t4\n5\t7\n")
    return source


def ask(client, path, status=200, **body):
    got = client.post(f"/api/projector/{path}", {"embedding": WORDS, **body})
    assert got.status == status, got.text
    return got.json if status == 200 and got.headers["content-type"].startswith("application/json") else got


def blocks(client, path, **body):
    return decode_blocks(ask(client, path, **body).body)


def run_job(client, work, **question):
    """The result of a job: its head and its blocks."""
    got = client.post("/api/jobs", {"work": work, "question": question})
    assert got.status == 200, got.text
    job = got.json
    client.get(f"/api/jobs/events?id={job['id']}")
    got = client.get(f"/api/jobs/result?id={job['id']}")
    if got.status != 200:
        return job["id"], got.json["error"], {}
    return job["id"], *decode_blocks(got.body)


def reduce(client, **question):
    return run_job(client, "projector.reduce", **{"embedding": WORDS, **question})


def encoded(rows):
    return base64.b64encode(np.array(rows, "<i4").tobytes()).decode()
