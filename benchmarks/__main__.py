"""Measure, and show what was measured: ``./run bench [PART]``.

Without a part everything is measured, and the README and the picture are made again.
"""

import argparse
import sys
from pathlib import Path

from . import embedding, evaluation, fit, growth, kernels, large, scale, weights
from .machine import read_if_there, read_others, read_result
from .measure import tell

PARTS = {
    "graphs": "building batches; writes results/graphs.json",
    "kernels": "Gram matrices beside those of GraKeL and POT; writes results/kernels.json",
    "growth": "how time grows with the size of the data; writes results/growth.json",
    "embedding": "explicit maps and search; writes results/embedding.json",
    "pairs": "the test of isomorphism beside histograms; writes results/pairs.json",
    "weights": "cliques, cycles and the like beside networkx; writes results/weights.json",
    "distributed": "large data on threads and on a cluster; writes results/distributed.json",
    "start": "the first call and new processes, before and now; writes results/start.json",
    "fit": "choosing and fitting a model, before and now; writes results/fit.json",
    "evaluation": "units of the paper's protocol, before and now; writes results/evaluation.json",
    "scale": "more and more graphs, in several ways; writes results/scale.json",
    "large": "large graphs and long loops, before and now; writes results/large.json",
    "sizes": "what a plain install and its extras take on disk; writes results/sizes.json",
    "bits": "digests of everything that is computed, to compare before and after a change",
    "table": "only make the README, pages of docs and their pictures again from the result files",
}
_MEASURED = [part for part in PARTS if part != "bits"]

# Which parts an option is for; None is all of them together.
_APPLY_TO = {
    "only": ("kernels", "growth", "embedding", "weights", "fit", "evaluation", "scale", "large"),
    "sections": ("kernels",),
    "repeats": (
        *("kernels", "growth", "pairs", "weights", "distributed"),
        *("start", "fit", "evaluation", "large"),
    ),
    "limit": ("kernels", "scale", None),
    "to": (
        *("kernels", "growth", "embedding", "pairs", "weights", "distributed"),
        *("start", "fit", "evaluation", "scale", "large", "sizes"),
    ),
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
    restricted = given.only or given.sections or given.repeats
    restricted = restricted or (part == "scale" and given.limit)
    prefix = "trial-" if restricted else ""
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
    elif part == "start":
        from . import start

        start.main(given.repeats, to)
    elif part in ("fit", "evaluation", "large"):
        measured = {"fit": fit, "evaluation": evaluation, "large": large}[part]
        measured.main(given.only, given.repeats, to)
    elif part == "scale":
        scale.main(given.only, given.limit or scale.LIMIT, to)
    elif part == "sizes":
        from . import sizes

        sizes.main(to)
    elif part == "bits":
        from . import bits

        bits.main()
    else:
        show()


def show() -> None:
    """Make all generated sections of the README and of docs, and pictures, from result files."""
    from . import picture

    for page, text in pages().items():
        page.write_text(text)
    drawn = [picture.draw(read_result("growth"))]
    if scaled := read_if_there("scale"):
        drawn.append(picture.draw_scale(scaled))
    tell(f"{', '.join(str(path) for path in (*pages(), *drawn))} are up to date")


def pages() -> dict[Path, str]:
    """Return what pages should say. Of parts that were not measured yet, they say nothing new."""
    from . import embedding_table, large_table, scale_advice, sizes, speed_page, table

    measured = {name: read_if_there(name) for name in speed_page.SECTIONS}
    matrices = read_result("kernels")
    gram = table.block(matrices, read_result("growth"))
    rest = speed_page.block(measured, read_others("kernels"))
    figures = {
        table.README: table.short_block(matrices),
        embedding_table.DOCS: embedding_table.block(read_result("embedding")),
        large_table.PAGE: large_table.block(read_result("distributed")),
        sizes.PAGE: sizes.block(read_result("sizes")),
        speed_page.PAGE: f"{gram}\n\n{rest}",
    }
    found = {page: table.replaced(page.read_text(), new) for page, new in figures.items()}
    if scaled := measured["scale"]:
        marks, advice = (scale_advice.START, scale_advice.END), scale_advice.advice(scaled)
        text = f"{advice}\n\n{scale_advice.picture()}"
        found[large_table.PAGE] = table.replaced(found[large_table.PAGE], text, *marks)
    return found


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
        help="data sets, lines of growth, ways of scale, sections of embedding or large: A,B,C",
    )
    parser.add_argument(
        "--sections", type=_names, default=[], help="of kernels: " + ", ".join(kernels.SECTIONS)
    )
    parser.add_argument("--repeats", type=_count, help="runs of each; by default as time allows")
    parser.add_argument(
        "--limit",
        type=_seconds,
        help=f"for one run in kernels, by default {kernels.LIMIT:g}, or in scale, {scale.LIMIT:g}",
    )
    parser.add_argument(
        "--to",
        metavar="NAME",
        help="write results/NAME.json; by default the name of the part, trial-... if restricted",
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
        "fit": fit.DATA,
        "evaluation": evaluation.DATA,
        "scale": tuple(scale.WAYS),
        "large": tuple(large.SECTIONS),
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
