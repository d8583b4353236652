"""Flags of `serve`, `inspect` and `demo`: TensorBoard's with their meaning, and our own."""

from __future__ import annotations

import argparse
from typing import Any

from runglass.errors import BadRequest
from runglass.flags.commands import ALL_COMMANDS, SHELLS
from runglass.flags.parser import Examples, Parser, with_underscores
from runglass.flags.value_types import parse_bool, parse_interval, parse_port, parse_rate, parse_size

COMMANDS = ("serve", "inspect", "demo")

# TensorBoard's flags that change nothing here, each with the reason that is told when it is used.
WITHOUT_MEANING = {
    "load_fast": "there is one loader, and it is fast",
    "extra_data_server_flags": "there is no separate data server",
    "grpc_creds_type": "there is no separate data server",
    "grpc_data_provider": "there is no separate data server; data comes from log directories",
    "db": "TensorBoard's own database does not exist here; clickhouse://… and chdb://… are logdirs",
    "db_import": "TensorBoard's own database does not exist here; clickhouse://… and chdb://… are logdirs",
    "reload_multifile": "every file of a run is always followed",
    "reload_multifile_inactive_secs": "every file of a run is followed for as long as it exists",
    "generic_data": "it chose between loaders that do not exist here",
    "samples_per_plugin": "nothing is sampled away: everything that was logged is kept",
    "detect_file_replacement": "replaced files are always noticed",
}

EXAMPLES: dict[str, Examples] = {
    "": (
        ("runglass demo", "an example, trained in a few seconds"),
        ("runglass logs", "everything below ./logs, live"),
        ("runglass inspect logs", "what is in it, and what is damaged"),
    ),
    "serve": (
        ("runglass serve logs", "everything below ./logs, live"),
        ("runglass serve old new", "two directories side by side"),
        ("runglass serve --logdir_spec a:old,b:new", "with names of your own"),
        ("runglass serve logs --bind_all", "for other machines; prints an address with a token"),
        ("runglass serve logs --port 6007", "on exactly this port"),
        (
            "runglass serve --project vision=/data/v --project speech=/data/s",
            "two projects, each with its own address",
        ),
    ),
    "inspect": (
        ("runglass inspect logs", "every run, tag and file"),
        ("runglass inspect logs --tag loss", "one tag in all runs"),
        ("runglass inspect logs --json", "for scripts; exits 1 where there is damage"),
        ("runglass inspect --event_file logs/train/events.out.tfevents.1", "one file"),
    ),
    "demo": (
        ("runglass demo", "writes ./runglass-demo and shows it"),
        ("runglass demo /data/demo --port 6007", "elsewhere"),
    ),
}


