"""`tercet paraphrase`: references in, further references out."""

from pathlib import Path

import pytest

from .command import Ran, tercet

pytest.importorskip("simplemma", reason="forms of Spanish words need simplemma")

STORED = str(Path(__file__).resolve().parents[1] / "data" / "paraphrase" / "es.conllu")
TEXTS = "El comité aprobó la propuesta.\nEl plan es bueno.\n"
PASSIVE = "La propuesta fue aprobada por el comité."


def run(*words: str) -> Ran:
    return tercet(*words, cwd=Path.cwd())


@pytest.fixture
def reference(tmp_path: Path) -> str:
    file = tmp_path / "ref.es"
    file.write_text(TEXTS, "utf-8")
    return str(file)


def test_it_writes_references_that_score_takes(reference: str, tmp_path: Path) -> None:
    folder = tmp_path / "closer"
    done = run("paraphrase", reference, "-l", "es", "--parses", STORED, "-o", str(folder))
    assert done.code == 0
    assert done.err == "2 variants of 1 of 2 segments.\n"
    assert sorted(path.name for path in folder.iterdir()) == ["changes.tsv", "variant-1.txt", "variant-2.txt"]
    assert (folder / "variant-2.txt").read_text("utf-8") == f"{PASSIVE}\nEl plan es bueno.\n"
    changes = (folder / "changes.tsv").read_text("utf-8").splitlines()
    assert changes[2] == f"1\t2\tactive-to-passive\t\t{PASSIVE}"
    scored = run("score", reference, str(folder / "variant-2.txt"), "-i", str(folder / "variant-2.txt"), "-b", "-q")
    assert scored.out == "100.0\n"


def test_it_writes_a_reference_for_each_group_of_rules(reference: str, tmp_path: Path) -> None:
    folder = tmp_path / "closer"
    run("paraphrase", reference, "-l", "es", "--parses", STORED, "-o", str(folder), "--by", "group")
    assert (folder / "diathesis.txt").read_text("utf-8").splitlines()[0] == PASSIVE
    assert {path.stem for path in folder.glob("*.txt")} == {"features", "category", "diathesis", "order", "number"}


def test_it_shows_a_rule(reference: str) -> None:
    done = run("paraphrase", "-l", "es", "--rule", "active-to-passive", "--show")
    assert done.code == 0
    assert done.out.startswith(
        "active-to-passive (3a), Diathesis\n  active → analytic passive\n  El comité aprobó la propuesta.\n"
    )


def test_it_prints_variants_as_json(reference: str) -> None:
    done = run("paraphrase", reference, "-l", "es", "--parses", STORED, "--rule", "3a", "-f", "json")
    assert '"rules": {\n' in done.out and PASSIVE in done.out


def test_it_warns_if_one_output_chooses_the_variants(reference: str, tmp_path: Path) -> None:
    output = tmp_path / "mt.es"
    output.write_text(f"{PASSIVE}\nEl plan es bueno.\n", "utf-8")
    done = run("paraphrase", reference, "-l", "es", "--parses", STORED, "--against", str(output), "-f", "tsv")
    assert done.out.splitlines()[1:] == [f"1\t1\tactive-to-passive\t{PASSIVE}"]
    assert "Warning: the variants are chosen by one output." in done.err


def test_it_estimates_and_saves_a_language_model(reference: str, tmp_path: Path) -> None:
    model = str(tmp_path / "lm.arpa")
    words = ["paraphrase", reference, "-l", "es", "--parses", STORED, "-f", "tsv"]
    first = run(*words, "--corpus", reference, "--save-lm", model)
    assert first.code == 0 and first.out == run(*words, "--lm", model).out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["-l", "es"], 2, "Give a file of references"),
        (["REF", "-l", "de"], 2, "Tercet has no rules for 'de', only for en, es."),
        (["REF", "-l", "es", "--rule", "passiv"], 2, "There is no rule in rules_es.toml called 'passiv'."),
        (["REF", "-l", "es", "--rules", "WRONG"], 1, "wrong.toml, line 1: this is not TOML"),
        (["REF", "-l", "es", "--parses", "OTHER"], 1, "has no parse of 'El comité aprobó la propuesta.'"),
        (["REF", "-l", "es", "--parses", "STORED", "-o", "FULL"], 2, "exists and is not an empty folder"),
        (["REF", "-l", "es", "--parses", "STORED", "--save-lm", "x"], 2, "--save-lm needs the texts of --corpus."),
        (["REF", "-l", "es", "--backend", "spacy:nothing"], 2, "nothing"),
    ],
)  # fmt: skip
def test_misuse_and_bad_data_are_explained(
    reference: str, tmp_path: Path, words: list[str], code: int, message: str
) -> None:
    (tmp_path / "wrong.toml").write_text("[[rule", "utf-8")
    (tmp_path / "other.conllu").write_text("# text = Hola\n1\tHola\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    paths = {"REF": reference, "WRONG": tmp_path / "wrong.toml", "OTHER": tmp_path / "other.conllu", "FULL": tmp_path}
    done = run("paraphrase", *(str(paths.get(word, STORED if word == "STORED" else word)) for word in words))
    assert done.code == code
    assert message in done.err and "Traceback" not in done.err
