"""Options that tasks share, in groups: texts, metrics, tests of differences, forms of results, where work runs.

Tasks inherit from groups. Groups compare and print nothing (eq, repr): that halves the time in which they are made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from . import Options, option, python_option, shell_option

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ..data.scores import Scores

FORMS = ("text", "markdown", "latex", "tsv", "csv", "json", "html")
SEED = 12345
TESTS = ("bootstrap", "randomisation")
KINDS_OF_JUDGEMENT = ("da", "esa", "mqm", "likert", "adequacy", "fluency", "z", "hter", "rank")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TestSetChoice(Options, group="Texts"):
    """A test set by its name or path, and how its files are read."""

    test_set: str | None = shell_option(
        None, "-t", "--test-set",
        help="A test set: a folder or file of a known layout, or a name from 'tercet data list'.",
    )  # fmt: skip
    columns: Sequence[str] = shell_option(
        (), "--columns", metavar="ROLE=COLUMN", several=True,
        help="Columns of a CSV, TSV or XLSX file, as source=English,output=German,reference=Final; also id, file, "
        "sheet.",
    )  # fmt: skip
    pair: str | None = shell_option(
        None, "-l", "--language-pair", metavar="SRC-TGT", help="The language pair, as en-de."
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TextChoice(Options, group="Texts"):
    """References, outputs and source: files, or names in a test set."""

    references: Sequence[str] = shell_option((), metavar="[REFERENCE]...", help="References, one file each.")
    more_references: Sequence[str] = shell_option(
        (), "-r", "--reference", metavar="REFERENCE", several=True, help="A reference; the same as REFERENCE."
    )
    outputs: Sequence[str] = shell_option(
        (), "-i", "--input", metavar="OUTPUT", several=True,
        help="Outputs, one file a system. Without it: standard input, systems separated by tabs.",
    )  # fmt: skip
    source: str | None = shell_option(None, "-s", "--source", help="The source text, for metrics that read it.")
    num_refs: int = shell_option(
        1, "-nr", "--num-refs", help="Split each line of the one reference file at tabs into this many references."
    )
    docs: str | None = shell_option(
        None, "--docs", metavar="FILE", help="The document of each segment, one id per line."
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Texts(TestSetChoice, TextChoice, group="Texts"):
    """What is evaluated: files, or a test set of which they choose."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MetricChoice(Options, group="Metrics"):
    """Metrics, and the flags that set parameters of one metric, or of all metrics that have it except chrF."""

    metrics: Sequence[str] = shell_option(
        (), "-m", "--metrics", "--metric", metavar="METRIC", several=True,
        help="Metrics, as bleu chrf:word_order=2; 'tercet metrics' lists them. [default: bleu]",
    )  # fmt: skip
    tokenize: str | None = shell_option(
        None, "-tok", "--tokenize",
        help="Tokeniser of word metrics: none, 13a, intl, zh, char, moses-LANG, ja-mecab, ko-mecab.",
    )  # fmt: skip
    lowercase: bool | None = shell_option(None, "-lc", "--lowercase", help="Ignore case in word metrics.")
    smooth_method: str | None = shell_option(None, "--smooth-method", help="BLEU: exp, floor, add-k or none.")
    smooth_value: str | None = shell_option(None, "-sv", "--smooth-value", help="BLEU: the value of floor or add-k.")
    chrf_char_order: str | None = shell_option(None, "-cc", "--chrf-char-order", help="chrF: longest character n-gram.")
    chrf_word_order: str | None = shell_option(
        None, "-cw", "--chrf-word-order", help="chrF: longest word n-gram; 2 is chrF++."
    )
    chrf_beta: str | None = shell_option(None, "--chrf-beta", help="chrF: weight of recall.")
    chrf_whitespace: bool | None = shell_option(None, "--chrf-whitespace", help="chrF: keep blanks.")
    chrf_lowercase: bool | None = shell_option(None, "--chrf-lowercase", help="chrF: ignore case.")
    chrf_eps_smoothing: bool | None = shell_option(
        None, "--chrf-eps-smoothing", help="chrF: average F as chrF++.py does."
    )
    ter_normalized: bool | None = shell_option(
        None, "--ter-normalized", help="TER: split off punctuation, as sacreBLEU."
    )
    ter_no_punct: bool | None = shell_option(None, "--ter-no-punct", help="TER: leave out punctuation.")
    ter_asian_support: bool | None = shell_option(None, "--ter-asian-support", help="TER: split Asian characters.")
    ter_case_sensitive: bool | None = shell_option(None, "--ter-case-sensitive", help="TER: keep case.")
    allow_download: bool | None = shell_option(
        None, "--allow-download", help="Neural metrics: download models that are not here."
    )
    trust_pickle: bool | None = shell_option(
        None, "--trust-pickle", help="Neural metrics: load pickled weights, which can run code."
    )
    trust_features: bool | None = shell_option(
        None, "--trust-features", help="Models, saved scores: run code in files that they name."
    )
    allow_network: bool | None = shell_option(
        None, "--allow-network", help="Models, saved scores: send texts to services that they name."
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OtherScores(Options, group="Metrics"):
    """Scores of other programs, shown and tested beside the metrics."""

    score_files: Sequence[str] = shell_option(
        (), "--scores", metavar="[NAME=]FILE", several=True,
        help="Scores of other programs (COMET's JSON, WMT's files, a table) to be shown beside the metrics.",
    )  # fmt: skip
    lower_is_better: Sequence[str] = shell_option(
        (), "--lower-is-better", metavar="NAME", several=True,
        help="Metrics of --scores whose lower scores are better, where the name does not say it.",
    )  # fmt: skip
    scores: Sequence[Scores] = python_option(
        (), "Scores that were computed elsewhere (`read_external`), for the same systems and segments."
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Seed(Options):
    """The seed of all random choices."""

    seed: int = option(
        SEED, "--seed", env="SACREBLEU_SEED",
        help="Seed of all random choices. [default: $SACREBLEU_SEED or 12345]", about="Seed of all random choices.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Intervals(Seed):
    """Bootstrap intervals."""

    resamples: int = option(1000, "-n", "--resamples", help="Number of resamples for the intervals.")
    confidence: float = option(0.95, "--confidence", help="Confidence level of the intervals.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DifferenceTests(Seed):
    """Tests of the differences between systems."""

    baseline: str | None = option(
        None, "--baseline", metavar="SYSTEM", help="Compare all with this system. [default: all pairs]",
        about="Compare all systems with this one; without it all pairs are compared.",
    )  # fmt: skip
    tests: Sequence[str] = option(
        TESTS, "--test", metavar="TEST",
        help="bootstrap or randomisation; the one with most resamples decides. [default: both]",
        about='"bootstrap", "randomisation"; the one with most resamples decides on verdicts and clusters. Below 50 '
        "segments randomisation decides, and is added if it is not asked for.",
    )  # fmt: skip
    resamples: int | None = option(
        None, "-n", "--resamples",
        help="Resamples. [default: 1000 for bootstrap, 10000 for randomisation; more where many systems need them]",
        about="By default 1,000 for the bootstrap and 10,000 for randomisation, and more if the correction for many "
        "comparisons needs them; a number applies to both.",
    )  # fmt: skip
    alpha: float = option(0.05, "--alpha", help="Significance level of verdicts and clusters.")
    confidence: float = python_option(0.95, "Level of the intervals.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SegmentGroups(Options):
    """Parts of the test set that are scored too, and how many segments are shown."""

    slices: Sequence[str] = option(
        (), "--slice", "--by", metavar="WHAT",
        help="Also score slices: length, document, domain or another label of the test set, numbers, duplicates, "
        "terms:FILE, entities[:PARSER].",
        about='Scores of parts of the test set: by "length" (of the reference), "document", a label such as "domain", '
        'or contents: "numbers", "duplicates", "terms:FILE", "entities".',
    )  # fmt: skip
    buckets: Sequence[str] = option(
        (), "--buckets", metavar="WHAT",
        help="Segments of each system by length-difference (from the reference), score or quality.",
    )  # fmt: skip
    top: int = option(5, "--top", low=0, help="Deciding segments to show per pair.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WordChoice(Options):
    """Words that systems get right, by group."""

    words: Sequence[str] = shell_option(
        (), "--words", metavar="GROUPING", help="F-measure of words by frequency, pos (part of speech) or label.",
        about='Groupings of words to compare: "frequency", "pos", "label"; see `compare_words`.',
    )  # fmt: skip
    training_file: str | None = shell_option(
        None, "--training", metavar="FILE",
        help="For --words frequency: the text to count in. [default: the references]",
    )  # fmt: skip
    parser: str | None = shell_option(
        None, "--parser", help="For --words pos: spacy:MODEL, conllu:FILE and others. [default: the installed one]"
    )
    word_labels: Sequence[str] = shell_option(
        (), "--word-labels", metavar="NAME=FILE",
        help="For --words label: labels of the words of a reference or system, one line per segment.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SegmentChoice(Options):
    """Which segments are compared, and which are shown together."""

    only: Sequence[str] = shell_option(
        (), "--only", metavar="WHAT",
        help="Compare on these segments alone: numbers, entities[:PARSER], terms:FILE, duplicates, the opposite as "
        "no-duplicates, or a slice as domain=news. All of several must hold.",
    )  # fmt: skip
    segments: Sequence[int] | None = python_option(
        None, "Numbers (from 1) of the segments to compare on, as `select_segments` returns them; all by default."
    )
    thresholds: Mapping[str, tuple[float, float]] | Sequence[str] = option(
        (), "--thresholds", metavar="METRIC=LOW,HIGH",
        help="Of --buckets quality: below LOW is poor, from HIGH good. [default: quartiles of all systems' segments]",
        about='Of quality, by metric: {"chrf": (40, 60)} makes segments below 40 poor and from 60 good. By default '
        "the quartiles of all systems' segments.",
    )  # fmt: skip

    def check(self) -> None:
        super().check()
        if self.thresholds and not isinstance(self.thresholds, Mapping):
            object.__setattr__(self, "thresholds", dict(map(_threshold, self.thresholds)))


def _threshold(text: object) -> tuple[str, tuple[float, float]]:
    """Return metric and limits of METRIC=LOW,HIGH."""
    metric, _, values = str(text).rpartition("=")
    try:
        low, high = map(float, values.split(","))
    except ValueError:
        metric = ""
    if not metric:
        raise UsageError(f"`thresholds` {text}: write METRIC=LOW,HIGH, as chrf=40,60.")
    return metric, (low, high)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Quiet(Options, group="Run"):
    """Silence."""

    quiet: bool = shell_option(False, "-q", "--quiet", recorded=False, help="No warnings, no progress.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Jobs(Options, group="Run"):
    """Processes on this computer."""

    jobs: int = option(1, "-j", "--jobs", recorded=False, help="Number of processes; 0 for all cores.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Cache(Options, group="Run"):
    """A folder for finished counts."""

    cache: str | Path | None = option(
        None, "--cache", metavar="DIR", recorded=False,
        help="Store finished counts here, so that a killed run can continue.",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Cluster(Options, group="Run"):
    """A cluster or executor."""

    cluster: str | None = option(
        None, "--cluster", metavar="ADDRESS", recorded=False, help="Count on a Dask cluster, such as tcp://scheduler:8786.",
    )  # fmt: skip
    executor: Executor | None = python_option(None, "An executor that counts, instead of `jobs` processes.")
    progress: Callable[[int, int | None], None] | None = python_option(
        None, "Called with the number of finished units of work and their total."
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Listening(Options):
    """Where a server listens."""

    host: str = option("127.0.0.1", "--host", help="Address to listen on; by default, only this machine reaches it.")
    port: int = option(8080, "--port", low=0, high=65535, help="0 chooses a free port.")
    behind_proxy: bool = option(
        False, "--behind-proxy", help="Trust the client address reported by a proxy on this machine."
    )
    started: Callable[[str], None] | None = python_option(None, "Called with the address when the server listens.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Server(Options, group="Run"):
    """A server that counts in place of this computer."""

    server: str | None = shell_option(
        None, "--server", metavar="URL", recorded=False, help="Have a server count that 'tercet serve' started."
    )
    token: str | None = shell_option(
        None, "--token", env="TERCET_TOKEN", recorded=False, help="For --server. [default: $TERCET_TOKEN]"
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Where(Quiet, Cache, Cluster, Jobs, group="Run"):
    """Where work runs. The numbers are the same everywhere."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Scoring(Where, Seed):
    """How `score` scores, and what it adds to the scores of systems."""

    scores: Sequence[Scores] = python_option((), "Scores that were computed elsewhere (`read_external`).")
    keep_counts: bool = python_option(
        True, "False keeps sums only, for inputs larger than memory; there are no segment scores then."
    )
    by: str | None = option(
        None, "--by", metavar="GROUP",
        also={"--documents": ("document", "Score every document; the same as --by document.")},
        help="Score groups of segments: document, length, or a label such as domain.",
    )  # fmt: skip
    confidence: bool | float = option(
        False, "-ci", "--confidence", help="Add 95 % bootstrap intervals.",
        about="Adds bootstrap intervals: True for 95 %, or a level such as 0.9.",
    )  # fmt: skip
    confidence_n: int = option(1000, "-cin", "--confidence-n", help="Resamples for the intervals.")
    confidence_method: str = option("percentile", "--confidence-method", choices=("percentile", "bca"))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Form(Options, group="Result"):
    """The form of a result."""

    form: str = shell_option("text", "-f", "--format", choices=FORMS, help="Output format.")
    spreadsheet: bool = shell_option(
        False, "--spreadsheet", help="In TSV and CSV, put a ' before text that a spreadsheet would take for a formula."
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Decimals(Form, group="Result"):
    """The form of a result with numbers."""

    width: int | None = shell_option(
        None, "-w", "--width", low=0, high=15,
        help="Decimals in tables and text; JSON has them all. [default: 2, more for scores from 0 to 1]",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Style(Form, group="Result"):
    """Tables for papers."""

    style: str = shell_option(
        "plain", "--style", choices=("plain", "paper"),
        help="paper: one table with systems as rows and metrics as columns, for -f latex and markdown.",
    )  # fmt: skip

    def check(self) -> None:
        super().check()
        if self.style == "paper" and self.form not in ("latex", "markdown"):
            raise UsageError(f"`style` paper goes with `form` latex or markdown, not {self.form}.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Figures(Form, group="Result"):
    """Plots beside a result."""

    figures: str | None = shell_option(None, "--figures", metavar="DIR", help="Write plots to this folder.")
    figure_form: str = shell_option("svg", "--figure-format", choices=("svg", "png", "html"))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Exports(Options):
    """What tables and exports of judgements do not say themselves."""

    kind: str | None = option(
        None, "--kind", choices=KINDS_OF_JUDGEMENT, metavar="|".join(KINDS_OF_JUDGEMENT[:3]),
        help="The kind of judgement, where a table or an export of Appraise or Pearmut does not state it: "
        f"{', '.join(KINDS_OF_JUDGEMENT)}.",
    )  # fmt: skip
    columns: Mapping[str, str] | Sequence[str] = option(
        (), "--columns", metavar="ROLE=COLUMN", several=True,
        help="Columns of a table of judgements with unusual names, as system=Engine score=Punkte. Roles: segment, "
        "system, rater, score, kind, rank, left, right, choice, better, worse, severity, category, sheet.",
        about="Columns of a table of judgements, by role: segment, system, rater, score, kind, rank, left, right, "
        "choice, better, worse, severity, category, sheet.",
    )  # fmt: skip
    system_prefix: str = option(
        "", "--system-prefix", help="Prefix to remove from system names in such exports, such as 'wmt23.'."
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Annotation(Options, group="Result"):
    """Results in the user's own file."""

    annotate: str | None = shell_option(
        None, "--annotate", metavar="FILE", help="Write a copy of the bilingual input file with the results in it."
    )
    in_place: bool = shell_option(
        False, "--in-place", help="Write results into the input file; the old one is kept as FILE.bak."
    )

    def check(self) -> None:
        super().check()
        if self.annotate and self.in_place:
            raise UsageError("Choose `annotate` FILE or `in_place`, not both.")

    @property
    def annotating(self) -> bool:
        """Whether results are to be written into a file."""
        return bool(self.annotate or self.in_place)
