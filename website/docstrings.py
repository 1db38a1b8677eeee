"""Docstrings in reStructuredText, as numpydoc wants them, turned into the site's Markdown."""

import re
import textwrap
from functools import cache
from pathlib import Path
from typing import Any

import griffe

from website.formulas import inline

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"


class ToMarkdown(griffe.Extension):
    """Rewrites every docstring when it is loaded."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring:
            obj.docstring.value = to_markdown(obj.docstring.value)

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Show the conversions of `Graphs`, which are functions of modules of their own."""
        module = pkg["graphs.convert"]
        shown = module["Conversions"]
        for name in [name for name in shown.members if name.startswith(("from_", "to_"))]:
            shown.set_member(name, griffe.Alias(name, module[name].target_path))


def to_markdown(text: str) -> str:
    """Return a docstring with Markdown in place of roles, formulas and citations."""
    text = re.sub(r"^(\w+(?:, \w+)+)( : .*)?\n((?:    .*\n?)+)", _apart, text, flags=re.M)
    text = re.sub(r"^( *)\.\. math::(.*(?:\n(?:\1 +.*| *(?=\n)))*)", _fenced, text, flags=re.M)
    text = re.sub(r"^( *)\.\. \[(\d+)\] ", r"\1\2. ", text, flags=re.M)
    text = re.sub(r" ?\[(\d+)\]_", r" [\1]", text)
    text = re.sub(r":math:`([^`]+)`", lambda match: inline(match[1]), text)
    return re.sub(r":[a-z]+:`~?([^`]+)`", lambda match: linked(match[1]), text)


def _apart(match: re.Match[str]) -> str:
    """Describe parameters that share a description one by one: each has its own default."""
    names, kind, text = match[1].split(", "), match[2] or "", match[3]
    return "".join(f"{name}{kind}\n{text}" for name in names)


def _fenced(match: re.Match[str]) -> str:
    indent, latex = match[1], textwrap.dedent(match[2]).strip()
    lines = ["```math", *latex.splitlines(), "```"]
    return "\n".join(indent + line.strip() for line in lines)


def linked(name: str) -> str:
    """Return a name with a link to the reference, where it is there."""
    known = identifiers()
    owner, _, last = name.rpartition(".")
    if last in known:
        return f"[`{name}`][{known[last]}]"
    owner = owner.rpartition(".")[2]
    if owner in known and owner[0].isupper():  # a method of a class that is there
        return f"[`{name}`][{known[owner]}.{last}]"
    return f"`{name}`"


@cache
def identifiers() -> dict[str, str]:
    """Return the public names of the reference by their last part."""
    pages = [path.read_text() for path in sorted(REFERENCE.glob("*.md"))]
    names = [name for page in pages for name in re.findall(r"^::: ([\w.]+)$", page, re.M)]
    return {name.rpartition(".")[2]: name for name in names}
