"""`tercet score`: the sacreBLEU command line, for any number of systems and metrics."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from .inputs import input_options
from .options import ManyValues

if TYPE_CHECKING:
    from ..data.scores import Scores

# sacreBLEU's flags for parameters of metrics: option -> (metrics it concerns, or all that have it, parameter)
FLAGS = {
    "tokenize": ((), "tokenize"),
    "lowercase": ((), "lowercase"),
    "smooth_method": (("bleu",), "smooth_method"),
    "smooth_value": (("bleu",), "smooth_value"),
    "chrf_char_order": (("chrf",), "char_order"),
    "chrf_word_order": (("chrf",), "word_order"),
    "chrf_beta": (("chrf",), "beta"),
    "chrf_whitespace": (("chrf",), "whitespace"),
    "chrf_lowercase": (("chrf",), "lowercase"),
    "chrf_eps_smoothing": (("chrf",), "eps_smoothing"),
}
FORMATS = ("text", "json", "latex", "markdown", "tsv", "csv")


def metric_flags(function: Any) -> Any:
    """sacreBLEU's options for BLEU and chrF; the same can be said in the metric's own string."""
    for decorate in reversed(
        (
            click.option(
                "-tok",
                "--tokenize",
                help="Tokeniser of word metrics: none, 13a, intl, zh, char, moses-LANG, ja-mecab, ko-mecab.",
            ),
            click.option("-lc", "--lowercase", is_flag=True, default=None, help="Ignore case in word metrics."),
            click.option("--smooth-method", help="BLEU: exp, floor, add-k or none."),
            click.option("-sv", "--smooth-value", help="BLEU: the value of floor or add-k."),
            click.option("-cc", "--chrf-char-order", help="chrF: longest character n-gram."),
            click.option("-cw", "--chrf-word-order", help="chrF: longest word n-gram; 2 is chrF++."),
            click.option("--chrf-beta", help="chrF: weight of recall."),
            click.option("--chrf-whitespace", is_flag=True, default=None, help="chrF: keep blanks."),
            click.option("--chrf-lowercase", is_flag=True, default=None, help="chrF: ignore case."),
            click.option("--chrf-eps-smoothing", is_flag=True, default=None, help="chrF: average F as chrF++.py does."),
        )
    ):
        function = decorate(function)
    return function


@click.command("score", cls=ManyValues)
@input_options
@click.option(
    "-m",
    "--metrics",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC...",
    help="Metrics, as bleu chrf:word_order=2; 'tercet metrics' lists them. [default: bleu]",
)
@metric_flags
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("-w", "--width", default=1, show_default=True, help="Decimals in tables and text; JSON has them all.")
@click.option("-b", "--score-only", is_flag=True, help="Print the scores alone.")
@click.option("-sl", "--sentence-level", is_flag=True, help="Score every segment.")
@click.option("--documents", "by", flag_value="document", help="Score every document; the same as --by document.")
@click.option("--by", metavar="GROUP", help="Score groups of segments: document, length, or a label such as domain.")
@click.option("--each-reference", is_flag=True, help="Score against each reference alone too; a post-edit gives HTER.")
@click.option("-ci", "--confidence", is_flag=True, help="Add 95 % bootstrap intervals.")
@click.option("-cin", "--confidence-n", default=1000, show_default=True, help="Resamples for the intervals.")
@click.option("--confidence-method", type=click.Choice(["percentile", "bca"]), default="percentile", show_default=True)
@click.option("-pbs", "--paired-bs", is_flag=True, help="Test against the first system by paired bootstrap.")
@click.option("-par", "--paired-ar", is_flag=True, help="Test against the first system by approximate randomisation.")
@click.option("-pbsn", "--paired-bs-n", default=1000, show_default=True)
@click.option("-parn", "--paired-ar-n", default=10000, show_default=True)
@click.option("--seed", type=int, help="Seed of all that is drawn. [default: $SACREBLEU_SEED or 12345]")
@click.option("-sh", "--short", is_flag=True, help="Short signatures.")
@click.option("-q", "--quiet", is_flag=True, help="No warnings, no progress.")
@click.option("-j", "--jobs", "--paired-jobs", default=1, show_default=True, help="Processes; 0 for all cores.")
@click.option("--cluster", metavar="ADDRESS", help="Count on a Dask cluster, as tcp://scheduler:8786.")
@click.option("--cache", metavar="DIR", help="Keep finished counts here, so that a killed run goes on.")
@click.option("--save", metavar="FILE", help="Keep scores with their counts.")
@click.option("--merge", multiple=True, metavar="FILE...", help="Add up files written by --save instead of scoring.")
@click.option("--echo", multiple=True, metavar="src|ref|docid...", help="Print fields of a test set (-t) and stop.")
@click.option("-nc", "--no-color", is_flag=True, hidden=True)
@click.option("--force", is_flag=True, hidden=True)
def command(**options: Any) -> None:
    """Score outputs against references: sacreBLEU's numbers and flags, any number of systems and metrics.

    \b
    tercet score ref.txt -i out.txt
    tercet score ref.txt -i a.txt b.txt -m bleu chrf:word_order=2 --confidence
    tercet score -t DIR -l en-de -m bleu -f json
    cat out.txt | tercet score ref.txt -b
    """  # fmt: skip
    from . import scoreboard
    from .console import hush

    if options["quiet"]:
        hush()
    if options["echo"]:
        _echo(options)
        return
    if options["each_reference"]:
        click.echo(scoreboard.render_each(_scored_each(options), options))
        return
    scores = _merged(options) if options["merge"] else _scored(options)
    tests = _paired(scores, options)
    click.echo(scoreboard.render(scores, tests, options))


def amend(spec: str, options: dict[str, Any]) -> str:
    """The metric's string with what sacreBLEU's flags say of it; what the string itself says goes before."""
    from dataclasses import fields

    from ..metrics import metric_class

    if "|" in spec:
        return spec
    name, _, given = spec.partition(":")
    has = {f.name for f in fields(metric_class(name.strip().lower()))}
    said = {part.partition("=")[0].strip() for part in given.split(",")}
    parts = [given] if given else []
    for option, (concerned, parameter) in FLAGS.items():
        value = options.get(option)
        if value is None or parameter not in has or parameter in said:
            continue
        # -lc is BLEU's in sacreBLEU: chrF has a flag of its own.
        if name in concerned or (not concerned and name != "chrf"):
            parts.append(f"{parameter}={str(value).lower() if isinstance(value, bool) else value}")
    return name + (":" + ",".join(parts) if parts else "")


def chosen_metrics(options: dict[str, Any]) -> list[str]:
    """The metrics asked for, each once, with the flags' parameters."""
    return list(dict.fromkeys(amend(spec, options) for spec in options["metrics"] or ("bleu",)))


