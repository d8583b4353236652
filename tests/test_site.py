"""The guide as the server has it at /help/: every page is there, every link leads somewhere, and it needs nothing from elsewhere."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from runglass.errors import RunglassError
from runglass.server.static import StaticPage

DOCS = Path(__file__).parent.parent / "docs"
LINK = re.compile(r'\b(?:href|src|srcset)="([^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sys.path.insert(0, str(DOCS))
    try:
        import build_site
    finally:
        sys.path.remove(str(DOCS))
    folder = tmp_path_factory.mktemp("page") / "help"
    assert build_site.build(folder) == len(list((DOCS / "guide").glob("*.md"))) + 1
    return folder


def test_every_page_is_in_the_index(site: Path) -> None:
    index = (site / "index.html").read_text()
    missing = [page.stem for page in (DOCS / "guide").glob("*.md") if f'href="{page.stem}.html"' not in index]
    assert missing == ["README"]


def test_links_lead_somewhere_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    broken = []
    for page in site.glob("*.html"):
        text = page.read_text()
        assert re.findall(r"<script[^>]*>[^<]*", text) == ['<script src="search.js" defer>']
        assert " style=" not in text
        assert not re.search(r'\bsrc="https?:', text)
        for target in LINK.findall(text):
            path, _, fragment = target.partition("#")
            if target.startswith("http") or target in ("../", "../icon.svg"):
                continue
            place = page if not path else site / path
            if not place.exists() or (fragment and f'id="{fragment}"' not in place.read_text()):
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_every_section_can_be_found(site: Path) -> None:
    sections = json.loads((site / "search.json").read_text())
    assert len({address for address, *_ in sections}) == len(sections) > 200
    for address, title, heading, _ in sections:
        path, _, fragment = address.partition("#")
        page = (site / path).read_text()
        assert not fragment or f'id="{fragment}"' in page, address
        assert title
        assert heading
    (found,) = [section for section in sections if section[0] == "query.html#tables"]
    assert found[1:3] == ["Query in SQL", "Tables"]
    assert "overwritten is true for those that the newer attempt wrote again" in found[3]


def test_it_is_served(site: Path) -> None:
    page = StaticPage(site.parent)
    answer = page.read("help/")
    assert (answer.media_type, b"<h1" in answer.body) == ("text/html; charset=utf-8", True)
    assert answer.encodings is not None
    assert "gzip" in answer.encodings
    assert page.read("help/site.css").media_type.startswith("text/css")
    for path in ("help/nothing.html", "help//", "nothing/"):
        with pytest.raises(RunglassError):
            page.read(path)
