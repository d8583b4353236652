"""Values of flags: what people write, as numbers and the like. An ArgumentTypeError says what was expected."""

from __future__ import annotations

import argparse
import re

SIZE = re.compile(r"^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$", re.IGNORECASE)
DURATION = re.compile(r"(\d+(?:\.\d+)?)([smhdwy])")
SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800, "y": 31_557_600}
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


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


def _parse_amount(text: str, what: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
    return amount


def parse_interval(text: str) -> float:
    return _parse_amount(text, "a number of seconds")


def parse_measure_interval(text: str) -> float:
    seconds = parse_interval(text)
    if seconds < 0.1:
        raise argparse.ArgumentTypeError(f"{text!r} is too short; the shortest is 0.1 seconds")
    return seconds


def parse_rate(text: str) -> float:
    return _parse_amount(text, "a number of requests a second; 0 is no limit")


def parse_duration(text: str) -> float:
    found = DURATION.fullmatch(text.strip())
    if found is None or not float(found[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 12h, 30d or 1y")
    return float(found[1]) * SECONDS[found[2]]


def parse_count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rows")
    return int(text)
