"""What MkDocs calls while it builds: files from outside `docs`, pictures, notebooks, prompts."""

import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from website import notebooks, snippets
from website.links import ROOT, SHOWN_AS_THEY_ARE, place_of, relinked, targets
from website.sources import source_page

# The file of the repository that each page of the site is made of.
_origin: dict[str, str] = {}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is not in `docs`: files that pages link to, pictures and notebooks."""
    _origin.clear()
    for file in list(files.documentation_pages()):
        _origin[file.src_uri] = f"docs/{file.src_uri}"
    for path in sorted((ROOT / "notebooks").glob("*.py")):
        _add_notebook(path, files, config)
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
        _add(name, files, config)
    waiting = list(_origin)
    while waiting:
        uri = waiting.pop()
        text = files.get_file_from_path(uri).content_string
        if snippets.has_pictures(text):
            _add_pictures(uri, text, files, config)
        waiting += _add_linked(uri, text, files, config)
    return files


def _add_linked(uri: str, text: str, files: Files, config: MkDocsConfig) -> Iterator[str]:
    """Add what a page links to, and yield the pages among it."""
    for target, _ in targets(text, _origin[uri]):
        place = place_of(target)
        if (ROOT / target).is_file() and files.get_file_from_path(place) is None:
            _add(target, files, config)
            if target.endswith(".md"):
                yield place


def _add(path: str, files: Files, config: MkDocsConfig) -> None:
    """Add a file of the repository, as it is or as a page of source code."""
    uri, file = place_of(path), ROOT / path
    _origin[uri] = path
    if file.suffix in SHOWN_AS_THEY_ARE:
        files.append(File.generated(config, uri, abs_src_path=str(file)))
    else:
        files.append(File.generated(config, uri, content=source_page(file)))


def _add_notebook(path: Path, files: Files, config: MkDocsConfig) -> None:
    name = path.relative_to(ROOT).as_posix()
    ran, uri = notebooks.run(path), Path(place_of(name))
    _origin[str(uri)] = name
    files.append(File.generated(config, str(uri), content=ran.page))
    files.append(File.generated(config, str(uri.with_suffix(".ipynb")), content=ran.notebook))
    for picture, content in ran.pictures.items():
        files.append(File.generated(config, str(uri.with_name(picture)), content=content))


def _add_pictures(uri: str, text: str, files: Files, config: MkDocsConfig) -> None:
    for number, content in enumerate(snippets.pictures(text), 1):
        place = uri.removesuffix(".md") + f"-{number}.png"
        files.append(File.generated(config, place, content=content))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put links and pictures in order; examples with prompts are shown as such."""
    path = _origin[page.file.src_uri]
    if not path.startswith("notebooks/"):  # written for the site, and run already
        markdown = relinked(markdown, path)
    if path == "README.md":  # badges are of the repository
        markdown = re.sub(r"^\[!\[.*\n", "", markdown, flags=re.M)
    markdown = snippets.with_pictures(markdown, Path(page.file.src_uri).stem)
    return re.sub(r"^```python\n(?=>>> )", "```pycon\n", markdown, flags=re.M)
