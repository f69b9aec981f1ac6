"""Gekhman, Aharoni, Beryozkin, Freitag and Macherey (2020), "KoBE: Knowledge-Based Machine Translation Evaluation",
Findings of EMNLP.

The other metrics are those of WMT19, with signed correlations. KoBE itself needs all texts annotated with entities of a
large knowledge base. The annotations were once in a cloud bucket; a sample (ru-en, without the sources) is in the
repository of the paper. Where a language pair has its annotations, numbers are compared with print; Tercet's own
knowledge base is shown for comparison, and has the table "ours".
"""

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean

import numpy as np

from ....data.lines import read_lines
from ....knowledge.mentions import Mention
from ....metrics import Metric
from ....metrics.bases.entities import languages
from ....metrics.entities.kobe import KoBE
from ....stats.correlation import pearson
from ...entities.counting import count_entities, entity_histogram, report_entities
from ..printed import check, compare, printed
from ..results import Cell, Plot, Reproduction, Statement
from ..sources import DataSets, once
from .wmt19 import all_pairs, system_level, texts_of

OWN, WITH_REFERENCE = "KoBE", "KoBE, reference"
COUNTED, WITH_ENTITIES = "sentence count", "source sentences with entities"
ALL_ANNOTATIONS, SAMPLE = "kobe_annotations", "kobe_ruen"
SAMPLE_PAIR = "ru-en"
OURS = "{}, with Tercet's knowledge base"
TEXT = "kobe_text"  # numbers in the text
COUNT_TABLES = ("kobe_t5", "kobe_t6", "kobe_t7")


def annotations_of(data: DataSets, pair: str) -> Path | None:
    """Return the file with the annotations of all texts of a language pair, if it is there."""
    folder = data(ALL_ANNOTATIONS)
    return None if folder is None else next(folder.glob(f"{pair}.annotations.jsonl*"), None)


def published(path: Path | None, against: str) -> KoBE:
    """Return KoBE as the paper's script computes it, from annotations."""
    return KoBE(annotations=str(path), against=against, shared=False, categories="all", rounding="published")


def needed_file(pair: str) -> str:
    """Return what would make KoBE's numbers of a language pair possible."""
    return (
        f"It needs {pair}.annotations.jsonl in {ALL_ANNOTATIONS}: KoBE's entities of the source, the reference and all "
        'outputs, one {"seg", "system", "text", "entities"} per line. Only a sample was published.'
    )


def _linked(
    data: DataSets, texts: Sequence[str | None], language: str, annotations: Path | None = None
) -> list[list[Mention]]:
    """Return the entities of texts. Several language pairs have the same source, which is linked once."""
    lines = tuple(text or "" for text in texts)
    metric = KoBE() if annotations is None else published(annotations, "source")
    return data.once(("linked", language, annotations, lines), lambda: metric.resolved().linker().link(lines, language))


def _counts(data: DataSets, pair: str, annotations: Path | None = None) -> dict[str, int]:
    """Return the numbers of Tables 5 to 7, with Tercet's knowledge base or with annotations."""
    texts, both = texts_of(data, pair), languages(pair)
    (reference,) = texts.references.values()
    source = _linked(data, texts.source or (), both.source, annotations)
    return count_entities(source, [_linked(data, reference, both.target, annotations)])


def count_table(data: DataSets, *, expected: str) -> Reproduction:
    """Return one of Tables 5 to 7: sentences, and entities of sources and references."""
    table = printed(expected)
    values: dict[str, dict[str, float]] = {COUNTED: {}}
    extra: dict[str, dict[str, float]] = {}
    for pair in table.columns:
        values[COUNTED][pair] = len(texts_of(data, pair))
        path = annotations_of(data, pair)
        found = _counts(data, pair, path)
        for row in (row for row in table.cells if row != COUNTED):
            place = extra.setdefault(OURS.format(row), {}) if path is None else values.setdefault(row, {})
            place[pair] = found[row]
    needed = needed_file("PAIR")
    return compare(expected, values, needed, lambda row, _: {"must": row == COUNTED}, extra=extra, decimals=0)


def _sample(data: DataSets) -> Path | None:
    """Return the published sample of annotations, if it is there."""
    folder = data(SAMPLE)
    return None if folder is None else next(iter(sorted(folder.glob("annotations.jsonl*"))), None)


