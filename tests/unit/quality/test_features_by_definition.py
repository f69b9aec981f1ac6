"""Every feature but those of embeddings against its description: loops and counters, a sentence pair at a time."""

import math
from collections import Counter
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import pytest

from tercet.language.bilingual_alignment import HMM
from tercet.language.frequencies import Frequencies
from tercet.language.kneser_ney import estimate
from tercet.quality.features import all_features, extract
from tercet.quality.resources import Corpora, Resources
from tercet.quality.tokens import tokenise

from ..language.lookups import translations as asked
from .corpus import SOURCES, TARGETS

NAN = math.nan
PAIRS = [
    ("The green cat sees a small dog .", "El gato verde ve un perro pequeño ."),
    ("The cat , the dog and the fish eat : why ?", "¿ Por qué comen el gato , el perro y el pescado ?"),
    (
        'The alien said : " Stop ! " ( twice ) ; we left NATO in 1999 .',
        "El alien dijo «¡ Alto !» (una vez), OTAN 1.999",
    ),
    ("In 12 of 30 houses www.example.org is read", "the the casa casa de la casa de la casa"),
    ("Alien", "gato"),
    ("3 , 4 : 5 .", "3 4 5 ! ! 。"),
    ("The house in the house is green ...", "La casa , en la casa verde [ es ; ( ) } verde …"),
    ("", "El perro come pescado ."),
    ("A small dog eats fish .", ""),
    ("", ""),
]
TAGS = {
    "dog": "NOUN", "cat": "NOUN", "fish": "NOUN", "perro": "NOUN", "gato": "NOUN", "casa": "NOUN", "house": "NOUN",
    "the": "DET", "a": "DET", "el": "DET", "la": "DET", "un": "DET", "is": "AUX", "es": "AUX", "sees": "VERB",
    "ve": "VERB", "come": "VERB", "eat": "VERB", "green": "ADJ", "small": "ADJ", "verde": "ADJ", "in": "ADP",
    "de": "ADP", "en": "ADP", "nato": "PROPN", "otan": "PROPN", "once": "ADV", "why": "ADV", "qué": "PRON",
}  # fmt: skip
CLASSES = {
    "nouns": {"NOUN", "PROPN"}, "verbs": {"VERB", "AUX"}, "pronouns": {"PRON"}, "adjectives": {"ADJ"},
    "adverbs": {"ADV"}, "adpositions": {"ADP"}, "determiners": {"DET"}, "names": {"PROPN"},
}  # fmt: skip
MARKS = {"periods": ".。", "commas": ",", "colons": ":", "semicolons": ";", "question_marks": "?",
         "exclamation_marks": "!"}  # fmt: skip
LIMITS = ("0.01", "0.05", "0.1", "0.2", "0.5")
FUNCTION = {"source": {"the", "a", "in", "of"}, "target": {"el", "la", "un", "de", "en"}}


def shares(values: dict[str, float]) -> Frequencies:
    return Frequencies(tuple(values), (np.arange(len(values)),), (np.array(list(values.values())),), lowercase=True)


LISTED = {
    "source": {"the": 1e-2, "house": 1e-4, "fish": 1e-5, "alien": 5e-7, "casa": 1e-8},
    "target": {"la": 1e-2, "casa": 1e-4, "gato": 1e-7, "the": 1e-4, "alien": 1e-8},
}


def tag(texts: list[str], *_: Any, **__: Any) -> list[list[str]]:
    return [[TAGS.get(word.lower(), "X") for word in text.split()] for text in texts]


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else NAN


def divided(above: float, below: float) -> float:
    return above / below if below else NAN


def lengths(source: list[str], target: list[str]) -> dict[str, float]:
    n, m = len(source), len(target)
    letters = [sum(map(len, side)) for side in (source, target)]
    types = [len({word.lower() for word in side}) for side in (source, target)]
    ttr = [divided(types[0], n), divided(types[1], m)]
    return {
        "source_tokens": n, "target_tokens": m, "source_target_ratio": divided(n, m),
        "target_source_ratio": divided(m, n), "token_difference": divided(abs(n - m), n),
        "source_characters": letters[0], "target_characters": letters[1],
        "target_source_characters": divided(letters[1], letters[0]),
        "character_difference": divided(abs(letters[0] - letters[1]), letters[0]),
        "source_word_length": divided(letters[0], n), "target_word_length": divided(letters[1], m),
        "word_length_ratio": divided(divided(letters[1], m), divided(letters[0], n)) if n else NAN,
        "source_type_token": ttr[0], "target_type_token": ttr[1],
        "type_token_ratio": divided(ttr[1], ttr[0]) if n else NAN, "target_occurrences": divided(m, types[1]),
    }  # fmt: skip


