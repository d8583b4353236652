"""What is said of a profile: ops, kernels, steps and their parts, input, memory, findings. Times are picoseconds."""

from __future__ import annotations

from typing import Any, Literal, get_args

from msgspec import Struct, field

from runglass.query.profiles.model import Float64, Int32, Int64, Place

# What the time of a step went to, in the order in which it is stacked.
Part = Literal[
    "input",
    "host_compute",
    "host_to_device",
    "device_to_device",
    "kernel_launch",
    "device_compute",
    "collectives",
    "compilation",
    "output",
    "other",
]
PARTS: tuple[Part, ...] = get_args(Part)
OpsBy = Literal["name", "type", "module", "shapes", "category"]
BoundBy = Literal["compute", "memory", "unknown"]


class OpRow(Struct, frozen=True, kw_only=True):
    """All executions of one op, or of whatever the ops are grouped by."""

    place: Place
    type: str
    name: str
    module: str = ""
    shapes: str = ""
    occurrences: int
    total_ps: int
    # Without the ops inside it.
    self_ps: int
    min_ps: int
    max_ps: int
    # Of a host op: the kernels that it launched, itself and with the ops inside it.
    device_total_ps: int = 0
    # The kernels that it launched itself.
    device_self_ps: int = 0
    # Of the self time of all ops in the same place.
    share: float
    flops: float | None = None
    bytes: float | None = None
    # Per second.
    flop_rate: float | None = None
    bandwidth: float | None = None
    # Operations per byte.
    intensity: float | None = None
    # What limits it, by the roofline of the device.
    bound_by: BoundBy = "unknown"
    # Share of its kernels' time in those that use tensor cores.
    tensor_cores: float | None = None
    # Whether it ran outside of compiled code.
    is_eager: bool = False
    # "file.py:12", where the profile tells.
    source: str = ""
    # Of an instruction of XLA: "loop fusion", "custom-call", "dot".
    hlo_category: str = ""


class KernelRow(Struct, frozen=True, kw_only=True):
    """All executions of one kernel in one shape for one op."""

    name: str
    # The op that launched it, as the framework names it.
    op: str = ""
    module: str = ""
    # Blocks of threads, in three dimensions.
    grid: tuple[int, ...] = ()
    # Threads of a block, in three dimensions.
    block: tuple[int, ...] = ()
    # Registers of a thread; null where the profile does not tell.
    registers: int | None = None
    # Shared memory of a block; null where the profile does not tell.
    shared_bytes: int | None = None
    # Per cent: what the shape allows, and what was seen.
    occupancy: float | None = None
    # Per cent of the places for warps that were taken; null where it was not measured.
    achieved_occupancy: float | None = None
    tensor_cores: bool = False
    # Whether its op could use them.
    is_eligible: bool = False
    occurrences: int
    total_ps: int
    mean_ps: float
    min_ps: int
    max_ps: int
    # Of the time of all kernels.
    share: float
    # How long the device had nothing to do directly before these kernels, in sum.
    idle_before_ps: int = 0


# There may be tens of thousands; numbers under names refer to nothing.
class StepRow(Struct, frozen=True, kw_only=True, gc=False):
    number: int
    name: str
    host: str = ""
    start_ps: int
    end_ps: int
    parts: dict[Part, int]
    # Whether it took much longer than the others.
    is_outlier: bool = False

    @property
    def duration_ps(self) -> int:
        return self.end_ps - self.start_ps


class Spread(Struct, frozen=True, kw_only=True):
    mean: float
    # Standard deviation.
    deviation: float
    min: float
    max: float
    median: float


