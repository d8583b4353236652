"""Logs opened with an index in a fresh process; run as `python -m bench.reopening LOGDIR CACHE first|again`, it is that process.

`billion` makes logs of any size without their bytes: stand-ins for event files, and an index of them by the index's own writer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.workloads import Workload, write_scalars

NAME = "events.out.tfevents.1700000000.bench.0.0"
# Sizes of the stand-ins: what such an event file has.
BYTES_A_POINT = 57
VARIANTS = 10


def open_once(logdir: Path, cache: Path, turn: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.reopening", str(logdir), str(cache), turn]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def child(logdir: str, cache: str, turn: str) -> dict[str, Any]:
    import runglass.reader  # noqa: F401  Imported at first use otherwise, which is no loading.
    from runglass.ingest import indexing
    from runglass.query.locations import parse_locations
    from runglass.query.open import open_logs
    from runglass.query.source import LineQuery, RunColumn
    from runglass.store.model import SeriesKey

    told: dict[str, Any] = {"empty_rss_bytes": resident_bytes()}

    def timed(name: str, work: Any) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        found = work()
        told[f"{name}_wall_s"] = time.perf_counter() - wall
        told[f"{name}_cpu_s"] = time.process_time() - cpu
        return found

    def reopen() -> Any:
        logs = open_logs(parse_locations([logdir]), cache_dir=Path(cache))
        logs.load()
        return logs, logs.source.list_runs(), logs.source.list_tag_sets()

    logs, runs, (_, tag_sets) = timed("open", reopen)
    told.update(runs=len(runs), points=sum(run.points for run in runs), rss_bytes=resident_bytes())
    names = [run.name for run in runs]
    tags = sorted(tag_sets[0])[:5]
    if turn == "first":
        # The bench does not wait until files are still.
        indexing.LONG_STILL_S = 0.0
        told["written"] = timed("write", lambda: logs._watch.indexing.write(threading.Event()))  # type: ignore[attr-defined]
    else:
        columns = [RunColumn(tag=tag, stat="last" if place % 2 else "min") for place, tag in enumerate(tags)]
        table = timed("table", lambda: logs.source.read_run_columns(names, columns))
        told["cells"] = sum(map(len, table))
        keys = [SeriesKey(name, tags[0]) for name in names[:10]]
        lines = timed("chart", lambda: logs.source.read_lines(keys, LineQuery(width=800)))
        told["lines"] = len(lines)
        told["used_rss_bytes"] = resident_bytes()
    return told


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def index_bytes(cache: Path) -> int:
    return sum(path.stat().st_size for path in cache.rglob("*.pack"))


def billion(folder: Path, cache: Path, *, runs: int, tags: int, steps: int) -> int:
    """Make an index of `runs` event files that are holes; returns the number of points."""
    from runglass.ingest.file_tail import FileTail
    from runglass.store.index.folder import folder_of
    from runglass.store.index.layout import EDGE_BYTES
    from runglass.store.index.saved import Identity, SavedFile
    from runglass.store.index.writer import write_pack
    from runglass.store.parts import FileStage

    size = tags * steps * BYTES_A_POINT
    variants = []
    for number in range(VARIANTS):
        made = Workload("billion", "simple", "scalars", VARIANTS, tags, steps, 0)
        path = folder.parent / f"{folder.name}-{number}.tfevents"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as out:
            write_scalars(out, made, number, 1.7e9)
        tail = FileTail(FileStage(NAME, str(path), str(path)))
        tail.open()
        tail.scan()
        tail.close()
        assert tail.scanner is not None
        tail.scanner.take()
        found = tail.freeze("")
        assert found is not None
        variants.append(found)
        path.unlink()

    def files() -> Iterator[SavedFile]:
        for run in range(runs):
            path = folder / f"run_{run:05d}" / NAME
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as out:
                out.truncate(size)
            like = variants[run % VARIANTS]
            zeros = bytes(EDGE_BYTES)
            yield SavedFile(
                path=f"{path.parent.name}/{NAME}",
                identity=Identity.of(path.stat()),
                head=zeros,
                last=zeros,
                stop=like.stop,
                lost=0,
                first_lost=0,
                state=(size, *like.state[1:]),
                tags=like.tags,
                extras=[],
            )

    own = folder_of(cache, os.path.realpath(folder))
    own.mkdir(parents=True, exist_ok=True)
    write_pack(own, os.path.realpath(folder), files())
    return runs * tags * steps


if __name__ == "__main__":
    print(json.dumps(child(*sys.argv[1:4])))
