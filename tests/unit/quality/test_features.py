"""The list of features, choosing among them, tables, and that other processes give the same numbers."""

import re
import runpy
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tercet.engine import open_executor
from tercet.errors import DataError, UnknownName, UsageError
from tercet.learning.examples import folds
from tercet.quality.features import (
    GROUPS,
    FeatureTable,
    all_features,
    baseline_features,
    choose_features,
    cross_fitted,
    extract,
    find_feature,
    paper_features,
)
from tercet.quality.features.families import family
from tercet.quality.resources import HOW_TO_GIVE, Corpora, Resources
from tercet.quality.training import features_named

from .corpus import SOURCES, TARGETS, column

ROOT = Path(__file__).resolve().parents[3]
BARE = Resources("en", "es")


@pytest.fixture(scope="module")
def estimated() -> Resources:
    return Corpora(("en", "es"), parallel=(SOURCES, TARGETS)).estimate()


def test_the_groups_of_the_paper_have_at_least_its_84_features() -> None:
    counts = {group: sum(one.group == group for one in all_features()) for group in GROUPS}
    assert all(counts.values())
    assert sum(count for group, count in counts.items() if group != "more") >= 84
    assert len(GROUPS) == 13


def test_the_preset_of_the_paper_has_84_features_of_all_its_groups() -> None:
    chosen = features_named(["specia2010"])
    assert chosen == [one.name for one in paper_features()] and len(chosen) == 84
    assert {find_feature(name).group for name in chosen} == {*GROUPS} - {"more"}
    share = features_named(["lengths", "alignment"])
    assert [name for name in share if name in chosen] == [
        "source_tokens", "target_tokens", "source_target_ratio", "target_source_ratio", "alignment_score",
        "alignment_score_back", "links_one_to_one", "links_one_to_many", "links_many_to_one", "links_many_to_many",
        "source_unaligned", "target_unaligned",
    ]  # fmt: skip


def test_names_and_numbers_are_given_once() -> None:
    names = [one.name for one in all_features()]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z][a-z0-9_.]+", name) for name in names)
    quest = [one.quest for one in all_features() if one.quest is not None]
    assert len(quest) == len(set(quest))


def test_needs_are_resources() -> None:
    known = {field.name for field in fields(Resources)}
    assert all(one.needs <= known for one in all_features())
    assert all(one.description and np.isfinite(one.neutral) for one in all_features())


def test_the_baseline_has_its_17_features_in_order() -> None:
    numbers = [1001, 1002, 1006, 1009, 1012, 1015, 1022, 1036, 1046, 1049, 1050, 1053, 1054, 1057, 1058, 1074, 1075]
    assert [one.quest for one in baseline_features()] == numbers
    assert [one.baseline for one in baseline_features()] == list(range(1, 18))
    assert find_feature("1015").name == "target_occurrences"


def test_the_page_of_features_is_current() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "list_features.py"))
    assert (ROOT / "docs" / "quality-features.md").read_text("utf-8") == script["features_page"]()


def test_what_has_no_resource_is_left_out_with_the_reason() -> None:
    table = extract(["a"], ["b"], BARE)
    assert len(table.names) + len(table.left_out) == len(all_features())
    assert table.left_out["target_perplexity"] == (
        "a resource is missing: target_lm (give texts in the target language)."
    )
    assert "aligner (give parallel texts); source_frequencies (" in table.left_out[find_feature("1042").name]


def test_asking_by_name_for_what_has_no_resource_is_an_error() -> None:
    with pytest.raises(UsageError, match="The feature links_jump cannot be computed: .* aligner .give parallel texts"):
        extract(["a"], ["b"], BARE, names=["source_tokens", "links_jump"])


def test_wrong_names_and_lengths_are_refused() -> None:
    with pytest.raises(UnknownName, match="no feature called 'sorce_tokens'. Did you mean source_tokens"):
        extract(["a"], ["b"], BARE, names=["sorce_tokens"])
    with pytest.raises(UsageError, match="asked for twice"):
        extract(["a"], ["b"], BARE, names=["1001", "source_tokens"])
    with pytest.raises(DataError, match="1 sources and 2 outputs"):
        extract(["a"], ["b", "c"], BARE)


def test_features_are_found_by_either_name(estimated: Resources) -> None:
    by_number, by_name = (extract(SOURCES, TARGETS, estimated, names=[name]) for name in ("1001", "source_tokens"))
    assert by_number.names == by_name.names == ("source_tokens",)
    assert len(by_name) == len(SOURCES)


def test_chosen_features_come_in_the_order_asked_for(estimated: Resources) -> None:
    table = extract(SOURCES, TARGETS, estimated, names=["links_jump", "1002"])
    assert table.names == ("links_jump", "target_tokens")
    whole = extract(SOURCES, TARGETS, estimated)
    assert np.array_equal(table.values, np.stack([column(whole, name) for name in table.names], axis=1))


def test_empty_sentences_have_neutral_values(estimated: Resources) -> None:
    table = extract(["", "", "A dog ."], ["", "Un perro .", ""], estimated)
    assert np.isfinite(table.values).all()
    both = dict(zip(table.names, table.values[0].tolist(), strict=True))
    neutral = {one.name: one.neutral for one in all_features()}
    for name in ("target_perplexity", "source_type_token", "links_forward", "target_backoff_mean", "alignment_score",
                 "target_log_frequency", "source_trigrams_seen", "content_ratio"):  # fmt: skip
        assert both[name] == neutral[name], name
    assert column(table, "target_source_ratio").tolist() == [1.0, 1.0, 0.0]


