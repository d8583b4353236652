"""Configuration files of a run as hyperparameters: YAML, JSON and TOML, nested keys joined with dots.

Files are hostile: YAML is read without building objects, everything is limited in size, and a file that cannot be read
is a message.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from runglass.errors import RunglassError
from runglass.query.hparams.model import HParam, TooMuch
from runglass.query.hparams.records import plain_hparam
from runglass.query.source import DataSource
from runglass.store.model import Asset

# The first one that has a name wins. Hydra's own settings, .hydra/hydra.yaml, say nothing about the training.
FILES = (
    *("hparams.yaml", "hparams.yml", "params.json", "args.json", "args.yaml", "args.yml"),
    *("config.yaml", "config.yml", "config.json", "config.toml"),
    *(".hydra/config.yaml", ".hydra/overrides.yaml"),
)
MAX_FILE_BYTES = 2_000_000
MAX_KEYS = 5_000
MAX_DEPTH = 40
# In one list.
MAX_VALUES = 10_000


class Config(Struct, frozen=True):
    hparams: dict[str, HParam]
    problem: str = ""


def load_config(source: DataSource, asset: Asset) -> Config:
    if asset.size_bytes > MAX_FILE_BYTES:
        megabytes = asset.size_bytes / 1e6
        return Config(
            {}, f"{megabytes:,.1f} MB: configuration files above {MAX_FILE_BYTES / 1e6:g} MB are not read."
        )
    try:
        with source.open_asset(asset) as reader:
            data = reader.read(0, reader.size_bytes)
    except RunglassError as error:
        return Config({}, str(error))
    return parse_config(asset.name, data)


def parse_config(name: str, data: bytes) -> Config:
    """The file `name` says which format it is."""
    try:
        text = data.decode("utf-8-sig")
        content = _parse(name, text)
        if name.rpartition("/")[2] == "overrides.yaml" and isinstance(content, list):
            content = dict(_overrides(content))
        if content is None:
            return Config({})
        if not isinstance(content, dict):
            return Config(
                {}, f"A {type(content).__name__} at the top, where names with values were expected."
            )
        return Config(dict(_flatten(content)))
    except UnicodeDecodeError as error:
        return Config({}, f"This is not UTF-8: byte {error.start}.")
    except TooMuch as error:
        return Config({}, f"{error}.")
    except RecursionError:
        return Config({}, f"Nested more than {MAX_DEPTH} deep.")
    except ValueError as error:
        return Config({}, f"This is not valid {_format(name)}: {_one_line(error)}")
    except Exception as error:
        # The parsers of YAML raise more than they document.
        return Config({}, f"This cannot be read as {_format(name)}: {_one_line(error)}")


def _format(name: str) -> str:
    return {"json": "JSON", "toml": "TOML"}.get(name.rpartition(".")[2].lower(), "YAML")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _parse(name: str, text: str) -> Any:
    match _format(name):
        case "JSON":
            return json.loads(text)
        case "TOML":
            return tomllib.loads(text)
    from runglass.query.hparams.plain_yaml import load_yaml

    return load_yaml(text, max_depth=MAX_DEPTH)


def _flatten(content: dict[Any, Any]) -> Iterator[tuple[str, HParam]]:
    count = 0
    # Depth first and in order, without recursion.
    waiting: list[tuple[str, Any, int]] = [("", content, 0)]
    while waiting:
        name, value, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise TooMuch(f"Nested more than {MAX_DEPTH} deep")
        if isinstance(value, dict) and value:
            inner = [(f"{name}.{key}" if name else str(key), each, depth + 1) for key, each in value.items()]
            waiting.extend(reversed(inner))
            if len(waiting) > 2 * MAX_KEYS:
                raise TooMuch(f"More than {MAX_KEYS:,} names")
        elif value is not None and name:
            count += 1
            if count > MAX_KEYS:
                raise TooMuch(f"More than {MAX_KEYS:,} names")
            _check_size(name, value)
            yield name, plain_hparam(value)


def _check_size(name: str, value: Any) -> None:
    """A YAML file of a few hundred bytes can stand for gigabytes, by naming its own parts again and again."""
    count = 0
    waiting = [value]
    while waiting:
        each = waiting.pop()
        count += 1
        if count > MAX_VALUES:
            raise TooMuch(f"{name}: a list of more than {MAX_VALUES:,} values")
        if isinstance(each, list):
            waiting.extend(each[:MAX_VALUES])
        elif isinstance(each, dict):
            waiting.extend(each.values())


def _overrides(lines: list[Any]) -> Iterator[tuple[str, Any]]:
    """Hydra's list of `name=value`; `+` adds a name, `~` removes one."""
    from runglass.query.hparams.plain_yaml import load_yaml

    for line in lines:
        name, equals, value = str(line).partition("=")
        if equals and not name.startswith("~"):
            yield name.lstrip("+"), load_yaml(value, max_depth=MAX_DEPTH) if value else ""
