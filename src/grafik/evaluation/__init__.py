"""Honest comparisons of kernels: nested cross-validation, resumable, with paired tests."""

from .evaluate import evaluate
from .methods import METHODS, swept
from .results import Results, read_results
from .summary import Summary

__all__ = ["METHODS", "Results", "Summary", "evaluate", "read_results", "swept"]
