"""The installed command `tercet`, also `python -m tercet`."""

import gc
import os
import sys


def run() -> None:
    """Run the command line, and leave without tearing down NumPy, which takes as long as a small run.

    The imports stand inside, so that stopping while they are under way is no traceback either.
    """
    gc.set_threshold(50_000)  # collecting cycles during imports takes a twentieth of a small run
    code: object = 0
    try:
        from .cli import main

        main()
    except SystemExit as leaving:
        code = leaving.code
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        code = 130
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # nobody reads; what could be said has been said
        code = code or 141
    number = code if isinstance(code, int) else 0 if code is None else 1
    if "multiprocessing.process" in sys.modules:
        sys.exit(number)  # its queues are closed on the way
    os._exit(number)


if __name__ == "__main__":
    run()
