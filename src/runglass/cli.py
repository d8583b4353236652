"""The command `runglass`: puts the parts together. The only file that sees all of them, except for what is behind a source."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from runglass import __version__
from runglass.errors import PortTaken, RunglassError
from runglass.visible import log_visibly, make_one_line, make_visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from runglass.overlay.shared import SharedMarks
    from runglass.query.locations import Location
    from runglass.query.open import OpenLogs
    from runglass.query.source import DataSource
    from runglass.server.projects import Plan

DEMO_LOGDIR = "runglass-demo"
DEMO_LIVE_S = 600.0
PORT_ERROR = 255


def main(argv: list[str] | None = None) -> int:
    from runglass import flags

    try:
        words = sys.argv[1:] if argv is None else argv
        command = flags.OTHER_COMMANDS.get(words[0]) if words else None
        if command is not None:
            return _RUNS[words[0]](command.parse(words[1:]))
        args = flags.parse(words, f"runglass {__version__}")
        if args.completion:
            from runglass.completion import write_script

            print(write_script(args.completion), end="")
            return 0
        for note in flags.notes(args):
            tell(note)
        if args.command == "inspect":
            return inspect(args)
        return serve(args)
    except PortTaken as error:
        print(make_visible(f"Error: {error.message}"), file=sys.stderr)
        return PORT_ERROR
    except RunglassError as error:
        print(make_visible(f"Error: {error.message}"), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output has exited, as in `runglass inspect | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def serve(args: argparse.Namespace) -> int:
    from runglass.instances import take_order
    from runglass.server.listen import bind

    log_visibly()
    order = take_order(os.environ)
    demo_waits = args.command == "demo" and prepare_demo(args)
    locations = log_roots(args)
    check_locations(args, locations)
    projects = plan_projects(args)
    tokens = find_tokens(args)
    prepare_database(args, locations)
    listener = bind(args.host, bind_all=args.bind_all, port=args.port, reuse_port=args.reuse_port)
    token = order.token if order is not None else args.token
    asks_otherwise = bool(args.tokens or args.auth_header)
    if token is None and not listener.is_loopback and not asks_otherwise:
        import secrets

        token = secrets.token_urlsafe(16)
    if demo_waits:
        write_demo(args)
    # A notebook has the token already, and must not show it in its output.
    query = f"?token={token}" if token and order is None else ""
    # Print it before the slow imports: the socket queues connections until the server accepts them.
    print(
        f"Runglass {__version__} at {listener.url}{args.path_prefix}/{query} (press Ctrl+C to quit)",
        flush=True,
    )
    opened: list[OpenLogs] = []

    def open_source() -> DataSource:
        logs = open_logs(args, cache_dir=cache_dir(args))
        opened.append(logs)
        for missing in logs.list_missing():
            tell(f"{missing} does not exist yet; waiting for it.")
        if args.reload_task == "blocking":
            logs.load()
        else:
            logs.start()
        threading.Thread(
            target=report_progress, args=(logs.source,), name="runglass-progress", daemon=True
        ).start()
        if args.command == "demo":
            train_demo(args)
        return logs.source

    from runglass.instances import Instance, announced
    from runglass.machine import cache_folder
    from runglass.server.run import serve as run_server
    from runglass.server.settings import Settings

    settings = Settings(
        version=__version__,
        host=listener.host,
        port=listener.port,
        path_prefix=args.path_prefix,
        window_title=args.window_title,
        live=args.reload_interval > 0,
        token=token if token is not None else "",
        allowed_hosts=tuple(args.allowed_host),
        frame_ancestors=order.frame_ancestors if order is not None else "'self'",
        cache_dir=cache_dir(args),
        tokens=tokens,
        auth_header=args.auth_header,
        trusted_proxies=tuple(args.trusted_proxy),
        rate_limit=args.rate_limit,
        access_log=args.access_log,
        shared_overlay=choose_overlay(args, locations),
    )
    # Before the source is opened: what it fetches is kept there.
    cache_folder.choose(settings.cache_dir)
    instance = Instance(
        version=__version__,
        start_time=time.time(),
        pid=os.getpid(),
        host=listener.host,
        port=listener.port,
        path_prefix=args.path_prefix,
        logdir=[location.shown for location in locations],
        key=order.key if order is not None else "",
        token=settings.token or "",
    )
    try:
        # The page is served before NumPy is imported; answers with data wait for the source.
        with nullcontext() if projects or asks_otherwise else announced(instance, on_note=tell):
            run_server(
                projects or open_source,
                listener.socket,
                settings=settings,
                parent_pid=order.parent_pid if order is not None else None,
            )
    finally:
        for logs in opened:
            logs.stop()
    return 0


def find_tokens(args: argparse.Namespace) -> Path | None:
    """The file of tokens, if the user wants one; a server whose tokens nobody can use does not start."""
    if not args.tokens:
        return None
    from runglass.server.tokens import TokenFile
    from runglass.token_command import token_path

    path = token_path(args.tokens)
    if not path.exists():
        raise RunglassError(
            f"There are no tokens: {path} does not exist. Make the first one: runglass token create NAME --tokens {path}",
            where="tokens",
        )
    TokenFile(path).list_tokens()
    return path


def plan_projects(args: argparse.Namespace) -> list[Plan]:
    """What `--project` names, each opened when it is first asked for. The memory is divided among them."""
    from runglass.flags import parse_projects
    from runglass.machine import read_memory_bytes
    from runglass.query.locations import parse_locations
    from runglass.server.projects import Opened, Plan, check_name

    named = parse_projects(args.project)
    budget_bytes = (args.memory_budget or read_memory_bytes() // 2) // max(1, len(named))

    def plan(name: str, paths: list[str]) -> Plan:
        locations = parse_locations(paths)

        def open_project() -> Opened:
            logs = open_locations(args, locations, budget_bytes, cache_dir=cache_dir(args))
            for missing in logs.list_missing():
                tell(f"{missing} does not exist yet; waiting for it.")
            if args.reload_task == "blocking":
                logs.load()
            else:
                logs.start()
            return logs.source, logs.stop

        return Plan(check_name(name), tuple(location.shown for location in locations), open_project)

    return [plan(name, paths) for name, paths in named.items()]


def cache_dir(args: argparse.Namespace) -> Path | None:
    from runglass.machine import default_folder

    if args.no_cache or args.cache_dir == "":
        return None
    return Path(args.cache_dir) if args.cache_dir else default_folder()


def inspect(args: argparse.Namespace) -> int:
    from runglass.doctor import examine, render
    from runglass.machine import cache_folder

    # What is fetched of remote logs is kept there, as by a server.
    cache_folder.choose(cache_dir(args))
    # Every byte is read: an index would say what was there, not what is.
    logs = open_logs(args, cache_dir=None)
    try:
        load_existing(logs)
        report = examine(logs.source, unreadable=logs.list_unreadable(), tag=args.tag)
    finally:
        logs.stop()
    is_found = args.tag is None or any(run.tags for run in report.runs)
    if args.json:
        import msgspec

        print(msgspec.json.format(msgspec.json.encode(report.to_json()), indent=2).decode())
    elif is_found or report.is_damaged:
        print(render(report))
    if not is_found:
        from runglass.query.unknown import tag_unknown

        raise tag_unknown(args.tag, {info.key.tag for info in logs.source.list_series()})
    return 1 if report.is_damaged else 0


def profile(args: argparse.Namespace) -> int:
    from runglass.profile_report import choose_profile, find_other, render, render_markdown, report
    from runglass.query import open as opening
    from runglass.query.locations import parse_locations

    logs = opening.open_logs(parse_locations(args.logdirs), reload_interval_s=0, on_note=tell)
    try:
        load_existing(logs)
        chosen = choose_profile(logs.source, args.run, args.session)
        before = find_other(logs.source, args.compare, chosen.run) if args.compare else None
        made = report(chosen, before, args.steps)
    finally:
        logs.stop()
    if args.json:
        import msgspec

        print(msgspec.json.format(msgspec.json.encode(made.data), indent=2).decode())
    else:
        print(render_markdown(made) if args.markdown else render(made))
    return 0


def query(args: argparse.Namespace) -> int:
    from runglass.query import open as opening
    from runglass.query.locations import parse_locations
    from runglass.sql.command import run_query

    logs = opening.open_logs(parse_locations(args.logdirs), reload_interval_s=0, on_note=tell)
    try:
        load_existing(logs)
        for path, reason in logs.list_unreadable().items():
            tell(f"{path} cannot be listed: {reason}. What is below it is missing.")
        run_query(logs.source, args, on_note=tell)
    finally:
        logs.stop()
    return 0


def import_logs(args: argparse.Namespace) -> int:
    from runglass.importing.writing import import_runs

    done = import_runs(args.kind, args.paths, Path(args.logdir), step=args.step)
    print(
        f"Wrote {done.runs:,} run{'' if done.runs == 1 else 's'} with {done.values:,} values to {args.logdir}. "
        f"Show them: runglass {args.logdir}"
    )
    return 0


def show_cache(args: argparse.Namespace) -> int:
    from runglass.cache_report import clear_cache, examine, render
    from runglass.machine import default_folder

    folder = Path(args.cache_dir) if args.cache_dir else default_folder()
    if args.clear is not None:
        cleared = clear_cache(folder, args.clear)
        print(f"Removed {_size(cleared.removed_bytes)} from {folder}.")
        for each in cleared.unknown:
            tell(f"nothing was kept of {each}. What is kept: runglass cache.")
        for each in cleared.left:
            tell(f"what is kept of {each} is in use by a running server and stays. Stop it, and clear again.")
        return 1 if cleared.left else 0
    report = examine(folder)
    if args.json:
        import msgspec

        print(msgspec.json.format(msgspec.json.encode(report.to_json()), indent=2).decode())
    else:
        print(make_visible(render(report)))
    return 0


def ingest(args: argparse.Namespace) -> int:
    import signal

    from runglass.clickhouse.command import ingest as ingest_logs
    from runglass.query.locations import is_local, parse_locations

    roots = list(parse_locations(args.logdirs))
    for root in roots:
        if not is_local(root):
            raise RunglassError(f"{root.shown}: ingest takes directories of this machine.", where=root.shown)
    # An ingest that a service manager ends writes what it has read.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    told = ingest_logs(
        roots, args.to, follow=args.follow, keep_s=args.keep, project=args.project, on_note=tell
    )
    print(told)
    return 0


def run(args: argparse.Namespace) -> int:
    from runglass.recorder.recording import record

    return record(args.words, logdir=args.logdir, name=args.name, interval_s=args.interval)


def tokens(args: argparse.Namespace) -> int:
    from runglass.token_command import run as run_token

    return run_token(args)


_RUNS = {
    "run": run,
    "profile": profile,
    "query": query,
    "import": import_logs,
    "token": tokens,
    "cache": show_cache,
    "ingest": ingest,
}


def log_roots(args: argparse.Namespace) -> Sequence[Location]:
    from runglass.query.locations import parse_locations

    paths = [args.event_file] if args.event_file else [args.logdir] if args.logdir else args.logdirs
    return parse_locations(paths, spec=args.logdir_spec or "")


def load_existing(logs: OpenLogs) -> None:
    for missing in logs.list_missing():
        raise RunglassError(f"{missing!r} does not exist. Check the path.", where=missing)
    logs.load()


def open_logs(args: argparse.Namespace, *, cache_dir: Path | None) -> OpenLogs:
    return open_locations(args, log_roots(args), args.memory_budget or 0, cache_dir=cache_dir)


def open_locations(
    args: argparse.Namespace,
    locations: Sequence[Location],
    memory_budget_bytes: int,
    *,
    cache_dir: Path | None,
) -> OpenLogs:
    from runglass.query import open as opening

    return opening.open_logs(
        locations,
        reload_interval_s=args.reload_interval,
        threads=args.max_reload_threads,
        memory_budget_bytes=memory_budget_bytes,
        keeps_overwritten=not args.purge_orphaned_data,
        cache_dir=cache_dir,
        database=args.store,
        on_note=tell,
    )


def check_locations(args: argparse.Namespace, locations: Sequence[Location]) -> None:
    """Refuse what is probably a typing mistake, instead of waiting for a directory that will never come."""
    from runglass.flags import mistaken_command
    from runglass.query.locations import is_local

    missing = [
        location.shown for location in locations if is_local(location) and not os.path.exists(location.path)
    ]
    if not args.logdirs or not missing:
        return
    first = args.logdirs[0]
    if not args.is_named and first in missing and (command := mistaken_command(first)):
        raise RunglassError(
            f"{first!r} is not a command and does not exist. Did you mean: runglass {command}"
            f"{''.join(f' {word}' for word in args.logdirs[1:])}? "
            f"To wait for a directory of that name: runglass serve {first}.",
            where=first,
        )
    if len(missing) < len(locations):
        raise RunglassError(
            f"{missing[0]!r} does not exist. Check the path; a directory is waited for only where no other is given.",
            where=missing[0],
        )


def prepare_database(args: argparse.Namespace, locations: Sequence[Location]) -> None:
    """Ask for its password while there is a terminal to ask on, and refuse an address that cannot be."""
    from runglass.clickhouse.address import parse_address

    if args.store and args.project:
        raise RunglassError(
            "--store keeps one set of logs, and --project names several. Bring them in with runglass ingest --project NAME.",
            where="store",
        )
    for text in list_databases(args, locations):
        address = parse_address(text)
        if not address.is_embedded:
            from runglass.clickhouse.command import ask_password

            ask_password(address)


def list_databases(args: argparse.Namespace, locations: Sequence[Location]) -> list[str]:
    from runglass.clickhouse.address import is_database

    named = [args.store, *(each.path for each in locations), args.shared_overlay]
    return [text for text in named if text and is_database(text)]


def choose_overlay(
    args: argparse.Namespace, locations: Sequence[Location]
) -> Path | Callable[[], SharedMarks] | None:
    """Where the marks are that all share: a file, or a table of a database."""
    if not args.shared_overlay:
        return None
    databases = list_databases(args, locations)
    is_served = args.shared_overlay == "clickhouse"
    if is_served and not databases:
        raise RunglassError(
            "--shared_overlay clickhouse keeps marks in the database that is served, and none is. Name one, as in"
            " --shared_overlay clickhouse://user@host/database; a file of this name is ./clickhouse.",
            where="shared_overlay",
        )
    if not is_served and args.shared_overlay not in databases:
        return Path(args.shared_overlay)
    from runglass.clickhouse.address import parse_address

    address = parse_address(databases[0] if is_served else args.shared_overlay)

    def open_table() -> SharedMarks:
        from runglass.clickhouse.client import connect
        from runglass.clickhouse.overlay_table import OverlayTable

        return OverlayTable(lambda: connect(address))

    return open_table


def prepare_demo(args: argparse.Namespace) -> bool:
    """Open the example logs as if the user had named them. Returns whether they must be written first."""
    from runglass.demo.folder import is_complete

    logdir = (args.logdirs or [args.logdir or DEMO_LOGDIR])[0]
    args.logdirs, args.logdir = [logdir], None
    if is_complete(Path(logdir)):
        print(f"The demo is in {logdir} already.", file=sys.stderr, flush=True)
        return False
    return True


def write_demo(args: argparse.Namespace) -> None:
    from runglass import demo

    print(f"Training small models into {args.logdirs[0]} …", file=sys.stderr, flush=True)
    demo.write_demo(Path(args.logdirs[0]))


def train_demo(args: argparse.Namespace) -> None:
    """Train more example runs while the page is open."""
    from runglass.demo import train_live

    threading.Thread(
        target=train_live,
        args=(Path(args.logdirs[0]),),
        kwargs={"duration_s": DEMO_LIVE_S},
        name="runglass-demo",
        daemon=True,
    ).start()


def report_progress(source: DataSource) -> None:
    """Report the first scan on stderr: a progress bar on a terminal, else a line every two seconds."""
    from runglass.store.model import FAULTS

    is_terminal = sys.stderr.isatty()
    began = time.monotonic()
    told = began
    generation = -1
    while not source.progress().is_loaded:
        generation = source.wait_for_change(generation, timeout_s=0.2)
        progress = source.progress()
        now = time.monotonic()
        if now - told < (0.1 if is_terminal else 2.0) or progress.is_loaded:
            continue
        told = now
        text = (
            f"{progress.runs_loaded:,} of {progress.runs_found:,} runs, "
            f"{_size(progress.bytes_read)} of {_size(progress.bytes_found)}"
        )
        if is_terminal:
            done = int(24 * progress.bytes_read / max(1, progress.bytes_found))
            print(f"\r\x1b[K[{'█' * done}{'·' * (24 - done)}] {text}", end="", file=sys.stderr, flush=True)
        else:
            print(f"Loading: {text}", file=sys.stderr, flush=True)
    runs = source.list_runs()
    series, points = sum(run.series for run in runs), sum(run.points for run in runs)
    files = source.list_files()
    for folder in files:
        if not folder.run and folder.state in FAULTS:
            tell(f"{folder.path}: {folder.reason}. {folder.advice}")
    faults = sum(file.state in FAULTS for file in files if file.run)
    clear = "\r\x1b[K" if is_terminal else ""
    print(
        f"{clear}Loaded {len(runs):,} run{'' if len(runs) == 1 else 's'}, {series:,} series, {points:,} point{'' if points == 1 else 's'} "
        f"({_size(source.progress().bytes_read)}) in {time.monotonic() - began:.1f} s.",
        file=sys.stderr,
        flush=True,
    )
    if faults:
        where = make_one_line(" ".join(source.locations))
        print(
            f"{faults:,} {'file is' if faults == 1 else 'files are'} damaged; the page shows where. For details: runglass inspect {where}",
            file=sys.stderr,
            flush=True,
        )


def tell(note: str) -> None:
    print(make_visible(f"Note: {note}"), file=sys.stderr, flush=True)


def _size(size_bytes: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size_bytes < 1000:
            return f"{size_bytes:.0f} {unit}" if unit == "B" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} TB"
