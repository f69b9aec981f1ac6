"""Who may ask for what: tokens with scopes in a file of hashes; without it, anybody on this computer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from ...errors import DataError, UnknownName, UsageError
from ...human.campaign import TOKEN_BYTES, hashed
from ...human.web_pages import LoginLimiter, address_of, check_origin
from .requests import TASKS

SCOPES = (*TASKS, "metrics", "all")
LOCAL = {"127.0.0.1", "localhost", "[::1]"}


@dataclass(frozen=True)
class Caller:
    """Whose token a request has. scopes: what it may ask for."""

    name: str
    scopes: tuple[str, ...]

    def may(self, scope: str) -> bool:
        return "all" in self.scopes or scope in self.scopes


ANYBODY = Caller("", ("all",))


def read_tokens(path: Path) -> dict[str, Caller]:
    """Return the holders of tokens by the hashes of these."""
    try:
        known: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return {entry["hash"]: Caller(name, tuple(entry["scopes"])) for name, entry in known.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise DataError(f"{path} is not a file of tokens. New ones are made with `new_token` NAME.") from None


def new_token(path: Path, name: str, scopes: Sequence[str]) -> str:
    """Make a token, keep its hash in the file, and return it. An older one of the same name becomes invalid."""
    from ...data.files import writing

    for scope in scopes:
        if scope not in SCOPES:
            raise UnknownName("scope", scope, SCOPES)
    if not name:
        raise UsageError("A token needs a name: that of the person or program that will use it.")
    read_tokens(path)  # a damaged file is not overwritten
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    token = token_urlsafe(TOKEN_BYTES)
    with writing(path) as stream:
        stream.write(json.dumps(known | {name: {"hash": hashed(token), "scopes": list(scopes)}}, indent=1) + "\n")
    path.chmod(0o600)
    return token


class Door:
    """Finds out who asks. tokens: the file; None if anybody may ask. The file is read again when it has changed."""

    def __init__(self, tokens: Path | None, limiter: LoginLimiter) -> None:
        self.path, self.limiter = tokens, limiter
        self._state: object = None
        self._known: dict[str, Caller] = {}

    def known(self) -> dict[str, Caller]:
        assert self.path is not None
        about = self.path.stat() if self.path.exists() else None
        state = about and (about.st_mtime_ns, about.st_size, about.st_ino)
        if state != self._state:
            self._known, self._state = read_tokens(self.path), state
        return self._known

    def caller(self, request: Request, scope: str | None, token: str | None = None) -> Caller:
        """Return who asks, or raise HTTPException. scope: None for any token. token: by default the header's."""
        check_origin(request)
        if self.path is None:
            host = request.headers.get("host", "")
            if (host if host.endswith("]") else host.rpartition(":")[0] or host) not in LOCAL:
                raise HTTPException(403, "Without tokens this server answers requests to 127.0.0.1 only.")
            return ANYBODY
        if token is None:
            kind, _, token = request.headers.get("authorization", "").partition(" ")
            token = token.strip() if kind.lower() == "bearer" else ""
        known = self.known()
        if not self.limiter.check(address_of(request), token, known.__contains__):
            header = {"WWW-Authenticate": "Bearer"}
            raise HTTPException(401, "A valid token is needed, in the header Authorization: Bearer TOKEN.", header)
        found = known[hashed(token)]
        if scope is not None and not found.may(scope):
            raise HTTPException(403, f"This token is not for {scope}. It is for: {', '.join(found.scopes)}.")
        return found
