import pytest

from runglass.api.dashboard import Dashboard
from runglass.api.route import BYTES, Answer, NoParameters, Route
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess

BODY = bytes(range(100))


def read_file(source, query):
    """A file in which a player seeks."""
    return Answer(BODY, BYTES, takes_ranges=True)


@pytest.fixture
def client():
    files = Dashboard("files", "Files", routes=(Route("/api/file", read_file, NoParameters),))
    return InProcess(App(MemorySource(), dashboards=(files,)))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("bytes=0-9", range(10)),
        ("bytes=90-", range(90, 100)),
        ("bytes=-5", range(95, 100)),
        ("bytes=-500", range(100)),
        ("bytes=50-5000", range(50, 100)),
        ("bytes=99-99", range(99, 100)),
    ],
)
def test_a_part_of_a_file(client, asked, expected):
    got = client.get("/api/file", range=asked)
    assert (got.status, got.body) == (206, BODY[expected.start : expected.stop])
    assert got.headers["content-range"] == f"bytes {expected.start}-{expected.stop - 1}/100"
    assert got.headers["content-length"] == str(len(expected))


@pytest.mark.parametrize("asked", ["", "bytes=", "bytes=9-3", "bytes=0-1,5-6", "lines=1-2", "bytes=x-9"])
def test_other_headers_get_the_whole_file(client, asked):
    got = client.get("/api/file", range=asked)
    assert (got.status, got.body, got.headers["accept-ranges"]) == (200, BODY, "bytes")


@pytest.mark.parametrize("asked", ["bytes=100-", "bytes=999999999999999999999999-", "bytes=-0"])
def test_a_part_behind_the_end(client, asked):
    got = client.get("/api/file", range=asked)
    assert (got.status, got.headers["content-range"]) == (416, "bytes */100")
    assert got.json["error"]["code"] == "range_not_satisfiable"
