"""`tercet verify`, with sacreBLEU itself as the author of signatures and scores."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sacrebleu.metrics

from tercet import examples as demo
from tercet import metrics, score, verify
from tercet.errors import UsageError
from tests.docs.running import Ran, run

LONG = "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts")
    demo.write("en-de", path)
    return path


@pytest.fixture(scope="module")
def testset() -> Any:
    return demo.load("en-de").only(["Birch"])


def verified(folder: Path, signature: str, stated: str, *more: str, references: tuple[str, ...] = ("refA.txt",)) -> Ran:
    return run(["verify", signature, stated, *references, "-i", "Birch.txt", *more], folder=folder)


def sacrebleu_of(testset: Any, kind: str, references: int, **options: Any) -> tuple[float, str, str, str]:
    """sacreBLEU's score, name, and its own long and short signature."""
    metric = getattr(sacrebleu.metrics, kind)(**options)
    texts = [list(lines) for lines in testset.references.values()][:references]
    result = metric.corpus_score(list(testset.outputs["Birch"]), texts)
    signature = metric.get_signature()
    return result.score, result.name, signature.format(short=False), signature.format(short=True)


def test_a_forgotten_signature_is_noticed_before_the_texts(folder: Path) -> None:
    ran = run(["verify", "60.2", "refA.txt", "-i", "Alder.txt"], folder=folder)
    assert ran.code == 2
    assert ran.err.startswith("Error: '60.2' is not a signature; one looks like BLEU|nrefs:1|")


@pytest.mark.parametrize("references", [1, 2])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("BLEU", {}),
        ("BLEU", {"tokenize": "intl", "lowercase": True}),
        ("BLEU", {"smooth_method": "floor"}),
        ("BLEU", {"smooth_method": "add-k", "smooth_value": 2}),
        ("BLEU", {"tokenize": "char", "effective_order": True}),
        ("CHRF", {}),
        ("CHRF", {"word_order": 2}),
        ("CHRF", {"word_order": 1, "beta": 3, "whitespace": True, "lowercase": True}),
        ("CHRF", {"eps_smoothing": True}),
    ],
)
def test_scores_of_sacrebleu_are_equal_with_long_and_short_signatures(
    folder: Path, testset: Any, kind: str, options: dict[str, Any], references: int
) -> None:
    value, name, long, short = sacrebleu_of(testset, kind, references, **options)
    files = ("refA.txt", "refB.txt")[:references]
    for signature in (f"{name}|{long}", f"{name}|{short}"):
        for stated in (f"{value:.1f}", f"{value:.2f}", repr(value)):
            ran = verified(folder, signature, stated, references=files)
            assert (ran.code, ran.err) == (0, "")
            assert ran.out.startswith(f"Equal: stated {stated}, recomputed ")
            assert "Note" not in ran.out
    if "beta" not in options:  # only the name says beta
        for signature in (long, short):
            ran = verified(folder, signature, f"{value:.4f}", references=files)
            assert ran.code == 0
            assert f"Note: The signature does not name its metric; taken for {name}.\n" in ran.out


# Tests of their own: what depends on other systems, needs a model or a file, or English (the outputs here are German).
ELSEWHERE = {"kobe_pool", "prep", "qe", "cobalt", "hwcm", "stm", "rima", "esim", "mean"}
ELSEWHERE |= {"bleurt", "classifier", "comet", "judge", "learned", "lp", "metricx", "numbers"}
ELSEWHERE |= {
    "cobalt_comp",
    "cobalt_f",
    "discotk_light",
    "discotk_party",
    "dpmfcomb",
    "features_f",
    "layered",
    "metrics_f",
    "metrics_only",
    "party",
    "red",
    "tree_kernel",
    "upc_stout",
    "verta",
}


@pytest.mark.parametrize("name", [name for name in metrics.names() if name not in ELSEWHERE])
def test_our_own_signatures_are_equal_for_every_metric(testset: Any, name: str) -> None:
    scores = score(testset, [name])[0]
    value = scores.system["Birch"]
    found = verify(testset, scores.signature, repr(value))
    assert found.equal
    assert (found.score, found.signature, found.notes) == (value, scores.signature, ())


def test_a_score_that_depends_on_other_systems_is_recomputed_with_them() -> None:
    texts = demo.load("en-de")
    four = replace(texts, outputs={**texts.outputs, "Dogwood": texts.outputs["Cedar"]})
    (scores,) = score(four, ["kobe_pool"])
    found = verify(four, scores.signature, repr(scores.system["Birch"]), system="Birch")
    assert (found.equal, found.score, found.notes) == (True, scores.system["Birch"], ())
    others = replace(four, outputs={**four.outputs, "Dogwood": texts.outputs["Alder"]})
    assert any(
        note.startswith("This is another pool of systems: pool:")
        for note in verify(others, scores.signature, "0.5", system="Birch").notes
    )
    with pytest.raises(UsageError, match="kobe_pool needs the outputs of 4 systems or more"):
        verify(texts.only(["Birch"]), scores.signature, "0.5")


