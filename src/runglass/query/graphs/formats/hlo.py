"""Programs of XLA (HloProto), which profiles keep: one node per instruction, computations that others call as functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from runglass.native.wire import WireError, decode
from runglass.query.graphs.formats.attribute_text import bytes_text
from runglass.query.graphs.formats.build import GraphBuilder
from runglass.query.graphs.formats.skim import Window, read_varint
from runglass.query.graphs.model import Frame, Graph, GraphDamaged, Shape
from runglass.schema.hlo import DTYPES, HLO, TUPLE

FORMAT = "HLO"
PARAMETER = "parameter"
# What only moves or names values.
FREE = frozenset(
    {
        *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "reshape", "transpose", "copy"),
        *("broadcast", "slice", "concatenate", "iota", "copy-start", "copy-done", "dynamic-slice", "pad"),
    }
)
ATTRIBUTES = (
    "fusion_kind",
    "dimensions",
    "tuple_index",
    "channel_id",
    "custom_call_target",
    "parameter_number",
)
BACKEND_LIMIT = 1 << 20
METADATA_PLANE = "/host:metadata"
# A stack has no loops where it is whole.
MAX_FRAMES = 200
# A profile has a handful of planes with thousands of programs; a hostile one has endless fields of nothing.
MAX_FIELDS = 200_000


class Module(NamedTuple):
    """A program in an XSpace: its name, and where its HloProto stands."""

    name: str
    start: int
    end: int


def parse_hlo(data: bytes | memoryview) -> Graph:
    try:
        module = decode(HLO, data).get("hlo_module", {})
    except WireError as error:
        raise GraphDamaged(f"This is not an HloProto: {error}.") from None
    if not module.get("computations"):
        raise GraphDamaged("This is not an HloProto: it has no computations.")
    return HloReader(module).graph


class HloReader:
    def __init__(self, module: dict[str, Any]) -> None:
        self._module = module
        self._computations: dict[int, dict[str, Any]] = {
            each.get("id", 0): each for each in module["computations"]
        }
        self._labels = {number: str(each.get("name", number)) for number, each in self._computations.items()}
        self._flops: dict[int, float] = {}
        entry = self._computations.get(module.get("entry_computation_id", 0)) or module["computations"][-1]
        # Parameters have names of their own, without a scope.
        scoped = (op_name(each) for each in entry.get("instructions", ()) if "/" in op_name(each))
        self._prefix = common_scope(scoped)
        self._functions = Computations(
            {self._labels[number]: each for number, each in self._computations.items() if each is not entry},
            self._read,
        )
        self.graph = self._read(entry)

    def _read(self, computation: dict[str, Any]) -> Graph:
        builder = GraphBuilder(FORMAT)
        instructions = computation.get("instructions", [])
        # Arguments of a graph come first, in order.
        instructions = sorted(
            instructions,
            key=lambda each: each.get("parameter_number", 0) if each.get("opcode") == PARAMETER else math.inf,
        )
        by_id = {each.get("id", 0): each for each in instructions}
        numbers: dict[int, int] = {}
        calls: dict[int, tuple[str, ...]] = {}
        for each in instructions:
            shapes, dtypes = read_shape(each.get("shape", {}))
            number = builder.add(
                each.get("name", ""),
                each.get("opcode", ""),
                path=self._path(each),
                shapes=shapes,
                dtypes=dtypes,
                attributes=partial(attributes, each),
                source=partial(self._source, each),
                flops=self._count(each, by_id),
            )
            numbers[each.get("id", 0)] = number
            called = tuple(
                self._labels[inner]
                for inner in each.get("called_computation_ids", ())
                if self._labels.get(inner) in self._functions
            )
            if called:
                calls[number] = tuple(dict.fromkeys(called))
        for each in instructions:
            end = numbers[each.get("id", 0)]
            for control, ids in ((False, "operand_ids"), (True, "control_predecessor_ids")):
                for operand in each.get(ids, ()):
                    builder.connect(numbers.get(operand), end, control=control, name=f"instruction {operand}")
        return builder.finish(
            functions=self._functions,
            calls=calls,
            arguments=sum(each.get("opcode") == PARAMETER for each in instructions),
            ends_in_file=True,
        )

    def _path(self, instruction: dict[str, Any]) -> str:
        """Where the code that it comes from stands, and its name."""
        scope = op_name(instruction).removeprefix(self._prefix).rpartition("/")[0]
        name = instruction.get("name", "")
        return f"{scope}/{name}" if scope else name

    def _count(self, instruction: dict[str, Any], by_id: dict[int, dict[str, Any]]) -> float:
        opcode = instruction.get("opcode", "")
        out = count(instruction.get("shape", {}))
        operands = [by_id.get(each, {}).get("shape", {}) for each in instruction.get("operand_ids", ())]
        if opcode in FREE:
            return 0.0
        if opcode == "dot" and operands:
            left = operands[0].get("dimensions", [])
            inner = instruction.get("dot_dimension_numbers", {}).get("lhs_contracting_dimensions", [])
            return 2.0 * out * float(math.prod(left[at] for at in inner if 0 <= at < len(left)))
        if opcode == "convolution" and len(operands) > 1:
            kernel = operands[1].get("dimensions", [])
            numbers = instruction.get("convolution_dimension_numbers", {})
            feature = numbers.get("kernel_output_feature_dimension", 0)
            return 2.0 * out * float(math.prod(size for at, size in enumerate(kernel) if at != feature))
        if opcode in {"fusion", "call"}:
            bodies = instruction.get("called_computation_ids", ())
            return sum(self._body_flops(each) for each in bodies) or math.nan
        return math.nan

    def _body_flops(self, number: int) -> float:
        """Of the products in a computation; the rest of a fusion is not worth counting beside them."""
        if number not in self._flops:
            # Whatever calls itself finds this.
            self._flops[number] = 0.0
            instructions = self._computations.get(number, {}).get("instructions", ())
            by_id = {each.get("id", 0): each for each in instructions}
            found = [self._count(each, by_id) for each in instructions]
            self._flops[number] = sum(each for each in found if not math.isnan(each))
        return self._flops[number]

    def _source(self, instruction: dict[str, Any]) -> tuple[Frame, ...]:
        metadata = instruction.get("metadata", {})
        index = self._module.get("stack_frame_index", {})
        frames: list[Frame] = []
        at = metadata.get("stack_frame_id", 0)
        while at and len(frames) < MAX_FRAMES:
            frame = item(index.get("stack_frames"), at)
            place = item(index.get("file_locations"), (frame or {}).get("file_location_id", 0))
            if frame is None or place is None:
                break
            file = item(index.get("file_names"), place.get("file_name_id", 0)) or ""
            function = item(index.get("function_names"), place.get("function_name_id", 0)) or ""
            frames.append(Frame(file, place.get("line", 0), function))
            at = frame.get("parent_frame_id", 0)
        if not frames and metadata.get("source_file"):
            frames.append(Frame(metadata["source_file"], metadata.get("source_line", 0)))
        return tuple(reversed(frames))


class Computations(Mapping[str, Graph]):
    """Computations by name, made when they are asked for."""

    def __init__(
        self, computations: dict[str, dict[str, Any]], make: Callable[[dict[str, Any]], Graph]
    ) -> None:
        self._computations = computations
        self._make = make
        self._made: dict[str, Graph] = {}

    def __len__(self) -> int:
        return len(self._computations)

    def __iter__(self) -> Iterator[str]:
        return iter(self._computations)

    def __contains__(self, name: object) -> bool:
        return name in self._computations

    def __getitem__(self, name: str) -> Graph:
        if name not in self._made:
            self._made[name] = self._make(self._computations[name])
        return self._made[name]


def op_name(instruction: dict[str, Any]) -> str:
    name: str = instruction.get("metadata", {}).get("op_name", "")
    return name


def common_scope(names: Iterator[str]) -> str:
    """What all scopes begin with, such as "jit(step)/jit(main)/"."""
    shared: list[str] | None = None
    for name in names:
        parts = name.split("/")[:-1]
        if shared is None:
            shared = parts
        while shared and parts[: len(shared)] != shared:
            shared = shared[:-1]
    return "".join(f"{part}/" for part in shared or ())


def item(items: list[Any] | None, number: int) -> Any:
    """Ids count from 1."""
    return items[number - 1] if items and 1 <= number <= len(items) else None


def read_shape(shape: dict[str, Any]) -> tuple[list[Shape | None], list[str]]:
    """Of all outputs: a tuple has several."""
    outputs = shape.get("tuple_shapes", []) if shape.get("element_type") == TUPLE else [shape]
    return (
        [
            None
            if each.get("element_type") == TUPLE
            else tuple(max(0, size) for size in each.get("dimensions", ()))
            for each in outputs
        ],
        [DTYPES.get(each.get("element_type", 0), "") for each in outputs],
    )


def count(shape: dict[str, Any]) -> float:
    return float(math.prod(max(0, size) for size in shape.get("dimensions", ())))


def attributes(instruction: dict[str, Any]) -> dict[str, Any]:
    found = {name: instruction[name] for name in ATTRIBUTES if name in instruction}
    if instruction.get("opcode") == PARAMETER:
        found.setdefault("parameter_number", 0)
    metadata = instruction.get("metadata", {})
    found.update({name: metadata[name] for name in ("op_type", "op_name") if metadata.get(name)})
    if instruction.get("backend_config"):
        found["backend_config"] = bytes_text(instruction["backend_config"], BACKEND_LIMIT)
    return found


def list_modules(read: Callable[[int, int], bytes], size: int) -> list[Module]:
    """The programs in an XSpace file, found without reading what else is in it."""
    window = Window(read, size)
    found: list[Module] = []
    for number, start, end in fields(window, 0, size):
        if number == 1 and plane_name(window, start, end) == METADATA_PLANE:
            for field, at, stop in fields(window, start, end):
                if field == 4:
                    found += read_entry(window, at, stop)
    return found


def fields(window: Window, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Number, start and end of every field with a length. Stops where the bytes make no sense, and after very many."""
    at = start
    for _ in range(MAX_FIELDS):
        if at >= end:
            return
        head = window.take(at, min(20, end - at))
        try:
            key, used = read_varint(head, 0, at)
            length, used = read_varint(head, used, at) if key & 7 in (0, 2) else (0, used)
        except GraphDamaged:
            return
        if key & 7 == 2:
            if length > end - at - used:
                return
            yield key >> 3, at + used, at + used + length
            used += length
        elif key & 7 in (1, 5):
            used += 8 if key & 7 == 1 else 4
        elif key & 7 != 0:
            return
        at += used


def plane_name(window: Window, start: int, end: int) -> str:
    for number, at, stop in fields(window, start, end):
        if number == 2:
            return window.take(at, min(stop - at, 1000)).decode("utf-8", "replace")
        if number > 2:
            break
    return ""


def read_entry(window: Window, start: int, end: int) -> Iterator[Module]:
    """An entry of the map of event metadata: its name, and a stat with bytes."""
    for number, at, stop in fields(window, start, end):
        if number != 2:
            continue
        name = ""
        for field, begin, finish in fields(window, at, stop):
            if field == 2:
                name = window.take(begin, min(finish - begin, 1000)).decode("utf-8", "replace")
            elif field == 5:
                for inner, first, last in fields(window, begin, finish):
                    if inner == 6:
                        yield Module(name, first, last)
