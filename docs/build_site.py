"""Makes HTML pages of the guide, which the server has at /help/. Runs when Runglass is built (setup.py), or by `make docs`.

Every link leads to a page, a place on one or a picture; links to files outside the guide become plain text.
"""

from __future__ import annotations

import gzip
import html
import json
import re
import shutil
import sys
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

DOCS = Path(__file__).resolve().parent
GUIDE = DOCS / "guide"
IMAGES = DOCS / "images"
TARGET = DOCS.parent / "src/runglass/server/page/help"
INDEX = "README.md"

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} – Runglass</title>
<link rel="icon" href="../icon.svg">
<link rel="stylesheet" href="site.css">
<script src="search.js" defer></script>
</head>
<body>
<nav aria-label="Guide">
<a class="home" href="../">Runglass</a>
<input id="search" type="search" placeholder="Search the guide ( / )" aria-label="Search the guide" autocomplete="off">
<p id="found-count" role="status"></p>
<ol id="found" aria-label="Found"></ol>
{contents}
</nav>
<main>
{body}
{further}
</main>
</body>
</html>
"""


def list_pages() -> dict[str, Path]:
    """The pages of the guide and the HTTP reference, by the name that links use below docs/guide/."""
    pages = {path.name: path for path in sorted(GUIDE.glob("*.md"))}
    return {**pages, "../http.md": DOCS / "http.md"}


def address(name: str) -> str:
    return "index.html" if name == INDEX else f"{Path(name).stem}.html"


def anchor(heading: str) -> str:
    """As GitHub makes them: small letters, no punctuation, a hyphen for every space."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def reading_order() -> dict[str, list[tuple[str, str]]]:
    """Pages with their titles, by section and in the order of the index."""
    _, *sections = re.split(r"^## ", (GUIDE / INDEX).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {
        section.partition("\n")[0]: [
            (name, label[0].upper() + label[1:])
            for label, name in re.findall(r"\[([^\]]+)\]\(([\w-]+\.md)\)", section)
        ]
        for section in sections
    }


class Renderer:
    def __init__(self) -> None:
        self.markdown = MarkdownIt("commonmark").enable("table")
        self.pages = list_pages()
        self.sections = reading_order()
        self.order = [page for pages in self.sections.values() for page in pages]
        self.images: set[str] = set()
        # For the search: address, title of the page, heading and text of each section.
        self.found: list[tuple[str, str, str, str]] = []

    def render(self, name: str) -> str:
        source = self.pages[name]
        tokens = self.markdown.parse(source.read_text(encoding="utf-8"))
        title = heading = "Guide"
        place, texts = address(name), list[str]()
        for at, token in enumerate(tokens):
            if token.type == "heading_open":
                text = _plain(tokens[at + 1])
                token.attrSet("id", anchor(text))
                if token.tag == "h1":
                    title = heading = text
                else:
                    self._add_section(place, title, heading, texts)
                    place, heading = f"{address(name)}#{anchor(text)}", text
                    texts = []
            elif token.type in ("inline", "fence", "code_block") and tokens[at - 1].type != "heading_open":
                texts.append(_plain(token))
            if token.type == "html_block":
                token.content = re.sub(r"\.\./images/([\w.-]+)", self._image, token.content)
            if token.children:
                token.children = self._relink(token.children, source)
        self._add_section(place, title, heading, texts)
        return PAGE.format(
            title=html.escape(title),
            contents=self._contents(name),
            body=self.markdown.renderer.render(tokens, self.markdown.options, {}),
            further=self._further(name),
        )

    def _add_section(self, place: str, title: str, heading: str, texts: list[str]) -> None:
        self.found.append((place, title, heading, " ".join(" ".join(texts).split())))

    def _relink(self, tokens: list[Token], source: Path) -> list[Token]:
        kept: list[Token] = []
        # Whether the link that is open stays one.
        is_link = True
        for token in tokens:
            if token.type == "link_open":
                target = self._target(str(token.attrGet("href")), source)
                is_link = target is not None
                if target is None:
                    continue
                token.attrSet("href", target)
            elif token.type == "link_close" and not is_link:
                is_link = True
                continue
            elif token.type == "image":
                token.attrSet("src", re.sub(r"\.\./images/([\w.-]+)", self._image, str(token.attrGet("src"))))
                token.attrSet("loading", "lazy")
            kept.append(token)
        return kept

    def _image(self, found: re.Match[str]) -> str:
        self.images.add(found[1])
        return f"images/{found[1]}"

    def _target(self, href: str, source: Path) -> str | None:
        """Where a link leads on the site; None if nowhere."""
        if href.startswith(("http://", "https://", "#")):
            return href
        path, _, fragment = href.partition("#")
        place = (source.parent / path).resolve()
        for name, page in self.pages.items():
            if page.resolve() == place:
                return address(name) + (f"#{fragment}" if fragment else "")
        return None

    def _contents(self, current: str) -> str:
        lines = []
        for section, pages in {"": [(INDEX, "Guide")], **self.sections}.items():
            lines += [f"<h2>{html.escape(section)}</h2>" if section else "", "<ol>"]
            for name, label in pages:
                here = ' aria-current="page"' if name == current else ""
                lines.append(f'<li><a href="{address(name)}"{here}>{html.escape(label)}</a></li>')
            lines.append("</ol>")
        return "\n".join(filter(None, lines))

    def _further(self, current: str) -> str:
        names = [INDEX, *(name for name, _ in self.order)]
        if current not in names or current == names[-1]:
            return ""
        name, label = self.order[names.index(current)]
        return f'<p class="next">Next: <a href="{address(name)}">{html.escape(label)}</a></p>'


def _plain(token: Token) -> str:
    """The text of a token without its markup."""
    if token.children is None:
        return token.content
    return "".join(" " if each.type == "softbreak" else each.content for each in token.children)


def build(target: Path = TARGET) -> int:
    """Returns how many pages there are."""
    renderer = Renderer()
    shutil.rmtree(target, ignore_errors=True)
    (target / "images").mkdir(parents=True)
    for name in renderer.pages:
        _write(target / address(name), renderer.render(name))
    _write(target / "search.json", json.dumps(renderer.found, ensure_ascii=False, separators=(",", ":")))
    shutil.copy(DOCS / "site.css", target / "site.css")
    shutil.copy(DOCS / "site_search.js", target / "search.js")
    for image in sorted(renderer.images):
        shutil.copy(IMAGES / image, target / "images" / image)
    return len(renderer.pages)


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    print(f"{build(where)} pages in {where}")
