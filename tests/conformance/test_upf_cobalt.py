"""UPF-Cobalt against the author's program (mfomicheva/upf-cobalt, run unmodified): alignments, penalties, scores.

The program's own example, and 90 pairs of newspaper sentences with parses that were made from gold trees. Both
configurations are compared: the one that was shipped, which aligns by words, stems and lemmas alone, and one whose
names are mended, so that synonyms and paraphrases are used.
"""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tercet import TestSet, score
from tercet.language.backends import corenlp
from tercet.language.sentence import Sentence
from tercet.metrics import create
from tercet.metrics.structure.cobalt import Cobalt, CobaltComparison

from ..conftest import read_golden

PAIRS = {"own example": 1, "newspaper": 90}
SPECS = {"shipped": "cobalt:params=published", "mended": "cobalt:params=published,synonyms=true"}
CASES = [(texts, config) for texts in PAIRS for config in SPECS]


@cache
def records(shared: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The golden records with the stop words of the program's time, by texts and configuration."""
    found = {}
    for record in read_golden(shared, "upf_cobalt"):
        if record["parameters"]["stopwords_n"] == 127:
            texts = "own example" if record["n_segments"] == 1 else "newspaper"
            shipped = record["parameters"]["aligner_config"].startswith("shipped")
            found[texts, "shipped" if shipped else "mended"] = record
    return found


def spec(shared: Path, config: str) -> str:
    table = shared / "data" / "lexical" / "ppdb-1.0-xxxl-lexical.pairs.gz"
    return SPECS[config] + (f",paraphrases={table}" if config == "mended" else "")


@cache
def parses(shared: Path, texts: str) -> tuple[list[Sentence], list[Sentence]]:
    inputs = records(shared)[texts, "shipped"]["inputs_corenlp_text_format"]
    sides = (list(corenlp.parse_lines(inputs[side].split("\n"), side)) for side in ("test", "reference"))
    outputs, references = sides
    return outputs, references


@cache
def compared(shared: Path, texts: str, config: str) -> list[tuple[CobaltComparison, dict[str, Any]]]:
    """Our comparison of every pair, and the program's."""
    metric = create(spec(shared, config)).resolved()
    assert isinstance(metric, Cobalt)
    pairs = zip(*parses(shared, texts), records(shared)[texts, config]["details"], strict=True)
    return [(metric.assess(metric.align(output, reference)), theirs) for output, reference, theirs in pairs]


@pytest.mark.parametrize(("texts", "config"), CASES)
def test_the_same_words_are_aligned(shared: Path, texts: str, config: str) -> None:
    for ours, theirs in compared(shared, texts, config):
        links = [[link.output, link.reference] for link in ours.alignment.links]
        assert sorted(links) == sorted(theirs["alignments"]), theirs["test"]


@pytest.mark.parametrize(("texts", "config"), CASES)
def test_contexts_similarities_and_penalties_are_the_same(shared: Path, texts: str, config: str) -> None:
    words = 0
    for ours, theirs in compared(shared, texts, config):
        expected = zip(theirs["alignments"], theirs["word_scores"], theirs["context"], strict=True)
        of_pair = {tuple(pair): (word, context) for pair, word, context in expected}
        for link, word, difference in zip(ours.alignment.links, ours.words, ours.differences, strict=True):
            their_word, context = of_pair[link.output, link.reference]
            assert word.similarity == their_word["similarity"]
            assert word.penalty == pytest.approx(their_word["penalty_mean"], abs=1e-12)
            assert Counter(difference.output_different) == Counter(context["srcDiff"])
            assert Counter(difference.reference_different) == Counter(context["tgtDiff"])
            words += 1
    assert words == sum(len(theirs["alignments"]) for theirs in records(shared)[texts, config]["details"])


@pytest.mark.parametrize(("texts", "config"), CASES)
def test_scores_are_the_same(shared: Path, texts: str, config: str) -> None:
    scores = [(ours.score, theirs["score"]) for ours, theirs in compared(shared, texts, config)]
    assert len(scores) == PAIRS[texts]
    for ours, theirs in scores:
        assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("config", SPECS)
def test_a_file_of_corenlp_gives_the_same_scores_from_end_to_end(shared: Path, tmp_path: Path, config: str) -> None:
    """Parses are found by their text; texts that were parsed in two ways are left out."""
    outputs, references = parses(shared, "newspaper")
    ways: dict[str, set[Sentence]] = {}
    for sentence in (*outputs, *references):
        ways.setdefault(sentence.text, set()).add(sentence)
    rows = [
        row
        for row, pair in enumerate(zip(outputs, references, strict=True))
        if all(len(ways[sentence.text]) == 1 for sentence in pair)
    ]
    assert len(rows) >= 60
    record = records(shared)["newspaper", config]
    inputs = records(shared)["newspaper", "shipped"]["inputs_corenlp_text_format"]
    file = tmp_path / "parses.out"
    file.write_text(f"{inputs['test']}\n{inputs['reference']}\n", "utf-8")
    testset = TestSet(
        {"test": [outputs[row].text for row in rows]}, {"r": [references[row].text for row in rows]}, pair="xx-en"
    )
    (found,) = score(testset, [f"{spec(shared, config)},parser=corenlp:{file}"])
    expected = [record["segment_scores"]["test"][row] for row in rows]
    assert found.segment["test"].tolist() == pytest.approx(expected, abs=1e-12)


def test_the_own_example_has_the_score_that_its_author_publishes(shared: Path) -> None:
    """Of the passive of Table 4.8, in the form of the program's example."""
    ((ours, _),) = compared(shared, "own example", "shipped")
    assert ours.score == pytest.approx(0.8795936458058189, abs=1e-12)