def make_parser(version: str, command: str = "", *, shows_all: bool = False) -> Parser:
    """The flags of `serve`, `inspect` and `demo`: all are accepted by each, as TensorBoard has one command; `--help` shows what
    matters for this one, and for no command the few that are used most."""
    usage = {
        "serve": "runglass [serve] [LOGDIR …] [flags]",
        "inspect": "runglass inspect LOGDIR … [flags]",
        "demo": "runglass demo [LOGDIR] [flags]",
        "": "runglass [LOGDIR …] [flags]\n       runglass COMMAND …",
    }[command]
    description = "Look at machine-learning experiments: exactly, at once, and live."
    if command:
        description = f"{ALL_COMMANDS[command][0].upper()}{ALL_COMMANDS[command][1:]}."
    elif not shows_all:
        width = max(map(len, ALL_COMMANDS))
        lines = [f"  {name:<{width}}  {does}" for name, does in ALL_COMMANDS.items()]
        description = "\n".join([description, "", "commands (each has its own --help):", *lines])
    parser = Parser(command, EXAMPLES[command], usage=usage, description=description, add_help=False)

    def add(
        group: argparse._ArgumentGroup, flag: str, shown_for: tuple[str, ...], help: str, **settings: Any
    ) -> None:
        is_shown = shows_all or command in shown_for
        group.add_argument(flag, help=help if is_shown else argparse.SUPPRESS, **settings)

    serving, loading = ("serve", "demo"), ("serve",)
    parser.add_argument(
        "logdirs",
        nargs="*",
        metavar="LOGDIR",
        help="where to write the example (default runglass-demo)"
        if command == "demo"
        else "a directory of logs; several are shown side by side",
    )
    other = parser.add_argument_group("help")
    other.add_argument("-h", "--help", action="help", help="this text")
    other.add_argument("--help_all", "--helpfull", action=_HelpAll, help="all flags, TensorBoard's included")
    other.add_argument("--version", "--version_tb", action="version", version=version, help="the version")
    other.add_argument(
        "--completion",
        choices=SHELLS,
        help="print a script that completes commands and flags in this shell"
        if shows_all or not command
        else argparse.SUPPRESS,
    )

    data = parser.add_argument_group("data")
    add(
        data,
        "--logdir",
        ("serve", "inspect"),
        "the directory of logs, as TensorBoard has it; may not exist yet",
        metavar="PATH",
    )
    add(
        data,
        "--logdir_spec",
        ("", "serve", "inspect"),
        "several, with names: name:path,name2:path2",
        metavar="SPEC",
    )
    add(
        data,
        "--project",
        ("serve",),
        "a directory of logs as a project with its own address, as in vision=/data/vision; may be repeated",
        action="append",
        default=[],
        metavar="NAME=LOGDIR",
    )
    add(
        data,
        "--reload_interval",
        loading,
        "how often to look where the system does not report changes; 0 loads once (default 5)",
        type=parse_interval,
        default=5.0,
        metavar="SECONDS",
    )
    add(
        data,
        "--memory_budget",
        loading,
        "memory for data, such as 4G; what was not looked at for longest goes to a cache file (default: half of the memory)",
        type=parse_size,
        metavar="SIZE",
    )
    add(
        data,
        "--store",
        ("serve",),
        "bring the logs into this database, as in chdb:///folder, and show them from there",
        default="",
        metavar="DATABASE",
    )
    add(
        data,
        "--cache_dir",
        loading,
        "where event files that were read and results of long computations are kept for later (default: the user's cache"
        " folder; '': nowhere)",
        metavar="PATH",
    )
    add(
        data,
        "--no_cache",
        loading,
        "read all logs from their event files, and keep nothing for later; the same as --cache_dir ''",
        action="store_true",
    )
    add(
        data,
        "--max_reload_threads",
        ("serve", "inspect"),
        "threads that load (default: one per core, at most 8)",
        type=int,
        metavar="N",
    )
    add(
        data,
        "--purge_orphaned_data",
        ("serve", "inspect"),
        "leave out points that a restarted run wrote again (default true); they can be shown either way",
        type=parse_bool,
        default=True,
        metavar="BOOL",
    )
    add(
        data,
        "--reload_task",
        (),
        "blocking loads everything before serving; the others load while serving",
        choices=("auto", "thread", "process", "blocking"),
        default="auto",
    )

    web = parser.add_argument_group("serving")
    add(web, "--host", ("", *serving), "address to bind (default localhost)", metavar="ADDR")
    add(web, "--bind_all", ("", *serving), "serve on all addresses; asks for a token", action="store_true")
    add(
        web,
        "--port",
        ("", *serving),
        "exactly this one; 0: any free one (default: the first free one from 6006 on)",
        type=parse_port,
        default=None,
        metavar="PORT",
    )
    add(web, "--reuse_port", (), "set SO_REUSEPORT", type=parse_bool, default=False, metavar="BOOL")
    add(web, "--path_prefix", serving, "serve below this path, such as /runs", default="", metavar="PATH")
    add(web, "--window_title", serving, "title of the page", default="", metavar="TEXT")
    add(
        web,
        "--token",
        serving,
        "ask for this token (default: made up when other machines can connect)",
        metavar="TOKEN",
    )
    add(
        web,
        "--allowed_host",
        serving,
        "another name the server may be reached by",
        action="append",
        default=[],
        metavar="NAME",
    )

    people = parser.add_argument_group("serving several people")
    add(
        people,
        "--tokens",
        loading,
        "let in those who have a token of this file (default: of none); 'default' is the file that runglass token writes",
        metavar="PATH",
    )
    add(
        people,
        "--auth_header",
        loading,
        "the header in which a proxy says who asks, such as X-Forwarded-User",
        default="",
        metavar="NAME",
    )
    add(
        people,
        "--trusted_proxy",
        loading,
        "the address or network of that proxy; nobody else is believed. May be repeated",
        action="append",
        default=[],
        metavar="ADDR",
    )
    add(
        people,
        "--shared_overlay",
        loading,
        "share names, notes, stars, labels, colours and saved views through this file or database; 'clickhouse': the one that is "
        "served (default: each browser has its own)",
        metavar="PLACE",
    )
    add(
        people,
        "--rate_limit",
        loading,
        "requests a second for each token or user, ten times as many at once (default: no limit)",
        type=parse_rate,
        default=0.0,
        metavar="N",
    )
    add(
        people,
        "--access_log",
        loading,
        "write a line for every request to this file; '-': to standard output",
        metavar="PATH",
    )

    doctor = parser.add_argument_group("inspect")
    add(doctor, "--inspect", (), "the same as the inspect command", action="store_true")
    add(doctor, "--tag", ("inspect",), "only this tag", metavar="TAG")
    add(doctor, "--event_file", ("inspect",), "only this event file", metavar="PATH")
    add(doctor, "--json", ("inspect",), "for machines", action="store_true")

    useless = parser.add_argument_group("accepted without effect, so that scripts for TensorBoard work")
    for flag, why in WITHOUT_MEANING.items():
        settings = {"action": "store_const", "const": "true"} if flag == "db_import" else {}
        add(useless, f"--{flag}", (), why, **settings)
    return parser


