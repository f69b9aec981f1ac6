"""Recognise tables of paraphrases by their first line. `tercet.language` reads them."""

from pathlib import Path

from ..errors import DataError
from .lines import read_blocks
from .tsv import DOCUMENTS, REFERENCE, SOURCE


def paraphrase_format(line: str) -> str | None:
    """Return the format of a table of paraphrases by its first line: "ppdb", "pairs" (with a tab), "meteor" or None."""
    if " ||| " in line:
        return "ppdb"
    if "\t" in line:
        return "pairs"
    try:
        float(line)
    except ValueError:
        return None
    return "meteor"


def is_paraphrases(path: Path) -> bool:
    """Return whether a file begins like a table of paraphrases and not like a test set."""
    from .layouts import ENDINGS  # here, because it imports the readers of all layouts

    if path.name.removesuffix(".gz").endswith(tuple(set(ENDINGS) - {".tsv"})):
        return False
    blocks = read_blocks(path.resolve())
    try:
        line = next(iter(next(blocks, [])), "")
    except DataError:
        return False
    finally:
        blocks.close()
    columns = line.split("\t")
    header = any(c in (*SOURCE, *DOCUMENTS, "seg") or c.startswith("sys:") or REFERENCE.fullmatch(c) for c in columns)
    return paraphrase_format(line) is not None and not header