def _annotated(path: Path) -> set[str]:
    """Return the systems of which a file has annotations."""
    return {json.loads(line).get("system", "") for line in read_lines(path)}


@once
def sample_row(data: DataSets) -> tuple[dict[str, float], str]:
    """Return KoBE with references of ru-en from the published sample, r over its systems, and a note."""
    path = _sample(data)
    if path is None or data("wmt19") is None:
        return {}, ""
    annotated = _annotated(path)
    judged = system_level(data, SAMPLE_PAIR)
    systems = [name for name in judged.systems if name in annotated]
    found = data.scored(texts_of(data, SAMPLE_PAIR).only(systems), {"KoBE": published(path, "reference")})
    note = f"The published sample has {len(systems)} of the {len(judged.systems)} systems of ru-en."
    return {SAMPLE_PAIR: judged.correlate(found)["KoBE"]}, note


def text_statements(data: DataSets) -> Reproduction:
    """Return statements of the text that follow from the tables, and from Tercet's knowledge base."""
    best = beats = 0
    for cells in (printed(name).cells for name in ("kobe_t1", "kobe_t2", "kobe_t3")):
        for pair, text in cells["KoBE"].items():
            others = [float(row[pair]) for name, row in cells.items() if name not in ("KoBE", "BLEU") and row[pair]]
            best += float(text) > max(others)
            beats += float(text) > float(cells["BLEU"][pair]) if "BLEU" in cells and cells["BLEU"][pair] else 0
    four = printed("kobe_t4").cells
    wins = [pair for pair in four["KoBE"] if pair != "mean" and float(four["KoBE"][pair]) > float(four["BLEU"][pair])]
    tables = [printed(name).cells for name in COUNT_TABLES]
    sentences, with_entities = (
        sum(int(text) for cells in tables for text in cells[row].values()) for row in (COUNTED, WITH_ENTITIES)
    )
    ours = [_counts(data, pair) for pair in all_pairs(COUNT_TABLES)]
    without = 1 - with_entities / sentences
    own = 1 - sum(one[WITH_ENTITIES] for one in ours) / sum(one[COUNTED] for one in ours)
    found = f"{without:.2%} by the paper's Tables 5 to 7; {own:.2%} with Tercet's knowledge base"
    statements = [
        Statement("abstract: the best metric without references on 9 of 18 language pairs", best == 9, f"{best} of 18"),
        Statement("abstract: above BLEU on 4 language pairs", beats == 4, f"{beats}"),
        Statement("section 4: with references above BLEU on 5 of 7 language pairs", len(wins) == 5, ", ".join(wins)),
        Statement("section 5: less than 8 % of the sentences have no entity", without < 0.08, found, must=False),
    ]
    return _text_numbers(data, statements)


def _text_numbers(data: DataSets, statements: Sequence[Statement] = ()) -> Reproduction:
    """Compare the numbers of section 1: the annotated texts are the sources, references and all outputs of WMT19."""
    texts = [texts_of(data, pair) for pair in all_pairs(COUNT_TABLES)]
    files = [len(one.systems) + len(one.references) + 1 for one in texts]
    sentences = sum(n * len(one) for n, one in zip(files, texts, strict=True))
    mentions = _mentions(data)
    counts = {"annotated texts (sources, references, outputs)": sum(files), "annotated sentences": sentences}
    by_row = {f"section 1: {what}": {"number": float(value)} for what, value in {**counts, **mentions}.items()}
    unsure = [f"section 1: {what}" for what in mentions]
    found = compare(TEXT, by_row, needed_file("PAIR"), lambda row, _: {"must": row not in unsure})
    unchecked = [one for one in found.unchecked if one.row.startswith("section 1")]
    return Reproduction(found.cells, unchecked, statements)


def _mentions(data: DataSets) -> dict[str, int]:
    """Return the numbers of mentions and of distinct entities, if the annotations of all language pairs are there."""
    paths = [annotations_of(data, pair) for pair in all_pairs(COUNT_TABLES)]
    found = [path for path in paths if path is not None]
    if len(found) < len(paths):
        return {}
    entities = [entity for path in found for line in read_lines(path) for *_, entity in json.loads(line)["entities"]]
    return {"mentions of entities": len(entities), "distinct entities": len(set(entities))}


