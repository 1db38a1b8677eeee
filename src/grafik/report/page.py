"""The page: one file with its style, its script and its data, which loads nothing else."""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
from base64 import b64encode
from importlib.resources import files
from pathlib import Path
from typing import Any

from .. import __version__
from ..system.files import replacing

MADE = f"Made by grafik {__version__}. This page is a single file and loads nothing from elsewhere."
_SCRIPTS = ("kernel.js", "drawing.js", "sections.js", "pair.js", "map.js", "page.js")


def write_page(path: str | os.PathLike[str], title: str, data: dict[str, Any]) -> Path:
    """Write a page whose script shows `data`; an existing file is replaced once it is complete."""
    text = page(title, data)
    with replacing(path) as part:
        part.write_bytes(text.encode("ascii", "xmlcharrefreplace"))
    return Path(path)


def page(title: str, data: dict[str, Any]) -> str:
    """Return the text of a page.

    Only the title becomes part of the page's own text. The data is in a block of JSON, which the
    script turns into text, never into elements. A policy in the page allows its own style and
    script, known by their hashes, and nothing else.
    """
    style = _asset("page.css")
    script = '"use strict";\n(() => {\n' + "\n".join(map(_asset, _SCRIPTS)) + "})();\n"
    parts = {
        "title": html.escape(title),
        "style": style,
        "script": script,
        "style_hash": _digest(style),
        "script_hash": _digest(script),
        "data": as_json(data),
    }
    # One pass, so that braces in the inserted text are left alone.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _asset("page.html"))


def as_json(data: Any) -> str:
    r"""Return JSON that is safe in a script element, whatever it holds.

    Examples
    --------
    >>> from grafik.report.page import as_json
    >>> print(as_json(["</script><!--", "\u2028", 0.5]))
    ["\u003c/script\u003e\u003c!--","\u2028",0.5]
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    # JSON has these characters only inside strings.
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + b64encode(hashlib.sha256(text.encode()).digest()).decode()
