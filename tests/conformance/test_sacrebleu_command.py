"""`tercet sacrebleu` and sacreBLEU side by side: the same bytes on standard output, the same exit code.

The texts are made up, and so are the test sets in $SACREBLEU: files like those that sacreBLEU downloads.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.running import run

pytest.importorskip("sacrebleu", reason="sacrebleu is not installed")

SENTENCES = [
    "The council met on Tuesday and approved the new budget.", "A storm closed the airport for three hours.",
    "Nobody knows why the lights went out at night.", "She said: “We will rebuild the bridge by 2027.”",
    "Prices rose by 3.5% in May, more than expected.", "The committee's report is 1,200 pages long!",
    "Ça va bien aller, dit-il à l'équipe.", "日本語の文章はここにあります。", "",
    "  Two   blanks and a tab\tare here .  ",
    "Fish &amp; chips cost £4 — or so.", "The dog chased the cat, the cat chased the mouse.",
]  # fmt: skip
DOCUMENTS = [("rt.com.68098", "en"), ("bbc.310963", "en"), ("smh.com.au.242810", "cs")]


def changed(text: str, step: int) -> str:
    """An output: words left out and swapped, always in the same way."""
    words = text.split(" ")
    kept = [word for i, word in enumerate(words) if (i + step) % 5 or len(words) < 3]
    if len(kept) > step + 1:
        kept[step], kept[step + 1] = kept[step + 1], kept[step]
    return " ".join(kept)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sacrebleu")
    plain = [text.replace("\t", " ") for text in SENTENCES]
    texts = {"r1": SENTENCES, "r2": [changed(text, 3) for text in plain]}
    texts |= {f"o{step}": [changed(text, step) for text in plain] for step in range(3)}
    texts["both"] = [f"{one}\t{two}" for one, two in zip(texts["o0"], texts["o1"], strict=True)]
    texts["x"] = [changed(text, 2) for text in plain[:4] * len(DOCUMENTS)]
    texts["short"] = texts["o0"][:-1]
    for name, lines in texts.items():
        (place / name).write_bytes("".join(f"{line}\n" for line in lines).encode())
    (place / "crlf").write_bytes("".join(f"{line}\r\n" for line in texts["o1"]).encode())
    (place / "bom").write_bytes(b"\xef\xbb\xbf" + (place / "o1").read_bytes())
    (place / "latin").write_bytes("Ça va\n".encode("latin-1") * len(SENTENCES))
    (place / "empty").write_bytes(b"")
    (place / "blank").write_bytes(b"\n" * len(SENTENCES))
    subprocess.run(["gzip", "-nk", "r1"], cwd=place, check=True)
    make_test_sets(place / "home")
    return place


def make_test_sets(home: Path) -> None:
    """wmt18 as SGM, wmt22 as XML, and files that stand for their downloads."""
    sgm = {
        "wmt18": ["test/newstest2018-encs-src.en.sgm", "test/newstest2018-encs-ref.cs.sgm"],
        "wmt17": ["test/newstest2017-encs-src.en.sgm", "test/newstest2017-encs-ref.cs.sgm"],
    }
    for name, paths in sgm.items():
        raw = home / name / "raw"
        (raw / "test").mkdir(parents=True)
        (raw / f"{name}.test.tgz").write_bytes(b"kept")
        for step, path in enumerate(paths):
            (raw / path).write_bytes("".join(documents(step)).encode())
    from sacrebleu.dataset import DATASETS

    for name, translators in (("wmt21", "A"), ("wmt22", "BC")):
        raw, path = home / name / "raw", DATASETS[name].langpairs["cs-en"]
        xml = raw / (path["path"] if name == "wmt22" else path[0])
        xml.parent.mkdir(parents=True)
        for address in DATASETS[name].data:
            (raw / f"{name}.{address.rpartition('/')[2]}").write_bytes(b"kept")
        xml.write_text(xml_text(translators), "utf-8")


def documents(step: int) -> list[str]:
    lines = ['<refset setid="x" srclang="any">\n']
    for number, (name, language) in enumerate(DOCUMENTS):
        lines.append(f'<doc sysid="ref" docid="{name}" genre="news" origlang="{language}">\n<p>\n')
        for i in range(4):
            text = changed(SENTENCES[4 * number + i].replace("\t", " "), step)
            lines.append(f'<seg id="{i + 1}">{text}</seg>\n')
        lines.append("</p>\n</doc>\n")
    return [*lines, "</refset>\n"]


def xml_text(translators: str) -> str:
    tags = ['src lang="cs"', *(f'ref lang="en" translator="{each}"' for each in translators)]
    parts = ['<?xml version="1.0" encoding="utf-8"?>\n<dataset id="x">']
    for number, (name, language) in enumerate([*DOCUMENTS, ("suite", "en")]):
        extra = ' testsuite="x"' if name == "suite" else ""
        parts.append(f'<doc id="{name}" origlang="{language}" domain="{["news", "speech"][number % 2]}"{extra}>')
        for step, tag in enumerate(tags):
            rows = (changed(SENTENCES[i], step) for i in range(4))
            segments = "".join(f'<seg id="{i + 1}">{row}</seg>' for i, row in enumerate(rows))
            parts.append(f"<{tag}><p>{segments}</p></{tag.partition(' ')[0]}>")
        parts.append("</doc>")
    return "\n".join([*parts, "</dataset>\n"])


COMMANDS = """
r1 -i o0
r1 r2 -i o0 -m bleu chrf ter
r1 r2 -i o0 -m ter chrf bleu -f text -w 4
r1 -i o0 -b
r1 -i o0 -b -w 6 -m chrf ter bleu
r1 -i o0 -m bleu ter -f text -sh
r1.gz -i o0 -m bleu
r1 -i o0 -s none -lc -tok none
r1 -i o0 -s floor
r1 -i o0 -s floor -sv 0.25 -f text
r1 -i o0 -s add-k -sv 2 -f text -sh
r1 -i o0 -s exp -sv 3
r1 -i o0 -tok intl
r1 -i o0 -tok char
r1 -i o0 -tok zh
r1 -i o0 -tok ja-mecab
r1 -i o0 -tok ko-mecab
r1 -i o0 -l en-ja -f text
r1 -i o0 -l en-zh -tok 13a
r1 -i o0 -m chrf -cc 4 -cw 2 --chrf-beta 3 --chrf-whitespace --chrf-lowercase
r1 r2 -i o0 -m chrf --chrf-eps-smoothing -w 5
r1 -i o0 -m ter --ter-normalized --ter-asian-support --ter-no-punct --ter-case-sensitive -w 3
r1 r2 -i o0 -m ter --ter-normalized -w 3 -f text
r1 -i o0 -ci
r1 -i o0 -m bleu chrf ter -ci -cin 200 -f text -w 5
r1 -i o0 -b -ci -cin 50
r1 -i o0 -ci -cin 1
r1 -i o0 -sl
r1 r2 -i o0 -sl -m chrf -cw 2 -w 4 -sh
r1 -i o0 -sl -b -m ter
r1 -i o0 -sl -s add-k -f text
r1 -i o0 o1 o2
r1 -i o0 o1 o2 -m bleu chrf ter -f text
r1 r2 -i o0 o1 -m ter chrf -f latex -w 3
r1 -i o0 o1 -m bleu -f text -sh -w 0
r1 -i o0 o1 o2 -m bleu chrf ter -pbs -f text
r1 -i o0 o1 o2 -m bleu -pbs
r1 -i o0 o1 -m bleu -pbs -pbsn 77 -s floor
r1 -i o0 o1 -m ter bleu -pbs -f latex -w 3
r1 -i o0 o1 -m bleu chrf ter -par
r1 -i o0 o1 -m bleu chrf -par -parn 321 -f text -sh
r1 -i o0 o1 -m chrf -par -f latex -j 0
r1 -i o0 o1 o0 -pbs -f text
r1 -i o0 o1 --paired-bs --paired-bs-n 0 -f text
blank -i o0 -m bleu chrf ter
r1 -i blank -m bleu chrf ter
r1 -i crlf -b -w 4
r1 -i bom -b -w 4
latin -i latin -e latin-1
-nr 2 both -i o2
--metric bleu --in o0 --no-col -- r1
r1 -i o0 -d
r1 -i o0 --detail -b -w 3 -m bleu ter
-t wmt18 -l en-cs -i o0
-t wmt18 -l en-cs -i o0 -d -m bleu ter
-t wmt18 -l en-cs -i o0 -b --detail -w 3
-t wmt17,wmt18 -l en-cs -i o0 -b
-t wmt18 -l en-cs -i o0 -b -ol en
-t wmt18 -l en-cs -i o0 -b --origlang=non-en
-t wmt18 -l en-cs -i o0 -b --subset US
-t wmt18 -l en-cs -i o0 -b --subset country:GB -ol en
-t wmt18 -l en-cs -i o0 --subset nothing
-t wmt17 -l en-cs -i o0 --subset US
-t wmt18 -l en-cs --echo src
-t wmt18 -l en-cs --echo src ref docid origlang
-t wmt17,wmt18 -l en-cs --echo all
-t wmt18 -l en-cs --echo src -ol cs
-t wmt18 -l en-cs --echo nothing
-t wmt18 -l en-cs --echo all src
-t wmt22 -l cs-en --echo ref:C
-t wmt21 -l cs-en --echo src docid domain -ol en
-t wmt21 -l cs-en --echo all
-t wmt21 -l cs-en -i x -b --subset news
-t wmt21 -l cs-en -i x -d
-t wmt22 -l cs-en -i x -b
--list -t wmt21 -l cs-en
--download wmt18 -l en-cs
--list
--list -l en-de
--list -l de-fr
--list -t wmt17
--list -t wmt17 -l en-de
--list -t iwslt17
--citation
-nr 2 r1 -i o0
-nr 2 r1 r2 -i o0
-t wmt18 -i o0
-t wmt18 -l xx-yy -i o0
-t wmt18 -l en-cs r1 -i o0
-t nothing -l en-cs -i o0
-t wmt18 -l en-cs -i short
r1 -i short
r1 -i o0 o0
r1 -i o0 o1 -ci
r1 -i o0 -pbs
r1 -i o0 o1 -pbs -par
r1 -i o0 o1 -sl
r1 -i o0 -sl -ci
r1 -i o0 -sl -m bleu chrf
r1 -i missing
missing -i o0
empty -i empty
r1 -i latin
r1 -i o0 -ol en
r1 -i o0 -m nothing
r1 -i o0 -w x
r1 -i o0 -tok moses
--echo src
-i o0
""".strip().splitlines()
PIPED = {
    "o0": ["r1", "r1 r2 -b -m chrf", "-t wmt18 -l en-cs -b"],
    "both": ["r1", "r1 -pbs -f text", "r2 -ci"],
    "crlf": ["r1 -b"],
}


def theirs(words: str, folder: Path, stdin: bytes = b"", **environment: str) -> tuple[int, str]:
    """Exit code and output of sacreBLEU; Python may end by a traceback, whose code is 1."""
    home = {"SACREBLEU": str(folder / "home"), "PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "ignore", "-m", "sacrebleu", *words.split()]
    done = subprocess.run(command, cwd=folder, input=stdin, capture_output=True, env=home | environment, check=False)
    return done.returncode, done.stdout.decode()


def ours(words: str, folder: Path, stdin: bytes = b"", **environment: str) -> tuple[int, str]:
    given = {"SACREBLEU": str(folder / "home")} | environment
    ran = run(["sacrebleu", *words.split()], folder=folder, stdin=stdin, environment=given)
    assert "Traceback" not in ran.err
    assert (ran.code == 0) or ran.err
    return ran.code, ran.out


@pytest.mark.parametrize("words", COMMANDS)
def test_output_and_exit_code_are_those_of_sacrebleu(words: str, folder: Path) -> None:
    before = ours(words, folder)  # from the downloads, if sacreBLEU has not unpacked them yet
    assert before == theirs(words, folder)
    assert ours(words, folder) == before


@pytest.mark.parametrize(("name", "words"), [(name, words) for name, all in PIPED.items() for words in all])
def test_standard_input_is_read_as_sacrebleu_reads_it(name: str, words: str, folder: Path) -> None:
    stdin = (folder / name).read_bytes()
    assert ours(words, folder, stdin) == theirs(words, folder, stdin)


@pytest.mark.parametrize(
    "environment", [{"SACREBLEU_FORMAT": "text"}, {"SACREBLEU_FORMAT": "Latex"}, {"SACREBLEU_SEED": "7"}]
)
def test_the_environment_is_read(environment: dict[str, str], folder: Path) -> None:
    for words in ("r1 -i o0 o1 -m bleu chrf", "r1 -i o0 o1 -pbs -pbsn 50", "r1 -i o0 -ci"):
        assert ours(words, folder, **environment) == theirs(words, folder, **environment)


def test_paired_json_of_chrf_is_valid_where_sacrebleu_ends_with_a_traceback(folder: Path) -> None:
    words = "r1 -i o0 o1 -m chrf -pbs"
    code, out = ours(words, folder)
    found: Any = json.loads(out)
    assert code == 0
    assert found[1]["chrF2"]["p_value"] < 1
    assert theirs(words, folder)[0] == 1


def test_a_test_set_that_is_not_here_is_not_downloaded(folder: Path) -> None:
    ran = run(
        "sacrebleu -t wmt19 -l en-de -i o0".split(), folder=folder, environment={"SACREBLEU": str(folder / "home")}
    )
    assert (ran.code, ran.out) == (1, "")
    assert "Test set wmt19 is not in" in ran.err and "https://data.statmt.org" in ran.err


def test_sacrebleu_need_not_be_installed(folder: Path) -> None:
    code = (
        "import sys; sys.modules['sacrebleu'] = None; from tercet.cli import main; "
        "main('sacrebleu r1 -i o0 o1 -m bleu chrf ter -pbs -pbsn 20 -f text'.split())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_model_of_sentencepiece_in_its_folder_is_used(folder: Path, tmp_path: Path) -> None:
    spm = pytest.importorskip("sentencepiece", reason="sentencepiece is not installed")
    (tmp_path / "models").mkdir()
    model = tmp_path / "models" / "sacrebleu_tokenizer_spm"
    spm.SentencePieceTrainer.train(
        input=str(folder / "r1"), model_prefix=str(model), vocab_size=90, minloglevel=2, hard_vocab_limit=False
    )
    for words in ("r1 -i o0 -tok flores101", "r1 -i o0 -tok spm -f text"):
        mine = ours(words, folder, SACREBLEU=str(tmp_path))
        assert mine == theirs(words, folder, SACREBLEU=str(tmp_path))
        assert "tok:flores101" in mine[1]
    shutil.rmtree(tmp_path)
