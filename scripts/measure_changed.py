"""Measure how many outputs that `tercet review` calls green were changed by people who post-edited them.

    python scripts/measure_changed.py ../shared/data

It writes src/tercet/quality/data/changed.json. The data are never shipped: newstest2013 with direct assessments and
post-edits, WMT12's set of quality estimation, and the post-edits of IWSLT 2019. Predictions of the package's models are
those that its training made by cross-validation, on scores of networks which had not seen the language pair. They are
found by their labels.
"""

from __future__ import annotations

import gzip
import html
import json
import sys
from collections import defaultdict
from pathlib import Path

from tercet.checking.segment_findings import Sides, find
from tercet.checking.triage import Usual
from tercet.quality.changed import PLACE
from tercet.quality.default import file_name
from tercet.quality.model import QualityModel

OFFSET, SLOPE = 59.75, 33.77  # from z to the models' labels, as in training/default_quality.py
STEP, FEWEST = 5, 100
SETS = {
    "2013": "newstest2013 (post-edits of Graham et al.)",
    "wmt12": "WMT12 quality estimation",
    "iwslt": "IWSLT 2019 post-edits",
}
Row = tuple[str, str, str, float]  # source, output, post-edit, label


def _rows(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        header, *rows = (line.rstrip("\n").split("\t") for line in stream)
    return [dict(zip(header, row, strict=True)) for row in rows]


def _plain(text: str) -> str:
    return " ".join(html.unescape(html.unescape(text)).split())


def read(data: Path) -> dict[tuple[str, str], list[Row]]:
    """Return the rows of each set and language pair."""
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in _rows(data / "graham_da" / "da_with_postedits.tsv.gz"):
        label = min(100.0, max(0.0, OFFSET + SLOPE * float(row["DA_z"])))
        found["2013", row["lp"]].append((_plain(row["source"]), _plain(row["mt"]), _plain(row["postedit"]), label))
    for part in ("training", "test"):
        for row in _rows(data / "wmt12_qe" / f"{part}.tsv.gz"):
            found["wmt12", "en-es"].append((_plain(row["source"]), _plain(row["mt"]), _plain(row["postedit"]), -1))
    for row in _rows(data / "iwslt2019_pe" / "annotations.tsv.gz"):
        found["iwslt", "en-es"].append((_plain(row["S"]), _plain(row["MT"]), _plain(row["PE"]), -1))
    return found


def passing(rows: list[Row], pair: str) -> list[Row]:
    """Return the rows in which the checks find nothing."""
    usual = Usual(pair)
    usual.add([row[0] for row in rows], [row[1] for row in rows])
    context = usual.context()
    return [row for row in rows if not find(Sides(row[0], row[1]), context)]


def changed(rows: list[Row]) -> int:
    """Return how many outputs people changed."""
    return sum(row[1] != row[2] for row in rows)


def main(data: Path) -> None:
    """Write the figures."""
    sets = read(data)
    clean = {key: passing(rows, key[1]) for key, rows in sets.items()}
    figures = []
    pairs: dict[str, list[str]] = defaultdict(list)
    for name, pair in sets:
        pairs[pair].append(name)
    for pair, names in sorted(pairs.items()):
        rows = [row for name in names for row in clean[name, pair]]
        everything = [row for name in names for row in sets[name, pair]]
        if len(rows) >= FEWEST:
            figures.append({
                "model": "", "pair": pair, "source": ", ".join(SETS[name] for name in names),
                "segments": len(everything), "changed": changed(everything), "at": [[0, len(rows), changed(rows)]],
            })  # fmt: skip
    for meaning in (True, False):
        model = QualityModel.load(Path("src/tercet/quality/data", file_name(meaning=meaning)))
        by_label: dict[float, list[tuple[str, Row]]] = defaultdict(list)
        for (name, pair), rows in sets.items():
            for row in rows if name == "2013" and pair.endswith("-en") else ():
                by_label[round(row[3], 6)].append((pair, row))
        good = {row for (name, _), rows in clean.items() if name == "2013" for row in rows}
        matched = []
        for value, label in zip(model.held_out_predictions.tolist(), model.held_out_labels.tolist(), strict=True):
            here = by_label.get(round(label, 6), [])
            if len(here) == 1 and 0 < label < 100:  # labels at the ends are clipped, and do not tell segments apart
                matched.append((value, *here[0]))
        at = []
        for limit in range(0, 100, STEP):
            rows = [row for value, _, row in matched if value >= limit and row in good]
            if len(rows) >= STEP:
                at.append([limit, len(rows), changed(rows)])
        rows = [row for *_, row in matched]
        named = ", ".join(sorted({pair for _, pair, _ in matched}))
        figures.append({
            "model": model.checksum, "pair": "any-en", "source": f"{SETS['2013']}, {named}",
            "segments": len(rows), "changed": changed(rows), "at": at,
        })  # fmt: skip
    Path("src/tercet", *PLACE).write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    for each in figures:
        print(each)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