class Overview(Struct, frozen=True, kw_only=True):
    # Of every `steps_each` that follow each other on a host the longest; all where that is 1.
    steps: list[StepRow]
    # Of the whole profile.
    step_count: int = 0
    # How many steps each row stands for.
    steps_each: int = 1
    step_ps: Spread | None
    # Means over the steps.
    parts: dict[Part, float]
    # Indices into the steps.
    outliers: list[int]
    # Nothing marks steps: one was made up.
    is_synthetic: bool
    # Share of the time of the steps in which a device did anything; None without a device.
    device_busy: float | None = None
    # Share of the own time of all ops that was spent on devices, the rest on hosts; None without ops.
    device_op_share: float | None = None
    # Share of the device's processors that were in use; null where it was not measured.
    sm_efficiency: float | None = None
    # Per cent.
    occupancy: float | None = None
    # Share of the kernels' time in those that use tensor cores.
    tensor_core_share: float | None = None
    # Share of the computation in 16 bits.
    compute_16bit_share: float | None = None
    # Operations per second.
    flop_rate: float | None = None
    # Operations per second that the device can do; null where that is not known.
    peak_flop_rate: float | None = None
    # Models of the devices.
    device_names: list[str] = field(default_factory=list)
    # The ops that took longest.
    top_ops: list[OpRow] = field(default_factory=list)
    # Versions and settings that the profile tells.
    environment: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


Verdict = Literal["input", "both", "perhaps", "device", "unknown"]
Stage = Literal["read", "preprocess", "transfer", "wait"]


class StageRow(Struct, frozen=True, kw_only=True):
    stage: Stage
    # Picoseconds in a step.
    time_ps: int
    share: float


class IteratorRow(Struct, frozen=True, kw_only=True):
    """One node of a tf.data pipeline; its parent is an index into the rows, -1 for the last transformation."""

    name: str
    parent: int
    calls: int
    total_ps: int
    self_ps: int
    # Whether the pipeline waits for it most.
    is_bottleneck: bool = False


class LoaderRow(Struct, frozen=True, kw_only=True):
    """All calls of one function, or of one op, inside torch's DataLoader."""

    name: str
    # "file.py:12"
    source: str = ""
    # Whether it reads files or connections.
    is_read: bool = False
    calls: int
    total_ps: int
    # Without what it calls.
    self_ps: int


