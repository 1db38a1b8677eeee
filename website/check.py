"""What must hold of the built site: links and anchors lead somewhere, nothing is loaded."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads by itself: the tag, and where its address is.
_LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
_LINKS = {**_LOADED, "a": "href"}


class _Page(HTMLParser):
    """The addresses and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.anchors = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors |= {found[key] for key in ("id", "name") if found.get(key)}
        if found.get(_LINKS.get(tag, "")):
            self.links.append((tag, found[_LINKS[tag]]))


def mistakes(site: Path) -> Iterator[str]:
    """Yield what is wrong in a built site, in words."""
    pages = {path: _Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        if path.name == "404.html":  # its links are absolute: it is shown anywhere
            continue
        here = path.relative_to(site)
        for tag, link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https") or parts.netloc:
                if tag in _LOADED:
                    yield f"{here} loads {link}"
            elif not parts.scheme:
                yield from _broken(here, path, link, site, pages)


def _broken(
    here: Path, path: Path, link: str, site: Path, pages: dict[Path, _Page]
) -> Iterator[str]:
    parts = urlsplit(link)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(site) or not target.is_file():
        yield f"{here} links to {link}, which is not there"
    elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
        yield f"{here} links to {link}, but there is no such anchor"
