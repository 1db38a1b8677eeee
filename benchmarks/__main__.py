"""Measure, and show what was measured: ``./run bench [PART]``.

Without a part everything is measured, and the README and the picture are made again.
"""

import argparse
import sys

from . import embedding, growth, kernels, weights
from .machine import read_result
from .measure import tell

PARTS = {
    "graphs": "building batches; writes results/graphs.json",
    "kernels": "Gram matrices beside those of GraKeL and POT; writes results/kernels.json",
    "growth": "how time grows with the size of the data; writes results/growth.json",
    "embedding": "explicit maps and search; writes results/embedding.json",
    "pairs": "the test of isomorphism beside histograms; writes results/pairs.json",
    "weights": "cliques, cycles and the like beside networkx; writes results/weights.json",
    "distributed": "large data on threads and on a cluster; writes results/distributed.json",
    "bits": "digests of everything that is computed, to compare before and after a change",
    "table": "only make the README, pages of docs and docs/growth.png again from the result files",
}
_MEASURED = [part for part in PARTS if part != "bits"]

# Which parts an option is for; None is all of them together.
_APPLY_TO = {
    "only": ("kernels", "growth", "embedding", "weights"),
    "sections": ("kernels",),
    "repeats": ("kernels", "growth", "pairs", "weights", "distributed"),
    "limit": ("kernels", None),
    "to": ("kernels", "growth", "embedding", "pairs", "weights", "distributed"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run one part, or all; return the exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    _refuse_what_does_not_apply(parser, given)
    try:
        for part in [given.part] if given.part else _MEASURED:
            run(part, given)
    except KeyboardInterrupt:
        return 130
    except FileNotFoundError as error:
        print(f"./run bench: error: {error}", file=sys.stderr)
        return 2
    return 0


def run(part: str, given: argparse.Namespace) -> None:
    """Run one part."""
    # What is restricted must not take the place of what the README shows.
    prefix = "trial-" if given.only or given.sections or given.repeats else ""
    to = given.to or prefix + part
    if part == "graphs":
        from . import graphs

        graphs.main()
    elif part == "kernels":
        limit = given.limit or kernels.LIMIT
        kernels.main(given.only, given.sections, given.repeats, limit, to)
    elif part == "growth":
        growth.main(given.only, given.repeats, to)
    elif part == "embedding":
        embedding.main(given.only, to)
    elif part == "pairs":
        from . import pairs

        pairs.main(given.repeats, to)
    elif part == "weights":
        weights.main(given.only, given.repeats, to)
    elif part == "distributed":
        from . import cluster

        cluster.main(given.repeats, to)
    elif part == "bits":
        from . import bits

        bits.main()
    else:
        show()


def show() -> None:
    """Make the README's section, those of pages in docs and the picture from the result files."""
    from . import embedding_table, large_table, picture, table

    measured, grown = read_result("kernels"), read_result("growth")
    text = table.replaced(table.README.read_text(), table.block(measured, grown))
    table.README.write_text(text)
    pages = (
        (embedding_table.DOCS, embedding_table.block(read_result("embedding"))),
        (large_table.PAGE, large_table.block(read_result("distributed"))),
    )
    for page, figures in pages:
        page.write_text(table.replaced(page.read_text(), figures))
    names = ", ".join(str(path) for path in (table.README, *(page for page, _ in pages)))
    tell(f"{names} and {picture.draw(grown)} are up to date")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./run bench",
        description=__doc__,
        epilog="parts:\n" + "\n".join(f"  {name:11} {what}" for name, what in PARTS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("part", nargs="?", metavar="PART", help=", ".join(PARTS))
    parser.add_argument(
        "--only",
        type=_names,
        default=[],
        help="data sets of kernels or weights, lines of growth, or sections of embedding: A,B,C",
    )
    parser.add_argument(
        "--sections", type=_names, default=[], help="of kernels: " + ", ".join(kernels.SECTIONS)
    )
    parser.add_argument("--repeats", type=_count, help="runs of each; by default as time allows")
    parser.add_argument(
        "--limit", type=_seconds, help=f"for one run in kernels, by default {kernels.LIMIT:g}"
    )
    parser.add_argument(
        "--to",
        metavar="NAME",
        help="write results/NAME.json; by default kernels or growth, trial-... if restricted",
    )
    return parser


def _refuse_what_does_not_apply(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    if given.part is not None and given.part not in PARTS:
        parser.error(f"there is no part {given.part!r}; there are: {', '.join(PARTS)}")
    known = {
        "kernels": kernels.DATA,
        "growth": tuple(growth.LINES),
        "embedding": tuple(embedding.SECTIONS),
        "weights": weights.DATA,
    }
    for option, parts in _APPLY_TO.items():
        if getattr(given, option) and given.part not in parts:
            parser.error(f"--{option} is an option of: {', '.join(p for p in parts if p)}")
    _refuse_unknown(parser, "only", given.only, known.get(given.part, ()))
    _refuse_unknown(parser, "sections", given.sections, tuple(kernels.SECTIONS))


def _refuse_unknown(
    parser: argparse.ArgumentParser, option: str, names: list[str], known: tuple[str, ...]
) -> None:
    for name in names:
        if name not in known:
            parser.error(f"--{option}: there is no {name!r}; there are: {', '.join(known)}")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text!r}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not found > 0:
        raise argparse.ArgumentTypeError(f"must be seconds, more than 0, got {text!r}")
    return found


if __name__ == "__main__":
    sys.exit(main())
