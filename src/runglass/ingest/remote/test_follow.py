"""What a store may do to its reader: nothing that was read is lost, nothing wrong is shown, and it goes on by itself."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.support import event_bytes as eb
from tests.support.shelf import Shelf

from runglass.ingest.remote import follow
from runglass.ingest.remote.address import Address
from runglass.ingest.remote.folders import MirrorFolder, list_mirrors, remove_mirror
from runglass.ingest.remote.follow import RemoteLocation
from runglass.ingest.remote.model import Emptied, Trouble
from runglass.native.records import frame

LOST = Trouble("lost", "the connection is lost", "wait")
DENIED = Trouble("denied", "access is denied", "ask")
FILE = "run/events.out.tfevents.1"


def points(*steps: int, tag: str = "loss") -> bytes:
    return eb.records(*(eb.scalar(tag, step, step=step, wall_time=1.7e9) for step in steps))


@pytest.fixture
def shelf():
    shelf = Shelf()
    shelf.put(FILE, points(1, 2, 3))
    return shelf


@pytest.fixture
def place(shelf, tmp_path):
    location = RemoteLocation(
        Address("memory", "bucket", "/logs"), MirrorFolder(tmp_path, "bucket"), open_with=shelf.open
    )
    yield location
    location.stop()


def content(place: RemoteLocation) -> dict[str, bytes]:
    tree = Path(place.mirror.tree)
    return {
        path.relative_to(tree).as_posix(): path.read_bytes() for path in tree.rglob("*") if path.is_file()
    }


def truth(shelf: Shelf) -> dict[str, bytes]:
    return {path: data for path, (data, _) in shelf.objects.items()}


def test_a_look_without_a_change_is_one_request(shelf, place):
    assert place.look()
    assert content(place) == truth(shelf)
    asked = len(shelf.asked)
    assert not place.look()
    assert (len(shelf.asked), shelf.traffic.lists) == (asked, 2)


def test_a_lost_connection_keeps_what_was_read_and_recovers(shelf, place):
    place.look()
    shelf.fails = LOST
    assert place.look()
    assert place.status().state == "lost"
    assert content(place) == truth(shelf)
    # Still lost: nothing new to tell.
    assert not place.look()
    shelf.fails = None
    shelf.put(FILE, points(1, 2, 3, 4))
    assert place.look()
    assert place.status().state == "current"
    assert content(place) == truth(shelf)


def test_requests_are_counted_across_connections(shelf, place):
    place.look()
    before = place.status().requests
    shelf.fails = LOST
    place.look()
    assert place.status().requests == before


def test_one_denied_object_does_not_hide_the_others(shelf, place):
    shelf.put("other/events.out.tfevents.1", points(1))
    shelf.fails_on = {FILE: DENIED}
    place.look()
    assert list(content(place)) == ["other/events.out.tfevents.1"]
    assert place.status().state == "current"
    assert place.troubles[FILE].state == "denied"
    shelf.fails_on = {}
    place.look()
    assert content(place) == truth(shelf)
    assert place.troubles == {}


def test_throttling_of_one_object_is_a_state_of_the_store(shelf, place):
    shelf.fails_on = {FILE: Trouble("throttled", "slow down", "")}
    place.look()
    assert place.status().state == "throttled"


def test_an_object_that_vanishes_while_it_is_read(shelf, place):
    def vanish(path: str) -> None:
        shelf.objects[path] = b"", shelf.objects[path][1]
        shelf.on_read = lambda path: shelf.objects.pop(path, None)

    shelf.on_read = vanish
    place.look()
    assert content(place) == {}


def test_an_object_that_shrinks_while_it_is_read(shelf, place):
    def shrink(path: str) -> None:
        shelf.on_read = lambda path: None
        shelf.put(FILE, points(7))

    shelf.on_read = shrink
    place.look()
    assert content(place) == truth(shelf) == {FILE: points(7)}


def test_an_object_that_never_stops_changing_is_a_trouble_of_its_own(shelf, place):
    def change(path: str) -> None:
        shelf.put(FILE, shelf.objects[FILE][0][:-1])

    shelf.on_read = change
    place.look()
    assert place.troubles[FILE].reason == "it changes while it is read"
    shelf.on_read = lambda path: None
    place.look()
    assert content(place) == truth(shelf)


def test_a_file_that_shrank_is_read_anew(shelf, place):
    place.look()
    shelf.put(FILE, points(1, 2))
    place.look()
    assert content(place) == truth(shelf)


def test_a_longer_object_with_another_beginning_is_another_file(shelf, place):
    place.look()
    shelf.put(FILE, points(7, 8, 9, 10, tag="cost"))
    place.look()
    assert content(place) == truth(shelf)


def test_an_equally_long_object_of_another_version_is_another_file(shelf, place):
    place.look()
    shelf.put(FILE, points(1, 2, 9))
    place.look()
    assert content(place) == truth(shelf)


def test_a_stale_listing_is_not_believed(shelf, place):
    past = {FILE: shelf.objects[FILE][1]}
    shelf.put(FILE, points(1, 2, 3, 4, 5))
    shelf.put("b/events.out.tfevents.1", points(1))
    shelf.put("b/config.yaml", b"lr: 1")
    place.look()
    shelf.stale = past
    asked = len(shelf.asked)
    place.look()
    assert len(shelf.asked) == asked
    assert {path for path, data in content(place).items()} == set(truth(shelf))
    assert content(place)[FILE] == truth(shelf)[FILE]


def test_deleted_objects_go_with_their_folders(shelf, place):
    shelf.put("b/c/events.out.tfevents.1", points(1))
    place.look()
    del shelf.objects["b/c/events.out.tfevents.1"]
    place.look()
    assert content(place) == truth(shelf)
    assert [path.name for path in Path(place.mirror.tree).iterdir()] == ["run"]


def test_nothing_is_deleted_while_the_store_does_not_say_so(shelf, place):
    place.look()
    shelf.stale = {}
    shelf.fails_on = {FILE: DENIED}
    place.look()
    assert content(place) == truth(shelf)


def test_the_clock_of_the_store_may_be_a_day_off(shelf, place):
    for offset in (86_400, -86_400):
        shelf.clock = time.time() + offset
        shelf.put(FILE, points(1, 2, 3, 4))
        place.look()
        assert content(place) == truth(shelf)
        shelf.put(FILE, points(1, 2, 3, 4, 5))
        place.look()
        assert content(place) == truth(shelf)


def test_names_that_are_no_files(shelf, place):
    for path in ("../../out/events.out.tfevents.1", "a//events.out.tfevents.1", f"{'x' * 300}/tfevents"):
        shelf.put(path, points(1))
    shelf.put("run/tfevents", points(1))
    shelf.put("run/tfevents/events.out.tfevents.1", points(1))
    place.look()
    assert set(content(place)) == {FILE, "run/tfevents/events.out.tfevents.1"}
    assert len(place.troubles) == 4
    assert "'..'" in place.troubles["../../out/events.out.tfevents.1"].reason


def test_the_next_process_begins_where_the_last_one_stopped(shelf, place, tmp_path):
    place.look()
    place.stop()
    again = RemoteLocation(place.address, MirrorFolder(tmp_path, "bucket"), open_with=shelf.open)
    asked = len(shelf.asked)
    assert not again.look()
    assert len(shelf.asked) == asked
    shelf.fails = LOST
    again.look()
    assert content(again) == truth(shelf)
    again.stop()


def test_two_processes_have_a_folder_each(shelf, place, tmp_path):
    place.look()
    other = RemoteLocation(place.address, MirrorFolder(tmp_path, "bucket"), open_with=shelf.open)
    assert other.mirror.tree != place.mirror.tree
    other.look()
    assert content(other) == content(place)
    other.stop()


@pytest.mark.parametrize("damage", ["state", "file", "longer", "stranger", "swapped"])
def test_a_mirror_that_was_tampered_with_is_fetched_again(shelf, place, tmp_path, damage):
    shelf.put("run/config.yaml", b"lr: 1")
    place.look()
    place.make_present(place.mirror.path("run/config.yaml"), [(0, 5)])
    place.stop()
    folder = Path(place.mirror.folder)
    file = folder / "tree" / FILE
    if damage == "state":
        (folder / "state").write_bytes(b"\x80nothing")
    elif damage == "file":
        file.unlink()
    elif damage == "longer":
        with open(file, "ab") as longer:
            longer.write(b"garbage")
    elif damage == "stranger":
        (file.parent / "events.out.tfevents.9").write_bytes(b"garbage")
    else:
        other = file.with_name("new")
        other.write_bytes(bytes(file.stat().st_size))
        other.replace(file)
    again = RemoteLocation(place.address, MirrorFolder(tmp_path, "bucket"), open_with=shelf.open)
    again.look()
    again.make_present(again.mirror.path("run/config.yaml"), [(0, 5)])
    assert content(again) == truth(shelf)
    again.stop()


def test_without_a_cache_folder_nothing_is_left(shelf):
    place = RemoteLocation(
        Address("memory", "bucket", "/logs"), MirrorFolder(None, "bucket"), open_with=shelf.open
    )
    place.look()
    assert content(place) == truth(shelf)
    place.stop()
    assert not Path(place.mirror.folder).exists()


def test_a_full_disk_is_a_state(shelf, place, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(place.mirror, "place", refuse)
        place.look()
    assert place.status().state == "failed"
    assert "No space left" in place.status().reason
    place.look()
    assert content(place) == truth(shelf)


def test_unused_mirrors_are_deleted_first(shelf, place, tmp_path):
    place.look()
    old = MirrorFolder(tmp_path, "old")
    (old.path / "big").write_bytes(bytes(1 << 20))
    busy = MirrorFolder(tmp_path, "busy")
    (busy.path / "big").write_bytes(bytes(1 << 20))
    old.close()
    here = place._folder
    assert here.make_room(10 << 20) == 0
    assert old.path.exists()
    assert here.make_room(1 << 20) > 0
    assert (old.path.exists(), busy.path.exists(), here.path.exists()) == (False, True, True)
    busy.close()


def test_bytes_of_assets_are_given_up_and_fetched_again(shelf, place):
    shelf.put("run/config.yaml", b"lr: 1")
    place.look()
    path = place.mirror.path("run/config.yaml")
    place.make_present(path, [(0, 5)])
    assert place.mirror.forget_unused(1) == 5
    assert Path(path).read_bytes() == bytes(5)
    place.make_present(path, [(0, 5)])
    assert Path(path).read_bytes() == b"lr: 1"


def test_blobs_of_event_files_are_given_up_and_what_reading_needs_stays(shelf, place, tmp_path):
    picture = eb.summary(eb.image_value("photo", os.urandom(5 << 20), 9, 9))
    large = [frame(eb.event(picture, wall_time=1.7e9, step=each)) for each in (1, 2)]
    shelf.put(FILE, b"".join([points(0), *large, points(1, 2, 3)]))
    place.look()
    path = place.mirror.path(FILE)
    before = Path(path).stat()
    # Behind the first block, which came with the header of the first record.
    start = 3 << 20
    place.make_present(path, [(start, start + (2 << 20))])
    held = Path(path).stat().st_blocks
    assert place.mirror.forget_unused(1, unused_s=60) == 0
    assert place.mirror.forget_unused(1) == 2 << 20
    after = Path(path).stat()
    assert (after.st_ino, after.st_size, after.st_mtime) == (before.st_ino, before.st_size, before.st_mtime)
    assert after.st_blocks <= before.st_blocks + 64 < held or sys.platform != "linux"
    # Nothing of it is needed to read on, here or by the next process.
    asked = len(shelf.asked)
    assert not place.look()
    place.stop()
    again = RemoteLocation(place.address, MirrorFolder(tmp_path, "bucket"), open_with=shelf.open)
    assert not again.look()
    assert len(shelf.asked) == asked
    again.make_present(again.mirror.path(FILE), [(start, start + (2 << 20))])
    data = Path(again.mirror.path(FILE)).read_bytes()
    assert data[start : start + (2 << 20)] == truth(shelf)[FILE][start : start + (2 << 20)]
    again.stop()


def test_what_is_kept_is_listed_by_location_and_not_removed_while_it_is_open(shelf, place, tmp_path):
    place.look()
    (kept,) = list_mirrors(tmp_path)
    assert (kept.location, kept.folder) == ("bucket", place.mirror.folder)
    assert kept.size_bytes >= len(points(1))
    assert not remove_mirror(kept.folder)
    place.stop()
    assert remove_mirror(kept.folder)
    assert list_mirrors(tmp_path) == []


@pytest.mark.parametrize("is_listing_right", [True, False])
def test_an_emptied_place_has_no_runs(shelf, place, monkeypatch, is_listing_right):
    """Each object is asked before the listing is believed."""
    place.look()

    def list_entries(is_wanted: object) -> None:
        raise Emptied("missing", "there is nothing at this address", "")

    monkeypatch.setattr(shelf, "list_entries", list_entries)
    if is_listing_right:
        shelf.objects.clear()
    assert place.look()
    assert place.status().state == "missing"
    assert (content(place) == {}) is is_listing_right
    assert not place.look()


def test_looks_become_rare_while_nothing_changes(shelf, place, monkeypatch):
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        if len(waits) == 6:
            shelf.put(FILE, points(1, 2, 3, 4))
        if len(waits) == 8:
            shelf.fails = LOST
        if len(waits) == 11:
            shelf.fails = None
        if len(waits) == 13:
            place._stop.set()
        return True

    monkeypatch.setattr(place._stop, "wait", wait)
    place._run(1.0, lambda: None)
    rounded = [round(each, 1) for each in waits]
    assert rounded == [5.0, 7.5, 11.2, 16.9, 25.3, 30.0, 5.0, 7.5, 1.0, 2.0, 4.0, 5.0, 7.5]


@pytest.mark.parametrize(("listing_s", "interval_s"), [(0.1, 5.0), (2.0, 40.0), (100.0, 300.0)])
def test_fetching_much_delays_no_later_look_and_listing_long_does(
    shelf, place, monkeypatch, listing_s, interval_s
):
    clock = [0.0]
    list_entries = shelf.list_entries

    def list_slowly(is_wanted):
        clock[0] += listing_s
        return list_entries(is_wanted)

    def read_slowly(path: str) -> None:
        clock[0] += 1000

    monkeypatch.setattr(follow, "time", SimpleNamespace(monotonic=lambda: clock[0], time=time.time))
    monkeypatch.setattr(shelf, "list_entries", list_slowly)
    monkeypatch.setattr(shelf, "on_read", read_slowly)
    monkeypatch.setattr(place._stop, "wait", lambda seconds: place._stop.set())
    place._run(1.0, lambda: None)
    assert content(place) == truth(shelf)
    assert place.interval_s == pytest.approx(interval_s)


def test_a_store_that_is_away_for_days_is_asked_all_the_while(shelf, place, monkeypatch):
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        if len(waits) == 1100:
            place._stop.set()
        return True

    shelf.fails = LOST
    monkeypatch.setattr(place._stop, "wait", wait)
    place._run(1.0, lambda: None)
    assert waits[-1] == 30
