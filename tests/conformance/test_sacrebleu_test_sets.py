"""Test sets that sacreBLEU knows by name: `-t wmt19 -l en-de`, from an archive like the published one."""

import io
import tarfile
from typing import ClassVar

import pytest

from tercet.data import catalogue

from ..end_to_end.command import tercet

SEGMENTS = {
    "src": ["One source line.", "Fish & chips <now>.", "A third line, with 'quotes'."],
    "ref": ["Eine Zeile der Vorlage.", "Fisch & Pommes <jetzt>.", "Eine dritte Zeile, mit „Zeichen“."],
}
OUTPUT = ["Eine Zeile der Quelle.", "Fisch & Pommes.", "Eine dritte Zeile mit Zeichen."]


def sgm(kind: str) -> bytes:
    lines = [line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for line in SEGMENTS[kind]]
    rows = "\n".join(f'<seg id="{number}">{line}</seg>' for number, line in enumerate(lines, 1))
    return (
        f'<{kind}set setid="newstest2019" srclang="any" trglang="de">\n'
        f'<doc sysid="ref" docid="d" genre="news" origlang="en">\n<p>\n{rows}\n</p>\n</doc>\n</{kind}set>\n'
    ).encode()


@pytest.fixture
def archive() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        for kind, language in (("src", "en"), ("ref", "de")):
            data = sgm(kind)
            member = tarfile.TarInfo(f"sgm/newstest2019-ende-{kind}.{language}.sgm")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return content.getvalue()


class Response(io.BytesIO):
    """What a server answers."""

    headers: ClassVar[dict[str, str]] = {}


def test_a_test_set_is_scored_by_the_name_that_sacrebleu_gives_it(archive, tmp_path):
    from sacrebleu.metrics import BLEU

    asked = []

    def opener(address):
        asked.append(address)
        return Response(archive)

    catalogue.get("wmt19", tmp_path / "data", opener=opener)
    assert asked == ["https://data.statmt.org/wmt19/translation-task/test.tgz"]
    (tmp_path / "out.txt").write_text("".join(f"{line}\n" for line in OUTPUT), "utf-8")
    done = tercet(
        *("score", "-t", "wmt19", "-l", "en-de", "-i", "out.txt", "-m", "bleu", "-f", "json"),
        cwd=tmp_path,
        TERCET_DATA=str(tmp_path / "data"),
    )
    assert done.code == 0, done.err
    expected = BLEU().corpus_score(OUTPUT, [SEGMENTS["ref"]]).score
    assert done.json[0]["score"] == pytest.approx(expected, abs=1e-9)
