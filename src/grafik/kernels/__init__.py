"""Gram matrices of histograms, and FiltrationKernel, which makes them of graphs."""
