"""Pages that explain a data set or two graphs: one file each, which needs no network."""

from .pair import write_pair
from .report import write_report

__all__ = ["write_pair", "write_report"]
