"""Recompute a published score from its signature and say whether it is the same.

Signatures are ours or sacreBLEU's, with long or short keys, with or without the metric's name, also in the form of
sacreBLEU 1.x (Post 2018, "A Call for Clarity in Reporting BLEU Scores", WMT): BLEU+case.mixed+numrefs.1+….
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from ...data.names import find_name
from ...data.scores import OF_THE_RUN, Scores
from ...data.testset import TestSet
from ...errors import MissingDependency, UsageError
from ...metrics import Metric, check_from_file, create, metric_class, names
from ...scoring import score
from ...text.rules import RULES

if TYPE_CHECKING:
    from ...data.stream import TextFiles
    from . import VerifyOptions

NOISE = Decimal("1e-9")  # how far the same score may differ between machines and programs
# The short keys of signatures; the last two are those of sacreBLEU 1.x.
LONG = {"#": "nrefs", "c": "case", "e": "eff", "v": "version", "rs": "seed", "l": "lang", "S": "subset",
        "o": "origlang", "numrefs": "nrefs", "numchars": "nc"}  # fmt: skip
OF_THE_TEXTS = ("test", "lang", "subset", "origlang")
# Checksums of what a metric learns when it sees the texts, and what it means if they differ.
LEARNT = {
    "weights": "These are other references",
    "names": "The names are linked with another knowledge base, other annotations or another lemmatiser",
    "pool": "This is another pool of systems",
    "learnt": "Something else was learnt: other sources, outputs or systems",
    "checksum": "This is another model",
    "scales": "The members have other ranges on these texts",
    "scale": "The scale was fitted to other languages",
    "lms": "These are other language models",
    "encoded": "The encoder's weights or tokenizer are of another version, so that scores are not comparable",
    "parsed": "The texts are parsed by another parser, or another version of it",
}
_OLD_FORM = re.compile(r"[A-Za-z]+[\d.]*(\+[a-z]+\.[^+|]+)+")
_OURS = re.compile(r"(\d+)\+tercet(\S+)")


@dataclass(frozen=True)
class Verification:
    """Whether a score is what the texts give.

    stated: the score as it was written; decimals: how many it has. score: the recomputed one; difference: how much
    higher than the stated. given: the signature as it was written; signature: of what was computed. notes: what the
    signature leaves open, and what may explain a difference.
    """

    equal: bool
    stated: str
    decimals: int
    score: float
    difference: float
    metric: str
    signature: str
    given: str
    system: str
    notes: tuple[str, ...]


def recompute(testset: TestSet | TextFiles, options: VerifyOptions) -> Verification:
    """Recompute the score of a signature, and tell whether it is the stated one."""
    signature = options.signature
    written = str(options.stated).strip()
    value = _number(written)
    decimals = max(0, -int(value.as_tuple().exponent))
    metric, items, notes = _read(signature)
    allowed = {"trust_features": options.trust_features, "allow_network": options.allow_network}
    metric = check_from_file(metric, "The signature", **allowed)
    one = _one_system(testset, options.system)
    name = next(iter(one.outputs))
    if not metric.needs_all_systems:
        testset = one
    scores = score(testset, [metric])[0]
    recomputed = scores.system[name]
    notes += _check_texts(items, scores)
    equal = _equal(recomputed, value)
    if not equal:
        notes += _explanations(testset, name, metric, recomputed, value)
    return Verification(
        equal=equal, stated=written, decimals=decimals, score=recomputed, difference=recomputed - float(value),
        metric=metric.spec, signature=scores.signature, given=signature, system=name,
        notes=tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def check_claim(signature: str, stated: str | float) -> None:
    """Raise UsageError if this is no signature or no score."""
    _read(signature)
    _number(str(stated).strip())


def _number(written: str) -> Decimal:
    try:
        value = Decimal(written)
    except InvalidOperation:
        value = Decimal("nan")
    if not value.is_finite() or abs(value.adjusted()) > 300 or abs(int(value.as_tuple().exponent)) > 300:
        raise UsageError(f"{written!r} is not a score; write it as it was printed, as 36.4.")
    return value


def _equal(recomputed: float, stated: Decimal) -> bool:
    if recomputed != recomputed:
        return False
    unit = Decimal(1).scaleb(min(0, int(stated.as_tuple().exponent)))
    return abs(Decimal(recomputed) - stated) <= unit / 2 + NOISE * max(Decimal(1), abs(stated))


def _one_system(testset: TestSet | TextFiles, system: str | None) -> TestSet | TextFiles:
    if system is not None:
        system = find_name(system, testset.outputs)
        if isinstance(testset, TestSet):
            return testset.only([system])
        return replace(testset, outputs={system: testset.outputs[system]})
    if len(testset.outputs) != 1:
        raise UsageError(
            f"A score belongs to one system, and there are {len(testset.outputs)}: {', '.join(testset.outputs)}. "
            "Choose one with `system`, or give the others as references."
        )
    return testset


def _read(signature: str) -> tuple[Metric, dict[str, str], list[str]]:
    """Return what a signature says: the metric, the items with long keys, and notes on what it leaves open."""
    label, items = _parse(signature.strip())
    notes = []
    if drawn := [f"{key}:{items[key]}" for key in ("bs", "ar", "seed") if key in items]:
        notes.append(f"{', '.join(drawn)}: the score is recomputed, an interval or a test is not.")
    if named := [f"{key}:{items[key]}" for key in OF_THE_TEXTS if key in items]:
        notes.append(f"{', '.join(named)}: nobody can tell from the files whether they are these texts.")
    asked = {key: text for key, text in items.items() if key not in (*OF_THE_RUN, *OF_THE_TEXTS, "version", "compat")}
    # The one old version whose differences are known and kept as a variant.
    if items.get("version") == "1.3.6" and asked.get("tok", "13a") in ("13a", "intl"):
        asked.setdefault("variant", "sacrebleu-1.3.6")
    if label:
        metric = create("|".join([label, *(f"{key}:{value}" for key, value in asked.items()), "version:"])).resolved()
    else:
        metric = _inferred(signature, asked)
        notes.append(f"The signature does not name its metric; taken for {metric.label}.")
    if label and label.lower() != metric.label.lower():
        if label.lower() != metric.name:
            raise UsageError(
                f"The signature contradicts itself: {label}, but its parameters are those of {metric.label}."
            )
        notes.append(f"The signature says {label}; taken for {metric.label}.")
    notes += _compare_parameters(metric, asked)
    notes += _version_notes(metric, items)
    return metric, items, notes


def _parse(signature: str) -> tuple[str, dict[str, str]]:
    """Return the label, empty if there is none, and the items with long keys."""
    if _OLD_FORM.fullmatch(signature):
        label, *parts = signature.split("+")
        pairs = [part.partition(".") for part in parts]
    else:
        first, *parts = signature.split("|")
        label, parts = ("", [first, *parts]) if ":" in first else (first.strip(), parts)
        pairs = [part.partition(":") for part in parts]
    items: dict[str, str] = {}
    for key, separator, value in pairs:
        long = _long(key.strip(), value.strip())
        if not separator or not long:
            raise UsageError(f"{signature!r} is not a signature: {key!r} should be KEY:VALUE.")
        if long in items:
            raise UsageError(f"{signature!r} is not a signature: {long} is there twice.")
        items[long] = {"true": "yes", "false": "no"}.get(value.lower(), value) if long == "space" else value.strip()
    if not items:
        raise UsageError(f"{signature!r} is not a signature; one looks like BLEU|nrefs:1|case:mixed|eff:no|tok:13a|….")
    return label, items


def _long(key: str, value: str) -> str:
    if key == "s":  # smoothing of BLEU, but the blanks of chrF, which are kept or not
        return "space" if value.lower() in ("yes", "no", "true", "false") else "smooth"
    if key == "t":  # the test set, but the tokeniser of TER
        return "tok" if value == "tercom" else "test"
    return LONG.get(key, key)


def _inferred(signature: str, asked: Mapping[str, str]) -> Metric:
    """Return the metric whose signature has exactly these parameters, or else the only one that has them all."""
    exact, possible = [], []
    for name in names():
        cls = metric_class(name)
        try:
            metric = cls.from_signature("", asked).resolved()
        except (UsageError, KeyError, ValueError):
            continue
        said, has = asked.keys() - LEARNT.keys(), metric.signature_items().keys()
        if said <= has:
            possible.append(metric)
            if said == has:
                exact.append(metric)
    found = exact or possible
    if len(found) != 1:
        which = f"It could be {' or '.join(metric.name for metric in found)}." if found else "No metric has it."
        raise UsageError(f"{signature!r} does not say which metric it is of. {which} Put the name in front, as BLEU|….")
    return found[0]


def _compare_parameters(metric: Metric, asked: Mapping[str, str]) -> Iterator[str]:
    """Refuse what the metric did not understand; say what was not stated."""
    items = metric.signature_items()
    for key, value in asked.items():
        if key in LEARNT:  # known only when the texts have been read
            continue
        if key not in items:
            raise UsageError(f"{key}:{value} means nothing to {metric.name}. Its signature is {metric.signature}.")
        if items[key] != value:
            if not items[key].startswith(f"{value}["):
                raise UsageError(f"{key}:{value} cannot be read; {metric.name} would write {key}:{items[key]}.")
            yield f"{key}:{value} has no value in the signature; taken: {items[key]}."
    if unsaid := [f"{key}:{value}" for key, value in items.items() if key not in asked]:
        yield f"The signature does not say everything; taken: {', '.join(unsaid)}."


def _version_notes(metric: Metric, items: Mapping[str, str]) -> Iterator[str]:
    stated = items.get("version", "")
    if ours := _OURS.fullmatch(stated):
        if int(ours[1]) != metric.version:
            yield (
                f"The signature is of version {ours[1]} of {metric.name}, this is version {metric.version}: "
                "scores may differ."
            )
    elif not re.fullmatch(r"\d+(\.\w+)*", stated):
        yield "The signature does not say of which version it is." if not stated else f"Version {stated} is unknown."
    elif int(stated.split(".")[0]) < 2 and metric.compatible != f"sacrebleu{stated}":
        yield (
            f"The score is of sacreBLEU {stated}, recomputed as {metric.compatible or metric.name}: "
            "versions before 2 differ in rare cases."
        )


def _check_texts(items: Mapping[str, str], scores: Scores) -> Iterator[str]:
    """Compare what the signature says of the texts with what was found in them."""
    found = dict(part.partition(":")[::2] for part in scores.signature.split("|")[1:])
    stated, have = items.get("nrefs"), found.get("nrefs")
    if stated is not None and have is not None and stated != have:
        given = {"var": "a varying number of references"}.get(have, f"{have} reference{'s' * (have != '1')}")
        raise UsageError(f"The signature says nrefs:{stated}, but there {'are' if have != '1' else 'is'} {given} here.")
    if stated is None and have is not None:
        yield f"The signature does not say nrefs; there {'is 1 reference' if have == '1' else f'are {have}'}."
    for key, meaning in LEARNT.items():
        if key in items and items[key] != found.get(key):
            yield f"{meaning}: {key}:{items[key]} there, {found.get(key)} here."


def _explanations(
    testset: TestSet | TextFiles, system: str, metric: Metric, recomputed: float, stated: Decimal
) -> Iterator[str]:
    """Yield changes of one parameter that would give the stated score, as far as they are cheap to try."""
    for shift, scale in ((2, "0 to 1"), (-2, "0 to 100")):
        if stated and _equal(recomputed, stated.scaleb(shift)):
            yield f"It would be equal if the stated score is on a scale of {scale}."
    for changed in _neighbours(metric):
        try:
            other = score(testset, [changed])[0].system[system]
        except MissingDependency:  # a flag that needs a package
            continue
        if _equal(other, stated):
            yield f"It would be equal with {changed.spec}."


def _neighbours(metric: Metric) -> Iterator[Metric]:
    """Yield the metric with another value of one flag, and with other built-in tokenisers."""
    for field in fields(metric):
        value = getattr(metric, field.name)
        others: list[object] = []
        if isinstance(value, bool):
            others = [not value]
        elif field.name == "tokenize":
            others = [name for name in RULES if name != value and not name.startswith("mteval")]
        for other in others if field.init else []:
            try:
                yield replace(metric, **{field.name: other})
            except UsageError:  # the variant does not have it
                continue
