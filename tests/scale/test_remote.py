"""Logs in real servers of S3 (moto) and Google Cloud (gcp-storage-emulator), and behind Debian's SSH server, read as from a directory."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.same_logs import read_facts
from tests.support.waiting import until

import runglass
from runglass import SummaryWriter
from runglass.errors import RunglassError
from runglass.machine import cache_folder
from runglass.query.locations import parse_locations
from runglass.query.open import OpenLogs, open_logs

paramiko = pytest.importorskip("paramiko")
pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("ignore")]

GOLDEN = Path(__file__).parents[1] / "golden"
SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_folder, "_chosen", tmp_path / "cache")
    monkeypatch.setattr(cache_folder, "_is_chosen", True)


def load(url: str) -> OpenLogs:
    logs = open_logs(parse_locations([url]))
    logs.load()
    return logs


def check_same(folder: Path, url: str) -> None:
    """Equal facts on the first visit and on the second, which fetches nothing."""
    expected = read_facts(load(str(folder)).source)
    assert len(expected["runs"]) > 5
    for visit in range(2):
        remote = load(url)
        assert read_facts(remote.source) == expected
        (status,) = remote.source.list_remote()
        assert status.state == "current"
        assert visit == 0 or status.fetched_bytes == 0
        remote.stop()


def write_run(folder: Path) -> Path:
    with SummaryWriter(str(folder)) as writer:
        for step in range(200):
            writer.add_scalar("loss", step, step)
    (file,) = folder.glob("*tfevents*")
    return file


# -- Google Cloud


@pytest.fixture
def gs(monkeypatch):
    # Asks by gRPC what kind of bucket it is, which emulators do not answer; read when gcsfs is imported.
    monkeypatch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")
    pytest.importorskip("gcsfs")
    import fsspec
    from gcp_storage_emulator.server import create_server

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = create_server("127.0.0.1", port, in_memory=True, default_bucket="logs")
    server.start()
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
    monkeypatch.setitem(fsspec.config.conf, "gs", {"token": "anon"})
    yield fsspec.filesystem("gs", skip_instance_cache=True)
    server.stop()


def test_logs_in_google_cloud(gs, tmp_path):
    for path in (GOLDEN / "logs").rglob("*"):
        if path.is_file():
            gs.pipe_file(f"logs/a b/{path.relative_to(GOLDEN / 'logs').as_posix()}", path.read_bytes())
    check_same(GOLDEN / "logs", "gs://logs/a b")
    file = write_run(tmp_path / "logs/run")
    whole = file.read_bytes()
    gs.pipe_file(f"logs/grows/run/{file.name}", whole[: len(whole) * 9 // 10])
    with runglass.open("gs://logs/grows") as log:
        before = log.source.list_remote()[0]
        gs.pipe_file(f"logs/grows/run/{file.name}", whole)
        log.reload()
        assert len(log.scalars("run", "loss")) == 200
        assert log.source.list_remote()[0].fetched_bytes - before.fetched_bytes < len(whole) * 0.2


# -- S3


@pytest.fixture(scope="module")
def s3_server():
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3(s3_server, monkeypatch):
    import boto3

    for name, value in {
        "AWS_ENDPOINT_URL": s3_server,
        "AWS_ACCESS_KEY_ID": "AKIATOPSECRETID",
        "AWS_SECRET_ACCESS_KEY": "topsecret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3")
    client.create_bucket(Bucket="logs")
    yield client
    for each in client.list_objects_v2(Bucket="logs").get("Contents", []):
        client.delete_object(Bucket="logs", Key=each["Key"])


def upload(client, folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            key = f"a b/{path.relative_to(folder).as_posix()}"
            client.put_object(Bucket="logs", Key=key, Body=path.read_bytes())


@pytest.mark.parametrize("folder", ["logs", "assets"])
def test_golden_logs_in_s3(s3, folder):
    upload(s3, GOLDEN / folder)
    check_same(GOLDEN / folder, "s3://logs/a b")


def test_a_run_that_grows_in_s3(s3, tmp_path):
    file = write_run(tmp_path / "logs/run")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) * 9 // 10])
    upload(s3, tmp_path / "logs")
    with runglass.open("s3://logs/a b") as log:
        before = log.source.list_remote()[0]
        assert 100 < len(log.scalars("run", "loss")) < 200
        file.write_bytes(whole)
        upload(s3, tmp_path / "logs")
        log.reload()
        assert len(log.scalars("run", "loss")) == 200
        after = log.source.list_remote()[0]
        assert after.fetched_bytes - before.fetched_bytes < len(whole) * 0.2
        assert after.cost_usd is None or 0 < after.cost_usd < 0.01
        s3.put_object(Bucket="logs", Key="a b/other/config.yaml", Body=b"lr: 1")
        s3.delete_object(Bucket="logs", Key=f"a b/run/{file.name}")
        log.reload()
        assert log.runs == []


def test_an_emptied_prefix_has_no_runs_and_a_bucket_that_vanished_keeps_them(s3, tmp_path):
    file = write_run(tmp_path / "logs/run")
    upload(s3, tmp_path / "logs")
    with runglass.open("s3://logs/a b") as log:
        s3.delete_object(Bucket="logs", Key=f"a b/run/{file.name}")
        log.reload()
        assert log.runs == []
        (trouble,) = log.health
        assert trouble.reason == "there is nothing at this address"
        upload(s3, tmp_path / "logs")
        log.reload()
        assert (log.runs, log.health[0].state) == (["run"], "ok")
        s3.delete_object(Bucket="logs", Key=f"a b/run/{file.name}")
        s3.delete_bucket(Bucket="logs")
        log.reload()
        assert log.runs == ["run"]
        s3.create_bucket(Bucket="logs")
        log.reload()
        assert log.runs == []


def test_buckets_that_are_not_there_or_denied(s3, s3_server, tmp_path, monkeypatch):
    with pytest.raises(RunglassError, match="there is nothing at this address"):
        runglass.open("s3://nowhere/logs")
    upload(s3, write_run(tmp_path / "logs/run").parents[1])
    logs = load("s3://logs/a b")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    logs.stop()
    again = open_logs(parse_locations(["s3://logs/a b"]))
    again.load()
    (status,) = again.source.list_remote()
    assert status.state == "lost"
    assert [run.points for run in again.source.list_runs()] == [200]
    assert "opsecret" not in repr(status) + repr(again.source.list_files())
    again.stop()


# -- SSH


@pytest.fixture(scope="module")
def ssh(tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """A server with a key of its own, for this user and this machine only, that ends with the tests. Its address and home."""
    if not os.path.exists(SSHD) or shutil.which("ssh-keygen") is None:
        pytest.skip("needs Debian's openssh-server")
    folder = tmp_path_factory.mktemp("ssh")
    home = folder / "home"
    (home / ".ssh").mkdir(parents=True, mode=0o700)
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True, timeout=30
        )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shutil.copy(folder / "user.pub", folder / "authorized")
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/authorized\nStrictModes no\nPasswordAuthentication no\nUsePAM no\n"
        "PermitRootLogin yes\nSubsystem sftp internal-sftp\n"
    )
    if os.getuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)
    user = pwd.getpwuid(os.getuid()).pw_name
    (home / ".ssh/config").write_text(
        f"Host cluster\n  HostName 127.0.0.1\n  Port {port}\n  User {user}\n  IdentityFile {folder}/user\n"
    )
    host_key = (folder / "host.pub").read_text().split()[:2]
    (home / ".ssh/known_hosts").write_text(f"[127.0.0.1]:{port} {' '.join(host_key)}\n")
    server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "config")], stderr=subprocess.DEVNULL)

    def answers() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        until(answers, "the SSH server to listen")
        yield "sftp://cluster", home
    finally:
        server.terminate()
        server.wait(timeout=10)


@pytest.fixture
def at_home(ssh, monkeypatch):
    url, home = ssh
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    return url


@pytest.mark.parametrize("folder", ["logs", "assets"])
def test_golden_logs_over_ssh(at_home, folder):
    check_same(GOLDEN / folder, f"{at_home}{GOLDEN / folder}")


def test_a_run_that_grows_over_ssh(at_home, tmp_path):
    file = write_run(tmp_path / "logs/run")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    (tmp_path / "logs/link").symlink_to(tmp_path / "logs/run")
    (tmp_path / "logs/run/loop").symlink_to(tmp_path / "logs")
    with runglass.open(f"{at_home}{tmp_path}/logs") as log:
        assert sorted(log.runs) == ["link", "run"]
        file.write_bytes(whole)
        log.reload()
        assert len(log.scalars("run", "loss")) == 200
        os.unlink(file)
        log.reload()
        assert log.runs == []


class _PasswordOnly(paramiko.ServerInterface):
    """An SSH server that lets in whoever knows the password, and nobody by a key."""

    def get_allowed_auths(self, username):
        return "password"

    def check_auth_password(self, username, password):
        is_right = (username, password) == ("ann", "op3n s&same")
        return paramiko.AUTH_SUCCESSFUL if is_right else paramiko.AUTH_FAILED

    def check_channel_request(self, kind, number):
        return paramiko.OPEN_SUCCEEDED


class _Files(paramiko.SFTPServerInterface):
    def list_folder(self, path):
        return [_attributes(Path(path, name)) for name in os.listdir(path)]

    def stat(self, path):
        return _attributes(Path(path)) if os.path.exists(path) else paramiko.SFTP_NO_SUCH_FILE

    lstat = stat

    def open(self, path, flags, attr):
        handle = paramiko.SFTPHandle(flags)
        handle.readfile = open(path, "rb")  # noqa: SIM115 - the handle closes it
        return handle


def _attributes(path: Path) -> paramiko.SFTPAttributes:
    return paramiko.SFTPAttributes.from_stat(path.stat(), path.name)


@pytest.fixture
def password_server(tmp_path, monkeypatch) -> Iterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    key = paramiko.ECDSAKey.generate()
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/known_hosts").write_text(f"[127.0.0.1]:{port} {key.get_name()} {key.get_base64()}\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    transports = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                transport = paramiko.Transport(listener.accept()[0])
                transports.append(transport)
                transport.add_server_key(key)
                transport.set_subsystem_handler("sftp", paramiko.SFTPServer, _Files)
                with suppress(paramiko.SSHException, EOFError):
                    transport.start_server(event=threading.Event(), server=_PasswordOnly())

    threading.Thread(target=accept, daemon=True).start()
    yield f"127.0.0.1:{port}"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    for each in transports:
        each.close()


def test_passwords_of_ssh_are_used_and_never_shown(password_server, tmp_path, capfd):
    write_run(tmp_path / "logs/run")
    place = f"{password_server}{tmp_path}/logs"
    with runglass.open(f"sftp://ann:op3n%20s%26same@{place}") as log:
        assert len(log.scalars("run", "loss")) == 200
        (status,) = log.source.list_remote()
        assert status.location == f"sftp://ann@{place}"
    # A wrong one, and none: nobody is asked, because a server has nobody to ask.
    for user in ("ann:wrong-word", "ann"):
        with pytest.raises(RunglassError, match="access is denied") as caught:
            runglass.open(f"sftp://{user}@{place}/run")
        assert "ssh-add" in caught.value.message
        assert "wrong-word" not in caught.value.message
    assert "op3n" not in "".join(capfd.readouterr())


def test_an_unknown_host_key_is_refused(at_home, ssh, tmp_path, monkeypatch):
    home = tmp_path / "elsewhere"
    shutil.copytree(ssh[1], home)
    (home / ".ssh/known_hosts").write_text("")
    monkeypatch.setenv("HOME", str(home))
    with pytest.raises(RunglassError, match="is not in known_hosts"):
        runglass.open(f"{at_home}{tmp_path}")
