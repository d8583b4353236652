from __future__ import annotations

import pytest

from runglass.errors import BadRequest
from runglass.ingest.remote import address
from runglass.ingest.remote.address import is_remote, parse_address
from runglass.ingest.remote.troubles import explain
from runglass.ingest.roots import name_roots, parse_root, parse_spec


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    monkeypatch.setattr(address, "find_spec", lambda name: object())


def test_which_addresses_are_remote():
    assert all(map(is_remote, ("s3://b/x", "GS://b", "https://h/", "sftp://h/x", "az://c/x", "memory://b")))
    assert not any(
        map(is_remote, ("logs", "/s3://b", "file:///x", "clickhouse://h/db", "C:\\logs", "hdfs://h/x"))
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("s3://bucket/logs/", "s3://bucket/logs"),
        ("sftp://me:pa%40ss@host:22/a/b", "sftp://me@host:22/a/b"),
        ("https://me:secret@host/logs", "https://host/logs"),
        ("s3://key:secret@bucket/logs", "s3://bucket/logs"),
    ],
)
def test_credentials_are_not_shown(written, shown):
    assert parse_root(written).shown == parse_address(written).shown == shown


def test_names_and_specs():
    roots = name_roots([parse_root("s3://bucket/logs/"), parse_root("gs://other/logs")])
    assert [root.name for root in roots] == ["logs", "logs-2"]
    named = parse_spec("a:s3://bucket/x,https://host/y,b:/z")
    assert [(root.name, root.shown) for root in named] == [
        ("a", "s3://bucket/x"),
        ("", "https://host/y"),
        ("b", "/z"),
    ]


def test_which_package_to_install(monkeypatch):
    monkeypatch.setattr(address, "find_spec", lambda name: None)
    with pytest.raises(BadRequest, match=r"pip install 'runglass\[az\]'"):
        parse_address("abfs://container/logs")


@pytest.mark.parametrize("text", ["https://host/logs?X-Amz-Signature=topsecret", "s3:///logs"])
def test_addresses_that_are_none(text):
    with pytest.raises(BadRequest) as caught:
        parse_address(text)
    assert "topsecret" not in str(caught.value)


class SlowDown(Exception):
    pass


class ClientResponseError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"{status}, url='https://me:topsecret@host/logs?X-Amz-Signature=topsecret&a=b'")
        self.status = status


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (PermissionError("Forbidden"), "denied"),
        (FileNotFoundError("The specified bucket does not exist"), "missing"),
        (OSError(16, "Please reduce your request rate."), "throttled"),
        (SlowDown("An error occurred (SlowDown) when calling ListObjectsV2"), "throttled"),
        (ClientResponseError(503), "throttled"),
        (ClientResponseError(403), "denied"),
        (ClientResponseError(500), "failed"),
        (ConnectionResetError(104, "Connection reset by peer"), "lost"),
        (TimeoutError(), "lost"),
        (Exception("Could not connect to the endpoint URL: s3.local"), "lost"),
        (Exception("Unable to locate credentials"), "denied"),
        (ValueError("strange"), "failed"),
    ],
)
def test_errors_become_states_without_credentials(error, state):
    trouble = explain(error, parse_address("https://me:topsecret@host/logs"))
    assert trouble.state == state
    assert trouble.advice
    assert "topsecret" not in trouble.reason
