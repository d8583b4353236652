"""Shared marks in a database: merged by field over any number of servers, and what happens when it is down, emptied or slow."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
from tests.support.clickhouse import chdb_address
from tests.support.clickhouse_bridge import PASSWORD, USER, Bridge, bridge

from runglass import cli, flags
from runglass.clickhouse.address import parse_address
from runglass.clickhouse.client import Client, connect
from runglass.clickhouse.overlay_table import COLUMNS, TYPES, OverlayTable
from runglass.errors import RunglassError
from runglass.overlay.model import MarkChange, OverlayUnavailable
from runglass.query.locations import parse_locations
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.server.settings import Settings

pytestmark = pytest.mark.scale
_databases = itertools.count()


def change(field: str, value, *, name: str = "a", base: int = 0) -> MarkChange:
    return MarkChange(of="run", name=name, field=field, value=value, base=base)


def values(table: OverlayTable, project: str = "") -> dict[tuple[str, str], object]:
    table.catch_up()
    marks = table.read(project).marks.values()
    return {(mark.name, mark.field): mark.value for mark in marks if mark.value is not None}


@pytest.fixture(params=["chdb", "clickhouse"])
def connect_to(request) -> Iterator[Callable[[], Client]]:
    """Makes clients of one database that has no tables yet."""
    name = f"marks_{next(_databases)}"
    if request.param == "chdb":
        yield lambda: connect(chdb_address(name))
        return
    with bridge() as server:
        yield lambda: connect(_address(server, name))


def _address(server: Bridge, name: str):
    return parse_address(f"clickhouse://{USER}:{quote(PASSWORD)}@127.0.0.1:{server.server_port}/{name}")


@pytest.fixture
def open_table(connect_to) -> Iterator[Callable[[], OverlayTable]]:
    opened: list[OverlayTable] = []

    def make() -> OverlayTable:
        opened.append(OverlayTable(connect_to))
        opened[-1].catch_up()
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def test_two_servers_merge_by_field(open_table):
    first, second = open_table(), open_table()
    assert first.write("", [change("isStarred", True)], by="ann").replaced == []
    assert second.write("", [change("note", "good'); DROP TABLE x; --")], by="ben").replaced == []
    expected = {("a", "isStarred"): True, ("a", "note"): "good'); DROP TABLE x; --"}
    assert values(first) == values(second) == values(open_table()) == expected
    by = {mark.field: mark.by for mark in first.read("").marks.values()}
    assert by == {"isStarred": "ann", "note": "ben"}


def test_the_last_writer_of_a_field_learns_what_another_server_wrote(open_table):
    first, second = open_table(), open_table()
    base = first.write("", [change("note", "one")], by="ann").marks[0].version
    second.write("", [change("note", "two", base=base)], by="ben")
    third = first.write("", [change("note", "three", base=base)], by="ann")
    assert [(mark.value, mark.by) for mark in third.replaced] == [("two", "ben")]
    assert values(second) == {("a", "note"): "three"}
    assert second.write("", [change("note", "three")], by="ben").replaced == []


def test_removed_marks_and_projects(open_table):
    table = open_table()
    table.write("vision", [change("label:paper", True)], by="")
    table.write("speech", [change("label:paper", True)], by="")
    table.write("vision", [change("label:paper", None)], by="")
    assert values(table, "vision") == values(open_table(), "vision") == {}
    assert values(table, "speech") == {("a", "label:paper"): True}
    assert table.write("vision", [change("name", None)], by="").marks == []


def test_many_writers_at_once_lose_nothing(open_table):
    tables = [open_table(), open_table()]

    def write(table: OverlayTable, who: str) -> None:
        for number in range(5):
            table.write("", [change("isStarred", True, name=f"{who}{number}")], by=who)

    threads = [threading.Thread(target=write, args=each) for each in zip(tables, "xy", strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(values(table)) for table in tables] == [10, 10]


def test_a_mark_that_is_seen_late_reaches_pages_that_know_newer_ones(open_table, connect_to):
    table = open_table()
    version = table.write("", [change("isStarred", True)], by="ann").marks[0].version
    known = table.read("").revision
    late = ["", "run", "b", "note", '"late"', "ben", 1.0, version - 1_000_000]
    client = connect_to()
    client.insert(f"{client.address.database}.mark_rows", COLUMNS, TYPES, [[each] for each in late])
    heard = []
    table.listen(lambda: heard.append(1))
    table.catch_up()
    shared = table.read("")
    assert heard
    assert shared.revision > known
    marks, is_whole = shared.list_since(known)
    assert ("b", "late") in [(mark.name, mark.value) for mark in marks]
    assert not is_whole
    client.close()


def test_a_table_that_was_emptied_is_read_anew(open_table, connect_to):
    table = open_table()
    table.write("", [change("isStarred", True)], by="ann")
    known = table.read("").revision
    client = connect_to()
    client.command(f"TRUNCATE TABLE {client.address.database}.mark_rows")
    assert values(table) == {}
    assert table.read("").revision > known
    assert table.read("").list_since(known) == ([], True)
    table.write("", [change("note", "again")], by="ann")
    assert values(table) == {("a", "note"): "again"}
    client.close()


def test_a_row_that_is_no_mark_is_told_and_changes_nothing(open_table, connect_to):
    table = open_table()
    table.write("", [change("isStarred", True)], by="ann")
    client = connect_to()
    row = ["", "run", "b", "note", "{", "", 1.0, table.read("").revision + 1]
    client.insert(f"{client.address.database}.mark_rows", COLUMNS, TYPES, [[each] for each in row])
    table.catch_up()
    assert "a row that is not a mark" in table.read("").problem
    with pytest.raises(OverlayUnavailable, match="Nothing was changed"):
        table.write("", [change("note", "x")], by="ann")
    assert [mark.field for mark in table.read("").marks.values()] == ["isStarred"]
    client.close()


def test_a_database_that_is_down_and_up_again():
    with bridge() as server:
        address = _address(server, f"marks_{next(_databases)}")
        table = OverlayTable(lambda: connect(address))
        table.write("", [change("isStarred", True)], by="ann")
        server.fault = "refuse"
        table.catch_up()
        assert "cannot be read from the database" in table.read("").problem
        with pytest.raises(OverlayUnavailable, match="Nothing was changed"):
            table.write("", [change("note", "x")], by="ann")
        assert [mark.field for mark in table.read("").marks.values()] == ["isStarred"]
        server.fault = ""
        table.write("", [change("note", "x")], by="ann")
        assert table.read("").problem == ""
        assert values(table) == {("a", "isStarred"): True, ("a", "note"): "x"}
        table.close()


def test_the_routes_share_what_is_in_the_database(connect_to):
    def make_app() -> tuple[App, InProcess]:
        app = App(
            MemorySource().add_run("a"), Settings(shared_overlay=lambda: OverlayTable(connect_to), token="")
        )
        return app, InProcess(app)

    (first, one), (second, other) = make_app(), make_app()
    body = {"changes": [{"of": "run", "name": "a", "field": "note", "value": "seen"}]}
    assert one.post("/api/overlay", body).status == 200
    second._overlay.catch_up()  # type: ignore[union-attr]
    found = other.get("/api/overlay").json
    assert (found["is_shared"], found["problem"]) == (True, "")
    assert [(mark["field"], mark["value"]) for mark in found["marks"]] == [("note", "seen")]
    first.close()
    second.close()


def test_the_flag_names_a_file_a_database_or_the_one_that_is_served():
    def choose(*words: str):
        args = flags.parse([*words], "test")
        return cli.choose_overlay(args, parse_locations(args.logdirs))

    assert choose("logs") is None
    assert str(choose("logs", "--shared_overlay", "marks.json")) == "marks.json"
    folder = chdb_address("runglass").folder
    served = choose(f"chdb://{folder}", "--shared_overlay", "clickhouse")
    named = choose("logs", "--shared_overlay", f"chdb://{folder}")
    for opens in (served, named):
        table = opens()  # type: ignore[misc, operator]
        table.catch_up()
        assert table.read("").problem == ""
        table.close()
    with pytest.raises(RunglassError, match="none is"):
        choose("logs", "--shared_overlay", "clickhouse")
