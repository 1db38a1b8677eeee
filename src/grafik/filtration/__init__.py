"""Thresholds, and the level at which each edge enters."""
