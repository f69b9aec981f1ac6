"""What metrics saw in a segment: the five kinds, their JSON form, and that of every metric that explains."""

import json
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tercet import TestSet, metrics
from tercet.errors import MissingDependency, UsageError
from tercet.explaining import explain
from tercet.rendering.tables import to_json
from tercet.text.explanations import (
    Alignment,
    Edit,
    Edits,
    Entities,
    Entity,
    Group,
    Link,
    Matches,
    Part,
    Seen,
    Shift,
    Span,
    Spans,
    locate,
)

SCHEMA = json.loads((files("tercet") / "text" / "explanation.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
TEXTS = TestSet(
    {"x": ["The cat sat on the mat.", "Berlin is big", ""], "y": ["A cat sat.", "Paris is big", "A dog"]},
    {"r": ["The cats sat on a mat.", "Berlin is large", "A dog."]},
    source=["Die Katze saß in Berlin.", "Berlin ist groß", "Ein Hund."],
    pair="de-en",
)
# Need a model, a file, language models or a service: tests of their own.
ELSEWHERE = {"bleurt", "classifier", "comet", "judge", "learned", "metricx"}
ELSEWHERE |= {"cobalt_comp", "cobalt_f", "features_f", "metrics_f", "party"}
EXPLAINING = [
    name
    for name in metrics.names()
    if name not in ELSEWHERE
    and metrics.metric_class(name).explain_segment is not metrics.Metric.explain_segment
    and name != "tree_kernel"  # on parses like others, and without anything to show
]
EXAMPLES = [
    Alignment(["a", "b"], ["b"], [Link([1], [0], 0.5, "stem", {"chunk": 1})]),
    Edits(["a", "b"], ["b", "c"], [Edit("match", 1, 0), Edit("deletion", None, 1)], [Shift(("a",), (0,), 0, 1)], (1,)),
    Edits(["a"], ["b"], None),
    Matches(["a", "b"], ["b"], ([0, 1], [1]), 2, [Group(1, ["b"], ["a"], 1, 2)]),
    Entities([Entity("a", 0, 1, "place", "Q1", True)], []),
    Spans([Span(0, 1, 0.5, "minor", (0, 1))], [Span(0, 1, 0.0)]),
]


def test_a_metric_on_parses_with_nothing_to_show_says_so() -> None:
    assert not metrics.metric_class("tree_kernel").explains
    pytest.importorskip("spacy")
    with pytest.raises(UsageError, match="tree_kernel cannot explain a segment"):
        explain(TEXTS, "tree_kernel")


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert {kind.__name__.lower() for kind in Part.__subclasses__()} == {
        each["$ref"].rpartition("/")[2] for each in SCHEMA["$defs"]["part"]["oneOf"]
    }


@pytest.mark.parametrize("part", EXAMPLES, ids=lambda part: part.kind)
@pytest.mark.parametrize("brief", [True, False])
def test_every_kind_follows_the_schema(part: Part, brief: bool) -> None:
    found = json.loads(json.dumps(Seen(0.5, [part], 0).to_dict("a b", ["b c"], None, brief=brief)))
    VALIDATOR.validate(found)
    assert found["parts"][0]["kind"] == part.kind


def test_the_schema_refuses_what_is_of_no_kind() -> None:
    good = Seen(0.5, [EXAMPLES[0]], 0).to_dict("a b", ["b c"], None)
    changes: list[dict[str, Any]] = [{"kind": "links"}, {"output": [["a", 0]]}, {"more": 1}]
    for change in changes:
        assert not VALIDATOR.is_valid({**good, "parts": [good["parts"][0] | change]})


@pytest.mark.parametrize("name", EXPLAINING)
def test_every_metric_gives_the_kinds_that_it_declares(name: str) -> None:
    kinds = metrics.metric_class(name).explains
    try:
        found = [each for segment in (1, 2, 3) for each in explain(TEXTS, [name], segment=segment)]
    except MissingDependency as missing:
        pytest.skip(str(missing))
    for each in found:
        told = json.loads(to_json(each.to_dict()))
        VALIDATOR.validate(told)
        assert all(isinstance(part, kinds) for part in each.seen.parts)
        other = each.source if each.seen.against is None else each.references[each.seen.against]
        for part in told["parts"]:
            for words, text in ((part["output"], each.output), (part["other"], other)):
                places = [word[1:] if isinstance(word, list) else (word["begin"], word["end"]) for word in words]
                known = [(begin, end) for begin, end in places if begin is not None]
                assert all(0 <= begin <= end <= len(text or "") for begin, end in known)
                if name != "character":  # whose words are in the order after moves
                    assert known == sorted(known)
    assert all(any(isinstance(part, kind) for part in found[0].seen.parts) for kind in kinds)


def test_words_are_found_in_their_order_whatever_their_case() -> None:
    assert locate(["the", "cat", "the"], "The cat the") == [(0, 3), (4, 7), (8, 11)]
    assert locate(["i̇stanbul", "x"], "İstanbul x") == [(0, 8), (9, 10)]  # two characters in lower case
    assert locate(["𝒳", "b"], "𝒳b") == [(0, 1), (1, 2)]


def test_words_that_a_tokeniser_has_changed_have_no_place() -> None:
    assert locate(["a", "&apos;s", "b"], "a 's b") == [(0, 1), None, (5, 6)]
    assert locate(["z", "b"], f"a b{'.' * 50}z") == [None, (2, 3)]
    assert locate([" ", ""], " ") == [None, None]


def test_n_grams_are_about_the_closest_reference() -> None:
    (found,) = explain(TestSet({"x": ["a b c"]}, {"r": ["a x c"], "s": ["b c d"]}), ["bleu"])
    assert found.seen.against == 1
    (part,) = found.seen.parts
    assert isinstance(part, Matches)
    assert part.sizes == ([0, 2, 2], [2, 2, 0])


def test_kobe_says_which_entities_are_lost() -> None:
    lost, kept = (explain(TEXTS, ["kobe"], segment=segment)[0].seen for segment in (1, 2))
    assert lost.against is None
    assert [(each.text, each.begin, each.end, each.matched) for each in lost.parts[0].other] == [
        ("Berlin", 17, 23, False)
    ]
    assert [each.matched for each in kept.parts[0].other] == [each.matched for each in kept.parts[0].output] == [True]


def test_an_explanation_of_a_plug_in_may_be_a_dictionary(tmp_path: Any) -> None:
    (tmp_path / "m.py").write_text(
        "from dataclasses import dataclass\nfrom tercet.metrics import SegmentMetric\n\n@dataclass(frozen=True)\n"
        "class M(SegmentMetric):\n    paper = 'none'\n\n    def count_segment(self, output, references, prepared):\n"
        "        return [1.0]\n\n    def score(self, totals):\n        return totals[..., 0]\n\n"
        "    def explain_segment(self, opened, output, references, source):\n        return {'words': 2}\n"
    )
    found, _ = explain(TEXTS, [f"{tmp_path / 'm.py'}:M"])
    assert (found.lines(), found.to_dict()["values"]) == (["words: 2"], {"words": 2})
