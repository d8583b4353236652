"""Which event led to which: launches to kernels by correlation, arrows as the file has them, producers to consumers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from runglass.query.profiles.model import (
    FLOW,
    FORWARD_BACKWARD,
    LAUNCH,
    MISSING,
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
    correlation: Int64, on_device: Mask, file_of: Int32, depth: Int32, is_annotation: Mask
) -> Pairs:
    """Host and device events with the same correlation id in the same file. Of several host events the innermost."""
    has = correlation != MISSING
    # Runtime calls without an id of their own say 0.
    has &= correlation != 0
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
    return host[first[at[known]]].astype(np.int32), device[known].astype(np.int32)


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
    producer_type: Int64, producer: Int64, consumer_type: Int64, consumer: Int64, file_of: Int32
) -> Pairs:
    """Events that give work to others, which may run in other threads: equal types and ids."""
    makes = np.flatnonzero((producer_type != MISSING) & (producer != MISSING))
    takes = np.flatnonzero((consumer_type != MISSING) & (consumer != MISSING))
    if not len(makes) or not len(takes):
        return np.empty(0, np.int32), np.empty(0, np.int32)
    keys = mix(producer_type[makes], producer[makes], file_of[makes])
    # Of several with the same id, the last.
    known, first = np.unique(keys[::-1], return_index=True)
    wanted = mix(consumer_type[takes], consumer[takes], file_of[takes])
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    source = makes[::-1][first[at]]
    same = (
        (known[at] == wanted)
        & (producer_type[source] == consumer_type[takes])
        & (producer[source] == consumer[takes])
        & (file_of[source] == file_of[takes])
        & (source != takes)
    )
    return source[same].astype(np.int32), takes[same].astype(np.int32)


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
    order = np.lexsort((kinds, targets, sources))
    sources, targets, kinds = sources[order], targets[order], kinds[order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (sources[1:] != sources[:-1]) | (targets[1:] != targets[:-1])
    return sources[fresh], targets[fresh], kinds[fresh]
