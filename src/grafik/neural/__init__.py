"""Graph neural networks that see the filtration graphs, for PyTorch and scikit-learn.

They need ``pip install 'grafik[neural]'``. PyTorch is imported when one of the names here is first
used, and nothing else in grafik needs it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..system.optional import require

if TYPE_CHECKING:
    from .add_filtration import AddFiltration
    from .classifier import FiltrationNetworkClassifier
    from .gin import FiltrationGIN

__all__ = ["AddFiltration", "FiltrationGIN", "FiltrationNetworkClassifier"]

# The module of each name, and the packages that it needs.
_HOME = {
    "AddFiltration": ("add_filtration", ("torch", "torch_geometric")),
    "FiltrationGIN": ("gin", ("torch",)),
    "FiltrationNetworkClassifier": ("classifier", ("torch", "safetensors")),
}


if not TYPE_CHECKING:  # else type checkers would believe in any name

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'grafik.neural' has no attribute {name!r}")
        module, packages = _HOME[name]
        for package in packages:
            require(package, name, "grafik[neural]")
        value = getattr(import_module(f".{module}", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__
