"""What the name of a file says: its language pair and its test set."""

import re

PAIR = re.compile(r"[a-z]{2,3}(?:_[A-Za-z]+)?-[a-z]{2,3}(?:_[A-Za-z]+)?")
# Between dots, blanks, underscores and the like; in WMT20's names also after "-scores-".
_PAIR_IN_NAME = re.compile(rf"(?:(?<![A-Za-z-])|(?<=-scores-))(?={PAIR.pattern}(?![A-Za-z-]))({PAIR.pattern})")
_COMPACT = re.compile(r"(?<=-)([a-z]{2})([a-z]{2})(?=[-.])")  # newstest2019-deen-src.de.sgm
_COMPACT_DARR = re.compile(r"([a-z]{2})([a-z]{2})\.darr_agree\.")
# WMT calls languages by their English names until 2014, later by ISO 639-2 codes of both kinds or its own. Tables have
# these names above columns, and the names that languages have for themselves.
LANGUAGES = {
    name: code
    for code, names in {
        "ar": "Arabic ara", "bg": "Bulgarian bul", "bn": "Bengali ben", "ca": "Catalan cat", "cs": "Czech ces cze",
        "da": "Danish dan Dansk", "de": "German deu ger Deutsch", "el": "Greek ell gre", "en": "English eng",
        "es": "Spanish spa esn Español", "et": "Estonian est", "eu": "Basque eus baq", "fa": "Persian fas per",
        "fi": "Finnish fin Suomi", "fr": "French fra fre Français", "gu": "Gujarati guj", "he": "Hebrew heb",
        "hi": "Hindi hin", "hr": "Croatian hrv", "ht": "Haitian hat", "hu": "Hungarian hun", "is": "Icelandic isl",
        "it": "Italian ita Italiano", "ja": "Japanese jpn 日本語", "kk": "Kazakh kaz", "ko": "Korean kor",
        "lt": "Lithuanian lit", "lv": "Latvian lav", "nl": "Dutch nld dut Nederlands", "no": "Norwegian nor Norsk",
        "pl": "Polish pol Polski", "pt": "Portuguese por ptb Português", "ro": "Romanian ron rum",
        "ru": "Russian rus Русский", "sk": "Slovak slk", "sl": "Slovenian slv", "sr": "Serbian srp",
        "sv": "Swedish swe Svenska", "ta": "Tamil tam", "th": "Thai tha", "tr": "Turkish tur Türkçe",
        "uk": "Ukrainian ukr Українська", "ur": "Urdu urd", "vi": "Vietnamese vie", "zh": "Chinese zho chi 中文",
    }.items()
    for name in (code, *names.split())
}  # fmt: skip


def pair_of_name(name: str) -> str | None:
    """Return the language pair in a file name, None if there is none or more than one."""
    found = set(_PAIR_IN_NAME.findall(name))
    return found.pop() if len(found) == 1 else None


def pair_and_set(name: str) -> tuple[str | None, str]:
    """Return the language pair in a file name, in two-letter codes, and what is before it: TESTSET.PAIR.…"""
    if compact := _COMPACT_DARR.match(name):
        return f"{compact[1]}-{compact[2]}", ""
    pair = pair_of_name(name)
    if pair is None:
        return None, ""
    before = name[: name.index(pair)]
    return short_pair(pair), before[:-1] if before.endswith(".") else ""


def all_pairs(*names: str) -> set[str]:
    """Return all language pairs in file names, also those without a hyphen, as in newstest2019-deen-src."""
    found = {pair for name in names for pair in _PAIR_IN_NAME.findall(name)}
    return found | {f"{match[1]}-{match[2]}" for name in names for match in _COMPACT.finditer(name)}


def short_pair(pair: str) -> str:
    """Return a language pair with WMT's three-letter codes replaced by two-letter ones."""
    return "-".join(LANGUAGES.get(language, language) for language in pair.split("-"))
