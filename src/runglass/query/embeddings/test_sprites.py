from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from runglass.errors import BadArgument
from runglass.query.embeddings import sprites
from runglass.query.embeddings.formats.content import BytesContent
from runglass.query.embeddings.model import EmbeddingDamaged
from runglass.query.embeddings.png import PASSES, START
from runglass.query.embeddings.read import read_embedding
from runglass.query.embeddings.sprites import SpriteSheet, resize
from runglass.query.memory import MemorySource
from runglass.store.model import Family, Kind
from runglass.store.model import Image as LoggedImage

RNG = np.random.default_rng(4)
# Six tiles of 5 × 4 (width × height) in two rows.
RGBA = RNG.integers(0, 256, (8, 15, 4), dtype=np.uint8)


def encode(pixels, mode, form="PNG", **options):
    file = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(file, form, **options)
    return file.getvalue()


def sheet(data, tile=(5, 4), points=6, name="s.png"):
    return SpriteSheet(BytesContent(name, data), tile, points)


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA", "P", "1", "I;16"])
def test_pixels_are_those_of_the_file(mode):
    if mode == "I;16":
        data = io.BytesIO()
        Image.fromarray(RGBA[..., 0].astype(np.uint16) * 257).save(data, "PNG")
        expected = np.repeat(RGBA[..., :1], 4, axis=2)
        expected[..., 3] = 255
        assert np.array_equal(sheet(data.getvalue()).image(), expected)
        return
    data = encode(RGBA, mode)
    assert np.array_equal(sheet(data).image(), np.asarray(Image.open(io.BytesIO(data)).convert("RGBA")))


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_small_palettes(bits):
    picture = Image.fromarray(RGBA[..., :3]).quantize(1 << bits)
    file = io.BytesIO()
    picture.save(file, "PNG", bits=bits, transparency=0)
    expected = np.asarray(Image.open(io.BytesIO(file.getvalue())).convert("RGBA"))
    assert np.array_equal(sheet(file.getvalue()).image(), expected)


def test_interlaced_rows():
    """Pillow does not write such files: seven pictures, each of every few pixels."""
    passes = b""
    for left, top, across, down in PASSES:
        part = RGBA[top::down, left::across, :3]
        if part.size:
            passes += b"".join(b"\0" + row.tobytes() for row in part)
    chunks = b""
    header = struct.pack(">IIBBBBB", 15, 8, 8, 2, 0, 0, 1)
    for kind, body in ((b"IHDR", header), (b"IDAT", zlib.compress(passes)), (b"IEND", b"")):
        chunks += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    data = START + chunks
    expected = np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))
    assert np.array_equal(expected[..., :3], RGBA[..., :3])
    assert np.array_equal(sheet(data).image(), expected)


def test_tiles():
    found = sheet(encode(RGBA, "RGBA"))
    assert (found.tile, found.count, found.columns, found.problems) == ((5, 4), 6, 3, ())
    assert np.array_equal(found.picture(4), RGBA[4:8, 5:10])
    # A tile is fitted into a square, above and below which nothing is seen.
    tiles = found.tiles([4, 0, 99, -1], 5)
    assert tiles.shape == (4, 5, 5, 4)
    assert np.array_equal(tiles[0, :4], RGBA[4:8, 5:10])
    assert np.array_equal(tiles[1, :4], RGBA[:4, :5])
    assert not tiles[:2, 4].any()
    assert not tiles[2:].any()
    large = found.tiles([4], 10)[0]
    assert np.array_equal(large[1:9:2, ::2], RGBA[4:8, 5:10])
    with pytest.raises(BadArgument):
        found.picture(6)


def test_smaller_tiles_are_means():
    tiles = RNG.integers(0, 256, (3, 4, 6, 4), dtype=np.uint8)
    tiles[..., 3] = 255
    small = resize(tiles, 2, 3)
    means = tiles.reshape(3, 2, 2, 3, 2, 4).mean(axis=(2, 4))
    assert np.abs(small - means).max() <= 0.5
    # What is transparent has no colour.
    half = np.zeros((1, 2, 2, 4), np.uint8)
    half[0, 0] = [200, 100, 0, 255]
    assert resize(half, 1, 1).tolist() == [[[[200, 100, 0, 128]]]]