class InputPipeline(Struct, frozen=True, kw_only=True):
    # Of the time of the steps: waiting for input, and moving it to the device.
    input_share: float
    # How long each stage took.
    stages: list[StageRow]
    # As those of the overview.
    steps: list[StepRow]
    # Of the whole profile.
    step_count: int = 0
    # How many steps each row stands for.
    steps_each: int = 1
    # What the step waits for.
    verdict: Verdict
    # Nodes of tf.data pipelines.
    iterators: list[IteratorRow] = field(default_factory=list)
    # Calls inside torch's DataLoader.
    loaders: list[OpRow] = field(default_factory=list)
    # What runs inside the loaders, in the process of the training.
    inside: list[LoaderRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class MemoryCurve(Struct, frozen=True, kw_only=True):
    device: int | None
    host: str
    allocator: str
    times_ps: Int64
    allocated: Float64
    reserved: Float64 | None
    peak_ps: int
    peak_bytes: float
    limit_bytes: float | None = None
    # At the peak: how much of what the allocator holds is in use by nobody or in pieces, from 0 to 1.
    fragmentation: float | None = None


# What memory is for, as far as it can be known.
Region = Literal["parameters", "gradients", "optimizer state", "activations", "temporary", "unknown"]
REGIONS: tuple[Region, ...] = get_args(Region)


class AliveRow(Struct, frozen=True, kw_only=True):
    """Allocations that were alive at one moment and are alike."""

    op: str
    # Of the inputs of the op, where the profile does not tell that of the allocation.
    shape: str = ""
    type: str = ""
    region: Region = "unknown"
    module: str = ""
    bytes: int
    count: int
    # Of the largest of them: the event that tells most; None where there is none.
    event: int | None = None


class Allocations(Struct, frozen=True, kw_only=True):
    # -1: before the profile.
    start_ps: Int64
    # -1: it was never freed.
    end_ps: Int64
    bytes: Int64
    address: Int64
    # Text of the trace, -1 without; and the event, -1 without.
    op: Int32
    event: Int32
    # The event that tells of the allocation.
    told_by: Int32
    # Index into the allocators, which are a place (host, host/device) and a name.
    where: Int32
    allocators: list[tuple[str, str]]


class Measured(Struct, frozen=True, kw_only=True):
    """What a profile tells of memory, before anything is said about it."""

    curves: list[MemoryCurve]
    # None: no event tells of allocations.
    allocations: Allocations | None


class RegionSum(Struct, frozen=True, kw_only=True):
    region: Region
    bytes: int


class Suspect(Struct, frozen=True, kw_only=True):
    """Allocations that every step adds to, and that outlive the next one."""

    op: str
    module: str = ""
    bytes: int
    count: int
    # In how many steps some were made, and how many bytes are added by such a step.
    steps: int
    # What each step adds.
    step_bytes: float
    event: int | None = None


class Saving(Struct, frozen=True, kw_only=True):
    title: str
    evidence: str
    bytes: float
    # Of a step, of the device that computes it again, or of the host where the profile has no device; None: it costs no time, or that is not
    # known.
    cost_ps: float | None = None


class Moment(Struct, frozen=True, kw_only=True):
    """What was alive at one moment of one allocator."""

    # Index into the curves.
    curve: int
    time_ps: int
    bytes: float
    rows: list[AliveRow]
    regions: list[RegionSum]
    notes: list[str] = field(default_factory=list)


class MemoryView(Struct, frozen=True, kw_only=True):
    curves: list[MemoryCurve]
    # What was alive at the highest peak, alike ones together.
    at_peak: list[AliveRow]
    allocations: Allocations | None = None
    regions: list[RegionSum] = field(default_factory=list)
    suspects: list[Suspect] = field(default_factory=list)
    savings: list[Saving] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


# Why a program of XLA needs an allocation.
BufferKind = Literal["parameter", "constant", "output", "thread local", "temporary"]


class BufferRow(Struct, frozen=True, kw_only=True):
    """What one instruction keeps in an allocation of its program. Several share a place where they are not alive at once."""

    # The name of the HLO module.
    program: str
    # Its number in the program.
    allocation: int
    kind: BufferKind
    # Of the whole allocation.
    allocation_bytes: int
    # Where in the allocation it begins.
    offset_bytes: int
    bytes: int
    # The HLO instruction whose value it is.
    instruction: str
    # "loop fusion", the framework's name and "file.py:12", where the program tells.
    category: str = ""
    op: str = ""
    source: str = ""


class ProgramBuffers(Struct, frozen=True):
    """The largest allocation first."""

    rows: list[BufferRow]
    notes: list[str]


class Block(Struct, frozen=True, kw_only=True):
    """One allocation. Without a beginning it is older than the profile, without an end it was not freed."""

    start_ps: int | None
    end_ps: int | None
    bytes: int
    op: str
    module: str = ""
    region: Region = "unknown"
    event: int | None = None


class Blocks(Struct, frozen=True, kw_only=True):
    # The largest, in the order of their beginning.
    blocks: list[Block]
    # How many there are in all.
    count: int
    # What these do not account for: smaller blocks, and what is older than the profile.
    rest_times_ps: list[int]
    # Bytes of the allocations that are not listed, at each of these times.
    rest_bytes: list[float]


class Where(Struct, frozen=True, kw_only=True):
    """Where in the trace a finding shows."""

    from_ps: int
    to_ps: int
    event: int | None = None


class Finding(Struct, frozen=True, kw_only=True):
    """One line of advice. Without evidence there is none."""

    id: str
    title: str
    evidence: str
    # What to do.
    action: str
    # What it could gain at most in an average step, and as a share of it.
    gain_ps: float | None = None
    # What it would save at most, as a share of a step; null where that is not known.
    gain_share: float | None = None
    where: Where | None = None
    # The framework in whose words the action is; empty for any.
    framework: str = ""
    # "file.py:12"
    source: str = ""


class PartChange(Struct, frozen=True, kw_only=True):
    part: Part
    before_ps: float
    after_ps: float


class Cause(Struct, frozen=True, kw_only=True):
    """What explains a part of the difference between two profiles, per step."""

    kind: Literal["op", "kernel", "memory"]
    name: str
    before: float
    after: float
    # Calls in a step of the earlier profile.
    calls_before: float
    # Calls in a step of the later profile.
    calls_after: float
    # Of the difference of the step times.
    share: float | None = None


class Comparison(Struct, frozen=True, kw_only=True):
    before_ps: float
    after_ps: float
    parts: list[PartChange]
    # What explains the difference, the largest first.
    causes: list[Cause]
    # Ops of the earlier profile alone.
    gone: list[Finding]
    # Ops of the later profile alone.
    fresh: list[Finding]
    notes: list[str] = field(default_factory=list)
