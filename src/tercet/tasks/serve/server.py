"""The service: addresses, answers, jobs and the page with a form (Starlette)."""

import asyncio
import contextlib
import json
import logging
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

from ...errors import MissingDependency, UsageError

try:
    from anyio.to_thread import current_default_thread_limiter
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.requests import Request as HttpRequest
    from starlette.responses import JSONResponse, RedirectResponse, Response
    from starlette.routing import Route
except ImportError:
    raise MissingDependency("The service", "web") from None

from ... import __version__
from ...human.web_pages import LoginLimiter, Pages
from .callers import Caller, Door
from .describing import openapi, prometheus
from .queueing import QUEUED, RUNNING, Job, Limits, Queue
from .requests import TASKS, Allowed, Request, accepted, build, read_form, read_json
from .working import Answer

log = logging.getLogger(__name__)

ARCHIVE = "application/vnd.tercet.scores"  # what the client accepts: scores with their counts
LARGE = 1 << 20  # bytes of a request that becomes a job at once
THREADS = 4  # that read requests
WAIT = 20.0  # seconds that an answer is waited for before the request becomes a job
# A report is a page of its own, which runs only the scripts that it names and has no access to this site.
SANDBOX = "sandbox allow-scripts allow-downloads allow-popups; frame-ancestors 'none'; form-action 'none'"


