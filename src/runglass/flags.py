"""The command line's flags: TensorBoard's with their meaning, and our own. Parses words only; opens and starts nothing."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection
from difflib import get_close_matches
from typing import Any, NoReturn

from runglass.errors import BadRequest

# The commands with the flags of `make_parser`, and all of them with what each does.
COMMANDS = ("serve", "inspect", "demo")
ALL_COMMANDS = {
    "serve": "show logs in the browser; may be left out",
    "inspect": "say what logs hold and what is wrong with them",
    "profile": "say where the time of a training went, by one of its profiles",
    "query": "answer a query in SQL over logs",
    "demo": "write example logs and show them",
    "run": "run a command and record what it uses and prints",
    "import": "bring runs of W&B or MLflow, or metrics in CSV or JSON lines, into event files",
    "token": "make, list and revoke tokens for a server that several people use",
    "cache": "say what the cache folder holds, and clear it",
    "ingest": "bring runs into ClickHouse",
}
QUERY_FORMATS = ("table", "csv", "json", "parquet")
SQL_ENGINES = ("duckdb", "chdb")
FOREIGN_KINDS = ("wandb", "mlflow", "csv")
SHELLS = ("bash", "zsh", "fish")
DEFAULT_RUNS = "runs"
MEASURE_INTERVAL_S = 2.0
SIZE = re.compile(r"^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$", re.IGNORECASE)
DURATION = re.compile(r"(\d+(?:\.\d+)?)([smhdwy])")
SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800, "y": 31_557_600}
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}

# TensorBoard's flags that change nothing here, each with the reason that is told when it is used.
WITHOUT_MEANING = {
    "load_fast": "there is one loader, and it is fast",
    "extra_data_server_flags": "there is no separate data server",
    "grpc_creds_type": "there is no separate data server",
    "grpc_data_provider": "there is no separate data server; data comes from log directories",
    "db": "there is no database; data comes from log directories",
    "db_import": "there is no database; data comes from log directories",
    "reload_multifile": "every file of a run is always followed",
    "reload_multifile_inactive_secs": "every file of a run is followed for as long as it exists",
    "generic_data": "it chose between loaders that do not exist here",
    "samples_per_plugin": "nothing is sampled away: everything that was logged is kept",
    "detect_file_replacement": "replaced files are always noticed",
}


def parse_bool(text: str) -> bool:
    if text.lower() in ("true", "t", "yes", "y", "1"):
        return True
    if text.lower() in ("false", "f", "no", "n", "0"):
        return False
    raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")


def parse_size(text: str) -> int:
    """Bytes of a size.  "512M" -> 536870912"""
    match = SIZE.match(text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; write 500M, 4G or a number of bytes")
    return int(float(match[1]) * UNITS[match[2].lower()])


def parse_port(text: str) -> int | None:
    """A port number; None for "default", which takes the first free one from 6006 on."""
    if text == "default":
        return None
    if not text.isdigit():
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a port; write a number, 0 for any free one, or 'default'"
        )
    if int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is too large for a port; the largest is 65535")
    return int(text)


def parse_interval(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def parse_rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = -1.0
    if not 0 <= rate < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of requests a second; 0 is no limit")
    return rate


def parse_duration(text: str) -> float:
    found = DURATION.fullmatch(text.strip())
    if found is None or not float(found[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 12h, 30d or 1y")
    return float(found[1]) * SECONDS[found[2]]


EXAMPLES = {
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
    "query": (
        ('runglass query "select run, points from runs" logs', "a table on the terminal"),
        ("runglass query \"select * from points where tag = 'loss'\" logs --output loss.csv", "a file"),
        ("runglass query - logs < best.sql", "a query from a file"),
    ),
    "demo": (
        ("runglass demo", "writes ./runglass-demo and shows it"),
        ("runglass demo /data/demo --port 6007", "elsewhere"),
    ),
    "run": (
        ("runglass run -- python train.py --lr 0.1", "recorded below ./runs"),
        ("runglass run --logdir logs --name first -- make train", "as the run logs/first"),
    ),
    "ingest": (
        ("runglass ingest logs --to clickhouse://me@host/runs", "what is there now"),
        ("runglass ingest logs --to clickhouse://me@host/runs --follow", "and what comes"),
        ("runglass ingest logs --to chdb:///home/me/runs", "into a folder, without a server"),
        ("runglass ingest --to clickhouse://me@host/runs --keep 90d", "remove what is older"),
    ),
    "import": (
        ("runglass import wandb wandb --logdir logs", "all offline runs below ./wandb"),
        ("runglass import mlflow mlruns --logdir logs", "all experiments of a file store"),
        ("runglass import csv losses.csv log.jsonl --logdir logs", "one run per file"),
    ),
    "token": (
        ("runglass token create ann", "reads everything; printed once"),
        ("runglass token create ben --project vision --marks", "one project, and may change shared marks"),
        ("runglass token create guest --expires 7d", "ends by itself"),
        ("runglass token list", "who has one"),
        ("runglass token revoke ann", "from now on, on open pages too"),
    ),
    "profile": (
        ("runglass profile logs", "the newest profile"),
        ("runglass profile logs --run b --compare a", "what changed from run a to run b"),
        ("runglass profile logs --markdown > profile.md", "a report to keep"),
    ),
    "cache": (
        ("runglass cache", "its size, and what for"),
        ("runglass cache --clear logs", "forget what was kept of ./logs"),
        ("runglass cache --clear", "remove all of it; it is made again as needed"),
    ),
}


class Parser(argparse.ArgumentParser):
    """Shows a command's examples after its flags, and the nearest flag for one that does not exist."""

    def __init__(self, command: str, **settings: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **settings)
        self.command = command
        width = max(len(words) for words, _ in EXAMPLES[command])
        lines = [f"  {words:<{width}}  {does}" for words, does in EXAMPLES[command]]
        self.epilog = "\n".join(["examples:", *lines])

    def parse_words(self, words: list[str]) -> argparse.Namespace:
        args, unknown = self.parse_known_args(words)
        for word in unknown:
            if word.startswith("-"):
                self.error(_unknown_flag(word, self._option_string_actions))
            self.error(f"{word!r} is one word too many")
        return args

    def error(self, message: str) -> NoReturn:
        # Without the usage, which is longer than a screen's worth of attention: the mistake is what matters.
        end = "" if message.endswith("?") else "."
        self.exit(2, f"Error: {message}{end} See {self.prog} --help.\n")


