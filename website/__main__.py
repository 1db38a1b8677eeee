"""Build the site with MkDocs, warnings being errors, and check what was built."""

import os
import subprocess
import sys

from website.check import mistakes
from website.links import ROOT

SITE = ROOT / "build" / "site"


def main() -> int:
    """Return 0 if the site is built and whole."""
    # Material's advertisement of its successor is no warning about this site.
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    build = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    code = subprocess.call(build, cwd=ROOT, env=quiet)
    if code:
        return code
    found = list(mistakes(SITE.resolve()))
    print(
        "\n".join(found) or f"the site begins at {SITE / 'index.html'}",
        file=sys.stderr if found else sys.stdout,
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
