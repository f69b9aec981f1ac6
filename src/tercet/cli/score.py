"""`tercet score`: the sacreBLEU command line, for any number of systems and metrics."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..errors import DataError, UnknownName, UsageError
from .annotating import ANNOTATE, annotate, annotating, check_annotation
from .console import Progress
from .inputs import input_options, open_named, read_inputs
from .options import (
    SEED,
    STYLE,
    F,
    ManyValues,
    all_of,
    check_style,
    format_option,
    metrics_option,
    run_options,
    several,
    where,
    width_option,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..data.scores import ScoreList, Scores


class Flag(NamedTuple):
    """A flag that sets a parameter of one metric, or of all metrics that have it except chrF; most are sacreBLEU's."""

    metric: str
    parameter: str
    help: str
    short: str = ""
    switch: bool = False


FLAGS = {  # by the name of the option
    "tokenize": Flag("", "tokenize", "Tokeniser of word metrics: none, 13a, intl, zh, char, moses-LANG, ja-mecab, "
                     "ko-mecab.", "-tok"),
    "lowercase": Flag("", "lowercase", "Ignore case in word metrics.", "-lc", switch=True),
    "smooth_method": Flag("bleu", "smooth_method", "BLEU: exp, floor, add-k or none."),
    "smooth_value": Flag("bleu", "smooth_value", "BLEU: the value of floor or add-k.", "-sv"),
    "chrf_char_order": Flag("chrf", "char_order", "chrF: longest character n-gram.", "-cc"),
    "chrf_word_order": Flag("chrf", "word_order", "chrF: longest word n-gram; 2 is chrF++.", "-cw"),
    "chrf_beta": Flag("chrf", "beta", "chrF: weight of recall."),
    "chrf_whitespace": Flag("chrf", "whitespace", "chrF: keep blanks.", switch=True),
    "chrf_lowercase": Flag("chrf", "lowercase", "chrF: ignore case.", switch=True),
    "chrf_eps_smoothing": Flag("chrf", "eps_smoothing", "chrF: average F as chrF++.py does.", switch=True),
    "ter_normalized": Flag("ter", "normalized", "TER: split off punctuation, as sacreBLEU.", switch=True),
    "ter_no_punct": Flag("ter", "no_punct", "TER: leave out punctuation.", switch=True),
    "ter_asian_support": Flag("ter", "asian_support", "TER: split Asian characters.", switch=True),
    "ter_case_sensitive": Flag("ter", "case_sensitive", "TER: keep case.", switch=True),
    "allow_download": Flag("", "allow_download", "Neural metrics: download models that are not here.", switch=True),
    "trust_pickle": Flag("", "trust_pickle", "Neural metrics: load pickled weights, which can run code.", switch=True),
    "trust_features": Flag("", "trust_features", "Models, saved scores: run code in files that they name.",
                           switch=True),
    "allow_network": Flag("", "allow_network", "Models, saved scores: send texts to services that they name.",
                          switch=True),
    "kb": Flag("", "kb", "KoBE: the knowledge base, a folder that 'tercet kb build' made."),
}  # fmt: skip
INTERVALS = ("confidence", "confidence_n", "confidence_method", "seed")  # options of the intervals


def _option(name: str) -> Callable[[F], F]:
    flag = FLAGS[name]
    names = filter(None, (flag.short, f"--{name.replace('_', '-')}"))
    kind: dict[str, Any] = {"is_flag": True, "default": None} if flag.switch else {}
    return click.option(*names, help=flag.help, **kind)


# -m, and options for parameters, most of them sacreBLEU's, which can also be given in the metric's own string.
metric_options = all_of(
    metrics_option("Metrics, as bleu chrf:word_order=2; 'tercet metrics' lists them. [default: bleu]"),
    *(_option(name) for name in FLAGS if name != "kb"),
)
score_file_options = all_of(
    several(
        "--scores",
        of="[NAME=]FILE",
        help="Scores of other programs (COMET's JSON, WMT's files, a table) to be shown beside the metrics.",
    ),
    several(
        "--lower-is-better",
        of="NAME",
        help="Metrics of --scores whose lower scores are better, where the name does not say it.",
    ),
)


