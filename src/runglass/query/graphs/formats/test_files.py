"""Files with graphs: told apart by their content, listed beside the logs, and read from a run."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

import runglass
from runglass.native.wire import Field, Message, encode
from runglass.query.graphs.formats.files import find_format
from runglass.query.graphs.formats.hlo import Module, list_modules, parse_hlo
from runglass.query.graphs.formats.hlo_profile import read_module_profile
from runglass.query.graphs.model import Frame, GraphDamaged, GraphUnknown
from runglass.query.graphs.read import list_graphs, read_file, read_profile
from runglass.schema.graph import GRAPH
from runglass.schema.hlo import BUFFERS, HLO, INSTRUCTION

NODES = [{"name": "a", "op": "Const"}, {"name": "b", "op": "Identity", "input": ["a"]}]
META_GRAPH = Message("MetaGraphDef", Field(1, "meta_info_def", "bytes"), Field(2, "graph_def", GRAPH))
SAVED_MODEL = Message(
    "SavedModel", Field(1, "version", "int64"), Field(2, "meta_graphs", META_GRAPH, repeated=True)
)
XSPACE = Message(
    "XSpace",
    Field(
        1,
        "planes",
        Message(
            "XPlane",
            Field(1, "id", "int64"),
            Field(2, "name", "string"),
            Field(3, "lines", "bytes", repeated=True),
            Field(5, "stat_metadata", Message("XStatMetadata", Field(2, "name", "string")), key="int64"),
            Field(
                4,
                "event_metadata",
                Message(
                    "XEventMetadata",
                    Field(1, "id", "int64"),
                    Field(2, "name", "string"),
                    Field(
                        5,
                        "stats",
                        Message("XStat", Field(1, "id", "int64"), Field(6, "bytes_value", "bytes")),
                        repeated=True,
                    ),
                ),
                key="int64",
            ),
        ),
        repeated=True,
    ),
)
# INSTRUCTION with the field that is never decoded.
STAT = Message(
    "XStat",
    Field(1, "metadata_id", "int64"),
    Field(3, "uint64_value", "uint64"),
    Field(5, "str_value", "string"),
    Field(7, "ref_value", "uint64"),
)
EVENT = Message(
    "XEvent",
    Field(1, "metadata_id", "int64"),
    Field(3, "duration_ps", "int64"),
    Field(4, "stats", STAT, repeated=True),
)
LINE = Message("XLine", Field(4, "events", EVENT, repeated=True))
LITERAL = Message("HloInstructionProto", *INSTRUCTION.fields, Field(8, "literal", "bytes"))


def hlo(**more):
    f32 = {"element_type": 11, "dimensions": [4, 8]}
    metadata = {"op_name": "jit(f)/layer/dot_general", "stack_frame_id": 2}
    literal = encode(LITERAL, {"name": "c", "opcode": "constant", "id": 9, "literal": bytes(100_000)})
    fused = [
        {"name": "p", "opcode": "parameter", "id": 1, "shape": {"element_type": 11, "dimensions": [4, 16]}},
        {
            "name": "q",
            "opcode": "parameter",
            "id": 2,
            "parameter_number": 1,
            "shape": {"element_type": 11, "dimensions": [16, 8]},
        },
        {
            "name": "dot",
            "opcode": "dot",
            "id": 3,
            "operand_ids": [1, 2],
            "shape": f32,
            "dot_dimension_numbers": {"lhs_contracting_dimensions": [1]},
        },
    ]
    entry = [
        {"name": "late", "opcode": "parameter", "id": 5, "parameter_number": 1, "shape": f32},
        {"name": "first", "opcode": "parameter", "id": 4, "shape": f32},
        {
            "name": "fusion",
            "opcode": "fusion",
            "id": 6,
            "operand_ids": [4, 5],
            "called_computation_ids": [1],
            "metadata": metadata,
            "shape": f32,
        },
        {
            "name": "pair",
            "opcode": "tuple",
            "id": 7,
            "operand_ids": [6, 99],
            "control_predecessor_ids": [5],
            "shape": {"element_type": 13, "tuple_shapes": [f32, {"element_type": 1}]},
            "metadata": {"op_name": "jit(f)/layer/sub/tuple"},
        },
        literal,
    ]
    frames = {
        "file_names": ["f.py"],
        "function_names": ["main", "layer"],
        "file_locations": [
            {"file_name_id": 1, "function_name_id": 1, "line": 3},
            {"file_name_id": 1, "function_name_id": 2, "line": 8},
        ],
        "stack_frames": [{"file_location_id": 1}, {"file_location_id": 2, "parent_frame_id": 1}],
    }
    module = {
        "name": "jit_f",
        "entry_computation_name": "main",
        "entry_computation_id": 2,
        "computations": [
            {"name": "fused", "id": 1, "instructions": fused},
            {"name": "main", "id": 2, "instructions": entry},
        ],
        "stack_frame_index": frames,
        **more,
    }
    return encode(HLO, {"hlo_module": module})


def keras_archive():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        layers = [{"class_name": "Dense", "config": {"name": "d", "units": 2}}]
        packed.writestr(
            "config.json", json.dumps({"class_name": "Sequential", "config": {"name": "s", "layers": layers}})
        )
        packed.writestr("model.weights.h5", b"\x89HDF")
    return out.getvalue()


TEXT = """# written by hand
node { name: "a" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "rate" value { f: 1.5e-3 } } attr { key: "x" value { s: "\\000\\377" } } }
node { name: "b" op: "Identity" input: "a" attr { key: "on" value { b: true } } experimental_type { type_id: TFT_PRODUCT } }
library { } versions { producer: 22 }
"""
GRAPHS = {
    "graph.pb": encode(GRAPH, {"node": NODES}),
    "graph.pbtxt": TEXT.encode(),
    "saved_model.pb": encode(
        SAVED_MODEL,
        {"version": 1, "meta_graphs": [{"meta_info_def": b"\x22\x05serve", "graph_def": {"node": NODES}}]},
    ),
    "model.ckpt.meta": encode(META_GRAPH, {"meta_info_def": b"\x0a\x00", "graph_def": {"node": NODES}}),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("is_named", [True, False])
def test_graph_defs_in_their_wrappings(name, is_named):
    graph = read_file(name if is_named else "dropped", GRAPHS[name])
    assert (graph.format, graph.names, graph.edge_from.tolist()) == ("GraphDef", ["a", "b"], [0])


def test_a_graph_as_text():
    graph = read_file("g", TEXT.encode())
    assert {name: each.text for name, each in graph.attributes(0).items()} == {
        "dtype": "f32",
        "rate": "0.0015",
        "x": "\\x00\\xff",
    }
    assert graph.values(1) == {"on": True}
    with pytest.raises(GraphDamaged, match=r"as text: line 2: expected ':' after op"):
        read_file("g.pbtxt", b'node { name: "a"\nop "x" }')
    with pytest.raises(GraphDamaged, match="closing quote"):
        read_file("g.pbtxt", b'node { name: "a }')


def test_other_formats_by_content():
    assert read_file("dropped", hlo()).format == "HLO"
    assert read_file("dropped", keras_archive()).names == ["s/d"]


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"\xff\xfe\x00", bytes(100), b"%PDF-1.4", b"\x80\x04\x95pickle"]
)
@pytest.mark.parametrize(
    "name", ["x", "x.pb", "x.onnx", "x.pt2", "x.pbtxt", "x.json", "x.hlo_proto.pb", "saved_model.pb"]
)
def test_what_is_no_graph(name, data):
    with pytest.raises(GraphDamaged):
        read_file(name, data)


def test_formats_by_name():
    names = [
        "a/m.onnx",
        "m.pt2",
        "frozen.pb",
        "graph.pbtxt",
        "projector_config.pbtxt",
        "vm.xplane.pb",
        "f.hlo_proto.pb",
        "x.txt",
    ]
    assert [find_format(name) for name in names] == [
        *("ONNX", "torch.export", "GraphDef", "GraphDef", None, None, "HLO", None)
    ]


def test_programs_of_xla():
    graph = parse_hlo(hlo())
    assert graph.names == ["first", "late", "fusion", "pair", "c"]
    assert graph.paths == ["first", "late", "fusion", "sub/pair", "c"]
    assert (graph.arguments, graph.file_nodes) == (2, range(5))
    assert graph.edge_from.tolist() == [0, 1, 2, -1, 1]
    assert graph.edge_control.tolist() == [False, False, False, False, True]
    assert graph.missing == {3: "instruction 99"}
    assert graph.shapes(3) == ((4, 8), ())
    assert graph.dtypes(3) == ("f32", "bool")
    assert graph.calls == {2: ("fused",)}
    assert graph.functions["fused"].names == ["p", "q", "dot"]
    # The product inside the fusion.
    assert graph.flops[2] == graph.functions["fused"].flops[2] == 2 * 4 * 8 * 16
    assert graph.source(2) == (Frame("f.py", 3, "main"), Frame("f.py", 8, "layer"))
    with pytest.raises(GraphDamaged, match="no computations"):
        parse_hlo(b"")


def test_a_computation_that_calls_itself():
    instructions = [{"name": "again", "opcode": "call", "id": 1, "called_computation_ids": [1]}]
    loop = {"name": "loop", "id": 1, "instructions": instructions}
    main = {
        "name": "main",
        "id": 2,
        "instructions": [{"name": "go", "opcode": "call", "id": 3, "called_computation_ids": [1, 7]}],
    }
    graph = parse_hlo(hlo(computations=[loop, main]))
    assert graph.calls == {0: ("loop",)}
    assert graph.functions["loop"].calls == {0: ("loop",)}


def xspace(program):
    stats = [{"id": 1, "bytes_value": program}]
    planes = [
        {"name": "/device:GPU:0", "lines": [bytes(3_000_000)]},
        {
            "id": 3,
            "name": "/host:metadata",
            "event_metadata": {7: {"id": 7, "name": "jit_f(7)", "stats": stats}},
        },
        {"name": "/host:CPU", "event_metadata": {1: {"name": "other", "stats": stats}}},
    ]
    return encode(XSPACE, {"planes": planes})


def test_programs_in_a_profile_are_found_without_reading_the_rest():
    program = hlo()
    data = xspace(program)
    total = 0

    def read(offset, size):
        nonlocal total
        total += min(size, len(data) - offset)
        return data[offset : offset + size]

    (found,) = list_modules(read, len(data))
    assert found == Module("jit_f(7)", data.index(program), data.index(program) + len(program))
    assert total < 2_000_000 < len(data)
    assert list_modules(lambda at, size: data[:-200_000][at : at + size], len(data) - 200_000) == []


def test_what_a_program_took():
    f32 = {"element_type": 11, "dimensions": [4]}
    instructions = [
        {"name": f"dot.{number}", "opcode": "dot", "id": number, "shape": f32} for number in (1, 2, 3)
    ]
    program = encode(
        HLO, {"hlo_module": {"computations": [{"name": "main", "id": 1, "instructions": instructions}]}}
    )
    program += encode(
        BUFFERS,
        {
            "buffer_assignment": {
                "logical_buffers": [
                    {"size": 100, "defined_at": {"instruction_id": 1}},
                    {"size": 20, "defined_at": {"instruction_name": "dot.1"}},
                    {"size": 7, "defined_at": {"instruction_id": 99}},
                ]
            }
        },
    )

    def event(metadata_id, duration_ps, op, program_id=7):
        stats = [{"metadata_id": 1, **op}, {"metadata_id": 2, "uint64_value": program_id}]
        return {"metadata_id": metadata_id, "duration_ps": duration_ps, "stats": stats}

    line = encode(
        LINE,
        {
            "events": [
                event(1, 2_000_000, {"str_value": "dot.1"}),
                event(1, 3_000_000, {"ref_value": 3}),
                event(2, 1_000_000, {"str_value": "command_buffer_1"}),
                event(1, 9_000_000, {"str_value": "dot.3"}, program_id=8),
                {"metadata_id": 1, "duration_ps": 5},
            ]
        },
    )
    names = {1: {"name": "hlo_op"}, 2: {"name": "program_id"}, 3: {"name": "dot.1"}}
    planes = [
        {
            "name": "/host:metadata",
            "event_metadata": {7: {"name": "jit_f(7)", "stats": [{"id": 1, "bytes_value": program}]}},
        },
        {
            "name": "/device:GPU:0",
            "lines": [line],
            "event_metadata": {1: {"name": "kernel"}, 2: {"name": "dot_2"}},
            "stat_metadata": names,
        },
        {"name": "/host:CPU", "lines": [line]},
    ]
    data = encode(XSPACE, {"planes": planes})

    def read(offset, size):
        return data[offset : offset + size]

    (module,) = list_modules(read, len(data))
    profile = read_module_profile(read, len(data), module)
    assert profile is not None
    assert profile.time_us == {"/device:GPU:0": {"dot.1": 5.0, "dot.2": 1.0}}
    assert profile.memory() == {"dot.1": 120.0}
    assert read_module_profile(read, len(data), module._replace(name="jit_f(9)")) is None
    assert read_module_profile(read, len(data), module._replace(name="odd")) is None


def test_files_of_a_run(tmp_path):
    run = tmp_path / "run"
    session = run / "plugins/profile/today"
    session.mkdir(parents=True)
    for name, data in GRAPHS.items():
        (run / name).write_bytes(data)
    (run / "fingerprint.pb").write_bytes(b"\x08\x01")
    (run / "best.keras").write_bytes(keras_archive())
    (session / "vm.xplane.pb").write_bytes(xspace(hlo()))
    (session / "jit_g.hlo_proto.pb").write_bytes(hlo())
    (session / "ALL_HOSTS.op_stats.pb").write_bytes(b"\x0a\x00")
    log = runglass.open(tmp_path)
    names = [
        "best.keras",
        *sorted(GRAPHS),
        "plugins/profile/today/jit_g.hlo_proto.pb",
        "plugins/profile/today/vm.xplane.pb/jit_f(7)",
    ]
    assert log.graphs("run") == names
    assert [len(log.graph("run", name).nodes) for name in names] == [1, 2, 2, 2, 2, 5, 5]
    assert all(info.is_asset and info.steps == () for info in list_graphs(log.source))
    # No event of the profile is of the program.
    assert read_profile(log.source, "run", names[-1]) is None
    with pytest.raises(GraphUnknown, match=r"no graph 'other', only 'best\.keras'"):
        log.graph("run", "other")
    (run / "graph.pb").write_bytes(b"\xff\xff\xff")
    log.reload()
    with pytest.raises(GraphDamaged, match="not a GraphDef"):
        log.graph("run", "graph.pb")


def test_a_large_frozen_graph_is_read_without_its_weights(tmp_path):
    weights = {
        "tensor": {
            "dtype": 1,
            "tensor_shape": {"dim": [{"size": 2_000_000}]},
            "tensor_content": bytes(8_000_000),
        }
    }
    nodes = [{"name": "w", "op": "Const", "attr": {"value": weights, "dtype": {"type": 1}}}, *NODES]
    (tmp_path / "frozen_graph.pb").write_bytes(encode(GRAPH, {"node": nodes}))
    graph = runglass.open(tmp_path).graph(".", "frozen_graph.pb")
    assert graph.node("w").shapes == ((2_000_000,),)
    assert graph.columns.attributes(0)["value"].text == "f32[2000000]"
