"""The contract battery for metrics, ours and those that other packages plug in.

    from tercet.testing import check_metric
    check_metric("chrf:word_order=2")

It scores a few hostile texts and compares what must agree: shards with the whole, many rows with single ones, a metric
with what its signature makes. It returns nothing, or raises `ContractViolation` that says what is broken.
"""

import json
import pickle
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import FrozenInstanceError, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from .data.testset import TestSet
from .errors import TercetError, UsageError
from .metrics import Metric, Shard, create, names, parse_signature
from .types import Floats

NEEDS = frozenset({"reference", "source"})
# What a bug in a metric raises; anything else (a missing package, an interrupt) is not for this battery to judge.
BUGS = (ArithmeticError, AttributeError, LookupError, NotImplementedError, RuntimeWarning, TypeError, ValueError)

# Four systems, because some metrics compare a system with the others.
SAMPLE = TestSet(**json.loads((Path(__file__).parent / "examples" / "contract.json").read_text("utf-8")))

HARD = {
    "empty": "",
    "blank": " \t ",
    "one word": "word",
    "one character": "x",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 ok",
    "combining marks": "e\u0301te\u0301 \u0301 Z\u0351\u036b\u0343\u036a\u0302",
    "right to left": "שלום עולם، مرحبا \u202b123\u202c",
    "no blanks": "今天天气很好，我们去公园吧。",
    "odd blanks": "a\u00a0b\u2028c\u3000d\u0085e\u200bf",
    "half a character": "word \ud83d word",
    "markup": "&amp; <b>1,000.50</b> &quot;x&quot; <skipped> *#",
    "repetition": "the the the the the the the",
    "long": " ".join(f"word{i % 97} and" for i in range(200)),
}


class ContractViolation(TercetError):
    """A metric does not keep what the contract promises to its users."""


def check_metric(metric: Metric | str) -> None:
    """Run the whole battery on a metric or on what `tercet.metrics.create` makes of a string."""
    checked = _Checked(create(metric))
    for check in CHECKS:
        with checked.guarding(check.__name__.removeprefix("_").replace("_", " ")):
            check(checked)


