"""Shared marks: merging by field, files, two servers on one file, and files that are wrong."""

from __future__ import annotations

import asyncio
import json
import os
import threading

import msgspec
import pytest

from runglass.errors import BadRequest
from runglass.overlay.file_store import OverlayFile
from runglass.overlay.model import Mark, MarkChange, OverlayUnavailable, check_change
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.server.settings import Settings


def change(field: str, value, *, name: str = "a", base: int = 0) -> MarkChange:
    return MarkChange(of="run", name=name, field=field, value=value, base=base)


def values(overlay) -> dict[tuple[str, str], object]:
    return {
        (mark.name, mark.field): mark.value
        for mark in overlay.read().marks.values()
        if mark.value is not None
    }


@pytest.fixture
def path(tmp_path):
    return tmp_path / "marks.json"


def test_two_people_change_different_fields_of_one_run(path):
    overlay = OverlayFile(path).of("")
    assert overlay.write([change("isStarred", True)], by="ann").replaced == []
    assert overlay.write([change("note", "good")], by="ben").replaced == []
    assert values(overlay) == {("a", "isStarred"): True, ("a", "note"): "good"}
    by = {mark.field: mark.by for mark in overlay.read().marks.values()}
    assert by == {"isStarred": "ann", "note": "ben"}


def test_the_last_writer_of_a_field_learns_what_was_replaced(path):
    overlay = OverlayFile(path).of("")
    first = overlay.write([change("note", "one")], by="ann")
    base = first.marks[0].version
    overlay.write([change("note", "two", base=base)], by="ben")
    third = overlay.write([change("note", "three", base=base)], by="ann")
    assert [(mark.value, mark.by) for mark in third.replaced] == [("two", "ben")]
    assert values(overlay) == {("a", "note"): "three"}
    # Both wrote the same: nothing to tell.
    assert overlay.write([change("note", "three")], by="ben").replaced == []


def test_removing_is_a_change_too(path):
    overlay = OverlayFile(path).of("")
    version = overlay.write([change("label:paper", True)], by="ann").marks[0].version
    overlay.write([change("label:paper", None, base=version)], by="ann")
    assert values(overlay) == {}
    assert overlay.write([change("name", None)], by="ben").marks == []
    again = overlay.write([change("label:paper", True, base=version)], by="ben")
    assert [mark.value for mark in again.replaced] == [None]


