"""`kobe`, `kobe_pool` and the report of entities, with a small knowledge base."""

import json
from math import exp, isnan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import TestSet, metrics, score
from tercet.errors import DataError, UnknownName, UsageError
from tercet.knowledge.building import NameRecord, build
from tercet.metrics import Shard
from tercet.metrics.bases.entities import Languages, languages, match
from tercet.metrics.entities.kobe import KoBE
from tercet.testing import check_metric

NAMES = {  # id: (category, weight, names by language)
    "Q64": ("place", 9, {"de": "Berlin", "en": "Berlin", "ru": "Берлин"}),
    "Q90": ("place", 9, {"de": "Paris", "en": "Paris", "ru": "Париж"}),
    "Q830149": ("place", 1, {"en": "Paris"}),
    "Q1490": ("place", 9, {"de": "Tokio", "en": "Tokyo"}),
    "Q567": ("person", 5, {"de": "Angela Merkel", "en": "Angela Merkel"}),
    "Q146": ("species", 3, {"de": "Katze", "en": "cat"}),
    "Q7802": ("concept", 3, {"de": "Brot"}),
    "Q1028181": ("concept", 3, {"en": "painter"}),
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> str:
    records = [
        NameRecord(entity, language, name, category, weight)
        for entity, (category, weight, names) in NAMES.items()
        for language, name in names.items()
    ]
    place = tmp_path_factory.mktemp("kb") / "small"
    build(records, place, name="small", languages=["de", "en", "ru"], min_languages=1)
    return str(place)


TEXTS = TestSet(
    {
        "good": ["Angela Merkel in Berlin", "The cat from Paris", "No name"],
        "bad": ["A woman in Berlin", "The dog from Tokyo", "No name"],
        "many": ["Berlin Paris Tokyo Berlin Paris Tokyo", "The cat from Paris", "No name"],
        "same": ["Angela Merkel in Berlin", "A cat in Paris", "No name"],
    },
    {"r": ["Angela Merkel in Berlin", "The cat of the painter from Paris", "Name"]},
    source=["Angela Merkel in Berlin", "Die Katze aus Paris mit dem Brot", "Kein Name"],
    pair="de-en",
    name="small",
)


def test_counts_and_scores_by_hand(kb: str) -> None:
    metric = metrics.create(f"kobe:kb={kb}")
    counts = metric.statistics(TEXTS)
    assert counts["good"].tolist() == [[2, 2, 2], [2, 2, 2], [0, 0, 0]]  # no entity that English cannot name: bread
    assert counts["bad"].tolist() == [[1, 2, 1], [0, 2, 1], [0, 0, 0]]
    assert counts["many"].tolist() == [[1, 2, 6], [2, 2, 2], [0, 0, 0]]
    assert float(metric.score(counts["good"].sum(0))) == 1
    assert float(metric.score(counts["bad"].sum(0))) == 0.25
    assert float(metric.score(counts["many"].sum(0))) == 0.75  # 8 of at most 2 * 4: e to the 0
    first, _, third = metric.segment_scores(counts["many"])
    assert first == pytest.approx(0.5 * exp(1 - 6 / 4), abs=1e-15)
    assert isnan(third)


def test_entities_that_one_language_cannot_name_count_only_if_asked_for(kb: str) -> None:
    counts = metrics.create(f"kobe:kb={kb},shared=false,categories=all").statistics(TEXTS)
    assert counts["good"].tolist() == [[2, 2, 2], [2, 3, 2], [0, 0, 0]]
    counts = metrics.create(f"kobe:kb={kb},against=reference,average=corpus").statistics(TEXTS)
    assert counts["good"].tolist() == [[2, 2, 2], [2, 3, 2], [0, 0, 0]]  # the painter is in the reference's language


def test_concepts_count_against_the_reference_and_not_against_the_source(kb: str) -> None:
    source, reference = (metrics.create(spec).resolved() for spec in ("kobe", "kobe:against=reference"))
    assert [source.categories, source.senses] == ["names", "all"]
    assert [reference.categories, reference.senses] == ["all", "best"]
    assert [source.spec, reference.spec] == ["kobe", "kobe:against=reference"]
    assert metrics.create("kobe:senses=2,against=reference,penalty=no").spec == (
        "kobe:against=reference,senses=2,penalty=false"
    )
    metric = metrics.create(f"kobe:kb={kb},against=reference,categories=names,average=corpus")
    assert metric.statistics(TEXTS)["good"].tolist() == [[2, 2, 2], [2, 2, 2], [0, 0, 0]]
    assert metrics.create(metric.spec).resolved() == metric.resolved()


def test_names_without_their_capital_count_against_the_reference_alone_unless_asked_for(kb: str) -> None:
    texts = TestSet({"x": ["from berlin"]}, {"r": ["from Berlin"]}, source=["aus Berlin"], pair="de-en")
    expected = {"": 0, ",guards=false": 1, ",against=reference": 1, ",against=reference,guards=true": 0}
    for more, matches in expected.items():
        metric = metrics.create(f"kobe:kb={kb},forms=false{more}")
        assert metric.statistics(texts)["x"].tolist() == [[matches, 1, matches]]
        for text in (metric.spec, metric.signature):
            assert metrics.create(text).resolved() == metric.resolved()


def test_a_word_that_is_left_untranslated_counts_as_a_name_that_is_lost(kb: str) -> None:
    pytest.importorskip("simplemma")
    outputs = {
        "good": ["the bakery in Berlin"],
        "left": ["the bäckerei in Berlin"],
        "Copy": ["Bäckerei in Berlin film"],
    }
    texts = TestSet(outputs, source=["die bäckerei in Berlin, film"], pair="de-en")
    both = metrics.create(f"kobe:kb={kb}")
    counts = both.statistics(texts)
    assert counts["good"].tolist() == [[1, 1, 1]]
    assert counts["left"].tolist() == counts["Copy"].tolist() == [[1, 2, 1]]  # "in" is short, "film" is English
    concepts = metrics.create(f"kobe:kb={kb},layers=concepts")
    assert concepts.statistics(texts)["left"].tolist() == [[1, 2, 0]]
    assert metrics.create(f"kobe:kb={kb},layers=names").statistics(texts)["left"].tolist() == [[1, 1, 1]]
    seen = both.resolved().explain_segment(Languages("de", "en"), outputs["left"][0], [], texts.source[0])
    [entities] = seen.parts
    assert [(each.text, each.category) for each in entities.other if not each.matched] == [("bäckerei", "word")]
    russian = TestSet({"x": ["he и she в Berlin из town"]}, source=["он и она из города в Берлин"], pair="ru-en")
    assert both.statistics(russian)["x"].tolist() == [[1, 1, 1]]  # shorter than three letters


def test_numbers_and_other_forms_of_a_name_count_against_the_source(kb: str) -> None:
    texts = TestSet({"x": ["BERLIN-based, 30 percent"]}, source=["aus Berlin, 30 Prozent"], pair="de-en")
    assert metrics.create(f"kobe:kb={kb}").statistics(texts)["x"].tolist()[0][:2] == [2, 2]
    plain = metrics.create(f"kobe:kb={kb},numbers=false,forms=false")
    assert plain.statistics(texts)["x"].tolist()[0][1] == 1


def test_the_penalty_and_the_categories_can_be_chosen(kb: str) -> None:
    plain = metrics.create(f"kobe:kb={kb},penalty=false")
    assert plain.segment_scores(plain.statistics(TEXTS)["many"])[0] == 0.5
    places = metrics.create(f"kobe:kb={kb},categories=place")
    assert places.statistics(TEXTS)["good"].tolist() == [[1, 1, 1], [1, 1, 1], [0, 0, 0]]
    with pytest.raises(UnknownName, match="There is no category in the knowledge base 'small' called 'plaice'"):
        metrics.create(f"kobe:kb={kb},categories=plaice").statistics(TEXTS)


def test_of_several_references_the_one_recalled_best_counts(kb: str) -> None:
    texts = TestSet(
        {"x": ["Berlin", "Tokyo"]}, {"a": ["Berlin and Paris", None], "b": ["Berlin", "Paris or Tokyo"]}, pair="ru-en"
    )
    metric = metrics.create(f"kobe:kb={kb},against=reference")
    counts = metric.statistics(texts)["x"]
    assert counts.tolist() == [[1, 1, 1], [0.5, 1, 0.5]]
    assert metric.score(counts.sum(0)) == 0.75
    whole = metrics.create(f"kobe:kb={kb},against=reference,average=corpus")
    assert whole.statistics(texts)["x"].tolist() == [[1, 1, 1], [1, 2, 1]]


@pytest.mark.parametrize(
    ("expected", "found", "penalty"), [(4, 7, 1.0), (4, 8, 1.0), (4, 12, exp(-0.5)), (1, 1, 1.0), (1, 4, exp(-1))]
)
def test_the_penalty_starts_at_twice_the_expected_entities(expected: int, found: int, penalty: float) -> None:
    metric = metrics.create("kobe")
    assert float(metric.score(np.array([1.0, expected, found]))) == pytest.approx(penalty / expected, abs=1e-15)
    assert metric.details(np.array([1.0, expected, found]))["penalty"] == pytest.approx(penalty, abs=1e-15)


def test_published_rounding_is_that_of_the_percentage_before_the_penalty() -> None:
    metric = metrics.create("kobe:rounding=published")
    assert float(metric.score(np.array([1.0, 3.0, 9.0]))) == pytest.approx(0.3333 * exp(1 - 9 / 6), abs=1e-15)
    assert float(metric.score(np.array([2.0, 3.0, 3.0]))) == pytest.approx(0.6667, abs=1e-15)
    assert np.isnan(metric.score(np.zeros((2, 3)))).all()


def test_details_say_what_was_counted() -> None:
    metric = metrics.create("kobe:against=reference")
    found = {"matches": 3, "reference_entities": 4, "output_entities": 6, "recall": 0.75, "precision": 0.5}
    assert metric.details(np.array([3.0, 4.0, 6.0])) == found | {"penalty": 1.0}
    assert metric.details(np.zeros(3))["recall"] is None
    assert metric.verbose(np.array([3.0, 4.0, 6.0])) == "3 of 4 entities of the reference, 6 in the output"


def test_the_order_of_references_does_not_matter_where_nothing_is_recalled(kb: str) -> None:
    metric = metrics.create(f"kobe:kb={kb},against=reference")
    texts = {"none": ["No name"], "two": ["Berlin and Paris"], "one": ["Berlin"]}
    for order in (("none", "two", "one"), ("two", "one", "none"), ("one", "none", "two")):
        testset = TestSet({"a": ["Tokyo"]}, {name: texts[name] for name in order}, pair="de-en")
        assert metric.statistics(testset)["a"].tolist() == [[0, 1, 1]]


def test_a_number_of_senses_may_be_given_as_a_number() -> None:
    metric = KoBE(senses=3)  # type: ignore[arg-type]
    assert metrics.create(metric.signature).resolved() == metric.resolved() == KoBE(senses="3").resolved()


def test_files_that_changed_are_read_anew(kb: str, tmp_path: Path) -> None:
    testset = TestSet({"a": ["Tokyo"]}, source=["Tokio"], pair="de-en")
    path = tmp_path / "annotations.jsonl"
    metric, none = metrics.create(f"kobe:annotations={path}"), {"text": "Tokyo", "mentions": []}
    path.write_text(json.dumps(none) + '\n{"text": "Tokio", "mentions": []}\n')
    assert metric.statistics(testset)["a"].tolist() == [[0, 0, 0]]
    path.write_text(
        json.dumps(none) + '\n{"text": "Tokio", "mentions": [{"start": 0, "end": 5, "entities": ["Q1"]}]}\n'
    )
    assert metric.statistics(testset)["a"].tolist() == [[0, 1, 0]]
    metric = metrics.create(f"kobe:kb={tmp_path / 'kb'}")
    signatures = set()
    for name, matches in (("Berlin", 0), ("Tokio", 1)):
        records = [NameRecord("Q1", "de", name, "place"), NameRecord("Q1", "en", "Tokyo", "place")]
        build(records, tmp_path / "kb", name="changing", languages=["de", "en"], replace=True)
        assert metric.statistics(testset)["a"].tolist() == [[matches, matches, 1]]
        signatures.add(metric.ready(testset).signature)
    assert len(signatures) == 2


def test_the_signature_tells_knowledge_bases_apart_and_leads_back(kb: str) -> None:
    (scores,) = score(TEXTS, [f"kobe:kb={kb}"])
    names = scores.signature.partition("|names:")[2].partition("|")[0]
    assert len(names.partition("+")[0]) == 16
    assert metrics.create(scores.signature).resolved() == metrics.create(f"kobe:kb={kb}").resolved()
    assert "|names:" not in metrics.create("kobe").signature  # says nothing of a knowledge base that is not opened
    reference = score(TEXTS, [f"kobe:kb={kb},against=reference"])[0]
    assert reference.signature.startswith("KoBE|nrefs:1|")


def test_annotations_of_several_systems_in_one_file_are_kept_apart(tmp_path: Path) -> None:
    def line(system: str, text: str, entity: str) -> str:
        return json.dumps({"system": system, "text": text, "mentions": [{"start": 0, "end": 1, "entities": [entity]}]})

    rows = [("r", "a", "Q1"), ("r", "b", "Q2"), ("x", "a", "Q1"), ("x", "c", "Q3"), ("y", "a", "Q9"), ("y", "b", "Q2")]
    (tmp_path / "a.jsonl").write_text("".join(f"{line(*row)}\n" for row in rows), "utf-8")
    metric = metrics.create(f"kobe:against=reference,annotations={tmp_path}/a.jsonl")
    counts = metric.statistics(TestSet({"x": ["a", "c"], "mixed": ["c", "b"]}, {"r": ["a", "b"]}))
    assert counts["x"].tolist() == [[1, 1, 1], [0, 1, 1]]
    assert counts["mixed"].tolist() == [[0, 1, 1], [1, 1, 1]]  # of nobody: the first annotation of each text
    with pytest.raises(DataError, match="annotations has no annotation of text 2 of 2"):
        metric.statistics(TestSet({"x": ["a", "d"]}, {"r": ["a", "b"]}))


def test_annotations_without_a_system_belong_to_all(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    mention = {"start": 0, "end": 1, "entities": ["Q1"]}
    rows = [{"text": "S", "mentions": [mention]}, {"text": "A", "system": "a", "mentions": [mention]},
            {"text": "B", "system": "b", "mentions": []}]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    counts = metrics.create(f"kobe:annotations={path}").statistics(TestSet({"a": ["A"], "b": ["B"]}, source=["S"]))
    assert {system: table.tolist() for system, table in counts.items()} == {"a": [[1, 1, 1]], "b": [[0, 1, 0]]}


def test_what_is_needed_is_said(kb: str) -> None:
    with pytest.raises(UsageError, match="kobe needs sources, and test set 'unnamed' has none"):
        metrics.create(f"kobe:kb={kb}").statistics(TestSet({"x": ["a"]}, {"r": ["a"]}, pair="de-en"))
    with pytest.raises(UsageError, match="kobe needs references, and test set 'unnamed' has none"):
        metrics.create(f"kobe:kb={kb},against=reference").statistics(TestSet({"x": ["a"]}, source=["a"], pair="de-en"))
    with pytest.raises(UsageError, match="kobe needs to know the languages, and test set 'mine' does not say them"):
        score(TestSet({"x": ["a"]}, source=["a"], name="mine"), [f"kobe:kb={kb}"])
    with pytest.raises(UnknownName, match="There is no language in the knowledge base 'small' called 'fr'"):
        score(TestSet({"x": ["a"]}, source=["a"], pair="fr-en"), [f"kobe:kb={kb}"])
    with pytest.raises(UsageError, match="There is no knowledge base nowhere"):
        score(TEXTS, ["kobe:kb=nowhere"])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("kobe:against=target", "There is no side of kobe called 'target'. Known: reference, source."),
        ("kobe:rounding=up", "There is no rounding of kobe called 'up'."),
        ("kobe:senses=0", "kobe: senses must be best, all, or a number from 1 to 99, not '0'."),
        ("kobe:against=reference,layers=both", "kobe: layers=both looks for words of the source; it needs"),
        ("kobe:kb=", "kobe: kb must not be empty or hold '|' or ',': ''"),
        ("kobe_pool:threshold=1", "kobe_pool: threshold must be a number from 0 to below 1, not 1"),
    ],
)
def test_parameters_that_cannot_be_are_refused(spec: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        metrics.create(spec)
    assert str(error.value).startswith(message)


def test_pairs_are_read_without_regions() -> None:
    assert languages("en-zh_CN") == Languages("en", "zh")
    assert languages("zh_Hant-pt-BR") == Languages("zh", "pt")


ids = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=2).map(tuple), max_size=5)


