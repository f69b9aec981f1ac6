"""Table 3.4 of Fomicheva (2017), and analogues of Tables 3.1, 3.2, 3.7 and 3.8 on data that are public.

EAMT09 and EAMT11 are not. Their places are taken by WMT12 en-es (rankings of eleven systems), the WMT12 quality
estimation task (one system, scores of post-editing effort, as in EAMT09), NTREX (references only), and, for references
that people paraphrased, WMT19 en-de with the references of Freitag, Grangier and Caswell (2020), "BLEU might be Guilty
but References are not Innocent", EMNLP. Nothing of the rules was chosen on these data.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ....data.testset import TestSet
from ....errors import DataError, MissingDependency, UsageError
from ....metaeval.gold import preferences_of
from ....paraphrasing.result import Paraphrases
from ....stats.correlation import pearson
from ....stats.correlation_bootstrap import Resampled, resample_correlations, resample_ratio
from ....stats.outliers import mad_outliers
from ....stats.tau import Tau, tau_columns
from ....stats.williams import williams
from ....types import Floats
from ...paraphrase import paraphrase
from ..printed import all_unchecked, compare, printed
from ..results import Reproduction
from ..sources import DataSets, grouped, numbers, read_table
from .rankings import evidence, judged

METRICS = {"BLEU": "bleu:variant=mteval", "Meteor": "meteor", "TER": "ter", "chrF": "chrf"}
SYSTEM_METRICS = {**METRICS, "BLEU": "bleu"}
GROUPS = {  # columns of Table 3.1, by group of rules
    "Morphology": ("features",),
    "Structure": ("category", "diathesis"),
    "Order": ("order",),
    "Number": ("number",),
}
REFERENCE, ALL = "Reference", "All"
SHIFTS = "thesis_t3_4"
TOTAL = "Total"
PAIR = "en-es"
RESAMPLES = 1000
PERCENT = 100

Sets = Mapping[str, Mapping[str, Sequence[str]]]  # sets of references, by name
Rows = dict[str, dict[str, float]]
Place = tuple[str, tuple[str, str]]  # a group of rules or shifts, and a reference with its output


def _paraphrased(data: DataSets, key: str, references: Sequence[str]) -> Paraphrases | str:
    def make() -> Paraphrases | str:
        try:
            return paraphrase(references, "es", most=1, cache=data.cache, executor=data.executor)
        except (MissingDependency, UsageError) as error:
            return f"Not recomputed. {error}"

    return data.once(("closer", key), make)


def reference_sets(found: Paraphrases, references: Sequence[str]) -> Sets:
    """Return the references that Table 3.1 compares: the reference alone, with each group of rules, with all."""
    own, texts = {"reference": references}, found.texts("group")
    with_rules = {name: own | {group: texts[group] for group in groups} for name, groups in GROUPS.items()}
    return {REFERENCE: own, **with_rules, ALL: own | dict(texts)}


def _scores(
    data: DataSets, outputs: Mapping[str, Sequence[str]], sets: Sets, spec: str, pair: str, *, of_systems: bool = False
) -> Floats:
    """Return scores, higher for better outputs, shape (sets, systems), of segments with one more axis."""
    rows = []
    for references in sets.values():
        (found,) = data.scored(TestSet(outputs, references, pair=pair), {spec: spec})
        sign = 1 if found.metric.higher_is_better else -1
        rows.append([sign * (found.system if of_systems else found.segment)[system] for system in outputs])
    return np.array(rows, dtype=np.float64)


def effect_row(scores: Floats, drawn: Resampled, place: int, p: float) -> dict[str, float]:
    """Return a row of an effect table: means, the share of changed outputs, the statistic and its difference."""
    interval = drawn.intervals()[place]
    row = {
        "mean": float(np.abs(scores[place]).mean()),
        "changed %": PERCENT * float((scores[place] != scores[0]).mean()),
        "value": interval.value,
        "low": interval.low,
        "high": interval.high,
    }
    if place:
        low, high = np.nanpercentile(drawn.samples[place] - drawn.samples[0], [2.5, 97.5])
        row |= {"difference": float(drawn.values[place] - drawn.values[0]), "from": low, "to": high, "p": p}
    return row


def bootstrap_p(drawn: Resampled, place: int) -> float:
    """Return the two-sided p-value of a difference to the first row, from paired resamples."""
    difference = drawn.samples[place] - drawn.samples[0]
    worse, better = (difference <= 0).sum(), (difference >= 0).sum()
    return float(min(1.0, 2 * (min(worse, better) + 1) / (len(difference) + 1)))


def ranked_effect_table(data: DataSets) -> Reproduction:
    """Return the analogue of Table 3.1 on the rankings of WMT12: tau with one and with several references."""
    people = judged(data, "wmt12", PAIR)
    outputs = people.texts.outputs
    references = [line or "" for line in next(iter(people.texts.references.values()))]
    found = _paraphrased(data, "wmt12", references)
    if isinstance(found, str):
        return Reproduction(notes=[found])
    sets, pairs = reference_sets(found, references), preferences_of(people.gold)
    place = {name: row for row, name in enumerate(people.segments)}
    rows = np.array([place[pairs.segments[segment]] for segment in pairs.segment.tolist()])
    systems = {name: number for number, name in enumerate(outputs)}
    left, right = (
        np.array([systems[pairs.systems[one]] for one in side.tolist()]) for side in (pairs.left, pairs.right)
    )
    extra: Rows = {}
    for metric, spec in METRICS.items():
        scores = _scores(data, outputs, sets, spec, PAIR)
        signs = np.sign(scores[:, left, rows] - scores[:, right, rows])
        drawn = resample_ratio(tau_columns(pairs.outcome, signs, Tau("wmt14"), groups=rows), resamples=RESAMPLES)
        for number, name in enumerate(sets):
            extra[f"{metric}, {name}"] = effect_row(scores, drawn, number, bootstrap_p(drawn, number))
    notes = [
        f"WMT12 en-es: {len(outputs)} systems, {len(references)} judged segments, {len(rows)} pairs of "
        f"outputs; value: tau (variant of WMT14) with 95 % intervals from {RESAMPLES} resamples of segments, which all "
        f"rows share. {_share(found)}",
        "changed %: outputs whose score changes. The difference is to the reference alone; p is two-sided.",
    ]
    return Reproduction(extra=extra, notes=notes)


def _task_data(data: DataSets, *columns: str) -> dict[str, list[str]]:
    """Return columns of both parts of the WMT12 quality estimation task."""
    files = ("training.tsv", "test.tsv")
    training, test = (read_table(data.needed("wmt12_qe"), file, columns) for file in files)
    return {name: training[name] + test[name] for name in columns}


def effort_effect_table(data: DataSets) -> Reproduction:
    """Return the analogue of Table 3.1 on the WMT12 quality estimation task: r with scores of post-editing effort."""
    table = _task_data(data, "mt", "reference", "effort")
    human = numbers(table["effort"], "wmt12_qe, effort")
    found = _paraphrased(data, "wmt12_qe", table["reference"])
    if isinstance(found, str):
        return Reproduction(notes=[found])
    sets = reference_sets(found, table["reference"])
    extra: Rows = {}
    for metric, spec in METRICS.items():
        extra |= _correlated(metric, sets, _scores(data, {"mt": table["mt"]}, sets, spec, PAIR)[:, 0], human)
    notes = [
        f"WMT12 quality estimation, en-es, one system, {len(human)} sentences with scores of post-editing effort "
        f"(5: none needed), as in EAMT09. value: Pearson's r with 95 % intervals; p: Williams' test, two-sided. "
        f"{_share(found)}",
    ]
    return Reproduction(extra=extra, notes=notes)


def _correlated(metric: str, sets: Sets, scores: Floats, human: Floats, suffix: str = "") -> Rows:
    """Return rows of r, with intervals from resampled items and Williams' test against the first row."""
    drawn = resample_correlations("pearson", human, scores, resamples=RESAMPLES)
    rows = {}
    for place, name in enumerate(sets):
        between = pearson(scores[0], scores[place])
        p = williams(drawn.values[place], drawn.values[0], between, len(human), two_sided=True)
        rows[f"{metric}, {name}{suffix}"] = effect_row(scores, drawn, place, float(p))
    return rows


