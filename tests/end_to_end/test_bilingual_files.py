"""Commands on the files of translation tools: CSV, XLIFF, XLSX."""

import json
import os
import stat
from pathlib import Path

import pytest

from tercet.data.bilingual import open_bitext
from tercet.data.workbook import write_xlsx
from tercet.errors import DataError
from tests.docs.running import run

ROWS = [
    ("k1", "The cat sat on the mat.", "Die Katze saß auf der Matte.", "Die Katze saß auf der Matte."),
    ("k2", "It rained all day in London.", "Es regnete ganzen Tag in London.", "In London regnete es den ganzen Tag."),
    ("k3", "Nobody came to the party.", "Niemand kam zu Party.", "Niemand kam zu der Feier."),
]


@pytest.fixture
def folder(tmp_path):
    lines = ["Key,EN,DE,Final", *(",".join(f'"{field}"' for field in row) for row in ROWS)]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", "utf-8")
    with (tmp_path / "a.xlsx").open("wb") as stream:
        write_xlsx(stream, ["ID", "Source", "MT", "Reference"], ROWS)
    for name, column in (("mt.xlf", 2), ("ref.xlf", 3)):
        units = "".join(
            f'<trans-unit id="{row[0]}"><source>{row[1]}</source><target>{row[column]}</target></trans-unit>\n'
            for row in ROWS
        )
        head = '<file original="a.txt" source-language="en" target-language="de" datatype="x"><body>'
        (tmp_path / name).write_text(f'<xliff version="1.2">{head}{units}</body></file></xliff>', "utf-8")
    for name, column in (("out.txt", 2), ("ref.txt", 3)):
        (tmp_path / name).write_text("".join(f"{row[column]}\n" for row in ROWS), "utf-8")
    return tmp_path


COLUMNS = ("--columns", "source=EN,output=DE,reference=Final")


def test_all_formats_give_the_score_of_the_plain_texts(folder):
    plain = run(["score", "ref.txt", "-i", "out.txt", "-m", "chrf", "-b"], folder=folder).out
    for words in (
        ["-i", "a.csv", *COLUMNS],
        ["-t", "a.csv", *COLUMNS],
        ["-i", "a.xlsx"],
        ["ref.xlf", "-i", "mt.xlf"],
        ["ref.txt", "-i", "mt.xlf"],
        ["-t", "mt.xlf", "-r", "ref.xlf"],
    ):
        ran = run(["score", *words, "-m", "chrf", "-b"], folder=folder)
        assert (ran.out, ran.code) == (plain, 0), (words, ran.err)


def test_results_name_segments_by_their_ids(folder):
    ran = run(["score", "ref.xlf", "-i", "mt.xlf", "-m", "chrf", "-sl", "-f", "json"], folder=folder)
    assert json.loads(ran.out)[0]["ids"] == ["k1", "k2", "k3"]
    ran = run(["score", "-i", "a.xlsx", "-m", "chrf", "-sl", "-f", "tsv"], folder=folder)
    assert [line.split("\t")[2] for line in ran.out.splitlines()] == ["segment", "k1", "k2", "k3"]


def test_scores_go_into_a_copy_or_into_the_file_with_a_backup(folder):
    old = (folder / "mt.xlf").read_text("utf-8")
    ran = run(["score", "ref.xlf", "-i", "mt.xlf", "-m", "chrf", "-b", "--annotate", "new.xlf"], folder=folder)
    assert ran.err == "Wrote new.xlf\n"
    new = (folder / "new.xlf").read_text("utf-8")
    assert '</target><note from="tercet">chrF2: 100.0</note></trans-unit>' in new
    ran = run(["score", "ref.xlf", "-i", "mt.xlf", "-m", "chrf", "-b", "--in-place", "-q"], folder=folder)
    assert (ran.err, (folder / "mt.xlf").read_text("utf-8")) == ("", new)
    assert (folder / "mt.xlf.bak").read_text("utf-8") == old


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ref.txt", "-i", "out.txt", "--annotate", "x.txt"], "Results are written into one file"),
        (["-i", "a.csv", *COLUMNS, "--annotate", "a.csv"], "a.csv is the input"),
        (["-i", "a.csv", *COLUMNS, "--annotate", "x.xlsx"], "must end in .csv"),
        (["-i", "a.csv", *COLUMNS, "--annotate", "x.csv", "--in-place"], "not both"),
        (["-i", "a.csv", "--columns", "sauce=EN"], "write ROLE=COLUMN"),
        (["-i", "a.csv", "--columns", "output=XY"], "There is no column in a.csv, line 1 called 'XY'"),
        (["ref.txt", "-i", "out.txt", "--columns", "output=XY"], "--columns is for"),
        (["-t", "mt.xlf", "--columns", "output=XY"], "has no columns"),
    ],
)
def test_wrong_use_is_refused(folder, words, message):
    ran = run(["score", *words, "-m", "chrf"], folder=folder)
    assert ran.code == 2
    assert message in ran.err


def test_files_with_different_segments_are_refused(folder):
    text = (folder / "ref.xlf").read_text("utf-8").replace('id="k2"', 'id="k9"')
    (folder / "ref.xlf").write_text(text, "utf-8")
    ran = run(["score", "ref.xlf", "-i", "mt.xlf", "-m", "chrf"], folder=folder)
    assert ran.code == 1
    assert "the segment is 'k9', but 'k2' in mt.xlf" in ran.err


