"""Files beside the event files, each written whole or not at all: in a local directory, or a store that fsspec knows.

Errors of both are OSErrors. Names are relative, with slashes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from runglass.writer.files.sinks import file_system, local_path

Answer = TypeVar("Answer")


class Folder(Protocol):
    def read(self, name: str) -> bytes | None:
        """None if the file does not exist."""
        ...

    def write(self, name: str, pieces: Iterable[bytes]) -> None: ...

    def rename(self, name: str, other: str) -> None: ...


def open_folder(logdir: str | os.PathLike[str]) -> Folder:
    path = local_path(os.fspath(logdir))
    return RemoteFolder(os.fspath(logdir)) if path is None else LocalFolder(Path(path))


class LocalFolder:
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def read(self, name: str) -> bytes | None:
        try:
            return (self._directory / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Readers see the old file until the new one is complete."""
        path = self._directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
        try:
            with partial.open("wb") as file:
                file.writelines(pieces)
            os.replace(partial, path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise

    def rename(self, name: str, other: str) -> None:
        os.replace(self._directory / name, self._directory / other)


class RemoteFolder:
    """Object stores show a file only when it is complete."""

    def __init__(self, url: str) -> None:
        self._filesystem, self._root = file_system(url)

    def read(self, name: str) -> bytes | None:
        path = f"{self._root}/{name}"
        if not self._ask(self._filesystem.exists, path):
            return None
        content: bytes = self._ask(self._filesystem.cat_file, path)
        return content

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        path = f"{self._root}/{name}"
        self._ask(self._filesystem.makedirs, path.rpartition("/")[0], exist_ok=True)
        self._ask(self._filesystem.pipe_file, path, b"".join(pieces))

    def rename(self, name: str, other: str) -> None:
        self._ask(self._filesystem.mv, f"{self._root}/{name}", f"{self._root}/{other}")

    def _ask(self, function: Callable[..., Answer], *arguments: Any, **options: Any) -> Answer:
        """Turns the errors of a store, which has types of its own, into OSErrors."""
        try:
            return function(*arguments, **options)
        except OSError:
            raise
        except Exception as error:
            raise OSError(f"{type(error).__name__}: {error}") from error
