"""What has to be changed by hand before a release, and only then."""

import re

from .contents import version
from .oldest import PROJECT, ROOT


def left_to_do() -> list[str]:
    """Return what a release still needs, a sentence each."""
    found, now = [], version()
    final = re.sub(r"\.?(dev|a|b|rc)\d+$", "", now)
    if final != now:
        found.append(
            "in src/grafik/__init__.py, CITATION.cff and conda/meta.yaml, make the version "
            f'"{now}" "{final}"'
        )
    if f"## {final} " not in (ROOT / "CHANGELOG.md").read_text():
        found.append(f'in CHANGELOG.md, make "## Unreleased" "## {final} (DATE)"')
    if "date-released:" not in (ROOT / "CITATION.cff").read_text():
        found.append("in CITATION.cff, add date-released")
    if "urls" not in PROJECT:
        found.append(
            "in pyproject.toml, add [project.urls], and repository-code in CITATION.cff; without "
            "them, relative links and pictures of the README are dead on its page in an index"
        )
    found.append(f"tag the commit v{final}, and upload what is in dist after the tag is tested")
    return found
