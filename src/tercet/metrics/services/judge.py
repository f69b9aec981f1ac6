"""Judge: a language model rates every output, through any OpenAI-compatible endpoint.

The idea is that of GEMBA: Kocmi and Federmann (2023), "Large Language Models Are State-of-the-Art Evaluators of
Translation Quality", EAMT (`prompt=da`), and Kocmi and Federmann (2023), "GEMBA-MQM: Detecting Translation Quality
Error Spans with GPT-4", WMT (`prompt=mqm`). The prompts are our own, so scores are not those of the papers.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from ...errors import UsageError
from ...text.explanations import Seen, Span, Spans
from .. import Corpus, Floats, Learnt, Metric, Shard, mean_score, param
from ._chat import Answer, ChatClient, Limits, check_endpoint, log

WEIGHTS = {"critical": 25.0, "major": 5.0, "minor": 1.0}
WORST = 25.0  # errors of one segment count no more than that
_NUMBER = re.compile(r"(?<![\w.,-])(\d{1,3}(?:\.\d+)?)(?:\s*(?:/|out of|of)\s*100)?(?![\w,]|\.\d)")

_WRITTEN = tomllib.loads(Path(__file__).with_name("judge.toml").read_text("utf-8"))
REFERENCE: str = _WRITTEN["reference"]
PROMPTS: dict[str, str] = {
    name: each["begin"] + _WRITTEN["texts"] + each["end"] for name, each in _WRITTEN["prompts"].items()
}


class Verdict(NamedTuple):
    """What an answer says: the score, and for `prompt=mqm` the errors."""

    score: float
    errors: tuple[dict[str, str], ...] = ()


class Opened(NamedTuple):
    """The client, and the language pair that prompts name."""

    client: ChatClient
    pair: str | None


@dataclass(frozen=True)
class Judge(Metric):
    """The rating of a language model: 0 to 100 (da), or the weight of the errors that it finds, 0 to 25 (mqm).

    model: the name of the model at the endpoint.
    endpoint: the address of an OpenAI-compatible service, as http://localhost:8000/v1.
    prompt: da, a score, or mqm, a list of errors: critical ones count 25, major ones 5, minor ones 1.
    references: show the references to the model.
    temperature: of sampling. tokens: the most tokens of an answer. bare: send neither, for services that refuse them.
    answers: the folder in which answers are kept; by default in the folder of the user's data.
    key: the key of the service. Where it is not given, it is read from the environment variable TERCET_JUDGE_KEY.
    price_in, price_out: of a million tokens of prompts and of answers. cap: the most that may be spent, in the same
    currency. requests: the most requests that may be sent.
    timeout: seconds for a whole answer. retries: of a failed request. wait: seconds before the first of them, doubled
    each time. parallel: requests at once.
    """

    model: str | None = None
    endpoint: str | None = None
    prompt: str = param("da", choices=tuple(PROMPTS))
    references: bool = False
    temperature: float = param(0.0, low=0)
    tokens: int = param(1024, low=1)
    bare: bool = param(False, quiet=True)
    answers: str | None = param(local=True)
    key: str | None = param(secret="TERCET_JUDGE_KEY")
    price_in: float = param(0.0, low=0, local=True)
    price_out: float = param(0.0, low=0, local=True)
    cap: float | None = param(above=0, local=True)
    requests: int | None = param(low=1, local=True)
    timeout: float = param(60.0, above=0, local=True)
    retries: int = param(5, low=0, local=True)
    wait: float = param(1.0, low=0, local=True)
    parallel: int = param(4, low=1, local=True)

    explains = (Spans,)
    paper = (
        "After Kocmi and Federmann (2023), Large Language Models Are State-of-the-Art Evaluators of Translation Quality"
    )
    decimals = 2
    uses_network = True
    one_process = True  # the limit on spending is of one process
    segments_per_unit = 64

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"source", "reference"} if self.references else {"source"})

    @property
    def higher_is_better(self) -> bool:
        return self.prompt == "da"

    @property
    def label(self) -> str:
        return f"Judge-{self.prompt.upper()}"

    def offline(self) -> Self:
        return replace(self, endpoint=None)

    def validate(self) -> None:
        if self.endpoint is not None:
            check_endpoint(self.endpoint)
        if self.cap is not None and not (self.price_in or self.price_out):
            raise UsageError("judge: a cap needs price_in and price_out, the prices of a million tokens.")

    @property
    def lacks(self) -> str:
        if self.model is not None and self.endpoint is not None:
            return ""
        example = f"endpoint={self.endpoint or 'http://localhost:11434/v1'},model={self.model or 'NAME'}"
        return (
            f"a service and a model: judge:{example}. The address is Ollama's on this computer; any service with "
            "OpenAI's interface will do, with its key in TERCET_JUDGE_KEY"
        )

    def learn(self, testset: Corpus) -> Learnt:
        return Learnt(testset.pair, {"pair": testset.pair} if testset.pair else {})

    def open(self, state: str | None) -> Opened:
        from ...data.catalogue import data_folder

        names = ("timeout", "retries", "wait", "parallel", "cap", "requests")
        limits = Limits(
            key=self.secret("key"),
            prices=(self.price_in, self.price_out),
            **{name: getattr(self, name) for name in names},
        )
        client = ChatClient(
            endpoint=self.endpoint or "",
            model=self.model or "",
            settings={} if self.bare else {"temperature": self.temperature, "max_tokens": self.tokens},
            folder=Path(self.answers) if self.answers else data_folder() / "judge",
            limits=limits,
        )
        return Opened(client, state)

    def count(self, shard: Shard, opened: Opened) -> dict[str, Floats]:
        """Count score, answers, tokens of prompts, tokens of answers, and errors by severity."""
        references = shard.reference_rows if self.references else [[]] * len(shard)
        rows = {
            system: [
                self.write(source, output, row, opened.pair)
                for source, output, row in zip(shard.source or (), outputs, references, strict=True)
            ]
            for system, outputs in shard.outputs.items()
        }
        distinct = list(dict.fromkeys(prompt for prompts in rows.values() for prompt in prompts))
        answers = dict(zip(distinct, opened.client.ask(distinct, self.read), strict=True))
        failed = sum(answer.read is None for answer in answers.values())
        if failed:
            log.warning("%s: %d answers could not be read; these segments have no score.", self.name, failed)
        return {system: np.array([self._row(answers[p]) for p in prompts]) for system, prompts in rows.items()}

    def _row(self, answer: Answer[Verdict]) -> list[float]:
        verdict = answer.read
        numbers = [0.0, 0.0] if verdict is None else [verdict.score, 1.0]
        errors = () if verdict is None else verdict.errors
        return [
            *numbers,
            float(answer.tokens_in),
            float(answer.tokens_out),
            *(float(sum(error["severity"] == severity for error in errors)) for severity in WEIGHTS),
            1.0,
        ]

    def write(self, source: str, output: str, references: Sequence[str], pair: str | None) -> str:
        from ...text.coding import whole_characters

        codes = (pair or "").split("-")
        known = f"Languages: from {codes[0]} to {codes[-1]} (ISO 639 codes).\n" if len(codes) > 1 else ""
        shown = "".join(REFERENCE.format(_safe(whole_characters(text))) for text in references)
        return PROMPTS[self.prompt].format(
            languages=known,
            source=_safe(whole_characters(source)),
            output=_safe(whole_characters(output)),
            references=shown,
        )

    def read(self, answer: str) -> Verdict | None:
        """Return what an answer says; None if it does not have the form that was asked for."""
        return _read_number(answer) if self.prompt == "da" else _read_errors(answer)

    def score(self, totals: Floats) -> Floats:
        return mean_score(totals)

    def extras(self, counts: Floats) -> dict[str, Floats]:
        if self.prompt == "da":
            return {}
        return {severity: counts[..., 4 + i] for i, severity in enumerate(WEIGHTS)}

    def details(self, totals: Floats) -> dict[str, object]:
        names = ("answers", "tokens_in", "tokens_out")
        found: dict[str, Any] = {name: int(value) for name, value in zip(names, totals[1:4], strict=True)}
        found["failed"] = int(totals[-1] - totals[1])
        found["cost"] = float(totals[2] * self.price_in + totals[3] * self.price_out) / 1e6
        if self.prompt == "mqm":
            found |= {severity: int(totals[4 + i]) for i, severity in enumerate(WEIGHTS)}
        return found

    def verbose(self, totals: Floats) -> str:
        found = self.details(totals)
        cost = f", cost {found['cost']:.4f}" if self.price_in or self.price_out else ""
        return (
            f"{found['answers']} answers, {found['failed']} failed; "
            f"{found['tokens_in']} tokens in, {found['tokens_out']} out{cost}"
        )

    def explain_segment(self, opened: Opened, output: str, references: Sequence[str], source: str | None) -> Seen:
        """Return the answer, and the errors that it names; their stretches of the output, where it has them."""
        prompt = self.write(source or "", output, references if self.references else (), opened.pair)
        (answer,) = opened.client.ask([prompt], self.read)
        if answer.read is None:
            return Seen(values={"answer": answer.text})
        if self.prompt != "mqm":
            return Seen(answer.read.score, values={"answer": answer.text})
        spans = [
            Span(at, at + len(error["span"]), 0.5 * (error["severity"] == "minor"), _label(error))
            for error in answer.read.errors
            if error["span"] and (at := output.find(error["span"])) >= 0
        ]
        errors = [dict(error) for error in answer.read.errors]
        return Seen(answer.read.score, [Spans(sorted(spans))], values={"answer": answer.text, "errors": errors})


def _label(error: Mapping[str, str]) -> str:
    return ": ".join(filter(None, (error["severity"], error["category"])))


def _safe(text: str) -> str:
    """Return a text that cannot close the element that it is in."""
    return text.replace("</", "< /")


def _read_number(answer: str) -> Verdict | None:
    """Read the only number of an answer, as in "85", "Score: 85" or "85/100"."""
    found = {float(number) for number in _NUMBER.findall(answer)}
    if len(found) != 1:
        return None
    (value,) = found
    return Verdict(value) if value <= 100 else None


def _read_errors(answer: str) -> Verdict | None:
    """Read the JSON list of an answer; there may be words or a fence around it."""
    first, last = answer.find("["), answer.rfind("]")
    try:
        errors = json.loads(answer[first : last + 1]) if 0 <= first < last else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
        return None
    kept = []
    for error in errors:
        severity = str(error.get("severity", "")).strip().lower()
        if severity not in WEIGHTS:
            return None
        kept.append(
            {"severity": severity, "category": str(error.get("category", "")), "span": str(error.get("span", ""))}
        )
    return Verdict(min(WORST, sum(WEIGHTS[error["severity"]] for error in kept)), tuple(kept))
