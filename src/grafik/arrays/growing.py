"""Arrays that grow, inside of loops."""

import numpy as np

from .compiled import apart


@apart
def grown(array, used, size):
    """Return a longer array that starts with what is in use."""
    longer = np.empty(size, array.dtype)
    for i in range(used):
        longer[i] = array[i]
    return longer
