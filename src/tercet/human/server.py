"""The rating server: serve one or several campaigns to raters and organisers over HTTP (Starlette).

With several campaigns, the pages of each have a prefix, such as /c/news. Links have none: a token belongs to one
campaign, and leads there. An organiser sees an overview of the campaigns whose links they have opened.
"""

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from secrets import token_urlsafe

from ..errors import DataError, MissingDependency, UsageError
from .campaign import TOKEN_BYTES, Campaign, Tokens, hashed
from .campaign_pages import REFUSALS, ROLES, CampaignPages, Report, role_and_token
from .storage import ORGANISER, Store, open_store
from .web_pages import LoginLimiter, Pages, address_of, keep_token

try:
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import RedirectResponse, Response
    from starlette.routing import Mount, Route
except ImportError:
    raise MissingDependency("The rating server", "web") from None


def create_app(
    campaign: Campaign, store: Store, *, address: str = "http://127.0.0.1:8000", report: Report | None = None
) -> Starlette:
    """Return the ASGI application of one campaign. address: the server's, for new links."""
    return CampaignPages(campaign, store, address, LoginLimiter(), report=report).campaign_app()


def create_site(
    names: Sequence[str],
    campaigns: Sequence[Campaign],
    stores: Sequence[Store],
    *,
    address: str = "http://127.0.0.1:8000",
    report: Report | None = None,
) -> Starlette:
    """Return the ASGI application of several campaigns. names: of their pages, which begin with /c/NAME."""
    limiter = LoginLimiter()
    parts = [
        CampaignPages(campaign, store, address, limiter, base=f"/c/{name}", report=report)
        for name, campaign, store in zip(names, campaigns, stores, strict=True)
    ]
    mounts = [Mount(part.base, app=part.campaign_app()) for part in parts]
    return Starlette(routes=[*mounts, Mount("/", app=_Front(parts, limiter).front_app())])


def read_campaigns(paths: Sequence[str | Path]) -> list[Campaign]:
    """Read the campaigns of one server. Raises DataError if two of them have the same id: answers would be mixed."""
    if not paths:
        raise UsageError("There is no campaign to serve.")
    read = [Campaign.read(path) for path in paths]
    known: dict[str, str | Path] = {}
    for path, campaign in zip(paths, read, strict=True):
        if campaign.id in known:
            raise DataError(f"{known[campaign.id]} and {path} are the same campaign: both have the id {campaign.id!r}.")
        known[campaign.id] = path
    return read


def names_of(paths: Sequence[str | Path]) -> list[str]:
    """Return a name for the pages of each campaign, from the names of the files: letters, digits, '.', '_' and '-'."""
    names: list[str] = []
    for path in paths:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(path).name.removesuffix(".json")).strip("-.") or "campaign"
        number, name = 1, plain
        while name in names:
            number += 1
            name = f"{plain}-{number}"
        names.append(name)
    return names


def complete_links(paths: Sequence[Path], campaigns: Sequence[Campaign]) -> list[tuple[Campaign, Tokens]]:
    """Give tokens to raters and organisers without one, in the files too; return the campaigns with the new ones."""
    made, secret = [], token_urlsafe(TOKEN_BYTES)
    for path, campaign in zip(paths, campaigns, strict=True):
        lacking, tokens = [rater.name for rater in campaign.raters if not rater.token_hash], Tokens({}, "")
        if lacking or not campaign.organiser_hash:
            campaign, tokens = campaign.with_tokens(lacking, organiser=not campaign.organiser_hash, secret=secret)
            campaign.write(path)
        made.append((campaign, tokens))
    return made


def renew_links(
    paths: Sequence[Path], campaigns: Sequence[Campaign], database: str | Path | None
) -> list[tuple[Campaign, Tokens]]:
    """Revoke all links and create new ones, in the files and in the databases, which a running server reads."""
    made, secret = [], token_urlsafe(TOKEN_BYTES)
    for path, campaign in zip(paths, campaigns, strict=True):
        with closing(open_store(path, campaign, database, shared=len(paths) > 1)) as store:
            for token_hash, who in store.tokens(campaign).items():
                store.revoke(who, [token_hash])
            campaign, tokens = campaign.with_tokens(secret=secret)
            campaign.write(path)
            for name, token in tokens.raters.items():
                store.issue(name, hashed(token))
            store.issue(ORGANISER, hashed(tokens.organiser))
        made.append((campaign, tokens))
    return made


class _Front(Pages):
    """The pages of a server with several campaigns that belong to none of them: links, and the overview."""

    def __init__(self, parts: Sequence[CampaignPages], limiter: LoginLimiter) -> None:
        super().__init__("", limiter)
        self.parts = parts

    def front_app(self) -> Starlette:
        return self.app(
            [
                Route("/", self.welcome),
                Route("/organiser", self.overview),
                Route("/organiser/enter", self.enter, methods=["POST"]),
                *(Route(f"/{first}/{{token}}", self.enter) for first in ROLES),
            ]
        )

    async def welcome(self, request: Request) -> Response:
        return self.page("message.html", title="Tercet", text="Please open your personal link to begin.")

    async def enter(self, request: Request) -> Response:
        """Lead to the campaign that a token belongs to. An organiser's secret may be that of several campaigns."""
        role, token = await role_and_token(request, "")
        valid = {part.base: await part.valid(role) for part in self.parts}
        every: frozenset[str] = frozenset().union(*valid.values())
        if not self.limiter.check(address_of(request), token, every.__contains__):
            raise HTTPException(401, REFUSALS[role])
        own = [part for part in self.parts if hashed(token) in valid[part.base]]
        to_overview = role == ORGANISER and len(own) > 1
        answer = RedirectResponse("/organiser", 303) if to_overview else own[0].log_in(request, role, token)
        for part in own:
            keep_token(request, answer, part.cookies[role], token)
        return answer

    async def overview(self, request: Request) -> Response:
        """Show the progress of the campaigns whose organiser's secret the browser has."""
        own = [part for part in self.parts if await self._organises(request, part)]
        if not own:
            return self.page("organiser_enter.html", 401, title="Organiser")
        lines = [await part.progress() for part in own]
        return self.page("overview.html", title="Campaigns", lines=lines, others=len(self.parts) - len(own))

    async def _organises(self, request: Request, part: CampaignPages) -> bool:
        token = request.cookies.get(part.cookies[ORGANISER], "")
        return bool(token) and hashed(token) in await part.valid(ORGANISER)
