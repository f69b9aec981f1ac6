"""The rating server: serve pages to raters and the organiser over HTTP (Starlette), and save answers in a `Store`.

One process serves one campaign. All state is in the database: a server that was killed at any moment continues after
a restart.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from .. import __version__
from ..errors import DataError, MissingDependency, UsageError
from .access import LoginLimiter, SecurityMiddleware, address_of, check_form_key, form_key
from .campaign import TOKEN_BYTES, Campaign, Rater, hashed
from .campaign_json import content_of
from .dashboard import Dashboard, compute
from .export import texts_as
from .judged_outputs import judged_texts
from .messages import NotYours, items_of, language_name, language_names, page_data, read_answer, shown_answers
from .protocols import ANCHORS, SEVERITIES
from .results import Results, results_of
from .storage import ORGANISER, VIEWER, Store, open_store

try:
    import jinja2
    import uvicorn
    from sqlalchemy.exc import SQLAlchemyError
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
    from starlette.routing import Route
except ImportError:
    raise MissingDependency("The rating server", "web") from None

log = logging.getLogger(__name__)

DOWNLOADS = {
    "judgements.tsv": "text/tab-separated-values; charset=utf-8",
    "judgements.json": "application/json",
    "judgements.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "campaign.json": "application/json",
}
ASSETS = {
    "icon.svg": "image/svg+xml",
    "style.css": "text/css",
    "rate.js": "text/javascript",
    "spans.js": "text/javascript",
}


def serve(
    campaign_path: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    database: str | Path | None = None,
    behind_proxy: bool = False,
    address: str | None = None,
    started: Callable[[str], None] | None = None,
) -> None:
    """Serve a campaign until interrupted.

    database: a file or a postgresql:// address; default: a file beside the campaign. behind_proxy: trust the client
    address and the scheme that a proxy on this machine reports. address: that by which raters reach the server, for new
    links; default: the one it listens on. started: called with this address when the server listens.
    """
    campaign = Campaign.read(campaign_path)
    store = open_store(campaign_path, campaign, database)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        store.close()
        why = error.strerror or error
        raise UsageError(f"Port {port} of {host} cannot be used: {why}. Choose another with --port.") from None
    shown = f"[{host}]" if ":" in host else host
    address = (address or f"http://{shown}:{listening.getsockname()[1]}").rstrip("/")
    config = uvicorn.Config(
        create_app(campaign, store, address=address),
        access_log=False,  # addresses contain tokens
        log_config=None,
        proxy_headers=behind_proxy,
        forwarded_allow_ips="127.0.0.1,::1",
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    try:
        if started is not None:
            started(address)
        with suppress(KeyboardInterrupt):  # Ctrl-C stops the server
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        listening.close()
        store.close()


def create_app(
    campaign: Campaign,
    store: Store,
    *,
    address: str = "http://127.0.0.1:8000",
    limiter: LoginLimiter | None = None,
) -> Starlette:
    """Return the ASGI application of a campaign. address: the server's, for new links."""
    server = _Server(campaign, store, address, limiter or LoginLimiter())
    routes = [
        Route("/", server.welcome),
        Route("/r/{token}", server.enter),
        Route("/rate", server.rate),
        Route("/finish", server.finish),
        Route("/api/answers", server.answers),
        Route("/api/answer", server.save, methods=["POST"]),
        Route("/o/{token}", server.enter_organiser),
        Route("/organiser", server.dashboard),
        Route("/organiser/enter", server.enter_organiser, methods=["POST"]),
        Route("/organiser/links", server.change_link, methods=["POST"]),
        Route("/organiser/view", server.new_view, methods=["POST"]),
        Route("/organiser/download/{name}", server.download),
        Route("/v/{token}", server.enter_view),
        Route("/results", server.view),
        Route("/static/{name}", server.asset),
    ]
    handlers: Mapping[Any, Any] = {HTTPException: server.refuse, SQLAlchemyError: server.cannot_store, 500: server.fail}
    return Starlette(routes=routes, middleware=[Middleware(SecurityMiddleware)], exception_handlers=handlers)


