"""Map the language codes of sources to the chosen languages: de-at to de, zh-hant to zh, nb to no."""

from functools import lru_cache

from ...text.scripts import base_code, scripts_of
from .categories import table


class Codes(dict[str, tuple[int, ...]]):
    """A mapping from a language code to the numbers of its chosen languages; empty for other languages.

    latin: the numbers of the chosen languages in Latin script.
    """

    def __init__(self, languages: tuple[str, ...]) -> None:
        variants: dict[str, str] = table()["variants"]
        self.languages = {language: number for number, language in enumerate(languages)}
        self.more = {
            code: number for language, number in self.languages.items() for code in variants.get(language, "").split()
        }
        self.latin = tuple(number for language, number in self.languages.items() if "Latin" in scripts_of(language))

    def __missing__(self, code: str) -> tuple[int, ...]:
        found = {self.languages.get(code), self.languages.get(base_code(code)), self.more.get(code)}
        numbers = self[code] = tuple(sorted(number for number in found if number is not None))
        return numbers


codes_of = lru_cache(maxsize=4)(Codes)
