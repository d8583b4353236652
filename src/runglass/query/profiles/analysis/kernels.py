"""What ran on GPUs, kernel by kernel: their shape, who launched them, and how long they took."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from runglass.query.profiles.analysis.columns import columns, floats
from runglass.query.profiles.analysis.grouping import group
from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.analysis.launching import device_work, innermost_of
from runglass.query.profiles.analysis.model import KernelRow
from runglass.query.profiles.model import LAUNCH, MISSING, Int32, Int64, Mask, Trace

KERNEL = "kernel"
# As torch and older versions of it call operations of the framework.
OPERATIONS = ("cpu_op", "operator")
# "regs:32 static_shared:0 dynamic_shared:0 grid:40,1,1 block:256,1,1 occ_pct:100", by spaces or lines.
DETAIL = re.compile(r"(\w+):([^\s]+)")
# In the names of kernels that use tensor cores.
TENSOR_CORES = re.compile(
    r"16816|c1688|conv1x1|conv2d_c1_k1|dgrad_1x1_stride_2x2|direct_group|first_layer_wgrad_kernel|h1688|h884|hmma|i16832|i8816"
    r"|s884|s1688|xmma_gemm|xmma_implicit_gemm|xmma_sparse_conv|xmma_sparse_gemm|xmma_warp_specialized_implicit_gemm"
    # Newer ones, which XProf does not know.
    r"|tensorop|wmma|gmma|nvjet|sm\d+_xmma|bf16_s\d+gemm|flash_fwd|flash_bwd|fmha"
)
# Operations that could use them.
ELIGIBLE = re.compile(
    r"Conv[23]D$|Conv2DBackprop(?:Filter|Input)$|DepthwiseConv2dNative\w*$|BatchMatMul|(?:^|/)MatMul$|FusedMatMul"
    r"|CudnnRNN|XlaDot(?:V2)?$|einsum/[^,;]+[,;][^,;]+$"
    r"|^aten::(?:mm|bmm|addmm|baddbmm|matmul|linear|conv[123]d|convolution\w*|cudnn_convolution\w*|_?scaled_dot_product\w*)$"
)


class Shape(NamedTuple):
    grid: tuple[int, ...]
    block: tuple[int, ...]
    registers: int | None
    shared_bytes: int | None
    occupancy: float | None


def kernels(trace: Trace, *, range: tuple[int, int] | None = None) -> list[KernelRow]:
    """The longest in sum first. `range`: only those that begin in it."""
    chosen = kernel_events(trace)
    chosen = chosen[in_range(trace, range, chosen)]
    if not len(chosen):
        return []
    (details,) = columns(trace, [], ["kernel_details"], chosen)[1]
    (registers, shared), (grid, block) = columns(
        trace, ["registers per thread", "shared memory"], ["grid", "block"], chosen
    )
    achieved = floats(trace, "est. achieved occupancy %", chosen)
    op = launching_ops(trace, chosen)
    found = group([trace.name[chosen], details, grid, block, registers, shared, op])
    duration = trace.duration_ps[chosen]
    count = found.count()
    total, least, most = found.sums(duration)
    idle = found.total(idle_before(trace)[chosen])
    seen = found.mean(np.nan_to_num(achieved), duration)
    whole = max(int(total.sum()), 1)
    rows = []
    for at in np.argsort(-total, kind="stable").tolist():
        first = int(found.first[at])
        shape = (
            parse_details(trace.strings.get(int(details[first])))
            if details[first] >= 0
            else Shape(
                parse_sizes(trace.strings.get(int(grid[first]))),
                parse_sizes(trace.strings.get(int(block[first]))),
                known(registers[first]),
                known(shared[first]),
                None,
            )
        )
        name, op_name = trace.strings.get(int(trace.name[chosen[first]])), trace.strings.get(int(op[first]))
        rows.append(
            KernelRow(
                name=name,
                op=op_name.partition(":")[0] if details[first] >= 0 else op_name,
                module=trace.strings.get(int(trace.module[chosen[first]])),
                grid=shape.grid,
                block=shape.block,
                registers=shape.registers,
                shared_bytes=shape.shared_bytes,
                occupancy=shape.occupancy,
                achieved_occupancy=None if np.isnan(achieved[first]) else float(seen[at]),
                tensor_cores=TENSOR_CORES.search(name) is not None,
                is_eligible=ELIGIBLE.search(op_name.partition(":")[0] if details[first] >= 0 else op_name)
                is not None,
                occurrences=int(count[at]),
                total_ps=int(total[at]),
                mean_ps=int(total[at]) / int(count[at]),
                min_ps=int(least[at]),
                max_ps=int(most[at]),
                share=int(total[at]) / whole,
                idle_before_ps=int(idle[at]),
            )
        )
    return rows


@kept
def kernel_events(trace: Trace) -> Int64:
    """Events of devices that are kernels: copies, and lines that a reader derived, are none."""
    if not len(trace):
        return np.empty(0, np.int64)
    on_device = np.array([each.place == "device" for each in trace.info.categories])
    kinds = np.array([each.name.lower() == KERNEL for each in trace.info.categories])
    streams = np.array([track.kind != "steps" for track in trace.tracks])
    chosen = np.flatnonzero(on_device[trace.category] & (trace.duration_ps > 0))
    chosen = chosen[streams[trace.track[chosen]]]
    _, (details,) = columns(trace, [], ["kernel_details"], chosen)
    found: Int64 = chosen[kinds[trace.category[chosen]] | (details >= 0)]
    return found


@kept
def idle_before(trace: Trace) -> Int64:
    """For each event how long its device had had nothing to do when it began; 0 on the host, and for what a device did first."""
    found = np.zeros(len(trace), np.int64)
    work = device_work(trace)
    devices = {(track.host, track.device) for track in trace.tracks if track.place == "device"}
    for device in devices:
        own = trace.events_on([(track.host, track.device) == device for track in trace.tracks])
        events = np.flatnonzero(own & work)
        events = events[np.argsort(trace.start_ps[events], kind="stable")]
        start = trace.start_ps[events]
        busy_until = np.maximum.accumulate(start + trace.duration_ps[events])
        found[events[1:]] = np.maximum(start[1:] - busy_until[:-1], 0)
    return found


def in_range(trace: Trace, range: tuple[int, int] | None, events: Int64 | None = None) -> Mask:
    """Which of these events, or of all, begin in the range."""
    if range is None:
        return np.ones(len(trace if events is None else events), np.bool_)
    start = trace.start_ps if events is None else trace.start_ps[events]
    inside: Mask = (start >= range[0]) & (start < range[1])
    return inside


def launching_ops(trace: Trace, events: Int64) -> Int32:
    """For each of these events of devices the text of the op that it is of, -1 where that is not known."""
    own: Int32 = columns(trace, [], ["tf_op"], events)[1][0]
    of_op = np.array([each.name.lower() in OPERATIONS for each in trace.info.categories])
    if not of_op.any():
        return own
    around = innermost_of(of_op[trace.category], trace.parent)
    launches = np.flatnonzero(trace.flow_kind == LAUNCH)
    source = around[trace.flow_from[launches]]
    launched = np.full(len(trace), -1, np.int32)
    launched[trace.flow_to[launches]] = source
    source = launched[events]
    found: Int32 = np.where(source >= 0, trace.name[source], own).astype(np.int32)
    return found


def parse_details(text: str) -> Shape:
    found = dict(DETAIL.findall(text))
    return Shape(
        parse_sizes(found.get("grid", "")),
        parse_sizes(found.get("block", "")),
        parse_number(found.get("regs")),
        (parse_number(found.get("static_shared")) or 0) + (parse_number(found.get("dynamic_shared")) or 0),
        parse_float(found.get("occ_pct")),
    )


def parse_sizes(text: str) -> tuple[int, ...]:
    """ "40,1,1" or "[40, 1, 1]" """
    parts = text.strip("[] ").split(",") if text else []
    sizes = [int(part) for part in parts if part.strip().isdigit()]
    return tuple(sizes) if len(sizes) == len(parts) else ()


def parse_number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() else None


def parse_float(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def known(number: np.int64 | Int64) -> int | None:
    return None if number == MISSING else int(number)