def system_figure(data: DataSets) -> Reproduction:
    """Return Figure 2: BLEU, KoBE and human scores of the systems of ru-en, each standardised."""
    judged = system_level(data, SAMPLE_PAIR)
    (scores,) = data.scored(texts_of(data, SAMPLE_PAIR).only(judged.systems), {OURS.format("KoBE"): "kobe"})
    values = {
        "human (DA)": judged.human,
        "BLEU": judged.values[judged.metrics.index("BLEU")],
        scores.label: np.array([scores.system[name] for name in judged.systems]),
    }
    series = {
        name: [(judged.systems[i], float((row[i] - row.mean()) / row.std())) for i in judged.ranked]
        for name, row in values.items()
    }
    r = {"BLEU": float(pearson(values["BLEU"], judged.human)), **judged.correlate([scores])}
    statement = Statement(
        "Figure 2: KoBE follows people more closely than BLEU (r .928 and .879 in the paper)",
        r[scores.label] > r["BLEU"], ", ".join(f"{name} {value:.3f}" for name, value in r.items()), must=False,
    )  # fmt: skip
    cell = check("BLEU", SAMPLE_PAIR, printed(TEXT).cells["Figure 2: BLEU, ru-en"]["number"], r["BLEU"])
    plot = Plot("lines", "ru-en, systems from best to worst", "system", "standard deviations from the mean", series)
    extra = {name: {SAMPLE_PAIR: value} for name, value in r.items()}
    return Reproduction([cell], statements=[statement], extra=extra, plots=[plot])


