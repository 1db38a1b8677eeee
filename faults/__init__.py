"""What happens when something goes wrong: ``python -m faults`` from the root, or ``./run faults``.

Each fault disturbs one operation that writes files, in a process of its own, and then the same call
is made again, as people do. Afterwards the files must be those of an undisturbed run, byte by byte.
"""

from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULT = ROOT / "experiments" / "reliability" / "faults.json"
