"""Which servers of this user run on this machine: each leaves a small file that says where it is and how to get in.

A file is believed only when it is the user's own and closed to others, and its server only when it answers. Starts nothing.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Literal

import msgspec
from msgspec import Struct

from runglass.errors import RunglassError

ORDER_VARIABLE = "RUNGLASS_NOTEBOOK"
MAX_INFO_BYTES = 64 * 2**10
MAX_STATUS_BYTES = 2**20
PATIENCE_S = 5.0
LOOK_INTERVAL_S = 0.1
SERVER_ERROR = 500
EVERY_ADDRESS = ("", "0.0.0.0", "::")


class Instance(Struct, frozen=True, kw_only=True):
    version: str
    start_time: float
    pid: int
    host: str
    port: int
    path_prefix: str
    # As the user named them, and as /api/status tells them.
    logdir: list[str]
    # What a notebook asked for; "" where it was none that started this server.
    key: str = ""
    token: str = ""

    @property
    def path(self) -> str:
        """The page's path with the token in it: frames in foreign pages have no cookies to carry it."""
        return f"{self.path_prefix}/~{self.token}/" if self.token else f"{self.path_prefix}/"

    @property
    def url(self) -> str:
        """What to type into a browser on this machine."""
        query = f"?token={self.token}" if self.token else ""
        host = "localhost" if self.host in ("127.0.0.1", "::1", *EVERY_ADDRESS) else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}{self.path_prefix}/{query}"

    def __repr__(self) -> str:
        # A cell shows the value of its last line: the token has no business there.
        return f"<Runglass of {', '.join(self.logdir)} on port {self.port}, pid {self.pid}>"


class Order(Struct, frozen=True, kw_only=True):
    """What a notebook asks of the server that it starts. It travels in the environment: other users can see command lines."""

    key: str
    token: str
    # As the content-security policy writes it.
    frame_ancestors: str
    parent_pid: int


class _Status(Struct, frozen=True):
    version: str
    locations: list[str]


class _Problem(Struct, frozen=True):
    code: str


class _Failure(Struct, frozen=True):
    error: _Problem


def take_order(environ: MutableMapping[str, str]) -> Order | None:
    """The notebook's order, taken out of the environment; None for a server that somebody started by hand."""
    text = environ.pop(ORDER_VARIABLE, None)
    return None if text is None else msgspec.json.decode(text, type=Order)


@contextmanager
def announced(instance: Instance, *, on_note: Callable[[str], None]) -> Iterator[None]:
    """The file is there while the body runs. That it cannot be written keeps no server from serving."""
    path = None
    try:
        path = _make_folder() / f"pid-{instance.pid}.json"
        _write(path, msgspec.json.encode(instance))
    except (OSError, RunglassError) as error:
        on_note(f"Notebooks will not find this server: {error}")
    try:
        yield
    finally:
        if path is not None:
            path.unlink(missing_ok=True)


@contextmanager
def locked(key: str, *, patience_s: float) -> Iterator[None]:
    """The body runs in one process at a time for each key. The lock ends with its process, however that ends."""
    path = _folder() / f"start-{key}.lock"
    deadline = time.monotonic() + patience_s
    while True:
        with _open_lock(path) as file:
            if _try_lock(file) and _is_at(path, file):
                try:
                    yield
                finally:
                    # While it is held: whoever has opened it meanwhile sees that it is not at its place any more.
                    with suppress(OSError):
                        path.unlink()
                break
        if time.monotonic() >= deadline:
            raise RunglassError(
                f"Another notebook has been starting this server for {patience_s:g} s. Run this again to go on waiting.",
                where="start",
            )
        time.sleep(LOOK_INTERVAL_S)
    if sys.platform == "win32":
        # Nothing that is open can be removed there, so nobody has it open if this succeeds.
        with suppress(OSError):
            path.unlink()


def list_instances() -> list[Instance]:
    """Those that a file tells of, oldest first; files of servers that are gone are removed. None of them was asked."""
    folder = _folder()
    if not os.path.lexists(folder):
        return []
    _check_folder(folder)
    found = []
    for path in folder.glob("pid-*.json"):
        instance = _read(path)
        if instance is None:
            continue
        if _is_running(instance.pid):
            found.append(instance)
        else:
            path.unlink(missing_ok=True)
    return sorted(found, key=lambda instance: instance.start_time)


