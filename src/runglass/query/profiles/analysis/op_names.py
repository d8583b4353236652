"""Names of ops in TensorFlow's and JAX's profiles: `scope/name:Type`, iterators of tf.data, instructions of XLA."""

from __future__ import annotations

import re
from typing import NamedTuple

ITERATOR = "Iterator::"
DATASET = "Dataset"
COPIES = {
    "h2d": "MemcpyHToD",
    "htod": "MemcpyHToD",
    "d2h": "MemcpyDToH",
    "dtoh": "MemcpyDToH",
    "d2d": "MemcpyDToD",
    "dtod": "MemcpyDToD",
    "h2h": "MemcpyHToH",
    "htoh": "MemcpyHToH",
    "p2p": "MemcpyPToP",
    "ptop": "MemcpyPToP",
}
COPY = re.compile(r"memcpy\s*(h2d|htod|d2h|dtoh|d2d|dtod|h2h|htoh|p2p|ptop)", re.IGNORECASE)
TENSORFLOW_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_./>-]*")
TENSORFLOW_TYPE = re.compile(r"[A-Z_][A-Za-z0-9_]*")
JAX_TYPE = re.compile(r"[a-z_][a-z_0-9]*(?:\[.*\])?", re.DOTALL)
# Of what runs a whole program, whose parts are the instructions.
PROGRAM = "XlaModule"
NUMBER = re.compile(r"[._]\d+$")


class OpName(NamedTuple):
    name: str
    type: str


def parse_op(text: str) -> OpName | None:
    """What `text` names; None where it is no op."""
    name, colon, kind = text.partition(":")
    if colon and text.startswith(ITERATOR):
        return OpName(text, DATASET)
    copy = COPY.match(text)
    if copy is not None:
        return OpName(text, COPIES[copy[1].lower()])
    if not colon or not TENSORFLOW_NAME.fullmatch(name):
        return None
    if not kind:
        return OpName(name, NUMBER.sub("", name.rpartition("/")[2]))
    if TENSORFLOW_TYPE.fullmatch(kind):
        return OpName(name, kind)
    if JAX_TYPE.fullmatch(kind):
        return OpName(name, kind.partition("[")[0])
    return None


def scope_of(name: str) -> str:
    return name.rpartition("/")[0]