def seed_of(options: dict[str, Any]) -> int:
    """--seed, else what sacreBLEU's users have in their environment, else 12345."""
    from ..errors import UsageError

    if options["seed"] is not None:
        return int(options["seed"])
    given = os.environ.get("SACREBLEU_SEED", "12345")
    if not given.isdigit():
        raise UsageError(f"SACREBLEU_SEED is {given!r}; a whole number is needed.")
    return int(given)


def texts_of(options: dict[str, Any]) -> Any:
    """The texts that the options name."""
    from .inputs import read_inputs

    names = ("references", "more_references", "outputs", "source", "test_set", "pair", "num_refs", "docs")
    return read_inputs(**{name: options[name] for name in names}, needs_reference=_needs_reference(options))


def _needs_reference(options: dict[str, Any]) -> bool:
    from ..metrics import create

    return any("reference" in create(spec).needs for spec in chosen_metrics(options))


def _scored(options: dict[str, Any]) -> list[Scores]:
    from ..scoring import score
    from .console import Progress

    specs = chosen_metrics(options)
    wanted = ("sentence_level", "confidence", "paired_bs", "paired_ar", "save")
    with Progress("Scoring", quiet=options["quiet"]) as progress:
        scores = score(
            texts_of(options),
            specs,
            jobs=options["jobs"],
            cluster=options["cluster"],
            cache=options["cache"],
            keep_counts=any(options[name] for name in wanted),
            by=options["by"],
            confidence=options["confidence"],
            confidence_n=options["confidence_n"],
            confidence_method=options["confidence_method"],
            seed=seed_of(options),
            progress=progress,
        )
    if options["save"]:
        from ..data.saved import save_scores

        save_scores(options["save"], scores)
    return scores


