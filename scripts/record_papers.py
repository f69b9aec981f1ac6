"""Record a run of all papers in tests/data/papers-run.json, from which a test reads the figures of docs/papers.md.

    tercet reproduce all --data DIR -f json -o run.json
    python scripts/record_papers.py run.json

Of each table there are the numbers of cells by verdict, the printed and recomputed numbers, those that are not in the
paper, and what statements and notes say. The counts on the page are replaced by those of the run.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

DIGITS = 4
ROOT = Path(__file__).parents[1]
RUN, PAGE = ROOT / "tests/data/papers-run.json", ROOT / "docs/papers.md"
NAMES = {
    "wmt14": "WMT14 metrics task",
    "wmt19": "WMT19 metrics task",
    "kobe": "KoBE",
    "thesis": "thesis of Fomicheva",
    "specia": "Specia et al., quality estimation",
}
VERDICTS = ("equal", "in interval", "half-width", "near", "different", "from print", "not checked")


def recorded(run: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of the JSON of a run."""
    return {paper["paper"]: {one["table"]: _table(one) for one in paper["tables"]} for paper in run["papers"]}


def _table(one: dict[str, Any]) -> dict[str, Any]:
    counts = Counter(cell["verdict"] for cell in one["cells"])
    counts["from print"] = one["derived_equal"]
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


def counted(page: str, run: dict[str, Any]) -> str:
    """Return the page with the counts of a recorded run: a row for each paper, and the sentence below."""
    total: Counter[str] = Counter()
    for paper, name in NAMES.items():
        counts = sum((Counter(one["counts"]) for one in run[paper].values()), Counter[str]())
        total += counts
        row = f"| {name} | " + " | ".join(f"{counts[verdict]:,}" for verdict in VERDICTS) + " |"
        page = re.sub(rf"^\| {re.escape(name)} \|.*$", row, page, flags=re.MULTILINE)
    said = f"{total['equal']} numbers round to print, {total['in interval']} more lie in a printed interval, and "
    return re.sub(r"\d+ numbers round to print, .* half-widths", f"{said}{total['half-width']} half-widths", page)


if __name__ == "__main__":
    found = recorded(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    RUN.write_text(json.dumps(found, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(counted(PAGE.read_text("utf-8"), found), "utf-8")
