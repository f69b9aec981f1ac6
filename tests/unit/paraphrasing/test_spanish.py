"""Forms of Spanish verbs, and how Spanish words are written together."""

import pytest

from tercet.paraphrasing.inflection import morphology
from tercet.paraphrasing.spanish import adverb, with_pronoun
from tercet.paraphrasing.spanish_verbs import TENSES, conjugate, gerund, participle
from tercet.paraphrasing.tree import Word

simplemma = pytest.importorskip("simplemma", reason="forms of Spanish words need simplemma")

VERBS = """
hablar comer vivir tener mantener obtener poner proponer venir intervenir salir hacer decir traer atraer caer
conducir producir reducir oír reír sonreír ser ir estar haber dar ver prever saber poder querer andar escribir
describir abrir cubrir descubrir volver devolver resolver romper imprimir morir pensar cerrar empezar contar
encontrar aprobar jugar adquirir sentir preferir dormir pedir seguir conseguir elegir corregir construir destruir
leer creer poseer buscar llegar utilizar averiguar coger dirigir distinguir conocer vencer ejercer enviar actuar
continuar evaluar reunir prohibir cambiar anunciar permitir recibir ofrecer parecer nacer crecer mover perder
defender negar rogar avergonzar servir repetir vestir invertir convertir requerir satisfacer suponer imponer
sostener detener contener reconocer incluir concluir contribuir distribuir huir traducir introducir proteger exigir
surgir convencer esforzar
""".split()


@pytest.mark.parametrize(
    ("verb", "tense", "forms"),
    [
        ("hablar", "Past", "hablé hablaste habló hablamos hablasteis hablaron"),
        ("construir", "Pres", "construyo construyes construye construimos construís construyen"),
        ("sentir", "Past", "sentí sentiste sintió sentimos sentisteis sintieron"),
        ("conducir", "Past", "conduje condujiste condujo condujimos condujisteis condujeron"),
        ("mantener", "Fut", "mantendré mantendrás mantendrá mantendremos mantendréis mantendrán"),
        ("elegir", "Sub", "elija elijas elija elijamos elijáis elijan"),
        ("buscar", "Past", "busqué buscaste buscó buscamos buscasteis buscaron"),
        ("actuar", "Pres", "actúo actúas actúa actuamos actuáis actúan"),
        ("leer", "Past", "leí leíste leyó leímos leísteis leyeron"),
        ("ir", "Imp", "iba ibas iba íbamos ibais iban"),
    ],
)
def test_a_tense_is_conjugated(verb: str, tense: str, forms: str) -> None:
    assert " ".join(str(conjugate(verb, tense, person)) for person in range(6)) == forms


def test_all_forms_of_common_verbs_are_spanish_words() -> None:
    forms = {conjugate(verb, tense, person) for verb in VERBS for tense in TENSES for person in range(6)}
    forms |= {make(verb) for verb in VERBS for make in (gerund, participle)}
    assert len(forms) > 4000
    assert not {form for form in forms if not simplemma.is_known(form, lang="es")}


def test_a_form_that_is_no_spanish_word_is_not_made() -> None:
    features = {"VerbForm": "Fin", "Mood": "Ind", "Tense": "Past", "Person": "3", "Number": "Sing"}
    assert morphology("es").inflect("xenocar", "VERB", features) is None


def test_a_wrong_lemma_of_the_parser_is_corrected() -> None:
    features = {"VerbForm": "Fin", "Mood": "Ind", "Tense": "Past", "Person": "3", "Number": "Plur"}
    assert morphology("es").lemma(Word("vendieron", "vendar", "VERB", features, -1, "root")) == "vender"
    assert morphology("es").lemma(Word("rozó", "rozar", "VERB", {**features, "Person": "1"}, -1, "root")) is None


@pytest.mark.parametrize(
    ("verb", "pronoun", "expected"),
    [("ver", "lo", "verlo"), ("decirte", "lo", "decírtelo"), ("leyendo", "lo", "leyéndolo"),
     ("explicarse", "lo", "explicárselo"),
     ("casa", "lo", None)],
)  # fmt: skip
def test_pronouns_are_written_at_the_end_of_verbs(verb: str, pronoun: str, expected: str | None) -> None:
    assert with_pronoun(verb, pronoun) == expected


def test_adverbs_are_made_from_adjectives() -> None:
    assert [adverb(word) for word in ("claro", "responsable", "fácil")] == [
        "claramente",
        "responsablemente",
        "fácilmente",
    ]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("de", "el", "del"), ("y", "Italia", "e Italia"), ("y", "hielo", "y hielo"), ("o", "otro", "u otro"),
     ("e", "Francia", "y Francia")],
)  # fmt: skip
def test_words_are_joined_as_spelling_demands(first: str, second: str, expected: str) -> None:
    one = Word(first, first, "ADP" if first == "de" else "CCONJ", {}, -1, "cc")
    two = Word(second, second, "DET" if second == "el" else "NOUN", {}, -1, "conj")
    left, right, merged = morphology("es").join(one, two)
    assert (left if merged else f"{left} {right}") == expected
