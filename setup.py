"""Compiles the Cython core and builds the web page; everything else stands in pyproject.toml.

RUNGLASS_CHECKED=1 builds the core with bounds checks, beside the ordinary build (`make fuzz`); RUNGLASS_EXT=wire,reduce builds only
those modules.
"""

import gzip
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).parent
NATIVE = Path("src/runglass/native")
PAGE = ROOT / "src/runglass/server/page"
SHARED = "runglass.native._shared"
CHECKED = bool(os.environ.get("RUNGLASS_CHECKED"))
ONLY = set(filter(None, os.environ.get("RUNGLASS_EXT", "").split(",")))
# Which C files each Cython module is linked with.
C_SOURCES = {name: ["crc32c.c"] for name in ("events", "pack_rows", "record_buffer", "records", "stored")}


def newest(paths):
    return max((path.stat().st_mtime for path in paths if path.is_file()), default=0.0)


def build_page():
    """Build web/ into the package, unless it is there and current, or this is an sdist that holds it already."""
    web = ROOT / "web"
    built = PAGE / "index.html"
    if not (web / "package.json").exists():
        if not built.exists():
            raise SystemExit("web/ and the built page are both missing: this is not a complete source tree.")
        return
    sources = [path for path in web.rglob("*") if "node_modules" not in path.parts]
    if built.exists() and built.stat().st_mtime >= newest(sources):
        build_help()
        return
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit(
            "Building Runglass from a checkout needs Node.js 20 or newer (npm was not found on PATH)."
        )
    installed = web / "node_modules/.package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < (web / "package-lock.json").stat().st_mtime:
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=web, check=True)
    subprocess.run([npm, "run", "build"], cwd=web, check=True)
    compress_page()
    build_help()


def build_help():
    """The guide as pages below the page; after it, because its build empties the folder."""
    docs = ROOT / "docs"
    built = PAGE / "help/index.html"
    if built.exists() and built.stat().st_mtime >= newest(docs.rglob("*")):
        return
    sys.path.insert(0, str(docs))
    import build_site

    build_site.build()


def compress_page():
    """The server sends these instead of compressing quickly, and so less well, at the first visit."""
    for path in PAGE.rglob("*"):
        if path.suffix in (".js", ".css", ".svg", ".html") and path.stat().st_size >= 1024:
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))


# The page that is built while the core is compiled.
page_builds = []


class BuildPage(build_py):
    def run(self):
        if self.editable_mode:
            page_builds.append(ThreadPoolExecutor(1).submit(build_page))
        else:
            # It is among the files that are gathered now.
            build_page()
        super().run()

    def find_package_modules(self, package, package_dir):
        modules = super().find_package_modules(package, package_dir)
        return [each for each in modules if not each[1].startswith("test_")]


class BuildInParallel(build_ext):
    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self):
        # Here, and not before the setup begins, so that the page is built meanwhile.
        translate(self.extensions)
        # The largest first: one that is begun last would be compiled alone.
        self.extensions.sort(key=lambda each: -os.path.getsize(each.sources[0]))
        super().run()
        for build in page_builds:
            build.result()

    def build_extensions(self):
        # Before, and not with each module that is linked with them: those are compiled at once, and would write the same file.
        for each in self.extensions:
            linked, each.sources = each.sources[1:], each.sources[:1]
            each.extra_objects += self.compiler.compile(
                linked, output_dir=self.build_temp, include_dirs=each.include_dirs, extra_postargs=FLAGS
            )
        super().build_extensions()


class SdistWithPage(sdist):
    def run(self):
        build_page()
        super().run()


FLAGS = (
    # Fused multiply-add is off because it rounds otherwise than the plain formula, so results would depend on the machine.
    ["-O3", "-g0", "-fno-strict-aliasing", "-ffp-contract=off", "-Wno-unused-function"]
    if sys.platform != "win32"
    else ["/O2"]
)


def extensions():
    found = []
    for source in sorted(NATIVE.glob("*.pyx")):
        if ONLY and source.stem not in ONLY:
            continue
        found.append(
            Extension(
                f"runglass.native.{source.stem}",
                [str(source), *(str(NATIVE / name) for name in C_SOURCES.get(source.stem, []))],
                include_dirs=[str(NATIVE), numpy.get_include()],
                define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
                extra_compile_args=FLAGS,
            )
        )
    # What Cython adds to every module that has memoryviews, once for all of them: it is more than the modules themselves.
    found.append(Extension(SHARED, [str(NATIVE / "_shared.c")], extra_compile_args=FLAGS))
    return found


def translate(found):
    """Make C of Cython; the extensions then name it as their sources."""
    made = cythonize(
        found,
        nthreads=os.cpu_count() or 0,
        # Cython does not notice changed directives, so each build has its own C.
        build_dir="build/checked/c" if CHECKED else None,
        force="--force" in sys.argv,
        include_path=["src"],
        shared_utility_qualified_name=SHARED,
        language_level=3,
        compiler_directives={
            "boundscheck": CHECKED,
            "wraparound": False,
            "cdivision": not CHECKED,
            "initializedcheck": CHECKED,
            # It would take every pointer to bytes for a text that ends in zero, and read past its end.
            "auto_pickle": False,
        },
    )
    by_name = {each.name: each for each in made}
    for each in found:
        each.sources = by_name[each.name].sources
        each.depends = by_name[each.name].depends


setup(
    ext_modules=extensions(),
    cmdclass={"build_ext": BuildInParallel, "build_py": BuildPage, "sdist": SdistWithPage},
)
