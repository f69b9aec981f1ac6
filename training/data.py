"""What Rima learns from: WMT's texts, rankings and direct assessments (DA), English outputs only.

Folders have the layout of the files that `tercet data get` unpacks: PAIR.segments.tsv.gz, PAIR.outputs.tsv.gz, and
judgements. Nothing of newstest2019 may be read for training; `refuse_leaks` makes sure of it.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

YEARS = ("wmt12", "wmt14", "wmt17", "wmt18")


def rows(path: Path) -> Iterator[dict[str, str]]:
    """Read a table with tabs and a header; nothing is quoted."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        header = next(lines).rstrip("\n").split("\t")
        for line in lines:
            yield dict(zip(header, line.rstrip("\n").split("\t"), strict=True))


@dataclass
class Texts:
    """One year and language pair: sources and references by segment, outputs by segment and system."""

    sources: dict[str, str]
    references: dict[str, str]
    outputs: dict[str, dict[str, str]]

    @classmethod
    def read(cls, folder: Path, pair: str) -> Texts:
        segments = list(rows(folder / f"{pair}.segments.tsv.gz"))
        outputs = {row.pop("seg"): row for row in rows(folder / f"{pair}.outputs.tsv.gz")}
        return cls(
            {row["seg"]: row["source"] for row in segments}, {row["seg"]: row["reference"] for row in segments}, outputs
        )


def english_pairs(folder: Path) -> list[str]:
    """Return the language pairs of a folder that translate into English."""
    return sorted(path.name.split(".")[0] for path in folder.glob("*-en.outputs.tsv.gz"))


@dataclass
class Ranking:
    """Of two outputs of a segment, people preferred the first."""

    reference: str
    better: str
    worse: str


@dataclass
class Assessment:
    """An output with its standardised DA score. `group` is the year and pair; `segment` tells segments apart."""

    reference: str
    output: str
    z: float
    group: str
    segment: str


@dataclass
class Sources:
    """All that training may see, by name of the set, such as "wmt14.ru-en"."""

    rankings: dict[str, list[Ranking]] = field(default_factory=dict)
    assessments: dict[str, list[Assessment]] = field(default_factory=dict)
    pool: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)  # reference, output, source

    def texts(self) -> Iterator[str]:
        for rankings in self.rankings.values():
            for ranking in rankings:
                yield from (ranking.reference, ranking.better, ranking.worse)
        for assessments in self.assessments.values():
            for assessment in assessments:
                yield from (assessment.reference, assessment.output)
        for triples in self.pool.values():
            for reference, output, _ in triples:
                yield from (reference, output)


def read(data: Path) -> Sources:
    """Read everything of WMT12 to WMT18 (and WMT21's DA where it is there) that has English outputs."""
    found = Sources()
    texts = {(year, pair): Texts.read(data / year, pair) for year in YEARS for pair in english_pairs(data / year)}
    for (year, pair), its in texts.items():
        found.pool[f"{year}.{pair}"] = list(
            dict.fromkeys(
                (its.references[segment], output, its.sources[segment])
                for segment, systems in its.outputs.items()
                for output in systems.values()
            )
        )
        if year == "wmt14":
            found.rankings[f"{year}.{pair}"] = [
                Ranking(
                    its.references[row["seg"]],
                    its.outputs[row["seg"]][row["better"]],
                    its.outputs[row["seg"]][row["worse"]],
                )
                for row in rows(data / year / f"{pair}.rr.tsv.gz")
            ]
    for row in rows(data / "wmt12" / "rankings.tsv.gz"):
        if row["lp"].endswith("-en"):
            its = texts["wmt12", row["lp"]]
            found.rankings.setdefault(f"wmt12.{row['lp']}", []).extend(_strict_pairs(row, its))
    for row in rows(data / "wmt17" / "DA-seglevel.tsv.gz"):
        if ("wmt17", row["lp"]) in texts:
            its = texts["wmt17", row["lp"]]
            _add(
                found,
                "wmt17",
                row["lp"],
                row["seg"],
                its.references[row["seg"]],
                its.outputs[row["seg"]][row["system"].split("+")[0]],
                row["DA_z"],
            )
    for row in rows(data / "graham_da" / "da_with_postedits.tsv.gz"):
        if row["lp"].endswith("-en"):
            _add(found, "wmt13", row["lp"], row["seg"], row["reference"], row["mt"], row["DA_z"])
    for row in rows(data / "mlqe" / "ro-en.train.tsv.gz"):  # no references: the network sees an empty one
        _add(found, "mlqe", "ro-en", row["index"], "", row["translation"], row["z_mean"])
    for path in sorted((data / "segment_da").glob("*.tsv.gz")):
        for row in rows(path):
            if row["lp"].endswith("-en"):
                _add(found, f"wmt{row['year'][-2:]}", row["lp"], row["seg"], row["reference"], row["mt"], row["z"])
    return found


def _strict_pairs(row: dict[str, str], texts: Texts) -> Iterator[Ranking]:
    ranked = [
        (int(rank), system) for rank, system in zip(row["ranks"].split("|"), row["systems"].split("|"), strict=True)
    ]
    outputs, reference = texts.outputs[row["seg"]], texts.references[row["seg"]]
    for (rank, one), (other_rank, other) in combinations(ranked, 2):
        if rank < 1 or other_rank < 1 or rank == other_rank or outputs[one] == outputs[other]:
            continue
        better, worse = (one, other) if rank < other_rank else (other, one)
        yield Ranking(reference, outputs[better], outputs[worse])


def _add(found: Sources, year: str, pair: str, segment: str, reference: str, output: str, z: str) -> None:
    name = f"{year}.{pair}"
    found.assessments.setdefault(name, []).append(Assessment(reference, output, float(z), name, f"{name}.{segment}"))


def refuse_leaks(found: Sources, forbidden: Iterable[str]) -> None:
    """Stop when a text of a test set is among the texts to learn from. Texts of up to three words do not count."""
    known = {_plain(text) for text in forbidden}
    leaks = sorted({text for text in found.texts() if len(text.split()) > 3 and _plain(text) in known})
    if leaks:
        raise SystemExit(f"{len(leaks)} texts of the test set are in the training data, the first: {leaks[0]!r}")


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