def test_a_mean_on_the_scale_of_all_systems_is_recomputed_with_them() -> None:
    texts = demo.load("en-de")
    (scores,) = score(texts, ["mean:of=chrf+ter"])
    found = verify(texts, scores.signature, repr(scores.system["Birch"]), system="Birch")
    assert (found.equal, found.score, found.notes) == (True, scores.system["Birch"], ())
    with pytest.raises(UsageError, match="scale=max is found on the systems that are compared, and there is only one"):
        verify(texts.only(["Birch"]), scores.signature, "0.5")


def test_other_names_than_those_of_the_signature_are_noted(testset: Any) -> None:
    (scores,) = score(testset, ["kobe"])
    names = scores.signature.partition("|names:")[2].partition("|")[0]
    found = verify(testset, scores.signature.replace(names, "0123"), "0.5")
    assert f"other annotations or another lemmatiser: names:0123 there, {names} here." in "".join(found.notes)


def test_a_wrong_score_is_not_equal_and_exits_with_1(folder: Path) -> None:
    ran = verified(folder, LONG, "36.4")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("Not equal: stated 36.4, recomputed 5")


def test_json_has_everything_at_full_precision(folder: Path, testset: Any) -> None:
    value = sacrebleu_of(testset, "BLEU", 1)[0]
    ran = verified(folder, LONG, f"{value:.2f}", "-f", "json")
    found = json.loads(ran.out)
    assert found["equal"] is True
    assert found["score"] == pytest.approx(value, abs=1e-9)
    assert found["difference"] == found["score"] - float(found["stated"])
    assert (found["decimals"], found["given"], found["system"], found["notes"]) == (2, LONG, "Birch", [])


@pytest.mark.parametrize(
    ("value", "stated", "equal"),
    [
        (0.25, "0.2", True),  # a half rounds to either side, by the rule of whoever printed it
        (0.25, "0.3", True),
        (0.25, "0.25", True),
        (0.25, "0.24", False),
        (0.25, "0", True),
        (0.25, "1", False),
        (0.25, "0.250000", True),
        (0.25, "2.5e-1", True),
        (0.25, "0.2500001", False),
    ],
)
def test_a_score_is_compared_at_the_precision_it_is_written_with(value: float, stated: str, equal: bool) -> None:
    from tercet import TestSet

    texts = TestSet({"x": ["a"]}, {"r": ["b c d e"]})  # one word for four
    found = verify(texts, "length|nrefs:1|unit:word|tok:none|version:1+tercet0.1.0", stated)
    assert found.score == value
    assert found.equal is equal


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("BLEU|nrefs:2|tok:13a", "The signature says nrefs:2, but there is 1 reference here."),
        ("BLEU|nrefs:var|tok:13a", "The signature says nrefs:var, but there is 1 reference here."),
        ("BLEU|nrefs:1|tok:13b", "There is no tokeniser called '13b'."),
        ("BLEU|nrefs:1|case:LC|tok:13a", "bleu: case must be lc or mixed, not 'LC'."),
        ("BLEU|nrefs:1|colour:red", "colour:red means nothing to bleu."),
        ("BLEU|nrefs:1|nrefs:1", "'BLEU|nrefs:1|nrefs:1' is not a signature: nrefs is there twice."),
        ("BLEU|tok", "'BLEU|tok' is not a signature: 'tok' should be KEY:VALUE."),
        ("BLEU", "'BLEU' is not a signature; one looks like"),
        ("TOWER|nrefs:1|tok:13a", "There is no metric called 'tower'."),
        (
            "chrF2++|nrefs:1|nc:6|nw:0",
            "The signature contradicts itself: chrF2++, but its parameters are those of chrF2.",
        ),
        ("nrefs:1|case:lc|tok:13a", "'nrefs:1|case:lc|tok:13a' does not say which metric it is of. It could be "),
        ("nrefs:1|shape:no", "'nrefs:1|shape:no' does not say which metric it is of. No metric has it."),
        ("chrF2|nc:six", "chrf: char_order must be a whole number, not 'six'."),
    ],
)
def test_a_signature_that_cannot_be_read_exits_with_2(folder: Path, signature: str, message: str) -> None:
    ran = verified(folder, signature, "36.4")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"Error: {message}")


