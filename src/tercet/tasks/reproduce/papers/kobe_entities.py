"""KoBE (Gekhman et al. 2020): counts of entities, figures, and KoBE from published annotations.

All annotations were once in a cloud bucket; a sample (ru-en, without the sources) is in the repository of the paper.
Where a language pair has its annotations, numbers are compared with print; Tercet's own knowledge base is shown for
comparison.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ....data.layouts import open_testset
from ....data.lines import read_lines
from ....data.testset import TestSet
from ....knowledge.mentions import Mention
from ....metrics.bases.entities import languages
from ....metrics.entities.kobe import KoBE
from ....stats.correlation import pearson
from ...entities.counting import count_entities, entity_histogram, report_entities
from ..printed import check, printed
from ..results import Cell, Plot, Reproduction, Statement, Unchecked
from ..sources import DataSets
from .wmt19_systems import system_level

COUNTED = "sentence count"
ALL_ANNOTATIONS, SAMPLE = "kobe_annotations", "kobe_ruen"
SAMPLE_PAIR = "ru-en"
OURS = "{}, with Tercet's knowledge base"
TEXT = "kobe_text"  # numbers in the text
COUNT_TABLES = ("kobe_t5", "kobe_t6", "kobe_t7")


def annotations_of(data: DataSets, pair: str) -> Path | None:
    """Return the file with the annotations of all texts of a language pair, if it is there."""
    folder = data(ALL_ANNOTATIONS)
    names = [f"{pair}.annotations.jsonl", f"{pair}.annotations.jsonl.gz"] if folder is not None else []
    return next((folder / name for name in names if folder is not None and (folder / name).is_file()), None)


def published(path: Path | None, against: str) -> KoBE:
    """Return KoBE as the paper's script computes it, from annotations."""
    return KoBE(annotations=str(path), against=against, shared=False, categories="all", rounding="published")


def needed_file(pair: str) -> str:
    """Return what would make KoBE's numbers of a language pair possible."""
    return (
        f"It needs {pair}.annotations.jsonl in {ALL_ANNOTATIONS}: KoBE's entities of the source, the reference and all "
        'outputs, one {"seg", "system", "text", "entities"} per line. Only a sample was published.'
    )


def _texts(data: DataSets, pair: str) -> TestSet:
    return data.once(("wmt19 texts", pair), lambda: open_testset(data.needed("wmt19"), pair))


def _linked(
    data: DataSets, texts: Sequence[str | None], language: str, annotations: Path | None = None
) -> list[list[Mention]]:
    """Return the entities of texts. Several language pairs have the same source, which is linked once."""
    lines = tuple(text or "" for text in texts)
    metric = KoBE() if annotations is None else published(annotations, "source")
    return data.once(("linked", language, annotations, lines), lambda: metric.resolved().linker().link(lines, language))


def _counts(data: DataSets, pair: str, annotations: Path | None = None) -> dict[str, int]:
    """Return the numbers of Tables 5 to 7, with Tercet's knowledge base or with annotations."""
    texts, both = _texts(data, pair), languages(pair)
    (reference,) = texts.references.values()
    source = _linked(data, texts.source or (), both.source, annotations)
    return count_entities(source, [_linked(data, reference, both.target, annotations)])


def count_table(data: DataSets, *, expected: str) -> Reproduction:
    """Return one of Tables 5 to 7: sentences, and entities of sources and references."""
    table = printed(expected)
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    extra: dict[str, dict[str, float]] = {}
    for pair in table.columns:
        cells.append(check(COUNTED, pair, table.cells[COUNTED][pair], len(_texts(data, pair))))
        path = annotations_of(data, pair)
        found = _counts(data, pair, path)
        for row in table.cells:
            text = table.cells[row][pair]
            if row == COUNTED:
                continue
            if path is not None:
                cells.append(check(row, pair, text, found[row], must=False))
                continue
            unchecked.append(Unchecked(row, pair, float(text), needed_file("PAIR")))
            extra.setdefault(OURS.format(row), {})[pair] = found[row]
    return Reproduction(cells, unchecked, extra=extra, decimals=0)


