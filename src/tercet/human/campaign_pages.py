"""The pages of one campaign, for raters, the organiser and readers of results. All state is in the database."""

import asyncio
import json
import secrets
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any, Protocol

from ..errors import DataError, MissingDependency
from .answers import NotYours, items_of, language_name, language_names, page_data, read_answer, shown_answers
from .campaign import TOKEN_BYTES, Campaign, Rater, hashed
from .campaign_json import content_of
from .dashboard import Dashboard, compute
from .export import texts_as
from .guidelines import guidelines_of
from .protocols import ANCHORS, SEVERITIES
from .results import Results, judged_texts, results_of
from .storage import ORGANISER, VIEWER, Store, StoredRecord
from .web_pages import LoginLimiter, Pages, address_of, check_form_key, form_key, form_of, keep_token

try:
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import JSONResponse, RedirectResponse, Response
    from starlette.routing import Route
except ImportError:
    raise MissingDependency("The rating server", "web") from None


class Report(Protocol):
    """The results as a self-contained HTML page; and their sections, for the pages of the server."""

    def __call__(self, campaign: Campaign, records: Sequence[StoredRecord]) -> str: ...
    def sections(self, campaign: Campaign, numbers: Dashboard, scored: Results | None, *, names: bool) -> str: ...


REPORT = "report.html"
SLOW = 1.0  # seconds
DOWNLOADS = {
    "judgements.tsv": "text/tab-separated-values; charset=utf-8",
    "judgements.json": "application/json",
    "judgements.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "campaign.json": "application/json",
    REPORT: "text/html; charset=utf-8",
}
RATER = ""
ROLES = {"r": RATER, "o": ORGANISER, "v": VIEWER}  # by the first part of a link
HOMES = {RATER: "/rate", ORGANISER: "/organiser", VIEWER: "/results"}  # the first page of each role
REFUSALS = {
    RATER: "This link is not valid. Ask the organiser for a new one.",
    ORGANISER: "This is not the organiser's secret.",
    VIEWER: "This link is not valid. Ask for a new one.",
}


async def role_and_token(request: Request, base: str) -> tuple[str, str]:
    """Return the role that a link is for, and its token; or the organiser's secret that was typed into a form."""
    token = request.path_params.get("token") or (await form_of(request)).get("secret", "").strip()
    return ROLES.get(request.url.path.removeprefix(base).split("/")[1], ORGANISER), token


