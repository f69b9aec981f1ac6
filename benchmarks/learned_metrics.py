"""Promises of learned metrics: the speed of Cobalt-F, Metrics-F, party and a model of string metrics, and of training.

Scoring counts everything: parsing, alignment, language models. The language models are estimated from a thousand
references, which does not change the time. Training reads WMT12 and WMT14 where they are, 145,000 pairs, with nine
string metrics and the parts of BEER. There is no peer; the other column is what the promise allows.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import tercet
from tercet import TestSet, examples
from tercet.data.lines import write_lines
from tercet.errors import MissingDependency, UsageError
from tercet.language.backends import default_name

from .common import REAL, SHARED, Row, cpu, texts

STRINGS = ("chrf", "chrf:word_order=2", "bleu", "sentbleu", "ter", "wer", "per", "eed", "meteor")
INTO_ENGLISH = ("cs-en", "de-en", "es-en", "fr-en", "hi-en", "ru-en")
SECONDS = 300.0  # of training
SYSTEMS, SEGMENTS, SENTENCES = 4, 100, 1_000
A_SECOND = {"learned": 500, "cobalt_f": 80, "metrics_f": 80, "party": 50}  # outputs


def rows() -> list[Row]:
    """(name, our CPU seconds, what is promised, promised ratio)."""
    with tempfile.TemporaryDirectory() as name:
        return [*_scoring(Path(name)), *_training()]


def _scoring(folder: Path) -> list[Row]:
    found = [_speed("learned", f"learned:model={_string_model(folder)}", texts("en-de", SYSTEMS, SEGMENTS))]
    try:
        default_name("en")
    except (MissingDependency, UsageError):
        return found
    whole = texts("de-en", SYSTEMS, SEGMENTS + SENTENCES)
    write_lines(folder / "news", [text or "" for text in next(iter(whole.references.values()))[SEGMENTS:]])
    tercet.lm(folder / "news", "en", out=folder / "en.lm")
    for name in ("cobalt_f", "metrics_f", "party"):
        found.append(_speed(name, f"{name}:lm={folder / 'en.lm'}", whole[:SEGMENTS]))
    return found


def _speed(name: str, spec: str, testset: TestSet) -> Row:
    tercet.score(testset[:2], spec)  # tables are loaded by then
    seconds, _ = cpu(partial(tercet.score, testset, spec))
    outputs = len(testset) * len(testset.systems)
    return f"{name}, {outputs} outputs", seconds, outputs / A_SECOND[name], 1.0


def _string_model(folder: Path) -> Path:
    """Train a small model on the judgements of the demo."""
    examples.write("en-de", folder / "demo")
    path = folder / "strings.metric"
    tercet.learn(folder / "demo", [*STRINGS, "beer@*"], learner="ridge").model.save(path)
    return path


def _training() -> list[Row]:
    if not REAL:
        return []
    places = [SHARED / "data" / year for year in ("wmt12", "wmt14")]
    train = partial(tercet.learn, places, [*STRINGS, "beer@*"], pairs=INTO_ENGLISH)
    seconds, found = cpu(train)
    pairs = sum(one.size for one in found.model.trained_on)
    return [(f"training on {pairs:,} pairs, {len(found.model.features)} features", seconds, SECONDS, 1.0)]


if __name__ == "__main__":
    for what, ours, promised, _ in rows():
        print(f"{what:60} {ours:8.3f} {promised:8.3f}")
