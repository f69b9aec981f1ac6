"""What the network in many languages learns from: outputs with source, reference, and what people said of them.

    python -m training.multilingual.judgements DATA multilingual.model OUT.npz

OUT has all texts once, in pieces of the encoder's vocabulary, and rows of numbers of texts by name of the set, such as
`da/wmt16.en-ru` (source, reference, output; the scores beside them), `rank/wmt12.en-de` (source, reference, better,
worse), `system/wmt18.en-fi` (source, reference, output; the score is that of the system) and `pool/wmt14.de-en`
(source, reference, output without a score; `training.multilingual.labels` gives them Rima's). Text 0 is empty.
"""

from __future__ import annotations

import argparse
import gzip
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np

from tercet.language.encoders.multilingual import open_multilingual
from training.data import _plain, rows

LONGEST = 200  # pieces of a text
SYSTEMS = 4  # outputs of a segment of WMT18 that are drawn
Judged = tuple[str, str, str, float]  # source, reference, output, score


@dataclass
class Judgements:
    """Judgements by name of the set."""

    assessed: dict[str, list[Judged]] = field(default_factory=lambda: defaultdict(list))
    ranked: dict[str, list[tuple[str, str, str, str]]] = field(default_factory=lambda: defaultdict(list))
    systems: dict[str, list[Judged]] = field(default_factory=lambda: defaultdict(list))
    pool: dict[str, list[tuple[str, str, str]]] = field(default_factory=lambda: defaultdict(list))


class Texts:
    """Sources, references and outputs of a year and language pair, by segment."""

    def __init__(self, folder: Path, pair: str) -> None:
        segments = list(rows(folder / f"{pair}.segments.tsv.gz"))
        self.source = {row["seg"]: row["source"] for row in segments}
        self.reference = {row["seg"]: row["reference"] for row in segments}
        self.outputs = {row.pop("seg"): row for row in rows(folder / f"{pair}.outputs.tsv.gz")}

    def triple(self, segment: str, system: str) -> tuple[str, str, str]:
        return self.source[segment], self.reference[segment], self.outputs[segment][system]


def forbidden_texts(data: Path) -> set[str]:
    """Return the texts that nothing may be learnt from: WMT19, WMT23, TED's and the dev part of MLQE."""
    found = set()
    for path in [*(data / "wmt19").glob("*.segments.tsv.gz"), *(data / "wmt23").glob("*.segments.tsv.gz")]:
        for row in rows(path):
            found.update(_plain(text) for name, text in row.items() if name.startswith(("source", "ref")))
    for path in (data / "mlqe").glob("*.dev.tsv.gz"):
        found.update(_plain(row["original"]) for row in rows(path))
    for path in (data / "mqm").glob("ted.*.mqm.tsv.gz"):
        found.update(_plain(line.split("\t")[5]) for line in _lines(path))
    return {text for text in found if len(text.split()) > 3 or len(text) > 12}


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        yield from (line.rstrip("\n") for line in lines)


def read(data: Path) -> Judgements:
    """Read all sets; what has a forbidden text is left out."""
    found = Judgements()
    opened = {
        (year, path.name.split(".")[0]): Texts(data / year, path.name.split(".")[0])
        for year in ("wmt12", "wmt14", "wmt17", "wmt18")
        for path in sorted((data / year).glob("*.outputs.tsv.gz"))
    }
    _read_rankings(data, opened, found)
    _read_outputs(data, opened, found)
    _read_assessments(data, opened, found)
    for path in sorted((data / "segment_out").glob("*.tsv.gz")):
        _read_out(path, found)
    return _without(found, forbidden_texts(data))


def _read_rankings(data: Path, opened: dict[tuple[str, str], Texts], found: Judgements) -> None:
    for row in rows(data / "wmt12" / "rankings.tsv.gz"):
        its, ranks = opened["wmt12", row["lp"]], [int(rank) for rank in row["ranks"].split("|")]
        ranked = zip(ranks, row["systems"].split("|"), strict=True)
        for (rank, one), (other_rank, other) in combinations([each for each in ranked if each[0] > 0], 2):
            better, worse = (one, other) if rank < other_rank else (other, one)
            outputs = its.outputs[row["seg"]]
            if rank != other_rank and outputs[better] != outputs[worse]:
                found.ranked[f"wmt12.{row['lp']}"].append((*its.triple(row["seg"], better), outputs[worse]))
    for (year, pair), its in opened.items():
        if year == "wmt14":
            for row in rows(data / year / f"{pair}.rr.tsv.gz"):
                worse = its.outputs[row["seg"]][row["worse"]]
                found.ranked[f"{year}.{pair}"].append((*its.triple(row["seg"], row["better"]), worse))


