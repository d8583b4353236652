import threading

from runglass.api.dashboard import Dashboard
from runglass.query.memory import MemorySource
from runglass.server.dispatch import Api
from runglass.server.read_ahead import ReadAhead
from runglass.server.settings import Settings
from runglass.store.model import Kind

PATIENCE_S = 30


def wait_for_end(ahead: ReadAhead) -> None:
    thread = next((each for each in threading.enumerate() if each.name == "runglass-read-ahead"), None)
    if thread is not None:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def make(source, dashboards, read):
    return ReadAhead(source, dashboards, read_lists=lambda: read.append("lists"))


def test_reads_the_lists_and_what_active_dashboards_name():
    source = MemorySource().add_scalars("run", "loss", step=[0], value=[1.0])
    read = []
    dashboards = [
        Dashboard("a", "A", kinds=(Kind.SCALAR,), read_ahead=lambda source: read.append("a")),
        Dashboard("b", "B", kinds=(Kind.IMAGE,), read_ahead=lambda source: read.append("b")),
        Dashboard("c", "C", kinds=(Kind.SCALAR,)),
    ]
    ahead = make(source, dashboards, read)
    ahead.start()
    wait_for_end(ahead)
    assert read == ["lists", "a"]


def test_an_error_is_left_to_whoever_asks():
    def fail(source):
        raise RuntimeError("cannot")

    source = MemorySource().add_scalars("run", "loss", step=[0], value=[1.0])
    read = []
    ahead = make(source, [Dashboard("a", "A", kinds=(Kind.SCALAR,), read_ahead=fail)], read)
    ahead.start()
    wait_for_end(ahead)
    assert read == ["lists"]


def test_nothing_is_read_after_the_end():
    source = MemorySource().add_scalars("run", "loss", step=[0], value=[1.0])
    read = []
    dashboards = [Dashboard("a", "A", kinds=(Kind.SCALAR,), read_ahead=lambda source: read.append("a"))]
    ahead = make(source, dashboards, read)
    ahead.close()
    ahead.start()
    wait_for_end(ahead)
    assert "a" not in read


def test_a_server_reads_ahead_what_its_dashboards_name():
    source = MemorySource().add_scalars("run", "loss", step=[0], value=[1.0])
    read = []
    named = Dashboard("a", "A", kinds=(Kind.SCALAR,), read_ahead=lambda source: read.append("a"))
    api = Api(source, Settings(), dashboards=[named])
    try:
        api.read_ahead.start()
        wait_for_end(api.read_ahead)
    finally:
        api.close()
    assert read == ["a"]
