"""An office behind HTTP, as a running one answers: one use-case a request, a token on each."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from waypost.errors import WaypostError
from waypost.office import Office
from waypost.office.calls import call


@contextmanager
def served(office: Office) -> Iterator[str]:
    """Serve an office on a free port; gives its address."""

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            given = json.loads(self.rfile.read(size))
            token = self.headers["Authorization"].removeprefix("Bearer ")
            try:
                caller = office.authenticate(token, "http")
                name = self.path.removeprefix("/api/call/")
                self.tell(200, call(office, name, caller, given))
            except WaypostError as error:
                self.tell(401 if error.code == "not_authorized" else 400, error.to_json())

        def tell(self, status: int, value: object) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
