import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

class NodeScan:
    names: list[str]
    op_names: list[str]
    device_names: list[str]
    cluster_names: list[str]
    shape_names: list[bytes]
    ops: Int32
    devices: Int32
    clusters: Int32
    shapes: Int32
    own_shapes: Int32
    dtypes: Int32
    starts: Int64
    sizes: Int64
    input_nodes: Int32
    input_starts: Int64
    input_sizes: Int64
    functions: list[tuple[int, str, str]]
    others: list[tuple[int, int, int]]
    fault_at: int
    fault: str

class AttributeCodes:
    names: list[str]
    starts: list[int]
    sizes: list[int]
    def __init__(self) -> None: ...
    def read(self, data: bytes | memoryview, starts: Int64, sizes: Int64) -> tuple[Int32, Int32]: ...

def scan_nodes(data: bytes | memoryview, start: int, end: int, node_field: int) -> NodeScan: ...
def resolve_inputs(
    data: bytes | memoryview, starts: Int64, sizes: Int64, index: dict[str, int]
) -> tuple[Int32, Int32, NDArray[np.bool_], list[str], Int32, dict[int, str]]: ...
def texts_with(joined: bytes, starts: Int64, wanted: bytes) -> NDArray[np.bool_]: ...
