"""Access control of the servers (`rate serve`, `serve`): tokens, guessed tokens, forged and oversized requests.

A personal link and the organiser's secret are long random tokens. The browser keeps a token in a cookie that scripts
cannot read. The server stores only the hash and looks it up on every request, so that revoking a token takes effect
immediately and nobody has to log in again after a restart. Tokens appear in no page and in no log.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from .campaign import hashed

try:
    from starlette.datastructures import MutableHeaders
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
except ImportError:
    from ..errors import MissingDependency

    raise MissingDependency("The rating server", "web") from None

LARGEST_BODY = 256 * 1024
BODY_TIMEOUT = 30.0  # seconds in which the whole body must arrive
TRIES = 10  # distinct wrong tokens allowed per address
WINDOW = 60.0  # seconds over which they are counted
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with "no-referrer", browsers do not send the origin of a form
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass
class LoginLimiter:
    """Limit failed logins per client address: after TRIES distinct wrong tokens in WINDOW seconds, answer 429.

    A right token is always accepted, so that wrong ones from the same address, as behind a proxy, lock nobody out. A
    token has 192 random bits and cannot be guessed; the limit makes attempts visible and cheap to reject.
    The same wrong token is counted once: it comes from a page whose link was revoked, and is not a guess.
    """

    clock: Callable[[], float] = time.monotonic
    _wrong: dict[str, dict[str, float]] = field(default_factory=dict)

    def check(self, address: str, token: str, is_right: Callable[[str], bool]) -> bool:
        """Return whether a token is right. Raises HTTP 429 after too many wrong tokens from this address."""
        digest, now = hashed(token), self.clock()
        if is_right(digest):
            return True
        if len(self._wrong) > 10_000:  # guesses from very many addresses must not fill the memory
            self._wrong = {key: times for key, times in self._wrong.items() if max(times.values()) > now - WINDOW}
        recent = {known: when for known, when in self._wrong.get(address, {}).items() if when > now - WINDOW}
        if digest not in recent and len(recent) >= TRIES:
            raise HTTPException(429, "Too many wrong links from this address. Wait a minute.", {"Retry-After": "60"})
        self._wrong[address] = {digest: now} | recent
        return False


def address_of(request: Request) -> str:
    """Return the client address of a request, or an empty string if it is not known."""
    return request.client.host if request.client else ""


def form_key(token: str, campaign_id: str) -> str:
    """Return the key that a page must send with every change (CSRF protection). It is derived from the token."""
    return hmac.new(token.encode("utf-8", "surrogatepass"), f"form {campaign_id}".encode(), "sha256").hexdigest()


def check_form_key(request: Request, given: str, token: str, campaign_id: str) -> None:
    """Raise HTTP 403 for a request that comes from another site, or from a page made for another token."""
    check_origin(request)
    if not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), form_key(token, campaign_id).encode()):
        raise HTTPException(403, "This page belongs to another link. Open your own link again.")


def check_origin(request: Request) -> None:
    """Raise HTTP 403 for a request that a page of another site made."""
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host", ""):
        raise HTTPException(403, "This request came from another site.")


@dataclass
class SecurityMiddleware:
    """ASGI middleware: adds security headers to every response, and rejects bodies that are too large or too slow.

    largest: bytes of a body. admit: called before the body is read; a response that it returns is the answer.
    """

    app: ASGIApp
    largest: int | None = None
    admit: Callable[[Request], Response | None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, unless its body is too large or too slow."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        async def refuse(text: str, status: int) -> None:
            await JSONResponse({"error": text}, status, {"Connection": "close"})(scope, receive, send_with_headers)

        names = {name for name, _ in scope["headers"]}
        if b"content-length" in names and b"transfer-encoding" in names:
            # A proxy may take one of them and this server the other: the rest would be a request of its own.
            return await refuse("A request has either Content-Length or Transfer-Encoding.", 400)
        largest = LARGEST_BODY if self.largest is None else self.largest
        refusal = self.admit(Request(scope)) if self.admit is not None else None
        if refusal is not None:
            with suppress(TimeoutError):  # a caller who is still sending would not hear the answer
                async with asyncio.timeout(BODY_TIMEOUT):
                    await _whole_body(scope, receive, largest, keep=False)
            return await refusal(scope, receive, send_with_headers)
        try:
            async with asyncio.timeout(BODY_TIMEOUT):
                body = await _whole_body(scope, receive, largest)
        except TimeoutError:
            return await refuse("The request took too long.", 408)
        if body is None:
            return await refuse("The request is too large.", 413)
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_body() -> Message:
            return whole.pop() if whole else await receive()

        await self.app(scope, receive_body, send_with_headers)


async def _whole_body(scope: Scope, receive: Receive, largest: int, *, keep: bool = True) -> bytes | None:
    """Read the body of a request. Returns None if it is larger than this, declared or not. keep: False drops it."""
    headers: dict[bytes, Any] = dict(scope["headers"])
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length) > largest:
        return None
    body, size = bytearray(), 0
    while True:
        message = await receive()
        if message["type"] != "http.request":  # the client has gone
            return bytes(body)
        part = message.get("body", b"")
        size += len(part)
        if keep:
            body += part
        if size > largest:
            return None
        if not message.get("more_body"):
            return bytes(body)
