"""Test `tercet agree`: its output, its errors, and that it prints the library's results."""

import csv
import io
import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tercet.data.testset import TestSet
from tercet.human.agreement import agree
from tercet.human.agreement_files import load
from tercet.rendering.tables import to_json
from tests.docs.running import Ran, run
from tests.end_to_end.command import tercet as installed

HEADER = "rater\titem\tsegment\tsystem\tkind\tvalue\treference\tseconds"
VALUES = np.random.default_rng(4).integers(1, 6, (10, 15))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write ratings.tsv (six raters with references A and B, four with the source), rankings.tsv and the texts."""
    place = tmp_path_factory.mktemp("agree")
    shown = ["A"] * 3 + ["B"] * 3 + [""] * 4
    lines = [
        f"r{i}\ti{j}\t{j + 1}\tsys\tadequacy\t{VALUES[i, j]}\t{shown[i]}\t{j + 2.5}"
        for i in range(10)
        for j in range(15)
    ]
    (place / "ratings.tsv").write_text("\n".join([HEADER, *lines, ""]), "utf-8")
    named = [line.replace("\t\t", "\tnone\t") for line in lines]
    (place / "named.tsv").write_text("\n".join([HEADER, *named, ""]), "utf-8")
    rankings = ["lp\tseg\tjudge\tduration_s\tsystems\tranks"]
    for pair in ("de-en", "fr-en"):
        for judge in "abcde":
            rankings += [f"{pair}\t{seg}\t{judge}\t20\tx|y|z\t1|{1 + (ord(judge) + seg) % 3}|2" for seg in range(1, 6)]
    (place / "rankings.tsv").write_text("\n".join([*rankings, ""]), "utf-8")
    from tercet.data.jsonl import write_jsonl

    words = ["one", "two", "three four", "five", "six seven eight"] * 3
    outputs = [f"{word} {number % 4}" for number, word in enumerate(words)]
    references = {
        name: [f"{word} {number % size}" for number, word in enumerate(words)] for name, size in (("A", 3), ("B", 2))
    }
    write_jsonl(TestSet({"sys": outputs}, references, pair="de-en", name="texts"), place / "texts.jsonl")
    return place


def words(*arguments: object, folder: Path) -> Ran:
    return run(["agree", *map(str, arguments)], folder=folder)


def test_json_is_what_the_library_returns(folder: Path) -> None:
    ran = words("ratings.tsv", "-f", "json", "-n", 50, folder=folder)
    assert (ran.code, ran.err) == (0, "")
    (part,) = load([folder / "ratings.tsv"])
    expected = agree(part.judgements, source=part.source, resamples=50)
    assert ran.json == json.loads(to_json([expected.to_dict()]))
    assert words("ratings.tsv", "--json", "-n", 50, folder=folder).out == ran.out


def test_the_text_has_every_part(folder: Path) -> None:
    ran = words("ratings.tsv", "-n", 50, folder=folder)
    assert ran.code == 0
    head, *lines = ran.out.split("\n")
    assert head == "ratings, adequacy: 150 judgements of 15 outputs by 10 raters"
    assert lines[1].split("  ")[-1].strip() == "same − different"
    rows = {line.split("  ")[0]: line for line in lines if line}
    assert rows["pairs"].split() == ["pairs", "45", "6", "9", "6"]
    for name in ("kappa", "kappa, linear", "kappa, one-off", "kappa, quadratic", "Fleiss' kappa", "alpha, nominal",
                 "alpha, ordinal", "alpha, interval", "ICC(1,1)", "ICC(2,k)"):  # fmt: skip
        assert name in rows
    for name in (
        "Average judgement by what was shown",
        "A − B",
        "A − no reference",
        "Agreement over time",
        "Raters",
    ):
        assert name in rows
    assert "Raters are resampled, not pairs of raters" in ran.out
    means = {
        line.split()[0]: line.split()[2] for line in lines if line.split()[1:2] == ["reference"] and line[0] in "AB"
    }
    assert means == {"A": f"{VALUES[:3].mean():.3f}", "B": f"{VALUES[3:6].mean():.3f}"}


def test_the_level_of_alpha_is_chosen_and_parts_of_the_work_have_n(folder: Path) -> None:
    ran = words("ratings.tsv", "--level", "ratio", "-n", 50, "-f", "json", folder=folder)
    (found,) = ran.json
    assert {item["measure"] for item in found["measures"] if "alpha" in item["measure"]} == {"alpha, ratio"}
    assert [part["judgements"] for part in found["slices"]] == [30] * 5
    lines = words("ratings.tsv", "-n", 50, folder=folder).out.split("\n")
    place = lines.index("Agreement over time")
    assert lines[place + 2].split()[:2] == ["Part", "n"] and lines[place + 4].split()[:3] == ["0-20", "%", "30"]


def test_csv_has_one_row_per_coefficient(folder: Path) -> None:
    ran = words("ratings.tsv", "-f", "csv", "-n", 50, folder=folder)
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    (part,) = load([folder / "ratings.tsv"])
    expected = agree(part.judgements, source=part.source, resamples=50).measures
    assert [(row["measure"], row["group"], float(row["value"])) for row in rows] == [
        (item.measure, item.group, item.value) for item in expected
    ]
    assert rows[0]["kind"] == "adequacy" and rows[0]["pair"] == ""


@pytest.mark.parametrize("form", ["markdown", "latex", "tsv"])
def test_other_formats(folder: Path, form: str) -> None:
    ran = words("ratings.tsv", "-f", form, "-n", 20, folder=folder)
    assert ran.code == 0
    start = {"markdown": "## ratings, adequacy", "latex": "% ratings, adequacy", "tsv": "name\tpair\tkind"}[form]
    assert ran.out.startswith(start)


def test_every_language_pair_of_a_file_or_one(folder: Path) -> None:
    both = words("rankings.tsv", "-f", "json", "-n", 20, folder=folder).json
    assert [item["pair"] for item in both] == ["de-en", "fr-en"]
    one = words("rankings.tsv", "-f", "json", "-n", 20, "-l", "fr-en", folder=folder).json
    assert one == both[1:]
    (folder / "of-a-pair.jsonl").write_text(
        '{"kind": "da", "segment": "1", "system": "a", "value": 3, "pair": "en-de"}\n'
    )
    other = words("of-a-pair.jsonl", "-l", "de-en", folder=folder)
    assert (other.code, other.err) == (1, "Error: of-a-pair.jsonl is for en-de, not for de-en.\n")
    text = words("rankings.tsv", "-n", 20, "-l", "fr-en", folder=folder).out
    assert "P(A), no ties" in text and "Ties" in text


def test_the_source_can_be_named(folder: Path) -> None:
    named = words("named.tsv", "--source", "none", "-f", "json", "-n", 50, folder=folder).json
    plain = words("ratings.tsv", "-f", "json", "-n", 50, folder=folder).json
    assert named[0]["measures"] == plain[0]["measures"]
    taken = words("named.tsv", "-f", "json", "-n", 50, folder=folder).json
    assert {item["group"] for item in taken[0]["measures"]} == {"all", "same reference", "different references"}
    ran = words("named.tsv", "--source", "non", folder=folder)
    assert (ran.code, ran.err) == (
        2, "Error: There is no reference that raters were shown called 'non'. Did you mean none?\n",
    )  # fmt: skip


def test_metrics_by_reference(folder: Path) -> None:
    ran = words("ratings.tsv", "--texts", "texts.jsonl", "-m", "chrf", "-f", "json", "-n", 20, folder=folder)
    assert ran.code == 0, ran.err
    found = ran.json[0]["correlations"]
    assert [(item["shown"], item["given"]) for item in found] == [
        (shown, given) for shown in ("A", "B", "") for given in ("A", "B")
    ]
    assert {item["outputs"] for item in found} == {15}
    text = words(
        "ratings.tsv", "--texts", "texts.jsonl", "-m", "chrf", "chrf:word_order=2", "-n", 20, folder=folder
    ).out
    assert "mean over references" in text and "chrF" in text
    ran = words("ratings.tsv", "-m", "chrf", folder=folder)
    assert (ran.code, ran.err) == (
        2, "Error: Metrics need texts, and these judgements have none. Give them with --texts.\n",
    )  # fmt: skip


def test_the_result_can_go_to_a_file(folder: Path, tmp_path: Path) -> None:
    ran = words("ratings.tsv", "-f", "json", "-n", 20, "-o", tmp_path / "out.json", folder=folder)
    assert (ran.code, ran.out) == (0, "")
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))[0]["raters"] == 10


@pytest.mark.skipif(not (find_spec("altair") and find_spec("vl_convert")), reason="the extra plots is not installed")
def test_figures(folder: Path, tmp_path: Path) -> None:
    ran = words("ratings.tsv", "--texts", "texts.jsonl", "-m", "chrf", "-n", 20, "--figures", tmp_path, folder=folder)
    assert ran.code == 0, ran.err
    names = {path.name.removeprefix("ratings.adequacy.") for path in tmp_path.iterdir()}
    assert names == {
        f"{what}.svg" for what in ("agreement", "stages", "spread", "references", "raters", "metric.chrF2")
    }
    assert "different references" in (tmp_path / "ratings.adequacy.stages.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere.tsv"], 2, "There is no file nowhere.tsv."),
        (["bad.tsv"], 1, "bad.tsv, line 3, column 'value': 'four' is not a number"),
        (["kind.tsv"], 1, "kind.tsv, line 2: there is no kind of judgement called 'liking'"),
        (["nobody.tsv"], 1, "no rater is named. Agreement needs the names of raters."),
        (["words.tsv"], 1, "words.tsv holds no judgements in a known format"),
        (["broken.json"], 1, "broken.json: "),
        (["cut.json"], 1, "cut.json, line 1, column 13: not a campaign"),
        (["export.json"], 2, "export.json is a campaign export, which does not state the kind of judgement"),
        (["ratings.tsv", "--weights", "Major"], 2, "Weights of errors: 'Major' must have the form"),
        (["ratings.tsv", "--confidence", "2"], 2, "The confidence"),
        (["ratings.tsv", "--slices", "1000000000"], 2, "--slices must be 1 to 1000, not 1000000000"),
        (["ratings.tsv", "--texts", "nowhere", "-m", "chrf"], 2, "nowhere"),
        (["rankings.tsv", "-l", "xx-yy"], 2, "xx-yy"),
        ([], 2, "Missing argument"),
    ],
)
def test_bad_input_is_named(folder: Path, arguments: list[str], code: int, message: str) -> None:
    head = "rater\titem\tsegment\tsystem\tkind\tvalue\n"
    (folder / "bad.tsv").write_text(f"{head}a\ti\t1\ts\tda\t4\na\tj\t2\ts\tda\tfour\n", "utf-8")
    (folder / "kind.tsv").write_text(f"{head}a\ti\t1\ts\tliking\t4\n", "utf-8")
    (folder / "nobody.tsv").write_text(f"{head}\ti\t1\ts\tda\t4\n", "utf-8")
    (folder / "words.tsv").write_text("one\ttwo\nthree\tfour\n", "utf-8")
    (folder / "broken.json").write_text('{"version": 1, "protocol": "adequacy", "items": 3}\n', "utf-8")
    (folder / "cut.json").write_text('{"version": ', "utf-8")
    (folder / "export.json").write_text("[]\n", "utf-8")
    ran = words(*arguments, folder=folder)
    assert (ran.code, ran.out) == (code, ""), ran.err
    assert message in ran.err


def test_a_campaign_from_design_to_analysis(folder: Path, tmp_path: Path) -> None:
    storage = pytest.importorskip("tercet.human.storage", reason="SQLAlchemy is not installed", exc_type=ImportError)
    from tercet.human.campaign import Campaign

    path = tmp_path / "campaign.json"
    made = run(
        ["rate", "new", "-t", str(folder / "texts.jsonl"), "--protocol", "adequacy", "--groups", "A", "B",
         "--raters", "a", "b", "c", "d", "e", "f", "--out", str(path)]
    )  # fmt: skip
    assert made.code == 0, made.err
    campaign = Campaign.read(path)
    store = storage.Store.open(storage.default_database(path), campaign)
    for i, rater in enumerate(campaign.raters):
        for j, item in enumerate(rater.items):
            store.append(
                request=f"{i}:{j}", rater=rater.name, item=item, answer={"value": int(VALUES[i, j])}, seconds=1.0 + j
            )
    store.close()
    ran = words(path, "-f", "json", "-m", "chrf", "-n", 50, folder=tmp_path)
    assert ran.code == 0, ran.err
    (found,) = ran.json
    assert (found["raters"], found["judgements"], found["outputs"], found["shown"]) == (6, 90, 15, ["A", "B"])
    assert {item["group"] for item in found["measures"]} == {"all", "same reference", "different references"}
    assert len(found["correlations"]) == 4
    assert found["people"][0]["seconds"] == 8.0
    exported = run(["rate", "export", str(path), "-o", str(tmp_path / "ratings.tsv")])
    assert exported.code == 0, exported.err
    (again,) = words("ratings.tsv", "-f", "json", "-n", 50, folder=tmp_path).json
    assert again["measures"] == found["measures"] and again["people"] == found["people"]


def test_the_installed_command(folder: Path) -> None:
    result = installed("agree", "ratings.tsv", "-f", "json", "-n", 20, cwd=folder)
    assert (result.code, result.err) == (0, "")
    assert result.json[0]["outputs"] == 15