class _HelpAll(argparse.Action):
    """Prints the help with every flag."""

    def __init__(self, option_strings: list[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help, default=argparse.SUPPRESS)

    def __call__(self, parser: argparse.ArgumentParser, *words: object) -> None:
        assert isinstance(parser, Parser)
        make_parser("", parser.command, shows_all=True).print_help()
        parser.exit()


def parse(argv: list[str], version: str) -> argparse.Namespace:
    words = with_underscores(argv)
    command = words.pop(0) if words and words[0] in COMMANDS else ""
    parser = make_parser(version, command)
    args = parser.parse_words(words)
    args.is_named = bool(command)
    args.command = "inspect" if args.inspect else command or "serve"
    args.path_prefix = args.path_prefix.rstrip("/")
    if args.completion is None:
        _check(args)
    return args


def notes(args: argparse.Namespace) -> list[str]:
    """One line for every flag that was given and means nothing here."""
    return [
        f"--{flag} has no effect: {why}."
        for flag, why in WITHOUT_MEANING.items()
        if getattr(args, flag) is not None
    ]


def parse_projects(words: list[str]) -> dict[str, list[str]]:
    """The directories of every project; a name that is given twice has both. Raises BadRequest."""
    projects: dict[str, list[str]] = {}
    for word in words:
        name, equals, path = word.partition("=")
        if not equals or not path:
            raise BadRequest(
                f"--project {word!r} is not NAME=LOGDIR, as in --project vision=/data/vision.",
                where="project",
            )
        projects.setdefault(name, []).append(path)
    return projects


def _check(args: argparse.Namespace) -> None:
    sources = [f"with --{name}" for name in ("logdir", "logdir_spec", "project") if getattr(args, name)]
    if args.logdirs:
        sources.append(f"as {args.logdirs[0]!r}")
    if len(sources) > 1:
        raise BadRequest(
            f"Log directories are named twice: {' and '.join(sources)}. Name them in one way.", where="logdir"
        )
    if args.command == "demo" and len(args.logdirs) > 1:
        raise BadRequest(
            f"{args.logdirs[1]!r} is one word too many: the demo is written to one directory.", where="logdir"
        )
    if args.event_file:
        if args.command != "inspect":
            raise BadRequest(
                "--event_file goes with inspect: runglass inspect --event_file PATH.", where="event_file"
            )
        if sources:
            raise BadRequest("--event_file and a log directory: inspect one of them.", where="event_file")
    elif not sources and args.command != "demo":
        raise BadRequest(
            "No log directory was given. Name one: runglass LOGDIR. Or look at an example: runglass demo.",
            where="logdir",
        )
    if args.project and args.command != "serve":
        raise BadRequest(f"--project goes with serve, not with {args.command}.", where="project")
    parse_projects(args.project)
    if args.token == "" and (args.tokens or args.auth_header):
        raise BadRequest(
            "--token '' lets everybody in; --tokens and --auth_header do not. Leave one out.", where="token"
        )
    if bool(args.auth_header) != bool(args.trusted_proxy):
        raise BadRequest(
            "--auth_header and --trusted_proxy belong together: anybody could send the header, so it counts only from there.",
            where="auth_header",
        )
    if args.host and args.bind_all:
        raise BadRequest("--host and --bind_all contradict each other. Use one of them.", where="host")
    if args.path_prefix and not args.path_prefix.startswith("/"):
        raise BadRequest(
            f"--path_prefix {args.path_prefix!r} must start with a slash, as in /runs.", where="path_prefix"
        )
    if args.reload_task == "blocking" and args.reload_interval != 0:
        raise BadRequest(
            "--reload_task blocking needs --reload_interval 0: it loads once, before serving.",
            where="reload_task",
        )
    if args.max_reload_threads is not None and args.max_reload_threads < 1:
        raise BadRequest(
            f"--max_reload_threads {args.max_reload_threads}: at least 1 is needed.",
            where="max_reload_threads",
        )
