"""One HTTP request to a service that may be hostile: a deadline for the whole, and a limit on everything it sends.

Only the given address is contacted: redirects are not followed and proxies of the environment are not used.
"""

import io
import socket
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPMessage, HTTPSConnection
from threading import Event
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

LARGEST = 8 << 20  # bytes of an answer, its headers included
TOO_LONG = f"the answer is longer than {LARGEST >> 20} MB"


class Response(NamedTuple):
    """What a service answered."""

    code: int
    reason: str
    headers: HTTPMessage
    body: bytes


class Requests:
    """Requests that are on their way. `stop` ends them from another thread. ended: that nothing more is to be sent."""

    def __init__(self) -> None:
        self._open: set[socket.socket] = set()
        self.ended = Event()

    def post(self, address: str, body: bytes, headers: Mapping[str, str], *, timeout: float) -> Response:
        """Send a request and return the answer. Raises TimeoutError, OSError or HTTPException."""
        place = urlsplit(address)
        kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
        deadline = monotonic() + timeout
        connection = kind(place.hostname or "", place.port, timeout=timeout)
        connection.connect()
        opened: socket.socket = connection.sock
        self._open.add(opened)
        try:
            connection.sock = _Bounded(opened, deadline)
            connection.request("POST", place.path, body, dict(headers))
            response = connection.getresponse()
            return Response(response.status, response.reason, response.headers, response.read())
        finally:
            self._open.discard(opened)
            opened.close()

    def stop(self) -> None:
        self.ended.set()
        for opened in list(self._open):
            try:
                opened.shutdown(socket.SHUT_RDWR)
            except OSError:  # it has ended by itself
                continue


class _Bounded:
    """A socket with a deadline and a limit on what it receives, for `http.client`."""

    def __init__(self, opened: socket.socket, deadline: float) -> None:
        self.opened, self.deadline, self.received = opened, deadline, 0

    def sendall(self, data: bytes) -> None:
        self.limit_time()
        self.opened.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return _Buffered(_Reader(self))

    def close(self) -> None:
        """Do nothing: the answer is still to be read. `Requests.post` closes the socket."""

    def receive(self, buffer: Any) -> int:
        self.limit_time()
        got = self.opened.recv_into(buffer)
        self.received += got
        if self.received > LARGEST:
            raise OSError(TOO_LONG)
        return got

    def limit_time(self) -> None:
        left = self.deadline - monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self.opened.settimeout(left)


class _Buffered(io.BufferedReader):
    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LARGEST:  # a length that the service claims would be allocated at once
            raise OSError(TOO_LONG)
        return super().read(size)


class _Reader(io.RawIOBase):
    def __init__(self, source: _Bounded) -> None:
        self.source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        return self.source.receive(buffer)