def _unknown_flag(word: str, known: Collection[str]) -> str:
    flag = word.partition("=")[0]
    close = get_close_matches(flag, [each for each in known if each.startswith("--")], n=1)
    return f"there is no flag {flag}" + (f"; did you mean {close[0]}?" if close else "")


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
    parser = Parser(
        command, prog=f"runglass {command}".strip(), usage=usage, description=description, add_help=False
    )

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
        "threads that load (default: one per core)",
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
        "share names, notes, stars, labels, colours and saved views through this file (default: each browser has its own)",
        metavar="PATH",
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
    """Flags may be written with - or _ between words, and shortened while that is unambiguous."""
    words = [_with_underscores(word) for word in argv]
    command = words.pop(0) if words and words[0] in COMMANDS else ""
    parser = make_parser(version, command)
    args = parser.parse_words(words)
    args.is_named = bool(command)
    args.command = "inspect" if args.inspect else command or "serve"
    args.path_prefix = args.path_prefix.rstrip("/")
    if args.completion is None:
        _check(args)
    return args


def mistaken_command(word: str) -> str | None:
    """The command that a path which does not exist was probably meant to be.  "insepct" -> "inspect"

    "runs" is a path that PyTorch's writer will make, not a mistaken "run".
    """
    if any(word.startswith(command) for command in ALL_COMMANDS):
        return None
    close = get_close_matches(word, ALL_COMMANDS, n=1, cutoff=0.7)
    return close[0] if close else None


def make_token_parser() -> Parser:
    parser = Parser(
        "token",
        prog="runglass token",
        usage="runglass token create NAME [--project NAME …] [--marks] [--expires TIME] [--tokens PATH]\n"
        "       runglass token list [--tokens PATH]\n"
        "       runglass token revoke NAME [--tokens PATH]",
        description="Make, list and revoke tokens. A server with --tokens lets in those who have one.",
    )
    parser.add_argument("action", choices=("create", "list", "revoke"), help="what to do")
    parser.add_argument("name", nargs="?", metavar="NAME", help="whose token it is; for revoke also its id")
    parser.add_argument(
        "--project",
        action="append",
        default=[],
        metavar="NAME",
        help="it opens only this project; may be repeated (default: all)",
    )
    parser.add_argument(
        "--marks", action="store_true", help="it may change shared marks (default: read only)"
    )
    parser.add_argument(
        "--expires",
        type=parse_duration,
        metavar="TIME",
        help="it ends after this time, such as 12h, 30d or 1y",
    )
    parser.add_argument(
        "--tokens", metavar="PATH", help="the file of tokens (default: in the user's folder for settings)"
    )
    return parser


