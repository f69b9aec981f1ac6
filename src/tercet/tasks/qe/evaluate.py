"""`tercet qe evaluate`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...options import REQUIRED, again, command, shell_option
from ...options.quality import Assessing
from .inputs import Groups, Model, Output, Pair, check_files, open_model, read_pair

if TYPE_CHECKING:
    from ...quality.model import QualityModel


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(Output, Assessing, Groups, Pair, Model):
    """Options of `qe evaluate`."""

    output: str = shell_option(REQUIRED, metavar="MT", help="The outputs.")
    labels: str = shell_option(REQUIRED, metavar="LABELS", help="The labels, numbers.")
    references: Sequence[str] = shell_option(
        (), "-r", "--reference", metavar="FILE", several=True, help="References, for metrics on the same segments."
    )
    metrics: Sequence[str] = shell_option(
        (), "-m", "--metrics", "--metric", metavar="METRIC", several=True,
        help="Metrics to compare with the model by their correlation with the labels.",
    )  # fmt: skip
    across: str | None = shell_option(
        None, "--across", metavar="FILE",
        help="The system of each segment, for figures by system and for models trained on one system and tested on "
        "others.",
    )  # fmt: skip
    groups_file: str | None = again(
        Groups, "groups_file",
        help="The group of each segment, such as its document, one per line. Groups are resampled as a whole and not "
        "split between training and test by --across. [default: the source sentence]",
    )  # fmt: skip


@command(EvaluateOptions)
def run(options: EvaluateOptions) -> None:
    """Compare a model's predictions with labels: correlation, error, and coverage of its intervals.

    The model must not have been trained on these texts.
    """
    from ...engine import open_executor
    from ...quality.cross_system import assess
    from ...quality.inputs import read_labels, read_names
    from .board import show_assessment

    check_files(options)
    model = open_model(options.model, options.languages)
    labelled, labels = read_labels(options.labels, model.label_range if model.range_given else None)
    files = {"system": options.across, "group": options.groups_file}
    named = {what: read_names(path, what) for what, path in files.items() if path}
    sources, outputs, given = read_pair(options, model.languages, labelled, *named.values())
    systems, groups = (named[what].values if what in named else None for what in files)
    metrics = segment_scores(options, model, sources, outputs)
    with open_executor(options.jobs) as executor:
        more = {"given": given, "systems": systems, "groups": groups, "metrics": metrics, "executor": executor}
        found = assess(model, sources, outputs, labels, **options.python(Assessing, **more))
    options.write(show_assessment(found, options.form))


def segment_scores(
    options: EvaluateOptions, model: QualityModel, sources: Sequence[str], outputs: Sequence[str]
) -> dict[str, Any]:
    """Score each segment with metrics; scores are negated if their direction is not that of the model."""
    if not options.metrics:
        if options.references:
            raise UsageError("`references` is for metrics: name them with -m.")
        return {}
    from ...data.names import unique_names
    from ...data.testset import TestSet
    from ...quality.inputs import read_column
    from ...scoring import score

    named = {name: read_column(path).values for name, path in unique_names(options.references).items()}
    testset = TestSet({"output": outputs}, named, source=sources, pair=model.pair, name="the segments")
    found = {}
    for asked, scores in zip(options.metrics, score(testset, options.metrics, jobs=options.jobs), strict=True):
        sign = 1.0 if scores.higher_is_better in (None, model.higher_is_better) else -1.0
        found[asked] = sign * scores.segment["output"]
    return found
