"""One operation, in a process that has just been started: ``python -m faults.alone NAME EDITION``.

With an address of a scheduler as third argument, workers of a cluster do the work.
"""

import sys
from functools import partial

from .processes import ended, listen


def _work(name: str, edition: str, address: str | None = None) -> None:
    from .operations import ON_CLUSTER, OPERATIONS

    if address is None:
        OPERATIONS[name].write(int(edition))
        return
    from grafik.distributed import connected

    with connected(address) as client:
        ON_CLUSTER[name](int(edition), client)


if __name__ == "__main__":
    listen()
    sys.exit(ended(partial(_work, *sys.argv[1:])))