def of_model(name: str, model: Any, line: str) -> dict[str, float]:
    """What the model says of a line, from the number of each word and of the end."""
    scored = model.score([line])
    logs, levels = scored.log10.tolist(), scored.backoff_levels.tolist()[:-1]
    words = logs[:-1]
    some = bool(words)
    return {
        f"{name}_log_probability": sum(logs),
        f"{name}_perplexity": min(10 ** -mean(logs), 1e4) if some else NAN,
        f"{name}_perplexity_without_end": min(10 ** -mean(words), 1e4) if some else NAN,
        f"{name}_log_probability_per_word": mean(words if "backward" in name else logs) if some else NAN,
        f"{name}_backoff_mean": mean(levels),
        f"{name}_backoff_least": min(levels, default=NAN),
        f"{name}_backoff_low": mean([level < 5 for level in levels]),
        f"{name}_backoff_low_words": sum(level < 5 for level in levels) if some else NAN,
        f"{name}_trigrams_matched": mean([matched >= 3 for matched in scored.matched.tolist()[:-1]]),
        f"{name}_least_probable_word": min(words, default=NAN),
        f"{name}_probability_spread": math.sqrt(mean([(log - mean(words)) ** 2 for log in words])) if some else NAN,
        f"{name}_unknown_words": levels.count(1),
        f"{name}_unknown_share": mean([level == 1 for level in levels]),
    }


