"""Lists a tree of folders that must be asked for one at a time, several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait

MAX_DEPTH = 40


def walk_folders(
    pool: Executor,
    top: str,
    list_folder: Callable[[str], tuple[Iterable[str], dict[str, str]]],
    on_denied: Callable[[str], None],
) -> dict[str, str]:
    """`list_folder` takes a path below the top ("" for itself) and returns its folders and its files with their keys, by path.
    A folder that vanished meanwhile is left out, one that is denied is handed to `on_denied`; the top must be listed.
    """
    files: dict[str, str] = {}
    pending: dict[Future[tuple[Iterable[str], dict[str, str]]], str] = {pool.submit(list_folder, top): top}
    while pending:
        done, _ = wait(pending, return_when=FIRST_COMPLETED)
        for each in done:
            path = pending.pop(each)
            try:
                folders, found = each.result()
            except FileNotFoundError:
                if path == top:
                    raise
                continue
            except Exception as error:
                if path == top or not is_denied(error):
                    raise
                on_denied(path)
                continue
            files.update(found)
            if path.count("/") < MAX_DEPTH:
                pending.update({pool.submit(list_folder, folder): folder for folder in folders})
    return files


def is_denied(error: Exception) -> bool:
    return isinstance(error, PermissionError) or getattr(error, "status", 0) in (401, 403)
