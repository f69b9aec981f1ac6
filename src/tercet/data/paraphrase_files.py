"""How a table of paraphrases is known by its first line; `tercet.language` reads the rest."""

from pathlib import Path

from ..errors import DataError
from .lines import read_blocks
from .tsv import DOCUMENTS, REFERENCE, SOURCE


def paraphrase_format(line: str) -> str | None:
    """Which kind of table of paraphrases a first line begins: "ppdb", "pairs" (with a tab), "meteor", or none."""
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
    """Whether a file begins as a table of paraphrases does, and not as a test set."""
    from .layouts import ENDINGS  # with the readers of all layouts, which those who only read tables do not need

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
