"""Logs behind a web server that lists folders as pages of links, as Apache, nginx, Caddy and `python -m http.server` do."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit

from runglass.ingest.remote.address import Address
from runglass.ingest.remote.folder_walk import is_denied, walk_folders
from runglass.ingest.remote.model import Entry, ObjectChanged
from runglass.ingest.remote.storage import CONNECT_S, PARALLEL, READ_S, Counted, entry_of

# Compressed bodies have other lengths than the files.
AS_STORED = {"Accept-Encoding": "identity"}


class HttpListing(Counted):
    def __init__(self, address: Address) -> None:
        super().__init__(address)
        path = address.path if "%" in address.path else quote(address.path)
        self._top = f"{address.scheme}://{address.place}{path.rstrip('/')}/"
        self._pool = ThreadPoolExecutor(PARALLEL, "runglass-list")
        with self.in_our_words():
            import aiohttp
            from fsspec.implementations.http import HTTPFileSystem

            settings: dict[str, Any] = {
                "timeout": aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=READ_S)
            }
            if address.user or address.password:
                encoded = b64encode(f"{address.user}:{address.password}".encode()).decode()
                settings["headers"] = {"Authorization": f"Basic {encoded}"}
            self._files = HTTPFileSystem(
                client_kwargs=settings, encoded=True, use_listings_cache=False, skip_instance_cache=True
            )

    def list_entries(self, is_wanted: Callable[[str], bool]) -> dict[str, Entry]:
        with self.in_our_words():
            if is_wanted(self._top.rstrip("/")):
                # The address of one file.
                url = self._top.rstrip("/")
                one = self._head(url)
                if one is None:
                    raise FileNotFoundError(url)
                return {unquote(url.rpartition("/")[2]): one}
            self.denied = []
            found = walk_folders(self._pool, "", self._list_folder, self.denied.append)
            wanted = {path: url for path, url in found.items() if is_wanted(path)}
            heads = list(self._pool.map(self._head_or_denied, wanted, wanted.values()))
        entries = {path: entry for path, entry in zip(wanted, heads, strict=True) if entry is not None}
        # The size of the others is asked for when one of them is.
        entries.update({path: Entry(url, -1) for path, url in found.items() if path not in wanted})
        return entries

    def _list_folder(self, path: str) -> tuple[Iterable[str], dict[str, str]]:
        url = urljoin(self._top, "/".join(map(quote, path.split("/"))) + "/") if path else self._top
        self.count(lists=1)
        folders, files = [], {}
        for each in self._files.ls(url, detail=True):
            link = urlsplit(each["name"])
            clean = link._replace(query="", fragment="").geturl()
            # Links that sort the page, and links to elsewhere.
            if link.query or link.fragment or not clean.startswith(url) or clean == url:
                continue
            name = unquote(clean[len(url) :]).strip("/")
            if not name or "/" in name or name in (".", ".."):
                continue
            below = f"{path}/{name}" if path else name
            if clean.endswith("/"):
                folders.append(below)
            else:
                files[below] = clean
        return folders, files

    def look_at(self, entry: Entry) -> Entry | None:
        with self.in_our_words():
            return self._head(entry.key)

    def _head_or_denied(self, path: str, url: str) -> Entry | None:
        try:
            return self._head(url)
        except Exception as error:
            if not is_denied(error):
                raise
            self.denied.append(path)
            return None

    def _head(self, url: str) -> Entry | None:
        from fsspec.asyn import sync

        self.count(reads=1)
        headers: dict[str, str] | None = sync(self._files.loop, self._ask_head, url)
        return None if headers is None else entry_of(url, {**headers, "size": headers.get("Content-Length")})

    async def _ask_head(self, url: str) -> dict[str, str] | None:
        session = await self._files.set_session()
        async with session.head(
            self._files.encode_url(url), headers=AS_STORED, allow_redirects=True
        ) as reply:
            if reply.status in (404, 410):
                return None
            reply.raise_for_status()
            return dict(reply.headers)

    def read(self, entry: Entry, start: int, end: int) -> bytes:
        from fsspec.asyn import sync

        with self.in_our_words():
            data: bytes
            fetched: int
            data, fetched = sync(self._files.loop, self._ask_range, entry.key, start, end)
        self.count(reads=1, read_bytes=fetched)
        if len(data) != end - start:
            raise ObjectChanged(entry.key)
        return data

    async def _ask_range(self, url: str, start: int, end: int) -> tuple[bytes, int]:
        session = await self._files.set_session()
        headers = {**AS_STORED, "Range": f"bytes={start}-{end - 1}"}
        async with session.get(self._files.encode_url(url), headers=headers) as reply:
            if reply.status == 416:
                return b"", 0
            reply.raise_for_status()
            data: bytes = await reply.read()
        # A server that knows no ranges sends the whole file.
        return (data if reply.status == 206 else data[start:end]), len(data)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
