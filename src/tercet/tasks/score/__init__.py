"""`tercet score`: the sacreBLEU command line, for any number of systems and metrics. Its function is in `scoring`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import DataError, UnknownName, UsageError
from ...options import again, command, declared, shell_option
from ...options.groups import FORMS, Annotation, Decimals, MetricChoice, OtherScores, Scoring, Server, Style, Texts

if TYPE_CHECKING:
    from ...data.scores import ScoreList, Scores
    from ...data.stream import TextFiles
    from ...data.testset import TestSet
    from ...stats import Comparisons


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(Server, Scoring, Annotation, Style, Decimals, OtherScores, MetricChoice, Texts):
    """Options of `score`. Without a form it is that of $SACREBLEU_FORMAT."""

    systems: Sequence[str] = shell_option(
        (), "--systems", metavar="SYSTEM", several=True, help="Only these systems of the test set (-t)."
    )
    kb: str | None = shell_option(None, "--kb", help="KoBE: the knowledge base, a folder that 'tercet kb build' made.")
    form: str = again(Style, "form", help="Output format. [default: $SACREBLEU_FORMAT or text]")
    width: int | None = again(
        Decimals, "width",
        help="Decimals in tables; JSON, TSV and CSV have them all. [default: 1, more for scores from 0 to 1]",
    )  # fmt: skip
    jobs: int = again(Scoring, "jobs", 1, flags=("-j", "--jobs", "--paired-jobs"))
    score_only: bool = shell_option(False, "-b", "--score-only", help="Print the scores alone.")
    sentence_level: bool = shell_option(False, "-sl", "--sentence-level", help="Score every segment.")
    each_reference: bool = shell_option(
        False, "--each-reference", help="Score against each reference alone too; a post-edit gives HTER."
    )
    paired_bs: bool = shell_option(
        False, "-pbs", "--paired-bs", help="Test against the first system by paired bootstrap."
    )
    paired_ar: bool = shell_option(
        False, "-par", "--paired-ar", help="Test against the first system by approximate randomisation."
    )
    paired_bs_n: int = shell_option(1000, "-pbsn", "--paired-bs-n")
    paired_ar_n: int = shell_option(10000, "-parn", "--paired-ar-n")
    short: bool = shell_option(False, "-sh", "--short", help="Short signatures.")
    save: str | None = shell_option(None, "--save", metavar="FILE", help="Keep scores with their counts.")
    track: str | None = shell_option(
        None, "--track", metavar="DATABASE", recorded=False,
        help="Add the scores to this history: a file, or postgresql://…; see 'tercet track'.",
    )  # fmt: skip
    track_system: str | None = shell_option(
        None, "--system", metavar="NAME", help="--track: the system's name there. [default: as in the results]"
    )
    tags: Sequence[str] = shell_option(
        (), "--tag", metavar="NAME=VALUE", help="--track: a fact about the run, as commit=1a2b3c. Repeat for more."
    )
    keep_texts: bool = shell_option(False, "--keep-texts", help="--track: keep the texts, and not only checksums.")
    merge: Sequence[str] = shell_option(
        (), "--merge", metavar="FILE", several=True, help="Add up files written by --save instead of scoring."
    )
    echo: Sequence[str] = shell_option(
        (), "--echo", metavar="src|ref|docid", several=True, help="Print fields of a test set (-t) and stop."
    )
    listing: bool = shell_option(False, "--list", help="List the test sets, as 'tercet data list' does.")
    download: str | None = shell_option(
        None, "--download", metavar="NAME", help="Get a test set, as 'tercet data get' does."
    )
    cite: bool = shell_option(False, "--cite", "--citation", help="How to cite the test set (-t).")
    version: bool = shell_option(False, "-V", "--version", help="Show the version and exit.")
    encoding: str = shell_option("utf-8", "-e", "--encoding", hidden=True)
    no_color: bool = shell_option(False, "-nc", "--no-color", hidden=True)
    force: bool = shell_option(False, "--force", hidden=True)

    def check(self) -> None:
        if self.form is None:
            usual = os.environ.get("SACREBLEU_FORMAT", "").lower()  # what sacreBLEU's users have in their environment
            object.__setattr__(self, "form", usual if usual in FORMS else "text")
        super().check()


@command(ScoreOptions)
def run(options: ScoreOptions) -> None:
    """Score outputs against references: sacreBLEU's numbers and flags, any number of systems and metrics.

    \b
    tercet score ref.txt -i out.txt
    tercet score ref.txt -i a.txt b.txt -m bleu chrf:word_order=2 --confidence
    tercet score -t DIR -l en-de -m bleu -f json
    cat out.txt | tercet score ref.txt -b
    """
    import click

    from ...scoring import add_tests
    from . import board

    if _asks_for_data(options):
        return
    _refuse_what_does_not_go_together(options)
    if options.annotating:
        from ..shared.annotation import check_annotation

        checksum = check_annotation(options, _scored_files(options))
    if options.each_reference:
        click.echo(board.render_each(_scored_each(options), options))
        return
    scores, texts = (_merged(options), None) if options.merge else _scored(options)
    ids = segment_ids(texts)
    if options.track is not None:
        _track(options, scores, texts)
    if options.save is not None:
        from ...data.score_archive import save_scores  # slow to import

        save_scores(options.save, scores)
    if options.annotating:
        from ..shared.annotation import annotate

        annotate(
            options, _scored_files(options)[0], _notes(scores),
            checksum=checksum, pair=options.pair, columns=options.columns, quiet=options.quiet,
        )  # fmt: skip
    tests = _paired(scores, options)
    if options.style == "paper":
        from ..shared.paper import scores_table

        table = scores_table(scores, tests, options.width, intervals=bool(options.confidence))
        click.echo(table.render(options.form))
        return
    click.echo(board.render(add_tests(scores, tests) if tests else scores, options, ids))


def _scored(options: ScoreOptions) -> tuple[Sequence[Scores], TestSet | TextFiles]:
    """Return the scores, and the texts: a test set, or files that are read piece by piece."""
    from ...cli.console import Progress
    from ...data.stream import TextFiles
    from ...scoring import score
    from ..shared.metrics import chosen_metrics, needs_reference, other_scores
    from ..shared.texts import read_inputs

    specs, texts = chosen_metrics(options), read_inputs(options, needs_reference=needs_reference(options))
    if (options.score_files or options.track or options.server) and isinstance(texts, TextFiles):
        texts = texts.read()  # the number of segments, or checksums, must be known
    others = other_scores(options, texts)
    if options.server is not None:
        from ...client import Client

        specs, others = [], [*Client(options.server, options.token).counted(texts, specs), *others]
    wanted = ("sentence_level", "confidence", "paired_bs", "paired_ar", "save", "annotate", "in_place")
    asked = [name for name in (*wanted, "by") if getattr(options, name)]
    for item in others:
        if asked and not item.segment:
            lacking = f"{item.label}: the file of --scores has system scores only"
            raise DataError(f"{lacking}, and `{asked[0]}` needs scores of segments.")
    keep = any(getattr(options, name) for name in (*wanted, "track"))
    with Progress("Scoring", quiet=options.quiet) as progress:
        given = options.python(Scoring, scores=others, keep_counts=keep, progress=progress)
        return score(texts, specs, **given), texts


def _track(options: ScoreOptions, scores: Sequence[Scores], texts: TestSet | TextFiles | None) -> None:
    import click

    from ...data.testset import TestSet
    from ..track import read_tags
    from ..track.history import track

    tags, history = read_tags(options.tags), track(str(options.track))
    given = texts if isinstance(texts, TestSet) else None
    made = history.add(scores, given, system=options.track_system, tags=tags, keep_texts=options.keep_texts)
    if not options.quiet:
        click.echo(f"Added run{'s' * (len(made) > 1)} {', '.join(map(str, made))} to {history.name}.", err=True)


def segment_ids(texts: TestSet | TextFiles | None) -> Sequence[str] | None:
    """Return the ids that segments have in the user's file, or None."""
    from ...data.testset import TestSet

    ids = texts.labels.get("id") if isinstance(texts, TestSet) else None
    return ids if ids and len(set(ids)) == len(ids) else None