class CampaignPages(Pages):
    """The handlers of one campaign; database access runs in threads. report: makes the results; None: no results."""

    def __init__(
        self,
        campaign: Campaign,
        store: Store,
        address: str,
        limiter: LoginLimiter,
        *,
        base: str = "",
        report: Report | None = None,
    ) -> None:
        super().__init__(base, limiter)
        self.campaign, self.store, self.report = campaign, store, report
        self.address = address  # not that of a request: its Host header may say anything
        mark = hashed(campaign.id)[:8]  # browsers share cookies between ports, so each campaign needs its own names
        names = {RATER: "tercet", ORGANISER: "tercet-organiser", VIEWER: "tercet-view"}
        self.cookies = {role: f"{name}-{mark}" for role, name in names.items()}
        self._next = 0.0  # the earliest time at which numbers are computed again
        self._computing = asyncio.Lock()  # requests for the dashboard wait here and not in a thread
        self._computed: tuple[int, Dashboard, Results | None] | None = None

    def campaign_app(self) -> Starlette:
        return self.app(
            [
                Route("/", self.welcome),
                *(Route(f"/{first}/{{token}}", self.enter) for first in ROLES),
                Route("/rate", self.rate),
                Route("/finish", self.finish),
                Route("/api/answers", self.answers),
                Route("/api/answer", self.save, methods=["POST"]),
                Route("/organiser", self.dashboard),
                Route("/organiser/enter", self.enter, methods=["POST"]),
                Route("/organiser/links", self.change_link, methods=["POST"]),
                Route("/organiser/view", self.new_view, methods=["POST"]),
                Route("/organiser/download/{name}", self.download),
                Route("/results", self.view),
            ]
        )

    async def welcome(self, request: Request) -> Response:
        return self.page("message.html", title=self.campaign.name, text="Please open your personal link to begin.")

    # Who is there

    async def valid(self, role: str) -> Mapping[str, str]:
        """Return who holds the tokens that are valid for a role, by their hashes."""
        held = await run_in_threadpool(self.store.tokens, self.campaign)
        return {token: who for token, who in held.items() if (who if who in (ORGANISER, VIEWER) else RATER) == role}

    async def check(self, request: Request, role: str, token: str | None = None) -> tuple[str, str]:
        """Return who holds a token, and the token: by default that of the cookie. Raises HTTP 401 if it is invalid."""
        token = request.cookies.get(self.cookies[role], "") if token is None else token
        if not token:
            asked = "The organiser's secret is needed." if role == ORGANISER else "Please open your personal link."
            raise HTTPException(401, asked)
        valid = await self.valid(role)
        if not self.limiter.check(address_of(request), token, valid.__contains__):
            raise HTTPException(401, REFUSALS[role])
        return valid[hashed(token)], token

    def log_in(self, request: Request, role: str, token: str) -> Response:
        """Store the token in a cookie, and redirect to a page whose address does not contain it."""
        answer = RedirectResponse(f"{self.base}{HOMES[role]}", 303)
        keep_token(request, answer, self.cookies[role], token)
        return answer

    async def enter(self, request: Request) -> Response:
        """Log in by a link, or by the organiser's secret typed into a form."""
        role, token = await role_and_token(request, self.base)
        await self.check(request, role, token)
        return self.log_in(request, role, token)

    async def _work(self, request: Request) -> tuple[Rater, Mapping[str, object], str]:
        """Return the rater who asks, the rater's answers, and the token."""
        name, token = await self.check(request, RATER)
        return self.campaign.rater(name), await run_in_threadpool(self.store.latest, name), token

    # Raters

    async def rate(self, request: Request) -> Response:
        rater, answers, token = await self._work(request)
        items = items_of(self.campaign, rater)
        if "look" not in request.query_params and all(item.id in answers for item in items):
            return RedirectResponse(f"{self.base}/finish", 303)
        key = form_key(token, self.campaign.id)
        return self.page(
            "rate.html",
            title=self.campaign.name,
            campaign=self.campaign,
            how=self.campaign.how,
            anchors=ANCHORS,
            definitions=SEVERITIES,
            guidelines=guidelines_of(self.campaign),
            source_language=language_name(self.campaign.pair.partition("-")[0]),
            target_language=language_name(self.campaign.pair.partition("-")[2]),
            letters="ABCDE"[: max(len(item.outputs) for item in items)] if items else "A",
            data=page_data(self.campaign, rater, answers, base=self.base, key=key, version=self.version),
        )

    async def finish(self, request: Request) -> Response:
        rater, answers, _ = await self._work(request)
        items = [item for item in items_of(self.campaign, rater) if item.check != "tutorial"]
        done = sum(item.id in answers for item in items)
        return self.page("finish.html", title=self.campaign.name, done=done, total=len(items))

    async def answers(self, request: Request) -> Response:
        rater, answers, _ = await self._work(request)
        return JSONResponse(shown_answers(self.campaign, rater, answers))

    async def save(self, request: Request) -> Response:
        name, token = await self.check(request, RATER)
        check_form_key(request, request.headers.get("x-form-key", ""), token, self.campaign.id)
        try:
            values = read_answer(self.campaign, self.campaign.rater(name), await request.body())
            appended = await run_in_threadpool(self.store.append, rater=name, **values)
        except DataError as error:
            raise HTTPException(403 if isinstance(error, NotYours) else 422, str(error)) from None
        return JSONResponse({"saved": appended.number, "again": appended.again})

    # The organiser

    async def dashboard(self, request: Request) -> Response:
        try:
            _, token = await self.check(request, ORGANISER)
        except HTTPException as error:  # no cookie, or that of an older secret
            return self.page("organiser_enter.html", error.status_code, title="Organiser")
        return await self._dashboard(token)

    async def _checked_form(self, request: Request) -> tuple[str, dict[str, str]]:
        """Return the organiser's secret and the form that the organiser's page sent."""
        _, token = await self.check(request, ORGANISER)
        form = await form_of(request)
        check_form_key(request, form.get("key", ""), token, self.campaign.id)
        return token, form

    async def _issue(self, who: str) -> str:
        new = secrets.token_urlsafe(TOKEN_BYTES)
        await run_in_threadpool(self.store.issue, who, hashed(new))
        return new

    async def new_view(self, request: Request) -> Response:
        """Create a link to the results for people who only read them. It is shown once."""
        token, _ = await self._checked_form(request)
        return await self._dashboard(token, view=f"{self.address}/v/{await self._issue(VIEWER)}")

    async def change_link(self, request: Request) -> Response:
        """Revoke a rater's links, and create a new one if requested, which is shown only once."""
        token, form = await self._checked_form(request)
        name, action = form.get("rater", ""), form.get("action")
        if name not in {rater.name for rater in self.campaign.raters} or action not in ("revoke", "renew"):
            raise HTTPException(400, "There is no such rater or action.")
        valid = await run_in_threadpool(self.store.tokens, self.campaign)
        await run_in_threadpool(self.store.revoke, name, [key for key, rater in valid.items() if rater == name])
        if action == "revoke":
            return RedirectResponse(f"{self.base}/organiser", 303)
        return await self._dashboard(token, rater=name, link=f"{self.address}/r/{await self._issue(name)}")

    async def download(self, request: Request) -> Response:
        """Send the judgements with their texts, the report or the campaign as a file."""
        await self.check(request, ORGANISER)
        name = request.path_params["name"]
        if name not in DOWNLOADS or (name == REPORT and self.report is None):
            raise HTTPException(404)
        try:
            content = await run_in_threadpool(self._file, name)
        except DataError as error:  # answers do not fit the campaign because its file was changed
            raise HTTPException(409, str(error)) from None
        attached = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return Response(content, media_type=DOWNLOADS[name], headers=attached)

    def _file(self, name: str) -> bytes:
        if name == REPORT and self.report is not None:
            return self.report(self.campaign, list(self.store.records())).encode("utf-8", "replace")
        if name == "campaign.json":
            return json.dumps(content_of(self.campaign), ensure_ascii=False, indent=1).encode()
        records = judged_texts(self.campaign, self.store.rows())
        return texts_as(name.rpartition(".")[2], records, self.campaign.name)

    # Readers of the results

    async def view(self, request: Request) -> Response:
        await self.check(request, VIEWER)
        numbers, results, _ = await self._numbers()
        return self.page(
            "view.html", title=f"{self.campaign.name}: results", campaign=self.campaign, numbers=numbers,
            results=self._sections(numbers, results, False), languages=language_names(self.campaign.pair),
        )  # fmt: skip

    # Numbers

    async def _numbers(self) -> tuple[Dashboard, Results | None, Mapping[str, str]]:
        try:
            async with self._computing:
                return await run_in_threadpool(self._compute)
        except DataError as error:  # answers do not fit the campaign because its file was changed
            raise HTTPException(409, str(error)) from None

    async def _dashboard(self, token: str, *, rater: str = "", link: str = "", view: str = "") -> Response:
        numbers, results, valid = await self._numbers()
        return self.page(
            "organiser.html", title=f"{self.campaign.name}: organiser", campaign=self.campaign, numbers=numbers,
            open=set(valid.values()), key=form_key(token, self.campaign.id),
            results=self._sections(numbers, results, True), report=self.report is not None,
            languages=language_names(self.campaign.pair), new_rater=rater, new_link=link, view_link=view,
        )  # fmt: skip

    def _sections(self, numbers: Dashboard, results: Results | None, names: bool) -> str:
        if self.report is None or not numbers.done:
            return ""
        return self.report.sections(self.campaign, numbers, results, names=names)

    def _compute(self) -> tuple[Dashboard, Results | None, Mapping[str, str]]:
        """Return dashboard, results and tokens: after new answers, but not often if it takes long."""
        last, begun = self.store.last_number(), monotonic()
        if self._computed is None or (self._computed[0] != last and begun >= self._next):
            records = list(self.store.records())
            self._computed = last, compute(self.campaign, records), results_of(self.campaign, records)
            took = monotonic() - begun
            self._next = monotonic() + (10 * took if took > SLOW else 0)
        return *self._computed[1:], self.store.tokens(self.campaign)

    async def progress(self) -> dict[str, Any]:
        judged = await run_in_threadpool(self.store.judged)
        mine = {rater.name: set(rater.items) for rater in self.campaign.raters}
        done = {name: judged.get(name, {}).keys() & items for name, items in mine.items()}
        times = [judged[name][item] for name, items in done.items() for item in items]
        return {
            "campaign": self.campaign,
            "base": self.base,
            "languages": language_names(self.campaign.pair),
            "done": sum(map(len, done.values())),
            "total": sum(map(len, mine.values())),
            "begun": sum(map(bool, done.values())),
            "last": max(times, default=""),
        }