@given(ids, ids)
def test_as_many_mentions_match_as_possible(expected: list[tuple[str, ...]], found: list[tuple[str, ...]]) -> None:
    def most(at: int, free: frozenset[int]) -> int:  # every way of matching, tried
        if at == len(expected):
            return 0
        ways = [i for i in free if set(found[i]) & set(expected[at])]
        return max([most(at + 1, free), *(1 + most(at + 1, free - {i}) for i in ways)])

    assert sum(match(expected, found)) == most(0, frozenset(range(len(found))))


def test_matching_a_mention_that_occurs_thousands_of_times_is_no_problem() -> None:
    assert match([("a", "b")] * 3000, [("b", "c")] * 2999) == [True] * 2999 + [False]


def test_the_pool_by_hand(kb: str) -> None:
    metric = metrics.create(f"kobe_pool:kb={kb},threshold=0.5")
    counts = metric.statistics(TEXTS)
    # Two of three others have Berlin, and of the other three two have the cat and Paris; for good, only one other has
    # Angela Merkel, for bad and many two do.
    assert counts["good"].tolist() == [[1, 1], [2, 2], [0, 0]]
    assert counts["bad"].tolist() == [[1, 2], [0, 2], [0, 0]]
    assert counts["many"].tolist() == [[1, 2], [2, 2], [0, 0]]
    assert counts["same"].tolist() == [[1, 1], [2, 2], [0, 0]]
    assert metric.score(counts["bad"].sum(0)) == 0.25
    assert isnan(metric.segment_scores(counts["bad"])[2])
    fewer = metrics.create(f"kobe_pool:kb={kb},threshold=0.67").statistics(TEXTS)
    assert fewer["bad"].tolist() == [[1, 1], [0, 2], [0, 0]]


