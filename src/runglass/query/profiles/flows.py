"""Which event led to which: launches to kernels by correlation, arrows as the file has them, producers to consumers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from runglass.query.profiles.model import (
    FLOW,
    FORWARD_BACKWARD,
    LAUNCH,
    Int8,
    Int32,
    Int64,
    Mask,
)

Pairs = tuple[Int32, Int32]
Bits = NDArray[np.uint64]

# As torch names its flows.
TORCH_LAUNCH = "ac2g"
TORCH_BACKWARD = "fwdbwd"


def join_launches(
    events: Int32, correlation: Int64, on_device: Mask, file_of: Int32, depth: Int32, is_annotation: Mask
) -> Pairs:
    """Host and device events with the same correlation id in the same file. Of several host events the innermost. All columns are of
    the events that have such an id."""
    # Runtime calls without an id of their own say 0.
    has = correlation != 0
    host = np.flatnonzero(has & ~on_device)
    device = np.flatnonzero(has & on_device & ~is_annotation)
    if not len(host) or not len(device):
        return np.empty(0, np.int32), np.empty(0, np.int32)
    key = correlation * np.int64(1 + int(file_of.max(initial=0))) + file_of
    order = np.lexsort((-depth[host], key[host]))
    host = host[order]
    keys, first = np.unique(key[host], return_index=True)
    at = np.searchsorted(keys, key[device])
    at[at == len(keys)] = 0
    known = keys[at] == key[device]
    return events[host[first[at[known]]]], events[device[known]]


def join_links(event: Int32, key: Bits, time: Int64, phase: NDArray[np.uint8]) -> tuple[Int32, Int32, Int64]:
    """Points of flows with the same key, in the order of time: each leads to the next, until another one begins.

    Gives the events, and the point each flow starts from.
    """
    order = np.lexsort((time, key))
    same = key[order[1:]] == key[order[:-1]]
    same &= phase[order[1:]] != ord("s")
    same &= (event[order[1:]] >= 0) & (event[order[:-1]] >= 0) & (event[order[1:]] != event[order[:-1]])
    first = order[:-1][same]
    return event[first], event[order[1:][same]], first


def join_contexts(
    makes: Int32,
    producer_type: Int64,
    producer: Int64,
    takes: Int32,
    consumer_type: Int64,
    consumer: Int64,
    file_of: Callable[[Int32], Int32],
) -> Pairs:
    """Events that give work to others, which may run in other threads: equal types and ids."""
    if not len(makes) or not len(takes):
        return np.empty(0, np.int32), np.empty(0, np.int32)
    made_in, taken_in = file_of(makes), file_of(takes)
    keys = mix(producer_type, producer, made_in)
    # Of several with the same id, the last.
    known, first = np.unique(keys[::-1], return_index=True)
    wanted = mix(consumer_type, consumer, taken_in)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    source = len(makes) - 1 - first[at]
    same = (
        (known[at] == wanted)
        & (producer_type[source] == consumer_type)
        & (producer[source] == consumer)
        & (made_in[source] == taken_in)
        & (makes[source] != takes)
    )
    return makes[source[same]], takes[same]


def mix(kind: Int64, number: Int64, file: Int32) -> Bits:
    """One key of three. Two may share one: whoever uses it compares them."""
    mixed: Bits = number.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= kind.astype(np.uint64) << np.uint64(40)
    mixed ^= file.astype(np.uint64) << np.uint64(52)
    return mixed


def kind_of(name: str, category: str) -> int:
    text = f"{name} {category}".lower()
    if TORCH_LAUNCH in text:
        return LAUNCH
    return FORWARD_BACKWARD if TORCH_BACKWARD in text else FLOW


def gather(found: Sequence[tuple[Int32, Int32, int | Int8]]) -> tuple[Int32, Int32, Int8]:
    """All flows, ordered by the event they come from, each once."""
    if not found:
        return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int8)
    sources = np.concatenate([each[0] for each in found]).astype(np.int32)
    targets = np.concatenate([each[1] for each in found]).astype(np.int32)
    kinds = np.concatenate([np.broadcast_to(np.asarray(each[2], np.int8), len(each[0])) for each in found])
    order = np.argsort((sources.astype(np.int64) << 32) | targets, kind="stable")
    sources, targets, kinds = sources[order], targets[order], kinds[order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (sources[1:] != sources[:-1]) | (targets[1:] != targets[:-1])
    return sources[fresh], targets[fresh], kinds[fresh]
