"""Links between files of the repository, and where these files are on the site.

Pages are written for readers of the repository: links lead to files, also to those outside `docs`.
On the site, a file outside has a page of its own, if a page links to it.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

ROOT = Path(__file__).parents[1]
# Pages that are called something else on the site.
RENAMED = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    # Where docs/experiments.md is, there is no room for it.
    "experiments/README.md": "experiments/all.md",
}
SHOWN_AS_THEY_ARE = {".md", ".png", ".svg"}

_FENCED = re.compile(r"^ *```.*?^ *```$", re.M | re.S)
# Links, and code, in which there are none: whatever begins first.
_LINK = re.compile(
    rf"({_FENCED.pattern}|`[^`\n]+`)"
    r"|(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^()\s#]*)(#[^()\s]*)?(?=\))",
    re.M | re.S,
)


def place_of(path: str) -> str:
    """Return the place of a repository's file among the sources of the site.

    >>> place_of("docs/plots.md"), place_of("CHANGELOG.md"), place_of("experiments/README.md")
    ('plots.md', 'changelog.md', 'experiments/all.md')
    >>> place_of("tests/test_theorems.py"), place_of("notebooks/molecules.py")
    ('source/tests/test_theorems.py.md', 'notebooks/molecules.md')
    """
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path in RENAMED:
        return RENAMED[path]
    if path.startswith("notebooks/"):
        return str(PurePosixPath(path).with_suffix(".md"))
    if PurePosixPath(path).suffix in SHOWN_AS_THEY_ARE:
        return path
    return f"source/{path}.md"


def relinked(text: str, path: str) -> str:
    """Return a page of the repository, at `path`, with links as they are on the site.

    >>> relinked("[a](../tests/naive.py#f), [b](plots.md), [c](#d)", "docs/kernels.md")
    '[a](source/tests/naive.py.md#f), [b](plots.md), [c](#d)'
    """
    here = PurePosixPath(place_of(path)).parent

    def moved(target: str) -> str:
        return relpath(place_of(target), here)

    return _replaced(text, path, moved)


def targets(text: str, path: str) -> Iterator[tuple[str, str]]:
    """Yield the file and the anchor that each link of a page leads to, within the repository.

    >>> list(targets("![a](b.png), [c](https://d.e), `[f](g)`, [h](../x.md#y)", "docs/z.md"))
    [('docs/b.png', ''), ('x.md', 'y')]
    """
    for match in _LINK.finditer(text):
        link, anchor = match[3], (match[4] or "")[1:]
        if match[1] is None and not _outside(link):
            yield (_resolved(link, path) if link else path), anchor


def _replaced(text: str, path: str, moved: Callable[[str], str]) -> str:
    def one(match: re.Match[str]) -> str:
        start, link, anchor = match[2], match[3], match[4] or ""
        if match[1] is not None or not link or _outside(link):
            return match[0]
        return f"{start}{moved(_resolved(link, path))}{anchor}"

    return _LINK.sub(one, text)


def _outside(link: str) -> bool:
    return ":" in link or link.startswith(("../../actions/", "<"))


def _resolved(link: str, path: str) -> str:
    return normpath(PurePosixPath(path).parent / link)


def anchors(text: str) -> set[str]:
    r"""Return the anchors of a page's headings, as GitHub and the site make them.

    >>> sorted(anchors("# What's new?\n\n## `a_b`, c"))
    ['a_b-c', 'whats-new']
    """
    headings = re.findall(r"^#{1,6} (.+)$", _FENCED.sub("", text), re.M)
    words = [re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in headings]
    return {re.sub(r"\s", "-", one) for one in words}
