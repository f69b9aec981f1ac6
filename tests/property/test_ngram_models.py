"""Language models on random texts: they are distributions, and those that Chen and Goodman define."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.language.arpa import read_arpa, write_arpa
from tercet.language.kneser_ney import estimate, estimate_discounts

sentences = st.lists(st.lists(st.sampled_from("aaabbcde"), max_size=9).map(" ".join), min_size=1, max_size=12).filter(
    lambda lines: any(lines)
)
histories = st.lists(st.lists(st.sampled_from("aabcdex"), max_size=5).map(" ".join), min_size=1, max_size=4)
prunings = st.lists(st.integers(0, 2), max_size=4).map(lambda rest: (0, *sorted(rest)))
options = st.tuples(st.integers(1, 6), prunings, st.integers(1, 3)).map(
    lambda drawn: {"order": drawn[0], "prune": drawn[1][: drawn[0]], "min_count": drawn[2]}
)


@given(sentences, histories, options)
def test_probabilities_sum_to_one_over_the_vocabulary(text, contexts, how):
    model = estimate(text, **how)
    words = ["<unk>", *model.words[3:]]
    for history in contexts:
        scored = model.score([f"{history} {word}" for word in words])
        after = 10 ** scored.log10[scored.offsets[1:] - 2]
        end = 10 ** model.score([history]).log10[-1]
        assert after.sum() + end == pytest.approx(1, abs=1e-9)


def test_probabilities_sum_to_one_in_a_larger_text():
    random = np.random.default_rng(5)
    weights = 1 / np.arange(1, 801)
    drawn = random.choice(800, 20000, p=weights / weights.sum()).astype(str)
    text = [" ".join(line) for line in np.split(drawn, 1000)]
    model = estimate(text, order=3, prune=(0, 0, 1), min_count=2)
    words = ["<unk>", *model.words[3:]]
    for start in random.integers(0, 19990, 20).tolist():
        history = " ".join(drawn[start : start + 3])
        scored = model.score([f"{history} {word}" for word in words])
        total = (10 ** scored.log10[scored.offsets[1:] - 2]).sum() + 10 ** model.score([history]).log10[-1]
        assert total == pytest.approx(1, abs=1e-9)


class Slow:
    """Interpolated modified Kneser-Ney from its definition: dictionaries, recursion, no tree."""

    def __init__(self, text, order, prune, min_count):
        self.order = order
        lines = [line.split() for line in text if line.split()]
        words = Counter(word for line in lines for word in line)
        self.known = {word for word, count in words.items() if count >= min_count}
        lines = [["<s>", *(word if word in self.known else "<unk>" for word in line), "</s>"] for line in lines]
        self.size = len(self.known) + 2  # with <unk> and </s>
        self.raw = Counter(
            tuple(line[i : i + n]) for n in range(1, order + 1) for line in lines for i in range(len(line) - n + 1)
        )
        before = defaultdict(set)
        for gram in self.raw:
            before[gram[1:]].add(gram[0])
        self.counts = {
            gram: raw if len(gram) == order or gram[0] == "<s>" else len(before[gram])
            for gram, raw in self.raw.items()
            if gram != ("<s>",)
        }
        self.prune = [*prune, *[(prune or (0,))[-1]] * (order - len(prune))]
        self.discounts = [
            estimate_discounts(np.array([c for gram, c in self.counts.items() if len(gram) == n])).values
            for n in range(1, order + 1)
        ]

    def taken(self, gram):
        """What is taken from an n-gram for those that were not seen: a discount, or all if it is pruned."""
        count = self.counts[gram]
        if self.raw[gram] <= self.prune[len(gram) - 1]:
            return count
        return self.discounts[len(gram) - 1][min(count, 3) - 1]

    def probability(self, history, word):
        shorter = 1 / self.size if not history else None
        if history:
            shorter = self.probability(history[1:], word)
        seen = {gram: c for gram, c in self.counts.items() if gram[:-1] == history}
        if not seen:
            return shorter
        total = sum(seen.values())
        gram = (*history, word)
        own = seen[gram] - self.taken(gram) if gram in seen else 0
        return (own + sum(map(self.taken, seen)) * shorter) / total


@settings(max_examples=60)
@given(sentences, histories, options)
def test_models_are_those_of_the_definition(text, lines, how):
    model, slow = estimate(text, **how), Slow(text, **how)
    expected = []
    for line in lines:
        words = ["<s>", *(word if word in slow.known else "<unk>" for word in line.split()), "</s>"]
        for i in range(1, len(words)):
            expected.append(slow.probability(tuple(words[max(0, i - slow.order + 1) : i]), words[i]))
    assert 10 ** model.score(lines).log10 == pytest.approx(np.array(expected), abs=1e-12)


@settings(max_examples=40)
@given(sentences, options)
def test_a_model_survives_its_file(tmp_path_factory, text, how):
    path = tmp_path_factory.mktemp("arpa") / "m.arpa"
    model = estimate(text, **how)
    write_arpa(model, path)
    assert read_arpa(path).checksum == model.checksum == estimate(text[::-1], **how).checksum


@settings(max_examples=30)
@given(sentences, histories, options.filter(lambda how: how["order"] > 1))
def test_kenlm_reads_what_we_write(tmp_path_factory, text, lines, how):
    pytest.importorskip("kenlm")
    from tercet.language.ngram_models import KenlmModel

    path = tmp_path_factory.mktemp("arpa") / "m.arpa"
    model = estimate(text, **how)
    write_arpa(model, path)
    theirs, ours = KenlmModel(path).score(lines), model.score(lines)
    assert ours.log10 == pytest.approx(theirs.log10, abs=1e-5)
    assert ours.backoff_levels.tolist() == theirs.backoff_levels.tolist()
