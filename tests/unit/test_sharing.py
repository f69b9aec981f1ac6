"""Work that metrics share is done once per run, and what a metric learnt is sent to a worker once."""

import pickle
from collections.abc import Sequence

import pytest

import tercet
from tercet import engine
from tercet.metrics import Shard, create
from tercet.metrics.strings.chrf import CHRF

TEXTS = tercet.TestSet(
    {"a": ["the cat sat on the mat", "a dog barked"], "b": ["a cat on a mat", "the dog barks"]},
    {"ref": ["the cat sat on a mat", "a dog barked"]},
    pair="de-en",
)


def test_chrf_and_chrfpp_read_the_characters_of_a_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = [tercet.score(TEXTS, spec)[0].system for spec in ("chrf", "chrf:word_order=2")]
    read: list[Sequence[str]] = []
    points = CHRF._points
    monkeypatch.setattr(CHRF, "_points", lambda self, texts: read.append(texts) or points(self, texts))
    together = tercet.score(TEXTS, ["chrf", "chrf:word_order=2"])
    assert [item.system for item in together] == alone
    assert len(read) == 3  # references, and each of two outputs


def test_metrics_that_read_texts_differently_do_not_share(monkeypatch: pytest.MonkeyPatch) -> None:
    specs = ["chrf", "chrf:lowercase=true", "chrf:char_order=4", "chrf:whitespace=true", "chrf:unit=byte"]
    together = tercet.score(TEXTS, specs)
    for spec, item in zip(specs, together, strict=True):
        assert item.system == tercet.score(TEXTS, spec)[0].system


def test_metrics_on_parses_parse_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy")
    from tercet.language import parsing

    asked: list[str] = []
    parse = parsing.parse

    def counting(texts: Sequence[str], *rest: object, **options: object) -> object:
        asked.extend(texts)
        return parse(texts, *rest, **options)

    monkeypatch.setattr(parsing, "parse", counting)
    tercet.score(TEXTS, ["cobalt", "hwcm", "stm"])
    assert sorted(asked) == sorted(set(asked))
    assert len(asked) == 5  # one output equals a reference


def test_metrics_that_share_are_one_unit_of_work() -> None:
    metrics = [create(spec).ready(TEXTS) for spec in ("chrf", "bleu", "chrf:word_order=2", "ter")]
    assert [group.indices for group in engine._groups(metrics, apart=True)] == [(0, 2), (1,), (3,)]
    assert [group.indices for group in engine._groups(metrics, apart=False)] == [(0, 1, 2, 3)]


def test_a_large_metric_is_sent_once_and_a_small_one_with_its_unit() -> None:
    words = [f"word{number} and word{number + 1} or {number}" for number in range(3000)]
    testset = tercet.TestSet({"a": words, "b": words}, {"ref": words})
    large, small = create("nist").ready(testset), create("bleu").ready(testset)
    assert len(pickle.dumps(large)) > 10 * engine.LARGE
    with engine.open_executor(2) as executor:
        shipping = engine._Shipping(executor)
        parcel = shipping.send(large)
        assert isinstance(parcel, engine.Parcel)
        assert shipping.send(large) is parcel
        assert shipping.send(small) is small
        counts = executor.submit(engine.count_unit, [["a"]], testset, None, parcel).result()
        assert (counts[0]["a"] == large.count(Shard(testset))["a"]).all()
        assert len(pickle.dumps(parcel)) < 500
        shipping.close()


def test_heavy_resources_are_opened_once_per_process_and_state_of_their_files(tmp_path) -> None:
    from dataclasses import dataclass
    from pathlib import Path
    from typing import Any

    from tercet.metrics import MeanMetric, param

    opened: list[str] = []

    @dataclass(frozen=True)
    class Weighted(MeanMetric):
        """A metric with a weights file."""

        weights: str = param(file=True)

        def open(self, state: Any) -> float:
            opened.append(self.weights)
            return float(Path(self.weights).read_text())

        def prepare(self, shard: Shard, opened: float) -> Any:
            return opened, super().prepare(shard, opened)

        def count_outputs(self, outputs: Sequence[str], prepared: Any) -> Any:
            weight, rest = prepared
            return super().count_outputs(outputs, rest) * [weight, 1]

        def score_segment(self, output: str, references: Sequence[str], source: Any) -> float:
            return float(output in references)

    file = tmp_path / "weights"
    file.write_text("2")
    metric = Weighted(weights=str(file))
    for _ in range(3):
        assert tercet.score(TEXTS, metric, cache=tmp_path / "cache")[0].system == {"a": 1.0, "b": 0.0}
    assert len(opened) == 1
    file.write_text("10")
    assert tercet.score(TEXTS, metric, cache=tmp_path / "cache")[0].system == {"a": 5.0, "b": 0.0}
    assert len(opened) == 2
