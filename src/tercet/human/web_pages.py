"""What all pages of the servers share: listening, templates, styles and scripts, errors, and the cookies of a login."""

from __future__ import annotations

import logging
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar
from urllib.parse import parse_qs

from .. import __version__
from ..errors import MissingDependency, UsageError
from .access import LoginLimiter, SecurityMiddleware
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

log = logging.getLogger(__name__)

ASSETS = {"icon.svg": "image/svg+xml", "style.css": "text/css", "organiser.css": "text/css", "page.css": "text/css",
          "rate.js": "text/javascript", "spans.js": "text/javascript", "theme.js": "text/javascript",
          "page.js": "text/javascript"}  # fmt: skip
Headers = Mapping[str, str] | None
OF_ALL_PAGES = ("page.css", "page.js", "theme.js")  # also of the reports


class Pages:
    """The base of handlers. base: what the addresses of these pages begin with, such as /c/news, or nothing."""

    package: ClassVar[str] = "tercet.human"  # whose folder `pages` has the templates

    def __init__(self, base: str, limiter: LoginLimiter) -> None:
        self.base = base
        self.limiter = limiter
        self.version = f"{__version__}-{_fingerprint()}"

    def app(self, routes: Sequence[Route], **limits: Any) -> Starlette:
        """Return the ASGI application of these routes, with styles, scripts and errors. limits: of bodies."""
        handlers: Mapping[Any, Any] = {HTTPException: self.refuse, SQLAlchemyError: self.cannot_store, 500: self.fail}
        return Starlette(
            routes=[*routes, Route("/static/{name}", self.asset)],
            middleware=[Middleware(SecurityMiddleware, **limits)],
            exception_handlers=handlers,
        )

    def page(self, template: str, status: int = 200, headers: Headers = None, **values: object) -> HTMLResponse:
        """Render a template."""
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


def run_server(app: Any, listening: socket.socket, *, behind_proxy: bool) -> None:
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
