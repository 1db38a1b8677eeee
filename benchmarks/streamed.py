"""A stream of made-up molecules through a process of its own: to Parquet, and from it to vectors.

``python -m benchmarks.streamed N FOLDER`` prints JSON: seconds, the sizes of files, and by how much
the process grew while it did what it had done with fewer graphs before.
"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from grafik import Graphs
from grafik.graphs.parquet import write_parquet
from grafik.large.vector_files import write_parts

from .inputs import molecules
from .peak import forget_peak, growth_since
from .vectors import embedding

PER_BLOCK = 10_000
# Several blocks, after which loops are compiled and memory that is kept is there.
_WARM = 4 * PER_BLOCK


def blocks(n_graphs: int) -> Iterator[Graphs]:
    """Make molecules, a block at a time."""
    for start in range(0, n_graphs, PER_BLOCK):
        yield molecules(min(PER_BLOCK, n_graphs - start), start)


def through(n_graphs: int, folder: Path) -> dict:
    """Write molecules, make vectors of them, and say how long that took and how large they are."""
    file, parts = folder / f"{n_graphs}.parquet", folder / f"{n_graphs}-vectors"
    start = time.perf_counter()
    write_parquet(file, blocks(n_graphs))
    made = time.perf_counter()
    write_parts(parts, embedding(next(blocks(1000)), None), file, graphs_per_part=PER_BLOCK)
    return {
        "n_graphs": n_graphs,
        "generate_seconds": made - start,
        "seconds": time.perf_counter() - made,
        "parquet_bytes": file.stat().st_size,
        "parts_bytes": sum(part.stat().st_size for part in parts.glob("*.parquet")),
    }


def main(n_graphs: int, folder: Path) -> None:
    """Do it with a few, then with all."""
    through(_WARM, folder)
    before = forget_peak()
    found = through(n_graphs, folder)
    print(json.dumps({**found, "peak_growth_bytes": growth_since(before)}))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
