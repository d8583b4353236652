"""Programs of XLA that a profile carries: what each instruction computes and moves, what it is, and where in the code it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

from msgspec import Struct

from runglass.native.wire import WireError, decode
from runglass.query.graphs.formats.hlo import list_modules, op_name
from runglass.query.profiles.formats.chrome import Reader
from runglass.query.profiles.stacks import is_framework
from runglass.schema.hlo import BUFFERS, DTYPES, HLO, TUPLE

# "jit_step(42)"
PROGRAM = re.compile(r".*\((\d+)\)")
# What a name of a kernel cannot have.
NOT_IN_KERNELS = re.compile(r"\W")
BITS = re.compile(r"\d+")
# Nothing is computed, only named, passed or moved.
FREE = frozenset(
    [
        "parameter",
        "constant",
        "tuple",
        "get-tuple-element",
        "bitcast",
        "copy",
        "copy-start",
        "copy-done",
        "reshape",
        "transpose",
        "broadcast",
        "slice",
        "dynamic-slice",
        "dynamic-update-slice",
        "concatenate",
        "pad",
        "gather",
        "scatter",
        "iota",
        "reverse",
        "while",
        "conditional",
        "call",
        "after-all",
        "partition-id",
        "replica-id",
        "opt-barrier",
        "infeed",
        "outfeed",
        "async-start",
        "async-update",
        "async-done",
    ]
)
CONTRACTING = re.compile(r'"lhs_contracting_dimensions":\s*\[([^\]]*)\]')
MAX_FRAMES = 100
# Of all programs of a file.
MAX_INSTRUCTIONS = 200_000
# Of a program, and of what is in one of its allocations: the largest.
MAX_ALLOCATIONS = 200
MAX_HELD = 100
# More than that is damage.
MOST = 1e15

# Operations, bytes, category, framework's name, "file.py:12".
Instruction = tuple[float, float, str, str, str]


class Programs(Struct):
    # By number of the program and name of the instruction, as kernels spell it.
    instructions: dict[str, dict[str, Instruction]]
    # By number of the program.
    buffers: dict[str, dict[str, Any]]
    # Of programs that are left out.
    problems: list[str]


def read_programs(reader: Reader) -> Programs:
    """One that is damaged costs no other."""
    problems: list[str] = []
    found: dict[str, dict[str, Instruction]] = {}
    buffers: dict[str, dict[str, Any]] = {}
    left = MAX_INSTRUCTIONS
    for module in list_modules(reader.read, reader.size_bytes):
        match = PROGRAM.fullmatch(module.name)
        if match is None or left <= 0:
            continue
        try:
            data = reader.read(module.start, module.end - module.start)
            program = decode(HLO, data).get("hlo_module", {})
            costs = dict(Costs(program))
            given = decode(BUFFERS, data).get("buffer_assignment", {})
            allocations = list_allocations(given, program)
        except (WireError, RecursionError) as error:
            problems.append(
                f"byte {module.start}: the program {module.name} is damaged ({error}); what its instructions compute, and its buffers, "
                "are left out"
            )
            continue
        found.setdefault(match[1], {}).update(costs)
        if allocations:
            buffers[match[1]] = {"name": module.name, "allocations": allocations}
        left -= len(costs)
    return Programs(found, buffers, problems)


def list_allocations(given: Mapping[str, Any], program: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The largest, with what is in each: instruction, its name as kernels spell it, place and size."""
    names = {
        each.get("id", 0): each.get("name", "")
        for computation in program.get("computations", ())
        for each in computation.get("instructions", ())
    }
    made_by = {}
    for each in given.get("logical_buffers", ()):
        place = each.get("defined_at", {})
        # Newer files have the number alone, and its upper half is the computation.
        number = place.get("instruction_id", 0)
        name = place.get("instruction_name") or names.get(number) or names.get(number & 0xFFFFFFFF)
        made_by[each.get("id", 0)] = name or ""
    largest = sorted(given.get("buffer_allocations", ()), key=lambda each: -each.get("size", 0))
    found = []
    for each in largest[:MAX_ALLOCATIONS]:
        held = sorted(each.get("assigned", ()), key=lambda value: -value.get("size", 0))[:MAX_HELD]
        found.append(
            {
                "index": each.get("index", 0),
                "kind": kind_of(each),
                "bytes": max(0, each.get("size", 0)),
                "holds": [
                    (
                        name := made_by.get(value.get("logical_buffer_id", 0), ""),
                        NOT_IN_KERNELS.sub("_", name),
                        max(0, value.get("offset", 0)),
                        max(0, value.get("size", 0)),
                    )
                    for value in held
                ],
            }
        )
    return found


def kind_of(allocation: Mapping[str, Any]) -> str:
    if allocation.get("is_entry_computation_parameter"):
        return "parameter"
    if allocation.get("is_constant"):
        return "constant"
    if allocation.get("maybe_live_out"):
        return "output"
    return "thread local" if allocation.get("is_thread_local") else "temporary"


