"""`compute`: scores in the form of Hugging Face evaluate, for code that was written for it.

A metric that evaluate knows takes its keyword arguments and returns its dictionary. Numbers are those of evaluate for
sacrebleu, bleu, chrf, ter, wer and cer; character, comet, bertscore and bleurt have its keys and our numbers. Any other
name is one of `tercet metrics`: its dictionary has the score under the metric's name, and "scores" of segments.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .data.scores import Scores
from .data.testset import TestSet, as_list, name_references
from .errors import UsageError
from .metrics import create, names
from .scoring import score
from .text.tokenisers import tokenise


class _Form(NamedTuple):
    """How evaluate has a metric: ours, our names of its arguments, and what it returns of the scores.

    An argument without a name of ours is for the result.
    """

    spec: str
    arguments: Mapping[str, str]
    result: Callable[[Scores, TestSet, Mapping[str, Any]], Any]


def compute(
    metric: str = "sacrebleu", *, predictions: Sequence[str], references: Any = None,
    sources: Sequence[str] | None = None, **arguments: Any,
) -> Any:  # fmt: skip
    """Compute a metric as `evaluate.load(metric).compute(...)` does, without a download.

    Parameters
    ----------
    metric : sacrebleu, bleu, chrf, ter, wer, cer, character, comet, bertscore, bleurt, or a metric of `tercet metrics`.
    predictions : one output per segment.
    references : one reference per segment, or a list of references for each segment.
    sources : the source texts, for metrics that read them.
    arguments : those of evaluate, such as `lowercase=True`; of other metrics their parameters.

    Returns
    -------
    A dictionary as evaluate returns it; for wer and cer a number.

    Examples
    --------
    >>> import tercet
    >>> found = tercet.compute("chrf", predictions=["the cat sat"], references=[["the cat sat down"]])
    >>> round(found["score"], 2), found["beta"]
    (66.02, 2)
    """
    if isinstance(predictions, str):
        raise UsageError(f"predictions must be a list of texts, as [{predictions[:30]!r}], not a single text.")
    outputs = as_list(predictions)
    named = references
    if references is None:
        named = {}
    elif not isinstance(references, Mapping):
        named = name_references(references, len(outputs), square="segments")
    pair = f"und-{language}" if (language := arguments.pop("lang", None)) else None
    testset = TestSet({"output": outputs}, named, sources, pair=pair)
    form = FORMS.get(metric)
    if form is None:
        form = _Form(metric, {}, lambda found, *_: {metric: _system(found), "scores": _segments(found)})
        if metric not in names():
            create(metric)  # the error names the nearest
    given = {name: value for name, value in arguments.items() if value is not None and name not in IGNORED}
    if unknown := [name for name in given if form.arguments and name not in form.arguments]:
        raise UsageError(f"{metric} has no argument {unknown[0]!r}. It has: {', '.join(form.arguments)}.")
    ours = {form.arguments.get(name, name): value for name, value in given.items()}
    ours = {name: str(value).lower() if isinstance(value, bool) else value for name, value in ours.items() if name}
    words = [f"{name}={value}" for name, value in ours.items()]
    name, colon, stated = form.spec.partition(":")
    spec = ",".join(filter(None, [stated, *words]))
    (found,) = score(testset, f"{name}:{spec}" if colon or words else name)
    return form.result(found, testset, given)


def _system(found: Scores) -> float:
    return found.system["output"]


def _segments(found: Scores) -> list[float]:
    return [float(value) for value in found.segment["output"]]


def _parts(*keys: str) -> Callable[..., dict[str, Any]]:
    """Return a function that returns the score and these details of the corpus."""

    def result(found: Scores, *_: object) -> dict[str, Any]:
        parts = found.metric.details(found.totals["output"])
        return {"score": _system(found)} | {key: parts[key] for key in keys}

    return result


def _chrf(found: Scores, *_: object) -> dict[str, Any]:
    metric = found.metric.metric  # type: ignore[attr-defined]
    return {
        "score": _system(found), "char_order": metric.char_order, "word_order": metric.word_order,
        "beta": int(metric.beta) if metric.beta == int(metric.beta) else metric.beta,
    }  # fmt: skip


def _bleu(found: Scores, testset: TestSet, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return evaluate's BLEU, 0 to 1: the penalty goes by the shortest reference of each segment, and smooth adds 1."""
    parts = found.metric.details(found.totals["output"])
    texts = [[text for text in row if text is not None] for row in zip(*testset.references.values(), strict=True)]
    lengths = iter(np.diff(tokenise([text for row in texts for text in row], "13a").offsets).tolist())
    shortest = sum(min(next(lengths) for _ in row) for row in texts)
    more, counts = int(bool(given.get("smooth"))), zip(parts["counts"], parts["totals"], strict=True)
    precisions = [(match + more) / (total + more) if total + more else 0.0 for match, total in counts]
    ratio = parts["sys_len"] / shortest if shortest else 0.0
    penalty = 1.0 if ratio > 1 else float(np.exp(1 - 1 / ratio)) if ratio else 0.0
    mean = float(np.exp(np.log(precisions).mean())) if min(precisions) > 0 else 0.0
    return {
        "bleu": mean * penalty, "precisions": precisions, "brevity_penalty": penalty, "length_ratio": ratio,
        "translation_length": parts["sys_len"], "reference_length": shortest,
    }  # fmt: skip


def _bertscore(found: Scores, *_: object) -> dict[str, Any]:
    extras = found.metric.extras(found.counts["output"])
    parts = {name: [float(value) for value in extras[name]] for name in ("precision", "recall")}
    return parts | {"f1": _segments(found), "hashcode": found.signature}


IGNORED = {"force", "batch_size", "nthreads", "verbose", "progress_bar", "gpus", "concatenate_texts", "return_average"}
_BLEU = {
    "smooth_method": "smooth_method", "smooth_value": "smooth_value", "lowercase": "lowercase", "tokenize": "tokenize",
    "use_effective_order": "effective_order",
}  # fmt: skip
_TER = {
    "normalized": "normalized", "ignore_punct": "no_punct", "support_zh_ja_chars": "asian_support",
    "case_sensitive": "case_sensitive",
}  # fmt: skip
_CHRF = {name: name for name in ("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing")}
FORMS = {
    "sacrebleu": _Form("bleu", _BLEU, _parts("counts", "totals", "precisions", "bp", "sys_len", "ref_len")),
    "bleu": _Form("bleu", {"max_order": "max_ngram_order", "smooth": ""}, _bleu),
    "chrf": _Form("chrf", _CHRF, _chrf),
    "ter": _Form("ter:variant=sacrebleu", _TER, _parts("num_edits", "ref_length")),
    "wer": _Form("wer:variant=jiwer", {}, lambda found, *_: _system(found)),
    "cer": _Form("cer", {}, lambda found, *_: _system(found)),
    "character": _Form(
        "character", {}, lambda found, *_: {"cer_score": _system(found), "cer_scores": _segments(found)}
    ),
    "comet": _Form("comet", {}, lambda found, *_: {"mean_score": _system(found), "scores": _segments(found)}),
    "bertscore": _Form("bertscore", {}, _bertscore),
    "bleurt": _Form("bleurt", {}, lambda found, *_: {"scores": _segments(found)}),
}