def test_check_report_and_rate_read_them_too(folder):
    ran = run(["check", "a.csv", *COLUMNS, "-l", "en-de"], folder=folder)
    assert (ran.code, ran.out) == (0, "No problems found in 3 texts (3 segments).\n")
    ran = run(["check", "mt.xlf"], folder=folder)
    assert "2 texts (3 segments)" in ran.out
    ran = run(["report", "ref.xlf", "-i", "mt.xlf", "out.txt", "-m", "chrf", "-o", "report.html"], folder=folder)
    assert ran.code == 0, ran.err
    pytest.importorskip("starlette")
    ran = run(["rate", "new", "-i", "mt.xlf", "--protocol", "da", "--raters", "1", "-o", "c.json"], folder=folder)
    assert ran.code == 0, ran.err
    items = json.loads((folder / "c.json").read_text())["items"]
    assert {item["document"] for item in items} == {"a.txt"}


def test_rank_by_findings_needs_no_model_and_writes_into_the_file(folder):
    text = (folder / "mt.xlf").read_text("utf-8").replace("Niemand kam zu Party.", "")
    (folder / "mt.xlf").write_text(text, "utf-8")
    ran = run(["qe", "rank", "triage", "mt.xlf", "-f", "json", "--in-place"], folder=folder)
    found = json.loads(ran.out)
    assert [each["id"] for each in found["segments"]] == ["k3", "k1", "k2"]
    assert found["segments"][0]["findings"] == [
        {"kind": "untranslated", "message": "there is no translation", "words": []}
    ]
    assert '<target></target><note from="tercet">review rank: 1</note>' in (folder / "mt.xlf").read_text("utf-8")
    ran = run(["qe", "rank", "triage", "a.csv", "--columns", "source=EN,output=DE", "-l", "en-de"], folder=folder)
    assert "0 of 3 segments have findings." in ran.out
    (folder / "terms.csv").write_text("Source,Target\nparty,Feier\n")
    ran = run(["qe", "rank", "triage", "a.xlsx", "--terms", "terms.csv", "-f", "tsv", "--top", "1"], folder=folder)
    assert ran.out.splitlines()[1].startswith("k3\t5\tthe term “party” is not translated as “Feier”")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["triage", "out.txt"], 2, "or one file that has both"),
        (["triage", "mt.xlf", "--target", "3"], 2, "--target needs a model"),
        (["triage", "out.txt", "ref.txt", "--columns", "output=x"], 2, "--columns is for one file"),
        (["triage", "out.txt", "ref.txt", "--in-place"], 2, "Give one such file"),
    ],
)
def test_wrong_use_of_rank_is_refused(folder, words, code, message):
    ran = run(["qe", "rank", *words], folder=folder)
    assert (ran.code, message in ran.err) == (code, True), ran.err


def test_a_table_without_translations_names_the_columns_that_are_known(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("src,words\nDas ist gut.,This is good.\n")
    ran = run(["qe", "rank", "triage", "f.csv", "-l", "de-en"], folder=tmp_path)
    assert ran.code == 1
    assert "f.csv has no column with translations. Name it: --columns output=COLUMN." in ran.err
    assert "Known without that: output, target, tgt, mt" in ran.err


CHANGES = """from pathlib import Path
def f(output, references):
    path = Path({path!r})
    path.write_text(path.read_text().replace("{old}", "{new}"))
    return 1.0
"""


@pytest.mark.parametrize("option", [["--in-place"], ["--annotate", "new.csv"]])
def test_a_row_that_changes_while_scoring_runs_is_found_and_nothing_is_written(tmp_path, option):
    text = "id,source,target,reference\n1,ein Hund,a dog,a dog\n2,zwei,two,two\n"
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "own.py").write_text(CHANGES.format(path=str(tmp_path / "a.csv"), old="a dog", new="a cat"))
    ran = run(["score", "-i", "a.csv", "-m", "own.py:f", "-b", *option], folder=tmp_path)
    assert ran.code == 1
    assert "a.csv has changed since its texts were read. Nothing was written" in ran.err
    assert (tmp_path / "a.csv").read_text() == text.replace("a dog", "a cat")
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == ["a.csv", "own.py"]


def test_writing_in_place_keeps_mode_times_and_links_and_refuses_a_pipe(tmp_path):
    (tmp_path / "inside").mkdir()
    real = tmp_path / "inside" / "a.csv"
    real.write_text("id,source,target,reference\n1,ein Hund,a dog,a dog\n")
    real.chmod(0o600)
    os.utime(real, (1_000_000_000, 1_000_000_000))
    (tmp_path / "a.csv").symlink_to(real)
    ran = run(["score", "-i", "a.csv", "-m", "chrf", "-b", "--in-place"], folder=tmp_path)
    assert ran.code == 0, ran.err
    assert (tmp_path / "a.csv").is_symlink() and "tercet:" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    backup = (tmp_path / "a.csv.bak").stat()
    assert (stat.S_IMODE(backup.st_mode), backup.st_mtime) == (0o600, 1_000_000_000)
    run(["score", "-i", "a.csv", "-m", "chrf", "-b", "--annotate", "copy.csv"], folder=tmp_path)
    assert stat.S_IMODE((tmp_path / "copy.csv").stat().st_mode) == 0o600
    os.mkfifo(tmp_path / "pipe.csv")
    ran = run(["score", "-i", "pipe.csv", "--in-place", "-m", "chrf"], folder=tmp_path)
    assert ran.code == 2 and "is not a file, so nothing can be written into it" in ran.err


def test_a_failure_leaves_no_backup(tmp_path):
    (tmp_path / "a.csv").write_text("id,source,target,reference\n1,ein Hund,a dog,a dog\n")
    bitext = open_bitext(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("id,source,target,reference\n1,ein Hund,a dog,the dog\n")
    with pytest.raises(DataError, match="has changed since its texts were read"):
        bitext.annotate_in_place({"x": ["1"]})
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
