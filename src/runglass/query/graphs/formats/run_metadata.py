"""RunMetadata: the graphs of the functions that ran, merged into one, and what each node took. Decodes neither as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from runglass.native.graph import scan_nodes
from runglass.native.wire import Field, Message, WireError, decode
from runglass.query.graphs.formats.graph_def import Part, parse_parts
from runglass.query.graphs.model import Graph, GraphDamaged
from runglass.schema.run_metadata import STEP_STATS

STATS, PARTITION_GRAPHS, FUNCTION_GRAPHS = 1, 3, 4
PRE_OPTIMIZATION_GRAPH = 2
# Fields that no message has, so that a scan lists all fields and takes none for a node.
NO_NODE = 1 << 20

STATS_ONLY = Message("RunMetadata", Field(1, "step_stats", STEP_STATS))


class Profile(NamedTuple):
    """What nodes took, by device and name."""

    # Microseconds, and bytes.
    time_us: dict[str, dict[str, float]]
    memory_bytes: dict[str, dict[str, float]]

    @property
    def devices(self) -> list[str]:
        return list(self.time_us)

    def time(self, devices: Iterable[str] | None = None) -> dict[str, float]:
        """By node, summed over devices."""
        return summed(self.time_us, devices)

    def memory(self, devices: Iterable[str] | None = None) -> dict[str, float]:
        return summed(self.memory_bytes, devices)


def summed(values: dict[str, dict[str, float]], devices: Iterable[str] | None) -> dict[str, float]:
    total: dict[str, float] = {}
    for device in values if devices is None else devices:
        for name, value in values.get(device, {}).items():
            total[name] = total.get(name, 0.0) + value
    return total


def parse_run_metadata(data: bytes) -> Graph:
    """The graphs of all functions, before the runtime optimized them.

    With several, names begin with `graph_1/`, `graph_2/`, …, and names of functions with `graph_1_`, as in TensorBoard.
    """
    places = []
    top = scan_nodes(data, 0, len(data), NO_NODE)
    for number, start, size in top.others:
        if number == FUNCTION_GRAPHS:
            for field, at, length in scan_nodes(data, start, start + size, NO_NODE).others:
                if field == PRE_OPTIMIZATION_GRAPH:
                    places.append((at, at + length))
    if not places:
        # TensorFlow 1 has the graphs of devices instead.
        places = [(at, at + size) for number, at, size in top.others if number == PARTITION_GRAPHS]
    problems = []
    if top.fault:
        if not places:
            raise GraphDamaged(
                f"This is not a RunMetadata: byte {top.fault_at:,} of {len(data):,}: {top.fault}."
            )
        problems.append(
            f"Byte {top.fault_at:,} of {len(data):,}: {top.fault}. What stands before it is shown."
        )
    if len(places) == 1:
        return parse_parts(data, [Part(*places[0])], problems)
    parts = [
        Part(start, end, f"graph_{number}/", f"graph_{number}_")
        for number, (start, end) in enumerate(places, 1)
    ]
    return parse_parts(data, parts, problems)


def parse_profile(data: bytes) -> Profile | None:
    """None without any node. Raises GraphDamaged."""
    try:
        stats = decode(STATS_ONLY, data).get("step_stats", {})
    except WireError as error:
        raise GraphDamaged(f"The profile cannot be decoded: {error}.") from None
    time: dict[str, dict[str, float]] = {}
    memory: dict[str, dict[str, float]] = {}
    has_allocations = any(
        node.get("memory") for device in stats.get("dev_stats", ()) for node in device.get("node_stats", ())
    )
    for device in stats.get("dev_stats", ()):
        name = device.get("device", "")
        times, bytes_used = time.setdefault(name, {}), memory.setdefault(name, {})
        for node in device.get("node_stats", ()):
            key = node_of(node.get("node_name", ""))
            took = node.get("all_end_rel_micros", 0)
            if not took:
                took = node.get("op_end_rel_micros", 0) - node.get("op_start_rel_micros", 0)
            # A node may run several times in a step.
            times[key] = times.get(key, 0.0) + max(0.0, took)
            used = allocated(node) if has_allocations else held(node)
            bytes_used[key] = bytes_used.get(key, 0.0) + used
    return Profile(time, memory) if any(time.values()) else None


def allocated(node: dict[str, Any]) -> float:
    """What the node asked of its allocators while it ran."""
    return float(sum(max(0, each.get("total_bytes", 0)) for each in node.get("memory", ())))


def held(node: dict[str, Any]) -> float:
    """The memory of its outputs, which may be that of its inputs."""
    descriptions = [
        output.get("tensor_description", {}).get("allocation_description", {})
        for output in node.get("output", ())
    ]
    return float(sum(max(0, each.get("requested_bytes", 0)) for each in descriptions))


def node_of(name: str) -> str:
    """The node that a name in a profile means: "dense/MatMul:MatMul" and "dense/MatMul (f32)" are of dense/MatMul."""
    return name.partition(":")[0].partition("(")[0].rstrip()
