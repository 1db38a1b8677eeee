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
        return f"{title}\n{_fenced(text, 'text')}"
    lines = text.splitlines()
    parts, begin = [title], 0
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
        parts += [_python(lines[begin:first]), f"\n## {node.name}\n"]
        parts.append(_python(lines[first : node.end_lineno]))
        begin = node.end_lineno
    parts.append(_python(lines[begin:]))
    return "\n".join(part for part in parts if part)


def _python(lines: list[str]) -> str:
    text = "\n".join(lines).strip("\n")
    return _fenced(text, "python") if text else ""


def _fenced(text: str, language: str) -> str:
    # More backticks than any docstring has.
    return f"`````{language}\n{text}\n`````\n"
