"""Which profiles there are: sessions from the names of files. Opens none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runglass.query.profiles.formats.torch import parse_name
from runglass.query.profiles.model import SessionInfo, SessionKind
from runglass.query.source import DataSource
from runglass.store.model import Asset, Family

FOLDER = "plugins/profile/"
XPLANE = ".xplane.pb"
JSON = re.compile(r"\.?trace\.json(?:\.gz)?$")
# What XProf makes of the same data.
COPIES = ("perfetto_trace.json.gz", "trace_viewer.json.gz")
PPROF = ".prof"
SNAPSHOT = ".pickle"


def list_profiles(source: DataSource, run: str | None = None) -> list[SessionInfo]:
    """Profiles of one run or of all, by run and time. An unknown run raises RunUnknown."""
    by_run: dict[str, list[Asset]] = {}
    for asset in source.list_assets(run=run, family=Family.PROFILE):
        by_run.setdefault(asset.run, []).append(asset)
    return [info for assets in by_run.values() for info in find_sessions(assets)]


def find_sessions(assets: Sequence[Asset]) -> list[SessionInfo]:
    """The sessions among the profile files of one run."""
    folders: dict[str, list[Asset]] = {}
    loose: list[Asset] = []
    for asset in assets:
        if asset.name.startswith(FOLDER):
            folders.setdefault(asset.name[len(FOLDER) :].partition("/")[0], []).append(asset)
        else:
            loose.append(asset)
    found: list[SessionInfo] = []
    for folder, files in folders.items():
        found.extend(in_folder(folder, files))
    found.extend(in_run(loose))
    taken: set[str] = set()
    named = []
    for info in found:
        name, number = info.session, 2
        while name in taken:
            name, number = f"{info.session} ({number})", number + 1
        taken.add(name)
        named.append(info if name == info.session else rename(info, name))
    return sorted(named, key=lambda info: (info.time_s, info.session))


def in_folder(folder: str, files: list[Asset]) -> list[SessionInfo]:
    """The files of `plugins/profile/<folder>/`: one session for all hosts."""
    spaces = [each for each in files if each.name.endswith(XPLANE)]
    made = []
    if spaces:
        made.append(session(folder, "xplane", spaces, [host_of(each.name) for each in spaces]))
    else:
        traces = [each for each in files if JSON.search(each.name) and base(each.name) not in COPIES]
        torch = [each for each in traces if parse_name(each.name).is_torch]
        chosen = torch or traces
        if chosen:
            workers = [parse_name(each.name).worker for each in chosen]
            made.append(session(folder, "torch" if torch else "chrome", chosen, workers))
    for each in files:
        name = base(each.name)
        if name.endswith(PPROF):
            made.append(session(f"{folder}/{name[: -len(PPROF)]}", "pprof", [each], [""]))
        elif name.endswith(SNAPSHOT):
            made.append(session(f"{folder}/{name[: -len(SNAPSHOT)]}", "memory snapshot", [each], [""]))
    return made


def in_run(files: list[Asset]) -> list[SessionInfo]:
    """Files beside or without event files."""
    made = []
    spans: dict[str, list[tuple[int, Asset]]] = {}
    spaces = {host_of(each.name) for each in files if each.name.endswith(XPLANE)}
    for each in files:
        name = base(each.name)
        if name.endswith(XPLANE):
            made.append(session(name[: -len(XPLANE)], "xplane", [each], [host_of(name)]))
        elif name.endswith(PPROF):
            made.append(session(name[: -len(PPROF)], "pprof", [each], [""]))
        elif name.endswith(SNAPSHOT):
            made.append(session(name[: -len(SNAPSHOT)], "memory snapshot", [each], [""]))
        elif JSON.search(name):
            parsed = parse_name(name)
            if parsed.is_torch and parsed.span is not None:
                spans.setdefault(parsed.worker, []).append((parsed.span, each))
            elif parsed.is_torch:
                made.append(session(parsed.worker or name, "torch", [each], [parsed.worker]))
            elif JSON.sub("", name) not in spaces:
                # Else it is the same data.
                made.append(session(JSON.sub("", name) or "trace", "chrome", [each], [""]))
    return [*made, *cycles(spans)]


def cycles(spans: dict[str, list[tuple[int, Asset]]]) -> list[SessionInfo]:
    """Torch: a profiling cycle with all its workers. Of every worker the first span is of the first cycle, and so on; a worker that
    profiled less often has those that are nearest in time."""
    if not spans:
        return []
    ordered = {worker: sorted(each, key=lambda one: one[0]) for worker, each in sorted(spans.items())}
    longest = max(ordered, key=lambda worker: len(ordered[worker]))
    groups: list[list[tuple[str, int, Asset]]] = [
        [(longest, span, asset)] for span, asset in ordered[longest]
    ]
    for worker, found in ordered.items():
        if worker == longest:
            continue
        if len(found) == len(groups):
            for group, (span, asset) in zip(groups, found, strict=True):
                group.append((worker, span, asset))
            continue
        for span, asset in found:
            free = [group for group in groups if all(one[0] != worker for one in group)] or groups
            min(free, key=lambda group: abs(group[0][1] - span)).append((worker, span, asset))
    made = []
    for group in groups:
        group.sort(key=lambda one: (one[0], one[1]))
        workers = [worker for worker, _, _ in group]
        made.append(session(str(group[0][1]), "torch", [asset for _, _, asset in group], workers))
    return made


def session(name: str, kind: SessionKind, assets: Sequence[Asset], workers: Sequence[str]) -> SessionInfo:
    return SessionInfo(
        run=assets[0].run,
        session=name,
        kind=kind,
        files=tuple(each.name for each in assets),
        workers=tuple(workers),
        size_bytes=sum(each.size_bytes for each in assets),
        time_s=max(each.modified_time for each in assets),
        generation=max(each.generation for each in assets),
        problem=None if any(each.size_bytes for each in assets) else "The file is empty.",
    )


def rename(info: SessionInfo, name: str) -> SessionInfo:
    return SessionInfo(
        **{**{field: getattr(info, field) for field in SessionInfo.__struct_fields__}, "session": name}
    )


def base(name: str) -> str:
    return name.rpartition("/")[2]


def host_of(name: str) -> str:
    return base(name)[: -len(XPLANE)]
