"""`tercet link` as people run it."""

import json

import pytest

from tercet.knowledge.building import NameRecord, build
from tests.docs.running import run


def link(*arguments, stdin=""):
    ran = run(["link", *map(str, arguments)], stdin=stdin)
    return ran.code, ran.out, ran.err


@pytest.fixture(scope="module")
def kb(tmp_path_factory):
    names = [
        NameRecord("Q159", "en", "Russia", "place", 200.0), NameRecord("Q159", "ru", "Россия", "place", 200.0),
        NameRecord("Q90", "en", "Paris", "place", 90.0), NameRecord("Q90", "ru", "Париж", "place", 90.0),
        NameRecord("Q79917", "en", "Paris", "place", 9.0),
    ]  # fmt: skip
    out = tmp_path_factory.mktemp("link") / "kb"
    build(names, out, name="tiny", languages=["en", "ru"], min_languages=1)
    return str(out)


def test_text_has_a_line_per_mention(kb, tmp_path):
    file = tmp_path / "x.txt"
    file.write_text("Russia and Paris\nnothing\nParis\n")
    code, out, err = link(str(file), "-l", "en", "--kb", kb)
    assert (code, err) == (0, "")
    assert out == "1\t0-6\tRussia\tQ159\tplace\n1\t11-16\tParis\tQ90\tplace\n3\t0-5\tParis\tQ90\tplace\n"


def test_jsonl_has_a_line_per_segment_and_is_read_again(kb, tmp_path):
    code, out, _ = link("-l", "en", "--kb", kb, "-f", "jsonl", "--senses", "all", stdin="Paris\n\n")
    assert code == 0
    first, second = map(json.loads, out.splitlines())
    assert first["text"] == "Paris" and first["mentions"][0]["entities"] == ["Q90", "Q79917"]
    assert second == {"text": "", "mentions": []}
    from tercet.knowledge.annotations import read

    (tmp_path / "a.jsonl").write_text(out)
    assert read(tmp_path / "a.jsonl").link(["Paris"], "en")[0][0].entities == ("Q90", "Q79917")


def test_what_the_command_finds_the_library_finds(kb, tmp_path):
    from tercet.knowledge.annotations import to_json
    from tercet.knowledge.default import resolve
    from tercet.knowledge.linking import KBLinker

    texts = ["Париж и Россия", "ничего"]
    _, out, _ = link("-l", "ru", "--kb", kb, "-f", "jsonl", stdin="".join(f"{text}\n" for text in texts))
    found = KBLinker(resolve(kb)).link(texts, "ru")
    assert out == "".join(to_json(text, m) + "\n" for text, m in zip(texts, found, strict=True))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-l", "fi"], 2, "There is no language in the knowledge base 'tiny' called 'fi'"),
        (["-l", "en", "--kb", "nowhere"], 2, "There is no knowledge base nowhere"),
        (["-l", "en", "--senses", "most"], 2, "senses must be best, all or a number"),
        (["-l", "en", "--categories", "plaice"], 2, "Did you mean place?"),
        (["-l", "en", "nowhere.txt"], 2, "There is no file nowhere.txt"),
        ([], 2, "Missing option '-l'"),
    ],
)
def test_what_is_wrong_is_said(kb, arguments, code, message):
    given = arguments if "--kb" in arguments else [*arguments, "--kb", kb]
    found, out, err = link(*given, stdin="x\n")
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err


def test_guards_can_be_dropped(tmp_path):
    names = [NameRecord("Q218593", language, "in", "unit", 1.0) for language in ("en", "ru")]
    build(names, tmp_path / "kb", name="tiny", languages=["en", "ru"])
    words = ["-l", "en", "--kb", str(tmp_path / "kb")]
    assert link(*words, stdin="2 in of rain\n") == (0, "", "")
    assert link(*words, "--no-guards", stdin="2 in of rain\n") == (0, "1\t2-4\tin\tQ218593\tunit\n", "")
