"""CoNLL-U in and out, and the output of Stanford CoreNLP."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import DataError, UsageError
from tercet.language import conllu
from tercet.language.backends import corenlp, open_backend
from tercet.language.sentence import Dependency, Sentence, Token

from ...conftest import read_golden

FRENCH = """\
# sent_id = fr-1
# text = Il parle du chat.
1\tIl\til\tPRON\t_\tPronType=Prs\t2\tnsubj\t_\t_
2\tparle\tparler\tVERB\t_\t_\t0\troot\t_\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_
5\tchat\tchat\tNOUN\t_\t_\t2\tobl\t2:obl:de\tSpaceAfter=No
5.1\tx\tx\tX\t_\t_\t_\t_\t_\t_
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\tNER=O
"""


def read_text(text, name="file.conllu"):
    return list(conllu.parse_lines(text.split("\n"), name))


def written(sentences):
    return "".join(conllu.format_sentence(sentence, i) for i, sentence in enumerate(sentences, 1))


def test_words_that_are_written_as_one_share_their_place():
    (sentence,) = read_text(FRENCH)
    assert sentence.text == "Il parle du chat." and sentence.scheme == "ud" and len(sentence) == 6
    assert [sentence.text[t.start : t.end] for t in sentence.tokens] == ["Il", "parle", "du", "du", "chat", "."]
    assert sentence.tokens[0] == Token("Il", 0, 2, "il", "PRON", "", "PronType=Prs", 2, "nsubj", "")
    assert sentence.dependencies == ()  # the enhanced graph of Universal Dependencies is another thing
    block = conllu.format_sentence(sentence)
    assert "\n3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n" in block
    assert "5\tchat\tchat\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No|TokenRange=12:16\n" in block
    assert read_text(block) == [sentence]


def test_without_a_text_it_is_made_of_the_words():
    lines = [line for line in FRENCH.split("\n") if not line.startswith("#")]
    assert read_text("\n".join(lines)) == read_text(FRENCH)


def test_the_graph_and_its_scheme_are_kept():
    tokens = (Token("a", 0, 1, head=0, relation="ROOT"), Token("b", 2, 3))
    sentence = Sentence("a b", tokens, "clearnlp", (Dependency(0, "root", 1), Dependency(1, "prep_of", 2)))
    block = conllu.format_sentence(sentence, 7)
    assert block.startswith("# sent_id = 7\n# text = a b\n# scheme = clearnlp\n# deps = stanford\n1\ta\t")
    assert read_text(block) == [sentence]


words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=5).filter(
    lambda word: "_" not in word
)
gaps = st.sampled_from(["", " ", "  ", "\u00a0", "\t", "\n", "\r", "\u2028", "\x1c"])


@st.composite
def sentences(draw):
    parts = draw(st.lists(st.tuples(gaps, words), max_size=6))
    order = draw(st.permutations(range(1, len(parts) + 1)))  # the head of a word stands before it here
    text, tokens = "", []
    for i, (gap, word) in enumerate(parts, 1):
        start = len(text) + len(gap)
        text += gap + word
        head = draw(st.none() | st.sampled_from([0, *order[: order.index(i)]]))
        lemma, relation, entity = draw(st.tuples(words, words, st.sampled_from(["", "B-PER", "I-LOC"])))
        tokens.append(Token(word, start, len(text), lemma, "NOUN", "", "A=b|C=d", head, relation, entity))
    return Sentence(text + draw(gaps), tuple(tokens), draw(st.sampled_from(["ud", "clearnlp", "stanford"])))


@given(st.lists(sentences(), max_size=3))
def test_nothing_is_lost_by_writing_and_reading(given_sentences):
    assert read_text(written(given_sentences)) == given_sentences


def test_files_keep_empty_segments_in_their_place(tmp_path):
    given_sentences = [Sentence(""), Sentence("a", (Token("a", 0, 1),)), Sentence("  "), Sentence("")]
    for name in ("x.conllu", "x.conllu.gz"):
        conllu.write(tmp_path / name, given_sentences)
        assert list(conllu.read(tmp_path / name)) == given_sentences


@pytest.mark.parametrize(
    ("line", "changed", "message"),
    [
        (3, "1\tIl\til", "file.conllu, line 3: 3 columns separated by tabs; CoNLL-U has 10"),
        (4, FRENCH.split("\n")[3].replace("2\tparle", "9\tparle"), "line 4: the word's number is '9'; expected 2"),
        (4, FRENCH.split("\n")[3].replace("\t0\t", "\tx\t"), "line 4: the head \\(column 7\\) is 'x'"),
        (4, FRENCH.split("\n")[3].replace("\t0\t", "\t77\t"), "line 4: the head of word 2 is 77; the sentence has 6"),
        (4, FRENCH.split("\n")[3].replace("parle", "PARLE", 1), "line 4: the word 'PARLE' does not follow in the text"),
        (4, FRENCH.split("\n")[3].replace("\t0\t", "\t" + "9" * 5000 + "\t"), "line 4: the head .column 7. is '999"),
        (4, FRENCH.split("\n")[3].replace("\t0\t", "\t1\t"), "line 1: Word 1 .'Il'. of .* is part of a cycle of heads"),
        (4, FRENCH.split("\n")[3].replace("2\tparle", "2" * 5000 + "\tparle"), "line 4: the word's number is '222"),
        (5, "4-5\tdu" + "\t_" * 8, "line 5: the range 4-5 does not begin at the next word, 3"),
        (5, "3-9\tdu" + "\t_" * 8, "line 5: the range ends after the last word of the sentence, 6"),
        (7, "4-5\tle" + "\t_" * 8, "line 7: the range 4-5 does not begin at the next word, 4"),
        (10, "# no full stop", "line 8: the rest of the text, '.', has no words"),
        (
            8,
            FRENCH.split("\n")[7].replace("SpaceAfter=No", "TokenRange=a:b"),
            "line 8: TokenRange=a:b is not START:END",
        ),
        (
            8,
            FRENCH.split("\n")[7].replace("SpaceAfter=No", "TokenRange=1:99"),
            "line 8: TokenRange=1:99 is not START:END within the 17 ",
        ),
        (1, "# scheme = negra", "line 1: The scheme of relations must be one of"),
        (1, "# text_json = {", "line 1: the comment text_json does not hold a JSON string"),
        (1, "# text_json = " + "[" * 100_000, "line 1: the comment text_json does not hold a JSON string"),
        (1, "# deps = stanford", None),
    ],
)
def test_errors_name_file_and_line(line, changed, message):
    lines = FRENCH.split("\n")
    lines[line - 1] = changed
    if message is None:
        assert read_text("\n".join(lines))[0].dependencies == (Dependency(2, "obl:de", 5),)
        return
    with pytest.raises(DataError, match=message):
        read_text("\n".join(lines))


def test_errors_of_the_graph_name_the_line():
    for bad in ("2;obl", "5:obl", "77:obl", "9" * 5000 + ":obl", "2:obl|"):
        with pytest.raises(DataError, match="line 9: '.*' in column 9 is not GOVERNOR:RELATION"):
            read_text("# deps = stanford\n" + FRENCH.replace("2:obl:de", bad))


# Stanford CoreNLP

CORENLP = """\
Sentence #12 (5 tokens):
😀 Anna who sings.
[Text=😀 CharacterOffsetBegin=100 CharacterOffsetEnd=102 PartOfSpeech=NN Lemma=😀 NamedEntityTag=O] \
[Text=Anna CharacterOffsetBegin=103 CharacterOffsetEnd=107 PartOfSpeech=NNP Lemma=Anna NamedEntityTag=PERSON] \
[Text=who CharacterOffsetBegin=108 CharacterOffsetEnd=111 PartOfSpeech=WP Lemma=who NamedEntityTag=O] \
[Text=sings CharacterOffsetBegin=112 CharacterOffsetEnd=117 PartOfSpeech=VBZ Lemma=sing NamedEntityTag=O] \
[Text=. CharacterOffsetBegin=117 CharacterOffsetEnd=118 PartOfSpeech=. Lemma=. NamedEntityTag=O]
(ROOT
  (NP (NN x)))

