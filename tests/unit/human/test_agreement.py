"""Test `agree` on small judgements whose agreement can be computed by hand."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tercet.data.judgements import Judgement, Judgements, Span
from tercet.data.scores import MetricRecord, Scores
from tercet.errors import DataError, UnknownName, UsageError
from tercet.human.agreement import Agreement, agree
from tercet.human.agreement_files import campaign_texts, load
from tercet.human.agreement_panel import panel_of_rankings, panel_of_scores, slice_of
from tercet.human.campaign import Campaign, Item, Output, Rater
from tercet.human.span_agreement import compare, overlap
from tercet.stats.agreement import kappa
from tercet.stats.reliability import icc

from ..stats.coefficients import fleiss_kappa, krippendorff_alpha, mean_kappa

nan = math.nan
RATERS = tuple("abcdefgh")
TABLE = np.random.default_rng(3).integers(1, 6, (5, 12)).astype(float)


def scored(table: Any = TABLE, kind: str = "adequacy", **fields: Any) -> Judgements:
    """Make judgements from values by rater and item; NaN is a missing one. fields: for all rows, or by rater."""
    rows = [
        Judgement(kind, str(j + 1), "sys", float(value), RATERS[i])._replace(
            **{name: given[i] if isinstance(given, list) else given for name, given in fields.items()}
        )
        for i, row in enumerate(table)
        for j, value in enumerate(row)
        if not math.isnan(value)
    ]
    return Judgements(rows, name="small")


def ranked(*rankings: tuple[str, str, dict[str, int]]) -> Judgements:
    """Make rankings from (rater, segment, ranks by system)."""
    rows = [
        Judgement("rank", segment, system, rank, rater, f"t{number}")
        for number, (rater, segment, ranks) in enumerate(rankings)
        for system, rank in ranks.items()
    ]
    return Judgements(rows, name="ranked")


def of(result: Agreement, measure: str, group: str = "all") -> Any:
    return next(item for item in result.measures if (item.measure, item.group) == (measure, group))


def test_coefficients_are_those_of_the_statistics():
    result = agree(scored(), resamples=50)
    for name, weights in (("kappa", "standard"), ("kappa, linear", "linear"), ("kappa, quadratic", "quadratic"),
                          ("kappa, one-off", "one-off")):  # fmt: skip
        assert of(result, name).value == pytest.approx(mean_kappa(TABLE, weights))
        assert (of(result, name).pairs, of(result, name).raters, of(result, name).items) == (10, 5, 12)
    assert result.value("Fleiss' kappa") == pytest.approx(fleiss_kappa(TABLE))
    for level in ("nominal", "ordinal", "interval"):
        assert result.value(f"alpha, {level}") == pytest.approx(krippendorff_alpha(TABLE, level=level))
    for found in icc(TABLE):
        assert result.value(found.form) == pytest.approx(found.value)
        assert of(result, found.form).low == pytest.approx(found.low)
    assert (result.judgements, result.raters, result.outputs, result.kind) == (60, 5, 12, "adequacy")
    assert math.isnan(result.value("no such measure"))


def test_intervals_enclose_the_value_and_depend_on_the_seed_alone():
    one, same, other = (agree(scored(), resamples=200, seed=seed) for seed in (1, 1, 2))
    item = of(one, "kappa, linear")
    assert item.low < item.value < item.high
    assert item == of(same, "kappa, linear")
    assert item != of(other, "kappa, linear")
    assert (one.seed, one.resamples, one.confidence) == (1, 200, 0.95)


def test_few_raters_have_no_interval_and_a_note_says_so():
    result = agree(scored(TABLE[:3]), resamples=50)
    assert math.isnan(of(result, "kappa").low) and not math.isnan(of(result, "ICC(2,1)").low)
    assert any(note.startswith("There are no intervals: five raters, or three in each group") for note in result.notes)


def test_one_rater_for_each_reference_has_no_interval():
    result = agree(scored(reference=list("ABCDE")), resamples=50)
    assert math.isnan(of(result, "kappa", "different references").low)


def test_continuous_scores_have_no_kappa_but_correlations():
    values = TABLE * 17.3
    result = agree(scored(values, "da"), resamples=50)
    assert {item.measure for item in result.measures} >= {
        "Pearson's r",
        "alpha, ordinal",
        "alpha, interval",
        "ICC(1,1)",
    }
    assert not any("kappa" in item.measure or "nominal" in item.measure for item in result.measures)
    pairs = [np.corrcoef(values[i], values[j])[0, 1] for i in range(5) for j in range(i)]
    assert result.value("Pearson's r") == pytest.approx(np.mean(pairs))


def test_half_points_have_no_kappa_and_a_note_says_why():
    result = agree(scored(TABLE + 0.5), resamples=50)
    assert math.isnan(result.value("kappa"))
    assert any("not whole numbers" in note for note in result.notes)


def test_groups_are_by_the_reference_shown():
    shown = ["A", "A", "B", "B", "src"]
    result = agree(scored(reference=shown), source=("", "src"), resamples=100)
    same = np.mean([kappa(TABLE[0], TABLE[1]), kappa(TABLE[2], TABLE[3])])
    different = np.mean([kappa(TABLE[i], TABLE[j]) for i in (0, 1) for j in (2, 3)])
    assert of(result, "kappa", "same reference").value == pytest.approx(same)
    assert of(result, "kappa", "different references").value == pytest.approx(different)
    assert of(result, "kappa", "same reference").pairs == 2
    assert not any(item.group == "source" for item in result.measures)  # there is one rater only
    (gap,) = [item for item in result.gaps if item.measure == "kappa"]
    assert gap.value == pytest.approx(same - different)
    apart = np.full((4, 24), nan)
    apart[:2, :12], apart[2:, 12:] = TABLE[:2], TABLE[2:4]
    assert of(result, "alpha, ordinal", "same reference").value == pytest.approx(
        krippendorff_alpha(apart, level="ordinal")
    )
    assert result.shown == ("A", "B", "src")


def test_the_interval_of_the_gap_encloses_it():
    """Raters of a reference agree on most outputs, those of different references on fewer."""
    rng = np.random.default_rng(6)
    first, other = rng.integers(1, 6, (2, 60))
    truths = np.repeat([first, np.where(np.arange(60) < 35, first, other)], 4, axis=0)
    table = np.where(rng.random((8, 60)) < 0.8, truths, rng.integers(1, 6, (8, 60)))
    result = agree(scored(table, reference=list("AAAABBBB")), resamples=200)
    (gap,) = [item for item in result.gaps if item.measure == "kappa"]
    assert gap.low < gap.value < gap.high < of(result, "kappa", "same reference").value
    apart = np.full((8, 120), nan)
    apart[:4, :60], apart[4:, 60:] = table[:4], table[4:]
    assert of(result, "alpha, nominal", "same reference").value == pytest.approx(krippendorff_alpha(apart))


def test_one_reference_for_all_makes_no_groups():
    result = agree(scored(reference="A"), resamples=50)
    assert {item.group for item in result.measures} == {"all"}
    assert result.averages == () and result.contrasts == ()


def test_averages_and_contrasts_by_reference():
    result = agree(scored(reference=["A", "A", "B", "B", "B"]), resamples=200)
    assert [(item.shown, item.raters, item.outputs) for item in result.averages] == [("A", 2, 12), ("B", 3, 12)]
    assert result.averages[0].mean == pytest.approx(TABLE[:2].mean())
    (contrast,) = result.contrasts
    assert contrast.difference == pytest.approx(TABLE[:2].mean() - TABLE[2:].mean())
    stats = pytest.importorskip("scipy.stats")
    assert contrast.p == pytest.approx(stats.ttest_rel(TABLE[:2].mean(0), TABLE[2:].mean(0)).pvalue)
    assert (contrast.p_holm, contrast.p_raters_holm) == (contrast.p, contrast.p_raters)
    means = TABLE.mean(1)
    exact = stats.permutation_test(
        (means[:2], means[2:]), lambda a, b: abs(a.mean() - b.mean()), alternative="greater", n_resamples=np.inf
    )
    assert contrast.p_raters == pytest.approx(exact.pvalue)


def test_a_shift_of_one_group_is_found_by_both_tests():
    table = np.vstack([TABLE, TABLE])[:10]
    rows = [
        Judgement("da", str(j), "s", float(table[i, j] + (20 if i > 4 else 0)), f"r{i}", reference="AB"[i // 5])
        for i in range(10)
        for j in range(12)
    ]
    (contrast,) = agree(Judgements(rows), resamples=100).contrasts
    assert contrast.difference == pytest.approx(-20)
    assert contrast.p < 1e-6
    assert contrast.p_raters == pytest.approx(2 / 252)  # this way of dividing ten raters, and its mirror image
    assert contrast.low <= -20 <= contrast.high < 0


def test_a_rater_who_saw_both_references_is_not_paired_with_themselves():
    rows = [
        Judgement("adequacy", str(j), "s", float(TABLE[i, j]), RATERS[i], reference=name)
        for i in range(2)
        for name in "AB"
        for j in range(12)
    ]
    result = agree(Judgements(rows), resamples=50)
    assert of(result, "kappa", "different references").pairs == 2
    assert of(result, "kappa", "same reference").pairs == 2
    assert math.isnan(result.contrasts[0].p_raters)


def test_metrics_are_correlated_by_the_references_of_both():
    human = TABLE[:4]
    result_scores = {
        name: [Scores(MetricRecord("m", "M", "m", higher), {"sys": 0.0}, {"sys": values}, n_segments=12)]
        for name, values, higher in (("A", human[:2].mean(0) * 3 + 1, True), ("B", -human[2:].mean(0), False))
    }
    segments = {name: [str(number) for number in range(1, 13)] for name in "AB"}
    result = agree(scored(human, reference=list("AABB")), scores=result_scores, segments=segments, resamples=50)
    values = {(item.shown, item.given): item.value for item in result.correlations}
    assert values["A", "A"] == pytest.approx(1) and values["B", "B"] == pytest.approx(1)
    across = np.corrcoef(human[:2].mean(0), human[2:].mean(0))[0, 1]
    assert values["A", "B"] == pytest.approx(across) and values["B", "A"] == pytest.approx(across)
    with pytest.raises(
        DataError, match="scored none of the judged outputs, because names of systems or segments differ"
    ):
        agree(scored(human), scores=result_scores, segments={name: ["x"] * 12 for name in "AB"}, resamples=50)


def test_the_last_of_several_judgements_counts_and_a_note_says_so():
    first = scored(6 - TABLE)
    result = agree(first + scored(), resamples=50)
    assert result.value("kappa") == pytest.approx(mean_kappa(TABLE))
    assert "Left out: 60 judgements that the same rater replaced later." in result.notes


def test_of_changed_answers_the_last_counts():
    rows = [
        Judgement("adequacy", "1", "s", 1, "a", "i1"),
        Judgement("adequacy", "1", "s", 4, "a", "i1#2"),
        Judgement("adequacy", "1", "s", 4, "b", "i1"),
        Judgement("adequacy", "2", "s", 2, "a", "i2"),
        Judgement("adequacy", "2", "s", 2, "b", "i2"),
    ]
    result = agree(Judgements(rows), resamples=10)
    assert result.value("kappa") == 1
    assert result.judgements == 4


def test_only_complete_raters_on_request():
    table = TABLE.copy()
    table[1, 3] = nan
    result = agree(scored(table), complete=True, resamples=50)
    assert result.raters == 4
    assert result.value("kappa") == pytest.approx(mean_kappa(np.delete(TABLE, 1, 0)))
    assert "Left out: raters who did not judge every output: b." in result.notes
    holes = np.full((2, 2), nan)
    holes[0, 0] = holes[1, 1] = 1
    with pytest.raises(DataError, match="No rater judged all 2 outputs"):
        agree(scored(holes), complete=True)


def test_slices_follow_the_order_in_which_raters_worked():
    result = agree(scored(), slices=3, resamples=50)
    assert [(item.first, item.last) for item in result.slices] == [(0, 1 / 3), (1 / 3, 2 / 3), (2 / 3, 1)]
    for number, item in enumerate(result.slices):
        part = TABLE[:, 4 * number : 4 * number + 4]
        assert item.agreement["all"] == pytest.approx(mean_kappa(part, "linear"))
        assert item.spread == pytest.approx(part.std(axis=1).mean())
        assert math.isnan(item.seconds)


def test_slices_of_rankings_by_hand():
    first, second = {"x": 1, "y": 2}, {"x": 2, "y": 1}
    data = ranked(("a", "1", first), ("a", "2", first), ("b", "1", first), ("b", "2", second))
    both = [(item.measure, item.agreement["all"]) for item in agree(data, slices=2, resamples=50).slices]
    assert both == [("kappa", 1.0), ("kappa", -1.0)]


def test_a_hundred_judgements_fall_into_five_equal_slices():
    panel = panel_of_scores(scored(np.ones((1, 100))), ("",))
    assert np.bincount(slice_of(panel, 5)).tolist() == [20] * 5
    assert np.bincount(slice_of(panel, 7)).sum() == 100


def test_the_report_on_raters():
    table = np.array([[1, 2, 3, 4], [2, 3, 5, 6], [2, 3, 4, 5]], dtype=float)
    judgements = scored(table, "da", seconds=[3.0, 5.0, 7.0])
    people = {person.rater: person for person in agree(judgements, resamples=10).people}
    assert (people["b"].judgements, people["b"].mean, people["b"].seconds) == (4, 4.0, 5.0)
    assert people["a"].spread == pytest.approx(np.std([1, 2, 3, 4], ddof=1))
    # The others' means are 1.5 2.5 3.5 4.5, so b is above them by .5 .5 1.5 1.5.
    assert people["b"].drift == pytest.approx(1.0)
    assert people["a"].agreement == pytest.approx((np.corrcoef(table[0], table[1])[0, 1] + 1) / 2)
    assert math.isnan(people["a"].ties) and people["a"].checks == 0


def test_failed_checks_are_named():
    pytest.importorskip("scipy")
    rows = []
    for rater, bad, again in (("careful", -40, 1), ("careless", +5, 60)):
        for j in range(6):
            value = 50.0 + j
            rows.append(Judgement("da", str(j), "s", value, rater))
            rows.append(Judgement("da", str(j), "s", max(value + bad + j % 2, 0), rater, check="bad"))
            rows.append(Judgement("da", str(j), "s", abs(value - again), rater, check="repeat"))
    people = {person.rater: person for person in agree(Judgements(rows), resamples=10).people}
    assert people["careful"].failed == ()
    assert (people["careful"].checks, people["careful"].repeats, people["careful"].repeat_difference) == (12, 6, 1.0)
    lower, apart = people["careless"].failed
    assert lower.startswith("damaged outputs not scored lower: mean difference +5.5 over 6")
    assert apart.startswith("repeats differ by")
    assert people["careless"].judgements == 6  # control items are not counted


def test_agreement_on_rankings_by_hand():
    judgements = ranked(
        ("a", "1", {"x": 1, "y": 2, "z": 2}),
        ("b", "1", {"z": 2, "y": 3, "x": 1}),
        ("c", "1", {"x": 2, "y": 1}),
        ("a", "2", {"x": 1, "y": 2}),
        ("a", "1", {"x": 2, "y": 1}),
    )
    result = agree(judgements, resamples=20)
    # x against y in segment 1: a >, b >, c <, a again <; x against z: a >, b >; y against z: a =, b <.
    # Different raters: a-b, a-c, b-c, a'-b, a'-c: 2 agree of 5; x-z agrees, y-z does not: 3 of 7.
    assert of(result, "P(A)").value == pytest.approx(3 / 7)
    assert (of(result, "P(A)").items, of(result, "P(A)").raters, of(result, "P(A)").pairs) == (7, 3, 3)
    ties = 1 / 9
    expected = ties**2 + 2 * ((1 - ties) / 2) ** 2
    assert result.value("P(E)") == pytest.approx(expected)
    assert result.value("kappa") == pytest.approx((3 / 7 - expected) / (1 - expected))
    assert result.value("P(A), no ties") == pytest.approx(3 / 6)
    assert result.value("P(E), no ties") == 0.5
    within = of(result, "P(A)", "within raters")
    assert (within.value, within.items, within.raters) == (0, 1, 1)
    people = {person.rater: person for person in result.people}
    assert (people["a"].judgements, people["a"].repeats, people["a"].repeat_difference) == (3, 1, 1.0)
    assert people["a"].ties == pytest.approx(1 / 5)
    assert people["c"].agreement == pytest.approx(1 / 3)


def test_outputs_with_the_same_text_count_once_or_each():
    rows = []
    for number, rater in enumerate("ab"):
        rows += [
            Judgement("rank", "1", "x", 1, rater, f"t{number}"),
            Judgement("rank", "1", "y", 2, rater, f"t{number}"),
        ]
        rows += [Judgement("rank", "1", "z", 2, rater, f"t{number}", check="same as y")]
    once, each = (agree(Judgements(rows), identical=way, resamples=5) for way in ("once", "each"))
    assert (of(once, "P(A)").items, of(each, "P(A)").items) == (1, 3)
    assert once.value("P(E)") == 0.5 and each.value("P(E)") == pytest.approx(1 / 3)
    assert once.notes[0].startswith("Left out: 2 ranks of outputs that have the same text")
    assert len(panel_of_rankings(Judgements(rows), ("",), identical="each").items) == 3


def test_spans_by_hand():
    one = [Span(0, 4, "Major", "Accuracy"), Span(10, 12, "Minor", "Fluency"), Span(None, None, "Major", "Omission")]
    other = [Span(2, 6, "major", "Fluency"), Span(None, None, "Minor", "Omission"), Span(20, 21, "Minor", "Fluency")]
    characters, errors, severity, category = compare(one, other).tolist()
    assert characters == [2 * 2, 6 + 5]
    assert errors == [4, 6]  # the first and the omission of each
    assert severity == [2, 4] and category == [2, 4]
    assert compare([], []).tolist() == [[0, 0]] * 4
    assert compare(one, []).tolist() == [[0, 6], [0, 3], [0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((0, 4), (2, 9), 2),
        ((0, 4), (4, 9), 0),
        ((3, 3), (0, 4), 1),
        ((4, 4), (4, 9), 1),
        ((5, 5), (0, 4), 0),
        ((None, None), (0, 4), 0),
        ((None, None), (None, None), 1),
    ],
)
def test_overlaps(one, other, expected):
    first, second = (Span(*ends, "Minor") for ends in (one, other))
    assert overlap(first, second) == overlap(second, first) == expected


def test_marks_in_the_source_do_not_overlap_with_marks_in_the_output():
    assert overlap(Span(0, 4, "Minor"), Span(0, 4, "Minor", in_source=True)) == 0


def test_span_agreement_of_mqm_and_esa():
    spans = {"a": (Span(0, 5, "Major", "X"),), "b": (Span(0, 5, "Minor", "X"),), "c": (), "d": (Span(3, 8, "Major"),)}
    rows = [
        Judgement("mqm", str(j), "s", nan, rater, spans=marked if j else ())
        for rater, marked in spans.items()
        for j in range(3)
    ]
    result = agree(Judgements(rows), resamples=50)
    # Characters of pairs: a-b 10 of 10, a-d and b-d 4 of 10 each, with c 0 of 5 three times; in two of three outputs.
    assert result.value("spans, characters") == pytest.approx((10 + 4 + 4) / (10 + 10 + 10 + 15))
    assert result.value("spans, errors") == pytest.approx(6 / 9)
    assert result.value("spans, severity") == pytest.approx((0 + 2 + 0) / 6)
    assert result.value("spans, category") == pytest.approx(2 / 6)
    assert result.value("kappa, any error") == pytest.approx((1 + 1 + 1 + 0 + 0 + 0) / 6)
    assert result.value("Pearson's r") != 0  # of weighted scores: -5 -1 0 -5
    esa = Judgements([row._replace(kind="esa", value=80.0 - 10 * len(row.spans or ())) for row in rows])
    assert agree(esa, resamples=10).value("spans, characters") == result.value("spans, characters")


def test_a_note_says_that_no_two_raters_judged_the_same_output():
    result = agree(scored([[1, nan], [nan, 2]]), resamples=10)
    assert result.measures == ()
    assert result.notes == ("There is no agreement to measure: no two raters judged the same output.",)
    assert len(result.people) == 2


@pytest.mark.parametrize(
    ("judgements", "options", "error", "message"),
    [
        (Judgements([]), {}, DataError, "are empty"),
        (scored(rater=""), {}, DataError, "segment '1', system 'sys': no rater is named"),
        (scored() + scored(kind="da"), {}, UsageError, "of several kinds. Choose one: adequacy, da"),
        (scored(), {"kind": "da"}, UnknownName, "'da'"),
        (scored(check="bad"), {}, DataError, "there are only control items"),
        (scored(), {"identical": "twice"}, UsageError, "'twice'"),
        (scored(), {"slices": 0}, UsageError, "`slices` must be 1 to 1000, not 0"),
        (scored(), {"confidence": 1.5}, UsageError, "confidence"),
        (
            ranked(("a", "1", {"x": 1, "y": 2})),
            {"complete": True},
            UsageError,
            "`complete` cannot be used with rankings",
        ),
        (
            ranked(("a", "1", {"x": 1, "y": 2})),
            {"scores": {"A": []}},
            UsageError,
            "Metrics cannot be correlated with rankings",
        ),
    ],
)
def test_what_cannot_be_analysed_is_refused(judgements, options, error, message):
    with pytest.raises(error, match=message):
        agree(judgements, **options)


def campaign(**changes: Any) -> Campaign:
    items = [
        Item(f"i{j}{name}", str(j), (Output("s", f"output {j}"),), reference=f"{name} {j}", reference_name=name)
        for j in (1, 2)
        for name in ("A", "B")
    ]
    raters = [Rater("ann", ("i1A", "i2A")), Rater("bob", ("i1B", "i2B"))]
    return Campaign("small", "adequacy", items, raters, pair="en-de", show="reference", id="x", **changes)


def test_a_campaign_is_read_with_its_answers_and_texts(tmp_path: Path):
    storage = pytest.importorskip("tercet.human.storage", reason="SQLAlchemy is not installed", exc_type=ImportError)
    path = tmp_path / "c.json"
    campaign().write(path)
    with pytest.raises(UsageError, match="there are no answers yet"):
        load([path])
    store = storage.Store.open(storage.default_database(path), campaign())
    with pytest.raises(DataError, match="Campaign 'small' has no judgements yet"):
        load([path])
    for number, (rater, item, value) in enumerate(
        [("ann", "i1A", 1), ("ann", "i2A", 5), ("bob", "i1B", 2), ("bob", "i2B", 4), ("ann", "i1A", 2)]
    ):
        store.append(request=str(number), rater=rater, item=item, answer={"value": value}, seconds=2.0)
    store.close()
    ((judgements, testset, source, _),) = load([path])
    assert [row.value for row in judgements.rows] == [5, 2, 4, 2]
    assert testset is not None and testset.references == {"A": ("A 1", "A 2"), "B": ("B 1", "B 2")}
    assert source == {""}
    with pytest.raises(UsageError, match="a campaign of en-de, not of de-en"):
        load([path], pair="de-en")


def test_a_campaign_without_all_outputs_has_no_texts():
    whole = campaign()
    assert campaign_texts(whole) is not None
    more = Item("i3", "3", (Output("t", "x"),), reference="A 3", reference_name="A")
    parts = Campaign("small", "adequacy", [*whole.items, more], whole.raters, show="reference", id="x")
    assert campaign_texts(parts) is None


def test_files_of_several_raters_are_merged(tmp_path: Path):
    header = "rater\titem\tsegment\tsystem\tkind\tvalue"
    for rater, values in (("a", (1, 2, 3)), ("b", (1, 2, 4))):
        lines = [f"{rater}\ti{j}\t{j}\ts\tadequacy\t{value}" for j, value in enumerate(values)]
        (tmp_path / f"{rater}.tsv").write_text("\n".join([header, *lines, ""]), "utf-8")
    (part,) = load([tmp_path / "a.tsv", tmp_path / "b.tsv"])
    assert part.judgements.raters == ("a", "b")
    assert agree(part.judgements, resamples=5).value("kappa") == pytest.approx(kappa([1, 2, 3], [1, 2, 4]))
    with pytest.raises(UsageError, match="There is no file"):
        load([tmp_path / "c.tsv"])
    with pytest.raises(UsageError, match="at least one file"):
        load([])
    (tmp_path / "other.txt").write_text("no judgements\n", "utf-8")
    with pytest.raises(DataError, match="holds no judgements in a known format"):
        load([tmp_path / "other.txt"])