def test_a_sprite_that_does_not_fit_into_memory(monkeypatch):
    whole = sheet(encode(RGBA, "RGB"))
    monkeypatch.setattr(sprites, "KEPT_BYTES", 6 * 2 * 2 * 4)
    small = sheet(encode(RGBA, "RGB"))
    rows = list(range(6))
    assert small._cut().nbytes <= 6 * 2 * 2 * 4
    assert np.abs(small.tiles(rows, 1).astype(int) - whole.tiles(rows, 1)).max() <= 2


def test_jpeg_through_pillow():
    data = encode(RGBA, "RGB", "JPEG", quality=95)
    found = sheet(data, name="s.jpg")
    assert np.array_equal(found.image(), np.asarray(Image.open(io.BytesIO(data)).convert("RGBA")))
    assert np.array_equal(found.picture(5), found.image()[4:8, 10:15])


def test_pictures_of_the_runs_own_logs():
    """Where a column names tags of images."""
    pictures = [RNG.integers(0, 256, (4, 6, 4), dtype=np.uint8) for _ in range(4)]
    images = [LoggedImage(encode(each, "RGBA"), 6, 4, "png") for each in pictures]
    source = MemorySource()
    source.add_values("run", "a", Kind.IMAGE, step=[0, 5, 9], values=[[images[0]], [images[1]], [images[2]]])
    source.add_values("run", "b#c", Kind.IMAGE, step=[5], values=[[images[0], images[3]]])
    config = b'embeddings { tensor_name: "e:00006" tensor_path: "v.tsv" metadata_path: "m.tsv" }'
    source.add_asset("run", Family.PROJECTOR, "projector_config.pbtxt", config)
    source.add_asset("run", Family.VECTORS, "v.tsv", b"1\n2\n3\n4\n5\n")
    source.add_asset("run", Family.VECTORS, "m.tsv", b"word\tseen\nx\ta\ny\tb#c#1\nz\tgone\nu\t\nv\tb#c#7\n")
    found = read_embedding(source, "run", "e")
    assert found.sprite is not None
    assert (found.sprite.tile, found.sprite.count) == ((6, 4), 5)
    # The last one that was logged up to the step of the embedding.
    assert np.array_equal(found.sprite.picture(0), pictures[1])
    tiles = found.sprite.tiles([1, 0, 2, 3, 4], 6)
    assert np.array_equal(tiles[0, 1:5], pictures[3])
    assert np.array_equal(tiles[1, 1:5], pictures[1])
    assert not tiles[2:].any()
    assert found.problems == ("1 values of the column 'seen' name no images of the run.",)


@pytest.mark.parametrize(
    ("tile", "points", "problem"),
    [
        ((4, 4), 6, "not a multiple of 4 × 4"),
        ((5, 4), 8, "room for 6 pictures of 5 × 4 and there are 8 vectors. The last 2 have no picture."),
        ((1, 1), 6, "Check the size in the config."),
        (None, 6, "does not say how large"),
        ((0, 4), 6, "does not say how large"),
    ],
)
def test_sprites_that_do_not_fit(tile, points, problem):
    found = sheet(encode(RGBA, "RGB"), tile, points)
    assert len(found.problems) == 1
    assert problem in found.problems[0]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "not in a known picture format"),
        (b"<html>", "not in a known picture format"),
        (b"\xff\xd8\xff\xe0 nonsense", "damaged JPEG"),
        (encode(RGBA, "RGB")[:30], "damaged PNG"),
        (encode(RGBA, "RGB")[:-40], "damaged PNG: pixels are missing"),
    ],
)
def test_files_that_are_no_pictures(data, problem):
    with pytest.raises(EmbeddingDamaged, match=problem):
        sheet(data).tiles([0], 8)


def test_a_tile_larger_than_the_picture():
    with pytest.raises(EmbeddingDamaged, match="less than one picture of 50 × 4"):
        sheet(encode(RGBA, "RGB"), (50, 4))
