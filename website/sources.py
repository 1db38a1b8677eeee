"""A file of source code as a page: a heading for each function and class, so that links find it."""

import ast
from pathlib import Path

from website.links import ROOT

# Nobody looks for functions of tests by searching the site.
_HEAD = "---\nsearch:\n  exclude: true\n---\n\n"


def source_page(path: Path) -> str:
    """Return the page of a file of the repository."""
    name, text = path.relative_to(ROOT).as_posix(), path.read_text()
    title = f"{_HEAD}# `{name}`\n"
    if path.suffix != ".py":
        return f"{title}\n{_fenced(text, 'text', 1)}"
    lines = text.splitlines()
    parts, begin = [title], 1
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        parts += [_lines(lines, begin, first - 1), f"\n## {node.name}\n"]
        parts.append(_lines(lines, first, node.end_lineno))
        begin = node.end_lineno + 1
    parts.append(_lines(lines, begin, len(lines)))
    return "\n".join(part for part in parts if part)


def _lines(lines: list[str], first: int, last: int) -> str:
    """Return some lines as a block, without empty ones around them."""
    while first <= last and not lines[first - 1].strip():
        first += 1
    text = "\n".join(lines[first - 1 : last]).rstrip()
    return _fenced(text, "python", first) if text else ""


def _fenced(text: str, language: str, first: int) -> str:
    # More backticks than any docstring has.
    return f'`````{language} linenums="{first}"\n{text}\n`````\n'