def category_figure(data: DataSets) -> Reproduction:
    """Return Figure 3: the share of the source's entities that systems of zh-en keep, by category."""
    judged = system_level(data, "zh-en")
    ranked, last = judged.ranked, len(judged.ranked) - 1
    chosen = tuple(judged.systems[ranked[place]] for place in (0, (last + 1) // 3, 2 * (last + 1) // 3, last))
    report = report_entities(texts_of(data, "zh-en").only(chosen), KoBE(categories="names"), most=0)
    kept = {
        system: {name: part / whole for name, (part, whole) in one.categories.items() if whole}
        for system, one in report.systems.items()
    }
    title = "zh-en, share of the source's entities that are kept, by category"
    plot = Plot("bars", title, "category", "share", {system: list(shares.items()) for system, shares in kept.items()})
    counts = {name: float(count) for name, count in report.categories.items()}
    return Reproduction(extra={**kept, "in the source": counts}, plots=[plot])


def histogram_figure(data: DataSets) -> Reproduction:
    """Return Figure 4: how many source sentences of ru-en have 0, 1, 2, … entities."""
    source = texts_of(data, SAMPLE_PAIR).source or ()
    histogram = entity_histogram(_linked(data, source, languages(SAMPLE_PAIR).source))
    points = [(number, float(count)) for number, count in enumerate(histogram)]
    plot = Plot("counts", "ru-en, entities in a source sentence", "entities", "sentences", {"source": points})
    share = histogram[0] / sum(histogram)
    statement = Statement("most sentences have an entity", share < 0.5, f"{share:.1%} have none", must=False)
    return Reproduction(statements=[statement], extra={"sentences": {str(n): c for n, c in points}}, plots=[plot])


def correlation_table(data: DataSets, expected: str) -> Reproduction:
    """Return one of Tables 1 to 4: signed Pearson's r."""
    table, against = printed(expected), "reference" if expected == "kobe_t4" else "source"
    pairs = [pair for pair in table.columns if pair != "mean"]
    r = {pair: system_level(data, pair).correlations for pair in pairs}
    values = {row: {pair: r[pair].get(row, float("nan")) for pair in pairs} for row in table.cells}
    annotated = {pair: path for pair in pairs if (path := annotations_of(data, pair)) is not None}
    values[OWN] = {
        pair: _from_texts(data, pair, {OWN: published(path, against)})[OWN] for pair, path in annotated.items()
    }
    for row in values.values():
        if len(row) == len(pairs):
            row["mean"] = mean(row.values())
    sample, note = sample_row(data) if expected == "kobe_t4" else ({}, "")

    def how(row: str, column: str) -> dict[str, object]:
        return {"decimals": None if column == "mean" else 3, "must": row != OWN}

    return compare(
        expected, values, needed_file("PAIR"), how, notes=[note] if note else [],
        extra={"KoBE, on the published sample": sample} if sample else {},
    )  # fmt: skip


def precision_table(data: DataSets) -> Reproduction:
    """Return r of recall and of precision, of which section 2 says that it correlates less in most language pairs."""
    r: dict[str, dict[str, float]] = {}
    lower = 0
    for pair in all_pairs():
        path = annotations_of(data, pair)
        shares = _shares(data, pair, "kobe" if path is None else published(path, "source"))
        lower += shares["precision"] < shares["recall"]
        for what, value in shares.items():
            r.setdefault(what if path is not None else OURS.format(what), {})[pair] = value
    pairs = len(all_pairs())
    text = "section 2: precision correlates less with people than recall in most language pairs"
    statements = [Statement(text, 2 * lower > pairs, f"{lower} of {pairs}", must=False)]
    if (path := _sample(data)) is not None:
        shares = _shares(data, SAMPLE_PAIR, published(path, "reference"), _annotated(path))
        r |= {f"{what}, reference, on the published sample": {SAMPLE_PAIR: value} for what, value in shares.items()}
    return Reproduction(statements=statements, extra=r)


def _shares(data: DataSets, pair: str, metric: str | Metric, systems: Container[str] | None = None) -> dict[str, float]:
    """Return r of recall, precision and their metric, over all systems or some."""
    judged = system_level(data, pair)
    chosen = [name for name in judged.systems if systems is None or name in systems]
    (found,) = data.scored(texts_of(data, pair).only(chosen), {OWN: metric})
    shares = {name: found.metric.details(found.totals[name]) for name in chosen}
    each = [
        replace(found, system={name: shares[name][what] or 0.0 for name in chosen}).relabelled(what)
        for what in ("recall", "precision")
    ]
    return judged.correlate([*each, found])


def _from_texts(data: DataSets, pair: str, specs: Mapping[str, str | Metric]) -> dict[str, float]:
    """Return Pearson's r with DA of metrics that are computed from the texts, by row."""
    judged = system_level(data, pair)
    return judged.correlate(data.scored(texts_of(data, pair).only(judged.systems), specs))


def own_table(data: DataSets) -> Reproduction:
    """Return KoBE of all 18 language pairs with Tercet's knowledge base, with printed KoBE and other metrics."""
    source = {pair: text for table in ("kobe_t1", "kobe_t2", "kobe_t3") for pair, text in _row(table, OWN).items()}
    reference = {pair: text for pair, text in _row("kobe_t4", OWN).items() if pair != "mean"}
    cells: dict[str, list[Cell]] = {OWN: [], WITH_REFERENCE: []}
    others: dict[str, dict[str, float]] = {"BLEU": {}, "YiSi-2": {}}
    for pair, text in source.items():
        texts = {OWN: text} | ({WITH_REFERENCE: reference[pair]} if pair in reference else {})
        specs = {OWN: "kobe", "BLEU": "bleu", WITH_REFERENCE: "kobe:against=reference"}
        found = _from_texts(data, pair, {row: spec for row, spec in specs.items() if row in (*texts, "BLEU")})
        for row, number in texts.items():
            cells[row].append(check(row, pair, number, found[row], decimals=3, must=False))
        others["BLEU"][pair] = found["BLEU"]
        others["YiSi-2"][pair] = system_level(data, pair).correlations.get("YiSi-2", float("nan"))
    listed = [*cells[OWN], *cells[WITH_REFERENCE]]
    return Reproduction(listed, statements=_compared(cells, others["YiSi-2"]), extra=others)


def _row(expected: str, row: str) -> Mapping[str, str]:
    return {pair: text for pair, text in printed(expected).cells[row].items() if text}


def _compared(cells: Mapping[str, list[Cell]], yisi_2: Mapping[str, float]) -> list[Statement]:
    """Return statements that compare Tercet's KoBE with the paper's; none is required to hold."""
    own = cells[OWN]
    counts = {
        "above YiSi-2": sum(cell.recomputed > yisi_2[cell.column] for cell in own),
        "at or above the paper's": sum(round(cell.recomputed, 3) >= cell.printed for cell in own),
    }
    statements = [
        Statement(f"{OWN}: {what} in most pairs", 2 * count > len(own), f"{count} of {len(own)}", must=False)
        for what, count in counts.items()
    ]
    for row, listed in cells.items():
        ours, paper = mean(cell.recomputed for cell in listed), mean(cell.printed for cell in listed)
        text = f"{row}: the mean of {len(listed)} pairs reaches the paper's, {paper:.3f}"
        statements.append(Statement(text, round(ours, 3) >= round(paper, 3), f"{ours:.3f}", must=False))
    return statements
