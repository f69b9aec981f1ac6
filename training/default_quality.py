"""Train the models of `tercet qe … default`, and measure them on language pairs that they have not seen.

    python -m training.default_quality DATA TWINS FOLDER

TWINS has the scores of direct assessments by networks that read outputs alone, alone-PAIR.npz (stage `alone` of
training.train), each trained without the texts and assessments of PAIR: a model learnt on scores of the shipped
network, which has seen the assessments, would trust it too much. Segments whose English reference also belongs to
another pair of the year are left out, because a twin has read outputs of theirs. FOLDER gets the models.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tercet.language.encoders import USE_LANGUAGES as KNOWN
from tercet.quality.default import FEATURES, TARGET, file_name, open_default
from tercet.quality.features import FeatureTable, extract
from tercet.quality.resources import Corpora, Resources
from tercet.quality.training import Featurised, LabelledTexts, learn
from tercet.stats.correlation import pearson

from . import data, probes

MEANING = ("embedding_cosine",)  # the feature beside the network where the encoder knows the source language
MOST = 1000  # segments of one pair
OFFSET, SLOPE = 59.75, 33.77  # from z to raw scores, as in calibrate.py
RANGE = (0.0, 100.0)
RESAMPLES = 1000


@dataclass
class Assessed:
    """Assessed outputs of one language pair, with the score of the network that has not seen the pair."""

    sources: list[str]
    outputs: list[str]
    labels: np.ndarray
    network: np.ndarray

    def __getitem__(self, rows: slice) -> Assessed:
        return Assessed(self.sources[rows], self.outputs[rows], self.labels[rows], self.network[rows])


def read(folder: Path, twins: Path) -> dict[str, Assessed]:
    """Return what there is for each pair."""
    found = data.read(folder)
    source_of, pairs_of = {}, defaultdict(set)
    for name, triples in found.pool.items():
        for reference, output, source in triples:
            source_of[name, reference, output] = source
            pairs_of[reference].add(name.split(".")[1])
    sources_2013 = {
        (row["lp"], row["seg"], row["mt"]): row["source"]
        for row in data.rows(folder / "graham_da" / "da_with_postedits.tsv.gz")
    }
    sources_mlqe = [row["original"] for row in data.rows(folder / "mlqe" / "ro-en.train.tsv.gz")]
    rows: dict[str, list[tuple[str, str, float, float]]] = defaultdict(list)
    for name, assessments in sorted(found.assessments.items()):
        pair = name.split(".")[1]
        with np.load(twins / f"alone-{pair}.npz") as archive:
            scores = archive[name].tolist()
        for place, (one, score) in enumerate(zip(assessments, scores, strict=True)):
            if name.startswith("mlqe"):
                source = sources_mlqe[place]
            elif name.startswith("wmt13"):
                source = sources_2013[pair, one.segment.split(".")[-1], one.output]
            else:
                source = source_of[name, one.reference, one.output]
            if not pairs_of[one.reference] - {pair}:
                rows[pair].append((source, one.output, OFFSET + SLOPE * one.z, score))
    return {
        pair: Assessed([r[0] for r in each], [r[1] for r in each], np.array([r[2] for r in each]),
                       np.array([r[3] for r in each]))
        for pair, each in rows.items()
    }  # fmt: skip


def features_of(assessed: Assessed, *, meaning: bool) -> FeatureTable:
    """Return the features, with the twin's score in the place of the shipped network's."""
    names = [*FEATURES, *(MEANING if meaning else ())]
    resources = Resources("mul", TARGET, embeddings="use" if meaning else None)
    others = extract(assessed.sources, assessed.outputs, resources, names=[n for n in names if n != "target_network"])
    columns = dict(zip(others.names, others.values.T, strict=True)) | {"target_network": assessed.network}
    return FeatureTable(tuple(names), np.stack([columns[name] for name in names], 1))


def train(sets: dict[str, Assessed], tables: dict[str, FeatureTable], *, meaning: bool):
    """Return a model of these pairs."""
    examples = LabelledTexts(
        tuple(text for each in sets.values() for text in each.sources),
        tuple(text for each in sets.values() for text in each.outputs),
        np.clip(np.concatenate([each.labels for each in sets.values()]), *RANGE),
        tuple(text for each in sets.values() for text in each.sources),
    )
    embeddings = "use" if meaning else None
    resources = Resources("mul", TARGET, embeddings=embeddings, network="english")
    table = FeatureTable(next(iter(tables.values())).names, np.concatenate([tables[pair].values for pair in sets]))
    corpora = Corpora(("mul", TARGET), embeddings=embeddings, network="english")
    return learn(
        examples, corpora, Featurised(table, resources, (), ()), learner="ridge", label_range=RANGE,
        higher_is_better=True, grouped_by="source sentence",
    )  # fmt: skip


def figures(sets: dict[str, Assessed], *, meaning: bool) -> dict[str, dict[str, float]]:
    """Return Pearson's r on each pair by a model that has not seen it, and the coverage of its intervals of 90 %."""
    random, found = np.random.default_rng(1), {}
    tables = {pair: features_of(each, meaning=meaning) for pair, each in sets.items()}
    few = {pair: each[:: -(-len(each.sources) // MOST)] for pair, each in sets.items()}
    few_tables = {pair: features_of(each, meaning=meaning) for pair, each in few.items()}
    for pair, each in sets.items():
        model = train({p: e for p, e in few.items() if p != pair}, few_tables, meaning=meaning)
        values = tables[pair].values
        predicted = model.predictor.predict(values)
        lower, upper = model.conformal.interval(predicted, 0.9, values)
        resampled = []
        for _ in range(RESAMPLES):
            rows = random.integers(0, len(predicted), len(predicted))
            resampled.append(pearson(predicted[rows], each.labels[rows]))
        found[pair] = {
            "segments": len(predicted),
            "r": pearson(predicted, each.labels),
            "low": float(np.quantile(resampled, 0.025)),
            "high": float(np.quantile(resampled, 0.975)),
            "network": pearson(each.network, each.labels),
            "coverage": float(((lower <= each.labels) & (each.labels <= upper)).mean()),
        }
        for name in MEANING if meaning else ():
            found[pair][name] = pearson(values[:, tables[pair].names.index(name)], each.labels)
    return found


def damaged(folder: Path) -> dict[str, list[float]]:
    """Return how often each model prefers an output to a damaged one, by kind of damage (probes.py); ties are wrong."""
    sources = {}
    for pair in ("de-en", "ru-en"):
        texts = data.Texts.read(folder / "wmt18", pair)
        sources |= {reference: texts.sources[segment] for segment, reference in texts.references.items()}
    models = [open_default(languages) for languages in (None, ("de", TARGET))]
    found = {}
    for kind, rows in probes.cases(folder).items():
        of = [sources[reference] for reference, _, _ in rows]
        sides = [[model.predict(of, [row[side] for row in rows]).values for side in (1, 2)] for model in models]
        found[kind] = [float((right > wrong).mean()) for right, wrong in sides]
    return found


def main() -> None:
    """Measure, train and write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("twins", type=Path)
    arguments.add_argument("folder", type=Path)
    given = arguments.parse_args()
    sets = read(given.data, given.twins)
    for meaning in (False, True):
        chosen = {pair: each for pair, each in sets.items() if not meaning or pair.split("-")[0] in KNOWN}
        measured = figures(chosen, meaning=meaning)
        few = {pair: each[:: -(-len(each.sources) // MOST)] for pair, each in chosen.items()}
        model = train(few, {pair: features_of(each, meaning=meaning) for pair, each in few.items()}, meaning=meaning)
        model.save(given.folder / file_name("meaning" if meaning else "output"))
        print(json.dumps({"meaning": meaning, "pairs": measured}, indent=1, default=lambda x: round(float(x), 4)))
    print(json.dumps({"right, without and with meaning": damaged(given.data)}, indent=1))


if __name__ == "__main__":
    main()
