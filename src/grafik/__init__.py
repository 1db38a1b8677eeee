"""Graph filtration kernels: compare graphs by what they share, when it appears and for how long."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from . import datasets
    from .accept import as_graphs
    from .graphs import Graph, Graphs

# Where each public name lives; it is imported when first used, so that `import grafik` is quick.
_HOME = {
    "Graph": "graphs",
    "Graphs": "graphs",
    "as_graphs": "accept",
    "datasets": "datasets",
}

__all__ = ["Graph", "Graphs", "as_graphs", "datasets"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'grafik' has no attribute {name!r}")
    module = import_module(f".{_HOME[name]}", __name__)
    value = module if _HOME[name] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
