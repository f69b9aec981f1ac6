"""What the service says of itself: the OpenAPI description, made from the tasks' options; numbers for Prometheus."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ... import __version__
from ...options import Option
from .queueing import Queue
from .requests import TASKS, TEXTS, accepted, command_of

_KINDS = {"bool": "boolean", "int": "integer", "float": "number"}
_BODY = {"type": "object", "properties": {"error": {"type": "string"}}}
_ERRORS = {
    "400": "The request is wrong: an option, a name.",
    "401": "A token is missing or wrong.",
    "403": "The token is for something else.",
    "413": "The request is too large.",
    "422": "The texts cannot be evaluated, or a limit was reached.",
    "429": "The queue is full; Retry-After has the seconds to wait.",
}


@cache
def openapi() -> dict[str, object]:
    """Return the description of the service."""
    paths: dict[str, Any] = {f"/{task}": {"post": _operation(task)} for task in TASKS}
    identified = [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
    found = {"404": _said("There is no such job.")}
    paths["/jobs"] = {"get": {"summary": "The caller's jobs", "responses": {"200": _said("Jobs, the newest first.")}}}
    paths["/jobs/{id}"] = {
        "get": {"summary": "State and progress", "parameters": identified,
                "responses": {"200": _said("The job."), **found}},
        "delete": {"summary": "Cancel", "parameters": identified, "responses": {"200": _said("The job."), **found}},
    }  # fmt: skip
    paths["/jobs/{id}/result"] = {
        "get": {"summary": "The answer", "parameters": identified,
                "responses": {"200": _said("The answer."), "202": _said("It is not there yet."), **found}},
    }  # fmt: skip
    for path, summary in (("/healthz", "Whether the server works"), ("/metrics", "Numbers for Prometheus")):
        paths[path] = {"get": {"summary": summary, "responses": {"200": _said("Yes.")}}}
    schemes = {"token": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tercet", "version": __version__, "description": "Evaluation of machine translation."},
        "paths": paths,
        "components": {"securitySchemes": schemes, "schemas": {"Error": _BODY}},
        "security": [{"token": []}, {}],
    }


def _said(text: str) -> dict[str, object]:
    return {"description": text, "content": {"application/json": {}}}


def _operation(task: str) -> dict[str, object]:
    options = {each.name: _schema(each) for each in accepted(task)}
    texts = {"description": "Texts by name, which options name as files.", "type": "object",
             "additionalProperties": {"oneOf": [*_SEGMENTS, _BASE64]}}  # fmt: skip
    body = {"type": "object", "properties": {**options, "files": texts}, "additionalProperties": False}
    kinds = {"application/json": {"schema": body}, "multipart/form-data": {"schema": {"type": "object"}}}
    text = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    return {
        "summary": TASKS[task][2],
        "description": " ".join((command_of(task).run.__doc__ or "").partition("\b")[0].split()),
        "requestBody": {"required": True, "content": kinds},
        "responses": {
            "200": _said(f"What 'tercet {TASKS[task][1]} -f json' prints, or another form."),
            "202": _said("A job: Location has its address."),
            **{code: {"description": what, **text} for code, what in _ERRORS.items()},
        },
    }


_SEGMENTS: list[dict[str, Any]] = [
    {"type": "array", "items": {"type": "string"}, "description": "Segments."},
    {"type": "string", "description": "A text with a line for each segment."},
]
_BASE64 = {"type": "object", "properties": {"base64": {"type": "string"}}}


def _schema(option: Option) -> dict[str, object]:
    about = (option.help or option.about).replace("\n", " ")
    if option.name in TEXTS:
        inline = {"type": "object", "additionalProperties": {"oneOf": _SEGMENTS}}
        return {"description": about, "oneOf": [inline, {"type": "array", "items": {"type": "string"}},
                                                {"type": "string"}]}  # fmt: skip
    kinds = [_KINDS[kind] for kind in ("bool", "int", "float") if kind in option.kinds]
    one: dict[str, Any] = {"type": (kinds or ["string"]) if len(kinds) != 1 else kinds[0]}
    if option.choices is not None:
        one = {"enum": list(option.choices)}
    one |= {key: value for key, value in (("minimum", option.low), ("maximum", option.high)) if value is not None}
    found = {"type": "array", "items": one} if option.many else one
    simple = isinstance(option.default, str | int | float) and not option.required
    return found | {"description": about} | ({"default": option.default} if simple else {})


def prometheus(queue: Queue, answered: Mapping[tuple[str, int], int], seconds: Mapping[str, float]) -> str:
    """Return the numbers of a server in Prometheus' text form. answered: answers by task and status."""
    return "\n".join(_numbers(queue, answered, seconds)) + "\n"


def _numbers(queue: Queue, answered: Mapping[tuple[str, int], int], seconds: Mapping[str, float]) -> Iterator[str]:
    yield from ("# TYPE tercet_requests_total counter", *(
        f'tercet_requests_total{{task="{task}",status="{status}"}} {number}'
        for (task, status), number in sorted(answered.items())
    ))  # fmt: skip
    yield "# TYPE tercet_seconds_total counter"
    yield from (f'tercet_seconds_total{{task="{task}"}} {value:.3f}' for task, value in sorted(seconds.items()))
    running = sum(job.state == "running" for job in queue.jobs.values())
    for name, kind, value in (
        ("tercet_waiting", "gauge", len(queue.waiting)),
        ("tercet_running", "gauge", running),
        ("tercet_queue_limit", "gauge", queue.limits.queue),
        ("tercet_encoded_together_total", "counter", queue.batched),
        ("tercet_worker_restarts_total", "counter", sum(worker.restarts for worker in queue.workers)),
        ("tercet_worker_memory_bytes", "gauge", sum(worker.memory() for worker in queue.workers)),
    ):
        yield f"# TYPE {name} {kind}"
        yield f"{name} {value}"