def sample_row(data: DataSets) -> tuple[dict[str, float], str]:
    """Return KoBE with references of ru-en from the published sample, r over its systems, and a note."""
    return data.once("kobe sample", lambda: _sample_row(data))


def _sample_row(data: DataSets) -> tuple[dict[str, float], str]:
    folder = data(SAMPLE)
    if folder is None or data("wmt19") is None:
        return {}, ""
    path = next((path for path in sorted(folder.iterdir()) if path.name.startswith("annotations.jsonl")), None)
    if path is None:
        return {}, ""
    judged = system_level(data, SAMPLE_PAIR)
    systems = [name for name in judged.systems if name in _annotated(path)]
    (scores,) = data.scored(_texts(data, SAMPLE_PAIR).only(systems), {"KoBE": published(path, "reference")})
    human = [judged.human[judged.systems.index(name)] for name in systems]
    r = float(pearson([scores.system[name] for name in systems], human))
    return {SAMPLE_PAIR: r}, f"The published sample has {len(systems)} of the {len(judged.systems)} systems of ru-en."


def _annotated(path: Path) -> set[str]:
    return {json.loads(line).get("system", "") for line in read_lines(path)}


def text_statements(data: DataSets) -> Reproduction:
    """Return statements of the text that follow from the tables, and from Tercet's knowledge base."""
    rows = [(name, printed(name).cells) for name in ("kobe_t1", "kobe_t2", "kobe_t3")]
    best = beats = 0
    for _, cells in rows:
        for pair, text in cells["KoBE"].items():
            others = [float(row[pair]) for name, row in cells.items() if name not in ("KoBE", "BLEU") and row[pair]]
            best += float(text) > max(others)
            beats += float(text) > float(cells["BLEU"][pair]) if "BLEU" in cells and cells["BLEU"][pair] else 0
    four = printed("kobe_t4").cells
    wins = [pair for pair in four["KoBE"] if pair != "mean" and float(four["KoBE"][pair]) > float(four["BLEU"][pair])]
    sentences = with_entities = 0
    for name in COUNT_TABLES:
        cells = printed(name).cells
        sentences += sum(int(text) for text in cells[COUNTED].values())
        with_entities += sum(int(text) for text in cells["source sentences with entities"].values())
    without = 1 - with_entities / sentences
    ours = [_counts(data, pair) for name in COUNT_TABLES for pair in printed(name).columns]
    own = 1 - sum(one["source sentences with entities"] for one in ours) / sum(one[COUNTED] for one in ours)
    statements = [
        Statement("abstract: the best metric without references on 9 of 18 language pairs", best == 9, f"{best} of 18"),
        Statement("abstract: above BLEU on 4 language pairs", beats == 4, f"{beats}"),
        Statement("section 4: with references above BLEU on 5 of 7 language pairs", len(wins) == 5, ", ".join(wins)),
        Statement(
            "section 5: less than 8 % of the sentences have no entity",
            without < 0.08,
            f"{without:.2%} by the paper's Tables 5 to 7; {own:.2%} with Tercet's knowledge base",
            must=False,
        ),
    ]
    numbers, unchecked = _text_numbers(data)
    return Reproduction(numbers, unchecked, statements)


def _text_numbers(data: DataSets) -> tuple[list[Cell], list[Unchecked]]:
    """Return the numbers of section 1: the annotated texts are the sources, the references and all outputs of WMT19."""
    texts = [_texts(data, pair) for name in COUNT_TABLES for pair in printed(name).columns]
    files = [len(one.systems) + len(one.references) + 1 for one in texts]
    sentences = sum(n * len(one) for n, one in zip(files, texts, strict=True))
    values = {"annotated texts (sources, references, outputs)": sum(files), "annotated sentences": sentences}
    mentions = _mentions(data)
    values |= mentions
    cells: list[Cell] = []
    unchecked: list[Unchecked] = []
    for row, column, text in printed(TEXT).numbers():
        where, what = row.split(": ")
        if what in values:
            cells.append(check(row, column, text, values[what], must=what not in mentions))
        elif where == "section 1":
            unchecked.append(Unchecked(row, column, float(text), needed_file("PAIR")))
    return cells, unchecked


