"""The images routes over a MemorySource: files as logged, and nothing that a browser would run."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import numpy as np
import pytest

from runglass.dashboards.images.zip_file import safe_path
from runglass.errors import ValueDamaged
from runglass.media.formats import parse_image
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind
from runglass.writer.values.png import encode_png
from runglass.writer.values.video import encode_gif

PNG = encode_png(np.arange(600, dtype=np.uint8).reshape(10, 20, 3))
GIF = encode_gif(np.zeros((4, 8, 8, 1), np.uint8), 10)
SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
HTML = b"<!doctype html><script>alert(1)</script>"
MP4 = b"\0\0\0\x10ftypisom\0\0\0\0\0\0\0\x08moov"
T0 = 1_700_000_000.0


def empty_png(width, height):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b""))
        + chunk(b"IEND", b"")
    )


BAD = {
    "empty": b"",
    "words": b"not a picture at all",
    "svg": SVG,
    "html": HTML,
    "cut": PNG[: len(PNG) // 2],
    "nothing": empty_png(0, 5),
    "wide": empty_png(30_000, 2),
    "vast": empty_png(16_000, 16_000),
}


def images(*files):
    return [parse_image(file) for file in files]


class Source(MemorySource):
    def load_value(self, values, index):
        if (values.key.tag, index) == ("broken", 1):
            raise ValueDamaged("byte 12: bad checksum")
        return super().load_value(values, index)


@pytest.fixture
def client():
    source = Source()
    values = [images(PNG), images(PNG, GIF), images(GIF)]
    source.add_values("train", "a/b", Kind.IMAGE, step=[0, 10, 20], values=values)
    source.add_values("train", "video", Kind.IMAGE, step=[0], values=[images(MP4)])
    source.add_values("train", "broken", Kind.IMAGE, step=[0, 1], values=[images(PNG), images(PNG)])
    source.add_values("train", "shape", Kind.IMAGE, step=[0], values=[np.zeros(3)])
    for name, data in BAD.items():
        source.add_values("bad", name, Kind.IMAGE, step=[0], values=[images(data)])
    return InProcess(App(source))


def test_the_samples_of_a_value(client):
    got = client.get(f"/api/images/list?run=train&tag=a/b&row=1&step=10&wall_time={T0 + 10}").json
    png, gif = got["samples"]
    assert png == {
        "format": "png",
        "media_type": "image/png",
        "width": 20,
        "height": 10,
        "size_bytes": len(PNG),
        "frames": 1,
        "problem": None,
    }
    assert (gif["media_type"], gif["frames"], gif["problem"]) == ("image/gif", 4, None)


def test_bytes_as_logged(client):
    got = client.get(f"/api/images/blob?run=train&tag=a/b&row=1&wall_time={T0 + 10}&sample=1")
    assert got.body == GIF
    assert got.headers["content-type"] == "image/gif"
    assert "immutable" in got.headers["cache-control"]
    assert "content-disposition" not in got.headers
    newest = client.get("/api/images/blob?run=train&tag=a/b&download=1&step=20")
    assert newest.body == GIF
    assert newest.headers["content-disposition"] == 'attachment; filename="train_a_b_20.gif"'
    assert newest.headers["cache-control"] == "no-store"
    assert client.get("/api/images/blob?run=train&tag=video").headers["content-type"] == "video/mp4"


@pytest.mark.parametrize("name", ["svg", "html", "words", "empty"])
def test_a_file_that_is_not_a_picture_can_only_be_saved(client, name):
    got = client.get(f"/api/images/blob?run=bad&tag={name}")
    assert got.body == BAD[name]
    assert got.headers["content-type"] == "application/octet-stream"
    assert got.headers["content-disposition"].startswith("attachment")
    assert "nosniff" in got.headers["x-content-type-options"]
    assert "sandbox" in got.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("empty", "no bytes"),
        ("words", "20 bytes start with 6e 6f 74 20"),
        ("svg", "SVG, which may contain scripts"),
        ("html", "HTML, which may contain scripts"),
        ("cut", "PNG file is truncated"),
        ("nothing", "0 × 5 pixels"),
        ("wide", "30,000 × 2 pixels"),
        ("vast", "16,000 × 16,000 pixels"),
    ],
)
def test_problems_are_reported(client, name, words):
    (sample,) = client.get(f"/api/images/list?run=bad&tag={name}").json["samples"]
    assert words in sample["problem"]
    assert sample["size_bytes"] == len(BAD[name])


@pytest.mark.parametrize(
    ("url", "status", "code"),
    [
        ("/api/images/list?run=train&tag=none", 404, "series_unknown"),
        ("/api/images/list?run=train&tag=a/b&row=1&step=11", 404, "sample_gone"),
        ("/api/images/blob?run=train&tag=a/b&sample=9", 404, "sample_gone"),
        ("/api/images/blob?run=train&tag=a/b&sample=-1", 400, "bad_request"),
        ("/api/images/list?run=train&tag=broken&row=1", 422, "value_damaged"),
        ("/api/images/list?run=train&tag=shape", 422, "value_damaged"),
    ],
)
def test_unknown_values(client, url, status, code):
    got = client.get(url)
    assert (got.status, got.json["error"]["code"]) == (status, code)


def zipped(client, *samples):
    got = client.post("/api/images/zip", {"samples": list(samples)})
    assert (got.status, got.headers["content-type"]) == (200, "application/zip")
    archive = zipfile.ZipFile(io.BytesIO(got.body))
    assert archive.testzip() is None
    return {name: archive.read(name) for name in archive.namelist()}


def test_many_in_a_zip(client):
    value = {"run": "train", "tag": "a/b", "row": 1}
    found = zipped(client, value, {**value, "sample": 1}, value, {"run": "bad", "tag": "svg"})
    assert found == {
        "train/a/b/10_0.png": PNG,
        "train/a/b/10_1.gif": GIF,
        "train/a/b/10_0_2.png": PNG,
        "bad/svg/0_0.svg": SVG,
    }


def test_a_zip_reports_missing_files(client):
    rows = [{"run": "train", "tag": "broken", "row": row} for row in (0, 1)]
    assert zipped(client, *rows) == {
        "train/broken/0_0.png": PNG,
        "train/broken/1_0.error.txt": b"byte 12: bad checksum",
    }


def test_a_zip_of_missing_values_is_rejected(client):
    got = client.post("/api/images/zip", {"samples": [{"run": "train", "tag": "a/b", "row": 7}]})
    assert (got.status, got.json["error"]["code"]) == (404, "sample_gone")
    assert client.post("/api/images/zip", {"samples": []}).status == 400


@pytest.mark.parametrize(
    ("names", "path"),
    [
        ((".", "tag", "0_0"), "tag/0_0"),
        (("../../etc", "/x//y", "0_0"), "etc/x/y/0_0"),
        (("a\\..\\b", 'c:"<|>?*', "0"), "a_.._b/c_/0"),
        (("run. ", "CON/nul.txt", "-5_0"), "run/_CON/_nul.txt/-5_0"),
        (("\udc80é", "t" * 300, "0"), f"_é/{'t' * 100}/0"),
    ],
)
def test_paths_stay_inside_the_zip(names, path):
    assert safe_path(*names) == path
