"""`Client`: ask a server that `tercet serve` started; results are those of the library."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from .errors import DataError, TercetError, UsageError

if TYPE_CHECKING:
    from .comparing import Comparison
    from .data.scores import ScoreList, Scores
    from .data.stream import TextFiles
    from .data.testset import TestSet
    from .metrics import Metric

log = logging.getLogger(__name__)

ARCHIVE = "application/vnd.tercet.scores"  # scores with their counts, as `save` writes them
SOCKET = 60.0  # seconds without any byte from the server
LONGEST_PAUSE = 5.0  # seconds between two questions whether a job has ended


class Client:
    """A server that counts and scores, in place of this computer.

    Parameters
    ----------
    url : the address that `tercet serve` prints, such as "http://scores.example.org:8080".
    token : as `tercet serve --new-token` printed it, if the server needs one.
    timeout : seconds after which an answer is no longer waited for. A server that is busy is asked again until then.

    Examples
    --------
    >>> import tercet
    >>> client = tercet.Client("http://127.0.0.1:1")  # where none listens
    >>> try:
    ...     client.score(tercet.demo("en-de"), ["chrf"])
    ... except tercet.TercetError as error:
    ...     print(error)
    No server answers at http://127.0.0.1:1: Connection refused.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 3600.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise UsageError(f"The address of a server is http://HOST:PORT or https://HOST, not {url!r}.")
        self.url, self.timeout, self._token, self._parts = url.rstrip("/"), timeout, token, parts

    def score(
        self, testset: TestSet | TextFiles, metrics: Sequence[str | Metric] | str = ("bleu",), **options: Any
    ) -> ScoreList:
        """Score as `tercet.score` does; the server counts, intervals and groups are computed here."""
        from .scoring import score

        testset = _in_memory(testset)
        scores = [*self.counted(testset, metrics), *options.pop("scores", ())]
        return score(testset, (), scores=scores, **options)

    def compare(
        self, testset: TestSet | TextFiles, metrics: Sequence[str | Metric] | str = ("bleu",), **options: Any
    ) -> Comparison:
        """Compare systems, as `tercet.compare` does; the server counts, the tests run here. options: of the tests."""
        from .comparing import compare_scores

        testset = _in_memory(testset)
        return compare_scores(self.counted(testset, metrics), testset=testset, **options)

    def qe(
        self, source: Sequence[str], output: Sequence[str], *, model: str = "default", **options: object
    ) -> dict[str, Any]:
        """Predict the quality of outputs: what `tercet qe predict -f json` prints. options: languages, level."""
        asked = {"model": model, "source": {"source": list(source)}, "output": {"output": list(output)}, **options}
        return cast("dict[str, Any]", json.loads(self.ask("qe", asked)))

    def check(self, testset: TestSet | TextFiles) -> list[dict[str, Any]]:
        """Examine texts: the findings that `tercet check -f json` prints."""
        return cast("list[dict[str, Any]]", json.loads(self.ask("check", *_as_request(_in_memory(testset)))))

    def explain(
        self, testset: TestSet | TextFiles, metrics: Sequence[str | Metric] | str, *, segment: int = 1
    ) -> list[dict[str, Any]]:
        """Show what metrics saw in one segment: what `tercet explain -f json` prints."""
        options, files = _as_request(_in_memory(testset))
        asked = {**options, "metrics": _specs(metrics), "segment": segment}
        return cast("list[dict[str, Any]]", json.loads(self.ask("explain", asked, files)))

    def counted(self, testset: TestSet | TextFiles, metrics: Sequence[str | Metric] | str) -> list[Scores]:
        """Return the scores of the server, with their counts."""
        from .scoring import load

        options, files = _as_request(_in_memory(testset))
        data = self.ask("score", {**options, "metrics": _specs(metrics)}, files, accept=ARCHIVE)
        found = load(f"the answer of {self.url}", data)
        return [replace(item, provenance={**item.provenance, "test_set": testset.name}) for item in found]

    def ask(
        self,
        task: str,
        options: Mapping[str, object],
        files: Mapping[str, object] | None = None,
        *,
        accept: str = "application/json",
    ) -> bytes:
        """Send a request and return the answer's body, or raise what the server says. files: texts by name."""
        body = json.dumps({**options, "files": dict(files or {})}).encode()
        headers = {"Content-Type": "application/json", "Accept": accept}
        end, pause, path, method = time.monotonic() + self.timeout, 0.1, f"/{task}", "POST"
        while True:
            answer, found = self._exchange(method, path, body if method == "POST" else None, headers)
            if answer.status == 202:
                about = json.loads(found)
                path, method = f"/jobs/{about['id']}/result", "GET"
            elif answer.status != 429:
                break
            else:
                pause = max(pause, float(answer.headers.get("Retry-After") or 1))
            if time.monotonic() + pause > end:
                raise DataError(f"The server at {self.url} has not answered in {self.timeout:g} seconds.")
            time.sleep(pause)
            pause = min(LONGEST_PAUSE, 1.5 * pause)
        for warning in json.loads(answer.headers.get("Tercet-Warnings") or "[]"):
            log.warning("%s", warning)
        if answer.status != 200:
            raise _error(self.url, answer.status, found)
        return found

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[HTTPResponse, bytes]:
        kind = HTTPSConnection if self._parts.scheme == "https" else HTTPConnection
        own = {**headers, **({"Authorization": f"Bearer {self._token}"} if self._token else {})}
        connection = kind(str(self._parts.hostname), self._parts.port, timeout=SOCKET)
        try:
            connection.request(method, self._parts.path.rstrip("/") + path, body, own)
            answer = connection.getresponse()
            return answer, answer.read()
        except (OSError, HTTPException, ValueError) as error:
            raise UsageError(
                f"No server answers at {self.url}: {getattr(error, 'strerror', None) or error or type(error).__name__}."
            ) from None
        finally:
            connection.close()


def _in_memory(testset: TestSet | TextFiles) -> TestSet:
    from .data.testset import TestSet
    from .scoring import check_texts

    check_texts(testset)
    return testset if isinstance(testset, TestSet) else testset.read()


def _specs(metrics: Sequence[str | Metric] | str) -> list[str]:
    chosen = [metrics] if isinstance(metrics, str) else metrics
    return [each if isinstance(each, str) else each.spec for each in chosen]


def _as_request(testset: TestSet) -> tuple[dict[str, object], dict[str, str]]:
    """Return a test set as options and files: one file that keeps names, missing references and labels."""
    from .data.jsonl import write_jsonl

    with TemporaryDirectory(prefix="tercet-") as folder:
        path = Path(folder, "texts.jsonl")
        write_jsonl(testset, path)
        return {"test_set": path.name}, {path.name: path.read_text("utf-8")}


def _error(url: str, status: int, body: bytes) -> TercetError:
    try:
        text = str(json.loads(body)["error"])
    except (ValueError, KeyError, TypeError):
        text = f"The server at {url} answered with status {status}."
    if status == 413:
        return UsageError(f"The texts are larger than the server at {url} allows.")
    return UsageError(text) if status in (400, 401, 403, 404) else DataError(text)
