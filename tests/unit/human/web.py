"""A minimal HTTP client for the tests of the rating server. It keeps cookies and follows redirects."""

import asyncio
import json
import re
from typing import Any

import httpx

from tercet.human.campaign import Campaign
from tercet.human.server import create_app
from tercet.human.storage import Store
from tercet.rating_report import report_page


class Client:
    """Send requests to an ASGI application without a network."""

    def __init__(self, app: Any, *, cookies: Any = None, raise_errors: bool = True) -> None:
        self.app = app
        self.cookies = httpx.Cookies(cookies)
        self._raise_errors = raise_errors

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        async def run() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=self._raise_errors)
            base = "http://127.0.0.1:8000"
            async with httpx.AsyncClient(transport=transport, base_url=base, cookies=self.cookies) as client:
                answer = await client.request(method, path, **{"follow_redirects": True, **options})
                self.cookies = client.cookies
                return answer

        return asyncio.run(run())

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self.request("POST", path, **options)


class Visit:
    """A visitor of the server: a rater, if a personal link is given."""

    def __init__(self, campaign: Campaign, store: Store, link: str = "") -> None:
        self.client = Client(create_app(campaign, store, report=report_page))
        self.key = ""
        if link:
            self.client.get(link)
            self.page()

    def page(self) -> dict[str, Any]:
        """Return the data of the rating page's script."""
        text = self.client.get("/rate?look").text
        found = re.search(r'<script id="data" type="application/json">(.*)</script>', text)
        assert found is not None, text
        data: dict[str, Any] = json.loads(found[1])
        self.key = data["key"]
        return data

    def send(self, item: str, answer: Any, request: str = "0123456789abcdef", **changes: Any) -> httpx.Response:
        body = {"request": request, "item": item, "answer": answer, "seconds": 2.5, **changes}
        return self.client.post("/api/answer", json=body, headers={"X-Form-Key": self.key})