def test_the_pool_has_a_second_mention_apart_from_the_first(kb: str) -> None:
    outputs = {"a": ["Paris and Paris"], "b": ["Paris or Paris"], "c": ["Paris"], "d": ["Paris"]}
    metric = metrics.create(f"kobe_pool:kb={kb},threshold=0.5")
    counts = metric.statistics(TestSet(outputs, source=["Paris und Paris"], pair="de-en"))
    assert {system: table.tolist() for system, table in counts.items()} == {
        "a": [[1, 1]], "b": [[1, 1]], "c": [[1, 2]], "d": [[1, 2]]
    }  # fmt: skip


def test_a_system_does_not_confirm_itself_where_a_source_occurs_again(kb: str) -> None:
    outputs = {"a": ["Berlin"] * 2, "b": ["in Berlin"] * 2, "c": ["Berlin", "to Berlin"], "d": ["Paris", "Paris"]}
    metric = metrics.create(f"kobe_pool:kb={kb},threshold=0")
    counts = metric.statistics(TestSet(outputs, source=["Berlin"] * 2, pair="de-en"))
    assert counts["d"].tolist() == [[0, 1], [0, 1]]
    assert counts["a"].tolist() == [[1, 2], [1, 2]]


def test_a_source_that_is_not_in_the_pool_is_said(kb: str) -> None:
    ready = metrics.create(f"kobe_pool:kb={kb}").ready(TEXTS)
    with pytest.raises(UsageError, match="the pool has no source 'Elsewhere'"):
        ready.count(Shard(TestSet({"x": ["x"]}, source=["Elsewhere"], pair=TEXTS.pair)))


