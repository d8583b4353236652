"""Logs on a machine that is reached by SSH: host keys, users and ports as `ssh` has them in ~/.ssh."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from runglass.ingest.remote.address import Address
from runglass.ingest.remote.folder_walk import walk_folders
from runglass.ingest.remote.model import Entry, ObjectChanged
from runglass.ingest.remote.storage import CONNECT_S, READ_S, Counted, entry_of

# Channels of one connection; servers allow ten by default.
CHANNELS = 6


class SftpFolder(Counted):
    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._top = unquote(address.path).rstrip("/") or "/"
        self._pool = ThreadPoolExecutor(CHANNELS, "runglass-list")
        self._channels = threading.Semaphore(CHANNELS)
        self._idle: list[Any] = []
        self._infos: dict[str, dict[str, Any]] = {}
        with self.in_our_words():
            from fsspec.implementations.sftp import SFTPFileSystem

            self._files = SFTPFileSystem(**_read_settings(address), skip_instance_cache=True)
            self._files.client.get_transport().set_keepalive(15)

    def _call(self, work: Callable[[Any], Any]) -> Any:
        """Work with a file system that no other thread uses: a channel cannot be shared."""
        with self._channels:
            files = self._idle.pop() if self._idle else self._open_channel()
            try:
                result = work(files)
            except OSError:
                # Answers of the server; the channel is as good as before.
                self._idle.append(files)
                raise
            self._idle.append(files)
            return result

    def _open_channel(self) -> Any:
        files = copy.copy(self._files)
        files.ftp = self._files.client.open_sftp()
        files.ftp.get_channel().settimeout(READ_S)
        return files

    def list_entries(self, is_wanted: Callable[[str], bool]) -> dict[str, Entry]:
        with self.in_our_words():
            top = self._call(lambda files: files.info(self._top))
            if top["type"] != "directory":
                return {self._top.rpartition("/")[2]: entry_of(self._top, top)}
            self._infos = {}
            self.denied = []
            found = walk_folders(self._pool, "", self._list_folder, self.denied.append)
            infos, self._infos = self._infos, {}
        return {path: entry_of(key, infos[path]) for path, key in found.items()}

    def _list_folder(self, path: str) -> tuple[Iterable[str], dict[str, str]]:
        folder = f"{self._top}/{path}" if path else self._top
        self.count(lists=1)
        folders, files = [], {}
        for each in self._call(lambda files: files.ls(folder, detail=True)):
            name = each["name"].rpartition("/")[2]
            below = f"{path}/{name}" if path else name
            if each["type"] == "link":
                each = self._follow(each["name"])
            if each is None:
                continue
            if each["type"] == "directory":
                folders.append(below)
            else:
                files[below] = f"{folder}/{name}"
                self._infos[below] = each
        return folders, files

    def _follow(self, path: str) -> dict[str, Any] | None:
        """What a link leads to; None if that is nothing, or a folder that the link is in."""

        def work(files: Any) -> dict[str, Any] | None:
            real = files.ftp.normalize(path)
            if path.startswith(real.rstrip("/") + "/"):
                return None
            info: dict[str, Any] = files.info(path)
            return info

        try:
            found: dict[str, Any] | None = self._call(work)
            return found
        except OSError:
            return None

    def look_at(self, entry: Entry) -> Entry | None:
        self.count(reads=1)
        with self.in_our_words():
            try:
                return entry_of(entry.key, self._call(lambda files: files.info(entry.key)))
            except FileNotFoundError:
                return None

    def read(self, entry: Entry, start: int, end: int) -> bytes:
        def work(files: Any) -> bytes:
            with files.ftp.open(entry.key, "rb") as file:
                # Asks for all pieces at once, where `read` would wait for each.
                return b"".join(file.readv([(start, end - start)]))

        with self.in_our_words():
            data: bytes = self._call(work)
        self.count(reads=1, read_bytes=len(data))
        if len(data) != end - start:
            raise ObjectChanged(entry.key)
        return data

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._files.client.close()


def _read_settings(address: Address) -> dict[str, Any]:
    """What `ssh` would use for this host, by ~/.ssh/config."""
    import paramiko

    host, _, port = address.place.partition(":")
    known: dict[str, Any] = {}
    config = Path.home() / ".ssh/config"
    if config.exists():
        known = dict(paramiko.SSHConfig.from_path(str(config)).lookup(host))
    settings: dict[str, Any] = {
        "host": known.get("hostname", host),
        "port": int(port or known.get("port", 22)),
        "timeout": CONNECT_S,
        "banner_timeout": CONNECT_S,
        "auth_timeout": READ_S,
        "host_key_policy": _known_hosts(
            Path(known.get("userknownhostsfile", Path.home() / ".ssh/known_hosts")).expanduser()
        ),
    }
    user = address.user or known.get("user", "")
    if user:
        settings["username"] = user
    if address.password:
        settings["password"] = address.password
    if "identityfile" in known:
        settings["key_filename"] = [str(Path(each).expanduser()) for each in known["identityfile"]]
    if "proxycommand" in known:
        settings["sock"] = paramiko.ProxyCommand(known["proxycommand"])
    return settings


def _known_hosts(path: Path) -> Any:
    import paramiko

    class KnownHosts(paramiko.MissingHostKeyPolicy):  # type: ignore[misc]
        """Accept the keys that `ssh` has accepted, and no others."""

        def missing_host_key(self, client: Any, hostname: str, key: Any) -> None:
            keys = paramiko.HostKeys(str(path)) if path.exists() else paramiko.HostKeys()
            if not keys.check(hostname, key):
                raise paramiko.SSHException(
                    f"the key of {hostname} is not in known_hosts; connect once with ssh to check and accept it"
                )

    return KnownHosts()