@click.command("score", cls=ManyValues)
@input_options
@several("--systems", of="SYSTEM", help="Only these systems of the test set (-t).")
@score_file_options
@metric_options
@_option("kb")
@format_option(default=None, help="[default: $SACREBLEU_FORMAT or text]")
@STYLE
@width_option("Decimals in tables; JSON, TSV and CSV have them all. [default: 1, more for scores from 0 to 1]")
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
@SEED
@click.option("-sh", "--short", is_flag=True, help="Short signatures.")
@run_options("--paired-jobs")
@ANNOTATE
@click.option("--save", metavar="FILE", help="Keep scores with their counts.")
@several("--merge", of="FILE", help="Add up files written by --save instead of scoring.")
@several("--echo", of="src|ref|docid", help="Print fields of a test set (-t) and stop.")
@click.option("--list", "listing", is_flag=True, help="List the test sets, as 'tercet data list' does.")
@click.option("--download", metavar="NAME", help="Get a test set, as 'tercet data get' does.")
@click.option("--cite", "--citation", is_flag=True, help="How to cite the test set (-t).")
@click.option("-e", "--encoding", default="utf-8", hidden=True)
@click.version_option(None, "-V", "--version", package_name="tercet")
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
    from ..scoring import add_tests
    from . import scoreboard

    options["form"] = options["form"] or _usual_format()
    if _asks_for_data(options):
        return
    _refuse_what_does_not_go_together(options)
    paper = check_style(options)
    if paper and (
        wrong := [name for name in ("sentence_level", "by", "each_reference", "score_only") if options[name]]
    ):
        raise UsageError(f"--style paper is a table of whole systems; leave out --{wrong[0].replace('_', '-')}.")
    check_annotation(options, _scored_files(options))
    if options["each_reference"]:
        click.echo(scoreboard.render_each(_scored_each(options), options))
        return
    scores = _merged(options) if options["merge"] else _scored(options)
    if options["save"] is not None:
        from ..data.score_archive import save_scores  # slow to import

        save_scores(options["save"], scores)
    if annotating(options):
        annotate(options, _scored_files(options)[0], _notes(scores), options["pair"])
    tests = _paired(scores, options)
    if paper:
        from .paperboard import scores_table

        click.echo(scores_table(scores, tests, options).render(options["form"]))
        return
    click.echo(scoreboard.render(add_tests(scores, tests) if tests else scores, options))


def amend(spec: str, options: dict[str, Any]) -> str:
    """Return the metric's string with the parameters that sacreBLEU's flags set; the string's own ones win."""
    from ..metrics import metric_class, take_apart

    if "|" in spec:
        clash = [f"--{option.replace('_', '-')}" for option in FLAGS if options.get(option) is not None]
        if clash:
            raise UsageError(f"{', '.join(clash)}: the signature {spec.partition('|')[0]}|… says it all already.")
        return spec
    name, given = take_apart(spec)
    has = {parameter.name for parameter in metric_class(name).parameters()}
    said = {part.partition("=")[0].strip() for part in given.split(",")}
    parts = [given] if given else []
    if name == "ter" and options.get("ter_normalized") and "variant" not in said:
        parts.append("variant=sacrebleu")  # the flag is sacreBLEU's, and so is its normalising of references twice
    for option, flag in FLAGS.items():
        value = options.get(option)
        if value is None or flag.parameter not in has or flag.parameter in said:
            continue
        # -lc is BLEU's in sacreBLEU: chrF has a flag of its own.
        if name == flag.metric or (not flag.metric and name != "chrf"):
            parts.append(f"{flag.parameter}={str(value).lower() if isinstance(value, bool) else value}")
    return name + (":" + ",".join(parts) if parts else "")


def chosen_metrics(options: dict[str, Any]) -> list[str]:
    """Return the metrics asked for, each once, with the flags' parameters; bleu if nothing else is to be shown."""
    from ..metrics import create

    usual = () if options.get("scores") else ("bleu",)
    amended = [amend(spec, options) for spec in options["metrics"] or usual]
    language = (options.get("pair") or "").partition("-")[2] or None
    return list({create(spec).resolved(language): spec for spec in reversed(amended)}.values())[::-1]