class Costs:
    """The instructions of one program that run by themselves, not inside a fusion."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        self._index = module.get("stack_frame_index", {})
        self._computations = {each.get("id", 0): each for each in module.get("computations", ())}
        self._flops: dict[int, float] = {}

    def __iter__(self) -> Iterator[tuple[str, Instruction]]:
        inner = {
            called
            for computation in self._computations.values()
            for each in computation.get("instructions", ())
            if each.get("opcode") not in ("while", "conditional", "call", "async-start")
            for called in each.get("called_computation_ids", ())
        }
        for number, computation in self._computations.items():
            if number in inner:
                continue
            instructions = computation.get("instructions", ())
            by_id = {each.get("id", 0): each for each in instructions}
            for each in instructions:
                operands = [by_id.get(at, {}).get("shape", {}) for at in each.get("operand_ids", ())]
                opcode = each.get("opcode", "")
                if opcode in ("parameter", "constant", "tuple", "get-tuple-element", "bitcast"):
                    continue
                yield (
                    NOT_IN_KERNELS.sub("_", each.get("name", "")),
                    (
                        min(self._count(each, operands), MOST),
                        min(size_of(each.get("shape", {})) + sum(map(size_of, operands)), MOST),
                        category_of(each),
                        op_name(each),
                        self._source(each),
                    ),
                )

    def _count(self, instruction: Mapping[str, Any], operands: list[dict[str, Any]]) -> float:
        opcode, out = instruction.get("opcode", ""), elements(instruction.get("shape", {}))
        if opcode in FREE:
            return 0.0
        left = operands[0].get("dimensions", []) if operands else []
        if opcode == "dot":
            inner = instruction.get("dot_dimension_numbers", {}).get("lhs_contracting_dimensions", [])
            return 2.0 * out * prod(float(left[at]) for at in inner if 0 <= at < len(left))
        if opcode == "convolution" and len(operands) > 1:
            kernel = operands[1].get("dimensions", [])
            feature = instruction.get("convolution_dimension_numbers", {}).get(
                "kernel_output_feature_dimension", 0
            )
            return 2.0 * out * prod(float(size) for at, size in enumerate(kernel) if at != feature)
        if opcode == "custom-call":
            # A product that a library does: its options are text.
            options = bytes(instruction.get("backend_config", b"")).decode("utf-8", "replace")
            match = CONTRACTING.search(options)
            inner = [int(each) for each in BITS.findall(match[1])] if match is not None else []
            main = instruction.get("shape", {})
            main = (main.get("tuple_shapes") or [main])[0]
            depth = prod(float(left[at]) for at in inner if at < len(left))
            return 2.0 * elements(main) * depth if inner else 0.0
        if opcode == "fusion":
            return sum(map(self._body, instruction.get("called_computation_ids", ())))
        if opcode in ("reduce", "reduce-window", "sort", "select-and-scatter"):
            return sum(map(elements, operands[: max(len(operands) // 2, 1)]))
        return out

    def _body(self, number: int) -> float:
        if number not in self._flops:
            # Whatever calls itself finds this.
            self._flops[number] = 0.0
            instructions = self._computations.get(number, {}).get("instructions", ())
            by_id = {each.get("id", 0): each for each in instructions}
            self._flops[number] = sum(
                self._count(each, [by_id.get(at, {}).get("shape", {}) for at in each.get("operand_ids", ())])
                for each in instructions
            )
        return self._flops[number]

    def _source(self, instruction: Mapping[str, Any]) -> str:
        """The innermost line that is the user's."""
        metadata = instruction.get("metadata", {})
        at, first = metadata.get("stack_frame_id", 0), ""
        for _ in range(MAX_FRAMES):
            frame = item(self._index.get("stack_frames"), at)
            place = item(self._index.get("file_locations"), (frame or {}).get("file_location_id", 0))
            if frame is None or place is None:
                break
            file = item(self._index.get("file_names"), place.get("file_name_id", 0)) or ""
            said = f"{file}:{place.get('line', 0)}"
            if not is_framework(file):
                return said
            first, at = first or said, frame.get("parent_frame_id", 0)
        if not first and metadata.get("source_file"):
            first = f"{metadata['source_file']}:{metadata.get('source_line', 0)}"
        return first


def item(items: list[Any] | None, number: int) -> Any:
    """Ids count from 1."""
    return items[number - 1] if items and 1 <= number <= len(items) else None


def shapes_of(shape: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if shape.get("element_type") == TUPLE:
        for each in shape.get("tuple_shapes", ()):
            yield from shapes_of(each)
    else:
        yield shape


def elements(shape: Mapping[str, Any]) -> float:
    return sum(prod(float(max(0, size)) for size in each.get("dimensions", ())) for each in shapes_of(shape))


def size_of(shape: Mapping[str, Any]) -> float:
    """Bytes, without padding."""
    total = 0.0
    for each in shapes_of(shape):
        name = DTYPES.get(each.get("element_type", 0), "")
        bits = BITS.search(name)
        width = 8 if name == "bool" or bits is None else int(bits[0])
        total += elements(each) * width / 8 if name not in ("", "token", "opaque") else 0.0
    return total


def category_of(instruction: Mapping[str, Any]) -> str:
    """As XProf calls it: "loop fusion", "custom-call", "dot"."""
    opcode: str = instruction.get("opcode", "")
    kind: str = instruction.get("fusion_kind", "")
    return f"{kind.removeprefix('k').lower()} fusion" if opcode == "fusion" and kind else opcode
