"""The mesh route over a MemorySource: parts found by metadata, exact numbers, and problems."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import numpy as np
import pytest

from runglass.native.wire import encode
from runglass.query.memory import MemorySource
from runglass.schema.mesh import MESH_PLUGIN, MeshPart
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind

CORNERS = np.float32([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]])
SIDES = np.int32([[[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]])
PAINT = np.uint8([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [9, 8, 7]]])


def add_part(source, part, values, *, tag=None, name="solid", step=None, components=0, config="{}", **more):
    content = encode(
        MESH_PLUGIN, {"name": name, "content_type": part, "json_config": config, "components": components}
    )
    step = list(range(len(values))) if step is None else step
    return source.add_values(
        "run", tag or f"{name}_{part.name}", Kind.MESH, step=step, values=values, content=content, **more
    )


@pytest.fixture
def source():
    return MemorySource()


@pytest.fixture
def ask(source):
    client = InProcess(App(source))

    def get(tag="solid_VERTEX", **query):
        return client.get("/api/mesh/geometry?" + urlencode({"run": "run", "tag": tag, **query}))

    return get


def unpack(body):
    size = int.from_bytes(body[4:8], "little")
    head, at = json.loads(body[8 : 8 + size]), 8 + size
    blocks = []
    for dtype, rows in (
        ("<f4", head["points"]),
        ("<u4", head["faces"] or 0),
        ("u1", head["points"] if head["has_colors"] else 0),
    ):
        block = np.frombuffer(body, dtype, rows * 3, at)
        blocks.append(block.reshape(-1, 3))
        at += -(-block.nbytes // 8) * 8
    assert at == len(body)
    return head, *blocks


def test_all_parts_of_one_mesh(source, ask):
    add_part(source, MeshPart.VERTEX, [CORNERS, CORNERS + 1], config='{"camera": {}}')
    add_part(source, MeshPart.FACE, [SIDES, SIDES[:, :2]])
    add_part(source, MeshPart.COLOR, [PAINT, PAINT])
    got = ask(step=0).json
    assert got["vertices"] == CORNERS.ravel().tolist()
    assert got["faces"] == SIDES.ravel().tolist()
    assert got["colors"] == PAINT.ravel().tolist()
    assert (got["step"], got["batches"], got["config"], got["problems"]) == (0, 1, '{"camera": {}}', [])
    assert (got["total_points"], got["total_faces"]) == (4, 4)
    packed = ask(step=1, format="columns")
    assert packed.headers["content-type"] == "application/vnd.runglass.columns"
    head, vertices, faces, colors = unpack(packed.body)
    assert (head["step"], head["faces_step"], head["colors_step"]) == (1, 1, 1)
    np.testing.assert_array_equal(vertices, CORNERS[0] + 1)
    np.testing.assert_array_equal(faces, SIDES[0, :2])
    np.testing.assert_array_equal(colors, PAINT[0])


def test_parts_are_identified_by_metadata_not_by_tag(source, ask):
    add_part(source, MeshPart.VERTEX, [CORNERS], tag="a/solid_1")
    add_part(source, MeshPart.FACE, [SIDES[:, :1]], tag="a/solid_2")
    add_part(source, MeshPart.VERTEX, [CORNERS + 5], tag="b/solid_1")
    add_part(source, MeshPart.FACE, [SIDES], tag="b/solid_2")
    add_part(source, MeshPart.COLOR, [PAINT], tag="other_3", name="other")
    got = ask("b/solid_1").json
    assert (got["vertices"][0], len(got["faces"]), got["colors"]) == (5, 12, None)
    # The tag of another part names the same mesh.
    assert ask("b/solid_2").json == got
    assert len(ask("a/solid_1").json["faces"]) == 3


def test_parts_that_were_not_logged_are_not_taken_from_another_mesh(source, ask):
    add_part(source, MeshPart.VERTEX, [CORNERS], tag="a/solid_VERTEX", components=2)
    add_part(source, MeshPart.FACE, [SIDES], tag="b/solid_FACE", components=6)
    assert ask("a/solid_VERTEX").json["faces"] is None


def test_parts_logged_at_other_steps(source, ask):
    add_part(source, MeshPart.VERTEX, [CORNERS] * 4, step=[0, 10, 20, 30])
    add_part(source, MeshPart.FACE, [SIDES[:, :1], SIDES[:, :2], SIDES[:, :3]], step=[5, 10, 25])
    steps = {step: ask(step=step).json for step in (0, 10, 20, 30)}
    # The first faces apply to earlier vertices too: better than a mesh without faces.
    assert {step: got["faces_step"] for step, got in steps.items()} == {0: 5, 10: 10, 20: 10, 30: 25}
    assert [len(got["faces"]) // 3 for got in steps.values()] == [1, 2, 2, 3]


def test_a_restart_overwrites_parts_too(source, ask):
    add_part(source, MeshPart.VERTEX, [CORNERS] * 3, step=[0, 1, 2])
    add_part(source, MeshPart.FACE, [SIDES[:, :1], SIDES[:, :2]], step=[0, 2])
    add_part(source, MeshPart.VERTEX, [CORNERS] * 3, step=[0, 1, 2], restart=True, wall_time=[2e9] * 3)
    add_part(source, MeshPart.FACE, [SIDES[:, :3]], step=[0], restart=True, wall_time=[2e9])
    assert len(ask(row=5).json["faces"]) == 9
    assert len(ask(row=2).json["faces"]) == 6


def test_one_of_a_batch(source, ask):
    add_part(source, MeshPart.VERTEX, [np.concatenate([CORNERS, CORNERS * 2])])
    add_part(source, MeshPart.FACE, [SIDES])
    got = ask(batch=1).json
    assert (got["batches"], max(got["vertices"]), len(got["faces"])) == (2, 2, 12)
    gone = ask(batch=2)
    assert (gone.status, gone.json["error"]["where"]) == (404, "batch")


def test_an_answer_that_may_still_change_is_not_cached(source, ask):
    add_part(source, MeshPart.VERTEX, [CORNERS] * 2, components=6)
    add_part(source, MeshPart.FACE, [SIDES])
    time = 1_700_000_000.0
    kept = ask(row=0, step=0, wall_time=time, format="columns")
    assert "immutable" in kept.headers["cache-control"]
    # Faces of step 1 may still be logged.
    open_ended = ask(row=1, step=1, wall_time=time + 1, format="columns")
    assert "immutable" not in open_ended.headers.get("cache-control", "")
    add_part(source, MeshPart.FACE, [SIDES], step=[1])
    whole = ask(row=1, step=1, wall_time=time + 1, format="columns")
    assert "immutable" in whole.headers["cache-control"]


def test_as_a_file_for_other_programs(source, ask):
    add_part(source, MeshPart.VERTEX, [CORNERS], step=[7])
    add_part(source, MeshPart.FACE, [SIDES], step=[7])
    add_part(source, MeshPart.COLOR, [PAINT], step=[7])
    got = ask(format="ply")
    assert 'filename="run_solid_VERTEX_7.ply"' in got.headers["content-disposition"]
    head, _, body = got.body.partition(b"end_header\n")
    assert head.decode().splitlines() == [
        "ply", "format binary_little_endian 1.0", "element vertex 4", "property float x", "property float y",
        "property float z", "property uchar red", "property uchar green", "property uchar blue", "element face 4",
        "property list uchar int vertex_indices",
    ]  # fmt: skip
    points = np.frombuffer(body, [("place", "<f4", 3), ("color", "u1", 3)], 4)
    np.testing.assert_array_equal(points["place"], CORNERS[0])
    np.testing.assert_array_equal(points["color"], PAINT[0])
    faces = np.frombuffer(body, [("count", "u1"), ("vertices", "<i4", 3)], 4, points.nbytes)
    assert faces["count"].tolist() == [3] * 4
    np.testing.assert_array_equal(faces["vertices"], SIDES[0])
    assert len(body) == points.nbytes + faces.nbytes


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64, np.uint8])
def test_numbers_of_any_type(source, ask, dtype):
    add_part(source, MeshPart.VERTEX, [CORNERS[0].astype(dtype)])
    add_part(source, MeshPart.FACE, [SIDES.astype(dtype)])
    add_part(source, MeshPart.COLOR, [PAINT.astype(dtype)])
    got = ask().json
    assert (got["vertices"], got["faces"]) == (CORNERS.ravel().tolist(), SIDES.ravel().tolist())
    assert (got["colors"], got["problems"]) == (PAINT.ravel().tolist(), [])


def test_colors_from_zero_to_one(source, ask):
    add_part(source, MeshPart.VERTEX, [CORNERS])
    add_part(source, MeshPart.COLOR, [np.float32(PAINT / 255)])
    assert ask().json["colors"] == PAINT.ravel().tolist()


def test_faces_out_of_range(source, ask):
    faces = np.concatenate([SIDES[0], [[0, 1, 4], [-1, 0, 1], [2**31 - 1, 0, 1]]]).astype(np.int32)
    add_part(source, MeshPart.VERTEX, [CORNERS, CORNERS])
    add_part(source, MeshPart.FACE, [faces[None], np.float32([[[0, 1, np.nan], [0, 1, 1.5], [0, 1, 2]]])])
    got = ask(step=0).json
    assert (got["faces"], got["total_faces"]) == (SIDES.ravel().tolist(), 7)
    assert got["problems"] == ["3 of 7 faces have a vertex index outside 0 to 3; left out."]
    assert ask(step=1).json["faces"] == [0, 1, 2]


def test_vertices_that_are_not_finite(source, ask):
    corners = CORNERS.copy()
    corners[0, 1] = np.nan, 0, 0
    add_part(source, MeshPart.VERTEX, [corners, np.float64([[[1e300, 0, 0], [1, 2, 3]]])])
    add_part(source, MeshPart.FACE, [SIDES])
    add_part(source, MeshPart.COLOR, [PAINT])
    got = ask(step=0).json
    assert got["vertices"] == CORNERS[0, [0, 2, 3]].ravel().tolist()
    assert got["colors"] == PAINT[0, [0, 2, 3]].ravel().tolist()
    # Only the face without the lost vertex is left, with new indices.
    assert got["faces"] == [0, 1, 2]
    assert got["problems"] == ["1 of 4 vertices are at NaN or infinity; left out, with 3 of their faces."]
    assert ask(step=1).json["vertices"] == [1, 2, 3]


@pytest.mark.parametrize(
    ("vertices", "said"),
    [
        (np.zeros((2, 5)), "Vertices have the shape 2×5 of float64"),
        (np.zeros((1, 1, 4, 3)), "Vertices have the shape 1×1×4×3"),
        (np.array([b"a", b"b"], object), "Vertices have the shape 2 of object"),
        (np.float32(1), "Vertices have the shape of one number"),
    ],
)
def test_values_that_are_not_a_mesh(source, ask, vertices, said):
    add_part(source, MeshPart.VERTEX, [vertices])
    got = ask()
    assert (got.status, got.json["vertices"], got.json["total_points"]) == (200, [], 0)
    assert got.json["problems"][0].startswith(said)


def test_parts_that_do_not_fit_the_vertices(source, ask):
    add_part(source, MeshPart.VERTEX, [CORNERS, CORNERS[:, :0]])
    add_part(source, MeshPart.FACE, [np.zeros((1, 4, 4), np.int32), SIDES])
    add_part(source, MeshPart.COLOR, [PAINT[:, :2], np.float32(PAINT) * 2])
    got = ask(step=0).json
    assert (got["faces"], got["colors"], len(got["vertices"])) == (None, None, 12)
    assert [each.split(";")[0] for each in got["problems"]] == [
        "Faces have the shape 1×4×4 of int32, expected (meshes, n, 3). They are not shown.",
        "2 colours for 4 vertices",
    ]
    empty = ask(step=1).json
    assert (empty["vertices"], empty["faces"]) == ([], [])


def test_colors_out_of_range_are_the_nearest(source, ask):
    add_part(source, MeshPart.VERTEX, [CORNERS])
    add_part(source, MeshPart.COLOR, [np.float32([[[-5, 300, 7]] * 3 + [[np.nan, 0, 0]]])])
    got = ask().json
    assert got["colors"] == [0, 255, 7] * 3 + [0, 0, 0]
    assert got["problems"][0].startswith("7 colour values are outside 0 to 255")


def test_metadata_that_cannot_be_decoded(source, ask):
    source.add_values("run", "odd", Kind.MESH, step=[0], values=[CORNERS], content=b"\xff\xff")
    assert ask("odd").json["vertices"] == CORNERS.ravel().tolist()


def test_a_configuration_that_is_too_long(source, ask):
    add_part(source, MeshPart.VERTEX, [CORNERS], config="x" * 200_000)
    got = ask().json
    assert (got["config"], got["problems"]) == (
        "",
        ["The configuration has 200,000 characters; the limit is 100,000, so it is not used."],
    )


def test_too_many_points_are_reduced_deterministically(source, ask):
    cloud = np.random.default_rng(0).random((1, 50_000, 3), np.float32)
    paint = (cloud * 255).astype(np.uint8)
    add_part(source, MeshPart.VERTEX, [cloud], components=10)
    add_part(source, MeshPart.COLOR, [paint], components=10)
    first = ask(format="columns", points=1_000)
    head, vertices, _, colors = unpack(first.body)
    assert (head["points"], head["total_points"]) == (1_000, 50_000)
    assert head["problems"] == ["1,000 of 50,000 points are drawn."]
    # Each point is a logged one with its own colour.
    place = {tuple(point): i for i, point in enumerate(cloud[0].tolist())}
    rows = [place[tuple(point)] for point in vertices.tolist()]
    assert len(set(rows)) == 1_000
    np.testing.assert_array_equal(colors, paint[0, rows])
    assert ask(format="columns", points=1_000).body == first.body
    _, everything, _, _ = unpack(ask(full=1, format="columns").body)
    np.testing.assert_array_equal(everything, cloud[0])


def test_a_simplified_surface_stays_closed(source, ask):
    n = 100
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    sheet = np.stack([x, y, np.zeros_like(x)], -1).reshape(1, -1, 3).astype(np.float32)
    corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    faces = np.concatenate(
        [np.stack([corner, corner + 1, corner + n], 1), np.stack([corner + 1, corner + n, corner + n + 1], 1)]
    )
    add_part(source, MeshPart.VERTEX, [sheet])
    add_part(source, MeshPart.FACE, [faces[None]])
    head, vertices, kept, _ = unpack(ask(format="columns", points=500).body)
    assert 250 < len(vertices) <= 500
    assert (head["total_points"], head["total_faces"]) == (n * n, len(faces))
    assert "of 10,000 vertices" in head["problems"][0]
    a, b, c = vertices[kept].transpose(1, 0, 2).astype(np.float64)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    assert area == pytest.approx(1, abs=0.1)
    assert unpack(ask(full=1, format="columns").body)[0]["faces"] == len(faces)


def test_too_many_faces(source, ask):
    add_part(source, MeshPart.VERTEX, [CORNERS])
    add_part(source, MeshPart.FACE, [np.tile(SIDES, (1, 250, 1))])
    got = ask(points=100).json
    assert (len(got["faces"]), got["total_faces"]) == (600, 1000)
    assert got["problems"] == ["Drawn with 4 of 4 vertices and 200 of 1,000 faces."]
    assert len(ask(points=100, full=1).json["faces"]) == 3000


@pytest.mark.parametrize(
    ("query", "status", "where"),
    [
        ({"tag": "gone"}, 404, "run/gone"),
        ({"step": 7}, 404, "run/solid_VERTEX"),
        ({"row": 5}, 404, "run/solid_VERTEX"),
        ({"batch": -1}, 400, "batch"),
        ({"points": 0}, 400, "points"),
        ({"format": "obj"}, 400, "format"),
    ],
)
def test_unknown_meshes(source, ask, query, status, where):
    add_part(source, MeshPart.VERTEX, [CORNERS])
    got = ask(**query)
    assert (got.status, got.json["error"]["where"]) == (status, where)