def counted(side: str, words: list[str], corpus: list[list[str]], listed: dict[str, float]) -> dict[str, float]:
    """How frequent n-grams are: in a corpus, by quartiles, and in a list."""
    found: dict[str, float] = {}
    for n, name in ((1, "unigrams"), (2, "bigrams"), (3, "trigrams")):
        counts = Counter(tuple(line[i : i + n]) for line in corpus for i in range(len(line) - n + 1))
        rising = sorted(counts.values())
        cuts = [rising[q * (len(rising) - 1) // 4] for q in (1, 2, 3, 4)]
        grams = [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
        quartiles = [1 + sum(counts[gram] > cut for cut in cuts) if gram in counts else 0 for gram in grams]
        for q in (1, 2, 3, 4):
            found[f"{side}_{name}_quartile_{q}"] = mean([each == q for each in quartiles])
        found[f"{side}_{name}_seen"] = mean([each > 0 for each in quartiles])
        if n == 1:
            found[f"{side}_log_count"] = mean([math.log10(1 + counts[gram]) for gram in grams])
    logs = [math.log10(listed.get(word, 1e-9)) for word in words if any(map(str.isalpha, word))]
    found |= {
        f"{side}_log_frequency": mean(logs),
        f"{side}_least_log_frequency": min(logs, default=NAN),
        f"{side}_rare_share": mean([log < -6 for log in logs]),
        f"{side}_unlisted_share": mean([log == -9 for log in logs]),
    }
    return found


def translations(words: list[str], table: Any, corpus: list[list[str]]) -> dict[str, float]:
    counts = Counter(word for line in corpus for word in line)
    found = {}
    for limit in LIMITS:
        numbers = [len(asked(table, word, above=float(limit))) for word in words]
        part = [counts[word] / counts.total() for word in words]
        name = f"translations_above_{limit}"
        found[name] = mean(numbers)
        found[f"{name}_by_frequency"] = mean([n * p for n, p in zip(numbers, part, strict=True)])
        inverse = [n / (1e6 * p) if p else 0.0 for n, p in zip(numbers, part, strict=True)]
        found[f"{name}_by_inverse_frequency"] = mean(inverse)
    return found


def is_number(token: str) -> bool:
    return token[0].isdigit()  # as all that begins so here is one


def is_mark(token: str) -> bool:
    return not any(map(str.isalnum, token))


def classes(source: list[str], target: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    latin, content = [], []
    for side, tokens in (("source", source), ("target", target)):
        found[f"{side}_numbers"] = mean([is_number(token) for token in tokens])
        latin.append(mean([token.isascii() and token.isalpha() for token in tokens]))
        found[f"{side}_not_latin"] = 1 - latin[-1]
        function = [token.lower() in FUNCTION[side] for token in tokens]
        found[f"{side}_function"] = mean(function)
        rest = [not is_mark(t) and not is_number(t) and not known for t, known in zip(tokens, function, strict=True)]
        content.append(mean(rest))
        found[f"{side}_content"] = content[-1]
        found[f"{side}_mark_share"] = mean([is_mark(token) for token in tokens])
        found[f"{side}_capitalised"] = mean([token[0].isupper() for token in tokens])
    found["latin_ratio"] = min((latin[0] + 1e-3) / (latin[1] + 1e-3), 10) if source and target else NAN
    found["content_ratio"] = min((content[0] + 1e-3) / (content[1] + 1e-3), 10) if source and target else NAN
    capitals = [mean([len(token) > 1 and token.isupper() for token in tokens]) for tokens in (source, target)]
    found["capitals_difference"] = abs(capitals[0] - capitals[1])
    return found


def mismatches(source: list[str], target: list[str]) -> dict[str, float]:
    kinds = MARKS | {"brackets": "()[]{}", "quotes": "\"«»'", "marks": ".。,:;?!¿¡"}
    found: dict[str, float] = {}
    for kind, characters in kinds.items():
        counts = [sum(token in list(characters) for token in tokens) for tokens in (source, target)]
        found[f"{kind}_difference"] = abs(counts[0] - counts[1])
        found[f"{kind}_difference_share"] = divided(abs(counts[0] - counts[1]), len(target))
    found["source_marks"], found["target_marks"] = counts  # the last kind
    numbers = [sum(map(is_number, tokens)) for tokens in (source, target)]
    found["numbers_difference"] = abs(numbers[0] - numbers[1])
    found["numbers_difference_share"] = divided(abs(numbers[0] - numbers[1]), len(target))
    return found


def repetitions(words: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for n, name in ((2, "bigrams"), (3, "trigrams")):
        grams = [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
        found[f"target_repeated_{name}"] = mean([gram in grams[:at] for at, gram in enumerate(grams)])
    found["target_stutters"] = sum(a == b and a.isalpha() for a, b in pairwise(words))
    return found


def alignments(source: list[str], target: list[str], forward: HMM, backward: HMM) -> dict[str, float]:
    """From the place of each word on the other side, by both models."""
    (there,), (back,) = forward.align([source], [target]), backward.align([target], [source])
    links = {(i, j) for j, i in enumerate(there) if i >= 0} | {(i, j) for i, j in enumerate(back) if j >= 0}
    targets, sources = Counter(i for i, _ in links), Counter(j for _, j in links)
    kinds = [(targets[i] > 1, sources[j] > 1) for i, j in links]
    jumps = [b - a for a, b in pairwise([i for i in there if i >= 0])]
    free = [i not in targets for i in range(len(source))]
    gaps = [len(list(run)) for is_free, run in groupby(free) if is_free]
    log, back_log = (
        float(forward.log_probabilities([source], [target])[0]) / math.log(10),
        float(backward.log_probabilities([target], [source])[0]) / math.log(10),
    )
    lexical = float(forward.table.log_probabilities([source], [target])[0]) / math.log(10)
    back_lexical = float(backward.table.log_probabilities([target], [source])[0]) / math.log(10)
    return {
        "alignment_log_probability": log, "alignment_log_probability_back": back_log,
        "alignment_score": divided(log, len(target)), "alignment_score_back": divided(back_log, len(source)),
        "lexical_score": divided(lexical, len(target)), "lexical_score_back": divided(back_lexical, len(source)),
        "links_one_to_one": mean([kind == (False, False) for kind in kinds]),
        "links_one_to_many": mean([kind == (True, False) for kind in kinds]),
        "links_many_to_one": mean([kind == (False, True) for kind in kinds]),
        "links_many_to_many": mean([kind == (True, True) for kind in kinds]),
        "links_agreed": mean([i >= 0 and back[i] == j for j, i in enumerate(there)]),
        "source_unaligned": mean(list(map(float, free))),
        "target_unaligned": mean([j not in sources for j in range(len(target))]),
        "target_from_nothing": mean([i < 0 for i in there]), "source_to_nothing": mean([j < 0 for j in back]),
        "source_longest_gap": divided(max(gaps, default=0), len(source)),
        "links_forward": mean([jump == 1 for jump in jumps]), "links_crossing": mean([jump < 0 for jump in jumps]),
        "links_jump": mean([abs(jump - 1) for jump in jumps]),
        "largest_fertility": max(Counter(i for i in there if i >= 0).values(), default=0),
    }  # fmt: skip


def tagged(source: str, target: str) -> dict[str, float]:
    found = {}
    for name, wanted in CLASSES.items():
        both = [mean([each in wanted for each in tag([text])[0]]) for text in (source, target)]
        found[f"source_{name}"], found[f"target_{name}"] = both
        found[f"{name}_ratio"] = min((both[1] + 0.01) / (both[0] + 0.01), 10)
    return found


# What is told apart by hand: with each pair, in the order of PAIRS.
BY_HAND = {
    "target_open_brackets": [0, 0, 0, 0, 0, 0, 2, 0, 0, 0],
    "target_open_quotes": [0] * 10,
    "copied_words": [0, 0, 1 / 7, 0, 0, NAN, 0, 0, NAN, NAN],
    "copied_lower_words": [0, 0, 1 / 4, 0, 0, NAN, 0, 0, NAN, NAN],
    "shared_numbers": [NAN, NAN, 1, 0, NAN, 1, NAN, NAN, NAN, NAN],
    "kept_names": [NAN, NAN, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN],
    "kept_addresses": [NAN, NAN, NAN, 0, NAN, NAN, NAN, NAN, NAN, NAN],
    "same_first_case": [1, 1, 1, 0, 0, 1, 1, 0, 0, 1],
    "same_last_mark": [1, 1, 0, 1, 1, 1, 1, 0, 0, 1],
    "target_is_source": [0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    "target_foreign_share": [0, 0, 1 / 7, 2 / 10, 0, NAN, 0, 0, NAN, NAN],
}


@pytest.fixture(scope="module")
def resources() -> Resources:
    estimated = Corpora(("en", "es"), parallel=(SOURCES, TARGETS)).estimate()
    return Resources(
        "en", "es", estimated.source_lm, estimated.target_lm, estimated.source_lm_backward,
        estimated.target_lm_backward, estimated.source_frequencies, estimated.target_frequencies,
        shares(LISTED["source"]), shares(LISTED["target"]), frozenset(FUNCTION["source"]),
        frozenset(FUNCTION["target"]), estimated.aligner, "fake", "fake",
        estimate([" ".join(line) for line in tag(SOURCES)]), estimate([" ".join(line) for line in tag(TARGETS)]),
    )  # fmt: skip


def expected(source: str, target: str, resources: Resources) -> dict[str, float]:
    (first,), (second,) = tokenise([source], "en"), tokenise([target], "es")
    words = {"source": [token.lower() for token in first], "target": [token.lower() for token in second]}
    aligner = resources.aligner
    assert aligner is not None
    found = lengths(first, second) | classes(first, second) | mismatches(first, second) | repetitions(words["target"])
    found |= tagged(source, target) | alignments(words["source"], words["target"], aligner.forward, aligner.backward)
    for side, text, texts in (("source", source, SOURCES), ("target", target, TARGETS)):
        corpus = [line.lower().split() for line in texts]
        found |= counted(side, words[side], corpus, LISTED[side])
        found |= of_model(side, getattr(resources, f"{side}_lm"), " ".join(words[side]))
        backward = " ".join(words[side][::-1])
        found |= of_model(f"{side}_backward", getattr(resources, f"{side}_lm_backward"), backward)
        found |= of_model(f"{side}_tags", getattr(resources, f"{side}_tags_lm"), " ".join(tag([text])[0]))
        if side == "source":
            found |= translations(words[side], aligner.forward.table, corpus)
    per_word = [found[f"{side}_log_probability_per_word"] for side in ("target", "source")]
    found["log_probability_difference"] = per_word[0] - per_word[1]
    found["log_frequency_difference"] = found["target_log_frequency"] - found["source_log_frequency"]
    return found


def test_every_feature_is_what_its_description_says(resources: Resources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.quality.features.pairs.tags", tag)
    table = extract([pair[0] for pair in PAIRS], [pair[1] for pair in PAIRS], resources)
    assert len(table.names) == len(all_features()) - 68  # without embeddings and the network
    wanted = [expected(*pair, resources) for pair in PAIRS]
    neutral = {one.name: one.neutral for one in all_features()}
    for place, name in enumerate(table.names):
        column = BY_HAND[name] if name in BY_HAND else [row[name] for row in wanted]
        column = [neutral[name] if math.isnan(value) else value for value in column]
        assert table.values[:, place].tolist() == pytest.approx(column, abs=1e-9), name