class _Server:
    """The handlers of all routes. Database access runs in threads, so that raters do not wait for each other."""

    def __init__(self, campaign: Campaign, store: Store, address: str, limiter: LoginLimiter) -> None:
        self.campaign = campaign
        self.address = address  # not that of a request: its Host header may say anything
        self.store = store
        self.limiter = limiter
        self.version = f"{__version__}-{_fingerprint()}"
        mark = hashed(campaign.id)[:8]  # browsers share cookies between ports, so each campaign needs its own names
        self.rater_cookie, self.organiser_cookie = f"tercet-{mark}", f"tercet-organiser-{mark}"
        self.view_cookie = f"tercet-view-{mark}"
        self._templates = jinja2.Environment(
            loader=jinja2.PackageLoader("tercet.human", "pages"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._computing = asyncio.Lock()  # requests for the dashboard wait here and not in a thread
        self._computed: tuple[int, Dashboard, Results | None] | None = None

    # Everybody

    async def welcome(self, request: Request) -> Response:
        return self._page("message.html", title=self.campaign.name, text="Please open your personal link to begin.")

    async def asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in ASSETS:
            raise HTTPException(404)
        content = files("tercet.human").joinpath("pages", name).read_bytes()
        return Response(content, media_type=ASSETS[name], headers={"Cache-Control": "public, max-age=31536000"})

    async def refuse(self, request: Request, error: HTTPException) -> Response:
        detail = error.detail if error.status_code != 404 else "There is no such page. Open your personal link again."
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": detail}, error.status_code, dict(error.headers or {}))
        page = self._page("message.html", title="Not possible", text=detail)
        page.status_code = error.status_code
        page.headers.update(error.headers or {})
        return page

    async def cannot_store(self, request: Request, error: SQLAlchemyError) -> Response:
        """Answer 503 if the disk is full or the database is not reachable. Pages keep their answers and try again."""
        log.error("The database cannot be used: %s", getattr(error, "orig", None) or type(error).__name__)
        return JSONResponse({"error": "The database cannot be used now. Nothing is lost. Please try again."}, 503)

    async def fail(self, request: Request, error: Exception) -> Response:
        # The log must not contain the address, which may hold a token.
        log.error("%s failed: %s", request.method, type(error).__name__)
        return JSONResponse({"error": "The server failed. Nothing is lost. Please try again."}, 500)

    # Raters

    async def enter(self, request: Request) -> Response:
        token = request.path_params["token"]
        await self._rater_of(request, token)
        return self._log_in(request, self.rater_cookie, token, "/rate")

    async def rate(self, request: Request) -> Response:
        rater, token = await self._visitor(request)
        answers = await run_in_threadpool(self.store.latest, rater.name)
        items = items_of(self.campaign, rater)
        if "look" not in request.query_params and all(item.id in answers for item in items):
            return RedirectResponse("/finish", 303)
        return self._page(
            "rate.html",
            title=self.campaign.name,
            campaign=self.campaign,
            how=self.campaign.how,
            anchors=ANCHORS,
            definitions=SEVERITIES,
            source_language=language_name(self.campaign.pair.partition("-")[0]),
            target_language=language_name(self.campaign.pair.partition("-")[2]),
            letters="ABCDE"[: max(len(item.outputs) for item in items)] if items else "A",
            data=page_data(self.campaign, rater, answers, key=form_key(token, self.campaign.id), version=self.version),
        )

    async def finish(self, request: Request) -> Response:
        rater, _ = await self._visitor(request)
        answers = await run_in_threadpool(self.store.latest, rater.name)
        items = [item for item in items_of(self.campaign, rater) if item.check != "tutorial"]
        done = sum(item.id in answers for item in items)
        return self._page("finish.html", title=self.campaign.name, done=done, total=len(items))

    async def answers(self, request: Request) -> Response:
        rater, _ = await self._visitor(request)
        answers = await run_in_threadpool(self.store.latest, rater.name)
        return JSONResponse(shown_answers(self.campaign, rater, answers))

    async def save(self, request: Request) -> Response:
        rater, token = await self._visitor(request)
        check_form_key(request, request.headers.get("x-form-key", ""), token, self.campaign.id)
        try:
            values = read_answer(self.campaign, rater, await request.body())
            appended = await run_in_threadpool(self.store.append, rater=rater.name, **values)
        except DataError as error:
            raise HTTPException(403 if isinstance(error, NotYours) else 422, str(error)) from None
        return JSONResponse({"saved": appended.number, "again": appended.again})

    # The organiser

    async def enter_organiser(self, request: Request) -> Response:
        token = request.path_params.get("token") or (await _form(request)).get("secret", "").strip()
        await self._check_organiser(request, token)
        return self._log_in(request, self.organiser_cookie, token, "/organiser")

    async def dashboard(self, request: Request) -> Response:
        token = request.cookies.get(self.organiser_cookie, "")
        if not token:
            page = self._page("organiser_enter.html", title="Organiser")
            page.status_code = 401
            return page
        try:
            await self._check_organiser(request, token)
        except HTTPException as error:  # the cookie of an older secret
            page = self._page("organiser_enter.html", title="Organiser")
            page.status_code = error.status_code
            return page
        return await self._dashboard(token)

    async def new_view(self, request: Request) -> Response:
        """Create a link to the results for people who only read them. It is shown once."""
        token = request.cookies.get(self.organiser_cookie, "")
        await self._check_organiser(request, token)
        check_form_key(request, (await _form(request)).get("key", ""), token, self.campaign.id)
        new = secrets.token_urlsafe(TOKEN_BYTES)
        await run_in_threadpool(self.store.issue, VIEWER, hashed(new))
        return await self._dashboard(token, view=f"{self.address}/v/{new}")

    async def download(self, request: Request) -> Response:
        """Send the judgements with their texts, or the campaign, as a file."""
        await self._check_organiser(request, request.cookies.get(self.organiser_cookie, ""))
        name = request.path_params["name"]
        if name not in DOWNLOADS:
            raise HTTPException(404)
        content = await run_in_threadpool(self._file, name)
        attached = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return Response(content, media_type=DOWNLOADS[name], headers=attached)

    def _file(self, name: str) -> bytes:
        if name == "campaign.json":
            return json.dumps(content_of(self.campaign), ensure_ascii=False, indent=1).encode()
        records = judged_texts(self.campaign, self.store.rows())
        return texts_as(name.rpartition(".")[2], records, self.campaign.name)

    # Readers of the results

    async def enter_view(self, request: Request) -> Response:
        token = request.path_params["token"]
        await self._check_viewer(request, token)
        return self._log_in(request, self.view_cookie, token, "/results")

    async def view(self, request: Request) -> Response:
        await self._check_viewer(request, request.cookies.get(self.view_cookie, ""))
        numbers, results, _ = await self._numbers()
        return self._page(
            "view.html", title=f"{self.campaign.name}: results", campaign=self.campaign, numbers=numbers,
            results=results, languages=language_names(self.campaign.pair),
        )  # fmt: skip

    async def _check_viewer(self, request: Request, token: str) -> None:
        valid = await run_in_threadpool(self.store.holders, VIEWER) if token else frozenset()
        if not token or not self.limiter.check(address_of(request), token, valid.__contains__):
            raise HTTPException(401, "This link is not valid. Ask for a new one.")

    async def change_link(self, request: Request) -> Response:
        """Revoke a rater's links, and create a new one if requested, which is shown only once."""
        token = request.cookies.get(self.organiser_cookie, "")
        await self._check_organiser(request, token)
        form = await _form(request)
        check_form_key(request, form.get("key", ""), token, self.campaign.id)
        name, action = form.get("rater", ""), form.get("action")
        if name not in {rater.name for rater in self.campaign.raters} or action not in ("revoke", "renew"):
            raise HTTPException(400, "There is no such rater or action.")
        valid = await run_in_threadpool(self.store.tokens, self.campaign)
        await run_in_threadpool(self.store.revoke, name, [key for key, rater in valid.items() if rater == name])
        if action == "revoke":
            return RedirectResponse("/organiser", 303)
        new = secrets.token_urlsafe(TOKEN_BYTES)
        await run_in_threadpool(self.store.issue, name, hashed(new))
        return await self._dashboard(token, rater=name, link=f"{self.address}/r/{new}")

    async def _numbers(self) -> tuple[Dashboard, Results | None, Mapping[str, str]]:
        try:
            async with self._computing:
                return await run_in_threadpool(self._compute)
        except DataError as error:  # answers do not fit the campaign because its file was changed
            raise HTTPException(409, str(error)) from None

    async def _dashboard(self, token: str, *, rater: str = "", link: str = "", view: str = "") -> Response:
        numbers, results, valid = await self._numbers()
        return self._page(
            "organiser.html",
            title=f"{self.campaign.name}: organiser",
            campaign=self.campaign,
            numbers=numbers,
            open=set(valid.values()),
            key=form_key(token, self.campaign.id),
            results=results,
            one_system=len({system for item in self.campaign.items for system in item.systems if not item.check}) < 2,
            languages=language_names(self.campaign.pair),
            new_rater=rater,
            new_link=link,
            view_link=view,
        )

    def _compute(self) -> tuple[Dashboard, Results | None, Mapping[str, str]]:
        """Return dashboard, results and valid tokens. Dashboard and results are computed only after new answers."""
        last = self.store.last_number()
        if self._computed is None or self._computed[0] != last:
            records = list(self.store.records())
            self._computed = last, compute(self.campaign, records), results_of(self.campaign, records)
        return *self._computed[1:], self.store.tokens(self.campaign)

    # Who is there

    async def _visitor(self, request: Request) -> tuple[Rater, str]:
        token = request.cookies.get(self.rater_cookie, "")
        return await self._rater_of(request, token), token

    async def _rater_of(self, request: Request, token: str) -> Rater:
        """Return the rater with this token. Raises HTTP 401 if the token is missing or wrong."""
        if not token:
            raise HTTPException(401, "Please open your personal link.")
        valid = await run_in_threadpool(self.store.tokens, self.campaign)
        if not self.limiter.check(address_of(request), token, valid.__contains__):
            raise HTTPException(401, "This link is not valid. Ask the organiser for a new one.")
        return self.campaign.rater(valid[hashed(token)])

    async def _check_organiser(self, request: Request, token: str) -> None:
        if not token:
            raise HTTPException(401, "The organiser's secret is needed.")
        known = set(await run_in_threadpool(self.store.holders, ORGANISER))
        if not await run_in_threadpool(self.store.is_revoked, self.campaign.organiser_hash):
            known.add(self.campaign.organiser_hash)
        if not self.limiter.check(address_of(request), token, known.__contains__):
            raise HTTPException(401, "This is not the organiser's secret.")

    def _log_in(self, request: Request, cookie: str, token: str, to: str) -> Response:
        """Store the token in a cookie, and redirect to a page whose address does not contain it."""
        answer = RedirectResponse(to, 303)
        secure = request.url.scheme == "https"
        answer.set_cookie(cookie, token, httponly=True, samesite="lax", secure=secure, path="/")
        return answer

    def _page(self, template: str, **values: Any) -> HTMLResponse:
        return HTMLResponse(self._templates.get_template(template).render(version=self.version, **values))


async def _form(request: Request) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs((await request.body()).decode("utf-8", "replace")).items()}


def _fingerprint() -> str:
    """Return a checksum of scripts and styles. It is part of their addresses, so that browsers load new versions."""
    pages = files("tercet.human").joinpath("pages")
    return hashed("".join(pages.joinpath(name).read_text("utf-8") for name in ASSETS))[:8]
