"""The aligner and the contexts against the author's program (mfomicheva/upf-cobalt), on recorded parses.

The program's own example and 90 pairs of newspaper sentences, each as the program was shipped (which aligns words by
form, stem and lemma alone) and with its synonyms and paraphrases in use, and with two lists of stop words.
"""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tercet.language.backends import corenlp
from tercet.language.contexts import compare_contexts
from tercet.language.contextual_alignment import ContextAligner, ContextAlignment
from tercet.language.lexical_similarity import Similarity
from tercet.language.sentence import Sentence

from ..conftest import read_golden

RECORDS = 8
WORTH = {"exact": 1, "stem": 0.9, "synonym": 0.8, "paraphrase": 0.6, "distributional": 0.5, "entity": 0.5}


@cache
def parses(shared: Path, segments: int) -> tuple[list[Sentence], list[Sentence]]:
    inputs = next(
        record["inputs_corenlp_text_format"]
        for record in read_golden(shared, "upf_cobalt")
        if record["n_segments"] == segments and record.get("inputs_corenlp_text_format")
    )
    outputs, references = (list(corenlp.parse_lines(inputs[side].split("\n"), side)) for side in ("test", "reference"))
    return outputs, references


@cache
def compared(shared: Path, record: int) -> list[tuple[ContextAlignment, dict[str, Any]]]:
    """Our alignment of every pair of a record, and the program's."""
    theirs = read_golden(shared, "upf_cobalt")[record]
    table = shared / "data" / "lexical" / "ppdb-1.0-xxxl-lexical.pairs.gz"
    mended = theirs["parameters"]["aligner_config"].startswith("selected_lexical_resources changed")
    # The program scores with synonyms and paraphrases also where it does not align by them.
    aligner = ContextAligner(
        Similarity(paraphrases=str(table), published=True),
        levels=("exact", "stem", "synonym", "paraphrase") if mended else ("exact", "stem"),
        published=True,
    )
    pairs = zip(*parses(shared, theirs["n_segments"]), theirs["details"], strict=True)
    return [(aligner.align(output, reference), details) for output, reference, details in pairs]


@pytest.mark.parametrize("record", range(RECORDS))
def test_alignments_are_the_program_s(shared, record):
    for alignment, details in compared(shared, record):
        assert [list(pair) for pair in alignment.pairs] == details["alignments"], alignment.output.text


@pytest.mark.parametrize("record", range(RECORDS))
def test_levels_are_worth_what_the_program_says(shared, record):
    for alignment, details in compared(shared, record):
        worth = [WORTH[link.level] for link in alignment.links]
        assert worth == [score["similarity"] for score in details["word_scores"]], alignment.output.text


@pytest.mark.parametrize("record", range(RECORDS))
def test_contexts_and_their_differences_are_the_program_s(shared, record):
    for alignment, details in compared(shared, record):
        links = [(first, second) for first, second in details["alignments"]]
        found = compare_contexts(alignment.output, alignment.reference, links, published=True)
        ours = [
            {
                "srcCon": [*difference.output_context], "srcDiff": [*difference.output_different],
                "tgtCon": [*difference.reference_context], "tgtDiff": [*difference.reference_different],
            }
            for difference in found
        ]  # fmt: skip
        assert ours == details["context"], alignment.output.text


def test_the_records_are_all_there_and_use_every_level(shared):
    records = read_golden(shared, "upf_cobalt")
    assert len(records) == RECORDS
    pairs = [pair for record in range(RECORDS) for pair in compared(shared, record)]
    assert len(pairs) == 4 * 91
    levels = Counter(link.level for alignment, _ in pairs for link in alignment.links)
    assert set(levels) == set(WORTH) and levels.total() == 3830


def test_our_own_defaults_align_most_words_the_same(shared):
    """Every word once, no names linked with all their words, "of the" no sequence: what differs, and how much."""
    outputs, references = parses(shared, 90)
    aligner = ContextAligner(Similarity(synonyms=False))
    same = differs = 0
    for output, reference, (theirs, _) in zip(outputs, references, compared(shared, 4)[:90], strict=True):
        ours, published = set(aligner.align(output, reference).pairs), set(theirs.pairs)
        same += len(ours & published)
        differs += len(ours ^ published)
    assert same > 0.9 * (same + differs)
