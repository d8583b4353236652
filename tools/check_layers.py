"""Checks who imports whom, in Python and on the web side, against the lists below, that no Python modules import each other,
and that requests of the page are made in one folder. Prints file:line and exits with 1.

Tests may import anything. A layer that is not listed may import nothing of ours, so a new folder begins with a line here.
"""

from __future__ import annotations

import ast
import functools
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A dashboard is the layer "dashboards/name"; so is each folder of writer/.
PYTHON_MAY_IMPORT: dict[str, set[str]] = {
    "native": set(),
    "schema": {"native"},
    "media": set(),
    "store": {"native"},
    "ingest": {"native", "schema", "media", "store"},
    "query": {"native", "schema", "store"},
    # The only files of query/ that know where data comes from: a layer of its own, which the rest may not import.
    "query/open": {"query", "ingest", "store", "clickhouse"},
    # Runs in a database: writes what the engine here has read, and is a source of its own.
    "clickhouse": {"native", "ingest", "store", "query", "sql", "overlay"},
    # Arrays to arrays.
    "reductions": {"native"},
    "jobs": {"native"},
    "overlay": set(),
    "api": {"query", "jobs", "overlay"},
    "dashboards/*": {"query", "schema", "media", "reductions", "jobs", "api"},
    "registry": {"api", "dashboards/*"},
    "server": {"query", "jobs", "overlay", "api", "registry"},
    # Values to bytes, bytes to files, and above them the calls. The folder itself has only names that all of them share.
    "writer": set(),
    "writer/values": {"native", "schema", "media"},
    "writer/graphs": {"native", "schema", "writer/values"},
    "writer/files": {"native", "schema", "writer", "writer/values"},
    "writer/calls": {"native", "schema", "writer/values", "writer/graphs", "writer/files"},
    "log_values": {"query"},
    "sql": {"query", "log_values"},
    "reader": {"query", "query/open", "log_values", "sql"},
    "writer/watch": {"native", "schema", "writer/values", "writer/graphs", "writer/files"},
    # The public names of the writers.
    "summary": {"writer/calls"},
    "hparams": {"writer/calls"},
    "keras": {"writer/calls"},
    "lightning": {"writer/calls"},
    "huggingface": {"writer/calls"},
    "demo": {"schema", "writer/values", "writer/graphs", "writer/files", "writer/watch"},
    "importing": {"native", "schema", "writer/values", "writer/files"},
    "doctor": {"query"},
    "profile_report": {"query"},
    "cache_report": {"store", "ingest"},
    "recorder": {"writer", "writer/values", "writer/files"},
    "projector": {"writer/calls"},
    # The package itself: names that are imported when they are used.
    "": {"reader", "reductions", "writer/calls", "writer/watch", "notebook"},
    "instances": set(),
    "completion": {"flags"},
    "token_command": {"server"},
    "notebook": {"instances", "flags", "cli"},
    # Everything but what stands behind a source.
    "cli": {
        "query",
        "query/open",
        "clickhouse",
        "sql",
        "jobs",
        "overlay",
        "server",
        "doctor",
        "profile_report",
        "cache_report",
        "demo",
        "recorder",
        "importing",
        "instances",
        "token_command",
        "flags",
        "completion",
    },
    "__main__": {"cli"},
}
PYTHON_OPEN_TO_ALL = {
    "runglass",
    "runglass.csv_lines",
    "runglass.errors",
    "runglass.lru",
    "runglass.machine",
    "runglass.visible",
    "runglass.whole_file",
    "runglass.store.model",
}

WEB_MAY_IMPORT: dict[str, set[str]] = {
    # What knows nothing of Runglass.
    "base": set(),
    "api": {"base"},
    "chart": {"base"},
    "ui": {"base"},
    "state": {"base", "api"},
    # What every card has, and the pages they stand on.
    "cards": {"base", "api", "state", "chart", "ui"},
    # Lines of scalars: asked for, kept and drawn in the same way wherever they stand.
    "lines": {"base", "api", "state", "chart", "ui", "cards"},
    "run_table": {"base", "api", "state", "ui"},
    # What dashboards have in common with no one else.
    "dashboards": {"base", "api", "state", "ui", "cards"},
    "dashboards/*": {"base", "api", "state", "chart", "ui", "cards", "lines", "run_table", "dashboards"},
    "frame": {"base", "api", "state", "ui", "cards", "run_table"},
    # main.ts and App.svelte.
    "": {"base", "api", "state", "ui", "cards", "run_table", "frame"},
}
WEB_IMPORT = re.compile(
    # The second form ends an import over several lines.
    r"""^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*["']([^"']+)["']|^\s*\}\s*from\s*["']([^"']+)["']|"""
    r"""^\s*import\s*["']([^"']+)["']|"""
    r"""\bimport\(\s*["']([^"']+)["']|\bnew\s+URL\(\s*["'](\.[^"']+)["']\s*,\s*import\.meta"""
)

# One way to the server, so that errors read alike and recorded answers can stand in for it.
WEB_REQUEST = re.compile(r"(?<!\w)(?:fetch\(|XMLHttpRequest\b|EventSource\(|sendBeacon\()")
WEB_MAY_REQUEST = "api"


def is_allowed(layer: str, target: str, may_import: dict[str, set[str]]) -> bool:
    if layer == target:
        return True
    allowed = may_import.get(
        layer, may_import.get("dashboards/*", set()) if layer.startswith("dashboards/") else set()
    )
    return target in allowed or (target.startswith("dashboards/") and "dashboards/*" in allowed)