def test_an_output_that_is_not_in_the_pool_is_held_against_all_of_it(kb: str) -> None:
    ready = metrics.create(f"kobe_pool:kb={kb},threshold=0.5").ready(TEXTS)
    shard = Shard(TestSet({"x": ["Berlin, Angela Merkel"]}, source=TEXTS.source[:1], pair=TEXTS.pair))
    assert ready.count(shard)["x"].tolist() == [[1, 1]]  # two of four have Angela Merkel: no more than half


def test_the_pool_is_known_in_the_signature_by_a_checksum_of_its_texts(kb: str) -> None:
    metric = metrics.create(f"kobe_pool:kb={kb}")
    ready, turned = metric.ready(TEXTS), metric.ready(TEXTS.take([2, 0, 1]))
    fewer = metric.resolved().learn(TEXTS.only(["good", "bad", "many"]))
    assert ready.state == turned.state != fewer.state
    assert ready.signature == turned.signature
    assert f"|pool:{ready.state.checksum}|" in ready.signature
    assert metrics.create(ready.signature).resolved() == metric.resolved()


def test_jobs_and_caches_see_the_whole_pool(kb: str, tmp_path: Path) -> None:
    spec = f"kobe_pool:kb={kb}"
    (alone,) = score(TEXTS, [spec])
    assert score(TEXTS, [spec], jobs=2)[0].system == alone.system
    score(TEXTS, [spec], cache=tmp_path)
    next(tmp_path.glob("*.counts")).unlink()  # one system has to be counted again
    assert score(TEXTS, [spec], cache=tmp_path)[0].system == alone.system


def test_a_pool_of_three_is_refused(kb: str) -> None:
    with pytest.raises(
        UsageError, match="kobe_pool needs the outputs of 4 systems or more, and test set 'small' has 3"
    ):
        score(TEXTS.only(["good", "bad", "many"]), [f"kobe_pool:kb={kb}"])
    with pytest.raises(UsageError, match="the pool is missing; call ready"):
        metrics.create(f"kobe_pool:kb={kb}").ready().count(Shard(TestSet({"x": ["x"]}, source=["y"])))


def test_the_contract_is_kept_with_a_knowledge_base_of_ones_own(tmp_path: Path) -> None:
    # Names that the texts of the battery have.
    words = {"cat": ("chat", "cat"), "mat": ("tapis", "mat"), "pear": ("poire", "pear"), "rain": ("pleut", "raining")}
    records = [
        NameRecord(i, lang, name) for i, two in words.items() for lang, name in zip(("fr", "en"), two, strict=True)
    ]
    build(records, tmp_path / "kb", name="battery", languages=["fr", "en"])
    for spec in ("kobe:", "kobe:against=reference,", "kobe:senses=all,rounding=published,", "kobe_pool:"):
        check_metric(f"{spec}kb={tmp_path / 'kb'}")
