"""Segments that are empty, short, strange or lack a reference, with values computed by hand."""

import math

import numpy as np
import pytest

from tercet import TestSet, metrics
from tercet.errors import UsageError
from tercet.metrics import Shard


def score(spec, outputs, *references):
    metric = metrics.create(spec).resolved()
    counts = metric.statistics(TestSet({"x": outputs}, {f"r{i}": texts for i, texts in enumerate(references)}))["x"]
    return float(metric.score(counts.sum(0))), metric.segment_scores(counts).tolist()


@pytest.mark.parametrize(
    ("spec", "empty_empty", "empty_text", "text_empty"),
    [
        ("bleu", 0, 0, 0),
        ("chrf", 0, 0, 0),
        ("nist", 0, 0, 0),
        # Smoothing alone: one word gives 1/2 for single words, two words 1/3 and 1/2, and so on.
        ("sentbleu:tokenize=none", 1, 0, (1 / 3 * 1 / 2) ** 0.25),
    ],
)
def test_empty_texts(spec, empty_empty, empty_text, text_empty):
    _, segments = score(spec, ["", "", "a b"], ["", "a b", ""])
    assert segments == pytest.approx([empty_empty, empty_text, text_empty], abs=1e-12)


def test_a_corpus_of_empty_outputs_scores_nothing():
    for spec in (
        "bleu",
        "bleu:variant=mteval",
        "chrf",
        "chrf:variant=original",
        "nist",
        "sentbleu:tokenize=none",
        "length",
    ):
        corpus, segments = score(spec, ["", ""], ["a b c d e", "f"])
        assert corpus == pytest.approx(0, abs=1e-12), spec
        assert segments == pytest.approx([0, 0], abs=1e-12), spec


def test_an_empty_reference_has_no_length_ratio():
    corpus, segments = score("length", ["a", "a b"], ["", "a"])
    assert corpus == 3.0  # three words against one
    assert math.isnan(segments[0])
    assert segments[1] == 2.0


def test_length_takes_the_closest_reference_and_of_two_the_shorter():
    corpus, segments = score("length", ["a b c", "a"], ["a", "a b c d e"], ["a b c d e", "a b"])
    assert segments == [3.0, 0.5]
    assert corpus == 4 / 3


def test_length_in_characters_ignores_blanks_and_counts_code_points():
    assert score("length:unit=char", ["a b\u00a0c"], ["é 👍"])[0] == 1.5


def test_mteval_gives_a_single_wrong_word_a_good_score():
    """Orders without n-grams count as perfect: one half, to the fourth root."""
    assert score("bleu:variant=mteval", ["no"], ["yes"])[1] == pytest.approx([0.5**0.25], abs=1e-12)
    assert score("bleu:variant=mteval,smooth_method=none", ["yes"], ["yes"])[1] == [0.0]


def test_mteval_lowers_ascii_only_and_perl_knows_no_final_sigma():
    assert score("nist", ["Ä a"], ["ä A"])[0] < score("nist", ["ä a"], ["ä A"])[0]
    assert score("nist:tokenize=intl", ["Ä a"], ["ä A"])[0] == score("nist:tokenize=intl", ["ä a"], ["ä A"])[0]
    assert (
        score("nist:tokenize=intl", ["ΟΔΟΣ x"], ["οδος x"])[0] < score("nist:tokenize=intl", ["οδος x"], ["οδος x"])[0]
    )


def test_mteval_reads_texts_as_from_an_escaped_file():
    """`&quot;` in a text is escaped once more in SGM, and only that is undone; `&lt;` is undone twice."""
    assert score("bleu:variant=mteval", ["say &quot; now then"], ['say " now then'])[0] < 0.9
    assert score("bleu:variant=mteval", ["say &lt; now then"], ["say < now then"])[0] == pytest.approx(1)
    assert score("bleu", ["say &quot; now then"], ['say " now then'])[0] == pytest.approx(100)


def test_sacrebleu_1_3_6_smooths_where_nothing_matches():
    assert score("bleu:variant=sacrebleu-1.3.6", ["no"], ["yes"])[1] == pytest.approx([50], abs=1e-9)
    assert score("bleu", ["no"], ["yes"])[1] == [0.0]


def test_sacrebleu_1_3_6_takes_fractions_for_letters():
    """½, and ½, differ: today's intl keeps a comma between numbers, \\p{N}, that one between digits, \\d."""
    old, new = "bleu:variant=sacrebleu-1.3.6,tokenize=intl", "bleu:tokenize=intl"
    assert score(old, ["a b c ½,½"], ["a b c ½ , ½"])[0] == pytest.approx(100)
    assert score(new, ["a b c ½,½"], ["a b c ½ , ½"])[0] < 100


def test_original_chrf_divides_by_all_orders():
    assert score("chrf:variant=original", ["I"], ["I"])[0] == pytest.approx(100 / 6)
    assert score("chrf", ["I"], ["I"])[0] == 100


def test_original_chrf_repeats_the_counts_before_a_segment_without_match():
    with_gap, _ = score("chrf:variant=original", ["abcdefg", "zzz", "abc"], ["abcdefh", "yyy", "abd"])
    repeated, _ = score("chrf:variant=original", ["abcdefg", "abcdefg", "abc"], ["abcdefh", "abcdefh", "abd"])
    assert with_gap == repeated
    first, _ = score("chrf:variant=original", ["zzz", "abc"], ["yyy", "abd"])  # where chrF++.py crashes
    assert math.isfinite(first)


