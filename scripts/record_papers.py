"""Record a run of a paper, or of all, in tests/data/papers-run.json, from which a test reads figures of docs/papers.md.

    tercet reproduce all --data DIR -f json -o run.json
    python scripts/record_papers.py run.json

Of each table there are the numbers of cells by verdict, the printed and recomputed numbers, those that are not in the
paper, and what statements and notes say. Papers that are not in the run keep their record.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

DIGITS = 4
RUN = Path(__file__).parents[1] / "tests/data/papers-run.json"


def recorded(run: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of the JSON of a run, of one paper or of all."""
    papers = run.get("papers", [run])
    return {paper["paper"]: {one["table"]: _table(one) for one in paper["tables"]} for paper in papers}


def _table(one: dict[str, Any]) -> dict[str, Any]:
    counts = Counter(cell["verdict"] for cell in one["cells"])
    counts["from print"] = sum(cell["verdict"] not in ("near", "different") for cell in one["derived"])
    counts["not checked"] = len(one["unchecked"])
    values: dict[str, dict[str, list[float | None]]] = {}
    for cell in (*one["cells"], *one["derived"], *one["unchecked"]):
        both = [cell["printed"], cell.get("recomputed")]
        values.setdefault(cell["row"], {})[cell["column"]] = [_rounded(value) for value in both if value is not None]
    extra = {row: {name: _rounded(value) for name, value in columns.items()} for row, columns in one["extra"].items()}
    says = [
        f"{'Holds' if said['holds'] else 'Does not hold'}: {said['text']} ({said['found']})"
        for said in one["statements"]
    ]
    parts = {"counts": +counts, "values": values, "extra": extra, "says": [*says, *one["notes"]]}
    return {name: part for name, part in parts.items() if part}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


if __name__ == "__main__":
    kept = json.loads(RUN.read_text("utf-8")) if RUN.exists() else {}
    found = kept | recorded(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    RUN.write_text(json.dumps(found, ensure_ascii=False) + "\n", "utf-8")
