"""The protocols of campaigns: the question, the scale, and what is marked.

adequacy, fluency: Linguistic Data Consortium (2005), with the labels of Table 2.1 of Fomicheva (2017). da: Graham et
al. (2017), "Can machine translation systems be evaluated by the crowd alone". effort: Specia et al. (2010), "A dataset
for assessing machine translation evaluation metrics". ranking: Callison-Burch et al. (2007) and WMT up to 2016. mqm:
Freitag et al. (2021), "Experts, Errors, and Context". esa: Kocmi et al. (2024), "Error Span Annotation".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SHOWN = ("source", "reference", "both", "neither")


@dataclass(frozen=True)
class Protocol:
    """A protocol: how raters judge an item.

    kind: the kind of its judgements in `tercet.data.judgements.KINDS`. Higher is better for all kinds except rank.
    labels: names of the values low, low + 1, …, high, the best last; empty if the scale is a slider.
    low, high: bounds of the score; both 0 if there is no score.
    fewest, most: the number of outputs that an item shows. spans: whether raters mark errors.
    severities, categories: the default severities and categories of marked errors.
    show: what is shown beside the output by default.
    """

    kind: str
    question: str
    low: float = 0
    high: float = 0
    labels: Sequence[str] = ()
    fewest: int = 1
    most: int = 1
    spans: bool = False
    severities: Sequence[str] = ()
    categories: Sequence[str] = ()
    show: str = "source"

    @property
    def has_value(self) -> bool:
        return self.high > self.low

    @property
    def ranks(self) -> bool:
        return self.most > 1


ANCHORS = {  # labels of the scale from 0 to 100, those of ESA (Kocmi et al. 2024)
    0: "no meaning kept",
    33: "some meaning kept",
    66: "most meaning kept",
    100: "perfect",
}
SEVERITIES = {  # what the usual severities mean, with an example
    "neutral": "A remark or a matter of taste, not an error: another word would be nicer.",
    "minor": "Noticed, but the meaning is clear: a wrong comma, an awkward word.",
    "major": "Misleads or confuses readers: a wrong number, a lost “not”, a sentence nobody understands.",
    "critical": "Can do harm: a wrong dose, a lost warning, an insult.",
}
MQM_CATEGORIES = (
    "Accuracy/Addition",
    "Accuracy/Omission",
    "Accuracy/Mistranslation",
    "Accuracy/Untranslated text",
    "Fluency/Punctuation",
    "Fluency/Spelling",
    "Fluency/Grammar",
    "Fluency/Register",
    "Fluency/Inconsistency",
    "Fluency/Character encoding",
    "Terminology/Inappropriate for context",
    "Terminology/Inconsistent use",
    "Style/Awkward",
    "Locale convention/Address format",
    "Locale convention/Currency format",
    "Locale convention/Date format",
    "Locale convention/Name format",
    "Locale convention/Telephone format",
    "Locale convention/Time format",
    "Non-translation!",
    "Source error",
    "Other",
)


def recommended(systems: int, *, has_source: bool) -> tuple[str, str]:
    """Return the protocol for a number of systems, and why."""
    if not has_source:
        return "da", "without a source, people compare each output with the reference on one scale"
    if systems == 2:
        return "pairwise", "two systems are told apart with fewest judgements if people see both"
    several = "several systems" if systems > 1 else "one system"
    return "esa", f"for {several}: a score on one scale, and marked errors that say what to mend"


PROTOCOLS: Mapping[str, Protocol] = {
    "adequacy": Protocol(
        "adequacy", "How much of the meaning is also expressed in the translation?", low=1, high=5, show="reference",
        labels=("None", "Little", "Much", "Most", "All"),
    ),
    "fluency": Protocol(
        "fluency", "How do you judge the fluency of this translation?", low=1, high=5, show="neither",
        labels=("Incomprehensible", "Disfluent", "Non-native", "Good", "Flawless"),
    ),
    "da": Protocol("da", "How well does the translation express the meaning?", low=0, high=100),
    "effort": Protocol(
        "likert", "How much work is needed to make this translation good?", low=1, high=4,
        labels=(
            "Requires complete retranslation",
            "Requires some retranslation, but post-editing is quicker",
            "Very little post-editing is needed",
            "Fit for purpose",
        ),
    ),
    "ranking": Protocol("rank", "Rank the translations from best to worst. Ties are allowed.", fewest=2, most=5),
    "pairwise": Protocol("rank", "Which translation is better?", fewest=2, most=2),
    "mqm": Protocol(
        "mqm", "Mark every error, and choose its severity and category.", spans=True,
        severities=("Neutral", "Minor", "Major"), categories=MQM_CATEGORIES,
    ),
    "esa": Protocol(
        "esa", "Mark every error, and choose its severity. Then score the whole translation.", low=0, high=100,
        spans=True, severities=("Minor", "Major"),
    ),
}  # fmt: skip