def test_two_servers_on_one_file_lose_nothing(path):
    first, second = OverlayFile(path), OverlayFile(path)

    def write(file: OverlayFile, who: str) -> None:
        for number in range(20):
            file.of("").write([change("isStarred", True, name=f"{who}{number}")], by=who)

    threads = [threading.Thread(target=write, args=each) for each in ((first, "x"), (second, "y"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first.look()
    assert len(values(first.of(""))) == len(values(OverlayFile(path).of(""))) == 40
    assert sorted(os.listdir(path.parent)) == ["marks.json", "marks.json.lock"]


def test_changes_of_another_server_are_noticed(path):
    mine, other = OverlayFile(path), OverlayFile(path)
    heard = []
    leave = mine.listen(lambda: heard.append(1))
    mine.look()
    assert heard == []
    other.of("").write([change("isStarred", True)], by="ben")
    mine.look()
    assert heard == [1]
    assert values(mine.of("")) == {("a", "isStarred"): True}
    leave()
    other.of("").write([change("isStarred", None)], by="ben")
    mine.look()
    assert heard == [1]


def test_projects_have_their_own_marks(path):
    file = OverlayFile(path)
    file.of("vision").write([change("isStarred", True)], by="")
    assert values(file.of("speech")) == {}
    assert values(OverlayFile(path).of("vision")) == {("a", "isStarred"): True}


@pytest.mark.parametrize("content", [b"", b"{", b'{"format": "x", "version": 1}', b'{"projects": {}}'])
def test_a_damaged_file_stays_and_nothing_is_lost(path, content):
    overlay = OverlayFile(path).of("")
    overlay.write([change("isStarred", True)], by="ann")
    good = path.read_bytes()
    path.write_bytes(content)
    overlay.look()
    assert "cannot be used" in overlay.read().problem
    with pytest.raises(OverlayUnavailable, match="Nothing was changed"):
        overlay.write([change("note", "x")], by="ann")
    assert path.read_bytes() == content
    assert values(overlay) == {("a", "isStarred"): True}
    path.write_bytes(good)
    overlay.look()
    assert overlay.read().problem == ""
    overlay.write([change("note", "x")], by="ann")
    assert len(values(overlay)) == 2


def test_a_newer_file_is_left_alone(path):
    path.write_text(json.dumps({"format": "runglass-shared-overlay", "version": 2, "new": []}))
    assert "'runglass-shared-overlay' 2" in OverlayFile(path).of("").read().problem


def test_a_file_that_cannot_be_written_says_so_until_it_can(path, monkeypatch):
    overlay = OverlayFile(path).of("")
    overlay.write([change("isStarred", True)], by="ann")
    heard = []
    overlay.listen(lambda: heard.append(1))

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("runglass.overlay.file_store.replace", full)
        with pytest.raises(OverlayUnavailable, match="No space left"):
            overlay.write([change("note", "x")], by="ann")
    assert "No space left" in overlay.read().problem
    assert values(overlay) == {("a", "isStarred"): True}
    assert heard == [1]
    overlay.write([change("note", "x")], by="ann")
    assert overlay.read().problem == ""


def test_a_file_that_vanished_comes_back_with_all_marks(path):
    overlay = OverlayFile(path).of("")
    overlay.write([change("isStarred", True)], by="ann")
    path.unlink()
    overlay.look()
    overlay.write([change("note", "x")], by="ann")
    assert len(values(OverlayFile(path).of(""))) == 2


def test_an_older_copy_is_news_to_pages(path):
    overlay = OverlayFile(path).of("")
    overlay.write([change("isStarred", True)], by="ann")
    copy = path.read_bytes()
    overlay.write([change("note", "x")], by="ann")
    before = overlay.read().revision
    path.write_bytes(copy)
    overlay.look()
    assert overlay.read().revision > before
    assert [mark.field for mark in overlay.read().list_since(before)[0]] == ["isStarred"]
    assert overlay.read().list_since(before)[1] is True
    assert overlay.read().list_since(overlay.read().revision) == ([], False)
    assert values(overlay) == {("a", "isStarred"): True}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("isStarred", False),
        ("isStarred", "yes"),
        ("note", ""),
        ("note", "x" * 20_001),
        ("name", True),
        ("color", "red"),
        ("label:", True),
        ("label:x", "y"),
        ("unknown", True),
    ],
)
def test_values_that_are_none(field, value):
    with pytest.raises(BadRequest):
        check_change(change(field, value))


def test_addresses_of_views():
    for address in ("", "#/scalars", None):
        check_change(MarkChange(of="view", name="v", field="address", value=address))
    for address in ("https://evil.example", "javascript:x", True):
        with pytest.raises(BadRequest):
            check_change(MarkChange(of="view", name="v", field="address", value=address))


# -- over HTTP


def client(path, **settings) -> InProcess:
    return InProcess(App(MemorySource().add_run("a"), Settings(shared_overlay=path, **settings)))


def test_over_http(path):
    server = client(path)
    empty = server.get("/api/overlay").json
    assert empty == {
        "is_shared": True,
        "can_mark": True,
        "revision": 0,
        "problem": "",
        "is_whole": True,
        "marks": [],
    }
    body = {"changes": [{"of": "run", "name": "a", "field": "note", "value": "hi"}]}
    written = server.post("/api/overlay", body).json
    read = server.get("/api/overlay").json
    assert read["marks"] == written["marks"]
    # No page is live here that would hear of it.
    other = {"changes": [{"of": "run", "name": "b", "field": "note", "value": "ho"}]}
    client(path).post("/api/overlay", other)
    assert [mark["value"] for mark in server.get(f"/api/overlay?since={read['revision']}").json["marks"]] == [
        "ho"
    ]
    other["changes"][0]["value"] = None
    server.post("/api/overlay", other)
    read = server.get("/api/overlay").json
    assert msgspec.convert(read["marks"][0], Mark).value == "hi"
    assert server.get("/api/status").json["overlay_revision"] == read["revision"] > written["revision"]
    assert server.get(f"/api/overlay?since={read['revision']}").json["marks"] == []
    body["changes"][0]["value"] = None
    server.post("/api/overlay", body)
    assert [mark["value"] for mark in server.get(f"/api/overlay?since={read['revision']}").json["marks"]] == [
        None
    ]
    assert server.get("/api/overlay").json["marks"] == []
    body["changes"][0]["field"] = "size"
    assert server.post("/api/overlay", body).json["error"]["where"] == "field"


def test_where_nothing_is_shared():
    server = InProcess(App(MemorySource(), Settings()))
    assert server.get("/api/overlay").json["is_shared"] is False
    assert server.post("/api/overlay", {"changes": []}).status == 400


def test_who_may_only_read_changes_nothing(path, tmp_path):
    from runglass.server.tokens import create_token

    tokens = tmp_path / "tokens.json"
    server = client(path, tokens=tokens, token="owner")
    body = {"changes": [{"of": "run", "name": "a", "field": "note", "value": "hi"}]}
    reads = {"authorization": f"Bearer {create_token(tokens, 'ann')}"}
    marks = {"authorization": f"Bearer {create_token(tokens, 'ben', right='mark')}"}
    assert server.get("/api/overlay", **reads).json["can_mark"] is False
    assert server.post("/api/overlay", body, **reads).status == 403
    assert not path.exists()
    assert server.post("/api/overlay", body, **marks).json["marks"][0]["by"] == "ben"


def test_a_change_reaches_live_connections(path):
    from runglass.server.live import Live

    file = OverlayFile(path)
    live = Live(MemorySource(), file.of(""))

    async def scenario() -> None:
        events = live.listen()
        assert (await anext(events)).startswith(b"event: change")
        assert (await anext(events)).startswith(b"event: overlay")
        coming = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        written = file.of("").write([change("isStarred", True)], by="ann")
        event = await asyncio.wait_for(coming, 10)
        assert json.loads(event.partition(b"data: ")[2])["revision"] == written.revision
        await events.aclose()
        live.close()

    asyncio.run(scenario())