@pytest.mark.parametrize("stated", ["36,4", "high", "nan", "inf", "", "1e99999999", "1e-2000000"])
def test_a_score_that_is_no_number_exits_with_2(folder: Path, stated: str) -> None:
    ran = verified(folder, LONG, stated)
    assert ran.code == 2
    assert f"{stated!r} is not a score" in ran.err


def test_several_outputs_are_refused_unless_one_is_named(folder: Path) -> None:
    words = ["verify", LONG, "36.4", "refA.txt", "-i", "Alder.txt", "Birch.txt"]
    ran = run(words, folder=folder)
    assert ran.code == 2
    assert "there are 2: Alder, Birch" in ran.err
    assert '"system": "Birch"' in run([*words, "--system", "Birch", "-f", "json"], folder=folder).out
    assert "There is no system called 'Cedar'" in run([*words, "--system", "Cedar.txt"], folder=folder).err


def test_a_system_of_a_test_set_is_verified(folder: Path, testset: Any) -> None:
    value = sacrebleu_of(testset, "BLEU", 2)[0]
    words = ["verify", LONG.replace("nrefs:1", "nrefs:2"), f"{value:.3f}", "-t", "en-de.jsonl", "--system", "Birch"]
    assert run(words, folder=folder).code == 0


@pytest.mark.parametrize(
    ("signature", "note"),
    [
        ("BLEU|nrefs:1|bs:1000|seed:12345|tok:13a", "bs:1000, seed:12345: the score is recomputed, an interval or a"),
        ("BLEU|nrefs:1|tok:13a", "The signature does not say everything; taken: case:mixed, eff:no, smooth:exp."),
        ("BLEU|nrefs:1|tok:13a", "The signature does not say of which version it is."),
        ("BLEU|tok:13a|version:2.0.0", "The signature does not say nrefs; there is 1 reference."),
        ("BLEU|nrefs:1|smooth:floor", "smooth:floor has no value in the signature; taken: floor[0.10]."),
        ("BLEU|nrefs:1|tok:13a|version:1.5.1", "The score is of sacreBLEU 1.5.1, recomputed as sacrebleu2.6"),
        ("BLEU|nrefs:1|tok:13a|version:7+tercet9.9", "The signature is of version 7 of bleu, this is version "),
        ("chrF|nrefs:1|nc:6|nw:0", "The signature says chrF; taken for chrF2."),
        ("NIST|nrefs:1|case:lc|tok:13a|weights:0123", "These are other references: weights:0123 there, "),
    ],
)
def test_what_a_signature_leaves_open_is_said(folder: Path, signature: str, note: str) -> None:
    assert f"\nNote: {note}" in verified(folder, signature, "1.0").out


def test_the_old_form_of_sacrebleu_1_is_read(folder: Path, testset: Any) -> None:
    value = sacrebleu_of(testset, "BLEU", 2, lowercase=True, tokenize="intl")[0]
    both = ("refA.txt", "refB.txt")
    old = "BLEU+case.lc+lang.en-de+numrefs.2+smooth.exp+test.wmt19+tok.intl+version.1.3.6"
    ran = verified(folder, old, f"{value:.1f}", references=both)
    assert ran.code == 0
    assert "|variant:sacrebleu-1.3.6|" in ran.out
    assert "Note: test:wmt19, lang:en-de: nobody can tell" in ran.out
    value = sacrebleu_of(testset, "CHRF", 2)[0]
    ran = verified(
        folder, "chrF2+case.mixed+numchars.6+numrefs.2+space.False+version.1.4.14", f"{value:.1f}", references=both
    )
    assert ran.code == 0
    assert "chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no|" in ran.out


def test_a_difference_is_explained_where_one_change_explains_it(folder: Path, testset: Any) -> None:
    lower = sacrebleu_of(testset, "BLEU", 1, lowercase=True)[0]
    assert "Note: It would be equal with bleu:lowercase=true.\n" in verified(folder, LONG, f"{lower:.4f}").out
    spaced = sacrebleu_of(testset, "BLEU", 1, tokenize="none")[0]
    assert "Note: It would be equal with bleu:tokenize=none.\n" in verified(folder, LONG, f"{spaced:.4f}").out
    share = sacrebleu_of(testset, "BLEU", 1)[0] / 100
    ran = verified(folder, LONG, f"{share:.4f}")
    assert ran.code == 1
    assert "Note: It would be equal if the stated score is on a scale of 0 to 1.\n" in ran.out


def test_the_function_refuses_what_the_command_refuses(testset: Any) -> None:
    with pytest.raises(UsageError, match="nrefs:1, but there are 2 references"):
        verify(testset, LONG, "36.4")
    assert verify(testset, LONG.replace("nrefs:1", "nrefs:2"), 58.4).stated == "58.4"
