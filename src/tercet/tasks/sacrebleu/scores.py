"""The scores of `tercet sacrebleu`, counted by the metrics of this package."""

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
from .arguments import Stop, say

BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}  # tokenisers
SIGNED = {"ja-mecab": "ja-mecab-0.996-IPA", "ko-mecab": "ko-mecab-0.996/ko-0.9.2-KO", "spm": "flores101"}
MODELS = {
    "flores101": "sacrebleu_tokenizer_spm.model",
    "flores200": "flores200sacrebleuspm",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}


@dataclass(frozen=True)
class Counted:
    """A metric that is asked for, and its counts by system. tokeniser: its name in signatures."""

    name: str
    metric: Ready
    tokeniser: str
    counts: list[Floats]

    def score(self, system: int = 0) -> float:
        return float(self.metric.score(self.counts[system].sum(0)))

    def verbose(self, counts: Floats) -> str:
        return self.metric.verbose(counts) if self.name == "bleu" else ""


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
        [only] = found
        items = output.signature(only.name, args, len(references), only.tokeniser)
        values = only.metric.segment_scores(only.counts[0]).tolist()
        for value, counts in zip(values, only.counts[0], strict=True):
            yield output.line(only.name, args, items, value, only.verbose(counts))
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
    if name != "bleu":  # all its flags begin with its name
        given = {key.removeprefix(f"{name}_"): value for key, value in vars(args).items() if key.startswith(f"{name}_")}
        return create(_spec(name, given | ({"variant": "sacrebleu"} if name == "ter" else {}))), ""
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


def _spec(name: str, given: Mapping[str, object]) -> str:
    values = {key: str(value).lower() if isinstance(value, bool) else value for key, value in given.items()}
    return f"{name}:" + ",".join(f"{key}={value}" for key, value in values.items())


def _counted(
    made: Mapping[str, tuple[Metric, str]],
    systems: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    jobs: int,
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


def _one_system(args: Namespace, found: Sequence[Counted], references: int) -> str:
    lines = []
    for each in sorted(found, key=lambda counted: counted.name):
        ci, run = None, {}
        if args.confidence and args.confidence_n > 1:
            ci = resampling.interval(each.metric.metric, each.counts[0], args.confidence_n)
            run = {"bs": args.confidence_n, "seed": str(resampling.seed()).lower()}
        items = output.signature(each.name, args, references, each.tokeniser, **run)
        verbose = each.verbose(each.counts[0].sum(0))
        lines.append(output.line(each.name, args, items, each.score(), verbose, ci))
    return output.together(lines, args)


def _several_systems(args: Namespace, found: Sequence[Counted], names: Sequence[str], references: int) -> str:
    columns: dict[str, Sequence[Any]] = {"System": names}
    signatures, run = {}, {}
    paired = args.paired_bs or args.paired_ar
    if args.paired_bs:
        test, times = resampling.paired_bootstrap, args.paired_bs_n or 1000
    else:
        test, times = resampling.paired_randomisation, args.paired_ar_n or 10000
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
    args: Namespace, made: Mapping[str, tuple[Metric, str]], system: Sequence[str], references: Sequence[Sequence[str]]
) -> Iterator[str]:
    """Yield scores by original language, and by the domain and country of documents."""
    sets = args.test_set.split(",") if args.test_set else []
    named = (test_sets.fields(name, args.langpair).get("origlang", ()) for name in sets)
    languages = {args.origlang} if args.origlang else set().union(*named)
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
            kind = subset or "ALL"
            kind = kind.replace(":", "=", 1) if kind.startswith("country:") else f"domain={kind}"
            scores = [each.score() for each in _counted(made, [outputs], others, 1)]
            rows[f"origlang={language} {kind}"] = len(outputs), scores
    titles = [output.label(name, args) for name in made]
    left, right = max(map(len, rows)) + 1, max(map(len, titles))
    for key, (segments, values) in rows.items():
        for title, value in zip(titles, values, strict=True):
            yield f"{key:<{left}}: sentences={segments:<6} {title:<{right}} = {value:.{args.width}f}"
