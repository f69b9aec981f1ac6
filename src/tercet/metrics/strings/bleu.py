"""BLEU: clipped n-gram precision with a brevity penalty.

Papineni et al. (2002), "BLEU: a Method for Automatic Evaluation of Machine Translation", ACL. variant=sacrebleu equals
sacreBLEU 2.6 (0 to 100); variant=mteval equals mteval-v13a.pl (0 to 1; ignores case by default), whose smoothing and
treatment of short segments differ (Post 2018, "A Call for Clarity…", WMT). variant=sacrebleu-1.3.6 equals the version
behind the WMT19 metrics task: it smooths even where nothing matches, and its intl tokeniser splits at punctuation next
to fractions and superscripts. smooth_method=cc1 to cc7 are the techniques of Chen and Cherry (2014).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np

from ...errors import UsageError
from ...text.coding import Words
from ...text.rules import INTL_136
from ...text.tokenisers import MODELS, check_tokeniser, find_piece_model, lower, piece_model, pieces, tokenise
from .. import Floats
from .._parameters import CASE, param
from . import NgramMetric

METHODS = tuple(f"cc{number}" for number in range(1, 8))  # see `SMOOTHED`
ONE_ORDER_MORE = ("cc5", "cc7")  # methods that read n-grams one word longer than the longest
SMOOTHING = {"exp": None, "floor": 0.1, "add-k": 1.0, "none": None} | dict.fromkeys(METHODS)  # with default values
VARIANTS = {"mteval": "mteval13a", "sacrebleu": "sacrebleu2.6", "sacrebleu-1.3.6": "sacrebleu1.3.6"}
TOKENISERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}  # by language of the outputs, as sacreBLEU chooses
LOG_ZERO = -9999999999.0  # sacreBLEU's logarithm of zero


def _check_tokeniser(name: str) -> None:
    if name != "spm" and name not in MODELS:
        check_tokeniser(name)


@dataclass(frozen=True)
class BLEU(NgramMetric):
    """BLEU of sacreBLEU (default) or of mteval-v13a.

    tokenize: none, 13a, intl, zh, char, moses-LANG, ja-mecab, ko-mecab; for spBLEU spm with a SentencePiece model, or
    flores101 and flores200, whose models are data sets.
    model: the SentencePiece model of tokenize=spm, a file or a data set.
    lowercase: by default no; with variant=mteval yes, as that program does.
    smooth_method, smooth_value: exp, floor, add-k or none; the value is for floor (0.1) and add-k (1). cc1 to cc7 are
    the seven techniques of Chen and Cherry (2014), as in NLTK.
    max_ngram_order: the longest n-gram.
    effective_order: whether orders that a text is too short for are left out. By default this is done for segments
    and not for corpora, as the sacrebleu command does.
    """

    tokenize: str = param(check=_check_tokeniser, key="tok", file=piece_model, checksum="spm")
    lowercase: bool = param(key="case", words=CASE)
    smooth_method: str = param("exp", choices=SMOOTHING, key="smooth")
    smooth_value: float | None = param(low=0, key="")
    max_ngram_order: int = param(4, low=1, high=100, key="order", quiet=True)
    effective_order: bool | None = param(key="")
    variant: str = param("sacrebleu", choices=VARIANTS, quiet=True)
    model: str | None = param(file=find_piece_model, checksum="spm")

    paper = "Papineni et al. (2002), BLEU: a Method for Automatic Evaluation of Machine Translation"
    signature_order = ("case", "eff", "tok", "smooth", "segeff", "order", "variant", "model", "spm")

    def validate(self) -> None:
        if self.tokenize == "spm" and self.model is None:
            raise UsageError(
                "bleu: tokenize=spm needs model=FILE, a SentencePiece model. The spm of sacreBLEU is flores101 here."
            )
        if self.model is not None and self.tokenize != "spm":
            raise UsageError("bleu: model goes with tokenize=spm.")
        if self.smooth_value is not None and SMOOTHING[self.smooth_method] is None:
            raise UsageError(f"bleu: smooth_value goes with floor and add-k, not with {self.smooth_method}.")
        if self.smooth_method in METHODS and self.effective_order is not None:
            raise UsageError(f"bleu: smooth_method={self.smooth_method} uses all orders; leave effective_order out.")
        if self.variant == "sacrebleu":
            return
        if self.smooth_method not in ("exp", "none"):
            raise UsageError(f"bleu: variant {self.variant} smooths by exp or none, not {self.smooth_method}.")
        if self.tokenize not in (None, "13a", "intl"):
            raise UsageError(f"bleu: variant {self.variant} tokenises by 13a or intl, not {self.tokenize}.")
        if self.variant == "mteval" and self.effective_order is not None:
            raise UsageError("bleu: variant mteval has no effective_order.")

    def defaults(self, language: str | None) -> Mapping[str, Any]:
        by_language = TOKENISERS if self.variant == "sacrebleu" else {}
        return {
            "tokenize": by_language.get(language or "", "13a"),
            "lowercase": self.variant == "mteval",
            "smooth_value": SMOOTHING[self.smooth_method],
        }

    @property
    def compatible(self) -> str:
        return "nltk3" if self.smooth_method in METHODS else VARIANTS[self.variant]

    @property
    def orders(self) -> int:
        """Return how many orders of n-grams are counted."""
        return self.max_ngram_order + (self.smooth_method in ONE_ORDER_MORE)

    def signature_items(self) -> dict[str, str]:
        """Return sacreBLEU's items: it writes the smoothing value in brackets, and eff for corpora only."""
        items = {**super().signature_items(), "eff": "yes" if self.effective_order else "no"}
        if self.smooth_value is not None:
            text = f"{self.smooth_value:.2f}"
            # sacreBLEU prints two digits; more are written where the value needs them.
            items["smooth"] += f"[{text if float(text) == self.smooth_value else repr(self.smooth_value)}]"
        if self.effective_order is False:
            items["segeff"] = "no"
        return {key: items[key] for key in self.signature_order if key in items}

    @classmethod
    def from_signature(cls, label: str, items: Mapping[str, str]) -> Self:
        method, _, value = items.get("smooth", "exp").partition("[")
        effective = {"yes": True, "no": False if items.get("segeff") == "no" else None}
        return replace(
            super().from_signature(label, {**items, "smooth": method}),
            smooth_value=float(value.rstrip("]")) if value else None,
            effective_order=effective[items.get("eff", "no")],
        )

    def words(self, texts: Sequence[str]) -> Words:
        if self.variant == "mteval":
            return tokenise(texts, f"mteval-{self.tokenize}" + ("-lc" if self.lowercase else ""))
        if self.lowercase:
            texts = lower(texts)
        if self.variant == "sacrebleu-1.3.6" and self.tokenize == "intl":
            return INTL_136.words(texts)
        model = find_piece_model(self.model) if self.model else piece_model(self.tokenize)
        return tokenise(texts, self.tokenize) if model is None else pieces(texts, model)

    def for_segments(self) -> Self:
        left_open = self.effective_order is None and self.variant != "mteval" and self.smooth_method not in METHODS
        return replace(self, effective_order=True) if left_open else self

    @property
    def decimals(self) -> int:
        return 3 if self.variant == "mteval" else 1

    def score(self, totals: Floats) -> Floats:
        counts = np.ascontiguousarray(np.moveaxis(totals, -1, 0))  # because steps over a short last axis are slow
        length, closest, matches = counts[0], counts[1], counts[2 : 2 + self.max_ngram_order]
        precisions, reached = self._precisions(counts)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            penalty = np.where(length < closest, np.exp(1 - closest / length), 1.0)
            if self.variant == "mteval":
                # An order without n-grams counts as log 1; the sum is still divided by the number of orders.
                logs = np.log(np.where(reached, precisions / 100, 1.0))
                logs = np.where(np.isneginf(logs), LOG_ZERO, logs)
                # Without smoothing the score is 0 if an order has no match or no n-grams.
                any_match = (matches > 0).all(0) if self.smooth_method == "none" else length > 0
                order: Any = self.max_ngram_order
            elif self.smooth_method in METHODS:
                logs = np.where(precisions > 0, np.log(precisions), np.log(100.0))  # NLTK leaves out what is 0
                any_match, order = matches[0] > 0, self.max_ngram_order
            else:
                logs = np.where(precisions > 0, np.log(precisions), LOG_ZERO)
                any_match = length > 0 if self.variant == "sacrebleu-1.3.6" else matches.any(0)
                order = self.max_ngram_order
                if self.effective_order:
                    order = np.maximum(reached.sum(0), 1)
                    logs = np.where(reached, logs, 0.0)
            total = np.zeros(totals.shape[:-1])
            for log in logs:  # one by one, in the order of the published programs
                total = total + log
            return np.where(any_match, penalty * np.exp(total / order), 0.0)

    def _precisions(self, counts: Floats) -> tuple[Floats, Any]:
        """Return smoothed precisions in percent and which orders have n-grams, shape (max_ngram_order, ...) each."""
        n, orders = self.max_ngram_order, self.orders
        correct, total = counts[2 : 2 + orders], counts[2 + orders :]
        if self.smooth_method in METHODS:
            precisions = 100.0 * SMOOTHED[self.smooth_method](correct, total, counts[0])[:n]
            return precisions, np.ones(precisions.shape, dtype=bool)
        if self.smooth_method != "add-k" and correct.all():  # nothing to smooth: corpora and their resamples
            return 100.0 * correct / total, np.ones(correct.shape, dtype=bool)
        if self.smooth_method == "add-k":
            correct, total = correct.copy(), total.copy()
            correct[1:] += self.smooth_value or 0.0
            total[1:] += self.smooth_value or 0.0
        reached = np.logical_and.accumulate(total > 0, axis=0)
        missed = reached & (correct == 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            precisions = np.where(reached, 100.0 * correct / total, 0.0)
            if self.smooth_method == "exp":
                halved = np.cumprod(np.where(missed, 2.0, 1.0), axis=0).astype(total.dtype)
                precisions = np.where(missed, 100.0 / (halved * total), precisions)
            elif self.smooth_method == "floor":
                precisions = np.where(missed, 100.0 * (self.smooth_value or 0.0) / total, precisions)
        return precisions, reached

    def details(self, totals: Floats) -> dict[str, Any]:
        n = self.max_ngram_order
        length, closest = float(totals[0]), float(totals[1])
        precisions, _ = self._precisions(totals)
        if not totals[2 : 2 + n].any() and self.variant == "sacrebleu":
            precisions = np.zeros(n)
        penalty = 1.0 if length >= closest else float(np.exp(1 - closest / length)) if length else 0.0
        return {
            "precisions": precisions.tolist(),
            "bp": penalty,
            "ratio": length / closest if closest else 0.0,
            "sys_len": int(length),
            "ref_len": int(closest),
            "counts": totals[2 : 2 + n].astype(int).tolist(),
            "totals": totals[2 + self.orders :][:n].astype(int).tolist(),
        }

    def verbose(self, totals: Floats) -> str:
        parts = self.details(totals)
        precisions = "/".join(f"{p:.1f}" for p in parts["precisions"])
        return (
            f"{precisions} (BP = {parts['bp']:.3f} ratio = {parts['ratio']:.3f} "
            f"hyp_len = {parts['sys_len']} ref_len = {parts['ref_len']})"
        )


# The seven smoothing techniques of Chen and Cherry (2014), "A Systematic Comparison of Smoothing Techniques for
# Sentence-Level BLEU", WMT, with the numbers of NLTK 3.10. Where NLTK reads the paper differently, NLTK is followed:
# its method 4 halves the added count for each order without a match, and its method 5 averages precisions, where the
# paper averages counts. Matches and totals may have one order more.
EPSILON = 0.1  # method 1
K = 5  # method 4
ALPHA = 5  # method 6


def _plain(matches: Floats, totals: Floats) -> Floats:
    return np.asarray(matches / np.maximum(totals, 1))


def _epsilon(matches: Floats, totals: Floats, length: Floats) -> Floats:
    return _plain(np.where(matches == 0, EPSILON, matches), totals)


def _add_one(matches: Floats, totals: Floats, length: Floats) -> Floats:
    added = np.concatenate([np.zeros_like(matches[:1]), np.ones_like(matches[1:])])
    return _plain(matches + added, np.maximum(totals, 1) + added)


def _halved(matches: Floats, totals: Floats, length: Floats) -> Floats:
    return _plain(np.where(matches == 0, 1 / _doubled(matches), matches), totals)


def _halved_by_length(matches: Floats, totals: Floats, length: Floats) -> Floats:
    added = np.log(np.maximum(length, 1)) / (K * _doubled(matches))  # 0 for an output of one word
    return _plain(np.where(matches == 0, added, matches), totals)


def _doubled(matches: Floats) -> Floats:
    """Return 2 to the power of the orders without a match so far."""
    return np.asarray(np.cumprod(np.where(matches == 0, 2.0, 1.0), axis=0), dtype=np.float64)


def _averaged(precisions: Floats) -> Floats:
    """Return the mean of each order's precision, the smoothed one before it and the next one; the last is left out."""
    result, before = [], precisions[0] + 1
    for own, following in pairwise(precisions):
        before = (before + own + following) / 3
        result.append(before)
    return np.stack(result)


def _average(matches: Floats, totals: Floats, length: Floats) -> Floats:
    return _averaged(_plain(matches, totals))


def _interpolated(matches: Floats, totals: Floats, length: Floats) -> Floats:
    result = list(_plain(matches, totals)[:2])
    for own, total in zip(matches[2:], totals[2:], strict=True):
        earlier, last = result[-2:]
        prior = np.divide(last**2, earlier, out=np.zeros_like(last), where=earlier > 0)
        result.append((own + ALPHA * prior) / (total + ALPHA))
    return np.stack(result)


def _halved_and_averaged(matches: Floats, totals: Floats, length: Floats) -> Floats:
    halved = _halved_by_length(matches[:-1], totals[:-1], length)
    return _averaged(np.concatenate([halved, _plain(matches, totals)[-1:]]))


SMOOTHED: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "cc1": _epsilon,
    "cc2": _add_one,
    "cc3": _halved,
    "cc4": _halved_by_length,
    "cc5": _average,
    "cc6": _interpolated,
    "cc7": _halved_and_averaged,
}