def _read_outputs(data: Path, opened: dict[tuple[str, str], Texts], found: Judgements) -> None:
    """Add outputs without judgements in English, and those of WMT18's systems with the system's score in others."""
    random = Random(0)
    scores = {(row["lp"], row["system"]): float(row["DA"]) for row in rows(data / "wmt18" / "DA-syslevel.tsv.gz")}
    for (year, pair), its in opened.items():
        for segment, systems in its.outputs.items():
            if pair.endswith("-en"):
                found.pool[f"{year}.{pair}"] += dict.fromkeys(its.triple(segment, system) for system in systems)
            elif year == "wmt18":
                judged = sorted(system for system in systems if (pair, system) in scores)
                for system in random.sample(judged, min(SYSTEMS, len(judged))):
                    found.systems[f"{year}.{pair}"].append((*its.triple(segment, system), scores[pair, system]))


def _read_assessments(data: Path, opened: dict[tuple[str, str], Texts], found: Judgements) -> None:
    for row in rows(data / "wmt17" / "DA-seglevel.tsv.gz"):
        if ("wmt17", row["lp"]) in opened:
            triple = opened["wmt17", row["lp"]].triple(row["seg"], row["system"].split("+")[0])
            found.assessed[f"wmt17.{row['lp']}"].append((*triple, float(row["DA_z"])))
    for row in rows(data / "graham_da" / "da_with_postedits.tsv.gz"):
        texts = row["source"], row["reference"], row["mt"]
        found.assessed[f"wmt13.{row['lp']}"].append((*texts, float(row["DA_z"])))
    for path in sorted((data / "segment_da").glob("*.tsv.gz")):
        for row in rows(path):
            texts = row["source"], row["reference"], row["mt"]
            found.assessed[f"wmt{row['year'][-2:]}.{row['lp']}"].append((*texts, float(row["z"])))
    for path in sorted((data / "mlqe").glob("*.train.tsv.gz")):
        for row in rows(path):
            judged = row["original"], "", row["translation"], float(row["z_mean"])
            found.assessed[f"mlqe.{path.name.split('.')[0]}"].append(judged)


def _read_out(path: Path, found: Judgements) -> None:
    """Add a table of judgements out of English; its scores are standardised, errors by their square root."""
    table, kind = list(rows(path)), ""
    values = np.array([float(row["score"]) for row in table])
    kind = table[0]["kind"]
    if kind in ("mqm", "esa"):
        values = -np.sqrt(np.clip(values.max() - values, 0, None))
    if kind != "da_z":
        values = (values - values.mean()) / values.std()
    for row, value in zip(table, values.clip(-4, 4).tolist(), strict=True):
        texts = row["source"], row["reference"], row["mt"]
        found.assessed[f"{row['set'].split('.')[0]}.{row['lp']}"].append((*texts, value))


def _without(found: Judgements, forbidden: set[str]) -> Judgements:
    def allowed(row: tuple[object, ...]) -> bool:
        return not any(isinstance(text, str) and _plain(text) in forbidden for text in row)

    for sets in (found.assessed, found.ranked, found.systems, found.pool):
        for name, listed in sets.items():
            kept = [row for row in listed if allowed(row)]
            if len(kept) < len(listed):
                print(
                    f"{name}: {len(listed) - len(kept)} of {len(listed)} left out, for texts of test sets", flush=True
                )
            sets[name] = kept
    return found


def pack(found: Judgements, model: Path) -> dict[str, np.ndarray]:
    """Return the arrays of the archive."""
    encoder, numbers = open_multilingual(model), {"": 0}
    arrays: dict[str, np.ndarray] = {}
    for kind, sets, texts in (
        ("da", found.assessed, 3), ("rank", found.ranked, 4), ("system", found.systems, 3), ("pool", found.pool, 3),
    ):  # fmt: skip
        for name, listed in sets.items():
            arrays[f"{kind}/{name}"] = np.array(
                [[numbers.setdefault(text, len(numbers)) for text in row[:texts]] for row in listed], np.int32
            ).reshape(-1, texts)
            if kind in ("da", "system"):
                arrays[f"{kind}/{name}/score"] = np.array([row[3] for row in listed], np.float32)
    pieces = [
        np.array([piece.number for piece in encoder.tokenizer.pieces(text)][:LONGEST], np.uint16) for text in numbers
    ]
    return {"pieces": np.concatenate(pieces), "lengths": np.array([len(text) for text in pieces], np.uint8), **arrays}


def main() -> None:
    """Write the archive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    arrays = pack(read(given.data), given.model)
    np.savez(given.out, **arrays)
    for name in sorted(arrays):
        print(name, arrays[name].shape)


if __name__ == "__main__":
    main()