@dataclass(frozen=True)
class _Checked:
    """The metric under test, with the ways in which every check uses it."""

    metric: Metric

    def require(self, kept: object, problem: str) -> None:
        if not kept:
            raise ContractViolation(f"Metric {self.metric.name} breaks the contract: {problem}")

    @contextmanager
    def guarding(self, doing: str) -> Iterator[None]:
        """Report an exception or a NumPy warning as a violation, and say where it came up."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                yield
        except BUGS as error:
            raise ContractViolation(
                f"Metric {self.metric.name} breaks the contract: {type(error).__name__} while checking {doing}: {error}"
            ) from error

    def count(self, testset: TestSet) -> dict[str, Floats]:
        return self.metric.ready(testset).count(Shard(testset))

    def same(self, first: Floats, second: Floats) -> bool:
        tolerance = max(1e-12, self.metric.tolerance)
        return np.allclose(first, second, rtol=tolerance, atol=tolerance, equal_nan=True)


def _declarations(checked: _Checked) -> None:
    metric, cls = checked.metric, type(checked.metric)
    require = checked.require
    needs, direction = metric.needs, metric.higher_is_better
    require(isinstance(needs, frozenset) and needs <= NEEDS, f"needs must be a frozenset out of {set(NEEDS)}.")
    require(
        direction is None or isinstance(direction, bool),
        "higher_is_better must be True, False, or None where no direction is better.",
    )
    require(type(cls.version) is int and cls.version >= 1, "version must be a whole number, 1 or more.")
    require(isinstance(metric.whole, bool), "whole must be True or False.")
    require(0 <= cls.tolerance < 0.1, "tolerance must be a number from 0 to below 0.1.")
    written = (cls.__doc__ or "").strip()
    # A dataclass without a docstring gets one that lists its fields.
    require(written and not written.startswith(f"{cls.__name__}("), "its class has no docstring.")
    require(isinstance(cls.paper, str) and cls.paper.strip(), "paper must name the publication that it follows.")
    require(metric.label and not set(metric.label) & set("|:"), "label must not be empty or hold '|' or ':'.")


def _immutability(checked: _Checked) -> None:
    metric = checked.metric
    for name in ("version", *(f.name for f in fields(metric))):
        try:
            setattr(metric, name, getattr(metric, name))
        except FrozenInstanceError:
            continue
        checked.require(False, f"{name} can be assigned; declare the class with @dataclass(frozen=True).")
    before = pickle.dumps(metric)
    checked.count(SAMPLE)
    checked.require(pickle.dumps(metric) == before, "scoring changes the metric itself.")
    settled = metric.resolved()
    checked.require(settled.resolved() == settled, "settling its parameters twice gives another metric.")
    checked.require(pickle.dumps(metric) == before, "settling its parameters changes the metric itself.")


def _round_trips(checked: _Checked) -> None:
    metric, require = checked.metric, checked.require
    settled, ready = metric.resolved(), metric.ready(SAMPLE)
    for which in (metric.ready(), ready):
        label, items = parse_signature(which.signature)
        require(list(items)[-1] == "version", f"version is not the last part of the signature {which.signature}.")
        back = type(metric).from_signature(label, items).resolved()
        require(back == which.metric, f"{which.signature} does not lead back to it.")
    if metric.name in names() or type(metric).registered_file:
        require(create(metric.spec).resolved() == settled, f"create({metric.spec!r}) makes another metric.")
    if type(metric).__module__.startswith("tercet."):  # others may have any label
        require(create(metric.signature).resolved() == settled, f"create({metric.signature!r}) makes another metric.")
    require(replace(metric) == metric and hash(replace(metric)) == hash(metric), "an equal copy has another hash.")
    require(pickle.loads(pickle.dumps(metric)) == metric, "a pickled copy is not equal to it.")
    require(pickle.loads(pickle.dumps(ready)) == ready, "made ready, it differs from its pickled copy.")


def _counts(checked: _Checked) -> None:
    counts = checked.count(SAMPLE)
    checked.require(len({table.shape for table in counts.values()}) == 1, "count must return shape (segments, k).")
    again = checked.count(SAMPLE)
    copy = _Checked(pickle.loads(pickle.dumps(checked.metric))).count(SAMPLE)
    for system, table in counts.items():
        checked.require(np.isfinite(table).all(), "count returns numbers that are not finite.")
        checked.require(checked.same(table, again[system]), "counting twice gives different counts.")
        checked.require(checked.same(table, copy[system]), "a pickled copy counts differently.")


def _vectorised_scores(checked: _Checked) -> None:
    metric, counts = checked.metric.ready(SAMPLE), checked.count(SAMPLE)
    cube = np.stack(list(counts.values()))
    kept = cube.copy()
    for name, function in (("score", metric.score), ("segment_scores", metric.segment_scores)):
        try:
            many = np.asarray(function(cube))
        except UsageError as error:
            raise ContractViolation(f"Metric {metric.name} breaks the contract: {error}") from None
        single = np.array([[float(function(row)) for row in table] for table in cube])
        same = np.allclose(many, single, rtol=1e-12, atol=1e-12, equal_nan=True)
        checked.require(same, f"{name} of many rows differs from {name} of each row.")
    checked.require(np.array_equal(cube, kept), "scoring changes the counts that it is given.")
    totals = cube[0].sum(0)
    checked.require(np.isfinite(float(metric.score(totals))), "score of an ordinary test set is not a finite number.")
    json.dumps(metric.details(totals), allow_nan=False)
    checked.require(isinstance(metric.verbose(totals), str), "verbose must return a text.")
    for name, column in metric.extras(cube[0]).items():
        checked.require(len(column) == len(cube[0]), f"extras must have one number per segment; {name} has another.")


def _additivity(checked: _Checked) -> None:
    metric = checked.metric
    if metric.whole:
        return
    ready = metric.ready(SAMPLE)
    whole = ready.count(Shard(SAMPLE))
    parts = [ready.count(Shard(shard)) for shard in SAMPLE.shards(4)]
    order = [3, 0, 5, 1, 4, 2]
    mixed = ready.count(Shard(SAMPLE.take(order)))
    for system, table in whole.items():
        joined = np.concatenate([part[system] for part in parts])
        same = checked.same(joined, table)
        checked.require(same, "shards give other counts than the whole test set; if they must, declare whole.")
        same = checked.same(mixed[system], table[order])
        checked.require(same, "another order of segments gives other counts; if it must, declare whole.")


def _direction(checked: _Checked) -> None:
    """Check that the reference itself is at least as good as words that nobody wrote, and too many of them."""
    metric = checked.metric.ready(SAMPLE)
    if "reference" not in metric.needs or metric.higher_is_better is None:
        return
    reference = [text or "" for text in SAMPLE.references["first"]]
    garbage = [" ".join("zqxj" for _ in range(len(text.split()) + 3)) for text in reference]
    counts = checked.count(replace(SAMPLE, outputs={"same": reference, "garbage": garbage}))
    same, bad = (float(metric.score(counts[system].sum(0))) for system in ("same", "garbage"))
    direction = "higher" if metric.higher_is_better else "lower"
    better = same > bad if metric.higher_is_better else same < bad
    checked.require(
        better, f"it says {direction} is better, but scores the reference itself {same:g} and garbage {bad:g}."
    )


def _hard_texts(checked: _Checked) -> None:
    rows = [(output, reference) for output in HARD for reference in HARD]
    outputs, references = ([HARD[name] for name in names] for names in zip(*rows, strict=True))
    # Some metrics compare a system with the others, and need several.
    testset = TestSet(
        {
            "x": outputs,
            "reversed": outputs[::-1],
            "moved": [*outputs[1:], outputs[0]],
            "neighbour": [*references[1:], references[0]],  # never two long texts, which take long
        },
        {"r": references},
        source=references,
        pair="fr-en",
        name="hard texts",
    )
    ready = checked.metric.ready(testset)
    for each in (testset, testset[:1], testset[-1:]):
        counts = ready.count(Shard(each))["x"]
        for row in np.flatnonzero(~np.isfinite(counts).all(1)):
            output, reference = rows[row]
            checked.require(False, f"counts are not finite for output {output!r} and reference {reference!r}.")
        ready.score(counts.sum(0))
        ready.segment_scores(counts)


def _needs(checked: _Checked) -> None:
    """Check that what it declares is enough, and that less is refused with a message that names what is missing."""
    metric = checked.metric
    have: dict[str, Any] = {
        "references": SAMPLE.references if "reference" in metric.needs else {},
        "source": SAMPLE.source if "source" in metric.needs else None,
    }
    metric.statistics(replace(SAMPLE, **have))
    for need, missing in (("reference", {"references": {}}), ("source", {"source": None})):
        if need not in metric.needs:
            continue
        try:
            metric.statistics(replace(SAMPLE, **{**have, **missing}))
        except UsageError as error:
            checked.require(need in str(error), f"the error for a missing {need} does not name it: {error}")
        else:
            checked.require(False, f"it needs a {need} and does not refuse a test set without one.")


def _untouched_inputs(checked: _Checked) -> None:
    texts = replace(SAMPLE)
    ready, kept = checked.metric.ready(texts), deepcopy(texts)
    shard = Shard(texts)
    ready.count(shard)
    checked.require(kept == texts, "counting changes the texts that it is given.")
    some = ready.count(shard.only(["far"]))
    checked.require(list(some) == ["far"], "asked for one system, it counts others too, or none.")
    checked.require(checked.same(some["far"], ready.count(shard)["far"]), "one system alone has other counts.")


CHECKS: tuple[Callable[[_Checked], None], ...] = (
    _declarations,
    _immutability,
    _round_trips,
    _counts,
    _vectorised_scores,
    _additivity,
    _direction,
    _hard_texts,
    _needs,
    _untouched_inputs,
)
