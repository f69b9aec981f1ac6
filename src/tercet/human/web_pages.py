"""What all pages of the servers (`rate serve`, `serve`) share: access control, listening, templates, errors, cookies.

A personal link and the organiser's secret are long random tokens. The browser keeps a token in a cookie that scripts
cannot read. The server stores only the hash and looks it up on every request, so that revoking a token takes effect
immediately and nobody has to log in again after a restart. Tokens appear in no page and in no log.
"""

import asyncio
import hmac
import logging
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar
from urllib.parse import parse_qs

from .. import __version__
from ..errors import MissingDependency, UsageError
from .campaign import hashed

try:
    import jinja2
    import uvicorn
    from sqlalchemy.exc import SQLAlchemyError
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, JSONResponse, Response
    from starlette.routing import Route
except ImportError:
    raise MissingDependency("The rating server", "web") from None

try:
    from starlette.datastructures import MutableHeaders
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
except ImportError:
    from ..errors import MissingDependency

    raise MissingDependency("The rating server", "web") from None

log = logging.getLogger(__name__)

ASSETS = {"icon.svg": "image/svg+xml", "style.css": "text/css", "organiser.css": "text/css", "page.css": "text/css",
          "rate.js": "text/javascript", "spans.js": "text/javascript", "theme.js": "text/javascript",
          "page.js": "text/javascript"}  # fmt: skip
Headers = Mapping[str, str] | None
OF_ALL_PAGES = ("page.css", "page.js", "theme.js")  # also of the reports
LARGEST_BODY = 256 * 1024
HEARD = 4  # times the largest body that are read, and dropped
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
    """ASGI middleware: security headers, refusal of large or slow bodies. admit: may answer before the body."""

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
    """Read a body; None if it is larger. Some more is read, so that callers hear the answer. keep: False drops it."""
    headers: dict[bytes, Any] = dict(scope["headers"])
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length) > HEARD * largest:
        return None
    body, size = bytearray(), 0
    while True:
        message = await receive()
        if message["type"] != "http.request":  # the client has gone
            return bytes(body)
        part = message.get("body", b"")
        size += len(part)
        if keep and size <= largest:
            body += part
        if size > HEARD * largest:
            return None
        if not message.get("more_body"):
            return bytes(body) if size <= largest else None


class Pages:
    """The base of handlers. base: what the addresses of these pages begin with, such as /c/news, or nothing."""

    package: ClassVar[str] = "tercet.human"  # whose folder `pages` has the templates

    def __init__(self, base: str, limiter: LoginLimiter) -> None:
        self.base = base
        self.limiter = limiter
        self.version = f"{__version__}-{_fingerprint()}"

    def app(
        self,
        routes: Sequence[Route],
        *,
        largest: int | None = None,
        admit: Callable[[Request], Response | None] | None = None,
    ) -> Starlette:
        """Return the ASGI application of these routes, with styles, scripts and errors; see `SecurityMiddleware`."""
        handlers: Mapping[Any, Any] = {HTTPException: self.refuse, SQLAlchemyError: self.cannot_store, 500: self.fail}
        return Starlette(
            routes=[*routes, Route("/static/{name}", self.asset)],
            middleware=[Middleware(SecurityMiddleware, largest=largest, admit=admit)],
            exception_handlers=handlers,
        )

    def page(self, template: str, status: int = 200, headers: Headers = None, **values: object) -> HTMLResponse:
        found = _templates(self.package).get_template(template)
        return HTMLResponse(found.render(version=self.version, base=self.base, **values), status, headers)

    async def asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in ASSETS:
            raise HTTPException(404)
        return Response(_asset(name), media_type=ASSETS[name], headers={"Cache-Control": "public, max-age=31536000"})

    async def refuse(self, request: Request, error: HTTPException) -> Response:
        detail = error.detail if error.status_code != 404 else "There is no such page. Open your personal link again."
        return self.said(request, "Not possible", detail, error.status_code, error.headers)

    async def cannot_store(self, request: Request, error: SQLAlchemyError) -> Response:
        """Answer 503 if the disk is full or the database is not reachable. Pages keep their answers and try again."""
        log.error("The database cannot be used: %s", getattr(error, "orig", None) or type(error).__name__)
        text = "The database cannot be used now. Nothing is lost. Please try again."
        return self.said(request, "Please try again", text, 503)

    async def fail(self, request: Request, error: Exception) -> Response:
        # The log must not contain the address, which may hold a token.
        log.error("%s failed: %s", request.method, type(error).__name__)
        text = "The server failed. Nothing is lost. Please try again, and tell the organiser if this happens again."
        return self.said(request, "Please try again", text, 500)

    def for_people(self, request: Request) -> bool:
        """Return whether an error is shown as a page; scripts and programs get JSON."""
        return not request.url.path.startswith(f"{self.base}/api/")

    def said(self, request: Request, title: str, text: str, status: int, headers: Headers = None) -> Response:
        """Return an error: as a page where people see it, otherwise as JSON."""
        if self.for_people(request):
            return self.page("message.html", status, headers, title=title, text=text)
        return JSONResponse({"error": text}, status, headers)


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """Return a socket that listens, and its address for people. port: 0 chooses a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        why = error.strerror or error
        raise UsageError(f"Port {port} of {host} cannot be used: {why}. Choose another `host` or `port`.") from None
    shown = f"[{host}]" if ":" in host else host
    return listening, f"http://{shown}:{listening.getsockname()[1]}"


def run_server(app: ASGIApp, listening: socket.socket, *, behind_proxy: bool) -> None:
    """Answer requests until interrupted. behind_proxy: trust the address that a proxy here reports."""
    config = uvicorn.Config(
        app,
        access_log=False,  # addresses contain tokens
        log_config=None,
        proxy_headers=behind_proxy,
        forwarded_allow_ips="127.0.0.1,::1",
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    with suppress(KeyboardInterrupt):  # Ctrl-C stops the server
        uvicorn.Server(config).run(sockets=[listening])


def keep_token(request: Request, answer: Response, cookie: str, token: str) -> None:
    """Store a token in a cookie of the browser."""
    secure = request.url.scheme == "https"
    answer.set_cookie(cookie, token, httponly=True, samesite="lax", secure=secure, path="/")


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form that was sent."""
    return {key: values[0] for key, values in parse_qs((await request.body()).decode("utf-8", "replace")).items()}


def _asset(name: str) -> bytes:
    package, folder = ("tercet.rendering", "assets") if name in OF_ALL_PAGES else ("tercet.human", "pages")
    return files(package).joinpath(folder, name).read_bytes()


@cache
def _templates(package: str) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name, "pages") for name in (package, "tercet.human")]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _fingerprint() -> str:
    """Return a checksum of scripts and styles. It is part of their addresses, so that browsers load new versions."""
    return hashed("".join(_asset(name).decode() for name in ASSETS))[:8]
