"""`python -m tercet` is the command `tercet`."""

from .cli import run

if __name__ == "__main__":
    run()
