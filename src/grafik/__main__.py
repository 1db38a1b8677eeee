"""The command `grafik`, and `python -m grafik`."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C ends it without a traceback, also while it is loaded."""
    try:
        from .cli import main as command_line

        command_line()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
