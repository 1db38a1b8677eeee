"""Fuzzing: inputs that a seed makes, sent through every reader, converter and kernel.

A case is a function of the target's name, the seed and a number, so these three repeat it.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FINDINGS = ROOT / "tests" / "findings"
# The definitions in loops, and the graphs that Hypothesis makes.
sys.path.append(str(ROOT / "tests"))
