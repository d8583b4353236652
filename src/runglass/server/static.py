"""Serves the built page from disk. Addresses in it are relative, so it works under any path prefix."""

from __future__ import annotations

from pathlib import Path

from runglass.api.kept import Versioned
from runglass.api.route import Answer
from runglass.server.problems import NotFound, PageMissing

MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
# The build puts a hash of the content into every name under assets/.
HASHED = "assets/"
CACHE_FOR_A_YEAR = ("cache-control", "public, max-age=31536000, immutable")
ASK_AGAIN = ("cache-control", "no-cache")


class StaticPage:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # By name; the version is the time and size of the file.
        self._answers: Versioned[str, Answer] = Versioned()

    def read(self, path: str) -> Answer:
        """`path` has no leading slash; "" is the page itself."""
        # The page, and the guide in its folder.
        name = f"{path}index.html" if not path or path.endswith("/") else path
        if any(part in ("", ".", "..") or set(part) & set("\\:\0") for part in name.split("/")):
            raise _not_found(path)
        file = self._folder / name
        media_type = MEDIA_TYPES.get(file.suffix)
        try:
            status = file.stat()
            if media_type is None or not file.is_file():
                raise _not_found(path)
            version = (status.st_mtime_ns, status.st_size)
            return self._answers.read(name, version, lambda: self._load(name, media_type))
        except OSError:
            if not path:
                raise PageMissing(
                    "The page was not built: there is no index.html in the package. In a checkout of the sources, run"
                    " `make setup` once; the data is served under api/ meanwhile.",
                    where="index.html",
                ) from None
            raise _not_found(path) from None

    def _load(self, name: str, media_type: str) -> Answer:
        file = self._folder / name
        if not file.resolve().is_relative_to(self._folder.resolve()):
            raise _not_found(name)
        cache = CACHE_FOR_A_YEAR if name.startswith(HASHED) else ASK_AGAIN
        packed = file.with_name(f"{file.name}.gz")
        encodings = {"gzip": packed.read_bytes()} if packed.is_file() else {}
        return Answer(file.read_bytes(), media_type, (cache,), encodings=encodings)


def _not_found(path: str) -> NotFound:
    return NotFound(
        f"There is nothing at /{path}. The page is at the root, the data under api/.", where=f"/{path}"
    )