def paraphrased_by_people_table(data: DataSets) -> Reproduction:
    """Return the analogue of Table 3.1 with references that people paraphrased, WMT19 en-de, system level."""
    columns = {"WMT": "ref_wmt", "WMT.p": "ref_wmtp", "AR": "ref_ar", "AR.p": "ref_arp"}
    file = "wmt19.en-de.paraphrased_refs.tsv"
    table = read_table(data.needed("paraphrased_references"), file, list(columns.values()))
    texts = evidence(data, "wmt19", "en-de")[1]
    judged_systems = read_table(data.needed("wmt19_sys"), "wmt19_sys_scores.tsv", ["lp", "system", "DA"])
    of_pair = grouped(judged_systems, "lp")["en-de"]
    people = dict(zip(of_pair["system"], of_pair["DA"], strict=True))
    outputs = {system: texts.outputs[system] for system in people if system in texts.outputs}
    sets = {name: {name: table[column]} for name, column in columns.items()}
    every = {name: table[column] for name, column in columns.items()}
    sets |= {"WMT + WMT.p": sets["WMT"] | sets["WMT.p"], "all four": every}
    human = np.array([float(people[system]) for system in outputs])
    inside = ~mad_outliers(human)
    extra: Rows = {}
    for metric, spec in SYSTEM_METRICS.items():
        scores = _scores(data, outputs, sets, spec, "en-de", of_systems=True)
        extra |= _correlated(metric, sets, scores, human)
        extra |= _correlated(metric, sets, scores[:, inside], human[inside], " without outliers")
    notes = [
        f"WMT19 en-de, {len(human)} systems ({int(inside.sum())} without outliers), references of Freitag et al. "
        "(2020). value: Pearson's r of system scores with direct assessment; intervals from resampled systems; p: "
        "Williams' test, two-sided, against the reference of WMT.",
    ]
    return Reproduction(extra=extra, notes=notes)