class Service(Pages):
    """The handlers. tokens: the file of tokens; None if anybody may ask."""

    package: ClassVar[str] = "tercet.tasks.serve"

    def __init__(self, queue: Queue, tokens: Path | None, allowed: Allowed) -> None:
        super().__init__("", LoginLimiter())
        self.queue, self.allowed, self.door = queue, allowed, Door(tokens, self.limiter)
        self.answered: Counter[tuple[str, int]] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.pages: set[str] = set()  # ids of jobs that the form began

    def service_app(self) -> Starlette:
        """Return the ASGI application."""

        @contextlib.asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            # Requests are read in threads, so that a large one delays no other; each thread keeps memory of its own.
            current_default_thread_limiter().total_tokens = THREADS
            await self.queue.start()
            yield
            await self.queue.stop()

        routes = [
            Route("/", self.form),
            Route("/form", self.send_form, methods=["POST"]),
            Route("/form/{id}", self.form_result),
            *(Route(f"/{task}", self.post, methods=["POST"], name=task) for task in TASKS),
            Route("/jobs", self.list_jobs),
            Route("/jobs/{id}", self.job, methods=["GET", "DELETE"]),
            Route("/jobs/{id}/result", self.result),
            Route("/openapi.json", self.describe),
            Route("/healthz", self.health),
            Route("/metrics", self.numbers),
        ]
        app = self.app(routes, largest=self.queue.limits.size, admit=self.admit)
        app.router.lifespan_context = lifespan
        return app

    # --- requests -----------------------------------------------------------------

    def admit(self, request: HttpRequest) -> Response | None:
        """Refuse a request before its body is read: of strangers, and while the queue is full."""
        task = request.url.path[1:]
        if request.method != "POST" or task not in (*TASKS, "form"):
            return None
        try:
            if task != "form":  # its token is in the body
                self.door.caller(request, task)
            self.queue.check_room()
        except HTTPException as error:
            return self._count(task, JSONResponse({"error": error.detail}, error.status_code, error.headers))
        return None

    async def post(self, request: HttpRequest) -> Response:
        """Answer a request, or make it a job."""
        task = request.url.path[1:]
        try:
            return self._count(task, await self._answered(task, request))
        except UsageError as error:
            return self._count(task, JSONResponse({"error": str(error)}, 400))
        except HTTPException as error:
            return self._count(task, JSONResponse({"error": error.detail}, error.status_code, error.headers))

    async def _answered(self, task: str, request: HttpRequest) -> Response:
        caller = self.door.caller(request, task)
        kind, body = request.headers.get("content-type", ""), await request.body()
        archive = task == "score" and ARCHIVE in request.headers.get("accept", "")
        found = await run_in_threadpool(self._read, task, body, kind, archive=archive)
        job = await self._submit(found, caller, request)
        if job.answer is None:
            return JSONResponse(_about(job), 202, {"Location": f"/jobs/{job.id}", "Retry-After": "1"})
        self.queue.drop(job)
        return _response(job.answer)

    def _read(self, task: str, body: bytes, kind: str, *, archive: bool = False) -> Request:
        if kind.startswith("multipart/form-data"):
            options, files = read_form(task, body, kind)
        elif kind.partition(";")[0].strip() == "application/json":
            options, files = read_json(body)
        else:
            raise UsageError("The body must be application/json or multipart/form-data; Content-Type says which.")
        options.pop("token", None)
        return build(task, options, files, self.allowed, archive=archive)

    async def _submit(self, found: Request, caller: Caller, request: HttpRequest, wait: float = WAIT) -> Job:
        """Put a request into the queue and wait for the answer; what is large or takes long is kept as a job."""
        large = found.size > LARGE or "respond-async" in request.headers.get("prefer", "")
        job = await self.queue.submit(found, caller.name, keep=large)
        began = time.monotonic()
        if not large:
            ended, gone = asyncio.create_task(job.ended.wait()), asyncio.create_task(_gone(request))
            await asyncio.wait({ended, gone}, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
            if gone.done() and job.answer is None:
                self.queue.cancel(job)  # nobody would read the answer
            for task in (ended, gone):
                task.cancel()
            if job.answer is None:
                await self.queue.keep(job)
        self._log(found, caller, job, time.monotonic() - began)
        return job

    def _log(self, request: Request, caller: Caller, job: Job, waited: float) -> None:
        """Log what was asked, without any text."""
        answer = job.answer
        facts = {
            "task": request.task, "caller": caller.name, "bytes": request.size, "texts": len(request.files),
            "state": job.state, "status": answer.status if answer else 202,
            "seconds": round(answer.seconds if answer else 0.0, 3), "waited": round(waited, 3),
        }  # fmt: skip
        if answer is not None:
            self.seconds[request.task] += answer.seconds
        log.info("request", extra={"facts": facts})

    def _count(self, task: str, response: Response) -> Response:
        self.answered[task, response.status_code] += 1
        return response

    # --- jobs ---------------------------------------------------------------------

    def _find(self, request: HttpRequest, number: str) -> Job:
        found = self.queue.find(number, self.door.caller(request, None).name)
        if found is None:
            raise HTTPException(404, "There is no such job. Results are kept for a limited time.")
        return found

    async def list_jobs(self, request: HttpRequest) -> Response:
        return JSONResponse(list(map(_about, self.queue.of(self.door.caller(request, None).name))))

    async def job(self, request: HttpRequest) -> Response:
        found = self._find(request, request.path_params["id"])
        if request.method == "DELETE":
            self.queue.cancel(found)
        return JSONResponse(_about(found))

    async def result(self, request: HttpRequest) -> Response:
        found = self._find(request, request.path_params["id"])
        if found.answer is None:
            return JSONResponse(_about(found), 202, {"Retry-After": "1"})
        return _response(found.answer)

    # --- the page -----------------------------------------------------------------

    async def form(self, request: HttpRequest) -> Response:
        return self.page("form.html", title="Tercet", token=self.door.path is not None, tasks=TASKS)

    async def send_form(self, request: HttpRequest) -> Response:
        """Answer the form with the page that the command writes."""
        kind, body = request.headers.get("content-type", ""), await request.body()
        try:
            task, token = await run_in_threadpool(_form_facts, body, kind)
            caller = self.door.caller(request, task, token)
            found = await run_in_threadpool(self._read_form, task, body, kind)
            job = await self._submit(found, caller, request, wait=10.0)
        except UsageError as error:
            return self.said(request, "Not possible", str(error), 400)
        if job.answer is None:
            self.pages.add(job.id)
            return RedirectResponse(f"/form/{job.id}", 303)
        self.queue.drop(job)
        return self._page_of(request, job.answer)

    def _read_form(self, task: str, body: bytes, kind: str) -> Request:
        options, files = read_form(task, body, kind)
        if task == "qe":
            options |= {"output": options.get("outputs"), "languages": options.get("pair")}
        known = {each.name for each in accepted(task)}
        options = {name: value for name, value in options.items() if name in known and value is not None}
        return build(task, options | {"form": "html"}, files, self.allowed)

    async def form_result(self, request: HttpRequest) -> Response:
        """Show the answer of a job that the form began; whoever knows its id may see it."""
        number = request.path_params["id"]
        found = self.queue.find(number) if number in self.pages else None
        if found is None:
            raise HTTPException(404, "There is no such result. Results are kept for a limited time.")
        if found.answer is None:
            done, total = found.progress
            again = {"Refresh": "2"}
            return self.page("waiting.html", 200, again, title="Working", state=found.state, done=done, total=total)
        return self._page_of(request, found.answer)

    def _page_of(self, request: HttpRequest, answer: Answer) -> Response:
        if answer.status != 200:
            return self.said(request, "Not possible", json.loads(answer.body)["error"], answer.status)
        return Response(answer.body, media_type=answer.kind, headers={"Content-Security-Policy": SANDBOX})

    # --- the service --------------------------------------------------------------

    async def describe(self, request: HttpRequest) -> Response:
        return JSONResponse(await run_in_threadpool(openapi))

    async def health(self, request: HttpRequest) -> Response:
        alive = [worker for worker in self.queue.workers if worker.process.is_alive()]
        facts = {"status": "ok" if alive else "no workers", "version": __version__, "waiting": len(self.queue.waiting)}
        return JSONResponse(facts, 200 if alive else 503)

    async def numbers(self, request: HttpRequest) -> Response:
        self.door.caller(request, "metrics")
        text = prometheus(self.queue, self.answered, self.seconds)
        return Response(text, media_type="text/plain; version=0.0.4")

    async def refuse(self, request: HttpRequest, error: HTTPException) -> Response:
        detail = error.detail if error.detail != "Not Found" else "There is no such address. See /openapi.json."
        return self.said(request, "Not possible", detail, error.status_code, error.headers or {})

    def for_people(self, request: HttpRequest) -> bool:
        return request.url.path.startswith("/form")


def create_service(
    folder: Path,
    *,
    limits: Limits | None = None,
    cache: Path | None = None,
    tokens: Path | None = None,
    allowed: Allowed | None = None,
) -> Starlette:
    """Return the ASGI application. folder: for jobs and what workers write; cache: of counts, shared by all workers."""
    return Service(Queue(folder, cache, limits or Limits()), tokens, allowed or Allowed()).service_app()


async def _gone(request: HttpRequest) -> None:
    """Wait until the caller hangs up."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _response(answer: Answer) -> Response:
    """Return the answer of a worker; warnings and the exit code of the command are in headers."""
    headers = {"Tercet-Exit-Code": str(answer.code), "Tercet-Seconds": f"{answer.seconds:.3f}"}
    if answer.warnings:
        headers["Tercet-Warnings"] = json.dumps(list(answer.warnings[:10]))  # ASCII
    if answer.kind.startswith("text/html"):
        headers["Content-Security-Policy"] = SANDBOX
    return Response(answer.body, answer.status, headers, media_type=answer.kind)


def _about(job: Job) -> dict[str, object]:
    done, total = job.progress
    facts: dict[str, Any] = {"id": job.id, "state": job.state, "made": job.made, "task": job.request.task}
    if job.state in (QUEUED, RUNNING):
        facts["progress"] = {"done": done, "total": total}
    if job.answer is not None:
        facts |= {"status": job.answer.status, "seconds": job.answer.seconds, "warnings": list(job.answer.warnings)}
        facts["result"] = f"/jobs/{job.id}/result"
    return facts


def _form_facts(body: bytes, kind: str) -> tuple[str, str]:
    """Return the task and the token of a form."""
    options, _ = read_form("score", body, kind)
    task = options.get("task", "")
    if task not in TASKS:
        raise UsageError("The form does not say what to do.")
    return task, str(options.get("token", ""))