root(ROOT-0, 😀-1)
dep(😀-1, Anna-2)
nsubj(sings-4, Anna-2)
rcmod(Anna-2, sings-4)
"""


def test_corenlp_gives_its_graph_and_a_tree_without_circles():
    (sentence,) = corenlp.parse_lines(CORENLP.split("\n"), "x.out")
    assert sentence.scheme == "stanford"
    assert [sentence.text[t.start : t.end] for t in sentence.tokens] == ["😀", "Anna", "who", "sings", "."]
    assert sentence.dependencies == (
        Dependency(0, "root", 1), Dependency(1, "dep", 2), Dependency(4, "nsubj", 2), Dependency(2, "rcmod", 4),
    )  # fmt: skip
    assert [(t.head, t.relation) for t in sentence.tokens] == [
        (0, "root"),
        (1, "dep"),
        (None, ""),
        (2, "rcmod"),
        (None, ""),
    ]
    assert [t.upos for t in sentence.tokens] == ["NOUN", "PROPN", "PRON", "VERB", "PUNCT"]
    assert sentence.tokens[1].entity == "B-PERSON"


def test_universal_dependencies_of_a_later_corenlp_are_left_to_our_table():
    later = CORENLP.replace("(ROOT\n", "\nConstituency parse:\n(ROOT\n").replace(
        "\nroot(", "\nDependency Parse (enhanced plus plus dependencies):\nroot("
    )
    later = later.replace("sings.\n[", "sings.\n\nTokens:\n[").replace("] [", "]\n[")
    (sentence,) = corenlp.parse_lines(later.split("\n"), "x.out")
    assert sentence.scheme == "ud" and sentence.dependencies == () and len(sentence) == 5
    assert sentence.text == "😀 Anna who sings."


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(5 tokens)", "(6 tokens)", "x.out, line 1: the sentence should have 6 tokens, but has 5"),
        (
            "sings-4, Anna-2",
            "sings-14, Anna-2",
            "x.out, line 9: nsubj.sings-14, Anna-2. refers to a word outside its sentence of 5 words",
        ),
        ("CharacterOffsetEnd=118", "CharacterOffsetEnd=218", "x.out, line 3: the character offsets do not match"),
        ("sings-4, Anna-2", f"sings-{'9' * 5000}, Anna-2", "x.out, line 9: nsubj.sings-999"),
        ("Begin=117", f"Begin={'9' * 5000}", "x.out, line 1: the sentence should have 5 tokens, but has 4"),
        ("(5 tokens)", f"({'9' * 5000} tokens)", "x.out, line 1: CoreNLP's output must begin with"),
        ("[Text=. ", "[Text=" * 20_000, "x.out, line 1: the sentence should have 5 tokens, but has 4"),
        ("Sentence #12", "Satz", "x.out, line 1: CoreNLP's output must begin with"),
        ("[Text=", "[Token=", "x.out, line 1: no '.Text=' line follows"),
    ],
)
def test_errors_in_corenlp_output_name_file_and_line(old, new, message):
    with pytest.raises(DataError, match=message):
        list(corenlp.parse_lines(CORENLP.replace(old, new).split("\n"), "x.out"))


def test_stored_parses_are_found_by_their_text(tmp_path):
    path = tmp_path / "x.out"
    path.write_text(CORENLP, encoding="utf-8")
    backend = open_backend(f"corenlp:{path}", "en")
    (sentence,) = backend.parse(["😀 Anna  who sings ."])
    assert sentence.text == "😀 Anna  who sings ." and sentence.tokens[-1][1:3] == (18, 19)
    with pytest.raises(DataError, match="x.out has no parse of 'Other'; it has parses of 1 other texts"):
        backend.parse(["Other"])
    for name in ("corenlp:", "conllu:", "spacy:"):
        with pytest.raises(UsageError, match="needs a"):
            open_backend(name, "en")
    with pytest.raises(UsageError, match="There is no file"):
        open_backend("conllu:missing.conllu", "en")


def test_the_parses_of_upf_cobalt_are_read_whole(shared):
    for record in read_golden(shared, "upf_cobalt"):
        for side, text in record.get("inputs_corenlp_text_format", {}).items():
            found = list(corenlp.parse_lines(text.split("\n"), side))
            assert [[t.form for t in sentence.tokens] for sentence in found] == [
                detail[side].split() for detail in record["details"]
            ]
            assert sum(len(sentence.dependencies) for sentence in found) == sum(
                line.endswith(")") and ", " in line and not line.startswith(("(", " ", "["))
                for line in text.split("\n")
            )
            assert read_text(written(found)) == found


def test_text_json_holds_any_text():
    sentence = Sentence("a\r\n", (Token("a", 0, 1),))
    block = conllu.format_sentence(sentence)
    assert f"# text_json = {json.dumps(sentence.text)}\n" in block
    assert read_text(block) == [sentence]