def rule_share_table(data: DataSets) -> Reproduction:
    """Return the analogue of Table 3.2: how many Spanish references of NTREX and WMT12 each group of rules changes."""
    sources = {
        "NTREX": ("ntrex", "ntrex_newstest2019_21langs.tsv", "spa"),
        "WMT12": ("wmt12", "en-es.segments.tsv", "reference"),
    }
    extra: Rows = {}
    for name, (source, file, column) in sources.items():
        folder = data(source)
        if folder is None:
            continue
        references = read_table(folder, file, [column])[column]
        found = _paraphrased(data, f"all of {source}", references)
        if isinstance(found, str):
            return Reproduction(notes=[found])
        texts = found.texts("group")
        changed = {group: np.array(lines) != np.array(references) for group, lines in texts.items()}
        extra[name] = {
            label: PERCENT * float(np.any([changed[group] for group in groups], axis=0).mean())
            for label, groups in {**GROUPS, ALL: tuple(changed)}.items()
        }
        extra[name]["segments"] = float(len(references))
    notes = ["The percentage of references that the rules change. The thesis counts sentences whose BLEU changes."]
    return Reproduction(extra=extra, notes=notes, decimals=1)


def shift_table(data: DataSets) -> Reproduction:
    """Return Table 3.4: how well a better BLEU with the references of a group of rules finds annotated shifts.

    An application is an output whose BLEU is better with the reference that a group of rules makes. It is right if a
    shift of this group is annotated. Recall is the share of the shifts with an application, of all and of those that a
    rule models.
    """
    table = read_table(data.needed("annotated_shifts"), "shifts.tsv", ["reference", "mt", "shift", "modeled"])
    lines = list(zip(*table.values(), strict=True))
    outputs = list(dict.fromkeys((reference, output) for reference, output, *_ in lines))
    references = [reference for reference, _ in outputs]
    found = _paraphrased(data, "annotated_shifts", references)
    if isinstance(found, str):
        return Reproduction(unchecked=all_unchecked(SHIFTS, found))
    own = {"reference": references}
    sets = {REFERENCE: own} | {group: own | {group: texts} for group, texts in found.texts("group").items()}
    bleu = _scores(data, {"mt": [output for _, output in outputs]}, sets, METRICS["BLEU"], PAIR)[:, 0]
    titles = [found.rules.groups.get(group, group) for group in sets]
    applied = {(titles[group], outputs[place]) for group, place in np.argwhere(bleu > bleu[0]).tolist()}
    for _, _, shift, modeled in lines:
        if shift not in ("", *titles[1:]) or modeled not in ("", "yes", "no"):
            raise DataError(
                f"shifts.tsv: a shift is one of {', '.join(titles[1:])}, or empty; modeled is yes or no. "
                f"Found {shift!r}, {modeled!r}."
            )
    shifts = [((shift, (reference, output)), modeled == "yes") for reference, output, shift, modeled in lines if shift]
    return compare(SHIFTS, {row: _shares(row, applied, shifts) for row in printed(SHIFTS).cells})


