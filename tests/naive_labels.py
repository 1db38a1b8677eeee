"""Labels from attributes as they are defined, in loops; imports nothing of grafik.

Each function returns the least values of all bins but the first, increasing.
"""

from fractions import Fraction


def every_value(values):
    return sorted(set(values))[1:]


def quantile(values, n_bins):
    """For each share, the value that has a part of the others below it nearest to the share."""
    if len(set(values)) <= n_bins:
        return every_value(values)
    starts = set()
    for k in range(1, n_bins):
        share = Fraction(k, n_bins)
        below = {
            value: Fraction(sum(other < value for other in values), len(values))
            for value in every_value(values)
        }
        starts.add(min(below, key=lambda value: (abs(below[value] - share), value)))
    return sorted(starts)


def uniform(values, n_bins):
    low, high = Fraction(min(values)), Fraction(max(values))
    return [low + k * (high - low) / n_bins for k in range(1, n_bins)] if low < high else []


def bins(values, starts):
    """Number of the bin of each value."""
    return [sum(start <= value for start in starts) for value in values]


def labels(old, columns):
    """One label per vertex from old labels, if any, and the names of the bins in all columns."""
    parts = columns if old is None else [old, *columns]
    return list(parts[0]) if len(parts) == 1 else list(zip(*parts, strict=True))
