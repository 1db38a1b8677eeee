"""Honest comparisons of kernels: nested cross-validation, resumable, with paired tests."""

from .evaluate import evaluate
from .methods import METHODS, swept
from .protocols import PROTOCOLS, Protocol
from .results import Results, read_results
from .summary import Summary

__all__ = [
    "METHODS",
    "PROTOCOLS",
    "Protocol",
    "Results",
    "Summary",
    "evaluate",
    "read_results",
    "swept",
]
