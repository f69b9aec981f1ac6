"""`agree` on published judgements: chapter 6 of Fomicheva's thesis (2017), and preferences of WMT15."""

from pathlib import Path

import numpy as np
import pytest

from tercet.data.assessments import segment_names
from tercet.human.agreement import Agreement, agree
from tercet.human.agreement_files import load
from tercet.scoring import score_each_reference


@pytest.fixture(scope="module")
def analysed(shared: Path) -> Agreement:
    """The ratings as the thesis analysed them: its 22 complete raters with a reference, and three with the source."""
    (part,) = load([shared / "data/tradopad/thesis_ratings.tsv.gz"])
    assert part.source == {"", "5"}  # found by itself: no reference is called 5
    return agree(part.judgements, source=part.source, complete=True)


@pytest.mark.parametrize(
    ("measure", "different", "same"),
    [("kappa", 0.161, 0.188), ("kappa, linear", 0.328, 0.361), ("kappa, one-off", 0.585, 0.633)],
)
def test_table_6_1_of_the_thesis(analysed: Agreement, measure: str, different: float, same: float) -> None:
    found = {item.group: item for item in analysed.measures if item.measure == measure}
    assert round(found["different references"].value, 3) == different
    assert round(found["same reference"].value, 3) == same
    assert (found["different references"].pairs, found["same reference"].pairs) == (181, 50)
    # In print the half-widths are at most .006: raters drawn as people, and not pairs, leave much more open.
    assert all(item.high - item.low > 0.05 for item in found.values() if item.raters > 3)
    (gap,) = [item for item in analysed.gaps if item.measure == measure]
    assert gap.low < 0 < gap.value < gap.high


def test_figures_6_2_and_6_3_of_the_thesis(shared: Path) -> None:
    (part,) = load([shared / "data/tradopad/thesis_ratings.tsv.gz"])
    referred = part.judgements.where(lambda row: row.reference != "5")
    slices = agree(referred, complete=True, resamples=10).slices
    same = [round(item.agreement["same reference"], 3) for item in slices]
    different = [round(item.agreement["different references"], 3) for item in slices]
    assert same == [0.298, 0.400, 0.376, 0.375, 0.333]
    assert different == [0.242, 0.368, 0.369, 0.332, 0.301]
    assert [round(item.spread, 3) for item in slices] == [1.020, 1.108, 1.019, 1.005, 0.894]


def test_tables_6_2_and_6_3_of_the_thesis(shared: Path) -> None:
    (part,) = load([shared / "data/tradopad/ratings.tsv.gz"])
    assert part.testset is not None
    names = segment_names(part.testset)
    result = agree(
        part.judgements,
        source=part.source,
        scores=score_each_reference(part.testset, ["bleu:variant=mteval"]),
        segments=dict.fromkeys(part.testset.references, names),
        resamples=200,
    )
    means = {item.shown: round(item.mean, 3) for item in result.averages}
    assert means == {"1": 1.980, "2": 2.342, "3": 2.562, "4": 2.740, "5": 2.878}
    # "The differences were found to be statistically significant according to Student's t-test (for paired samples)".
    referred = [item for item in result.contrasts if "5" not in (item.first, item.second)]
    assert len(referred) == 6 and all(item.p_holm < 0.01 for item in referred)
    # Reassigned at random, the same raters often differ as much: with five in each group it may be the people.
    assert all(item.p_raters_holm > 0.05 for item in referred)
    printed = [
        [0.5331, 0.2651, 0.3957, 0.2984],
        [0.4743, 0.3303, 0.3291, 0.3093],
        [0.3321, 0.2828, 0.3323, 0.2633],
        [0.3291, 0.2472, 0.1743, 0.4200],
    ]
    values = {(item.shown, item.given): item.value for item in result.correlations}
    found = [[values[row, column] for column in "1234"] for row in "1234"]
    np.testing.assert_allclose(found, printed, rtol=0, atol=0.006)


def test_chance_agreement_of_wmt15_is_that_of_the_thesis(shared: Path) -> None:
    """P(E) = .338 for WMT15, into English (section 2.2.4): the mean over five language pairs, every system counted."""
    path = shared / "data/wmt15_rr/rankings.tsv.gz"
    chance = []
    for source in ("cs", "de", "fi", "fr", "ru"):
        (part,) = load([path], pair=f"{source}-en")
        chance.append(agree(part.judgements, identical="each", resamples=1).value("P(E)"))
    assert round(float(np.mean(chance)), 3) == 0.338


def test_rankings_of_wmt12_agree_as_a_plain_count_says(shared: Path) -> None:
    (part,) = load([shared / "data/wmt12/rankings.tsv.gz"], pair="cs-en")
    tasks: dict[str, list[tuple[str, float, str, str]]] = {}
    for row in part.judgements.rows:
        tasks.setdefault(row.task, []).append((row.system, row.value, row.rater, row.segment))
    said: dict[tuple[str, str, str], list[tuple[str, float]]] = {}
    for rows in tasks.values():
        for i, (one, rank, rater, segment) in enumerate(sorted(rows)):
            for other, place, _, _ in sorted(rows)[i + 1 :]:
                said.setdefault((segment, one, other), []).append((rater, np.sign(place - rank)))
    met = [
        (a[1] == b[1], a[0] == b[0])
        for several in said.values()
        for i, a in enumerate(several)
        for b in several[i + 1 :]
    ]
    result = agree(part.judgements, resamples=1)
    for group, own in (("all", False), ("within raters", True)):
        equal = [same for same, himself in met if himself == own]
        (found,) = [item for item in result.measures if (item.measure, item.group) == ("P(A)", group)]
        assert (found.items, found.value) == (len(equal), pytest.approx(np.mean(equal)))


def test_marked_errors_of_ted_have_one_rater_each(shared: Path) -> None:
    (part,) = load([shared / "data/mqm/ted.en-de.mqm.tsv.gz"])
    result = agree(part.judgements, resamples=1)
    assert result.measures == ()
    assert "no two raters judged the same output" in result.notes[0]
    assert sum(person.judgements for person in result.people) == 7406
