"""RunMetadata: the cost of one run of a graph, node by node, and the graphs that the runtime executed."""

from __future__ import annotations

from runglass.native.wire import Field, Message
from runglass.schema.graph import GRAPH
from runglass.schema.tensor import SHAPE

ALLOCATION_RECORD = Message(
    "AllocationRecord", Field(1, "alloc_micros", "int64"), Field(2, "alloc_bytes", "int64")
)
ALLOCATOR_MEMORY_USED = Message(
    "AllocatorMemoryUsed",
    Field(1, "allocator_name", "string"),
    Field(2, "total_bytes", "int64"),
    Field(3, "peak_bytes", "int64"),
    Field(4, "live_bytes", "int64"),
    Field(5, "allocator_bytes_in_use", "int64"),
    Field(6, "allocation_records", ALLOCATION_RECORD, repeated=True),
)
ALLOCATION_DESCRIPTION = Message(
    "AllocationDescription",
    Field(1, "requested_bytes", "int64"),
    Field(2, "allocated_bytes", "int64"),
    Field(3, "allocator_name", "string"),
    Field(4, "allocation_id", "int64"),
    Field(5, "has_single_reference", "bool"),
    Field(6, "ptr", "uint64"),
)
TENSOR_DESCRIPTION = Message(
    "TensorDescription",
    Field(1, "dtype", "enum"),
    Field(2, "shape", SHAPE),
    Field(4, "allocation_description", ALLOCATION_DESCRIPTION),
)
NODE_OUTPUT = Message(
    "NodeOutput", Field(1, "slot", "int32"), Field(3, "tensor_description", TENSOR_DESCRIPTION)
)
MEMORY_STATS = Message(
    "MemoryStats",
    Field(1, "temp_memory_size", "int64"),
    Field(2, "device_temp_memory_size", "int64"),
    Field(3, "persistent_memory_size", "int64"),
    Field(4, "device_persistent_memory_size", "int64"),
    Field(5, "persistent_tensor_alloc_ids", "int64", repeated=True),
    Field(6, "device_persistent_tensor_alloc_ids", "int64", repeated=True),
)
NODE_EXEC_STATS = Message(
    "NodeExecStats",
    Field(1, "node_name", "string"),
    # Relative times count from all_start.
    Field(2, "all_start_micros", "int64"),
    Field(3, "op_start_rel_micros", "int64"),
    Field(4, "op_end_rel_micros", "int64"),
    Field(5, "all_end_rel_micros", "int64"),
    Field(6, "memory", ALLOCATOR_MEMORY_USED, repeated=True),
    Field(7, "output", NODE_OUTPUT, repeated=True),
    Field(8, "timeline_label", "string"),
    Field(9, "scheduled_micros", "int64"),
    Field(10, "thread_id", "uint32"),
    Field(11, "referenced_tensor", ALLOCATION_DESCRIPTION, repeated=True),
    Field(12, "memory_stats", MEMORY_STATS),
    Field(13, "all_start_nanos", "int64"),
    Field(14, "op_start_rel_nanos", "int64"),
    Field(15, "op_end_rel_nanos", "int64"),
    Field(16, "all_end_rel_nanos", "int64"),
    Field(17, "scheduled_nanos", "int64"),
)
DEVICE_STEP_STATS = Message(
    "DeviceStepStats",
    Field(1, "device", "string"),
    Field(2, "node_stats", NODE_EXEC_STATS, repeated=True),
    Field(3, "thread_names", "string", key="uint32"),
)
STEP_STATS = Message("StepStats", Field(1, "dev_stats", DEVICE_STEP_STATS, repeated=True))

COST_INPUT = Message(
    "CostGraphDef.Node.InputInfo", Field(1, "preceding_node", "int32"), Field(2, "preceding_port", "int32")
)
COST_OUTPUT = Message(
    "CostGraphDef.Node.OutputInfo",
    Field(1, "size", "int64"),
    Field(2, "alias_input_port", "int64"),
    Field(3, "shape", SHAPE),
    Field(4, "dtype", "enum"),
)
COST_NODE = Message(
    "CostGraphDef.Node",
    Field(1, "name", "string"),
    Field(2, "device", "string"),
    Field(3, "id", "int32"),
    Field(4, "input_info", COST_INPUT, repeated=True),
    Field(5, "output_info", COST_OUTPUT, repeated=True),
    Field(6, "temporary_memory_size", "int64"),
    Field(7, "is_final", "bool"),
    Field(8, "control_input", "int32", repeated=True),
    Field(9, "compute_cost", "int64"),
    Field(10, "host_temp_memory_size", "int64"),
    Field(11, "device_temp_memory_size", "int64"),
    Field(12, "persistent_memory_size", "int64"),
    Field(14, "compute_time", "int64"),
    Field(15, "memory_time", "int64"),
    Field(16, "device_persistent_memory_size", "int64"),
    Field(17, "inaccurate", "bool"),
)
AGGREGATED_COST = Message(
    "CostGraphDef.AggregatedCost", Field(1, "cost", "float"), Field(2, "dimension", "string")
)
COST_GRAPH = Message(
    "CostGraphDef",
    Field(1, "node", COST_NODE, repeated=True),
    Field(2, "cost", AGGREGATED_COST, repeated=True),
)

FUNCTION_GRAPHS = Message(
    "RunMetadata.FunctionGraphs",
    Field(1, "partition_graphs", GRAPH, repeated=True),
    Field(2, "pre_optimization_graph", GRAPH),
    Field(3, "post_optimization_graph", GRAPH),
)
SESSION_METADATA = Message("SessionMetadata", Field(1, "name", "string"), Field(2, "version", "int64"))
RUN_METADATA = Message(
    "RunMetadata",
    Field(1, "step_stats", STEP_STATS),
    Field(2, "cost_graph", COST_GRAPH),
    Field(3, "partition_graphs", GRAPH, repeated=True),
    Field(4, "function_graphs", FUNCTION_GRAPHS, repeated=True),
    Field(5, "session_metadata", SESSION_METADATA),
)
