"""The parser of every command: examples below the flags, and the nearest flag for one that does not exist."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from runglass.visible import make_visible

# As argparse begins its message.
REQUIRED = "the following arguments are required: "
# A command line, and what it does.
Examples = Sequence[tuple[str, str]]


class Parser(argparse.ArgumentParser):
    """Shows a command's examples after its flags, and the nearest flag for one that does not exist."""

    def __init__(self, command: str, examples: Examples, **settings: Any) -> None:
        super().__init__(
            prog=f"runglass {command}".strip(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **settings,
        )
        self.command = command
        width = max(len(words) for words, _ in examples)
        lines = [f"  {words:<{width}}  {does}" for words, does in examples]
        self.epilog = "\n".join(["examples:", *lines])

    def parse_words(self, words: list[str]) -> argparse.Namespace:
        args, unknown = self.parse_known_args(words)
        for word in unknown:
            if word.startswith("-"):
                self.error(_unknown_flag(word, self._option_string_actions))
            self.error(f"{word!r} is one word too many")
        return args

    def error(self, message: str) -> NoReturn:
        missing = message.removeprefix(REQUIRED)
        if missing != message:
            takes = [
                f"{each.option_strings[0]} {each.metavar}" if each.option_strings else _placeholder(each)
                for each in self._actions
                if each.required
            ]
            verb = "are" if "," in missing else "is"
            message = f"{missing} {verb} missing: {self.prog} {' '.join(takes)}"
        # Without the usage, which is longer than a screen's worth of attention: the mistake is what matters.
        end = "" if message.endswith("?") else "."
        self.exit(2, make_visible(f"Error: {message}{end} See {self.prog} --help.\n"))


def _placeholder(argument: argparse.Action) -> str:
    return "|".join(argument.choices) if argument.choices else str(argument.metavar or argument.dest)


def _unknown_flag(word: str, known: Collection[str]) -> str:
    flag = word.partition("=")[0]
    # Without the dashes, which all have in common: --steps is not nearly --store.
    names = [each.removeprefix("--") for each in known if each.startswith("--")]
    close = get_close_matches(flag.lstrip("-"), names, n=1, cutoff=0.65)
    return f"there is no flag {flag}" + (f"; did you mean --{close[0]}?" if close else "")


def with_underscores(words: list[str]) -> list[str]:
    """Flags may be written with - or _ between words; values stay as they are."""
    return [_with_underscores(word) for word in words]


def _with_underscores(word: str) -> str:
    if not word.startswith("--"):
        return word
    flag, equals, value = word.partition("=")
    return "--" + flag[2:].replace("-", "_") + equals + value