def _scored_files(options: ScoreOptions) -> list[str]:
    return [*options.outputs, *([options.test_set] if options.test_set else [])]


def _notes(scores: Sequence[Scores]) -> dict[str, list[str]]:
    """Return the segment scores as texts, by metric; of several systems, by system and metric."""
    from ...rendering.tables import number

    several = len(scores[0].systems) > 1
    return {
        f"{system} {item.label}" if several else item.label: [
            number(value, item.metric.decimals) for value in item.segment[system].tolist()
        ]
        for system in scores[0].systems
        for item in scores
    }


def _scored_each(options: ScoreOptions) -> dict[str, ScoreList]:
    """Return scores against all references together, and against each alone."""
    from ...scoring import score, score_each_reference
    from ..shared.metrics import chosen_metrics, needs_reference
    from ..shared.texts import read_inputs

    alone = ("server", "merge", "save", "paired_bs", "paired_ar", "by", "sentence_level", "score_only", "score_files")
    for other in (*alone, "annotate", "in_place"):
        if getattr(options, other):
            raise UsageError(f"--each-reference does not go with `{other}`.")
    texts, specs = read_inputs(options, needs_reference=needs_reference(options)), chosen_metrics(options)
    how = options.python(Scoring)
    return {"all": score(texts, specs, **how), **score_each_reference(texts, specs, **how)}


