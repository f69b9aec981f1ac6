"""A client of OpenAI-compatible chat endpoints: retries, answers kept on disk, a limit on spending.

Only the endpoint that was given is contacted: redirects are refused and proxies of the environment are not used.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib import error, parse, request

from ...data.files import make_folder
from ...errors import TercetError, UsageError

log = logging.getLogger(__name__)

Read = TypeVar("Read")
ASKED_AGAIN = 3  # times that a question is put if answers cannot be read
LONGEST_WAIT = 60.0  # seconds
WORTH_RETRYING = {408, 409, 425, 429, 500, 502, 503, 504}
LOCAL = {"localhost", "127.0.0.1", "::1"}


class EndpointFailed(TercetError):
    """An endpoint did not answer, or refused."""


class CapReached(TercetError):
    """The limit on spending was reached."""


@dataclass(frozen=True)
class Answer(Generic[Read]):
    """What was read from an answer (None if no answer could be read), its text, and the tokens that it took."""

    read: Read | None
    text: str
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True)
class Limits:
    """How a client behaves.

    key: sent with every request. timeout: seconds that an answer may take. retries: after a failure;
    wait: seconds before the first one, doubled each time. parallel: requests at once. prices: of a million tokens, in
    and out. cap: what may be spent, in the currency of the prices. requests: how many may be sent.
    """

    key: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    retries: int = 5
    wait: float = 1.0
    parallel: int = 4
    prices: tuple[float, float] = (0.0, 0.0)
    cap: float | None = None
    requests: int | None = None


class _NoRedirects(request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        return None


@dataclass
class ChatClient:
    """Asks one model at one endpoint. Answers that could be read are kept in a file of the folder.

    settings: further fields of a request, such as temperature; the file is named by them, the endpoint and the model.
    """

    endpoint: str
    model: str
    settings: dict[str, Any]
    folder: Path
    limits: Limits
    sent: int = 0
    spent: float = 0.0
    _kept: dict[str, list[Any]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        place = parse.urlsplit(self.endpoint)
        if place.scheme not in ("http", "https") or not place.hostname:
            raise UsageError(
                f"The endpoint must be an address such as http://localhost:8000/v1, not {self.endpoint!r}."
            )
        self._host = place.hostname
        self._opener = request.build_opener(request.ProxyHandler({}), _NoRedirects())
        about = json.dumps([self.endpoint, self.model, self.settings], sort_keys=True)
        self.path = self.folder / f"{sha256(about.encode()).hexdigest()[:32]}.jsonl"
        self._read_kept()

    def ask(self, prompts: Sequence[str], read: Callable[[str], Read | None]) -> list[Answer[Read]]:
        """Return an answer to each prompt. read: returns what an answer says, or None if it cannot be read."""
        failed = threading.Event()

        def one(prompt: str) -> Answer[Read]:
            if failed.is_set():  # nothing more is sent, and paid, after a question that ends the run
                raise CancelledError
            try:
                return self._one(prompt, read)
            except BaseException:
                failed.set()
                raise

        with ThreadPoolExecutor(self.limits.parallel) as pool:
            found = [pool.submit(one, prompt) for prompt in prompts]
            try:
                return [each.result() for each in found]
            except BaseException:
                failed.set()
                raise

    def _one(self, prompt: str, read: Callable[[str], Read | None]) -> Answer[Read]:
        key = sha256(prompt.encode()).hexdigest()
        if key in self._kept:
            text, tokens_in, tokens_out = self._kept[key]
            if (known := read(text)) is not None:
                return Answer(known, text, tokens_in, tokens_out)
        text, tokens_in, tokens_out = "", 0, 0
        for _ in range(ASKED_AGAIN):
            text, used_in, used_out = self._answer(prompt)
            tokens_in, tokens_out = tokens_in + used_in, tokens_out + used_out
            if (found := read(text)) is not None:
                self._keep(key, [text, tokens_in, tokens_out])
                return Answer(found, text, tokens_in, tokens_out)
        return Answer(None, text, tokens_in, tokens_out)

    def _answer(self, prompt: str) -> tuple[str, int, int]:
        """Send one request, again after failures. Returns the text of the answer and the tokens in and out."""
        body = {"model": self.model, "messages": [{"role": "user", "content": prompt}], **self.settings}
        wait, problem = self.limits.wait, ""
        for attempt in range(self.limits.retries + 1):
            if attempt:
                time.sleep(min(wait, LONGEST_WAIT))
                wait *= 2
            self._reserve()
            try:
                with self._opener.open(self._request(body), timeout=self.limits.timeout) as response:
                    return self._understood(response.read())
            except error.HTTPError as failure:
                with failure:
                    problem = f"{failure.code} {failure.reason}{_said(failure)}"
                    self._refuse_hopeless(failure.code, problem)
                    wait = max(wait, _retry_after(failure.headers.get("Retry-After")))
            except (OSError, HTTPException) as failure:  # refused, broken, or too slow
                problem = str(getattr(failure, "reason", None) or failure or type(failure).__name__)
        raise EndpointFailed(
            f"{self._host} gave no answer after {self.limits.retries + 1} attempts: {problem}. {self._how_to_go_on()}"
        )

    def _request(self, body: dict[str, Any]) -> request.Request:
        headers = {"Content-Type": "application/json", "User-Agent": "tercet"}
        if self.limits.key:
            headers["Authorization"] = f"Bearer {self.limits.key}"
        place = self.endpoint.rstrip("/") + "/chat/completions"
        return request.Request(place, json.dumps(body).encode(), headers)

    def _reserve(self) -> None:
        """Count a request that is about to be sent; refuse it if a limit is reached."""
        limits = self.limits
        with self._lock:
            if limits.cap is not None and self.spent >= limits.cap:
                raise CapReached(
                    f"{self.spent:.4g} was spent, and the cap is {limits.cap:g}. {self._how_to_go_on('a higher cap')}"
                )
            if limits.requests is not None and self.sent >= limits.requests:
                more = self._how_to_go_on("more requests")
                raise CapReached(f"{self.sent} requests were sent, and no more are allowed. {more}")
            if not self.sent and self._host not in LOCAL:
                log.warning("The texts are sent to %s: they leave this computer.", self._host)
            self.sent += 1

    def _how_to_go_on(self, change: str = "") -> str:
        again = f"run it again with {change}" if change else "run it again"
        return f"{len(self._kept)} answers are in {self.path}; {again}, and only the others are asked for."

    def _refuse_hopeless(self, code: int, problem: str) -> None:
        """Raise what no further attempt can mend."""
        if code in WORTH_RETRYING:
            return
        if 300 <= code < 400:
            raise EndpointFailed(f"{self._host} answered with a redirect, which is not followed. Give its address.")
        hint = " Is the key right?" if code in (401, 403) else ""
        raise EndpointFailed(f"{self._host} refused the request: {problem}.{hint}")

    def _understood(self, data: bytes) -> tuple[str, int, int]:
        """Return the text of an answer and its tokens; an empty text for what has another form."""
        try:
            found = json.loads(data)
            usage = found.get("usage") or {}
            tokens_in, tokens_out = int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0)
            text = found["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, AttributeError):
            return "", 0, 0
        cost_in, cost_out = self.limits.prices
        with self._lock:
            self.spent += (tokens_in * cost_in + tokens_out * cost_out) / 1e6
        return text if isinstance(text, str) else "", tokens_in, tokens_out

    def _keep(self, key: str, answer: list[Any]) -> None:
        with self._lock:
            self._kept[key] = answer
            try:
                with self.path.open("a", encoding="utf-8", newline="\n") as stream:
                    stream.write(json.dumps({"prompt": key, "answer": answer}) + "\n")
            except OSError as problem:
                raise UsageError(f"{self.path} cannot be written: {problem.strerror}.") from None

    def _read_kept(self) -> None:
        make_folder(self.folder)
        if not self.path.exists():
            return
        damaged = 0
        for line in self.path.read_text("utf-8", errors="replace").split("\n"):
            if not line:
                continue
            try:
                row = json.loads(line)
                text, tokens_in, tokens_out = row["answer"]
                self._kept[str(row["prompt"])] = [str(text), int(tokens_in), int(tokens_out)]
            except (ValueError, LookupError, TypeError):
                damaged += 1
        if damaged:
            log.warning("%s: %d damaged lines are left out; their questions are asked again.", self.path, damaged)


def _said(failure: error.HTTPError) -> str:
    """Return what the body of an error says, if it says something in the usual form."""
    try:
        found = json.loads(failure.read(10_000))["error"]
        return f" ({str(found['message'] if isinstance(found, dict) else found)[:200]})"
    except (ValueError, LookupError, TypeError, OSError, HTTPException):
        return ""


def _retry_after(text: str | None) -> float:
    try:
        return max(0.0, float(text or 0))
    except ValueError:  # a date
        return 0.0
