"""The commands by name: what each does, and which one a mistyped word was meant to be."""

from __future__ import annotations

from difflib import get_close_matches

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
SHELLS = ("bash", "zsh", "fish")
# Where `run` and `import` write unless told otherwise.
DEFAULT_RUNS = "runs"


def mistaken_command(word: str) -> str | None:
    """The command that a path which does not exist was probably meant to be.  "insepct" -> "inspect"

    "runs" is a path that PyTorch's writer will make, not a mistaken "run".
    """
    if any(word.startswith(command) for command in ALL_COMMANDS):
        return None
    close = get_close_matches(word, ALL_COMMANDS, n=1, cutoff=0.7)
    return close[0] if close else None
