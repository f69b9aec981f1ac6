"""The result of `tercet.paraphrase`: the variants of each reference, as further references of a test set."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from ..data.display import Tabular
from ..data.testset import TestSet
from ..errors import UnknownName
from .rules import RuleSet

BY = ("variant", "group", "rule")


@dataclass(frozen=True)
class Paraphrase:
    """One variant of one reference.

    segment: counted from 1. number: of the variant in its segment, from 1. rules: what made it. nearer: the outputs to
    which it is nearer than the reference (with `against`).
    """

    segment: int
    number: int
    text: str
    rules: tuple[str, ...]
    nearer: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Paraphrases(Tabular):
    """The variants of references.

    references: the texts that were paraphrased. variants: those of all segments, in order. dropped: how many variants
    quality control dropped, by reason. together: returns the references with all changes of rules with these names.
    """

    references: tuple[str, ...]
    rules: RuleSet
    variants: tuple[Paraphrase, ...]
    dropped: Mapping[str, int]
    together: Callable[[Collection[str]], tuple[str, ...]] = field(compare=False)

    def __len__(self) -> int:
        return len(self.variants)

    def __repr__(self) -> str:
        return f"<Paraphrases of {len(self.references)} references: {len(self)} variants of {self.changed} segments>"

    @property
    def changed(self) -> int:
        return len({one.segment for one in self.variants})

    def texts(self, by: str = "variant") -> dict[str, tuple[str, ...]]:
        """Return the further references by name: one for each variant, group or rule."""
        if by not in BY:
            raise UnknownName("way to name references", by, BY)
        if by != "variant":
            key = "name" if by == "rule" else "group"
            members: dict[str, set[str]] = {}
            for rule in self.rules.rules:
                members.setdefault(getattr(rule, key), set()).add(rule.name)
            return {name: self.together(rules) for name, rules in members.items()}
        most = max((one.number for one in self.variants), default=0)
        found = {f"variant-{number}": list(self.references) for number in range(1, most + 1)}
        for one in self.variants:
            found[f"variant-{one.number}"][one.segment - 1] = one.text
        return {name: tuple(texts) for name, texts in found.items()}

    def add_to(self, testset: TestSet, by: str = "variant") -> TestSet:
        return replace(testset, references={**testset.references, **self.texts(by)})

    def counts(self) -> dict[str, int]:
        return {rule.name: sum(one.rules == (rule.name,) for one in self.variants) for rule in self.rules.rules}

    def to_dict(self) -> dict[str, object]:
        return {
            "segments": len(self.references),
            "changed": self.changed,
            "dropped": dict(self.dropped),
            "rules": self.counts(),
            "variants": [vars(one) for one in self.variants],
        }

    def rows(self) -> list[dict[str, object]]:
        return [{**vars(one), "rules": "+".join(one.rules), "nearer": " ".join(one.nearer)} for one in self.variants]
