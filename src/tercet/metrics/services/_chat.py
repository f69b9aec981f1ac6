"""A client of OpenAI-compatible chat endpoints: retries, answers kept on disk, a limit on spending.

A service is a stranger: it may be slow, endless, malformed, or repeat the key that it was sent. See `_transport`.
"""

import json
import logging
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar
from urllib import parse

from ...data.files import make_folder
from ...errors import TercetError, UsageError
from ._transport import Requests, Response

log = logging.getLogger(__name__)

Read = TypeVar("Read")
ASKED_AGAIN = 3  # times that a question is put if answers cannot be read
LONGEST_WAIT = 60.0  # seconds
WORTH_RETRYING = {408, 409, 425, 429, 500, 502, 503, 504}
MOST_TOKENS = 10**9  # of one answer, whatever the service says
KEY_TIP = "Look at the environment variable TERCET_JUDGE_KEY."
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

    key: sent with every request. timeout: seconds that a whole answer may take. retries: after a failure;
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
        self._host = check_endpoint(self.endpoint)
        self._key = clean_key(self.limits.key)
        about = json.dumps([self.endpoint, self.model, self.settings], sort_keys=True)
        self.path = self.folder / f"{sha256(about.encode()).hexdigest()[:32]}.jsonl"
        self._read_kept()

    def ask(self, prompts: Sequence[str], read: Callable[[str], Read | None]) -> list[Answer[Read]]:
        """Return an answer to each prompt. read: returns what an answer says, or None if it cannot be read.

        After a failure nothing more is sent; what is on its way is still received and kept.
        """
        waiting: SimpleQueue[int] = SimpleQueue()
        done: SimpleQueue[tuple[int, Answer[Read] | BaseException]] = SimpleQueue()
        for place in range(len(prompts)):
            waiting.put(place)
        requests = Requests()

        def work() -> None:
            while not requests.ended.is_set():
                try:
                    place = waiting.get_nowait()
                except Empty:
                    return
                try:
                    done.put((place, self._one(prompts[place], read, requests)))
                except BaseException as problem:  # noqa: BLE001  raised again by the thread that waits
                    requests.ended.set()
                    done.put((place, problem))

        threads = [threading.Thread(target=work, daemon=True) for _ in range(min(self.limits.parallel, len(prompts)))]
        for thread in threads:
            thread.start()
        found: dict[int, Answer[Read]] = {}
        try:
            while len(found) < len(prompts):
                place, answer = done.get()
                if isinstance(answer, BaseException):
                    for thread in threads:
                        thread.join()
                    raise answer
                found[place] = answer
        except KeyboardInterrupt:
            requests.stop()
            raise
        return [found[place] for place in range(len(prompts))]

    def _one(self, prompt: str, read: Callable[[str], Read | None], requests: Requests) -> Answer[Read]:
        key = sha256(prompt.encode()).hexdigest()
        if key in self._kept:
            text, tokens_in, tokens_out = self._kept[key]
            if (known := read(text)) is not None:
                return Answer(known, text, tokens_in, tokens_out)
        text, tokens_in, tokens_out = "", 0, 0
        for _ in range(ASKED_AGAIN):
            text, used_in, used_out = self._answer(prompt, requests)
            tokens_in, tokens_out = tokens_in + used_in, tokens_out + used_out
            if (found := read(text)) is not None:
                self._keep(key, [text, tokens_in, tokens_out])
                return Answer(found, text, tokens_in, tokens_out)
        return Answer(None, text, tokens_in, tokens_out)

    def _answer(self, prompt: str, requests: Requests) -> tuple[str, int, int]:
        """Send one request, again after failures. Returns the text of the answer and the tokens in and out."""
        body = {"model": self.model, "messages": [{"role": "user", "content": prompt}], **self.settings}
        wait, problem = self.limits.wait, ""
        for attempt in range(self.limits.retries + 1):
            if attempt and requests.ended.wait(min(wait, LONGEST_WAIT)):
                break
            wait = wait * 2 if attempt else wait
            self._reserve()
            try:
                response = self._send(body, requests)
            except (OSError, HTTPException, ValueError) as failure:  # refused, broken, too slow or too long
                problem = self._without_key(str(failure) or type(failure).__name__)
                continue
            if response.code == 200:
                return self._understood(response.body, prompt)
            problem = f"{response.code} {self._without_key(response.reason + _said(response.body))[:200]}"
            self._refuse_hopeless(response.code, problem)
            wait = max(wait, _retry_after(response.headers.get("Retry-After")))
        raise EndpointFailed(
            f"{self._host} gave no answer after {self.limits.retries + 1} attempts: {problem}. {self._how_to_go_on()}"
        )

    def _send(self, body: dict[str, object], requests: Requests) -> Response:
        headers = {"Content-Type": "application/json", "User-Agent": "tercet"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        address = self.endpoint.rstrip("/") + "/chat/completions"
        return requests.post(address, json.dumps(body).encode(), headers, timeout=self.limits.timeout)

    def _without_key(self, text: str) -> str:
        """Return a text of the service without the key, which it may repeat."""
        if not self._key:
            return text
        forms = {self._key, parse.quote(self._key), parse.quote_plus(self._key), json.dumps(self._key)[1:-1]}
        return re.sub("|".join(map(re.escape, sorted(forms, key=len, reverse=True))), "[key]", text, flags=re.I)

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

    def _understood(self, data: bytes, prompt: str) -> tuple[str, int, int]:
        """Return the text of an answer, empty if it has another form, and the number of its tokens."""
        found = _read_json(data)
        try:
            text = found["choices"][0]["message"]["content"]
        except (LookupError, TypeError):
            text = ""
        text = self._without_key(text) if isinstance(text, str) else ""
        usage = found.get("usage") if isinstance(found, dict) else None
        said = usage if isinstance(usage, dict) else {}
        tokens_in, tokens_out = (
            number if (number := _count(said.get(key))) is not None else len(each.encode("utf-8", "replace")) // 3 + 1
            for key, each in (("prompt_tokens", prompt), ("completion_tokens", text))
        )
        cost_in, cost_out = self.limits.prices
        with self._lock:
            self.spent += (tokens_in * cost_in + tokens_out * cost_out) / 1e6
        return text, tokens_in, tokens_out

    def _keep(self, key: str, answer: list[object]) -> None:
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
            except (ValueError, LookupError, TypeError, RecursionError, OverflowError):
                damaged += 1
        if damaged:
            log.warning("%s: %d damaged lines are left out; their questions are asked again.", self.path, damaged)


def check_endpoint(address: str) -> str:
    """Return the host of an endpoint. Raises UsageError if it is no address, or could hold a key."""
    try:
        place = parse.urlsplit(address)
        port = place.port
    except ValueError:  # brackets, or a port that is no number
        place, port = parse.urlsplit(""), None
    if place.query or place.fragment or "@" in place.netloc or "?" in address:
        raise UsageError(
            "The endpoint must be an address without a user, '?' or '#': it is part of signatures, and keys do not "
            f"belong there. {KEY_TIP}"
        )
    if place.scheme not in ("http", "https") or not place.hostname or port == 0 or not _plain(address):
        raise UsageError(f"The endpoint must be an address such as http://localhost:8000/v1, not {address!r}.")
    return place.hostname


def clean_key(key: str | None) -> str | None:
    """Return a key without the blanks and line ends around it. Raises UsageError if no header can hold it."""
    key = (key or "").strip()
    if not _plain(key):
        raise UsageError(f"The key of the service holds blanks, line ends or other characters no key has. {KEY_TIP}")
    return key or None


def _plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text


def _read_json(data: bytes | str) -> Any:
    """Return what JSON says; None if it is malformed or too deep."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _count(value: object) -> int | None:
    """Return a number of tokens; None if it is not a sensible one."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
        return value
    return None


def _said(body: bytes) -> str:
    """Return what the body of an error says, if it says something in the usual form."""
    found = _read_json(body[:100_000])
    said = found.get("error") if isinstance(found, dict) else None
    said = said.get("message") if isinstance(said, dict) else said
    return f" ({said})" if isinstance(said, str) else ""


def _retry_after(text: str | None) -> float:
    try:
        return max(0.0, float(text or 0))
    except ValueError:  # a date
        return 0.0
