"""Programs of XLA as a profile keeps them: the fields that a graph viewer needs. Literals have no field, so they are skipped."""

from __future__ import annotations

from runglass.native.wire import Field, Message

# PrimitiveType to the short name of a data type.
DTYPES = {
    **dict(enumerate(("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"), 1)),
    **dict(
        enumerate(("tuple", "opaque", "c64", "bf16", "token", "c128", "f8e5m2", "f8e4m3fn", "i4", "u4"), 13)
    ),
    **dict(enumerate(("i2", "u2", "f8e4m3"), 26)),
}
TUPLE = 13

SHAPE = Message("xla.ShapeProto")
SHAPE.define(
    Field(2, "element_type", "enum"),
    Field(3, "dimensions", "int64", repeated=True),
    Field(4, "tuple_shapes", SHAPE, repeated=True),
    Field(6, "is_dynamic_dimension", "bool", repeated=True),
)
OP_METADATA = Message(
    "xla.OpMetadata",
    Field(1, "op_type", "string"),
    Field(2, "op_name", "string"),
    Field(3, "source_file", "string"),
    Field(4, "source_line", "int32"),
    Field(15, "stack_frame_id", "int32"),
)
DOT_DIMENSIONS = Message(
    "xla.DotDimensionNumbers",
    Field(1, "lhs_contracting_dimensions", "int64", repeated=True),
    Field(2, "rhs_contracting_dimensions", "int64", repeated=True),
)
CONVOLUTION_DIMENSIONS = Message(
    "xla.ConvolutionDimensionNumbers", Field(4, "kernel_output_feature_dimension", "int64")
)
INSTRUCTION = Message(
    "xla.HloInstructionProto",
    Field(1, "name", "string"),
    Field(2, "opcode", "string"),
    Field(3, "shape", SHAPE),
    Field(7, "metadata", OP_METADATA),
    Field(9, "parameter_number", "int64"),
    Field(11, "fusion_kind", "string"),
    Field(13, "tuple_index", "int64"),
    Field(14, "dimensions", "int64", repeated=True),
    Field(16, "convolution_dimension_numbers", CONVOLUTION_DIMENSIONS),
    Field(26, "channel_id", "int64"),
    Field(28, "custom_call_target", "string"),
    Field(30, "dot_dimension_numbers", DOT_DIMENSIONS),
    Field(35, "id", "int64"),
    Field(36, "operand_ids", "int64", repeated=True),
    Field(37, "control_predecessor_ids", "int64", repeated=True),
    Field(38, "called_computation_ids", "int64", repeated=True),
    Field(43, "backend_config", "bytes"),
)
COMPUTATION = Message(
    "xla.HloComputationProto",
    Field(1, "name", "string"),
    Field(2, "instructions", INSTRUCTION, repeated=True),
    Field(5, "id", "int64"),
    Field(6, "root_id", "int64"),
)
FILE_LOCATION = Message(
    "xla.StackFrameIndexProto.FileLocation",
    Field(1, "file_name_id", "int32"),
    Field(2, "function_name_id", "int32"),
    Field(3, "line", "int32"),
)
STACK_FRAME = Message(
    "xla.StackFrameIndexProto.StackFrame",
    Field(1, "file_location_id", "int32"),
    Field(2, "parent_frame_id", "int32"),
)
# Ids count from 1; 0 is none.
STACK_FRAME_INDEX = Message(
    "xla.StackFrameIndexProto",
    Field(1, "file_names", "string", repeated=True),
    Field(2, "function_names", "string", repeated=True),
    Field(3, "file_locations", FILE_LOCATION, repeated=True),
    Field(4, "stack_frames", STACK_FRAME, repeated=True),
)
MODULE = Message(
    "xla.HloModuleProto",
    Field(1, "name", "string"),
    Field(2, "entry_computation_name", "string"),
    Field(3, "computations", COMPUTATION, repeated=True),
    Field(6, "entry_computation_id", "int64"),
    Field(17, "stack_frame_index", STACK_FRAME_INDEX),
)
HLO = Message("xla.HloProto", Field(1, "hlo_module", MODULE))

# Which memory a program needs: a buffer for what an instruction makes.
BUFFERS = Message(
    "xla.HloProto",
    Field(
        3,
        "buffer_assignment",
        Message(
            "xla.BufferAssignmentProto",
            Field(
                1,
                "logical_buffers",
                Message(
                    "xla.LogicalBufferProto",
                    Field(1, "id", "int64"),
                    Field(2, "size", "int64"),
                    Field(
                        3,
                        "defined_at",
                        Message(
                            "xla.LogicalBufferProto.Location",
                            Field(2, "instruction_name", "string"),
                            Field(4, "instruction_id", "int64"),
                        ),
                    ),
                ),
                repeated=True,
            ),
            Field(
                3,
                "buffer_allocations",
                Message(
                    "xla.BufferAllocationProto",
                    Field(1, "index", "int64"),
                    Field(2, "size", "int64"),
                    Field(3, "is_thread_local", "bool"),
                    Field(5, "is_entry_computation_parameter", "bool"),
                    Field(7, "maybe_live_out", "bool"),
                    Field(
                        9,
                        "assigned",
                        Message(
                            "xla.BufferAllocationProto.Assigned",
                            Field(1, "logical_buffer_id", "int64"),
                            Field(2, "offset", "int64"),
                            Field(3, "size", "int64"),
                        ),
                        repeated=True,
                    ),
                    Field(12, "is_constant", "bool"),
                ),
                repeated=True,
            ),
        ),
    ),
)