def external(options: dict[str, Any], texts: Any) -> list[Scores]:
    """Return the scores of the files that --scores names."""
    if not options["scores"] and not options["lower_is_better"]:
        return []  # the readers take long to import
    from ..data.stream import split_name
    from ..external import read_external

    found: list[Scores] = []
    for text in options["scores"]:
        name, path = split_name(text)
        found += read_external(path, texts, name=name, lower_is_better=options["lower_is_better"])
    labels = {item.label.lower() for item in found}
    for name in options["lower_is_better"]:
        if name.lower() not in labels:
            raise UsageError(f"--lower-is-better {name}: no file of --scores has it. They have: {', '.join(labels)}.")
    return found


def needs_reference(options: dict[str, Any]) -> bool:
    """Return whether a metric that is asked for reads references."""
    from ..metrics import create

    return any("reference" in create(spec).resolved().needs for spec in chosen_metrics(options))


def _scored(options: dict[str, Any]) -> Sequence[Scores]:
    from ..data.stream import TextFiles
    from ..scoring import score

    specs, texts = chosen_metrics(options), read_inputs(options, needs_reference=needs_reference(options))
    if options["scores"] and isinstance(texts, TextFiles):
        texts = texts.read()  # the number of segments must be known
    others = external(options, texts)
    options["ids"] = segment_ids(texts)
    wanted = ("sentence_level", "confidence", "paired_bs", "paired_ar", "save", "annotate", "in_place")
    asked = [name.replace("_", "-") for name in (*wanted, "by") if options[name]]
    for item in others:
        if asked and not item.segment:
            lacking = f"{item.label}: the file of --scores has system scores only"
            raise DataError(f"{lacking}, and --{asked[0]} needs scores of segments.")
    with Progress("Scoring", quiet=options["quiet"]) as progress:
        scores = score(
            texts,
            specs,
            scores=others,
            keep_counts=any(options[name] for name in wanted),
            by=options["by"],
            progress=progress,
            **where(options),
            **{name: options[name] for name in INTERVALS},
        )
    return scores


def segment_ids(texts: Any) -> Sequence[str] | None:
    """Return the ids that segments have in the user's file, or None."""
    from ..data.testset import TestSet

    ids = texts.labels.get("id") if isinstance(texts, TestSet) else None
    return ids if ids and len(set(ids)) == len(ids) else None


def _scored_files(options: dict[str, Any]) -> list[str]:
    return [*options["outputs"], *([options["test_set"]] if options["test_set"] else [])]


def _notes(scores: Sequence[Scores]) -> dict[str, list[str]]:
    """Return the segment scores as texts, by metric; of several systems, by system and metric."""
    from ..rendering.tables import number

    several = len(scores[0].systems) > 1
    return {
        f"{system} {item.label}" if several else item.label: [
            number(value, item.metric.decimals) for value in item.segment[system].tolist()
        ]
        for system in scores[0].systems
        for item in scores
    }


def _scored_each(options: dict[str, Any]) -> dict[str, ScoreList]:
    """Return scores against all references together, and against each alone."""
    from ..scoring import score, score_each_reference

    alone = ("merge", "save", "paired_bs", "paired_ar", "by", "sentence_level", "score_only", "scores")
    for other in (*alone, "annotate", "in_place"):
        if options[other]:
            raise UsageError(f"--each-reference does not go with --{other.replace('_', '-')}.")
    texts, specs = read_inputs(options, needs_reference=needs_reference(options)), chosen_metrics(options)
    how = where(options) | {name: options[name] for name in INTERVALS}
    return {"all": score(texts, specs, **how), **score_each_reference(texts, specs, **how)}


def _merged(options: dict[str, Any]) -> list[Scores]:
    from ..scoring import add_groups, add_intervals, load, merge

    allowed = {name: bool(options[name]) for name in ("trust_features", "allow_network")}
    scores = merge([load(path, **allowed) for path in options["merge"]])
    if options["by"]:
        scores = add_groups(scores, options["by"])
    if options["confidence"]:
        method, seed = options["confidence_method"], options["seed"]
        scores = add_intervals(scores, resamples=options["confidence_n"], method=method, seed=seed)
    return scores


