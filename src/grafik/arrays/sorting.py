"""Sorting of short lists, inside of loops."""

from .compiled import njit


@njit(cache=True, nogil=True)
def sort_by_key(keys, order, n):
    """Sort the first `n` of some numbers by their keys (Shell sort: there are few)."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            moved, j = order[i], i
            while j >= gap and keys[order[j - gap]] > keys[moved]:
                order[j] = order[j - gap]
                j -= gap
            order[j] = moved
        gap //= 3
