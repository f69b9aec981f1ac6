"""The scores of `tercet sacrebleu`, counted by the metrics of this package."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.testset import TestSet
from ...engine import count, open_executor
from ...metrics import Metric, Ready, create
from ...types import Floats
from . import output, resampling, test_sets, texts
from .stopping import Stop, say

BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}  # tokenisers
SIGNED = {"ja-mecab": "ja-mecab-0.996-IPA", "ko-mecab": "ko-mecab-0.996/ko-0.9.2-KO", "spm": "flores101"}
MODELS = {
    "flores101": "sacrebleu_tokenizer_spm.model",
    "flores200": "flores200sacrebleuspm",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}


@dataclass(frozen=True)
class Counted:
    """A metric that is asked for, and its counts: an array per system, one row per segment.

    tokeniser: its name in signatures.
    """

    name: str
    metric: Ready
    tokeniser: str
    counts: list[Floats]

    def score(self, system: int = 0) -> float:
        return float(self.metric.score(self.counts[system].sum(0)))


def scored(args: Namespace) -> Iterator[str]:
    """Yield the output for the texts that are given."""
    all_references, named = texts.references(args), texts.systems(args)
    texts.check_systems(args, len(named))
    sets = args.test_set.split(",") if args.test_set else []
    kept = texts.kept(args, sets, [*named.values(), *all_references])
    systems, references = kept[: len(named)], kept[len(named) :]
    texts.check_lengths(args, systems, references)
    made = {name: _metric(name, args) for name in args.metrics}
    texts.warn(args, systems)
    found = _counted(made, systems, references, args.paired_jobs)
    if args.sentence_level:
        yield from _segments(args, found[0], len(references))
        return
    if args.detail and args.format == "json":
        args.format = "text"
    if len(named) == 1:
        yield _one_system(args, found, len(references))
        if args.detail:
            yield from _details(args, made, next(iter(named.values())), all_references)
    else:
        say(args, *([] if args.quiet else [f"Found {len(named)} systems."]))
        yield _several_systems(args, found, list(named), len(references))


def _metric(name: str, args: Namespace) -> tuple[Metric, str]:
    """Return a metric as the arguments say, and the name that signatures have for its tokeniser."""
    if name == "chrf":
        given: dict[str, Any] = {
            key: getattr(args, f"chrf_{key}")
            for key in ("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing")
        }
        return create(_spec(name, given)), ""
    if name == "ter":
        keys = ("normalized", "no_punct", "asian_support", "case_sensitive")
        return create(_spec(name, {"variant": "sacrebleu"} | {key: getattr(args, f"ter_{key}") for key in keys})), ""
    target = args.langpair.split("-")[1] if args.langpair else ""
    tokeniser = args.tokenize or BY_LANGUAGE.get(target, "13a")
    if args.tokenize and BY_LANGUAGE.get(target, tokeniser) != tokeniser:
        language = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean"}[target]
        say(args, f"Consider using the {BY_LANGUAGE[target]!r} or 'spm' tokenizer for {language}.")
    signed = SIGNED.get(tokeniser, tokeniser)
    given = {"lowercase": args.lowercase, "smooth_method": args.smooth_method, "tokenize": tokeniser}
    if signed in MODELS:
        model = test_sets.folder() / "models" / MODELS[signed]
        if model.is_file():
            given |= {"tokenize": "spm", "model": model}
        elif signed == "spBLEU-1K":
            raise Stop(f"The model of spBLEU-1K is not here, and Tercet downloads nothing here: {model} is missing.")
        else:
            given["tokenize"] = signed  # a data set of that name
    if args.smooth_method in output.SMOOTHING and args.smooth_value is not None:
        given["smooth_value"] = args.smooth_value
    return create(_spec(name, given)), signed


def _spec(name: str, given: Mapping[str, Any]) -> str:
    values = {key: str(value).lower() if isinstance(value, bool) else value for key, value in given.items()}
    return f"{name}:" + ",".join(f"{key}={value}" for key, value in values.items())


def _counted(
    made: Mapping[str, tuple[Metric, str]], systems: Sequence[Sequence[str]], references: Any, jobs: int
) -> list[Counted]:
    """Count systems by all metrics. Empty references are texts like others here."""
    testset = TestSet(
        {str(i): list(lines) for i, lines in enumerate(systems)},
        {str(i): list(lines) for i, lines in enumerate(references)},
    )
    ready = [metric.ready(testset) for metric, _ in made.values()]
    parts: list[list[list[Floats]]] = [[[] for _ in systems] for _ in ready]
    with open_executor(max(jobs, 0)) as executor:
        for which, _, counts in count(testset, ready, executor=executor):
            for found, system in zip(parts[which], counts.values(), strict=True):
                found.append(system)
    return [
        Counted(name, metric, tokeniser, [np.concatenate(each) for each in found])
        for (name, (_, tokeniser)), metric, found in zip(made.items(), ready, parts, strict=True)
    ]


def _segments(args: Namespace, found: Counted, references: int) -> Iterator[str]:
    items = output.signature(found.name, args, references, found.tokeniser)
    values = found.metric.segment_scores(found.counts[0]).tolist()
    for value, counts in zip(values, found.counts[0], strict=True):
        verbose = found.metric.verbose(counts) if found.name == "bleu" else ""
        yield output.line(found.name, args, items, value, verbose)


def _one_system(args: Namespace, found: Sequence[Counted], references: int) -> str:
    lines = []
    for each in sorted(found, key=lambda counted: counted.name):
        ci, run = None, {}
        if args.confidence and args.confidence_n > 1:
            ci = resampling.interval(each.metric.metric, each.counts[0], args.confidence_n)
            run = {"bs": args.confidence_n, "seed": str(resampling.seed()).lower()}
        items = output.signature(each.name, args, references, each.tokeniser, **run)
        verbose = each.metric.verbose(each.counts[0].sum(0)) if each.name == "bleu" else ""
        lines.append(output.line(each.name, args, items, each.score(), verbose, ci))
    return output.together(lines, args)


def _several_systems(args: Namespace, found: Sequence[Counted], names: Sequence[str], references: int) -> str:
    columns: dict[str, Sequence[Any]] = {"System": names}
    signatures, run = {}, {}
    paired = args.paired_bs or args.paired_ar
    test = resampling.paired_bootstrap if args.paired_bs else resampling.paired_randomisation
    times = (args.paired_bs_n or 1000) if args.paired_bs else (args.paired_ar_n or 10000)
    if paired:
        run = {"bs" if args.paired_bs else "ar": times, "seed": str(resampling.seed()).lower()}
    else:
        found = sorted(found, key=lambda counted: counted.name)
    for each in found:
        items = output.signature(each.name, args, references, each.tokeniser, **run)
        title = output.label(each.name, args)
        signatures[title] = output.written(each.name, items, short=args.short)
        if paired:
            columns[title] = test(each.metric.metric, each.counts, times)
        else:
            columns[title] = [f"{each.score(i):.{args.width}f}" for i in range(len(names))]
    return output.several(columns, signatures, args)


def _details(
    args: Namespace, made: Mapping[str, tuple[Metric, str]], system: Sequence[str], references: Any
) -> Iterator[str]:
    """Yield scores by original language, and by the domain and country of documents."""
    sets = args.test_set.split(",") if args.test_set else []
    languages = {args.origlang} if args.origlang else {
        each for name in sets for each in test_sets.fields(name, args.langpair).get("origlang", ())
    }  # fmt: skip
    if not languages:
        yield "No subset information found. Consider using --origlang argument."
        return
    found = {subset for name in sets for subset in test_sets.subsets(name, args.langpair)}
    chosen = [args.subset] if args.subset else sorted(found)
    rows: dict[str, tuple[int, list[float]]] = {}
    for language in sorted(languages):
        for subset in [None, *chosen]:
            kept = test_sets.kept(sets, args.langpair, language, subset)
            outputs, *others = texts.chosen([system, *references], kept)
            if not outputs:
                continue
            kind = "domain=ALL" if subset is None else f"domain={subset}"
            kind = subset.replace(":", "=", 1) if subset and subset.startswith("country:") else kind
            scores = [each.score() for each in _counted(made, [outputs], others, 1)]
            rows[f"origlang={language} {kind}"] = len(outputs), scores
    titles = [output.label(name, args) for name in made]
    left, right = max(map(len, rows)) + 1, max(map(len, titles))
    for key, (segments, values) in rows.items():
        for title, value in zip(titles, values, strict=True):
            yield f"{key:<{left}}: sentences={segments:<6} {title:<{right}} = {value:.{args.width}f}"