def parse_token(argv: list[str]) -> argparse.Namespace:
    args = make_token_parser().parse_words([_with_underscores(word) for word in argv])
    if args.action == "list" and args.name is not None:
        raise BadRequest(f"{args.name!r} is one word too many: runglass token list.", where="name")
    if args.action != "list" and args.name is None:
        raise BadRequest(
            f"Whose token? Write a name: runglass token {args.action} NAME. To show a directory named token:"
            " runglass serve token.",
            where="name",
        )
    return args


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


def make_run_parser() -> Parser:
    parser = Parser(
        "run",
        prog="runglass run",
        usage="runglass run [--logdir DIR] [--name RUN] [--interval SECONDS] -- COMMAND …",
        description="Run a command unchanged and record what it uses and prints as a run.",
    )
    parser.add_argument(
        "--logdir", default=DEFAULT_RUNS, metavar="DIR", help=f"where runs are kept (default {DEFAULT_RUNS})"
    )
    parser.add_argument("--name", metavar="RUN", help="name of the run (default: the time and the command)")
    parser.add_argument(
        "--interval",
        type=parse_measure_interval,
        default=MEASURE_INTERVAL_S,
        metavar="SECONDS",
        help=f"how often to measure (default {MEASURE_INTERVAL_S:g})",
    )
    # Flags of the command are its own, whatever they are called.
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND …", help="the command to run")
    return parser


def parse_run(argv: list[str]) -> argparse.Namespace:
    args = make_run_parser().parse_words(argv)
    if args.words[:1] == ["--"]:
        del args.words[0]
    if not args.words:
        raise BadRequest(
            "No command was given. Write it after two dashes: runglass run -- python train.py. "
            "To show a directory named run: runglass serve run.",
            where="command",
        )
    return args


