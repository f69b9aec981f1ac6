"""Alignments by words and phrases."""

import pytest

from tercet.errors import DataError
from tercet.language import meteor_alignment as alignment
from tercet.language.meteor_alignment import Aligner, java_hash


def links(found):
    return [
        (
            " ".join(found.output[i] for i in link.output),
            " ".join(found.reference[i] for i in link.reference),
            link.matcher,
        )
        for link in found.links
    ]


def with_table(tmp_path, text, **options):
    path = tmp_path / "table"
    path.write_text(text)
    return Aligner(matchers=("exact", "stem", "synonym", "paraphrase"), table=str(path), **options)


def test_words_match_by_themselves_stems_and_synonyms():
    found = Aligner().align("the quick foxes leapt".split(), "the fast fox jumped high".split())
    assert links(found) == [
        ("the", "the", "exact"),
        ("quick", "fast", "synonym"),
        ("foxes", "fox", "stem"),
        ("leapt", "jumped", "synonym"),
    ]
    assert [link.chunk for link in found.links] == [0, 0, 0, 0]


def test_chunks_are_runs_in_both_texts():
    found = Aligner().align("b c a d".split(), "a b c d".split())
    assert [(link.output, link.reference, link.chunk) for link in found.links] == [
        ((2,), (0,), 0),
        ((0,), (1,), 1),
        ((1,), (2,), 1),
        ((3,), (3,), 2),
    ]
    assert found.chunks == 3


def test_phrases_match_in_both_directions(tmp_path):
    aligner = with_table(tmp_path, "0.1\nin spite of\ndespite\n")
    assert links(aligner.align("he left despite rain".split(), "he left in spite of rain".split()))[2] == (
        "despite",
        "in spite of",
        "paraphrase",
    )
    found = aligner.align("he left in spite of rain".split(), "he left despite rain".split())
    assert (found.links[2].output, found.links[2].reference) == ((2, 3, 4), (2,))
    assert found.chunks == 1


GAPPED = "protect ... from\tprotect ... against\nshield ... from\tguard ... against\n"


def test_gapped_paraphrases_match_their_parts(tmp_path):
    output, reference = "they protect us all from rain".split(), "they protect us against rain".split()
    assert ("from", "against", "paraphrase") in links(with_table(tmp_path, GAPPED, gaps=2).align(output, reference))
    assert len(with_table(tmp_path, GAPPED, gaps=1).align(output, reference).links) == 4  # two words lie between
    assert len(with_table(tmp_path, GAPPED).align(output, reference).links) == 4


def test_both_parts_of_a_gapped_paraphrase_must_be_there(tmp_path):
    aligner = with_table(tmp_path, GAPPED, gaps=3)
    found = links(aligner.align("they shield us from rain".split(), "they guard us against rain".split()))
    assert ("shield", "guard", "paraphrase") in found
    assert ("from", "against", "paraphrase") in found
    found = links(aligner.align("they come from rain".split(), "they come against rain".split()))
    assert ("from", "against", "paraphrase") not in found


def test_the_original_compares_hashes_as_java_does():
    assert java_hash("je") == java_hash("l'") == 3387
    assert java_hash("😀") == 1772899
    assert len(Aligner(matchers=("exact",), original=True).align(["je"], ["l'"]).links) == 1
    assert not Aligner(matchers=("exact",)).align(["je"], ["l'"]).links


def test_the_original_takes_english_function_words_everywhere():
    words = ["der", "the"]
    assert Aligner(language="de").read([words]).kinds.tolist() == [1, 0]
    assert Aligner(language="de", original=True).read([words]).kinds.tolist() == [0, 1]


def test_reading_outputs_leaves_the_references_lexicon_as_it_is():
    aligner = Aligner()
    references = aligner.read([["a", "cat"]])
    before = dict(references.lexicon.numbers)
    outputs = aligner.read([["two", "cats"]], base=references.lexicon)
    assert references.lexicon.numbers == before
    assert len(outputs.lexicon.numbers) == len(outputs.lexicon.stems) == 4


def test_texts_with_too_many_possible_matches_are_refused(monkeypatch):
    monkeypatch.setattr(alignment, "MOST_MATCHES", 1 << 14)
    with pytest.raises(DataError, match="begins 'the the .* have more than 16,384 pairs of words"):
        Aligner().align(["the"] * 200, ["the"] * 201)
