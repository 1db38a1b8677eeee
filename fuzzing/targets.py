"""All that is fuzzed, by name."""

from . import (
    bomb_targets,
    converter_targets,
    file_targets,
    kernel_targets,
    parquet_targets,
    planted,
    text_targets,
    tu_targets,
)
from .cases import Target

_FAMILIES = (
    bomb_targets,
    tu_targets,
    text_targets,
    parquet_targets,
    file_targets,
    converter_targets,
    kernel_targets,
    planted,
)
TARGETS: dict[str, Target] = {one.name: one for family in _FAMILIES for one in family.TARGETS}
# What is run if nothing is asked for.
REAL = [name for name, target in TARGETS.items() if target.kind != "planted"]
