from pathlib import Path

from runglass.native.trace_rows import TraceRows
from runglass.query.graphs.formats.hlo import list_modules
from runglass.query.profiles.formats.programs import Costs, read_programs
from runglass.query.profiles.formats.xplane import read
from runglass.query.profiles.read import Content

GOLDEN = Path(__file__).parents[5] / "tests" / "golden"

F32, BF16, TUPLE = 11, 16, 13


def shape(*dimensions: int, kind: int = F32):
    return {"element_type": kind, "dimensions": list(dimensions)}


def instruction(number: int, opcode: str, shaped, operands=(), **more):
    return {
        "id": number,
        "name": f"{opcode}.{number}",
        "opcode": opcode,
        "shape": shaped,
        "operand_ids": list(operands),
        **more,
    }


def module(*computations):
    return {
        "computations": [{"id": at, "instructions": list(each)} for at, each in enumerate(computations, 1)]
    }


def test_products_reductions_and_moves():
    found = dict(
        Costs(
            module(
                [
                    instruction(1, "parameter", shape(8, 16)),
                    instruction(2, "parameter", shape(16, 4)),
                    instruction(
                        3,
                        "dot",
                        shape(8, 4),
                        [1, 2],
                        dot_dimension_numbers={"lhs_contracting_dimensions": [1]},
                    ),
                    instruction(4, "reduce", shape(8), [3, 2]),
                    instruction(5, "copy", shape(8, 4), [3]),
                    instruction(6, "add", shape(8, 4, kind=BF16), [3, 3]),
                    instruction(
                        7,
                        "custom-call",
                        {"element_type": TUPLE, "tuple_shapes": [shape(8, 4), shape(100)]},
                        [1, 2],
                        backend_config=b'{"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"]}}}',
                    ),
                ]
            )
        )
    )
    assert {name: cost[:2] for name, cost in found.items()} == {
        "dot_3": (2 * 8 * 4 * 16, 4 * (8 * 16 + 16 * 4 + 8 * 4)),
        "reduce_4": (8 * 4, 4 * (8 + 8 * 4 + 16 * 4)),
        "copy_5": (0, 2 * 4 * 8 * 4),
        "add_6": (8 * 4, 2 * 8 * 4 + 2 * 4 * 8 * 4),
        "custom_call_7": (2 * 8 * 4 * 16, 4 * (8 * 4 + 100 + 8 * 16 + 16 * 4)),
    }


def test_a_fusion_is_its_body_and_one_that_calls_itself_ends():
    body = [instruction(1, "parameter", shape(4)), instruction(2, "exponential", shape(4), [1])]
    endless = [instruction(1, "fusion", shape(4), called_computation_ids=[3])]
    entry = [
        instruction(1, "fusion", shape(4), called_computation_ids=[1], fusion_kind="kLoop"),
        instruction(2, "fusion", shape(4), called_computation_ids=[3]),
    ]
    found = dict(Costs(module(body, entry, endless)))
    assert {name: (cost[0], cost[2]) for name, cost in found.items()} == {
        "fusion_1": (4, "loop fusion"),
        "fusion_2": (0, "fusion"),
    }


def test_the_innermost_line_of_the_user():
    frames = {
        "file_names": ["/x/site-packages/jax/api.py", "train.py"],
        "function_names": ["jit", "step"],
        "file_locations": [{"file_name_id": 1, "line": 3}, {"file_name_id": 2, "line": 12}],
        "stack_frames": [{"file_location_id": 2}, {"file_location_id": 1, "parent_frame_id": 1}],
    }
    made = module(
        [instruction(1, "add", shape(2), metadata={"stack_frame_id": 2, "op_name": "jit(step)/add"})]
    )
    assert dict(Costs({**made, "stack_frame_index": frames}))["add_1"][3:] == ("jit(step)/add", "train.py:12")
    # Ids of frames that are not there, and dimensions that no memory holds.
    made = module([instruction(1, "add", shape(*[2**62] * 40), metadata={"stack_frame_id": 9})])
    assert dict(Costs({**made, "stack_frame_index": frames}))["add_1"] == (1e15, 1e15, "add", "", "")


def test_a_damaged_program_costs_no_other():
    (path,) = (GOLDEN / "profiles" / "jax_profile_gpu").rglob("*.xplane.pb")
    data = bytearray(path.read_bytes())
    reader = Content(bytes(data))
    whole = read_programs(reader)
    assert whole.problems == []
    damaged = next(
        each for each in list_modules(reader.read, reader.size_bytes) if each.name == "jit__normal(4640)"
    )
    # Its first field is longer than all of it.
    data[damaged.start + 1 : damaged.start + 4] = b"\xff\xff\x7f"
    rows = TraceRows()
    file = read(Content(bytes(data)), "vm.xplane.pb", rows)
    assert set(file.metadata["programs"]) == set(whole.instructions) - {"4640"}
    (problem,) = rows.problems
    assert problem.startswith(
        f"vm.xplane.pb: byte {damaged.start}: the program jit__normal(4640) is damaged ("
    )
    undamaged = TraceRows()
    read(reader, "vm.xplane.pb", undamaged)
    assert rows.count == undamaged.count > 0