def test_no_pairs_give_an_empty_table(estimated: Resources) -> None:
    assert extract([], [], estimated).values.shape == (0, len(extract(["a"], ["b"], estimated).names))


def many(count: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(3)
    words = " ".join(SOURCES + TARGETS).split()
    sources, outputs = ([" ".join(rng.choice(words, rng.integers(0, 9))) for _ in range(count)] for _ in range(2))
    return sources, outputs


def test_other_processes_give_the_same_bits(estimated: Resources) -> None:
    sources, outputs = many(2100)  # three chunks
    here = extract(sources, outputs, estimated)
    with open_executor(2) as pool:
        elsewhere = extract(sources, outputs, estimated, executor=pool)
    assert np.array_equal(elsewhere.values, here.values)
    parts = [extract(sources[a : a + 700], outputs[a : a + 700], estimated).values for a in (0, 700, 1400)]
    assert np.array_equal(np.concatenate(parts), here.values)


def test_cross_fitted_features_come_from_resources_that_have_not_seen_the_group(estimated: Resources) -> None:
    groups = [number // 2 for number in range(len(SOURCES))]
    asked: list[list[int]] = []

    def make(rows: Any) -> Resources:
        asked.append(rows.tolist())
        return Corpora(("en", "es"), source_texts=[SOURCES[row] for row in rows]).estimate()

    table = cross_fitted(SOURCES, TARGETS, folds(groups, 3), make, ["1009"])
    assert len(asked) == 3
    for rows in list(asked):
        others = sorted(set(range(len(SOURCES))) - set(rows))
        assert {groups[row] for row in rows}.isdisjoint(groups[row] for row in others)
        expected = extract([SOURCES[row] for row in others], [""] * len(others), make(np.array(rows)), names=["1009"])
        assert np.array_equal(table.values[others], expected.values)
    seen = extract(SOURCES, TARGETS, estimated, names=["1009"])
    assert (table.values < seen.values).mean() > 0.8  # a model that has seen a sentence thinks more of it


def test_a_fold_whose_resources_lack_a_feature_is_refused() -> None:
    made = iter([Corpora(("en", "es"), source_texts=SOURCES).estimate(), BARE])
    with pytest.raises(UsageError, match="The feature source_log_probability cannot be computed"):
        cross_fitted(SOURCES, TARGETS, folds(SOURCES, 2), lambda rows: next(made), ["1009"])


def test_a_process_that_dies_is_said(estimated: Resources) -> None:
    from concurrent.futures import BrokenExecutor

    class Dying(ThreadPoolExecutor):
        def submit(self, *arguments: Any, **keywords: Any) -> Any:
            raise BrokenExecutor

    from tercet.errors import TercetError

    with Dying(1) as pool, pytest.raises(TercetError, match="It may have run out of memory: use fewer jobs"):
        extract(*many(1100), estimated, executor=pool)


def test_what_the_resources_allow_can_be_asked_before(estimated: Resources) -> None:
    chosen, left_out = choose_features(estimated)
    table = extract(SOURCES[:1], TARGETS[:1], estimated)
    assert tuple(one.name for one in chosen) == table.names
    assert left_out == table.left_out
    assert isinstance(table, FeatureTable)


def test_the_baseline_agrees_with_the_features_of_wmt12(shared: Path) -> None:
    # QuEst's features of the same sentences, from a corpus of its own: counts agree, models correlate.
    import gzip

    lines = gzip.decompress((shared / "data" / "wmt12_qe" / "training.tsv.gz").read_bytes()).decode().split("\n")
    header, *rows = [line.split("\t") for line in lines if line]
    columns = {name: [row[at] for row in rows] for at, name in enumerate(header)}
    resources = Corpora(("en", "es"), parallel=(columns["source"][900:], columns["reference"][900:])).estimate()
    table = extract(columns["source"][:900], columns["mt"][:900], resources)
    least = {1: 0.998, 2: 0.999, 3: 0.92, 4: 0.95, 5: 0.95, 6: 0.99, 16: 0.94, 17: 0.93}
    for number, expected in least.items():
        given = np.array(columns[f"f{number}"][:900], dtype=float)
        ours = column(table, baseline_features()[number - 1].name)
        assert np.corrcoef(given, ours)[0, 1] > expected, number


def test_a_description_stands_alone() -> None:
    texts = [one.description for one in all_features()]
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert not re.search(
            r"\bthe same of\b|\bthe same for\b|\bthese\b|\btheir differences\b|^F1|without its sign", text
        )
        plain = re.sub(r"\([^()]*\)", "", text)  # terms stand in brackets, after plain words
        terms = r"back-off|F1|trigram|bigram|quartile|cosine|perplexity|type/token|axis|log10|IBM"
        assert not re.search(terms, plain), text


def test_how_to_give_a_resource_is_said_in_words_without_flags() -> None:
    for how in HOW_TO_GIVE.values():
        assert re.match(r"give |ask for |train with |pip install ", how) and "--" not in how


def test_features_that_count_the_same_are_of_one_family() -> None:
    known = {one.name: family(one.name) for one in all_features()}
    for same in (
        ["quotes_difference", "quotes_difference_share", "target_open_quotes"],
        ["numbers_difference", "shared_numbers", "source_numbers"],
        ["target_perplexity", "target_backward_backoff_low", "target_unknown_share"],
        ["token_difference", "target_source_ratio"],
        ["embedding_axis_01", "embedding_axis_64"],
    ):
        assert len({known[name] for name in same}) == 1, same
    different = ["quotes_difference", "commas_difference", "target_perplexity", "source_perplexity", "source_tokens"]
    assert len({known[name] for name in different}) == len(different)
