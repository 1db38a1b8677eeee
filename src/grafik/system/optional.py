"""Packages that only some users need."""

from importlib import import_module
from typing import Any


def require(module: str, purpose: str, install: str) -> Any:
    """Import an optional package, or say what needs it and how to get it.

    Parameters
    ----------
    module : str
        Name to import, such as ``"networkx"``.
    purpose : str
        What needs it, as the subject of the message.
    install : str
        What to hand to ``pip install``.

    Examples
    --------
    >>> from grafik.system.optional import require
    >>> require("absent_package", "drawing", "absent-package")
    Traceback (most recent call last):
    ImportError: drawing needs absent_package, which is not installed: pip install 'absent-package'
    """
    try:
        return import_module(module)
    except ImportError as error:
        if not isinstance(error, ModuleNotFoundError):
            raise ImportError(
                f"{purpose} needs {module}, which cannot be imported ({error}); unless memory is "
                f"scarce, install it anew: pip install --force-reinstall '{install}'"
            ) from error
        message = f"{purpose} needs {module}, which is not installed: pip install '{install}'"
        raise ImportError(message) from error
