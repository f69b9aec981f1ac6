"""Write `tasks/sacrebleu/test_sets.json` from the installed sacreBLEU: names, descriptions, and where files are.

    python scripts/build_sacrebleu_test_sets.py

The list and the annotation of documents are sacreBLEU's (Apache-2.0; see NOTICE). No texts are among them.
"""

import json
from pathlib import Path

from sacrebleu.dataset import DATASETS, SUBSETS

KINDS = {
    "FakeSGMLDataset": "sgm",
    "IWSLTXMLDataset": "sgm",
    "WMTAdditionDataset": "addition",
    "WMTXMLDataset": "xml",
    "PlainTextDataset": "plain",
    "TSVDataset": "tsv",
}
TARGET = Path(__file__).resolve().parents[1] / "src" / "tercet" / "tasks" / "sacrebleu" / "test_sets.json"


def main() -> None:
    """Write the file, a line per test set."""
    sets = {
        name: {
            "kind": KINDS[type(each).__name__],
            "about": each.description.strip(),
            "address": each.data,
            "refs": each.kwargs.get("refs", []),
            "pairs": each.langpairs,
        }
        for name, each in DATASETS.items()
    }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each, ensure_ascii=False)}" for name, each in sets.items())
    subsets = json.dumps(SUBSETS, ensure_ascii=False)
    TARGET.write_text(f'{{"test sets": {{\n{lines}\n}},\n"documents": {subsets}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
