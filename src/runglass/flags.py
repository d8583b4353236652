"""The command line's flags: TensorBoard's with their meaning, and our own. Parses words only; opens and starts nothing."""

from __future__ import annotations

import argparse
import re

from runglass.errors import BadRequest

COMMANDS = ("serve", "inspect", "demo")
DEFAULT_RUNS = "runs"
MEASURE_INTERVAL_S = 2.0
SIZE = re.compile(r"^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$", re.IGNORECASE)
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
        raise argparse.ArgumentTypeError(f"{text!r} is no size; write 500M, 4G or a number of bytes")
    return int(float(match[1]) * UNITS[match[2].lower()])


def parse_port(text: str) -> int | None:
    """A port number; None for "default", which takes the first free one from 6006 on."""
    if text == "default":
        return None
    if not text.isdigit():
        raise argparse.ArgumentTypeError(
            f"{text!r} is no port; write a number, 0 for any free one, or 'default'"
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
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return seconds


def make_parser(version: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="runglass",
        usage="runglass [serve] [LOGDIR …] [flags]\n       runglass inspect LOGDIR … [--json]\n       runglass profile LOGDIR … [flags]\n       runglass demo [LOGDIR] [flags]\n       runglass run [flags] -- COMMAND …",
        description="Look at machine-learning experiments: exactly, at once, and live.",
    )
    add = parser.add_argument
    add("logdirs", nargs="*", metavar="LOGDIR", help="a directory of logs; several are shown side by side")
    add("--version", "--version_tb", action="version", version=version)
    add("--helpfull", action="help", help=argparse.SUPPRESS)

    data = parser.add_argument_group("data")
    data.add_argument(
        "--logdir", metavar="PATH", help="the directory of logs, as TensorBoard has it; may not exist yet"
    )
    data.add_argument("--logdir_spec", metavar="SPEC", help="several, with names: name:path,name2:path2")
    data.add_argument(
        "--reload_interval",
        type=parse_interval,
        default=5.0,
        metavar="SECONDS",
        help="how often to look where the system does not report changes; 0 loads once (default 5)",
    )
    data.add_argument(
        "--memory_budget",
        type=parse_size,
        metavar="SIZE",
        help="memory for data, such as 4G; what was not looked at for longest goes to a cache file (default: half of the memory)",
    )
    data.add_argument(
        "--cache_dir",
        metavar="PATH",
        help="where results of long computations are kept for later (default: the user's cache folder; '': nowhere)",
    )
    data.add_argument(
        "--max_reload_threads", type=int, metavar="N", help="threads that load (default: one per core)"
    )
    data.add_argument(
        "--purge_orphaned_data",
        type=parse_bool,
        default=True,
        metavar="BOOL",
        help="leave out points that a restarted run wrote again (default true); they can be shown either way",
    )
    data.add_argument(
        "--reload_task",
        choices=("auto", "thread", "process", "blocking"),
        default="auto",
        help="blocking loads everything before serving; the others load while serving",
    )

    web = parser.add_argument_group("serving")
    web.add_argument("--host", metavar="ADDR", help="address to bind (default localhost)")
    web.add_argument("--bind_all", action="store_true", help="serve on all addresses; asks for a token")
    web.add_argument(
        "--port",
        type=parse_port,
        default=None,
        metavar="PORT",
        help="exactly this one; 0: any free one (default: the first free one from 6006 on)",
    )
    web.add_argument("--reuse_port", type=parse_bool, default=False, metavar="BOOL", help="set SO_REUSEPORT")
    web.add_argument("--path_prefix", default="", metavar="PATH", help="serve below this path, such as /runs")
    web.add_argument("--window_title", default="", metavar="TEXT", help="title of the page")
    web.add_argument(
        "--token",
        metavar="TOKEN",
        help="ask for this token (default: made up when other machines can connect)",
    )
    web.add_argument(
        "--allowed_host",
        action="append",
        default=[],
        metavar="NAME",
        help="another name the server may be reached by",
    )

    doctor = parser.add_argument_group("inspect")
    doctor.add_argument("--inspect", action="store_true", help="the same as the inspect command")
    doctor.add_argument("--tag", metavar="TAG", help="only this tag")
    doctor.add_argument("--event_file", metavar="PATH", help="only this event file")
    doctor.add_argument("--json", action="store_true", help="for machines")

    for flag in WITHOUT_MEANING:
        if flag == "db_import":
            parser.add_argument("--db_import", action="store_const", const="true", help=argparse.SUPPRESS)
        else:
            parser.add_argument(f"--{flag}", help=argparse.SUPPRESS)
    return parser


def parse(argv: list[str], version: str) -> argparse.Namespace:
    """Flags may be written with - or _ between words, and shortened while that is unambiguous."""
    words = [_with_underscores(word) for word in argv]
    command = "serve"
    if words and words[0] in COMMANDS:
        command = words.pop(0)
    args = make_parser(version).parse_args(words)
    args.command = "inspect" if args.inspect else command
    args.path_prefix = args.path_prefix.rstrip("/")
    _check(args)
    return args


def make_run_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
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
    args = make_run_parser().parse_args(argv)
    if args.words[:1] == ["--"]:
        del args.words[0]
    if not args.words:
        raise BadRequest(
            "No command was given. Write it after two dashes: runglass run -- python train.py. "
            "To show a directory named run: runglass serve run.",
            where="command",
        )
    return args


def make_profile_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
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
    return make_profile_parser().parse_args(argv)


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
    sources = [name for name in ("logdir", "logdir_spec") if getattr(args, name)]
    if args.logdirs:
        sources.append("LOGDIR")
    if len(sources) > 1:
        raise BadRequest(
            f"{' and '.join(sources)} were both given. Name the log directories in one way.", where="logdir"
        )
    if args.event_file:
        if args.command != "inspect":
            raise BadRequest(
                "--event_file goes with inspect: runglass inspect --event_file PATH.", where="event_file"
            )
        if sources:
            raise BadRequest(
                "--event_file and a log directory were both given. Inspect one of them.", where="event_file"
            )
    elif not sources and args.command != "demo":
        raise BadRequest(
            "No log directory was given. Name one: runglass LOGDIR. Or look at an example: runglass demo.",
            where="logdir",
        )
    if args.host and args.bind_all:
        raise BadRequest("--host and --bind_all were both given. Use one of them.", where="host")
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
