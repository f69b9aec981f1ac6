"""Fomicheva (2017), Table 5.6: groups of features of fluency, learnt here on WMT12, tested on WMT14 and WMT15."""

from collections.abc import Mapping, Sequence
from statistics import mean

from ....errors import MissingDependency, UsageError
from ....learning.learners import LEARNERS
from ....metrics.bases.members import find_members
from ....metrics.learned.features_f import GROUPS as FEATURES
from ....quality.fluency_models import default_place
from ...learn.judged import Part, compute_features, gather
from ...learn.training import choose, fit, join, measure
from ..printed import compare
from ..results import Reproduction
from ..sources import DataSets
from .rankings import COMPARISONS, Taus, pairs_of

GROUPS = {"Fluency-SIMPLE": "simple", "Fluency-refined": "refined", "Fluency-words": "words", "Fluency-Pos": "tags"}
ALL = "all features"
TRAINED, TESTED = ("cs-en", "de-en", "es-en", "fr-en"), ("fr-en", "de-en", "hi-en", "fi-en", "cs-en", "ru-en")
YEARS = {"WMT2014": "wmt14", "WMT2015": "wmt15"}  # columns
METRIC = "features_f"
WITHIN = 0.05  # other language models, parser and training data


def fluency_group_table(data: DataSets) -> Reproduction:
    """Return Table 5.6 for the years whose texts are there; for comparison by language pair, and with all features."""
    here = {column: year for column, year in YEARS.items() if data(year) is not None}
    taus: dict[str, Taus] = {}
    why_not = "Half-widths are not recomputed."
    try:
        taus = _taus(data, here)
    except (MissingDependency, UsageError) as error:  # no parser, or no language models
        why_not = str(error)
    values: Taus = {}
    extra: Taus = {}
    for column, rows in taus.items():
        for row, by_pair in rows.items():
            extra.setdefault(row, {}).update({f"{pair} {column[-4:]}": tau for pair, tau in by_pair.items()})
            if by_pair:
                values.setdefault(row, {})[column] = mean(by_pair.values())
    return compare(
        "thesis_t5_6", values, lambda _, column: data.missing([YEARS[column.removesuffix("_ci")]]) or why_not,
        lambda *_: {"within": WITHIN}, extra=extra, note_values={"within": WITHIN},
    )  # fmt: skip


def _taus(data: DataSets, years: Mapping[str, str]) -> dict[str, Taus]:
    """Return tau on each language pair of the data sets `years`, by column of the table and group of features."""
    if not default_place("en").is_file():  # the package's own are of other texts than news
        raise UsageError("The table needs language models of English news. Estimate them once: tercet lm TEXTS… -l en")
    members = find_members([f"{METRIC}@*"])

    def parts(name: str, pairs: Sequence[str]) -> list[Part]:
        folder = data.needed(name)
        gold = COMPARISONS if any(folder.glob(f"*.{COMPARISONS}.tsv*")) else None
        judged = gather([folder], pairs=pairs_of(data, name, pairs), gold=gold)
        return [compute_features(one, members, executor=data.executor, cache=data.cache) for one in judged]

    training, tested = parts("wmt12", TRAINED), {column: parts(name, TESTED) for column, name in years.items()}
    learner = LEARNERS["logistic"]
    found: dict[str, Taus] = {column: {} for column in years}
    for row, group in {**GROUPS, ALL: "all"}.items():
        columns = [FEATURES["all"].index(name) for name in FEATURES[group]]
        some = [Part(part.pair, join([part], columns)) for part in training]
        setting, _ = choose(learner, some)
        predictor = fit(learner, some, setting)
        for column, of_year in tested.items():
            found[column][row] = {
                part.pair: measure("", join([part], columns), predictor.predict).tau for part in of_year
            }
    return found