def layer_of(parts: tuple[str, ...]) -> str:
    """`parts`: folders and file below the root of either side, without the ending of the file."""
    if not parts:
        return ""
    if parts[:2] in (("query", "open"), ("query", "locations")):
        return "query/open"
    if parts[0] in ("dashboards", "writer") and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


def check_python(root: Path) -> Iterator[str]:
    package = root / "src/runglass"
    for file in sorted(package.rglob("*.py")):
        if file.name.startswith("test_") or file.name == "conftest.py":
            continue
        path = file.relative_to(package).with_suffix("").parts
        layer = layer_of(path if path[-1] != "__init__" or len(path) > 1 else ())
        for line, module in python_imports(file, ("runglass", *path)):
            if module in PYTHON_OPEN_TO_ALL:
                continue
            target = tuple(module.split(".")[1:])
            # `dashboards.scalars` is a folder even where it is named without one of its modules.
            if package.joinpath(*target).is_dir():
                target = (*target, "__init__")
            if not is_allowed(layer, layer_of(target), PYTHON_MAY_IMPORT):
                yield f"{file.relative_to(root)}:{line}: {layer or 'runglass'} may not import {module}"


def check_circles(root: Path) -> Iterator[str]:
    """Modules that import each other, directly or by way of others. Imports inside functions do not count."""
    package = root / "src/runglass"
    files: dict[str, Path] = {}
    imports: dict[str, dict[str, int]] = {}
    for file in sorted(package.rglob("*.py")):
        if file.name.startswith("test_") or file.name == "conftest.py":
            continue
        path = ("runglass", *file.relative_to(package).with_suffix("").parts)
        module = ".".join(path).removesuffix(".__init__")
        files[module] = file.relative_to(root)
        imports[module] = {
            target: line
            for line, target in python_imports(file, path, at_top_only=True)
            # Whatever is imported, the package itself is imported first.
            if target not in (module, "runglass")
        }
    done: set[str] = set()
    for module in imports:
        for circle in find_circles(module, imports, done, []):
            line = imports[circle[0]][circle[1]]
            yield f"{files[circle[0]]}:{line}: modules import each other: {' → '.join(circle)}"


def find_circles(
    module: str, imports: dict[str, dict[str, int]], done: set[str], above: list[str]
) -> Iterator[list[str]]:
    """Depth first from one module; `done` are modules that were walked through before."""
    if module in above:
        yield [*above[above.index(module) :], module]
    elif module in imports and module not in done:
        for target in imports[module]:
            yield from find_circles(target, imports, done, [*above, module])
        done.add(module)


def python_imports(
    file: Path, path: tuple[str, ...], *, at_top_only: bool = False
) -> Iterator[tuple[int, str]]:
    """Every module of ours that a file names, at its top or inside a function; those only for types included."""
    top = file.parents[len(path) - 1]
    for node, is_at_top in find_imports(file.read_text(encoding="utf-8")):
        if at_top_only and not is_at_top:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            base = ".".join(filter(None, [*(path[: -node.level] if node.level else ()), node.module]))
            names = [f"{base}.{alias.name}" for alias in node.names]
        ours = [name for name in names if name.partition(".")[0] == "runglass"]
        # A name that is no module is one inside a module.
        for module in dict.fromkeys(
            name if is_module(top, name) else name.rpartition(".")[0] for name in ours
        ):
            yield node.lineno, module


@functools.cache
def find_imports(text: str) -> list[tuple[ast.Import | ast.ImportFrom, bool]]:
    """The imports of a module, and whether each runs when the module is imported: not those in functions."""
    found: list[tuple[ast.Import | ast.ImportFrom, bool]] = []
    pending: list[tuple[ast.AST, bool]] = [(ast.parse(text), True)]
    while pending:
        node, is_at_top = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append((node, is_at_top))
            continue
        is_at_top &= not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        # Only statements hold imports, and walking through expressions would take most of the time.
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            pending.extend((child, is_at_top) for child in getattr(node, name, ()))
    return sorted(found, key=lambda each: each[0].lineno)


def is_module(top: Path, name: str) -> bool:
    place = os.path.join(top, *name.split("."))
    return os.path.isdir(place) or any(os.path.exists(place + end) for end in (".py", ".pyx", ".pyi"))


def check_web(root: Path) -> Iterator[str]:
    source = root / "web/src"
    for file in sorted(source.rglob("*")):
        if file.suffix not in (".ts", ".svelte") or file.stem.endswith(".test"):
            continue
        layer = layer_of(file.relative_to(source).parts if file.parent != source else ())
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if layer != WEB_MAY_REQUEST and WEB_REQUEST.search(line):
                yield f"{file.relative_to(root)}:{number}: only web/src/api may ask the server"
            for found in WEB_IMPORT.finditer(line):
                name = next(filter(None, found.groups()))
                if not name.startswith("."):
                    continue
                place = Path(os.path.normpath(file.parent / name))
                if not place.is_relative_to(source):
                    yield f"{file.relative_to(root)}:{number}: {name} is outside web/src"
                    continue
                target = layer_of(place.relative_to(source).parts if place.parent != source else ())
                if not is_allowed(layer, target, WEB_MAY_IMPORT):
                    yield f"{file.relative_to(root)}:{number}: {layer or 'the frame'} may not import {name}"


def main() -> int:
    wrong = [*check_python(ROOT), *check_circles(ROOT), *check_web(ROOT)]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
