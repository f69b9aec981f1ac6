"""The public battery over every metric that exists, and over the parameters that change what a metric does."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from tercet import metrics
from tercet.errors import MissingDependency
from tercet.language.parsing import parse
from tercet.learning.predictors import Inputs, LinearPredictor
from tercet.metrics import Floats, MeanMetric, Metric, Shard
from tercet.metrics.bases.learned_model import LearnedModel
from tercet.quality.fluency_models import estimate_models, save_models
from tercet.testing import HARD, SAMPLE, ContractViolation, check_metric

from ..chat_server import serving

VARIANTS = [
    "bleu:smooth_method=floor",
    "bleu:smooth_method=floor,smooth_value=0.0137",
    "bleu:smooth_method=add-k,effective_order=true",
    "bleu:smooth_method=none,effective_order=false",
    "bleu:max_ngram_order=1,lowercase=true",
    "bleu:smooth_method=cc4",
    "bleu:smooth_method=cc7,max_ngram_order=2",
    "bleu:max_ngram_order=9,tokenize=char",
    "bleu:tokenize=intl",
    "bleu:tokenize=zh",
    "bleu:variant=mteval",
    "bleu:variant=mteval,tokenize=intl,lowercase=false,smooth_method=none",
    "bleu:variant=sacrebleu-1.3.6,tokenize=intl",
    "chrf:word_order=2",
    "chrf:char_order=0,word_order=1,beta=0.5",
    "chrf:beta=1e-7,lowercase=true",
    "chrf:beta=2.1234567,whitespace=true",
    "chrf:eps_smoothing=true,average=segment",
    "chrf:variant=original,word_order=2",
    "chrf:variant=original,unit=byte,beta=3,average=segment",
    "chrf:variant=sacrebleu-1.3.6",
    "beer:model=none",
    "cobalt:params=published",
    "cobalt:aligner=meteor",
    "cobalt:penalty=false,weights=false",
    "hwcm:of=relations,length=2",
    "hwcm:of=categories,variant=asiya",
    "ibm1:of=words,lm=true",
    "kobe:against=reference",
    "kobe:senses=3,categories=place+concept,penalty=false",
    "kobe_pool:threshold=0.5,shared=true",
    "length:unit=char",
    "length:tokenize=zh",
    "mean:of=bleu+ter+chrf:word_order=2;beta=1,scale=z",
    "nist:tokenize=intl,lowercase=false",
    "nist:max_ngram_order=1",
    "sentbleu:tokenize=none,lowercase=true",
    "stm:of=relations,depth=9,lowercase=false",
    "yisi2:n=2,alpha=0.8",
]


def check_installed(spec):
    """The battery on a metric; what needs an extra that is not installed is skipped, and says which."""
    try:
        check_metric(spec)
    except MissingDependency as missing:
        pytest.skip(str(missing))


def with_quality_model(folder: Path) -> str:
    from tercet.quality.training import train

    rows = [row for outputs in SAMPLE.outputs.values() for row in zip(SAMPLE.source, outputs, strict=True)]
    labels = [len(set(output)) for _, output in rows]
    train(*zip(*rows, strict=True), labels, "fr-en", learner="ridge").save(folder / "model.qe")
    return f"qe:model={folder / 'model.qe'}"


def with_vectors(name: str) -> Callable[[Path], str]:
    """Return what makes a metric on word vectors: the default encoder would take long, and bertr has it."""

    def make(folder: Path) -> str:
        (folder / "vectors.txt").write_text("cat 1 0 0\nmat 0.6 0.8 0\nraining 0 0.6 0.8\napples 0 0 1\n")
        return f"{name}:encoder=vectors:{folder / 'vectors.txt'}"

    return make


def with_log_probabilities(folder: Path) -> str:
    """Numbers for the systems of the sample, and for those of the hard texts."""
    for systems, segments in ((SAMPLE.systems, len(SAMPLE)), (("x", "reversed", "moved", "neighbour"), len(HARD) ** 2)):
        for number, system in enumerate(systems, 1):
            (folder / system).write_text("".join(f"{-number * i}\t{i}\n" for i in range(1, segments + 1)))
    return f"lp:file={folder}/{{system}}"


def with_learned_model(folder: Path) -> str:
    """A model of two metrics and a part of a third."""
    names = ("chrf", "ter", "beer@char3.a")
    inputs = Inputs(3, np.arange(3), np.zeros(3), np.ones(3), np.full(3, -100.0), np.full(3, 200.0))
    LearnedModel(names, LinearPredictor(inputs, np.array([1.0, -0.5, 2.0]), 0.0)).save(folder / "my.metric")
    return f"learned:model={folder / 'my.metric'}"


def with_language_models(name: str) -> Callable[[Path], str]:
    """Return what makes a metric of fluency, with language models of the sample."""

    def make(folder: Path) -> str:
        texts = [text for lines in SAMPLE.references.values() for text in lines if text]
        save_models(estimate_models(parse(texts, "en"), "en"), folder / "en.lm")
        return f"{name}:lm={folder / 'en.lm'}"

    return make


def shared_words(prompt: str, _number: int) -> str:
    """An answer that depends on the texts: the more words of the translation the source or a reference has."""
    source, *references, output = re.findall(r"<(?:source|human_reference|translation)>\n(.*?)\n</", prompt, re.DOTALL)
    shared = set(output.split()) & set(" ".join(references or [source]).split())
    if "JSON" in prompt:
        return json.dumps([{"severity": "minor"}] * max(0, 20 - len(shared)))
    return str(min(100, len(shared)))


# Metrics that need more than their name: what makes a metric of each, from a folder for what it needs.
MADE = {
    "lp": with_log_probabilities,
    "qe": with_quality_model,
    "learned": with_learned_model,
    **{name: with_language_models(name) for name in ("cobalt_comp", "cobalt_f", "features_f", "metrics_f", "party")},
    **{name: with_vectors(name) for name in ("bertscore", "wmdo", "yisi1")},
}
# Tested with an endpoint, a model, or a table of the outputs, elsewhere.
ELSEWHERE = {"bleurt", "classifier", "comet", "judge", "metricx", "numbers"}


@pytest.mark.parametrize("variant", ["", ",references=true", ",prompt=mqm,references=true,bare=true"])
def test_the_judge_keeps_the_contract(variant, tmp_path):
    with serving(shared_words) as server:
        check_metric(f"judge:endpoint={server.address},model=m,answers={tmp_path}{variant}")


@pytest.mark.parametrize("name", [name for name in metrics.names() if name not in ELSEWHERE])
def test_every_metric_keeps_the_contract(name, tmp_path):
    check_installed(MADE[name](tmp_path) if name in MADE else name)


@pytest.mark.parametrize("spec", VARIANTS)
def test_every_variant_keeps_the_contract(spec):
    check_installed(spec)


@dataclass(frozen=True)
class Overlap(MeanMetric):
    """The share of the reference's words that the output has: a metric as somebody else would write it."""

    scale: float = 1.0
    paper: ClassVar[str] = "None (2024), A metric for a test"

    def score_segment(self, output: str, references: Sequence[str], source: Any) -> float:
        words = set(output.split())
        return self.scale * max(len(words & set(text.split())) / max(len(set(text.split())), 1) for text in references)


