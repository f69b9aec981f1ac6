"""A chat endpoint on this computer for tests of `judge`: it answers as told, and keeps what it was asked."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = str | int | dict[str, Any] | float  # the text of an answer, an error's code, a whole body, or seconds to wait


class ChatServer:
    """answer: called with the prompt and the number of the request (from 0); returns a `Reply`."""

    def __init__(self, answer: Callable[[str, int], Reply]) -> None:
        self.answer = answer
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self.address = ""

    def reply(self, body: dict[str, Any]) -> Reply:
        with self.lock:
            number = len(self.requests)
            self.requests.append(body)
        return self.answer(body["messages"][0]["content"], number)


@contextmanager
def serving(answer: Callable[[str, int], Reply]) -> Iterator[ChatServer]:
    """Serve on a free port until the block ends."""
    chat = ChatServer(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            chat.headers.append(dict(self.headers))
            reply = chat.reply(body)
            if isinstance(reply, float):
                time.sleep(reply)
                reply = "50"
            if isinstance(reply, str):
                usage = {"prompt_tokens": 100, "completion_tokens": 10}
                reply = {"choices": [{"message": {"role": "assistant", "content": reply}}], "usage": usage}
            code = reply if isinstance(reply, int) else 200
            said = {"error": {"message": f"code {reply}"}} if isinstance(reply, int) else reply
            data = said.pop("raw", None) if isinstance(said, dict) else None
            data = json.dumps(said).encode() if data is None else data.encode()
            try:
                self.send_response(code)
                if 300 <= code < 400:
                    self.send_header("Location", "http://localhost:1/elsewhere")
                if code == 429:
                    self.send_header("Retry-After", "0")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:  # the client has gone
                pass

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    chat.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield chat
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
