"""Make the archive of WMT19's to-English texts, which are scored once, at the end, and never trained on.

    python -m training.evaluation DATA TOKENIZER.json OUT.npz

Rows of `eval/wmt19.PAIR` are segments by systems, in the order of the outputs file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from . import data
from .prepare import TextTable, tokenise


def main() -> None:
    """Write the archive."""
    folder, tokenizer, out = (Path(one) for one in sys.argv[1:4])
    table, arrays = TextTable(), {}
    for pair in data.english_pairs(folder / "wmt19"):
        texts = data.Texts.read(folder / "wmt19", pair)
        arrays[f"eval/wmt19.{pair}"] = np.array(
            [
                [table(texts.references[segment]), table(output)]
                for segment, systems in texts.outputs.items()
                for output in systems.values()
            ],
            np.int32,
        )
    arrays["tokens"], arrays["starts"] = tokenise(list(table.numbers), tokenizer)
    np.savez_compressed(out, **arrays)


if __name__ == "__main__":
    main()
