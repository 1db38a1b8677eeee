"""All that is fuzzed, by name."""

from . import planted, text_targets, tu_targets
from .cases import Target

TARGETS: dict[str, Target] = {
    target.name: target for target in (*tu_targets.TARGETS, *text_targets.TARGETS, *planted.TARGETS)
}
# What is run if nothing is asked for.
REAL = [name for name, target in TARGETS.items() if target.kind != "planted"]
