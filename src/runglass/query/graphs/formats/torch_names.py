"""Where nodes of PyTorch's graphs stand: "Net/Sequential[conv]/BatchNorm2d[1]/155" is in the module `conv.1`, a BatchNorm2d."""

from __future__ import annotations

import re
from collections.abc import Iterable

from runglass.query.graphs.model import Frame

# A class and the attribute that holds the module.
SEGMENT = re.compile(r"([A-Za-z_][\w.<>]*)\[([^\[\]/]*)\]")
IO_OP = "IO Node"
OPS = ("aten::", "prim::", "prims::", "torch::")
WEIGHT_OP = "prim::GetAttr"
ENDS = ("input/", "output/")
STACK_LINE = re.compile(r'File "([^"\n]*)", line (\d+), in ([^\n]*)\n(?:[ \t]+([^\n]*))?')
# A trace has a few hundred characters per call.
STACK_LIMIT = 20_000
# Modules that hold others and are never called. PyTorch names them where weights stand, but not where the ops stand.
CONTAINERS = frozenset({"ModuleList", "ModuleDict"})


def is_torch(op_names: list[str]) -> bool:
    return any(op == IO_OP or op.startswith(OPS) for op in op_names)


def split_names(names: list[str], weights: Iterable[str] = ()) -> tuple[list[str], dict[str, str]]:
    """The path of every node, and the class of every module by its path. `weights` are the nodes that hold one."""
    root = find_root(names)
    types: dict[str, str] = {"": root[:-1]} if root else {}
    containers = find_containers(name.removeprefix(root) for name in weights)
    # Most nodes share their module with others.
    modules: dict[str, str] = {"": ""}
    paths = []
    for name in names:
        if root and name.startswith(ENDS):
            # The ends of the graph stand beside the modules; a module or value may be called "input" itself.
            paths.append(name.partition("/")[2])
            continue
        inside = name[len(root) :] if root and name.startswith(root) else name
        module, slash, last = inside.rpartition("/")
        place = modules.get(module)
        if place is None:
            place = modules[module] = place_of(with_containers(module, containers), types)
        paths.append(f"{place}/{last}" if slash else last)
    return paths, types


def find_containers(weights: Iterable[str]) -> dict[str, str | None]:
    """By the scope without containers, the scope with them; None where several are possible."""
    known: dict[str, str | None] = {}
    for scope in {name.rpartition("/")[0] for name in weights}:
        called: list[str] = []
        full: list[str] = []
        for segment in scope.split("/"):
            full.append(segment)
            if segment.partition("[")[0] in CONTAINERS:
                continue
            called.append(segment)
            short, long = "/".join(called), "/".join(full)
            known[short] = long if known.get(short, long) == long else None
    return known


def with_containers(scope: str, containers: dict[str, str | None]) -> str:
    """The scope of an op as the scopes of its module's weights are spelled."""
    end = len(scope)
    while end > 0:
        full = containers.get(scope[:end])
        if full is not None:
            return f"{full}{scope[end:]}"
        end = scope.rfind("/", 0, end)
    return scope


def find_root(names: list[str]) -> str:
    """The class of the model itself with a "/", where all nodes but inputs and outputs begin with it."""
    root = ""
    for name in names:
        if name.startswith(ENDS):
            continue
        first, slash, _ = name.partition("/")
        if not slash or SEGMENT.fullmatch(first) or (root and first != root[:-1]):
            return ""
        root = f"{first}/"
    return root


def place_of(module: str, types: dict[str, str]) -> str:
    """A container is no group of its own: "ModuleList[layers]/Linear[0]" is `layers.0`."""
    place: list[str] = []
    held = ""
    for segment in module.split("/"):
        match = SEGMENT.fullmatch(segment)
        name = f"{held}{match[2] if match else segment}"
        if match and match[1] in CONTAINERS:
            held = f"{name}."
            continue
        held = ""
        place.append(name)
        if match:
            types.setdefault("/".join(place), match[1])
    if held:
        place.append(held[:-1])
    return "/".join(place)


class Modules:
    """The groups that modules with dotted paths become: each module that is called is a group in the one that calls it."""

    def __init__(self) -> None:
        # By the dotted path of a module, the path of its group; and the classes of groups.
        self._groups: dict[str, str] = {}
        self.types: dict[str, str] = {}

    def add(self, scopes: Iterable[tuple[str, str]]) -> str:
        """`scopes`: dotted path and class of the modules around a node, outermost first. Returns the group of the innermost.

        "encoder", "encoder.layers.0" is the group encoder/layers.0.
        """
        place: list[str] = []
        outer = ""
        group = ""
        for scope, kind in scopes:
            inner = scope.removeprefix(f"{outer}.") if outer else scope
            outer = scope
            if inner:
                place.append(inner.replace("/", "."))
            group = "/".join(place)
            self._groups.setdefault(scope, group)
            if kind:
                self.types.setdefault(group, kind.rpartition(".")[2])
        return group

    def place_weight(self, name: str, home: str) -> str:
        """The path of a weight with a dotted name: in its module, or in the group `home` if that is unknown."""
        end = name.rfind(".")
        while end > 0:
            group = self._groups.get(name[:end])
            if group is not None:
                return f"{group}/{name[end + 1 :]}"
            end = name.rfind(".", 0, end)
        last = name.rpartition("/")[2]
        return f"{home}/{last}" if home else last


def read_stack(text: str) -> tuple[Frame, ...]:
    """A stack trace that PyTorch keeps as text."""
    found = STACK_LINE.findall(text[:STACK_LIMIT])
    return tuple(Frame(file, int(line[:9]), function, code) for file, line, function, code in found)


def path_of(name: str) -> str:
    """The older ONNX exporter names nodes after modules, and repeats: "/encoder/encoder.1/MatMul" is encoder/1/MatMul."""
    if not name.startswith("/"):
        return name
    segments = name[1:].split("/")
    for at in range(len(segments) - 1, 0, -1):
        segments[at] = segments[at].removeprefix(f"{segments[at - 1]}.") or segments[at]
    return "/".join(segments)
