"""How the command speaks and ends where sacreBLEU does: messages on standard error, and an exit code."""

import sys
from argparse import Namespace


class Stop(Exception):
    """What ends the command. lines: the messages."""

    def __init__(self, *lines: str, code: int = 1) -> None:
        super().__init__("\n".join(lines))
        self.code = code


def say(args: Namespace, *lines: str) -> None:
    """Print messages as sacreBLEU does."""
    for text in lines:
        print(text if args.quiet else f"sacreBLEU: {text}", file=sys.stderr)
