"""`tercet meta` and `tercet metrics --card`: what they print, how they fail, and that it is what the library says."""

import csv
import io
import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.data.evidence import open_evidence
from tercet.metaeval import judge
from tercet.metaeval.card import make_card
from tercet.rendering.tables import to_json
from tests.docs.running import Ran
from tests.docs.running import run as run_tercet
from tests.end_to_end.command import tercet as installed
from tests.unit.metaeval.small import (
    SEGMENTS,
    SYSTEMS,
    make_set,
    metric,
    rating,
    write,
    write_rankings,
    write_ratings,
    write_texts,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """small: one pair; two: a pair that is judged the other way round too; files of scores."""
    place = tmp_path_factory.mktemp("meta")
    make_set(place / "small")
    make_set(place / "two")
    write_texts(place / "two", "de-en")
    write_ratings(place / "two", "de-en", value=lambda i, j: 105 - rating(i, j))
    write_texts(place / "ranked", "fr-en")
    write_rankings(place / "ranked", "fr-en")
    cells = [(name, j, metric(i, j)) for i, name in enumerate(SYSTEMS) for j in range(len(SEGMENTS))]
    write(place / "mine.seg.score", *(f"{name}\t{value!r}" for name, _, value in cells))
    write(place / "wmt.seg.score", *(f"mine\ten-de\tset\t{n}\t{j + 1}\t{v!r}\tnon-ensemble\tno" for n, j, v in cells))
    write(place / "long.tsv", "system\tseg\tmine", *(f"{name}\t{j + 1}\t{value!r}" for name, j, value in cells))
    means = {name: sum(metric(i, j) for j in range(20)) / 20 for i, name in enumerate(SYSTEMS)}
    write(place / "mine.sys.score", *(f"{name}\t{value!r}" for name, value in means.items()))
    write(place / "table.csv", "system,mine", *(f"{name},{value!r}" for name, value in means.items()))
    write(place / "constant.sys.score", *(f"{name}\t1" for name in SYSTEMS))
    write(place / "short.sys.score", *(f"{name}\t{means[name]!r}" for name in SYSTEMS[:4]))
    write(place / "mine.score", *(f"{name} 1" for name in SYSTEMS))
    write(place / "uneven.seg.score", "ada 1", "ada 2", "bob 1")
    write(place / "bad" / "twice.tsv", "system\tm", "ada\t1", "ada\t2")
    return place


def run(folder: Path, *words: object, code: int = 0) -> Ran:
    ran = run_tercet(["meta", *map(str, words)], folder=folder)
    assert ran.code == code, ran.err
    return ran


def rows(ran: Ran) -> list[dict[str, Any]]:
    found = json.loads(ran.out)
    assert isinstance(found, list)
    found[0].pop("options", None)  # how to repeat the run
    return found


# --- the forms that others rely on ---


def test_tau_of_computed_metrics_as_json(folder: Path) -> None:
    words = ["meta", "ranked", "--pair", "fr-en", "--level", "seg", "--stat", "tau:wmt14", "-m", "sentbleu", "chrf"]
    done = installed(*words, "-f", "json", cwd=folder)
    assert (done.code, done.err) == (0, "")
    assert [row["metric"] for row in done.json] == ["sentbleu", "chrf"]
    for row in done.json:
        assert {"metric", "value", "n", "ci_low", "ci_high"} <= row.keys()
        assert -1 <= row["ci_low"] <= row["value"] <= row["ci_high"] <= 1
        assert (row["statistic"], row["level"], row["pair"], row["unit"]) == ("tau:wmt14", "seg", "fr-en", "pairs")


def test_levels_may_be_written_in_full(folder: Path) -> None:
    for short, full in (("sys", "system"), ("seg", "segment")):
        words = ("small", "-m", "chrf", "-n", "20", "--level")
        assert run(folder, *words, full).out == run(folder, *words, short).out != ""


def test_pearson_of_a_score_file_on_a_data_set_by_name(folder: Path) -> None:
    words = ("small", "--data", folder, "--pair", "en-de", "--level", "sys", "--stat", "pearson")
    (row,) = rows(run(folder, *words, "--scores", "mine.sys.score", "-f", "json"))
    assert (row["metric"], row["n"], row["gold"]) == ("mine", 6, "DA")
    assert row["ci_low"] <= row["value"] <= row["ci_high"]
    assert rows(run(folder, "small", "--scores", "mine.sys.score", "-f", "json")) == [row]


def test_a_data_set_that_was_added_is_found(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERCET_DATA", str(tmp_path))
    assert run_tercet(["data", "add", str(folder / "small"), "added"]).code == 0
    words = ("--pair", "en-de", "--scores", "mine.sys.score", "-f", "json")
    (named,), (here,) = rows(run(folder, "added", *words)), rows(run(folder, "small", *words))
    assert (named["value"], named["ci_low"], named["n"]) == (here["value"], here["ci_low"], here["n"])


def test_json_is_what_the_library_returns(folder: Path) -> None:
    words = ("small", "-m", "bleu", "chrf", "ter", "--level", "seg", "--by-quality", "-n", "50", "--seed", "7")
    evidence = open_evidence(folder / "small", "en-de")
    assert evidence.testset is not None
    scores = tercet.score(evidence.testset, ["bleu", "chrf", "ter"])
    result = judge(evidence, scores, level="seg", by_quality=True, resamples=50, seed=7)
    assert rows(run(folder, *words, "-f", "json")) == json.loads(to_json(result.rows()))
    plain = judge(evidence, scores)
    assert rows(run(folder, "small", "-m", "bleu", "chrf", "ter", "-f", "json")) == json.loads(to_json(plain.rows()))


# --- what a reader sees ---


def test_the_table_has_values_intervals_n_and_winners(folder: Path) -> None:
    ran = run(folder, "small", "--scores", "mine.sys.score", "-m", "chrf", "-n", "100")
    lines = ran.out.splitlines()
    assert lines[0] == "small en-de, system level: Pearson's r with DA"
    assert lines[2].split() == ["Metric", "Value", "95", "%", "interval", "n"]
    assert lines[4].startswith("mine ") and "*" in lines[4] and lines[4].endswith(" 6")
    assert lines[5].startswith("chrF2 ")
    assert "n: systems." in lines
    assert "Marked: no other metric is significantly better (Williams' test, one-sided, p < 0.05)." in lines
    assert "Intervals of 95 %: 100 resamples of systems, seed 12345." in lines
    assert ran.err == ""


def test_undefined_numbers_are_dashes_with_the_reason(folder: Path) -> None:
    ran = run(folder, "small", "--scores", "constant.sys.score", "mine.sys.score")
    line = next(line for line in ran.out.splitlines() if line.startswith("constant"))
    assert line.split() == ["constant", "–", "–", "6"]
    assert "–: undefined, because scores are missing or all equal." in ran.out
    values = rows(run(folder, "small", "--scores", "constant.sys.score", "mine.sys.score", "-f", "json"))[0]
    assert (values["value"], values["ci_low"], values["winner"]) == (None, None, None)


def test_missing_systems_are_named_and_left_out_for_all_only_when_asked(folder: Path) -> None:
    words = ("small", "--scores", "short.sys.score", "mine.sys.score")
    ran = run(folder, *words)
    assert ran.err == (
        "Warning: en-de: No score for eve, fay, so no value: short. Use --common to leave out for all metrics what "
        "one metric lacks.\n"
    )
    assert next(line for line in ran.out.splitlines() if line.startswith("short")).split() == ["short", "–", "–", "6"]
    ran = run(folder, *words, "--common", "-f", "json")
    assert [row["n"] for row in rows(ran)] == [4, 4]
    assert "Left out, because not all metrics scored them: eve, fay." in ran.err
    assert run(folder, *words, "-q").err == ""


def test_several_pairs_share_a_table_and_changed_signs_are_said(folder: Path) -> None:
    ran = run(folder, "two", "-m", "chrf", "bleu", "-n", "50")
    lines = ran.out.splitlines()
    assert lines[0] == "two, system level: Pearson's r with DA"
    assert lines[2].split() == ["Metric", "de-en", "en-de", "Mean", "Pairs", "Wins"]
    assert lines[4].split() == ["n", "6", "6"]
    assert "Warning: chrF2 agrees with people for en-de and disagrees for de-en.\n" in ran.err
    values = {row["pair"]: row["value"] for row in rows(run(folder, "two", "-m", "chrf", "-f", "json"))}
    assert values["de-en"] < -0.8 and values["en-de"] > 0.8
    sized = run(folder, "two", "-m", "chrf", "--absolute")
    assert "|Pearson's r|" in sized.out and "disagrees for de-en" in sized.err
    assert "-0." not in sized.out


def test_head_to_head_best_systems_and_quarters_follow_the_table(folder: Path) -> None:
    ran = run(folder, "small", "-m", "chrf", "bleu", "ter", "--matrix", "--top-n", "-n", "50")
    for heading in (
        "p-values: row better than column",
        "Pearson's r over the N best systems",
    ):
        assert heading in ran.out.splitlines()
    assert "(1) " in ran.out and "(3) " in ran.out
    ran = run(folder, "small", "-m", "chrf", "--level", "seg", "--by-quality", "-n", "50")
    assert "Pearson's r by quality: L1 is the worst quarter of outputs, L4 the best" in ran.out
    ran = run(folder, "small", "-m", "chrf", "bleu", "--significance", "none", "--matrix", "-n", "50")
    assert "No p-values: no test was run." in ran.out and "Marked" not in ran.out and "*" not in ran.out


def test_intervals_that_do_not_overlap_make_a_matrix(folder: Path) -> None:
    words = (
        "small",
        "-m",
        "chrf",
        "bleu",
        "ter",
        "--level",
        "seg",
        "--significance",
        "overlap",
        "--matrix",
        "-n",
        "50",
    )
    lines = run(folder, *words, "-n", "50").out.splitlines()
    place = lines.index("row better than column: the intervals do not overlap")
    assert lines[place + 2].split() == ["Metric", "(1)", "(2)", "(3)"]
    assert all(set(line.split()[2:]) <= {"better"} for line in lines[place + 4 : place + 7])


def test_repeated_judgements_are_averaged_and_said(folder: Path) -> None:
    note = "120 outputs were judged more than once; the judgements of an output are averaged."
    assert note in run(folder, "small", "-m", "chrf", "--level", "seg", "-n", "20").out.splitlines()
    assert note not in run(folder, "small", "-m", "chrf", "-n", "20").out


def test_tied_systems_make_a_range(tmp_path: Path) -> None:
    write_texts(tmp_path / "tied")
    write_ratings(tmp_path / "tied", value=lambda i, j: 80.0 - 10 * min(i, 4))
    ran = run(tmp_path, "tied", "-m", "chrf", "--top-n", "-n", "50")
    table = ran.out[ran.out.index("over the N best") :].splitlines()
    assert table[2].split() == ["Metric", "6", "5", "4"]
    assert " to " in table[4]
    assert table[-1].startswith("Two numbers: human scores are tied at the cut")


@pytest.mark.parametrize(
    ("statistic", "heading"),
    [
        ("tau", "segment level: tau (wmt12) with DA differences above 25"),
        ("accuracy-calibrated", "segment level: accuracy with calibrated ties, mean over segments, with DA"),
        ("kendall", "segment level: Kendall's tau-b, mean over segments, with DA"),
        ("tau --inclusive", "segment level: tau (wmt12) with DA differences of at least 25"),
    ],
)
def test_the_heading_says_what_was_measured(folder: Path, statistic: str, heading: str) -> None:
    average = () if statistic.startswith("tau") else ("--average", "item")
    ran = run(folder, "small", "-m", "chrf", "--level", "seg", "--stat", *statistic.split(), *average, "-n", "20")
    assert heading in ran.out.splitlines()[0]
    assert ("Tied up to" in ran.out) is (statistic == "accuracy-calibrated")


@pytest.mark.parametrize(
    ("statistic", "average", "counted"),
    [
        ("accuracy", "none", "pairs of outputs"), ("accuracy", "system", "pairs of outputs"),
        ("pearson", "none", "judged outputs"), ("pearson", "item", "segments"), ("pearson", "system", "systems"),
    ],
)  # fmt: skip
def test_the_legend_says_what_n_counts(folder: Path, statistic: str, average: str, counted: str) -> None:
    ran = run(folder, "small", "-m", "chrf", "--level", "seg", "--stat", statistic, "--average", average, "-n", "20")
    assert f"n: {counted}." in ran.out.splitlines()


@pytest.mark.parametrize("unit", ["systems", "segments", "judgements"])
def test_units_are_chosen_by_name(folder: Path, unit: str) -> None:
    ran = run(folder, "small", "-m", "chrf", "--unit", unit, "-n", "50")
    assert f"50 resamples of {unit}" in ran.out


@pytest.mark.parametrize("test", ["williams", "bootstrap", "overlap", "perm-inputs", "perm-systems", "perm-both"])
def test_tests_are_chosen_by_name(folder: Path, test: str) -> None:
    found = rows(run(folder, "small", "-m", "chrf", "bleu", "--level", "seg", "--significance", test, "-n", "50",
                     "-f", "json"))  # fmt: skip
    assert {row["test"] for row in found} == {test}
    assert any(row["winner"] for row in found)
    assert all(("p_values" in row) is (test != "overlap") for row in found)


# --- files in and out ---


@pytest.mark.parametrize("name", ["wmt.seg.score", "long.tsv"])
def test_score_files_of_every_form_give_the_same_verdict(folder: Path, name: str) -> None:
    words = ("--level", "seg", "-n", "50", "-f", "json")
    other, mine = (rows(run(folder, "small", "--scores", file, *words)) for file in (name, "mine.seg.score"))
    assert other == mine


def test_saved_scores_give_the_verdict_of_computed_ones(folder: Path, tmp_path: Path) -> None:
    words = [
        "score",
        "-t",
        str(folder / "small"),
        "-l",
        "en-de",
        "-m",
        "chrf",
        "ter",
        "--save",
        str(tmp_path / "s.npz"),
    ]
    assert run_tercet(words).code == 0
    saved = rows(run(folder, "small", "--scores", tmp_path / "s.npz", "-f", "json"))
    assert saved == rows(run(folder, "small", "-m", "chrf", "ter", "-f", "json"))
    assert all(row["value"] > 0.8 for row in saved), "TER is turned"


def test_an_export_of_appraise_is_judged_by_system(folder: Path, tmp_path: Path) -> None:
    lines = [f"u,wmt.{name},{j},TGT,eng,deu,{rating(i, j)}" for j in range(1, 9) for i, name in enumerate(SYSTEMS)]
    path = write(tmp_path / "export.csv", *lines)
    write_texts(tmp_path / "texts")
    words = (tmp_path / "texts", "-m", "chrf", "--judgements", path)
    ran = run(tmp_path, *words, "--kind", "da", "--system-prefix", "wmt.", "-f", "json")
    assert rows(ran)[0]["value"] > 0.8 and rows(ran)[0]["n"] == 6
    ran = run(tmp_path, *words, code=2)
    assert (
        "export.csv is a campaign export, which does not state the kind of judgement. Give --kind da, esa or mqm."
        in ran.err
    )
    ran = run(tmp_path, *words[:3], "--kind", "da", code=2)
    assert (
        ran.err == "Error: --kind, --system-prefix and --columns apply to the files of --judgements; none is given.\n"
    )


def test_judgements_of_unknown_segments_are_named(tmp_path: Path) -> None:
    write_texts(tmp_path / "texts")
    items = [
        {"kind": "da", "segment": str(j), "system": name, "value": rating(i, j), "pair": "en-de"}
        for j in range(19, 23)
        for i, name in enumerate(SYSTEMS)
    ]
    path = write(tmp_path / "other.jsonl", *(json.dumps(item) for item in items))
    words = (tmp_path / "texts", "--pair", "en-de", "-m", "chrf", "--judgements", path)
    ran = run(tmp_path, *words, "--level", "seg", code=1)
    assert ran.err == "Error: DA (judgements 'other') has segments that the metrics did not score: 21, 22.\n"
    ran = run(tmp_path, *words)
    assert "DA (judgements 'other') includes segments that the data do not have: 21, 22." in ran.err
    write(tmp_path / "texts" / "ratings.en-de.jsonl", *(json.dumps(item) for item in items))
    ran = run(tmp_path, tmp_path / "texts", "-m", "chrf", code=1)
    assert "name segments that the test set does not have: 21, 22. It has 20." in ran.err


@pytest.mark.parametrize("form", ["csv", "tsv", "markdown", "latex"])
def test_every_format_holds_the_verdict(folder: Path, form: str) -> None:
    words = ("small", "-m", "chrf", "--scores", "constant.sys.score", "mine.sys.score", "-n", "50")
    found = {row["metric"]: row for row in rows(run(folder, *words, "-f", "json"))}
    out = run(folder, *words, "-f", form).out
    if form in ("csv", "tsv"):
        table = list(csv.DictReader(io.StringIO(out), delimiter="," if form == "csv" else "\t"))
        assert [row["metric"] for row in table] == ["chrf", "constant", "mine"]
        assert [float(row["value"]) for row in table if row["value"]] == [
            found["chrf"]["value"],
            found["mine"]["value"],
        ]
        assert table[1]["value"] == ""
        return
    bold = r"\textbf{%.3f}" if form == "latex" else "**%.3f**"
    assert bold % found["mine"]["value"] in out
    assert (r"\begin{tabular}" in out) is (form == "latex")
    assert ("\n% Marked:" in out) is (form == "latex"), "remarks are comments in LaTeX"


def test_output_appears_whole_in_a_file(folder: Path, tmp_path: Path) -> None:
    words = ("small", "-m", "chrf", "-n", "50")
    ran = run(folder, *words, "-o", tmp_path / "table.txt")
    assert ran.out == "" and (tmp_path / "table.txt").read_text("utf-8") == run(folder, *words).out
    before = (tmp_path / "table.txt").read_bytes()
    run(folder, "small", "-m", "nonsense", "-o", tmp_path / "table.txt", code=2)
    assert (tmp_path / "table.txt").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["table.txt"]


@pytest.mark.skipif(find_spec("vl_convert") is None, reason="the extra 'plots' is not installed")
def test_figures_are_written(folder: Path, tmp_path: Path) -> None:
    ran = run(folder, "small", "-m", "chrf", "bleu", "--top-n", "--figures", tmp_path / "new" / "plots", "-n", "50")
    names = {"intervals", "head-to-head", "top-n", "scatter.chrF2", "scatter.BLEU", "human"}
    written = {path.name: path for path in (tmp_path / "new" / "plots").iterdir()}
    assert written.keys() == {f"en-de.{name}.svg" for name in names}
    assert all(path.read_text("utf-8").startswith("<svg") for path in written.values())
    assert ran.err.count("Wrote ") == len(names)
    run(folder, "small", "-m", "chrf", "--figures", tmp_path / "html", "--figure-format", "html", "-n", "50")
    assert (tmp_path / "html" / "en-de.intervals.html").is_file()


# --- system scores as means of segment scores ---


def test_segment_scores_of_a_file_are_averaged_when_asked_for(folder: Path) -> None:
    words = ("small", "-m", "chrf", "--scores", "mine.seg.score", "-n", "50")
    hint = "No system scores, only segment scores: mine. Use --mean-of-segments to average them."
    ran = run(folder, *words)
    assert next(line for line in ran.out.splitlines() if line.startswith("mine")).split() == ["mine", "–", "–", "6"]
    assert ran.err == f"Warning: en-de: {hint}\n" and "System scores are means" not in ran.out
    ran = run(folder, *words, "--mean-of-segments")
    assert "System scores are means of 20 segment scores: chrF2, mine." in ran.out.splitlines() and ran.err == ""
    chrf, mine = rows(run(folder, *words, "--mean-of-segments", "-f", "json"))
    assert (chrf["mean_of_segments"], mine["mean_of_segments"]) == (20, 20)
    (by_system,) = rows(run(folder, "small", "--scores", "mine.sys.score", "-n", "50", "-f", "json"))
    assert mine["value"] == pytest.approx(by_system["value"], abs=1e-12) and by_system["mean_of_segments"] is None
    (corpus,) = rows(run(folder, "small", "-m", "chrf", "-n", "50", "-f", "json"))
    assert chrf["value"] != corpus["value"], "the mean of chrF of segments is not chrF of the system"
    ran = run(folder, "two", "-m", "chrf", "--mean-of-segments", "-n", "50")
    assert "System scores are means of 20 segment scores: chrF2." in ran.out.splitlines()
    ran = run(folder, *words, "--mean-of-segments", "--level", "seg", code=2)
    assert ran.err == "Error: --mean-of-segments gives system scores. Use it with --level sys.\n"


# --- what is wrong ---


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["smal"], 2, "There is no data set called 'smal'"),
        (["smal", "--data", "."], 2, "There is no smal in ."),
        (["small", "--pair", "en-da", "-m", "chrf"], 2, "language pair in small called 'en-da'. Did you mean en-de?"),
        (["small", "-m", "chrf", "--stat", "pearsn"], 2, "no statistic called 'pearsn'. Did you mean pearson or"),
        (["small", "-m", "chrf", "--gold", "dda"], 2, "gold standard in small en-de called 'dda'. Did you mean da"),
        (["small", "-m", "chrf", "--systems", "adda"], 2, "called 'adda'. Did you mean ada?"),
        (["small", "-m", "chrff"], 2, "no metric called 'chrff'. Did you mean chrf?"),
        (["small", "-m", "chrf", "--unit", "pairs"], 2, "the unit must be one of systems, segments, judgements, not"),
        (["small", "-m", "chrf", "--significance", "wiliams"], 2, "no test called 'wiliams'. Did you mean williams?"),
        (["small", "-m", "chrf", "--confidence", "95"], 2, "The confidence must lie between 0 and 1, not 95"),
        (["small", "-m", "chrf", "--margin", "10"], 2, "--margin and --inclusive apply to tau only"),
        (["small"], 2, "There are no metrics to evaluate. Name some in --metrics, or give files in --scores."),
        (["small", "--scores", "none.score"], 2, "There is no file none.score."),
        (["small", "-m", "chrf", "--systems", "ada"], 1, "1 system with both DA and metric scores, but two are needed"),
        (["small", "--scores", "mine.seg.score"], 1, "There are only segment scores of mine: use --level seg"),
        (["small", "--scores", "uneven.seg.score", "--level", "seg"], 1, "2 scores of 'ada' (from line 1), 1 of 'bob'"),
        (["small", "--scores", "mine.sys.score", "mine.score"], 2, "Two metrics are called 'mine'. Rename one,"),
        (["small", "--scores", "bad/twice.tsv"], 1, "twice.tsv, line 3: system 'ada' again, after line 2. Remove one"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_what_to_do(folder: Path, words: list[str], code: int, message: str) -> None:
    ran = run(folder, *words, code=code)
    assert ran.out == "" and message in ran.err


def test_pairs_that_cannot_be_judged_are_left_out_by_name_unless_asked_for(folder: Path, tmp_path: Path) -> None:
    place = make_set(tmp_path / "uneven")
    write_texts(place, "de-en")
    write(place / "human.de-en.tsv", "lp\tsystem\tDA", "de-en\tada\t1", "de-en\tbob\t2")
    ran = run(tmp_path, "uneven", "-m", "chrf", "--level", "seg", "-f", "json")
    assert [row["pair"] for row in rows(ran)] == ["en-de"]
    assert ran.err == (
        "Warning: Left out de-en: uneven has no human scores at level seg for de-en. There is only: da.\n"
    )
    ran = run(tmp_path, "uneven", "--pair", "de-en", "-m", "chrf", "--level", "seg", code=1)
    assert ran.err.startswith("Error: uneven has no human scores at level seg for de-en.")


def test_pairs_without_texts_are_left_out_by_name_unless_asked_for(tmp_path: Path) -> None:
    place = make_set(tmp_path / "uneven")
    write(place / "human.de-en.tsv", "lp\tsystem\tDA", *(f"de-en\t{name}\t{i}" for i, name in enumerate(SYSTEMS)))
    ran = run(tmp_path, "uneven", "-m", "chrf", "-n", "50", "-f", "json")
    assert [row["pair"] for row in rows(ran)] == ["en-de"]
    missing = "uneven has no texts for de-en, so metrics cannot be computed. Give --scores.\n"
    assert ran.err == f"Warning: Left out de-en: {missing}"
    assert run(tmp_path, "uneven", "-l", "de-en", "-m", "chrf", code=1).err == f"Error: {missing}"


# --- references, and files of other pairs ---


@pytest.fixture
def human(tmp_path: Path) -> Path:
    """A set with two references of which the better was judged as a system."""
    place = make_set(tmp_path / "human")
    lines = (place / "en-de.segments.tsv").read_text("utf-8").splitlines()
    texts = [line.split("\t") for line in (place / "en-de.outputs.tsv").read_text("utf-8").splitlines()]
    ada = ["ref_ada", *(row[1] for row in texts[1:])]
    both = [f"{line}\t{text}" for line, text in zip(lines, ada, strict=True)]
    write(place / "en-de.segments.tsv", both[0].replace("reference\t", "ref_given\t"), *both[1:])
    return tmp_path


def test_a_reference_is_no_system_and_references_are_chosen_by_name(human: Path) -> None:
    words = ("human", "-m", "chrf", "-n", "50")
    ran = run(human, *words)
    assert ran.out.splitlines()[-1] == "References: given, ada."
    assert ran.err == ("Warning: en-de: Left out, because they are references (use --systems to keep them): ada.\n")
    (row,) = rows(run(human, *words, "-f", "json"))
    assert (row["n"], row["references"]) == (5, ["given", "ada"])
    (row,) = rows(run(human, *words, "--systems", *SYSTEMS, "-r", "given", "-f", "json"))
    assert (row["n"], row["references"], row["notes"]) == (6, ["given"], [])
    evidence = open_evidence(human / "human", "en-de")
    assert evidence.testset is not None
    alone = replace(evidence.testset, references={"given": evidence.testset.references["given"]})
    assert row["value"] == judge(evidence, tercet.score(alone, ["chrf"]), systems=SYSTEMS).items[0].value
    ran = run(human, *words, "--systems", *SYSTEMS, "-r", "ada")
    assert "Not scored by --metrics, because they are references: ada." in ran.err
    assert "Left out, because no metric scored them: ada." in ran.err
    ran = run(human, *words, "-r", "givn", code=2)
    assert "no reference in this test set, nor a file, called 'givn'. Did you mean given?" in ran.err
    ran = run(human, "human", "--scores", "x", "-r", "given", code=2)
    assert ran.err == "Error: --reference applies to metrics that are computed here. Name some in --metrics.\n"


@pytest.mark.parametrize("name", ["table.csv", "mine.sys.score", "mine.score", "long.tsv"])
def test_scores_that_name_no_pair_are_refused_for_several(folder: Path, name: str) -> None:
    ran = run(folder, "two", "--scores", name, code=2)
    assert ran.err == f"Error: {name} does not name its language pair. Give it in --pair.\n"
    level = "seg" if name == "long.tsv" else "sys"
    assert len(rows(run(folder, "two", "--pair", "en-de", "--scores", name, "--level", level, "-f", "json"))) == 1


def test_scores_that_name_their_pair_are_of_it_only(folder: Path, tmp_path: Path) -> None:
    ran = run(folder, "two", "--scores", "wmt.seg.score", "--level", "seg", "-n", "50", "-f", "json")
    assert [row["pair"] for row in rows(ran)] == ["en-de"]
    assert "Left out de-en: wmt.seg.score is for en-de, not for de-en." in ran.err
    saved = tmp_path / "s.npz"
    words = ["score", "-t", str(folder / "two"), "-l", "en-de", "-m", "chrf", "--save", str(saved)]
    assert run_tercet(words).code == 0
    ran = run(folder, "two", "--scores", saved, "-n", "50", "-f", "json")
    assert [row["pair"] for row in rows(ran)] == ["en-de"] and f"Left out de-en: {saved} is for en-de" in ran.err
    assert (
        run(folder, "two", "-l", "de-en", "--scores", saved, code=1).err
        == f"Error: {saved} is for en-de, not for de-en.\n"
    )


def test_judgements_of_another_pair_are_refused(folder: Path, tmp_path: Path) -> None:
    write_texts(tmp_path / "texts")
    other = folder / "two" / "ratings.de-en.jsonl"
    ran = run(tmp_path, "texts", "-m", "chrf", "--judgements", other, code=1)
    assert ran.err == f"Error: {other} is for de-en, not for en-de.\n"
    export = write(tmp_path / "export.csv", *(f"u,{name},1,TGT,deu,eng,50" for name in SYSTEMS))
    ran = run(tmp_path, "texts", "-m", "chrf", "--judgements", export, "--kind", "da", code=1)
    assert ran.err == f"Error: {export} is for de-en, not for en-de.\n"
    write_texts(tmp_path / "texts", "de-en")
    ran = run(tmp_path, "texts", "-m", "chrf", "--judgements", other, "-n", "50", "-f", "json")
    assert [row["pair"] for row in rows(ran)] == ["de-en"]


# --- when things are said ---


@pytest.mark.parametrize(
    "words",
    [["--gold", "dda"], ["--systems", "adda"], ["--significance", "wiliams"], ["--stat", "pearsn"], ["--by-quality"],
     ["--alpha", "5"], ["--confidence", "95"], ["--scores", "none.score"], ["--level", "seg", "--top-n"]],
)  # fmt: skip
def test_what_is_wrong_is_said_before_anything_is_scored(
    folder: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tercet.metaeval.gathering.score", lambda *_, **__: pytest.fail("scored"))
    run(folder, "two", "-m", "chrf", *words, code=2)


def test_a_pair_without_such_human_scores_is_not_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_texts(tmp_path / "set")
    write(tmp_path / "set" / "human.en-de.tsv", "lp\tsystem\tDA", "en-de\tada\t1", "en-de\tbob\t2")
    monkeypatch.setattr("tercet.metaeval.gathering.score", lambda *_, **__: pytest.fail("scored"))
    ran = run(tmp_path, "set", "-m", "chrf", "--level", "seg", code=1)
    assert "no human scores at level seg for en-de" in ran.err


def test_means_over_different_pairs_are_said(folder: Path) -> None:
    table = folder / "some.tsv"
    values = [(pair, name, i) for pair in ("de-en", "en-de") for i, name in enumerate(SYSTEMS)]
    lines = [f"{pair}\t{name}\t{i}\t{i if pair == 'en-de' else 1}" for pair, name, i in values]
    write(table, "lp\tsystem\tm\tk", *lines)
    ran = run(folder, "two", "--scores", table, "-n", "50")
    assert "The means are over different language pairs" in ran.out
    assert "Intervals of 95 % in -f json and -f csv: 50 resamples of systems, seed 12345." in ran.out.splitlines()
    assert "different language pairs" not in run(folder, "two", "-m", "chrf", "bleu", "-n", "50").out


def test_no_control_items_are_said(folder: Path) -> None:
    ran = run(folder, "small", "-m", "chrf", "--passing-raters", "-n", "50")
    assert ran.err == (
        "Warning: Judgements 'ratings-en-de': nobody rated damaged outputs; --passing-raters keeps all raters.\n"
    )


@pytest.mark.skipif(find_spec("vl_convert") is None, reason="the extra 'plots' is not installed")
def test_figures_are_written_whoever_stops_reading(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object, **__: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("click.echo", closed)
    run_tercet(["meta", "small", "-m", "chrf", "-n", "50", "--figures", str(tmp_path / "plots")], folder=folder)
    assert {path.name for path in (tmp_path / "plots").iterdir()} == {
        "en-de.intervals.svg", "en-de.scatter.chrF2.svg", "en-de.human.svg",
    }  # fmt: skip


# --- the reliability card ---


def test_a_card_shows_a_metric_in_all_data_at_hand(folder: Path) -> None:
    ran = run_tercet(["metrics", "chrf", "--card", "--data", str(folder)])
    assert ran.code == 0
    assert ran.err.startswith("Warning: Left out of the card: ") and "bad/twice.tsv, line 3" in ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "chrF2: agreement with people in the data at hand"
    assert lines[2].split()[:5] == ["Data", "Pair", "Level", "Statistic", "Gold"]
    assert [line.split()[:4] for line in lines[4:]] == [
        ["ranked", "fr-en", "sys", "pearson"],
        ["ranked", "fr-en", "seg", "tau:wmt14"],
        ["small", "en-de", "sys", "pearson"],
        ["small", "en-de", "seg", "pearson"],
        ["two", "de-en", "sys", "pearson"],
        ["two", "de-en", "seg", "pearson"],
        ["two", "en-de", "sys", "pearson"],
        ["two", "en-de", "seg", "pearson"],
    ]
    one = run_tercet(["metrics", "chrf", "--card", "--data", str(folder / "small"), "-f", "json"])
    expected = [row for result in make_card("chrf", [folder / "small"]) for row in result.rows()]
    first, *others = json.loads(one.out)
    assert first.pop("options")["spec"] == "chrf"
    assert [first, *others] == json.loads(to_json(expected))


def test_a_card_needs_a_metric_and_data(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERCET_DATA", str(tmp_path))
    for words, message in (
        (["--card"], "--card is for one metric"),
        (["chrf", "--data", str(folder)], "--data for --card"),
        (["chrf", "--card"], "No texts with judgements in the folder of data sets."),
        (["chrf", "--card", "--data", "nowhere"], "There is no file or folder nowhere."),
        (["chrf", "--card", "--data", str(folder / "mine.sys.score")], "mine.sys.score"),
    ):
        ran = run_tercet(["metrics", *words])
        assert (ran.code, ran.out) == (2, "") and message in ran.err


# --- control items ---


def test_raters_who_do_not_notice_damage_can_be_left_out(tmp_path: Path) -> None:
    write_texts(tmp_path / "texts")
    items = []
    for j in range(12):
        for i, name in enumerate(SYSTEMS):
            # The careless rater gives everybody the same, and damaged outputs no less.
            for rater, value in (("careful", rating(i, j)), ("careless", 50 + j % 3)):
                item = {"kind": "da", "segment": str(j + 1), "system": name, "rater": rater, "pair": "en-de"}
                items.append({**item, "value": value})
                if i == 0:
                    items.append({**item, "value": value - 40 if rater == "careful" else value, "check": "bad"})
    write(tmp_path / "texts" / "ratings.en-de.jsonl", *(json.dumps(item) for item in items))
    words = (tmp_path / "texts", "-m", "chrf", "--unit", "judgements", "-f", "json")
    every, passing = run(tmp_path, *words), run(tmp_path, *words, "--passing-raters")
    assert "left out control items: 24 bad." in every.err and "left out rater" not in every.err
    assert "left out rater careless:" in passing.err and "rater careful" not in passing.err
    wide, narrow = (row["ci_high"] - row["ci_low"] for ran in (every, passing) for row in rows(ran))
    assert narrow < wide
