"""Pages that explain a data set or two graphs: one file each, which needs no network."""

from .data_set import write_report
from .pair import write_pair

__all__ = ["write_pair", "write_report"]