def _shares(row: str, applied: set[Place], shifts: Sequence[tuple[Place, bool]]) -> dict[str, float]:
    """Return a row of Table 3.4. applied: the groups of rules that helped an output. shifts: place, and if modeled."""
    of_row = [(place, modeled) for place, modeled in shifts if row in (place[0], TOTAL)]
    shares = {
        "P": ([place for place in applied if row in (place[0], TOTAL)], {place for place, _ in of_row}),
        "R shifts": ([place for place, _ in of_row], applied),
        "R rules": ([place for place, modeled in of_row if modeled], applied),
    }
    found = {
        name: float(np.mean([one in known for one in listed])) for name, (listed, known) in shares.items() if listed
    }
    return {**found, "Freq": len(of_row)}


def _share(found: Paraphrases) -> str:
    return f"The rules change {found.changed} of {len(found.references)} references."


def post_edit_origins_table(data: DataSets) -> Reproduction:
    """Return the analogue of Tables 3.7 and 3.8: scores and r with people, with translations and with post-edits."""
    extra: Rows = {}
    for name, pair, (outputs, reference, postedit, judgements) in _post_edited(data):
        human = numbers(judgements, name)
        for label, texts in (("translation", reference), ("post-edit", postedit)):
            row = extra.setdefault(f"{name}, {label}", {})
            for metric, spec in METRICS.items():
                scores = _scores(data, {"mt": outputs}, {label: {label: texts}}, spec, pair)[0, 0]
                row |= {f"{metric} mean": float(np.abs(scores).mean()), f"{metric} r": float(pearson(scores, human))}
            row["sentences"] = float(len(human))
    notes = [
        "r: Pearson's correlation with people: direct assessment (IWSLT 2019, newstest2013) or effort scores (WMT12). "
        "TER is negated for r. Against post-edits, TER is HTER. IWSLT 2019 has post-edits by five people."
    ]
    return Reproduction(extra=extra, notes=notes)


def _post_edited(data: DataSets) -> Iterator[tuple[str, str, tuple[list[str], ...]]]:
    """Yield the data sets with post-edits that are here: name, pair, outputs, references, post-edits, judgements."""
    if (folder := data("iwslt2019_pe")) is not None:
        table = read_table(folder, "annotations.tsv", ["MT", "REF", "PE", "DA"])
        yield "IWSLT 2019 en-es", "en-es", tuple(table.values())
    columns = ("mt", "reference", "postedit")
    if data("wmt12_qe") is not None:
        yield "WMT12 QE en-es", "en-es", tuple(_task_data(data, *columns, "effort").values())
    if (folder := data("graham_da")) is not None:
        by_pair = grouped(read_table(folder, "da_with_postedits.tsv", ["lp", *columns, "DA_z"]), "lp")
        for pair in ("es-en", "en-es", "en-de", "en-ru"):
            if pair in by_pair:
                yield f"newstest2013 {pair}", pair, tuple(by_pair[pair][name] for name in (*columns, "DA_z"))
