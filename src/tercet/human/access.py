"""Who may do what at the rating server: tokens, guesses, forged and oversized requests.

A personal link and the organiser's secret are long random tokens. The browser keeps them in a cookie that scripts
cannot read; the server knows only their hashes, and looks them up anew with every request, so revoking one is immediate
and a restart asks nobody to log in again. Tokens are in no page and in no log.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .campaign import hashed

try:
    from starlette.datastructures import MutableHeaders
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
except ImportError:
    from ..errors import MissingDependency

    raise MissingDependency("The rating server", "web") from None

LARGEST_BODY = 256 * 1024
PATIENCE = 30.0  # seconds until a whole body must be here
TRIES = 10  # wrong tokens from one address
WINDOW = 60.0  # within so many seconds
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # not "no-referrer", with which browsers do not say where a form comes from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass
class Guard:
    """Counts different wrong tokens by address. After TRIES within WINDOW seconds no new one is looked at from there.

    The same wrong token again is no guess, but a page whose link has ended: it locks out nobody at its address.

    Tokens that were right before stay right: whoever guesses from a shared address locks no rater out of their work.
    """

    clock: Callable[[], float] = time.monotonic
    _wrong: dict[str, dict[str, float]] = field(default_factory=dict)
    _right: set[str] = field(default_factory=set)

    def check(self, address: str, token: str, is_right: Callable[[str], bool]) -> bool:
        """Whether a token is right; raises 429 where too many from this address were wrong."""
        digest = hashed(token)
        recent = self._recent(address)
        if digest not in self._right and digest not in recent and len(recent) >= TRIES:
            raise HTTPException(429, "Too many wrong links from this address. Wait a minute.", {"Retry-After": "60"})
        if is_right(digest):
            self._right.add(digest)
            return True
        self._right.discard(digest)
        self._wrong[address] = recent | {digest: recent.get(digest, self.clock())}
        return False

    def _recent(self, address: str) -> dict[str, float]:
        since = self.clock() - WINDOW
        if len(self._wrong) > 10_000:  # a scan from everywhere must not fill the memory
            self._wrong = {key: times for key, times in self._wrong.items() if max(times.values()) > since}
        recent = {digest: when for digest, when in self._wrong.get(address, {}).items() if when > since}
        if recent:
            self._wrong[address] = recent
        else:
            self._wrong.pop(address, None)
        return recent


def address_of(request: Request) -> str:
    """Where a request comes from, as far as is known."""
    return request.client.host if request.client else ""


def form_key(token: str, campaign_id: str) -> str:
    """What a page must send back with every change: only a page that was made for this token knows it."""
    return hmac.new(token.encode("utf-8", "surrogatepass"), f"form {campaign_id}".encode(), "sha256").hexdigest()


def check_form_key(request: Request, given: str, token: str, campaign_id: str) -> None:
    """Refuse what another site, or a page made for another person, sends in this person's name."""
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host", ""):
        raise HTTPException(403, "This came from another site.")
    if not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), form_key(token, campaign_id).encode()):
        raise HTTPException(403, "This page belongs to another link. Open your own link again.")


class Border:
    """Around the whole application: headers on every answer, no body above LARGEST_BODY or slower than PATIENCE."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, unless it is too large or too slow."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            async with asyncio.timeout(PATIENCE):
                body = await _whole_body(scope, receive)
        except TimeoutError:
            await JSONResponse({"error": "This took too long."}, 408, {"Connection": "close"})(
                scope, receive, send_with_headers
            )
            return
        if body is None:
            answer = JSONResponse({"error": "This is too large."}, 413, {"Connection": "close"})
            await answer(scope, receive, send_with_headers)
            return
        sent = False

        async def receive_body() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, receive_body, send_with_headers)


async def _whole_body(scope: Scope, receive: Receive) -> bytes | None:
    """The body of a request; None if it is too large, whatever its headers say."""
    headers: dict[bytes, Any] = dict(scope["headers"])
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length) > LARGEST_BODY:
        return None
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":  # the client has gone
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            return None
        if not message.get("more_body"):
            return bytes(body)