def _mentions(data: DataSets) -> dict[str, int]:
    """Return the numbers of mentions and of distinct entities, if the annotations of all language pairs are there."""
    paths = [annotations_of(data, pair) for name in COUNT_TABLES for pair in printed(name).columns]
    found = [path for path in paths if path is not None]
    if len(found) < len(paths):
        return {}
    entities = [entity for path in found for line in read_lines(path) for *_, entity in json.loads(line)["entities"]]
    return {"mentions of entities": len(entities), "distinct entities": len(set(entities))}


def system_figure(data: DataSets) -> Reproduction:
    """Return Figure 2: BLEU, KoBE and human scores of the systems of ru-en, each standardised."""
    judged = system_level(data, SAMPLE_PAIR)
    (scores,) = data.scored(_texts(data, SAMPLE_PAIR).only(judged.systems), {"KoBE": "kobe"})
    values = {
        "human (DA)": judged.human,
        "BLEU": judged.values[judged.metrics.index("BLEU")],
        OURS.format("KoBE"): np.array([scores.system[name] for name in judged.systems]),
    }
    order = np.argsort(-judged.human, kind="stable")
    series = {
        name: [
            (judged.systems[i], float(z)) for i, z in zip(order, ((row - row.mean()) / row.std())[order], strict=True)
        ]
        for name, row in values.items()
    }
    r = {name: {SAMPLE_PAIR: float(pearson(row, judged.human))} for name, row in list(values.items())[1:]}
    statement = Statement(
        "Figure 2: KoBE follows people more closely than BLEU (r .928 and .879 in the paper)",
        r[OURS.format("KoBE")][SAMPLE_PAIR] > r["BLEU"][SAMPLE_PAIR],
        ", ".join(f"{name} {row[SAMPLE_PAIR]:.3f}" for name, row in r.items()),
        must=False,
    )
    text = printed(TEXT).cells["Figure 2: BLEU, ru-en"]["number"]
    cell = check("BLEU", SAMPLE_PAIR, text, r["BLEU"][SAMPLE_PAIR])
    plot = Plot("lines", "ru-en, systems from best to worst", "system", "standard deviations from the mean", series)
    return Reproduction([cell], statements=[statement], extra=r, plots=[plot])


def category_figure(data: DataSets) -> Reproduction:
    """Return Figure 3: the share of the source's entities that systems of zh-en keep, by category."""
    judged = system_level(data, "zh-en")
    order = np.argsort(-judged.human, kind="stable")
    chosen = tuple(
        judged.systems[int(order[place])] for place in (0, len(order) // 3, 2 * len(order) // 3, len(order) - 1)
    )
    report = report_entities(_texts(data, "zh-en").only(chosen), KoBE(categories="names"), most=0)
    kept: dict[str, dict[str, float]] = {
        system: {name: part / whole for name, (part, whole) in one.categories.items() if whole}
        for system, one in report.systems.items()
    }
    counts: Mapping[str, float] = {name: float(count) for name, count in report.categories.items()}
    plot = Plot(
        "bars", "zh-en, share of the source's entities that are kept, by category", "category", "share",
        {system: list(shares.items()) for system, shares in kept.items()},
    )  # fmt: skip
    return Reproduction(extra={**kept, "in the source": dict(counts)}, plots=[plot])


def histogram_figure(data: DataSets) -> Reproduction:
    """Return Figure 4: how many source sentences of ru-en have 0, 1, 2, … entities."""
    source = _texts(data, SAMPLE_PAIR).source or ()
    histogram = entity_histogram(_linked(data, source, languages(SAMPLE_PAIR).source))
    points = [(number, float(count)) for number, count in enumerate(histogram)]
    plot = Plot("counts", "ru-en, entities in a source sentence", "entities", "sentences", {"source": points})
    share = histogram[0] / sum(histogram)
    statement = Statement("most sentences have an entity", share < 0.5, f"{share:.1%} have none", must=False)
    return Reproduction(statements=[statement], extra={"sentences": {str(n): c for n, c in points}}, plots=[plot])
