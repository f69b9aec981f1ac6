"""`python -m tests.docs.update [PAGE…]`: put what examples print now into the pages, to be read in the diff.

Expected output with `...` in it is left alone and named: a person chose what matters there.
"""

import os
import sys
import tempfile
from pathlib import Path
from unittest import mock

from tercet import examples as demo

from . import running
from .test_examples import PAGES


def update(page: Path) -> None:
    changes: list[tuple[str, str, str]] = []

    def collect(actual: str, expected: str, where: str) -> None:
        try:
            compare(actual, expected, where)
        except AssertionError:
            changes.append((where, expected, actual))

    compare, running.check_output = running.check_output, collect
    try:
        with tempfile.TemporaryDirectory() as folder:
            usual = {"HOME": folder, "TERCET_DATA": f"{folder}/data", "COLUMNS": "80", "NO_COLOR": "1"}
            with mock.patch.dict(os.environ, usual):
                demo.write("en-de", Path(folder) / "work")
                running.Page(page, Path(folder) / "work").run()
    finally:
        running.check_output = compare
    text = page.read_text("utf-8")
    for where, expected, actual in changes:
        command = where.partition(": ")[2]
        before = f"$ {command}\n{expected}" if command else expected
        after = "".join(f"{line.rstrip()}\n" for line in actual.rstrip().split("\n"))
        if "..." in expected or text.count(before) != 1:
            print(f"by hand: {where}\n--- it prints\n{actual}")
            continue
        text = text.replace(before, f"$ {command}\n{after}" if command else after)
        print(f"updated: {where}")
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    for path in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        update(path)
