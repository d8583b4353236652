"""The mesh dashboard in a browser: meshes of every framework, turned together, and numbers that make no mesh."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect
from tests.support.golden_logs import open_golden
from tests.support.page import address_has, card, go, read_canvas, reload, wait_ready

from runglass.native.wire import encode
from runglass.query.memory import MemorySource
from runglass.schema.mesh import MESH_PLUGIN, MeshPart
from runglass.store.model import Kind

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
SIDES = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]], np.int32)
GREEN = np.array([10, 200, 30], np.uint8)


def add_mesh(
    source: MemorySource,
    run: str,
    name: str,
    vertices: NDArray[Any],
    faces: NDArray[Any] | None = None,
    colors: NDArray[Any] | None = None,
    *,
    step: int = 0,
    config: str = "{}",
) -> None:
    parts = {MeshPart.VERTEX: vertices, MeshPart.FACE: faces, MeshPart.COLOR: colors}
    components = sum(1 << part for part, array in parts.items() if array is not None)
    for part, array in parts.items():
        if array is not None:
            content = {"name": name, "content_type": part, "json_config": config, "components": components}
            source.add_values(
                run,
                f"{name}_{part.name}",
                Kind.MESH,
                step=[step],
                values=[array],
                content=encode(MESH_PLUGIN, content),
            )


@pytest.fixture(autouse=True)
def narrow(page: Page) -> None:
    """Cards are small then: of a large one, the canvas hands out only a corner."""
    page.set_viewport_size({"width": 1000, "height": 2400})


def view(within: Page | Locator, title: str) -> Locator:
    return within.get_by_role("application", name=f"View of {title}", exact=True)


def pixels(shown: Locator) -> NDArray[np.int16]:
    return read_canvas(shown.locator("canvas"))


def solid(shown: Locator) -> NDArray[np.int16]:
    """The colours of what is drawn, but for the axes, which are seen through."""
    seen = pixels(shown)
    return seen[seen[..., 3] == 255][:, :3]


def test_shows_meshes_of_every_framework(open_page):
    page = open_page(
        open_golden("tb_mesh", "torch_writer_all", "tensorboardX_writer_all"), "#/mesh?filter=^tb"
    )
    for run, title, about in (
        ("tb_mesh/run", "tetra", "4 vertices · 4 faces"),
        ("tb_mesh/run", "point_cloud", "40 points"),
        ("torch_writer_all/all", "mesh/tetra", "4 vertices · 4 faces"),
        ("torch_writer_all/all", "mesh/points", "50 points"),
        ("tensorboardX_writer_all/all", "mesh/tetra", "4 vertices · 4 faces"),
    ):
        page.evaluate("(hash) => void (location.hash = hash)", f"#/mesh?filter=^{run}$")
        shown = card(page, f"{title}, {run}")
        expect(shown).to_have_attribute("data-ready", "true")
        expect(shown).to_contain_text(about)
        assert len(solid(view(shown, title))) > 40, (run, title)
    # The parts of a mesh are one card.
    expect(page.get_by_role("article", name=re.compile("FACE|COLOR|_2|_3"))).to_have_count(0)


def add_bad_meshes(source: MemorySource) -> None:
    broken = CORNERS.copy()
    broken[3] = np.nan
    add_mesh(source, "run", "faces", CORNERS, np.array([*SIDES, [0, 1, 9], [-1, 0, 1]], np.int32))
    add_mesh(source, "run", "nan", broken, SIDES)
    add_mesh(source, "run", "flat", CORNERS[:, :2])
    add_mesh(source, "run", "nothing", CORNERS[:0])
    add_mesh(
        source, "run", "<img src=x onerror=alert(1)>", CORNERS, config='{"lights": [{"cls": "<script>"}]}'
    )


def test_colors_configurations_and_bad_meshes(open_page):
    # Colours are those that were logged
    source = MemorySource()
    cloud = np.random.default_rng(0).random((300, 3), np.float32)
    for name in ("cloud", "second", "third"):
        add_mesh(source, "run", name, cloud, colors=np.tile(GREEN, (300, 1)))
    config = '{"camera": {"cls": "OrthographicCamera", "position": [0, 0, 9]}, "material": {"cls": "MeshBasicMaterial", "color": "#0ac81e"}}'
    add_mesh(source, "run", "square", CORNERS[:3], SIDES[:1], config=config)
    add_mesh(source, "run", "odd", CORNERS, SIDES, config='{"camera": {"cls": "Magic"}}')
    add_bad_meshes(source)
    add_mesh(source, "run", "thing", CORNERS, SIDES, step=0)
    add_mesh(source, "run", "thing", np.zeros((2, 2, 2, 2), np.float32), step=1)
    add_mesh(source, "run", "thing", np.concatenate([CORNERS, CORNERS + 2]), step=2)
    page = open_page(source, "#/mesh?tags=^(cloud|second|third)")
    assert np.unique(solid(view(page, "cloud")), axis=0).tolist() == [GREEN.tolist()]

    # A configuration is honoured
    go(page, "#/mesh?tags=^(square|odd)")
    # Without light there is one colour; edges are translucent.
    colors, counts = np.unique(solid(view(page, "square")), axis=0, return_counts=True)
    assert colors[counts.argmax()].tolist() == GREEN.tolist()
    remark = card(page, "odd, run").get_by_text("1 warning")
    expect(remark).to_have_attribute("title", "Its camera “Magic” is not known.")

    # Bad meshes are said and harm no other
    go(page, "#/mesh?tags=^(faces|nan|flat|nothing|<img)")
    hint = "2 of 6 faces have a vertex index outside 0 to 3; left out."
    expect(card(page, "faces, run").get_by_text("1 warning")).to_have_attribute("title", hint)
    assert len(solid(view(page, "faces"))) > 100
    hint = "1 of 4 vertices are at NaN or infinity; left out, with 3 of their faces."
    expect(card(page, "nan, run").get_by_text("1 warning")).to_have_attribute("title", hint)
    expect(card(page, "flat, run")).to_contain_text("Vertices have the shape 4×2 of float32")
    expect(card(page, "nothing, run")).to_contain_text("It has no points.")
    expect(page.locator("img")).to_have_count(0)

    # A mesh that changes shape and kind
    go(page, "#/mesh?tags=^thing")
    thing = card(page, "thing, run")
    # Faces of step 0 still hold.
    expect(thing).to_contain_text("8 vertices · 4 faces · faces of step 0")
    thing.get_by_role("button", name="Previous step of thing").click()
    expect(thing).to_contain_text("Vertices have the shape 2×2×2×2")
    thing.get_by_role("button", name="Previous step of thing").click()
    expect(thing).to_contain_text("4 vertices · 4 faces")


def two_runs() -> MemorySource:
    source = MemorySource()
    for run, size in (("large", 1.0), ("small", 0.25)):
        for step in (0, 10, 20):
            add_mesh(source, run, "shape", CORNERS * size * (1 + step / 10), SIDES, step=step)
        add_mesh(source, run, "other", CORNERS, SIDES)
    return source


def test_cameras_keys_steps_files_and_shading(open_page):
    source = two_runs()
    add_mesh(source, "large", "pair", np.stack([CORNERS, CORNERS[:, ::-1] * 3]), SIDES[None])

    # Cameras of a tag move together
    page = open_page(source, "#/mesh?tags=shape|other")
    large, small = (view(card(page, f"shape, {run}"), "shape") for run in ("large", "small"))
    other = view(card(page, "other, large"), "other")
    before = [pixels(each) for each in (large, small, other)]
    # One camera target for both runs: what is smaller looks smaller.
    assert len(solid(large)) > 4 * len(solid(small)) > 0
    large.hover()
    page.mouse.down()
    page.mouse.move(300, 300, steps=3)
    page.mouse.up()
    address_has(page, "mesh.pose.shape_VERTEX")
    wait_ready(page)
    after = [pixels(each) for each in (large, small, other)]
    is_changed = [bool((a != b).any()) for a, b in zip(before, after, strict=True)]
    assert is_changed == [True, True, False]
    # The address has it all.
    reload(page)
    assert (pixels(large) == after[0]).all()
    card(page, "shape, small").get_by_role("button", name="Reset camera of shape").click()
    expect(page).not_to_have_url(re.compile("mesh.pose"))
    wait_ready(page)
    assert (pixels(large) == before[0]).all()

    # Every key has its way
    go(page, "#/mesh?tags=shape|other")
    shown = view(card(page, "shape, large"), "shape")
    shown.focus()
    seen = [pixels(shown)]
    for key in ("ArrowLeft", "ArrowUp", "+", "Shift+ArrowRight", "-"):
        page.keyboard.press(key)
        page.wait_for_function(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
        )
        seen.append(pixels(shown))
        assert (seen[-1] != seen[-2]).any(), key
    page.keyboard.press("0")
    expect(page).not_to_have_url(re.compile("mesh.pose"))
    wait_ready(page)
    assert (pixels(shown) == seen[0]).all()

    # It saves a file
    go(page, "#/mesh?tags=shape|other")
    card(page, "shape, large").get_by_role("button", name="More for shape").click()
    with page.expect_download() as saving:
        page.get_by_role("menuitem", name="Download PLY").click()
    assert saving.value.suggested_filename == "large-shape-20.ply"
    assert (
        saving.value.path()
        .read_bytes()
        .startswith(b"ply\nformat binary_little_endian 1.0\nelement vertex 4\n")
    )

    # It looks as it is told
    go(page, "#/mesh?tags=shape|other")
    shown = view(card(page, "shape, large"), "shape")
    filled = len(solid(shown))
    page.get_by_role("radio", name="Wireframe").check(force=True)
    wait_ready(page)
    page.wait_for_function(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
    )
    assert 0 < len(solid(shown)) < filled / 2
    address_has(page, "mesh.shading;wireframe")

    # Any step and any mesh of a batch are gone to
    go(page, "#/mesh?smoothing=0.6")
    shape = card(page, "shape, large")
    newest = len(solid(view(shape, "shape")))
    shape.get_by_role("button", name="Previous step of shape").click()
    expect(shape.get_by_role("slider", name="Step of shape")).to_have_attribute("aria-valuetext", "step 10")
    wait_ready(page)
    # It is smaller there, and seen to be: the camera stays.
    assert len(solid(view(shape, "shape"))) < newest
    pair = card(page, "pair, large")
    expect(pair).to_contain_text("mesh 1 of 2")
    pair.get_by_role("button", name="Next mesh of pair").click()
    expect(pair).to_contain_text("mesh 2 of 2")
    wait_ready(page)
    address_has(page, "mesh.batch.pair_VERTEX;1")
    assert len(solid(view(pair, "pair"))) > 100


def test_millions_of_points_are_drawn_in_part(open_page):
    source = MemorySource()
    cloud = np.random.default_rng(0).random((5_000_000, 3), np.float32)
    add_mesh(source, "run", "cloud", cloud)
    page = open_page(source, "#/mesh")
    expect(card(page, "cloud, run")).to_contain_text("5,000,000 points partly drawn")
    expect(card(page, "cloud, run").get_by_text("1 warning")).to_have_attribute(
        "title", "250,000 of 5,000,000 points are drawn."
    )


COUNT_CONTEXTS = """
window.contexts = 0;
for (const kind of [OffscreenCanvas, HTMLCanvasElement]) {
  const get = kind.prototype.getContext;
  kind.prototype.getContext = function (name, ...more) {
    if (name.startsWith("webgl")) window.contexts++;
    return get.call(this, name, ...more);
  };
}
"""


def test_one_graphics_context_for_all_cards(page, open_page):
    page.add_init_script(COUNT_CONTEXTS)
    source = MemorySource()
    for number in range(20):
        add_mesh(source, f"run{number:02}", "shape", CORNERS, SIDES)
    # Low cards: more of them in sight at once than a browser keeps contexts.
    heights = "".join(f"&card=@mesh\\;run{number:02}\\;shape_VERTEX;height:120" for number in range(20))
    page = open_page(source, f"#/mesh?{heights}")
    expect(page.get_by_role("application").nth(17)).to_be_attached()
    wait_ready(page)
    assert page.evaluate("window.contexts") == 1
    for shown in page.get_by_role("application").all()[:18]:
        assert len(solid(shown)) > 20


def test_says_when_there_is_no_webgl(page, open_page):
    page.add_init_script("OffscreenCanvas.prototype.getContext = () => null")
    page = open_page(two_runs(), "#/mesh")
    expect(card(page, "shape, large")).to_contain_text("WebGL is not available")
    expect(card(page, "shape, large")).to_contain_text("4 vertices · 4 faces")
