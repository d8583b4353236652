"""Graphs: nodes, their attributes, functions, and their place in the user's source."""

from __future__ import annotations

from runglass.native.wire import Field, Message
from runglass.schema.tensor import DTYPE_AND_SHAPE, SHAPE, TENSOR

ATTR_VALUE = Message("AttrValue")
NAME_ATTR_LIST = Message(
    "NameAttrList", Field(1, "name", "string"), Field(2, "attr", ATTR_VALUE, key="string")
)
ATTR_LIST = Message(
    "AttrValue.ListValue",
    Field(2, "s", "bytes", repeated=True),
    Field(3, "i", "int64", repeated=True),
    Field(4, "f", "float", repeated=True),
    Field(5, "b", "bool", repeated=True),
    Field(6, "type", "enum", repeated=True),
    Field(7, "shape", SHAPE, repeated=True),
    Field(8, "tensor", TENSOR, repeated=True),
    Field(9, "func", NAME_ATTR_LIST, repeated=True),
)
ATTR_VALUE.define(
    Field(1, "list", ATTR_LIST, oneof="value"),
    Field(2, "s", "bytes", oneof="value"),
    Field(3, "i", "int64", oneof="value"),
    Field(4, "f", "float", oneof="value"),
    Field(5, "b", "bool", oneof="value"),
    Field(6, "type", "enum", oneof="value"),
    Field(7, "shape", SHAPE, oneof="value"),
    Field(8, "tensor", TENSOR, oneof="value"),
    Field(9, "placeholder", "string", oneof="value"),
    Field(10, "func", NAME_ATTR_LIST, oneof="value"),
)

FULL_TYPE = Message("FullTypeDef")
FULL_TYPE.define(
    Field(1, "type_id", "enum"),
    Field(2, "args", FULL_TYPE, repeated=True),
    Field(3, "s", "string"),
    Field(4, "i", "int64"),
)

NODE_DEBUG_INFO = Message(
    "NodeDef.ExperimentalDebugInfo",
    Field(1, "original_node_names", "string", repeated=True),
    Field(2, "original_func_names", "string", repeated=True),
)
NODE = Message(
    "NodeDef",
    Field(1, "name", "string"),
    Field(2, "op", "string"),
    # "node" or "node:k" for output k, "^node" for a control edge.
    Field(3, "input", "string", repeated=True),
    Field(4, "device", "string"),
    Field(5, "attr", ATTR_VALUE, key="string"),
    Field(6, "experimental_debug_info", NODE_DEBUG_INFO),
    Field(7, "experimental_type", FULL_TYPE),
)

ARG = Message(
    "OpDef.ArgDef",
    Field(1, "name", "string"),
    Field(2, "description", "string"),
    Field(3, "type", "enum"),
    Field(4, "type_attr", "string"),
    Field(5, "number_attr", "string"),
    Field(6, "type_list_attr", "string"),
    Field(7, "handle_data", DTYPE_AND_SHAPE, repeated=True),
    Field(16, "is_ref", "bool"),
    Field(17, "experimental_full_type", FULL_TYPE),
)
OP_ATTR = Message(
    "OpDef.AttrDef",
    Field(1, "name", "string"),
    Field(2, "type", "string"),
    Field(3, "default_value", ATTR_VALUE),
    Field(4, "description", "string"),
    Field(5, "has_minimum", "bool"),
    Field(6, "minimum", "int64"),
    Field(7, "allowed_values", ATTR_VALUE),
)
OP_DEPRECATION = Message("OpDeprecation", Field(1, "version", "int32"), Field(2, "explanation", "string"))
OP = Message(
    "OpDef",
    Field(1, "name", "string"),
    Field(2, "input_arg", ARG, repeated=True),
    Field(3, "output_arg", ARG, repeated=True),
    Field(4, "attr", OP_ATTR, repeated=True),
    Field(5, "summary", "string"),
    Field(6, "description", "string"),
    Field(8, "deprecation", OP_DEPRECATION),
    Field(16, "is_aggregate", "bool"),
    Field(17, "is_stateful", "bool"),
    Field(18, "is_commutative", "bool"),
    Field(19, "allows_uninitialized_input", "bool"),
    Field(20, "control_output", "string", repeated=True),
    Field(21, "is_distributed_communication", "bool"),
)

ARG_ATTRS = Message("FunctionDef.ArgAttrs", Field(1, "attr", ATTR_VALUE, key="string"))
FUNCTION = Message(
    "FunctionDef",
    Field(1, "signature", OP),
    Field(3, "node_def", NODE, repeated=True),
    Field(4, "ret", "string", key="string"),
    Field(5, "attr", ATTR_VALUE, key="string"),
    Field(6, "control_ret", "string", key="string"),
    Field(7, "arg_attr", ARG_ATTRS, key="uint32"),
    Field(8, "resource_arg_unique_id", "uint32", key="uint32"),
)
GRADIENT = Message("GradientDef", Field(1, "function_name", "string"), Field(2, "gradient_func", "string"))
REGISTERED_GRADIENT = Message(
    "RegisteredGradient", Field(1, "gradient_func", "string"), Field(2, "registered_op_type", "string")
)
FUNCTION_LIBRARY = Message(
    "FunctionDefLibrary",
    Field(1, "function", FUNCTION, repeated=True),
    Field(2, "gradient", GRADIENT, repeated=True),
    Field(3, "registered_gradients", REGISTERED_GRADIENT, repeated=True),
)

VERSIONS = Message(
    "VersionDef",
    Field(1, "producer", "int32"),
    Field(2, "min_consumer", "int32"),
    Field(3, "bad_consumers", "int32", repeated=True),
)
FILE_LINE_COL = Message(
    "GraphDebugInfo.FileLineCol",
    Field(1, "file_index", "int32"),
    Field(2, "line", "int32"),
    Field(3, "col", "int32"),
    Field(4, "func", "string"),
    Field(5, "code", "string"),
)
STACK_TRACE = Message(
    "GraphDebugInfo.StackTrace",
    Field(1, "file_line_cols", FILE_LINE_COL, repeated=True),
    Field(2, "frame_id", "fixed64", repeated=True),
)
DEBUG_INFO = Message(
    "GraphDebugInfo",
    Field(1, "files", "string", repeated=True),
    Field(2, "traces", STACK_TRACE, key="string"),
    Field(4, "frames_by_id", FILE_LINE_COL, key="fixed64"),
    Field(5, "name_to_trace_id", "fixed64", key="string"),
    Field(6, "traces_by_id", STACK_TRACE, key="fixed64"),
)
GRAPH = Message(
    "GraphDef",
    Field(1, "node", NODE, repeated=True),
    Field(2, "library", FUNCTION_LIBRARY),
    Field(3, "version", "int32"),
    Field(4, "versions", VERSIONS),
    Field(5, "debug_info", DEBUG_INFO),
)
# A viewer needs only the graph of a MetaGraphDef, which stays bytes as in Event.graph_def.
META_GRAPH = Message("MetaGraphDef", Field(2, "graph_def", "bytes"))