def _scored_each(options: dict[str, Any]) -> dict[str, list[Scores]]:
    """Scores against all references together, and against each alone."""
    from ..errors import UsageError
    from ..scoring import score, score_each_reference

    for other in ("merge", "save", "paired_bs", "paired_ar", "by", "sentence_level", "score_only"):
        if options[other]:
            raise UsageError(f"--each-reference does not go with --{other.replace('_', '-')}.")
    texts, specs = texts_of(options), chosen_metrics(options)
    where: dict[str, Any] = {name: options[name] for name in ("jobs", "cluster", "cache", "confidence", "confidence_n")}
    where |= {"confidence_method": options["confidence_method"], "seed": seed_of(options)}
    return {"all": score(texts, specs, **where), **score_each_reference(texts, specs, **where)}


def _merged(options: dict[str, Any]) -> list[Scores]:
    from ..data.saved import load_scores, save_scores
    from ..errors import UsageError
    from ..scoring import add_intervals, merge

    if options["outputs"] or options["references"] or options["test_set"]:
        raise UsageError("--merge adds up saved scores; texts cannot be given with it.")
    scores = merge([load_scores(path) for path in options["merge"]])
    if options["confidence"]:
        scores = add_intervals(
            scores,
            resamples=options["confidence_n"],
            method=options["confidence_method"],
            seed=seed_of(options),
        )
    if options["save"]:
        save_scores(options["save"], scores)
    return scores


def _paired(scores: list[Scores], options: dict[str, Any]) -> list[Any] | None:
    """Comparisons with the first system, one per metric, if a paired test is asked for."""
    from ..errors import UsageError

    if not options["paired_bs"] and not options["paired_ar"]:
        return None
    from ..metrics import create
    from ..stats import compare_all

    if options["paired_bs"] and options["paired_ar"]:
        raise UsageError("Choose --paired-bs or --paired-ar; 'tercet compare' does both.")
    if len(scores[0].systems) < 2:
        raise UsageError("A paired test needs two systems or more; the first is the baseline.")
    return [
        compare_all(
            create(item.metric).score,
            item.cube,
            test="bootstrap" if options["paired_bs"] else "randomisation",
            resamples=options["paired_bs_n"] if options["paired_bs"] else options["paired_ar_n"],
            interval_resamples=options["confidence_n"],
            seed=seed_of(options),
            baseline=0,
        )
        for item in scores
    ]


def _echo(options: dict[str, Any]) -> None:
    """Fields of a test set, tab-separated, as sacreBLEU prints them."""
    from ..errors import UnknownName, UsageError
    from .inputs import read_inputs

    if not options["test_set"]:
        raise UsageError("--echo prints fields of a test set: name one with -t.")
    testset = read_inputs(test_set=options["test_set"], pair=options["pair"])
    fields: dict[str, Any] = {"src": testset.source, "docid": testset.documents}
    fields |= {f"ref:{name}": lines for name, lines in testset.references.items()}
    fields |= testset.outputs
    if testset.references:
        fields["ref"] = next(iter(testset.references.values()))
    present = {name: lines for name, lines in fields.items() if lines is not None}
    for name in options["echo"]:
        if name not in present:
            raise UnknownName("field", name, present)
    for row in zip(*(present[name] for name in options["echo"]), strict=True):
        click.echo("\t".join(text or "" for text in row))