def list_serving() -> list[Instance]:
    """Those that answer as what their file says, oldest first."""
    return [instance for instance in list_instances() if ask(instance) == "serving"]


def ask(instance: Instance, *, patience_s: float = PATIENCE_S) -> Literal["serving", "silent", "gone"]:
    """Silent: no answer comes in time, or it has failed to make one. Gone: also when its port is somebody else's now."""
    from http.client import HTTPConnection, HTTPException

    if not _is_running(instance.pid):
        return "gone"
    host = "127.0.0.1" if instance.host in ("localhost", *EVERY_ADDRESS) else instance.host
    connection = HTTPConnection(host, instance.port, timeout=patience_s)
    headers = {"Authorization": f"Bearer {instance.token}"} if instance.token else {}
    try:
        connection.request("GET", f"{instance.path_prefix}/api/status", headers=headers)
        answer = connection.getresponse()
        body = answer.read(MAX_STATUS_BYTES)
        if answer.status >= SERVER_ERROR:
            msgspec.json.decode(body, type=_Failure)
            return "silent"
        status = msgspec.json.decode(body, type=_Status)
    except (ConnectionRefusedError, ConnectionResetError, BrokenPipeError):
        # The file is written when the socket already listens, so this is no server that still starts. One that is killed
        # resets what waits in its socket.
        _forget(instance)
        return "gone"
    except (HTTPException, msgspec.DecodeError):
        return "gone"
    except OSError:
        return "silent"
    finally:
        connection.close()
    is_same = (status.version, status.locations) == (instance.version, instance.logdir)
    return "serving" if is_same else "gone"


def _folder() -> Path:
    # Slow to import, and a server prints its address first of all.
    from tempfile import gettempdir

    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    parent = runtime if runtime and os.access(runtime, os.W_OK) else gettempdir()
    return Path(parent) / f"runglass-{_user()}"


def _make_folder() -> Path:
    folder = _folder()
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    _check_folder(folder)
    return folder


def _user() -> int | str:
    if sys.platform == "win32":
        from getpass import getuser

        return getuser()
    return os.getuid()


def _check_folder(folder: Path) -> None:
    status = folder.lstat()
    if stat.S_ISDIR(status.st_mode) and _is_private(status):
        return
    raise RunglassError(
        f"{folder} must be a directory that belongs to you and is closed to others (mode 0700). It is not, so Runglass"
        " believes nothing in it about running servers. Remove it, or set XDG_RUNTIME_DIR to a directory of your own.",
        where=str(folder),
    )


def _is_private(status: os.stat_result) -> bool:
    # On Windows the temporary directory is the user's own, and modes say nothing.
    return sys.platform == "win32" or (status.st_uid == os.getuid() and not status.st_mode & 0o077)


def _write(path: Path, data: bytes) -> None:
    unfinished = path.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(unfinished, flags, 0o600), "wb") as file:
        file.write(data)
    os.replace(unfinished, path)


def _read(path: Path) -> Instance | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not (stat.S_ISREG(status.st_mode) and _is_private(status)):
                return None
            instance = msgspec.json.decode(file.read(MAX_INFO_BYTES), type=Instance)
    except (OSError, msgspec.DecodeError):
        return None
    return instance if path.name == f"pid-{instance.pid}.json" else None


def _open_lock(path: Path) -> IO[str]:
    try:
        _make_folder()
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
    except OSError as error:
        raise RunglassError(
            f"{path} cannot be opened: {error.strerror}. A server that is started tells there where it is, so it would not be"
            " found. Set XDG_RUNTIME_DIR to a directory of your own that can be written to.",
            where=str(path),
        ) from error


def _try_lock(file: IO[str]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        # Not every file system has locks, and two servers are better than none.
        return True
    return True


def _is_at(path: Path, file: IO[str]) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _forget(instance: Instance) -> None:
    with suppress(OSError):
        (_folder() / f"pid-{instance.pid}.json").unlink()


def _is_running(pid: int) -> bool:
    if sys.platform == "win32":
        # There is no harmless signal; whether the port answers has to do.
        return True
    try:
        os.kill(pid, 0)
    except OSError:
        # Also another user's process: the number was given away again.
        return False
    return True