def test_a_simple_metric_of_another_package_keeps_the_contract():
    check_metric(Overlap())
    check_metric(Overlap(scale=2.0))


@dataclass(frozen=True)
class SourceCopies(MeanMetric):
    """Whether the output is the source."""

    needs = frozenset({"source"})
    paper: ClassVar[str] = "None (2024), A metric for a test"

    def score_segment(self, output: str, references: Sequence[str], source: str) -> float:
        assert not references
        return float(output == source)


def test_a_metric_without_references_keeps_the_contract():
    check_metric(SourceCopies())


@dataclass(frozen=True)
class Mutable(Overlap):
    """Remembers what it did."""

    seen: list[str] = field(default_factory=list, compare=False, hash=False)

    def score_segment(self, output: str, references: Sequence[str], source: Any) -> float:
        self.seen.append(output)
        return super().score_segment(output, references, source)


class Undecorated(Overlap):
    """Inherits the fields but is not frozen itself."""


@dataclass(frozen=True)
class Backwards(Overlap):
    """Says that lower is better."""

    higher_is_better = False


@dataclass(frozen=True)
class NotVectorised(Overlap):
    """Scores one row only."""

    def score(self, totals: Floats) -> Floats:
        return np.asarray(float(totals.ravel()[0]) / float(totals.ravel()[1]))


