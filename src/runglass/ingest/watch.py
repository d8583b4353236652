"""Keeps a Store in sync with its log directories: one parallel first scan, then changes until it is stopped.

The operating system reports changes; where it does not (network file systems, no watches left), the directories are polled.
run_loader.py reads a run.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from pathlib import Path

from runglass.ingest.assets import RUN_FOLDER, find_owner
from runglass.ingest.directories import DirectoryTree, Names, drop_nested, is_below_any
from runglass.ingest.file_tail import FileTail
from runglass.ingest.indexing import Indexing
from runglass.ingest.logdir import FoundRun, Walk, find_regular_file, is_event_file, walk_runs
from runglass.ingest.roots import LogRoot
from runglass.ingest.run_loader import RunLoader
from runglass.machine import paused_collection
from runglass.store.budget import MemoryBudget
from runglass.store.model import FileHealth, FileState, Progress
from runglass.store.reach import is_at_or_below
from runglass.store.stage import RunStage, Store

logger = logging.getLogger("runglass")

# Collect notifications for at most GATHER_MS, or until none comes for QUIET_MS.
GATHER_MS = 24
QUIET_MS = 6
NOTIFY_TIMEOUT_MS = 500
PUBLISH_EVERY_S = 0.05
TELL_SHARE = 20
# How much one thread scans at once.
BATCH_BYTES = 4 << 20
BATCH_FILES = 64
# With notifications, a full walk is only a safety net.
SWEEP_EVERY_S = 30.0
# When the process had no descriptors left to look with.
RETRY_AFTER_S = 1.0
# Polling may take at most this share of a core.
SWEEP_SHARE = 0.02
# The same where notifications were lost.
CATCH_UP_SHARE = 0.2
NETWORK_FILE_SYSTEMS = frozenset(
    [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "afs",
        "ceph",
        "lustre",
        "gpfs",
        "beegfs",
        "glusterfs",
        "vboxsf",
        "virtiofs",
        "davfs",
        "fuse.sshfs",
        "fuse.gcsfuse",
        "fuse.s3fs",
    ]
)


class LogdirWatch:
    """Loads every run below some roots into a store. `load` makes one pass; `start` keeps going until `stop`.

    With `cache_dir`, files come from the index there where they can. Only `start` writes to it.
    """

    def __init__(
        self,
        store: Store,
        roots: list[LogRoot],
        *,
        reload_interval_s: float = 5.0,
        threads: int | None = None,
        budget: MemoryBudget | None = None,
        cache_dir: Path | None = None,
        on_note: Callable[[str], None] = lambda note: None,
        awaited_bytes: Callable[[], int | None] = lambda: None,
        list_troubles: Callable[[], dict[str, FileHealth]] = dict,
    ) -> None:
        """`awaited_bytes`: how much is still on its way into the directories; None if nothing is. `list_troubles`: what could not be
        brought there, by path."""
        self.awaited_bytes = awaited_bytes
        self.list_troubles = list_troubles
        self.store = store
        self.roots = roots
        self.reload_interval_s = reload_interval_s
        self.threads = threads or min(8, os.cpu_count() or 1)
        self.budget = budget
        self.on_note = on_note
        self.unreadable: dict[str, str] = {}
        # Why notifications are not used; "" when they are.
        self.polling_reason = ""
        self._loaders: dict[str, RunLoader] = {}
        self._by_directory: dict[str, list[RunLoader]] = {}
        self._directories = DirectoryTree()
        self._linked: set[str] = set()
        self._changed: deque[RunStage] = deque()
        # Something could not be opened for a reason that passes.
        self._is_refused = False
        self._next_tell = 0.0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._index_thread: threading.Thread | None = None
        self.loading = threading.Lock()
        self.indexing = None if cache_dir is None else Indexing(cache_dir, self)

    # -- one pass

    def load(self) -> None:
        """Bring the store up to date with the directories as they are now."""
        is_first = not self.store.progress.is_loaded
        if is_first and self.indexing is not None:
            self.indexing.open()
        with self.loading:
            # What comes from an index comes as objects that stay, all at once.
            with paused_collection() if is_first and self.indexing is not None else nullcontext():
                work = self._rescan()
            self._load(work)
            if not self.store.progress.is_loaded and self.awaited_bytes() is None:
                self._publish_progress(is_loaded=True)
                if self.budget is not None:
                    # Otherwise not before the next change.
                    self.budget.enforce(self.store, at_once=True)

    def _rescan(
        self, below: Iterable[str] | None = None, shallow: Iterable[str] = ()
    ) -> list[tuple[RunLoader, list[str]]]:
        """Compare the directories (those at or below some paths) with the store; returns the files to read.

        Of `shallow` paths, only the run there with the folders that belong to it.
        """
        looks = [(path, False) for path in shallow]
        looks += [
            (path, True) for path in (below if below is not None else {root.path for root in self.roots})
        ]
        work: list[tuple[RunLoader, list[str]]] = []
        walk = Walk()
        found_names: set[str] = set()
        for path, is_deep in looks:
            for root in self.roots:
                start = path
                if below is None:
                    start = root.path
                    if start != path:
                        continue
                elif not is_at_or_below(path, root.path):
                    continue
                for found in walk_runs(root, start, walk, is_deep=is_deep):
                    found_names.add(found.name)
                    loader, names = self._register(found, root)
                    if names:
                        work.append((loader, names))
                    self._tell_progress()
        # What was walked: whole trees, and single directories.
        tops, single = set(), set()
        for path, is_deep in looks:
            if is_deep:
                tops.add(path)
            else:
                single.add(path)
                tops.update(os.path.join(path, name) for name in RUN_FOLDER.folders)

        def is_elsewhere(path: str) -> bool:
            return below is not None and path not in single and not is_below_any(path, tops)

        self._is_refused |= walk.is_refused
        self._linked = {path for path in self._linked if is_elsewhere(path)} | walk.linked
        elsewhere = {path: why for path, why in self.unreadable.items() if is_elsewhere(path)}
        self._note_unreadable({**elsewhere, **walk.unreadable})
        if below is None:
            here: Iterable[RunLoader] = self._loaders.values()
        else:
            directories = single.union(*(self._directories.list_below(top) for top in tops))
            here = [loader for path in directories for loader in self._by_directory.get(path, ())]
        # What cannot be listed may still be there.
        hidden = set(walk.unreadable)
        self._drop(
            [
                loader
                for loader in here
                if loader.run.name not in found_names
                and not (hidden and is_below_any(loader.directory, hidden))
            ]
        )
        return work

    def _note_unreadable(self, unreadable: dict[str, str]) -> None:
        self.unreadable = unreadable
        healths = {}
        for path, why in unreadable.items():
            root = next((each for each in self.roots if is_at_or_below(path, each.path)), None)
            if root is not None:
                relative = root.relative(path)
                run = root.run_name(relative)
                healths[path] = FileHealth(
                    run=run if run in self._loaders else "",
                    path=os.path.join(root.shown, relative) if relative else root.shown,
                    state=FileState.UNREADABLE,
                    size_bytes=0,
                    read_bytes=0,
                    records=0,
                    skipped_records=0,
                    byte=None,
                    reason=f"the directory cannot be listed: {why}",
                    advice="Check its permissions. What is below it is not followed.",
                )
        self.store.set_unreadable({**healths, **self.list_troubles()})

    def _register(self, found: FoundRun, root: LogRoot) -> tuple[RunLoader, list[str]]:
        loader = self._loaders.get(found.name)
        if loader is None:
            loader = RunLoader(found.name, found.directory, found.shown, root=root.path)
            self._loaders[found.name] = loader
            self._by_directory.setdefault(found.directory, []).append(loader)
            self._directories.add(found.directory)
            self.store.runs[found.name] = loader.run
            self._changed.append(loader.run)
        present = {name for name, _ in found.files}
        gone = [name for name in loader.tails if name not in present]
        if gone:
            with loader.run.lock:
                for name in gone:
                    loader.drop_file(name)
            self._changed.append(loader.run)
        if found.assets or loader.run.assets:
            loader.set_assets(found.assets)
            self._note_change(loader)
        wanted = []
        # What the first file of a run says of a tag counts, so files after one that is to be scanned are scanned too.
        indexing = self.indexing
        for name, found_stat in found.files:
            tail = loader.tails.get(name)
            if tail is None:
                loader.add_file(name, found_stat.st_size if found_stat is not None else 0)
                filled = indexing.fill(loader, root, name, found_stat) if indexing is not None else "nothing"
                if filled != "all":
                    wanted.append(name)
                if filled == "nothing":
                    indexing = None
            elif found_stat is None or not tail.is_as_read(found_stat):
                wanted.append(name)
        return loader, wanted

    def list_loaders(self) -> list[RunLoader]:
        return list(self._loaders.values())

    def read_again(self, loader: RunLoader, name: str) -> None:
        """Forget what was read of a file and read it anew."""
        with self.loading:
            tail = loader.tails.get(name)
            if tail is not None and self._loaders.get(loader.run.name) is loader:
                with loader.run.lock:
                    loader.forget_file(tail)
                self._load([(loader, [name])])

    def _drop(self, loaders: Iterable[RunLoader]) -> None:
        dropped = list(loaders)
        for loader in dropped:
            loader.run.retire()
            del self._loaders[loader.run.name]
            self.store.runs.pop(loader.run.name, None)
            siblings = self._by_directory[loader.directory]
            siblings.remove(loader)
            if not siblings:
                del self._by_directory[loader.directory]
                self._directories.remove(loader.directory)
        if dropped:
            self.store.publish([], removed=True)

    def _load(self, work: list[tuple[RunLoader, list[str]]]) -> None:
        """Read files, on several threads if there is enough to read, and publish as they are done."""
        files = deque((loader, name) for loader, names in work for name in names)
        if all(loader.tails[name].scanner is not None for loader, name in files if name in loader.tails):
            # Files that only grew, as they do during training: too little work to wake other threads.
            for loader, name in files:
                with loader.run.lock:
                    tail = loader.begin_file(name)
                if tail is None:
                    self._note_change(loader)
                else:
                    tail.scan()
                    self._finish(loader, tail)
        else:
            self._load_in_parallel(files)
        # Files may disappear before they are opened, and a directory without files is not a run.
        self._drop(
            loader for loader, _ in work if not loader.is_run and self._loaders.get(loader.run.name) is loader
        )
        self._publish_changed()

    def _load_in_parallel(self, files: deque[tuple[RunLoader, str]]) -> None:
        """Scan on other threads. What needs the interpreter stays on this one, so that they do not compete for it."""
        scanning: dict[Future[None], list[tuple[RunLoader, FileTail]]] = {}
        with ThreadPoolExecutor(self.threads, "runglass-scan") as pool:
            while (files or scanning) and not self._stop.is_set():
                while files and len(scanning) < 2 * self.threads:
                    batch = self._open_batch(files, pool)
                    if batch:
                        scanning[pool.submit(_scan_all, [tail for _, tail in batch])] = batch
                done, _ = wait(scanning, timeout=PUBLISH_EVERY_S, return_when=FIRST_COMPLETED)
                for job in done:
                    for loader, tail in scanning.pop(job):
                        self._finish(loader, tail)
                self._tell_progress()
        for batch in scanning.values():
            for _, tail in batch:
                tail.close()

    def _open_batch(
        self, files: deque[tuple[RunLoader, str]], pool: ThreadPoolExecutor
    ) -> list[tuple[RunLoader, FileTail]]:
        """Files for one thread to scan: many small ones together, because handing one over costs more than scanning it."""
        batch: list[tuple[RunLoader, FileTail]] = []
        size = 0
        while files and size < BATCH_BYTES and len(batch) < BATCH_FILES:
            loader, name = files.popleft()
            with loader.run.lock:
                tail = loader.begin_file(name)
            if tail is None:
                self._note_change(loader)
                self._tell_progress()
            elif tail.is_large:
                self._load_large(loader, tail, pool)
            else:
                batch.append((loader, tail))
                size += tail.size - tail.stage.read_bytes
        return batch

    def _load_large(self, loader: RunLoader, tail: FileTail, pool: ThreadPoolExecutor) -> None:
        def on_part() -> None:
            with loader.run.lock:
                loader.file_rows(tail)
            self._note_change(loader)
            self._tell_progress()

        try:
            tail.scan_in_parts(pool, max(2, self.threads), on_part)
        except Exception as error:
            tail.error = error
        self._finish(loader, tail)

    def _finish(self, loader: RunLoader, tail: FileTail) -> None:
        with loader.run.lock:
            try:
                loader.finish_file(tail)
            except Exception as error:
                # A bug that one file triggers must not stop the others.
                logger.exception("Reading %s failed", tail.stage.path)
                tail.error = error
                loader.finish_file(tail)
        self._note_change(loader)

    def _note_change(self, loader: RunLoader) -> None:
        self._is_refused |= loader.is_refused
        loader.is_refused = False
        if loader.is_changed:
            loader.is_changed = False
            self._changed.append(loader.run)

    def _publish_changed(self) -> None:
        changed = {}
        while self._changed:
            run = self._changed.popleft()
            changed[run.name] = run
        if changed:
            self.store.publish(list(changed.values()))
            if self.budget is not None:
                self.budget.enforce(self.store)

    def _tell_progress(self) -> None:
        """Publish what was loaded so far, often enough to be seen and rarely enough to cost little, for any number of runs."""
        now = time.monotonic()
        if now < self._next_tell:
            return
        self._publish_changed()
        if not self.store.progress.is_loaded:
            self._publish_progress(is_loaded=False)
        self._next_tell = time.monotonic() + max(PUBLISH_EVERY_S, TELL_SHARE * (time.monotonic() - now))

    def _publish_progress(self, *, is_loaded: bool) -> None:
        stages = [
            stage for loader in list(self._loaders.values()) for stage in list(loader.run.files.values())
        ]
        self.store.publish_progress(
            Progress(
                is_loaded=is_loaded,
                runs_found=len(self._loaders),
                runs_loaded=sum(
                    all(stage.state is not FileState.READING for stage in list(loader.run.files.values()))
                    for loader in list(self._loaders.values())
                ),
                bytes_found=sum(stage.size_bytes for stage in stages) + (self.awaited_bytes() or 0),
                bytes_read=sum(stage.read_bytes for stage in stages),
                bytes_indexed=0 if self.indexing is None else self.indexing.filled_bytes,
            )
        )

    # -- for as long as it runs

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="runglass-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in (self._thread, self._index_thread):
            if thread is not None:
                thread.join(timeout=10)

    def _start_indexing(self) -> None:
        if self.indexing is not None and self._index_thread is None and not self._stop.is_set():
            self._index_thread = threading.Thread(
                target=self.indexing.run, args=(self._stop,), name="runglass-index", daemon=True
            )
            self._index_thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.load()
                self._start_indexing()
                if self.reload_interval_s > 0:
                    self._keep_up()
                return
            except Exception:
                # The next pass may succeed.
                logger.exception("Looking for changes failed")
                self._stop.wait(max(1.0, self.reload_interval_s))

    def _keep_up(self) -> None:
        while not self._stop.is_set():
            paths = [
                path
                for path in [*(root.path for root in self.roots), *sorted(self._linked)]
                if os.path.exists(path)
            ]
            if not all(root.path in paths for root in self.roots):
                # Notifications for a directory that does not exist would mean watching its parents, with all that happens there.
                self._stop.wait(min(1.0, self.reload_interval_s))
                self.load()
                continue
            self.polling_reason = next(filter(None, map(why_polling, paths)), "")
            if not self.polling_reason:
                try:
                    try:
                        self._follow(paths)
                    except PermissionError:
                        self._follow(paths, ignores_denied=True)
                    continue
                # watchfiles raises RuntimeError for what is not an OSError underneath.
                except (OSError, RuntimeError) as error:
                    if "decode path" in str(error):
                        # A name that is not UTF-8, with which the notifications of that moment are lost.
                        self._catch_up()
                        continue
                    self.polling_reason = f"the system does not report changes ({error})"
            self.on_note(f"Looking for changes every {self.reload_interval_s:g} s: {self.polling_reason}.")
            self._poll()

    def _catch_up(self) -> None:
        """Look at everything once. The pause bounds what a program costs that writes such names all the time."""
        began = time.thread_time()
        self.load()
        self._stop.wait((time.thread_time() - began) / CATCH_UP_SHARE)

    def _poll(self) -> None:
        """Poll until a root disappears."""
        cost = 0.0
        while all(os.path.exists(root.path) for root in self.roots):
            if self._stop.wait(max(self.reload_interval_s, cost / SWEEP_SHARE)):
                return
            began = time.thread_time()
            self.load()
            cost = time.thread_time() - began

    def _follow(self, paths: list[str], *, ignores_denied: bool = False) -> None:
        """Read what the operating system reports as changed, until the set of watched directories changes.

        First try without `ignores_denied`: it also hides that the system has no watches left.
        """
        from watchfiles import watch

        linked = set(self._linked)
        watched = list(map(_identity, paths))
        names = Names(paths)
        next_sweep = cost = 0.0
        for changes in watch(
            *paths,
            watch_filter=None,
            debounce=GATHER_MS,
            step=QUIET_MS,
            stop_event=self._stop,
            rust_timeout=NOTIFY_TIMEOUT_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=ignores_denied,
        ):
            if changes:
                names.forget()
                with self.loading:
                    self._handle({name: change.name for change, path in changes for name in names.of(path)})
            if self.budget is not None:
                self.budget.let_go()
            # The first pass catches changes between the first scan and the first notification.
            if time.monotonic() >= next_sweep:
                began = time.thread_time()
                self.load()
                cost = time.thread_time() - began
                next_sweep = time.monotonic() + max(SWEEP_EVERY_S, cost / SWEEP_SHARE)
            if self._is_refused:
                self._is_refused = False
                next_sweep = min(next_sweep, time.monotonic() + max(RETRY_AFTER_S, cost / CATCH_UP_SHARE))
            # A directory that was removed and created again needs a new watch; it may even have the old inode.
            is_gone = any(change.name == "deleted" and path in paths for change, path in changes)
            if is_gone or self._linked != linked or list(map(_identity, paths)) != watched:
                return

    def _handle(self, changes: dict[str, str]) -> None:
        work: dict[str, tuple[RunLoader, list[str]]] = {}
        below: set[str] = set()
        # Runs of which only the own folders are walked again, not everything below.
        shallow: set[str] = set()
        for path, change in changes.items():
            directory, name = os.path.split(path)
            loaders = self._by_directory.get(directory)
            if not is_event_file(name) and self._handle_asset(path, change, work, shallow):
                continue
            if is_event_file(name) and loaders and not os.path.isdir(path):
                for loader in loaders:
                    if name not in loader.tails:
                        loader.add_file(name, 0)
                    work.setdefault(loader.run.name, (loader, []))[1].append(name)
            elif is_event_file(name):
                below.add(directory if change != "deleted" and not os.path.isdir(path) else path)
            elif change != "modified" and (os.path.isdir(path) or self._directories.is_above(path)):
                below.add(path)
            elif change == "modified" and (path in self._by_directory or path in self.unreadable):
                # Its permissions: what a file in it does is reported for the file.
                below.add(path)
        whole = drop_nested(below)
        if below or shallow:
            single = [path for path in sorted(shallow) if not is_below_any(path, below)]
            for loader, names in self._rescan(whole, single):
                work.setdefault(loader.run.name, (loader, []))[1].extend(names)
        self._load([(loader, sorted(set(names))) for loader, names in work.values()])

    def _handle_asset(
        self, path: str, change: str, work: dict[str, tuple[RunLoader, list[str]]], shallow: set[str]
    ) -> bool:
        """Handle a change of an asset or of a folder of assets. False if the path may be something else too."""
        is_handled = False
        for root in self.roots:
            if path == root.path or not is_at_or_below(path, root.path):
                continue
            parts = path[len(root.path.rstrip(os.sep)) + 1 :].split(os.sep)
            owner, folder = find_owner(parts)
            if folder is not RUN_FOLDER:
                # Renaming a folder reports nothing for the files in it.
                if change != "modified":
                    shallow.add(os.path.join(root.path, *parts[:owner]))
                is_handled = True
                continue
            owner, folder = find_owner(parts[:-1])
            rule = folder.match(parts[-1])
            if rule is None:
                return False
            found = find_regular_file(path)
            is_handled = found is not None
            directory = os.path.join(root.path, *parts[:owner])
            loaders = [each for each in self._by_directory.get(directory, ()) if each.root == root.path]
            for loader in loaders:
                loader.set_asset(os.path.join(*parts[owner:]), rule, found)
                self._note_change(loader)
                # The asset may have been what made the directory a run.
                work.setdefault(loader.run.name, (loader, []))
            if not loaders and found is not None and rule.makes_run:
                shallow.add(directory)
        return is_handled


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _scan_all(tails: list[FileTail]) -> None:
    for tail in tails:
        tail.scan()


def why_polling(path: str) -> str:
    """Why the operating system does not report all changes below a path; "" if it does."""
    if not sys.platform.startswith("linux"):
        return ""
    best = ("", "")
    real = os.path.realpath(path)
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as mounts:
            for line in mounts:
                left, _, right = line.partition(" - ")
                mount = left.split()[4].replace("\\040", " ")
                if len(mount) > len(best[0]) and (real == mount or real.startswith(mount.rstrip("/") + "/")):
                    best = (mount, right.split()[0])
    except (OSError, IndexError):
        return ""
    return (
        f"{best[1]} file systems do not report changes made elsewhere"
        if best[1] in NETWORK_FILE_SYSTEMS
        else ""
    )
