"""Large data: vectors and a Gram matrix on disk, by threads and by the workers of a cluster.

Run with ``./run bench distributed``; writes ``benchmarks/results/distributed.json``, from which
``./run bench table`` makes the figures in ``docs/large.md``. The cluster is one of two processes on
this machine with one thread each, beside two threads.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from grafik import FiltrationKernel, Graphs
from grafik.distributed import results_on
from grafik.graphs.parquet import GraphFile, write_parquet
from grafik.kernels.postings import postings_of
from grafik.large.blocks import MOST_GRAPHS, gram_block
from grafik.large.vector_files import vectors, write_parts

from . import ROOT, inputs
from .machine import load, write_result
from .measure import in_turns, shown, tell
from .ours import PAPER_LABELS
from .peak import memory
from .vectors import embedding

N_EMBEDDED, N_GRAM = 200_000, 10_000
N_STREAMED = (100_000, 1_000_000)
PER_PART = 10_000
WORKERS = 2


def main(repeats: int | None = None, to: str = "distributed") -> None:
    """Measure all of it, and write the result file."""
    busy, nci1 = load(), inputs.read("NCI1")
    with tempfile.TemporaryDirectory() as name, local_client() as client:
        folder = Path(name)
        result = {
            "load": busy,
            "workers": WORKERS,
            "embedding": measure_embedding(nci1, client, folder, repeats or 3),
            "gram": measure_gram(nci1, client, folder, repeats or 3),
            "cost": measure_cost(nci1, client, folder),
            "streaming": [measure_stream(n, folder) for n in N_STREAMED],
        }
    tell(f"{write_result(to, result)} is written")


@contextmanager
def local_client() -> Iterator[Any]:
    """Start workers, and connect to them."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def tiled(graphs: Graphs, n_graphs: int) -> Iterator[Graphs]:
    """Yield blocks of a data set repeated until there are enough graphs."""
    many = Graphs.concat([graphs] * -(-2 * PER_PART // len(graphs)))
    for start in range(0, n_graphs, PER_PART):
        first = start % len(graphs)
        yield many[first : first + min(PER_PART, n_graphs - start)]


def measure_embedding(graphs: Graphs, client: Any, folder: Path, repeats: int) -> dict:
    """Compare how long vectors of many graphs in a file take."""
    file = folder / "many.parquet"
    write_parquet(file, tiled(graphs, N_EMBEDDED))

    def run(threads: int, where: Any, n_graphs: int | None = None) -> None:
        given = GraphFile(file, PER_PART)[:1] if n_graphs else file
        shutil.rmtree(folder / "vectors", ignore_errors=True)
        transformer = embedding(graphs, threads)
        write_parts(folder / "vectors", transformer, given, graphs_per_part=PER_PART, client=where)

    for where in (None, client):
        run(WORKERS, where, n_graphs=PER_PART)
    calls = {"threads": partial(run, WORKERS, None), "cluster": partial(run, 1, client)}
    found = compare("vectors", calls, client, repeats)
    peaks = client.run(memory, "VmHWM").values()
    about = {"transformer": type(embedding(graphs, 1)).__name__, "n_graphs": N_EMBEDDED}
    return {**about, "graphs_per_part": PER_PART, **found, "worker_peak_bytes": max(peaks)}


def measure_gram(graphs: Graphs, client: Any, folder: Path, repeats: int) -> dict:
    """Compare how long a Gram matrix on disk takes."""
    many = Graphs.concat([graphs] * -(-N_GRAM // len(graphs)))[:N_GRAM]
    kernel = FiltrationKernel(PAPER_LABELS, n_jobs=WORKERS)

    def run(where: Any, given: Graphs = many) -> None:
        kernel.gram_to(folder / "K.npy", given, client=where)

    for where in (None, client):
        run(where, graphs[:1000])
    calls = {"threads": partial(run, None), "cluster": partial(run, client)}
    found = compare("Gram", calls, client, repeats)
    size = (folder / "K.npy").stat().st_size
    peaks = client.run(memory, "VmHWM").values()
    about = {"n_graphs": N_GRAM, "block": MOST_GRAPHS, "file_bytes": size}
    return {**about, **found, "worker_peak_bytes": max(peaks)}


def compare(what: str, calls: dict[str, Callable[[], None]], client: Any, repeats: int) -> dict:
    """Time calls in turns, and say how many times longer, and busier, the cluster is."""
    busy: dict[str, list[float]] = {name: [] for name in calls}

    def run(name: str) -> dict:
        before = processor_seconds(client)
        found = timed(calls[name])
        busy[name].append(processor_seconds(client) - before)
        return found

    found = in_turns({name: partial(run, name) for name in calls}, repeats)
    for name, result in found.items():
        result["processor_seconds"] = min(busy[name])
        tell(f"{what}, {name}: {shown(result)}, {result['processor_seconds']:.3g} s of processors")
    threads, cluster = found["threads"], found["cluster"]
    ratios = {
        "ratio": cluster["seconds"] / threads["seconds"],
        "processor_ratio": cluster["processor_seconds"] / threads["processor_seconds"],
    }
    return {**found, **ratios}


def processor_seconds(client: Any) -> float:
    """Return how long processors have worked for this process and the workers together."""
    return time.process_time() + sum(client.run(time.process_time).values())


def timed(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> dict:
    """Return the seconds that a call takes."""
    start = clock()
    call()
    return {"seconds": clock() - start}


def measure_cost(graphs: Graphs, client: Any, folder: Path) -> dict:
    """Measure what the cost model is made of: one thread, one task, one graph."""
    transformer, kernel = embedding(graphs, None), FiltrationKernel(PAPER_LABELS).fit(graphs)
    parts = [kernel.histograms_.between(start, start + 2000) for start in (0, 2000)]
    for part in parts:
        postings_of(part)
    batch, columns = graphs[:2000], kernel.on_histograms()
    rows = vectors(transformer, batch)
    tasks = [(i, 1) for i in range(400)]
    seconds = {
        "vectors": least(lambda: vectors(transformer, graphs[:])) / len(graphs),
        "features": least(lambda: kernel.count(graphs[:])) / len(graphs),
        "pair": least(lambda: gram_block(columns, *parts)) / (2000 * 2000),
        "task": least(lambda: list(results_on(client, divmod, tasks)), time.perf_counter)
        / len(tasks),
    }
    arrays = [batch.node_ptr, batch.edge_ptr, batch.edges, batch.node_labels.codes]
    n_bytes = {
        "graph": sum(array.nbytes for array in arrays) / len(batch),
        "histograms": sum(column.nbytes for column in parts[0].columns) / 2000,
        "vector": (rows.data.nbytes + rows.indices.nbytes) / len(batch),
    }
    tell(f"seconds {seconds}, bytes {n_bytes}")
    return {"seconds": seconds, "bytes": n_bytes}


def least(
    call: Callable[[], object], clock: Callable[[], float] = time.process_time, times: int = 5
) -> float:
    """Return the least seconds of several calls, by default of the processor: one thread."""
    return min(timed(call, clock)["seconds"] for _ in range(times))


def measure_stream(n_graphs: int, folder: Path) -> dict:
    """Stream made-up molecules through a process of its own."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        command = [sys.executable, "-m", "benchmarks.streamed", str(n_graphs), name]
        run = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(run.stdout)
    tell(f"streamed {n_graphs}: {found}")
    return found