@dataclass(frozen=True)
class Infinite(Overlap):
    """Divides by the length of the output."""

    def score_segment(self, output: str, references: Sequence[str], source: Any) -> float:
        return 1 / len(output.split()) if output.split() else float("inf")


@dataclass(frozen=True)
class Crashing(Overlap):
    """Divides by the length of the output, and by zero."""

    def score_segment(self, output: str, references: Sequence[str], source: Any) -> float:
        return 1 / len(output.split())


@dataclass(frozen=True)
class Neighbourly(Overlap):
    """Counts the segment before too, and does not say so."""

    def count_outputs(self, outputs: Sequence[str], prepared: Any) -> Floats:
        return super().count_outputs(outputs, prepared).cumsum(0)


@dataclass(frozen=True)
class Forgetful(Overlap):
    """Its signature lacks its parameter."""

    def signature_items(self) -> dict[str, str]:
        return {}


@dataclass(frozen=True)
class Greedy(Overlap):
    """Writes into the test set."""

    def count(self, shard: Shard, opened: Any) -> dict[str, Floats]:
        counts = super().count(shard, opened)
        if isinstance(shard.labels, dict):
            shard.labels[f"seen {len(shard.labels)}"] = ("yes",) * len(shard)
        return counts


@dataclass(frozen=True)
class Careless(Overlap):
    """Takes any test set."""

    def check_needs(self, testset: Any) -> None:
        pass

    def score_segment(self, output: str, references: Sequence[str], source: Any) -> float:
        return super().score_segment(output, references, source) if references else 0.0


@dataclass(frozen=True)
class Unpublished(Overlap):
    """Follows nothing."""

    paper: ClassVar[str] = ""


@dataclass(frozen=True)
class Undocumented(Overlap):
    paper: ClassVar[str] = "None (2024), A metric for a test"


@dataclass(frozen=True)
class Random(Overlap):
    """Draws lots."""

    def score_segment(self, output: str, references: Sequence[str], source: Any) -> float:
        return float(np.random.default_rng().random())


@dataclass(frozen=True)
class Nosy(Overlap):
    """Reads the source without needing it."""

    def count(self, shard: Shard, opened: Any) -> dict[str, Floats]:
        extra = 0 * len(shard.source)
        return {system: counts + extra for system, counts in super().count(shard, opened).items()}


@pytest.mark.parametrize(
    ("metric", "problem"),
    [
        (Mutable(), "scoring changes the metric itself"),
        (Undecorated(), r"version can be assigned; declare the class with @dataclass\(frozen=True\)"),
        (Backwards(), "it says lower is better, but scores the reference itself 1 and garbage 0"),
        (NotVectorised(), "score must return one number for each row of counts"),
        (Infinite(), "counts are not finite for output 'empty'"),
        (Crashing(), "ZeroDivisionError while checking hard texts"),
        (Neighbourly(), "shards give other counts than the whole test set"),
        (Forgetful(scale=2.0), "does not lead back to it"),
        (Greedy(), "counting changes the texts that it is given"),
        (Careless(), "needs a reference and does not refuse a test set without one"),
        (Unpublished(), "paper must name the publication"),
        (Undocumented(), "its class has no docstring"),
        (Nosy(), "TypeError while checking needs"),
        (Random(), "counting twice gives different counts"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Metric) else "",
)
def test_a_broken_metric_is_told_what_is_broken(metric, problem):
    with pytest.raises(ContractViolation, match=problem):
        check_metric(metric)
