"""Small made-up data of the form that `tables.toml` describes, for every data set: only its files and its columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from tercet.metrics.learned.beer import NAMES
from tercet.tasks.reproduce.printed import printed

ENGLISH = (
    "The old man saw a small dog near the house.",
    "Our house is near the river and the bridge.",
    "They read two long books every summer.",
    "She sings in the garden every day.",
    "The train leaves at noon from Berlin.",
    "Nobody knew the answer to the question.",
)
SPANISH = (
    "El comité aprobó la propuesta.",
    "Llegó el tren con retraso.",
    "Los médicos trabajan en Madrid.",
    "El director presentará el informe.",
    "El plan es bueno.",
    "La niña lee dos libros largos.",
)
SYSTEMS = ("a", "b", "c", "d")
INTO = ("cs-en", "de-en", "es-en", "fi-en", "fr-en", "hi-en", "ro-en", "ru-en", "tr-en")
OUT_OF = ("en-cs", "en-de", "en-fr", "en-hi", "en-ru")
OF_DA = ("cs-en", "de-en", "fi-en", "ro-en", "ru-en", "tr-en")
OF_WMT19 = [pair for name in ("wmt19_t3", "wmt19_t4", "wmt19_t5") for pair in printed(name).columns]
DARR = 9  # daRR pairs of each language pair
FEATURES = [f"f{number}" for number in range(1, 18)]  # `tables.toml` names the first and the last

Rows = Iterable[Iterable[object]]


def table(path: Path, header: str, rows: Rows) -> None:
    """Write a TSV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["\t".join(header.split()), *("\t".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def worse(text: str, by: int, seed: int) -> str:
    """Return a text with some words replaced, left out or moved."""
    draw, words = np.random.default_rng([by, seed, len(text)]), text.split()
    for _ in range(by):
        place = int(draw.integers(len(words)))
        kind = draw.integers(3)
        if kind == 0:
            words[place] = "thing"
        elif kind == 1 and len(words) > 2:
            del words[place]
        else:
            words.append(words.pop(place))
    return " ".join(words)


def lines_of(pair: str) -> tuple[str, ...]:
    """Return the references of a language pair."""
    return SPANISH if pair.endswith("-es") else tuple(np.roll(ENGLISH, sum(map(ord, pair)) % 6).tolist())


def texts(folder: Path, pair: str, systems: Iterable[str] = SYSTEMS) -> None:
    """Write segments and outputs of a language pair; later systems are worse."""
    references, names = lines_of(pair), list(systems)
    table(
        folder / f"{pair}.segments.tsv",
        "seg source reference",
        [(i, f"Barack Obama {i}", text) for i, text in enumerate(references, 1)],
    )
    rows = [
        (i, *(worse(text, by + 1, i + len(pair)) for by in range(len(names)))) for i, text in enumerate(references, 1)
    ]
    table(folder / f"{pair}.outputs.tsv", f"seg {' '.join(names)}", rows)


def preferences(pair: str) -> list[tuple[int, str, str]]:
    """Return which of two outputs people preferred: mostly the system that comes first."""
    draw = np.random.default_rng(sum(map(ord, pair)))
    found = []
    for segment in range(1, 7):
        for one, other in ((0, 1), (1, 2), (0, 3)):
            pairing = (SYSTEMS[one], SYSTEMS[other]) if draw.random() < 0.8 else (SYSTEMS[other], SYSTEMS[one])
            found.append((segment, *pairing))
    return found


def rankings(path: Path, pairs: Iterable[str]) -> None:
    """Write rankings with judges and ties; two judges see the same outputs in the same order."""
    rows = []
    for pair in pairs:
        draw = np.random.default_rng(len(rows))
        for segment in range(1, 7):
            for judge in ("x", "y"):
                ranks = "|".join(str(min(4, 1 + number + int(draw.integers(2)))) for number in range(3))
                rows.append((pair, segment, judge, "a|b|c,d", ranks))
    table(path, "lp seg judge systems ranks", rows)


def of_year(pairs: Iterable[str]) -> Callable[[Path], None]:
    """Return a writer of texts and rankings of one year."""

    def write(folder: Path) -> None:
        for pair in pairs:
            texts(folder, pair)
            table(folder / f"{pair}.rr.tsv", "seg better worse", preferences(pair))

    return write


def wmt12(folder: Path) -> None:
    pairs = ("cs-en", "de-en", "en-es", "es-en", "fr-en")
    for pair in pairs:
        texts(folder, pair)
    rankings(folder / "rankings.tsv", pairs)


def wmt15_rr(folder: Path) -> None:
    rankings(folder / "rankings.tsv", printed("thesis_t4_20").cells)


EXAMPLES = (  # outputs and references of the thesis's Tables 4.22 to 4.24
    ("A symbol of community came to life.", "Village symbol comes to life"),
    ("Solid profits was also recorded by the trading venues in London and Paris.", "The markets in London rose."),
    ('"Albums still matter," said he.', '"Albums still matter," he said.'),
)


def wmt16_da(folder: Path) -> None:
    rows = [
        (pair, round(1 - by / 2 + place / 7, 3), f"s{place}", text, worse(text, by, place))
        for pair in (*OF_DA, "en-ru")
        for place, text in enumerate(lines_of(pair))
        for by in range(3)
    ]
    rows += [("cs-en", 1 + place / 9, "", text, output) for place, (output, text) in enumerate(EXAMPLES)]
    table(folder / "wmt16.tsv", "lp z source reference mt", rows)


def wmt17(folder: Path) -> None:
    for pair in OF_DA:
        texts(folder, pair)
    rows = [
        (pair, system, segment, round(1 - by / 2 + segment / 7, 3))
        for pair in OF_DA
        for segment in range(1, 7)
        for by, system in enumerate(SYSTEMS[:3])
    ]
    table(folder / "DA-seglevel.tsv", "lp system seg DA_z", rows)


def _scored_systems() -> Iterator[tuple[object, ...]]:
    """Yield system, source, reference, output and score."""
    for number in (1, 2, 3, 4):
        for place in range(40):
            text = SPANISH[place % 6]
            output = worse(text, (number + place) % 5, place)
            yield f"System{number}", f"sentence {place}", text, output, 1 + (number + place) % 4


def ce_dataset(folder: Path) -> None:
    table(folder / "ce_dataset.tsv", "system source reference mt score", _scored_systems())


def ce_paraphrased(folder: Path) -> None:
    rows = [
        (system, text, output, score, output, text, output if score > 2 else text, text)
        for system, _, text, output, score in _scored_systems()
    ]
    header = "system reference mt score morphology structure order number"
    table(folder / "ce_dataset.tsv", header, rows)


def annotated_shifts(folder: Path) -> None:
    passive = "La propuesta fue aprobada por el comité."
    rows = [
        (SPANISH[0], passive, "Diathesis", "yes"),
        (SPANISH[1], "El tren llegó con retraso.", "Word order", "yes"),
        (SPANISH[1], "El tren llegó con retraso.", "Grammatical category", "no"),
        (SPANISH[3], SPANISH[3], "Grammatical features", "yes"),
        (SPANISH[4], SPANISH[4], "Number of constituents", "no"),
        (SPANISH[5], SPANISH[5], "", ""),
    ]
    table(folder / "shifts.tsv", "reference mt shift modeled", rows)


def eamt11(folder: Path) -> None:
    rows = [
        (worse(text, by, place), text, worse(text, by // 2, place), 4 - by + place % 2, language)
        for language in printed("thesis_t3_8").cells
        for place, text in enumerate(ENGLISH)
        for by in (1, 3)
    ]
    table(folder / "eamt11.tsv", "mt reference postedit score language", rows)


def iwslt2019_pe(folder: Path) -> None:
    rows = [
        (f"news.en-es.{'ab'[place % 2]}_doc-1", f"sentence {'x ' * (place % 7)}{place}", text, output, edit, 9 - by, by)
        for place in range(120)
        for by in (place // 3 % 4,)
        for text in (SPANISH[place % 6],)
        for output, edit in ((worse(text, by, place), worse(text, by // 2, place)),)
    ]
    table(folder / "annotations.tsv", "file_name S REF MT PE DA HTER", rows)


def ntrex(folder: Path) -> None:
    rows = [(i, one, other) for i, (one, other) in enumerate(zip(ENGLISH, SPANISH, strict=True), 1)]
    table(folder / "ntrex_newstest2019_21langs.tsv", "seg eng spa", rows)


def paraphrased_references(folder: Path) -> None:
    rows = [(i, *(worse(text, by, i) for by in range(4))) for i, text in enumerate(lines_of("en-de"), 1)]
    table(folder / "wmt19.en-de.paraphrased_refs.tsv", "seg ref_wmt ref_ar ref_wmtp ref_arp", rows)


def graham_da(folder: Path) -> None:
    rows = [
        (pair, 1 - by + place / 9, text, worse(text, by, place), worse(text, by // 2, place))
        for pair in ("es-en", "en-es", "en-de", "en-ru")
        for place, text in enumerate(lines_of(pair))
        for by in range(3)
    ]
    table(folder / "da_with_postedits.tsv", "lp DA_z reference mt postedit", rows)


def mtc_p4(folder: Path) -> None:
    rows = [
        (worse(text, by, place), *(worse(text, n, place) for n in range(4)), 5 - by, 4 - by + place % 2)
        for place, text in enumerate(ENGLISH)
        for by in (1, 2, 4)
    ]
    table(folder / "mtc_p4.tsv", "mt reference1 reference2 reference3 reference4 adequacy fluency", rows)


def msr_alignments(folder: Path) -> None:
    rows = [("They read two long books", "They read long books", "0-0 1-1 3-2 4-3"), ("Dogs bark", "Dogs sing", "0-0")]
    table(folder / "msr_alignments.tsv", "source target alignment", rows)


def lexical(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ppdb-1.0-xxxl-lexical.pairs").write_text("house\tthing\nbooks\tthing\n", "utf-8")


def beer_model(folder: Path) -> None:
    """All weights are 1."""
    folder.mkdir(parents=True)
    features = [f"{place} {name}\n" for place, name in enumerate(NAMES)]
    (folder / "core_model").write_text("bias 0\nw\n" + "1\n" * len(features), "utf-8")
    (folder / "feature_values_scaling").write_text("0.0 1.0\n" * len(features), "utf-8")
    (folder / "output_scaling").write_text("bias 0\nw\n1\n1\n", "utf-8")
    (folder / "feature_names_mapping").write_text("".join(features), "utf-8")


def systems_of(pair: str) -> list[str]:
    """Return the systems of a language pair of WMT19; the text counts those of en-de."""
    return [f"{pair.replace('-', '_')}_task{number}" for number in range(22 if pair == "en-de" else 8)]


def wmt19_sys(folder: Path) -> None:
    tables = [printed(name).cells for name in ("wmt19_t3", "wmt19_t4", "wmt19_t5")]
    metrics = list(dict.fromkeys(row for cells in tables for row in cells if row != "n"))
    rows = []
    for number, pair in enumerate(OF_WMT19):
        draw = np.random.default_rng(number)
        has = {row for cells in tables for row, columns in cells.items() if columns.get(pair)}
        for place, system in enumerate(systems_of(pair)):
            values = [f"{draw.normal(-place):.4f}" if name in has else "" for name in metrics]
            rows.append((pair, system, -place / 4, *values))
    names = [name.replace("sacreBLEU.", "sacreBLEU-") for name in metrics]
    table(folder / "wmt19_sys_scores.tsv", f"lp system DA {' '.join(names)}", rows)


def wmt19(folder: Path) -> None:
    for pair in OF_WMT19:
        texts(folder, pair, systems_of(pair))


def wmt19_darr(folder: Path) -> None:
    for pair in OF_WMT19:
        draw, names = np.random.default_rng(len(pair)), systems_of(pair)
        rows = [(segment, *draw.permutation(names[:6])[:2]) for segment in (1, 2, 3, 4, 5, 6, 1, 2, 3)]
        table(folder / f"{pair}.darr.tsv", "seg better worse", rows)


def _annotated(path: Path, pair: str, *, source: bool) -> None:
    named = {f"Barack Obama {i}": [[0, 12, f"/m/{i}"], [0, 6, "/m/0"]] for i in range(1, 7)}
    outputs = {"reference": lines_of(pair)}
    names = systems_of(pair)
    outputs |= {
        name: tuple(worse(t, by + 1, i + 5) for i, t in enumerate(lines_of(pair), 1)) for by, name in enumerate(names)
    }
    items = [
        {"seg": i, "system": system, "text": text, "entities": [[0, 1, f"/m/{i}"]] if by < i + 2 else []}
        for by, (system, lines) in enumerate(outputs.items())
        for i, text in enumerate(lines, 1)
    ]
    if source:
        items += [
            {"seg": i, "system": "source", "text": text, "entities": entities}
            for i, (text, entities) in enumerate(named.items(), 1)
        ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(item) + "\n" for item in items), "utf-8")


def kobe_annotations(folder: Path) -> None:
    for pair in OF_WMT19:
        _annotated(folder / f"{pair}.annotations.jsonl", pair, source=True)


def kobe_ruen(folder: Path) -> None:
    _annotated(folder / "annotations.jsonl", "ru-en", source=False)


def tradopad(folder: Path) -> None:
    """Write ratings of 100 outputs by two raters for each of four references and the source."""
    draw = np.random.default_rng(1)
    rows = [
        (f"{batch}{rater}", 100 * (batch - 1) + item, batch, int(draw.integers(1, 6)))
        for batch in range(1, 6)
        for rater in (1, 2)
        for item in range(1, 101)
    ]
    for name in ("ratings.tsv", "thesis_ratings.tsv"):
        table(folder / name, "judge segment_id batch rating", rows)
    shown = [
        (
            100 * (batch - 1) + item,
            batch,
            item,
            "source" if batch == 5 else "reference",
            worse(ENGLISH[item % 6], item % 4, item),
            worse(ENGLISH[item % 6], batch - 1, item),
        )
        for batch in range(1, 6)
        for item in range(1, 101)
    ]
    table(folder / "segments.tsv", "segment_id batch mt_id kind mt shown_text", shown)


def wmt12_qe(folder: Path) -> None:
    for name in ("training.tsv", "test.tsv"):
        draw = np.random.default_rng(len(name))
        rows = [
            (f"sentence {place}", output, text, worse(text, by // 2, place), 5 - by, *draw.random(17).round(3))
            for place in range(40)
            for by in (place % 4,)
            for text in (SPANISH[place % 6],)
            for output in (worse(text, by, place),)
        ]
        table(folder / name, f"source mt reference postedit effort {' '.join(FEATURES)}", rows)


WRITERS: dict[str, Callable[[Path], None]] = {
    "wmt14": of_year([*INTO, *OUT_OF]),
    "wmt12": wmt12,
    "wmt13": of_year(INTO),
    "wmt15": of_year(INTO),
    "wmt16": of_year(INTO),
    "wmt16_da": wmt16_da,
    "wmt17": wmt17,
    "wmt15_rr": wmt15_rr,
    "ce_dataset": ce_dataset,
    "ce_paraphrased": ce_paraphrased,
    "annotated_shifts": annotated_shifts,
    "eamt11": eamt11,
    "iwslt2019_pe": iwslt2019_pe,
    "ntrex": ntrex,
    "paraphrased_references": paraphrased_references,
    "graham_da": graham_da,
    "mtc_p4": mtc_p4,
    "msr_alignments": msr_alignments,
    "lexical": lexical,
    "beer_model": beer_model,
    "wmt19_sys": wmt19_sys,
    "wmt19": wmt19,
    "wmt19_darr": wmt19_darr,
    "kobe_annotations": kobe_annotations,
    "kobe_ruen": kobe_ruen,
    "tradopad": tradopad,
    "wmt12_qe": wmt12_qe,
}