def _paired(scores: Sequence[Scores], options: dict[str, Any]) -> list[Any] | None:
    """Return comparisons with the first system, one per metric, if a paired test is asked for."""
    from ..scoring import paired_tests

    if not options["paired_bs"] and not options["paired_ar"]:
        return None
    return paired_tests(
        scores,
        test="bootstrap" if options["paired_bs"] else "randomisation",
        resamples=options["paired_bs_n"] if options["paired_bs"] else options["paired_ar_n"],
        seed=options["seed"],
    )


def _usual_format() -> str:
    """What sacreBLEU's users have in their environment, or text."""
    from ..rendering.document import FORMS

    wanted = os.environ.get("SACREBLEU_FORMAT", "").lower()
    return wanted if wanted in FORMS else "text"


def _refuse_what_does_not_go_together(options: dict[str, Any]) -> None:
    if options["encoding"].lower().replace("_", "-") not in ("utf-8", "utf8"):
        raise UsageError(f"-e {options['encoding']}: texts are UTF-8. Convert them with iconv.")
    if options["paired_bs"] and options["paired_ar"]:
        raise UsageError("Choose --paired-bs or --paired-ar; 'tercet compare' does both.")
    if options["save"] == "":
        raise UsageError("--save needs a file's name.")
    tests = [name for name in ("confidence", "paired_bs", "paired_ar") if options[name]]
    parts = [name for name in ("sentence_level", "by") if options[name]]
    if tests and parts and options["form"] != "json":
        raise UsageError(
            f"--{tests[0].replace('_', '-')} is of whole systems, --{parts[0].replace('_', '-')} of their parts: "
            "only -f json shows both."
        )
    if options["score_only"] and (options["paired_bs"] or options["paired_ar"]):
        raise UsageError("-b prints scores alone; leave it out to see the test.")
    if options["score_only"] and options["by"]:
        raise UsageError("-b prints scores of systems alone; leave it out to see those of groups.")
    if options["merge"]:
        texts = ("references", "more_references", "outputs", "source", "test_set", "docs", "metrics", *FLAGS)
        given = [name for name in texts if options[name] not in (None, ())]
        if given:
            raise UsageError(f"--merge adds up saved scores; {given[0].replace('_', ' ')} cannot be given with it.")


def _asks_for_data(options: dict[str, Any]) -> bool:
    """What sacreBLEU's users ask of test sets: fields, the list, a download, a citation."""
    if options["echo"]:
        _echo(options)
        return True
    if options["cite"]:
        _cite(options["test_set"])
        return True
    if not options["listing"] and not options["download"]:
        return False
    from .data import command

    words = ["list"] if options["listing"] else ["get", options["download"]]
    command.main(words, "tercet data", standalone_mode=False)
    return True


def _cite(test_set: str | None) -> None:
    from ..data.catalogue import find

    if not test_set:
        raise UsageError("--cite needs the name of a test set: -t NAME.")
    entry = find(test_set)
    click.echo(entry.citation or f"No citation is known for {test_set}.")


def _echo(options: dict[str, Any]) -> None:
    """Fields of a test set, tab-separated, as sacreBLEU prints them."""
    if not options["test_set"]:
        raise UsageError("--echo prints fields of a test set: name one with -t.")
    testset = open_named(options["test_set"], options["pair"])
    fields: dict[str, Any] = {"src": testset.source, "docid": testset.documents}
    fields |= {f"ref:{name}": lines for name, lines in testset.references.items()}
    fields |= testset.outputs
    if testset.references:
        fields["ref"] = next(iter(testset.references.values()))
    present = {name: lines for name, lines in fields.items() if lines is not None}
    asked = present if options["echo"] == ("all",) else options["echo"]
    for name in asked:
        if name not in present:
            raise UnknownName("field", name, present)
    for row in zip(*(present[name] for name in asked), strict=True):
        click.echo("\t".join(text or "" for text in row))