def make_profile_parser() -> Parser:
    parser = Parser(
        "profile",
        prog="runglass profile",
        usage="runglass profile LOGDIR … [--run RUN] [--session NAME] [--compare NAME] [--json | --markdown]",
        description="Say where the time of a training went, by one of its profiles, and what to do about it.",
    )
    parser.add_argument("logdirs", nargs="+", metavar="LOGDIR", help="a directory of logs")
    parser.add_argument("--run", metavar="RUN", help="of this run (default: the newest profile of all runs)")
    parser.add_argument("--session", metavar="NAME", help="this profile (default: the newest one)")
    parser.add_argument(
        "--compare",
        metavar="NAME",
        help="with this earlier one: a profile of the same run, a run, or RUN/PROFILE",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for machines")
    form.add_argument("--markdown", action="store_true", help="as a report to keep or send")
    return parser


def parse_profile(argv: list[str]) -> argparse.Namespace:
    return make_profile_parser().parse_words([_with_underscores(word) for word in argv])


def make_query_parser() -> Parser:
    parser = Parser(
        "query",
        prog="runglass query",
        usage="runglass query SQL LOGDIR … [--format table|csv|json|parquet] [--output FILE] [--limit N]",
        description="Answer one SELECT over the tables points, series, runs, hparams and files of logs.",
    )
    parser.add_argument("query", metavar="SQL", help="the query; - reads it from standard input")
    parser.add_argument("logdirs", nargs="+", metavar="LOGDIR", help="a directory of logs, or its address")
    parser.add_argument(
        "--format",
        choices=QUERY_FORMATS,
        help="how to write the rows (default: by the ending of --output, else a table)",
    )
    parser.add_argument("--output", metavar="PATH", help="write them to this file")
    parser.add_argument(
        "--limit",
        type=parse_count,
        metavar="N",
        help="at most so many rows, 0 for all (default 100 in a table, 1,000,000 elsewhere)",
    )
    parser.add_argument(
        "--engine",
        choices=SQL_ENGINES,
        help="what answers (default: ClickHouse if the logs are there, else what is installed)",
    )
    return parser


def parse_query(argv: list[str]) -> argparse.Namespace:
    return make_query_parser().parse_words([_with_underscores(word) for word in argv])


def parse_count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rows")
    return int(text)


def make_import_parser() -> Parser:
    parser = Parser(
        "import",
        prog="runglass import",
        usage="runglass import wandb|mlflow|csv PATH … [--logdir DIR] [--step COLUMN]",
        description="Write logs of other tools as event files. The originals stay as they are.",
    )
    parser.add_argument(
        "kind",
        choices=FOREIGN_KINDS,
        help="wandb: offline runs (*.wandb); mlflow: an mlruns folder; csv: metrics in CSV or JSON lines",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, or folders to search")
    parser.add_argument(
        "--logdir",
        default=DEFAULT_RUNS,
        metavar="DIR",
        help=f"where the runs are written (default {DEFAULT_RUNS})",
    )
    parser.add_argument(
        "--step",
        metavar="COLUMN",
        help="of CSV and JSON lines: the column with steps (default: step, global_step, iteration or epoch, else rows are counted)",
    )
    return parser


def parse_import(argv: list[str]) -> argparse.Namespace:
    return make_import_parser().parse_words([_with_underscores(word) for word in argv])


def make_cache_parser() -> Parser:
    parser = Parser(
        "cache",
        prog="runglass cache",
        usage="runglass cache [--clear [LOGDIR …]] [--cache-dir PATH] [--json]",
        description="Say what the cache folder holds and what for, or clear it. Everything in it can be made again.",
    )
    parser.add_argument(
        "--clear",
        nargs="*",
        metavar="LOGDIR",
        help="remove what is kept of these log directories (default: everything)",
    )
    parser.add_argument(
        "--cache_dir", metavar="PATH", help="of this folder (default: the user's cache folder)"
    )
    parser.add_argument("--json", action="store_true", help="for machines")
    return parser


def parse_cache(argv: list[str]) -> argparse.Namespace:
    return make_cache_parser().parse_words([_with_underscores(word) for word in argv])


def make_ingest_parser() -> Parser:
    parser = Parser(
        "ingest",
        prog="runglass ingest",
        usage="runglass ingest LOGDIR … --to clickhouse://user@host/database|chdb:///folder [--follow] [--keep 90d]",
        description="Bring runs into ClickHouse, each point once. Ended and started again, it goes on where it was.",
    )
    parser.add_argument("logdirs", nargs="*", metavar="LOGDIR", help="a directory of logs")
    parser.add_argument(
        "--to", required=True, metavar="DATABASE", help="where to; the password from CLICKHOUSE_PASSWORD"
    )
    parser.add_argument("--follow", action="store_true", help="go on with what is written, until it is ended")
    parser.add_argument(
        "--project", default="", metavar="NAME", help="put NAME/ before the names of the runs"
    )
    parser.add_argument(
        "--keep",
        type=parse_duration,
        metavar="AGE",
        help="remove runs without a value for so long, as in 90d or 12h; with --project, only its runs. Directories stay as they are",
    )
    return parser


def parse_ingest(argv: list[str]) -> argparse.Namespace:
    args = make_ingest_parser().parse_words([_with_underscores(word) for word in argv])
    if not args.logdirs and args.keep is None:
        raise BadRequest(
            "No log directory was given. Name one: runglass ingest LOGDIR --to DATABASE.", where="logdir"
        )
    return args


def parse_measure_interval(text: str) -> float:
    seconds = parse_interval(text)
    if seconds < 0.1:
        raise argparse.ArgumentTypeError(f"{text!r} is too short; the shortest is 0.1 seconds")
    return seconds


def notes(args: argparse.Namespace) -> list[str]:
    """One line for every flag that was given and means nothing here."""
    return [
        f"--{flag} has no effect: {why}."
        for flag, why in WITHOUT_MEANING.items()
        if getattr(args, flag) is not None
    ]


def _check(args: argparse.Namespace) -> None:
    sources = [f"with --{name}" for name in ("logdir", "logdir_spec", "project") if getattr(args, name)]
    if args.logdirs:
        sources.append(f"as {args.logdirs[0]!r}")
    if len(sources) > 1:
        raise BadRequest(
            f"Log directories are named twice: {' and '.join(sources)}. Name them in one way.", where="logdir"
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


def _with_underscores(word: str) -> str:
    if not word.startswith("--"):
        return word
    flag, equals, value = word.partition("=")
    return "--" + flag[2:].replace("-", "_") + equals + value
