"""Names are found as a dictionary of n-grams finds them, whatever the names, the sentences and the fingerprints."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.knowledge import merging, store
from tercet.knowledge.building import NameRecord, build
from tercet.knowledge.normalise import alias_key, spans, token_forms
from tests.unit.kernels.conftest import load_source

PLAIN = load_source("mentions")
COLLIDING = load_source("mentions")
COLLIDING._extend = lambda number, word: (number * 3 + word) % 3 + (1 << 32)  # three fingerprints for everything
# A build takes some hundredths of a second, most of it for making files.
shared_fixture = settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
words = st.sampled_from(["New", "york", "York", "city", "of", "é", "Ё", "中", "国", "ગુજરાત", "a-b", "😀", "x", "C++"])
names = st.lists(words, min_size=1, max_size=4).map(" ".join)
records = st.builds(
    NameRecord,
    id=st.sampled_from(["Q1", "Q2", "Q30", "/m/1", "é"]),
    language=st.sampled_from(["en", "ru", "zh"]),
    name=names,
    category=st.sampled_from(["", "place"]),
    weight=st.integers(0, 3).map(float),
)
sentences = st.lists(st.lists(words, max_size=8).map(" ".join), max_size=5)


def forms_of(text, language):
    return [form for form in token_forms(text, spans(text), language) if form]


@pytest.fixture(params=["installed", "plain", "colliding"])
def form(request, monkeypatch) -> str:
    """The installed kernel, the same uncompiled, and with fingerprints that nearly always collide."""
    kernel = {"plain": PLAIN, "colliding": COLLIDING}.get(request.param)
    if kernel is not None:
        for module in (merging, store):
            monkeypatch.setattr(module, "mentions", kernel)
    return request.param


def slow_names(given_records):
    """Forms by language -> entity -> largest weight."""
    table: dict[str, dict[tuple[str, ...], dict[str, float]]] = {"en": {}, "ru": {}, "zh": {}}
    for record in given_records:
        key = alias_key(record.name, record.language)
        if key:
            found = table[record.language].setdefault(key, {})
            found[record.id] = max(record.weight, found.get(record.id, 0.0))
    return table


def slow_find(table, forms):
    return [
        (number, i, j - 1, line_key)
        for number, line in enumerate(forms)
        for i in range(len(line))
        for j in range(i + 1, len(line) + 1)
        if (line_key := tuple(line[i:j])) in table
    ]


@shared_fixture
@given(given_records=st.lists(records, min_size=1, max_size=12), texts=sentences)
def test_hits_and_candidates_equal_those_of_a_dictionary(form, given_records, texts) -> None:
    expected = slow_names(given_records)
    if not any(expected.values()):
        return
    with TemporaryDirectory() as folder:
        kb = build(given_records, Path(folder) / "kb", name="x", languages=["en", "ru", "zh"], min_languages=1)
        for language, table in expected.items():
            forms = [forms_of(text, language) for text in texts]
            hits = kb.find(forms, language)
            rows = zip(
                hits.sentence.tolist(), hits.first.tolist(), hits.last.tolist(), hits.alias.tolist(), strict=True
            )
            found = [(s, f, l, kb.alias(a)) for s, f, l, a in rows]
            assert found == slow_find(table, forms)
            for alias in hits.alias.tolist():
                entities, weights = kb.candidates(alias)
                got = dict(zip(map(kb.entity_id, entities.tolist()), weights.tolist(), strict=True))
                assert got == table[kb.alias(alias)]
                assert weights.tolist() == sorted(weights.tolist(), reverse=True)
            assert kb.info()["aliases"][language] == len(table)


@shared_fixture
@given(given_records=st.lists(records, min_size=1, max_size=12))
def test_the_order_of_records_changes_neither_names_nor_entities(given_records) -> None:
    if not any(slow_names(given_records).values()):
        return
    with TemporaryDirectory() as folder:
        kbs = [
            build(order, Path(folder) / f"kb{i}", name="x", languages=["en", "ru", "zh"], min_languages=1)
            for i, order in enumerate((given_records, given_records[::-1]))
        ]
        first, second = (
            {kb.entity_id(n): (kb.prior(n), kb._arrays["languages"][n]) for n in range(len(kb))} for kb in kbs
        )
        assert first == second
        assert kbs[0].info()["aliases"] == kbs[1].info()["aliases"]
        assert kbs[0].info()["candidates"] == kbs[1].info()["candidates"]


@settings(max_examples=40)
@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_can_be_a_name_and_be_searched(name, text) -> None:
    record = [NameRecord("a", "en", name or "x"), NameRecord("b", "en", "sure")]
    with TemporaryDirectory() as folder:
        kb = build(record, Path(folder) / "kb", name="x", languages=["en"], min_languages=1)
        hits = kb.find([forms_of(text, "en"), forms_of(name, "en")], "en")
        key = alias_key(name, "en")
        if key and len(key) <= 16 and kb.number_of("a") is not None:
            assert (1, 0, len(key) - 1) in set(
                zip(hits.sentence.tolist(), hits.first.tolist(), hits.last.tolist(), strict=True)
            )