def _merged(options: ScoreOptions) -> list[Scores]:
    from ...scoring import add_groups, add_intervals, load, merge

    trusted, online = bool(options.trust_features), bool(options.allow_network)
    scores = merge([load(path, trust_features=trusted, allow_network=online) for path in options.merge])
    if options.by:
        scores = add_groups(scores, options.by)
    if options.confidence:
        method, seed = options.confidence_method, options.seed
        scores = add_intervals(scores, resamples=options.confidence_n, method=method, seed=seed)
    return scores


def _paired(scores: Sequence[Scores], options: ScoreOptions) -> list[Comparisons] | None:
    """Return comparisons with the first system, one per metric, if a paired test is asked for."""
    from ...scoring import paired_tests

    if not options.paired_bs and not options.paired_ar:
        return None
    return paired_tests(
        scores,
        test="bootstrap" if options.paired_bs else "randomisation",
        resamples=options.paired_bs_n if options.paired_bs else options.paired_ar_n,
        seed=options.seed,
    )


def _refuse_what_does_not_go_together(options: ScoreOptions) -> None:
    if options.encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
        raise UsageError(f"-e {options.encoding}: texts are UTF-8. Convert them with iconv.")
    if options.paired_bs and options.paired_ar:
        raise UsageError("Choose --paired-bs or --paired-ar; 'tercet compare' does both.")
    if not options.track and (
        given := [name for name in ("track_system", "tags", "keep_texts") if getattr(options, name)]
    ):
        raise UsageError(f"`{given[0]}` goes with --track DATABASE.")
    if options.save == "":
        raise UsageError("--save needs a file's name.")
    tests = [name for name in ("confidence", "paired_bs", "paired_ar") if getattr(options, name)]
    parts = [name for name in ("sentence_level", "by") if getattr(options, name)]
    if tests and parts and options.form != "json":
        raise UsageError(f"`{tests[0]}` is of whole systems, `{parts[0]}` of their parts: only -f json shows both.")
    if options.style == "paper":
        for name in ("sentence_level", "by", "each_reference", "score_only"):
            if getattr(options, name):
                raise UsageError(f"--style paper is a table of whole systems; leave out `{name}`.")
    if options.score_only and (options.paired_bs or options.paired_ar):
        raise UsageError("-b prints scores alone; leave it out to see the test.")
    if options.score_only and options.by:
        raise UsageError("-b prints scores of systems alone; leave it out to see those of groups.")
    if options.merge:
        texts = {"references", "more_references", "outputs", "source", "test_set", "docs", "kb"}
        texts |= {*declared(MetricChoice)} - {"trust_features", "allow_network"}
        given = [name for name in declared(ScoreOptions) if name in texts and getattr(options, name) not in (None, ())]
        if given:
            raise UsageError(f"--merge adds up saved scores; {given[0].replace('_', ' ')} cannot be given with it.")


def _asks_for_data(options: ScoreOptions) -> bool:
    """Answer what sacreBLEU's users ask beside scores: version, fields and citation of a test set, list, download."""
    import click

    if options.version:
        from ... import __version__

        click.echo(f"tercet, version {__version__}")
    elif options.echo:
        click.echo("\n".join(_echoed(options)))
    elif options.cite:
        from ...data.catalogue import find

        if not options.test_set:
            raise UsageError("--cite needs the name of a test set: -t NAME.")
        click.echo(find(options.test_set).citation or f"No citation is known for {options.test_set}.")
    elif options.listing or options.download:
        from ...cli import group

        words = ["list"] if options.listing else ["get", options.download]
        group.main(["data", *words], "tercet", standalone_mode=False)
    else:
        return False
    return True


def _echoed(options: ScoreOptions) -> Iterator[str]:
    """Yield lines with fields of a test set, tab-separated, as sacreBLEU prints them."""
    from ..shared.texts import open_named

    if not options.test_set:
        raise UsageError("--echo prints fields of a test set: name one with -t.")
    testset = open_named(options.test_set, options.pair)
    fields: dict[str, Any] = {"src": testset.source, "docid": testset.documents}
    fields |= {f"ref:{name}": lines for name, lines in testset.references.items()}
    fields |= testset.outputs
    if testset.references:
        fields["ref"] = next(iter(testset.references.values()))
    present = {name: lines for name, lines in fields.items() if lines is not None}
    asked = present if options.echo == ("all",) else options.echo
    for name in asked:
        if name not in present:
            raise UnknownName("field", name, present)
    for row in zip(*(present[name] for name in asked), strict=True):
        yield "\t".join(text or "" for text in row)
