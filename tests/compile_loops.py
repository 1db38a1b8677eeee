"""Compile the loops of grafik, which numba keeps; what is compiled already takes seconds."""

import os

from grafik.cli.loops import steps


def main():
    """Use every loop, in two processes where one can be forked."""
    calls = steps()
    calls[0]()  # which both of them need
    child = os.fork() if hasattr(os, "fork") else None
    # They begin at different ends; what the other one has compiled by then is only loaded.
    for call in calls[::-1] if child == 0 else calls:
        call()
    if child:
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
