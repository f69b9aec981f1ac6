"""Train the models of Features-F, Cobalt-F, Metrics-F, party, BEER and others that come with the package, on a CPU.

    python -m training.learned_metrics DATA --cache FOLDER                      # what to train on: figures
    python -m training.learned_metrics DATA --cache FOLDER --write FOLDER       # and the models

DATA has the folders wmt12 (rankings) and graham_da (direct assessments of newstest2013). Two trainings are compared on
each language pair of WMT12, which is left out of both: on the rankings of WMT12, and on these with pairs of the
assessments of 2013, of different segments (`--across` of `tercet learn`). The post-edits of that set are made from the
outputs, so they are not used as references. Language models are those of `tercet lm` for English.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import mean

import tercet
from tercet.data.lines import write_lines
from tercet.learning.examples import on_one_thread
from tercet.learning.learners import LEARNERS
from tercet.learning.linear import PENALTIES
from tercet.metrics.bases.members import find_members
from tercet.metrics.learned._adequacy import NAMES as ADEQUACY
from tercet.tasks.learn.judged import Part, compute_features, gather
from tercet.tasks.learn.training import fit, join, measure

from . import data

PAIRS = ("cs-en", "de-en", "es-en", "fr-en")
STRINGS = (
    "chrf chrf:word_order=2 chrf:beta=1.0 bleu sentbleu meteor ter wer per cder eed character hlepor yisi0 ribes cer"
)
TREES = "tree_kernel tree_kernel:of=categories tree_kernel:of=relations"
PIECES = "hwcm hwcm:of=categories hwcm:of=relations stm red@* verta"
MODELS = {  # the features of each model
    "beer": "beer@*",
    "features_f": "features_f@*",
    "cobalt_f_simple": "cobalt_f@*",
    "cobalt_f_comp": "cobalt_f:of=comp@*",
    "metrics_f": "sentbleu meteor cobalt_f@*",
    "metrics_only": "sentbleu meteor cobalt",
    "cobalt_comp": " ".join(f"cobalt_f:of=comp@adequacy_{name}" for name in ADEQUACY),
    "dpmfcomb": f"{STRINGS} {TREES} {PIECES}",
    "party": f"{STRINGS} {TREES} cobalt cobalt_f:of=comp@*",
}
ACROSS = (0, 3, 10)  # pairs per assessed output of newstest2013; 0: rankings of WMT12 alone


def write_assessments(table: Path, folder: Path) -> None:
    """Write the assessed outputs into English as texts and judgements, each output as a segment of its own."""
    by_pair: dict[str, list[dict[str, str]]] = {}
    for row in data.rows(table):
        if row["lp"].endswith("-en"):
            by_pair.setdefault(row["lp"], []).append(row)
    for pair, found in by_pair.items():
        numbered = list(enumerate(found, 1))
        texts = [f"{number}\t{row['source']}\t{row['reference']}" for number, row in numbered]
        write_lines(folder / f"{pair}.segments.tsv", ["seg\tsource\treference", *texts])
        write_lines(
            folder / f"{pair}.outputs.tsv", ["seg\tmt", *(f"{number}\t{row['mt']}" for number, row in numbered)]
        )
        scores = [f"{number}\tmt\t{row['DA_z']}" for number, row in numbered]
        write_lines(folder / f"{pair}.da.tsv", ["seg\tsystem\tDA_z", *scores])


def held_out(rankings: Sequence[Part], added: Sequence[Part], penalty: float) -> list[float]:
    """Return tau on each language pair of WMT12, of a model that has seen nothing of the pair."""
    found = []
    for held in rankings:
        predictor = fit(LEARNERS["logistic"], [part for part in (*rankings, *added) if part.pair != held.pair], penalty)
        found.append(measure("", join([held]), predictor.predict).tau)
    return found


def compare(features: Sequence[str], folders: tuple[Path, Path], cache: str | None) -> None:
    """Print the held-out figures of each training, with the penalty that is best for it."""
    members = find_members(features)
    rankings, assessed = (gather([folder], pairs=pairs) for folder, pairs in zip(folders, (PAIRS, ()), strict=True))
    compute = partial(compute_features, members=members, cache=cache)
    first = [compute(one) for one in rankings]
    values = [compute(one).examples.features for one in assessed]
    for across in ACROSS:
        drawn = gather([folders[1]], across=across) if across else []
        added = [one.part(table) for one, table in zip(drawn, values if across else [], strict=True)]
        tried = {penalty: held_out(first, added, penalty) for penalty in PENALTIES}
        penalty = max(tried, key=lambda each: mean(tried[each]))
        shown = "  ".join(f"{tau:.4f}" for tau in (*tried[penalty], mean(tried[penalty])))
        print(f"  across {across:2}  penalty {penalty:g}  {shown}", flush=True)


def main() -> None:
    """Compare trainings, and write the models if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", help="keep counts in this folder")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--write", type=Path, help="write the models to this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "wmt13"
        folder.mkdir()
        write_assessments(options.data / "graham_da" / "da_with_postedits.tsv.gz", folder)
        for model in options.models:
            print(f"{model}: tau on {', '.join(PAIRS)} of WMT12, mean", flush=True)
            features = MODELS[model].split()
            on_one_thread(partial(compare, features, (options.data / "wmt12", folder), options.cache))
            if options.write:
                found = tercet.learn(options.data / "wmt12", features, pairs=PAIRS, cache=options.cache)
                found.model.save(options.write / f"{model}.model")
                print(f"  written, penalty {found.setting:g}, checksum {found.model.checksum[:16]}")


if __name__ == "__main__":
    main()
