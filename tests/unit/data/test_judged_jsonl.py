"""Judgements as JSON lines."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.data.judgements import KINDS, Judgement, Judgements, Span
from tercet.data.own_judgements import read_judgements, write_judgements
from tercet.errors import DataError

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=5)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=5)


@st.composite
def spans(draw: st.DrawFn) -> Span:
    start = draw(st.none() | st.integers(0, 50))
    end = None if start is None else start + draw(st.integers(0, 9))
    return Span(start, end, draw(TEXTS), draw(TEXTS), draw(st.booleans()))


@st.composite
def judgements(draw: st.DrawFn) -> Judgement:
    kind = draw(st.sampled_from(sorted(KINDS)))
    marked = draw(st.none() | st.lists(spans(), max_size=3).map(tuple))
    low = -1e9 if math.isnan(KINDS[kind].low) else KINDS[kind].low
    high = 1e9 if math.isnan(KINDS[kind].high) else KINDS[kind].high
    value = st.floats(low, high)
    return Judgement(
        kind,
        draw(NAMES),
        draw(NAMES),
        draw(value if marked is None else value | st.just(math.nan)),
        draw(TEXTS),
        draw(NAMES),
        marked,
        draw(st.just(math.nan) | st.floats(0, 1e6)),
        draw(TEXTS),
        draw(TEXTS),
    )


@given(st.lists(judgements(), min_size=1, max_size=5), st.none() | st.just("en-de"), NAMES)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Judgement], pair: str | None, name: str
) -> None:
    path = tmp_path_factory.mktemp("judged") / "j.jsonl.gz"
    written = Judgements(rows, pair, name)
    write_judgements(written, path)
    again = read_judgements(path)
    assert (again.pair, again.name) == (pair, name)
    assert repr(again.rows) == repr(written.rows)  # NaN and -0.0 too


def test_only_what_is_known_is_written(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    rows = [Judgement("da", "1", "A", 50), Judgement("mqm", "1", "A", math.nan, spans=(Span(1, 2, "major"),))]
    write_judgements(Judgements(rows, name="x"), path)
    assert path.read_text() == (
        '{"kind": "da", "segment": "1", "system": "A", "value": 50, "set": "x"}\n'
        '{"kind": "mqm", "segment": "1", "system": "A", "value": null, '
        '"spans": [{"start": 1, "end": 2, "severity": "major"}], "set": "x"}\n'
    )


def test_name_and_pair_can_be_given_where_the_file_has_none(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"kind": "da", "segment": "1", "system": "A", "value": 50}\n')
    assert (read_judgements(path).pair, read_judgements(path).name) == (None, "mine")
    named = read_judgements(path, pair="en-de", name="n")
    assert (named.pair, named.name) == ("en-de", "n")


START = '"kind": "da", "segment": "1", "system": "A"'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON"),
        ('{"kind": "da", "segment": "1"}', 'line 2: a judgement needs "system"'),
        (f'{{{START}, "value": 101}}', "line 2: 101 is out of range for da"),
        (f"{{{START}}}", "line 2: the value is nan"),
        (f'{{{START}, "value": 1, "score": 2}}', "line 2: a judgement has no key 'score'"),
        (f'{{{START}, "value": "1"}}', 'line 2: "value" must be a number or null, not a text'),
        (f'{{{START}, "value": 1, "rater": 3}}', 'line 2: "rater" must be a text, not a number'),
        (f'{{{START}, "value": 1, "spans": {{}}}}', 'line 2: "spans" must be a list of objects'),
        (f'{{{START}, "value": 1, "spans": [{{"severity": "a", "end": 1.5}}]}}', "line 2: start and end .* not 1.5"),
        (f'{{{START}, "value": 1, "spans": [{{"severity": "a", "x": 1}}]}}', "line 2: a span has no key 'x'"),
        (
            f'{{{START}, "value": 1, "spans": [{{"severity": "a", "end": 1}}]}}',
            "line 2: a span needs both start and end, or neither",
        ),
        (f'{{{START}, "value": 1, "spans": [{{"severity": "", "in_source": 1}}]}}', 'line 2: "in_source" must be true'),
        (
            f'{{{START}, "value": 1, "pair": ["de-en"]}}',
            "line 2: \"pair\" is \\['de-en'\\], but 'en-de' in .*line 1",
        ),
    ],
)
def test_damaged_lines_are_refused_with_their_place(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text(f'{{{START}, "value": 1, "pair": "en-de"}}\n{line}\n')
    with pytest.raises(DataError, match=message):
        read_judgements(path)


def test_empty_files_and_empty_sets_are_refused_and_a_failed_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text("")
    with pytest.raises(DataError, match="is empty"):
        read_judgements(path)
    with pytest.raises(DataError, match="'e' are empty"):
        write_judgements(Judgements([], name="e"), path)
    path.write_text("old")
    with pytest.raises(DataError, match="judgement 2: U\\+D800"):
        write_judgements(Judgements([Judgement("da", "1", "A", 1), Judgement("da", "1", "\ud800", 1)]), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
