"""The figures of docs/large.md, made from the result file: what was measured, and what follows."""

from pathlib import Path

from .machine import named
from .table import markdown, number, wrapped

PAGE = Path(__file__).parents[1] / "docs" / "large.md"

_MILLION, _GIGABYTE, _HOUR = 1e6, 1e9, 3600.0


def block(result: dict) -> str:
    """Return all paragraphs and tables."""
    return "\n\n".join([_measured(result), _vectors(result), _gram(result), _source(result)])


def seconds_per_graph(result: dict) -> float:
    """Return the seconds of one processor for a graph: read, counted, hashed, written."""
    found = result["embedding"]
    return found["cluster"]["processor_seconds"] / found["n_graphs"]


def seconds_per_pair(result: dict) -> float:
    """Return the seconds of one processor for a pair of graphs, on one side of the diagonal."""
    found = result["gram"]
    return found["cluster"]["processor_seconds"] / (found["n_graphs"] ** 2 / 2)


def _measured(result: dict) -> str:
    rows = []
    for name, what in (("embedding", "vectors of"), ("gram", "Gram matrix on disk of")):
        found = result[name]
        times = [
            number(found[who][clock])
            for clock in ("seconds", "processor_seconds")
            for who in ("threads", "cluster")
        ]
        ratios = f"{found['ratio']:.2f}", f"{found['processor_ratio']:.2f}"
        title = f"{what} {found['n_graphs']:,} graphs"
        rows.append([title, *times[:2], ratios[0], *times[2:], ratios[1]])
    heads = ["", "threads, s", "cluster, s", "ratio", "threads, CPU s", "cluster, CPU s", "ratio"]
    few, many = result["streaming"]
    text = (
        f"{result['workers']} threads beside {result['workers']} workers with one thread each, on "
        "one machine; NCI1, repeated. A process that streams generated molecules from Parquet to "
        f"vectors grows by {few['peak_growth_bytes'] / _MILLION:.0f} MB for "
        f"{few['n_graphs']:,} of them, and by {many['peak_growth_bytes'] / _MILLION:.0f} MB for "
        f"{many['n_graphs']:,}."
    )
    return f"{markdown(heads, rows)}\n\n{wrapped(text)}"


def _vectors(result: dict) -> str:
    each, streamed = seconds_per_graph(result), result["streaming"][-1]
    read, written = (streamed[name] / streamed["n_graphs"] for name in _SIZES)
    found, task = result["embedding"], result["cost"]["seconds"]["task"]
    part, peak = found["graphs_per_part"], found["worker_peak_bytes"]
    text = (
        f"**Vectors** ({found['transformer']}) take {each * _MILLION:.0f} seconds of one processor "
        f"for a million molecules, and in parts of {part:,} at most {peak / _MILLION:.0f} MB of "
        f"memory in a worker, however many parts there are. A molecule is {read:.0f} bytes in the "
        f"file of graphs and {written:.0f} in the parts. The scheduler needs {task * 1000:.1f} ms "
        f"for a task, so it keeps {_few(part * each / task)} workers busy; with parts that are "
        "larger, more. On paper:"
    )
    rows = []
    for exponent in (6, 7, 8, 9):
        n = 10.0**exponent
        hours = n * each / _HOUR
        sizes = [_amount(n * size / _GIGABYTE) for size in (read, written)]
        workers = max(1, -(-int(hours * 1000) // 1000))
        rows.append([f"10^{exponent}", _amount(hours), f"{workers:,}", *sizes])
    heads = ["graphs", "processor hours", "workers for one hour", "GB read", "GB written"]
    return f"{wrapped(text)}\n\n{markdown(heads, rows)}"


_SIZES = ("parquet_bytes", "parts_bytes")


def _gram(result: dict) -> str:
    each, found = seconds_per_pair(result), result["gram"]
    histograms = result["cost"]["bytes"]["histograms"]
    text = (
        f"**A Gram matrix** takes {each * _MILLION:.2f} seconds of one processor for a million "
        f"pairs, and {found['worker_peak_bytes'] / _MILLION:.0f} MB in a worker for "
        f"{found['n_graphs']:,} graphs. The histograms, "
        f"{histograms / 1000:.1f} kB for a molecule, go to the scheduler once and to each worker "
        "at most once; the matrix travels only from workers that do not see the disk. On paper:"
    )
    rows = []
    for exponent in (4, 5, 6, 9):
        n = 10.0**exponent
        hours = n**2 / 2 * each / _HOUR
        sizes = [_amount(x / _GIGABYTE) for x in (8 * n**2, 8 * n**2 / 2, n * histograms)]
        rows.append([f"10^{exponent}", _amount(hours), *sizes])
    heads = ["graphs", "processor hours", "GB of file", "GB travel at most", "GB of histograms"]
    return f"{wrapped(text)}\n\n{markdown(heads, rows)}"


def _source(result: dict) -> str:
    versions = result["packages"]
    return wrapped(
        f"{result['cores']} cores, {named(result)}; Python {result['python']}, numba "
        f"{versions['numba']}; {result['date']}; load of the machine before: "
        f"{result['load']:.1f}. `./run bench distributed` measures all of it again."
    )


def _amount(value: float) -> str:
    """Write a number of any size."""
    if value < 1000:
        return number(value)
    for unit, name in ((1e9, " billion"), (1e6, " million")):
        if value >= unit:
            return f"{value / unit:,.3g}{name}"
    return f"{value:,.0f}"


def _few(value: float) -> str:
    """Write a number with one digit that counts."""
    size = 10 ** max(0, len(str(int(value))) - 1)
    return f"{int(value / size) * size:,}"