def test_original_chrf_splits_references_at_its_mark():
    spec = "chrf:variant=original,char_order=1"
    assert score(spec, ["b"], ["a*#b"])[0] == 100
    assert score(spec, ["b"], ["a"], ["b"])[0] == 100


def test_original_chrf_on_bytes_keeps_unicode_blanks_at_the_ends():
    """Python 2 strips ASCII blanks from bytes; a no-break space at the end stays as two bytes."""
    spec = "chrf:variant=original,char_order=1,unit={}"
    assert score(spec.format("char"), ["a\u00a0"], ["a"])[0] == 100
    assert score(spec.format("byte"), ["a\u00a0"], ["a"])[0] < 100


def test_sentbleu_without_tokeniser_splits_at_ascii_blanks_only():
    assert score("sentbleu:tokenize=none", ["a\u00a0b"], ["a b"])[0] < 1
    assert score("sentbleu:tokenize=none", ["a\t b"], ["a b"])[0] == pytest.approx(1)


def test_sentbleu_finds_words_by_moses_unless_told_otherwise():
    assert score("sentbleu", ["Hello, world."], ["Hello , world ."])[0] == pytest.approx(1)
    assert score("sentbleu:lowercase=true", ["HELLO"], ["hello"])[0] == pytest.approx(1)
    assert score("sentbleu", ["HELLO"], ["hello"])[0] < 1


def test_nist_needs_weights_before_it_counts():
    texts = TestSet({"x": ["a"]}, {"r": ["a"]})
    metric = metrics.create("nist")
    with pytest.raises(UsageError, match=r"nist: information weights are missing; call ready\(testset\)"):
        metric.ready().count(Shard(texts))
    with pytest.raises(UsageError, match="nist needs references"):
        metric.ready(TestSet({"x": ["a"]}))
    assert metric.ready(texts).count(Shard(texts))


def test_nist_weights_are_known_by_a_checksum_of_the_references():
    first = TestSet({"x": ["a", "b"]}, {"r": ["a b", "c"]})
    metric = metrics.create("nist")
    one, same, other = (
        metric.ready(texts) for texts in (first, first.take([1, 0]), TestSet({"x": ["a"]}, {"r": ["a b c"]}))
    )
    assert one.state == same.state != other.state
    assert metric.ready().state is None
    assert "|weights:" in one.signature
    assert one.signature == same.signature != other.signature
    assert metrics.create(one.signature).resolved() == metric.resolved()
    assert one.spec == "nist"


def test_nist_learns_from_a_stream_of_shards():
    """Weights need no more than one shard at a time."""
    texts = TestSet({"x": ["a b c", "b c", "c c"]}, {"r": ["a b", "b c d", "c"], "s": ["a", None, "c c"]})

    class Stream:
        name, references, source, target_language = "stream", texts.references, None, None

        def shards(self, size):
            return (texts[i : i + 1] for i in range(3))

    assert metrics.create("nist").ready(Stream()).state == metrics.create("nist").ready(texts).state


def test_nist_by_hand():
    """Four reference words: a twice (1 bit), b and c once (2 bits); "a b" follows one a of two (1 bit)."""
    corpus, _ = score("nist:max_ngram_order=2", ["a b a c"], ["a b a c"])
    assert corpus == pytest.approx((1 + 2 + 1 + 2) / 4 + (1 + 0 + 1) / 3)
    short, _ = score("nist:max_ngram_order=1", ["a b"], ["a b c"])
    assert short == pytest.approx(math.log2(3) * 0.5)  # two thirds of the length: half the score


@pytest.mark.parametrize("spec", ["bleu", "chrf", "nist", "sentbleu", "length"])
def test_details_hold_numbers_only(spec):
    metric = metrics.create(spec).resolved()
    counts = metric.statistics(TestSet({"x": ["a b c d", "e"]}, {"r": ["a b c e", "e f"]}))["x"]
    details = metric.details(counts.sum(0))
    assert details

    def check(value):
        if isinstance(value, dict):
            return all(map(check, value.values()))
        if isinstance(value, list):
            return all(map(check, value))
        return type(value) in (int, float) and math.isfinite(value)

    assert check(details)


def test_details_of_length_nist_and_sentbleu():
    texts = TestSet({"x": ["a b c d", "e"]}, {"r": ["a b c e", "e f"]})

    def details(spec):
        metric = metrics.create(spec).resolved()
        return metric.details(metric.statistics(texts)["x"].sum(0))

    assert details("length") == {"sys_len": 5, "ref_len": 6}
    assert details("sentbleu:tokenize=none") == {
        "sys_len": 5,
        "ref_len": 6,
        "counts": [4, 2, 1, 0],
        "totals": [5, 3, 2, 1],
        "segments": 2,
    }
    nist = details("nist")
    assert (nist["sys_len"], nist["ref_len"], len(nist["information"])) == (5, 6.0, 5)
    assert nist["penalty"] == pytest.approx(math.exp(-math.log(2) / math.log(1.5) ** 2 * math.log(5 / 6) ** 2))


def test_counts_of_shards_add_up_exactly_for_integers():
    texts = TestSet({"x": ["a b", "c d e", "f"]}, {"r": ["a b", "c d f", "g"]})
    ready = metrics.create("bleu").ready(texts)
    whole = ready.count(Shard(texts))["x"]
    parts = [ready.count(Shard(shard))["x"] for shard in texts.shards(1)]
    assert np.array_equal(np.concatenate(parts), whole)
