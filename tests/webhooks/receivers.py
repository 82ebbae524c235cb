"""Receivers of webhooks on the loopback, in threads of the test."""

import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver:
    """Keeps the requests it gets (methods and paths in `lines`), and responds with `status` and `body`, or as `respond`
    does."""

    def __init__(self):
        self.requests, self.lines = [], []
        self.status, self.body, self.headers = 204, b"", {}
        self.respond = None

    def names(self):
        return [body["type"] for _, body in self.messages()]

    def messages(self):
        import json

        return [(headers["webhook-id"], json.loads(body)) for headers, body in self.requests]


@contextmanager
def receiving(address="127.0.0.1"):
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            receiver.lines.append(f"{self.command} {self.path}")
            receiver.requests.append(({name.lower(): value for name, value in self.headers.items()}, body))
            if receiver.respond is not None:
                receiver.respond(self, body)
                return
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            if receiver.status not in (204, 304):
                self.send_header("Content-Length", str(len(receiver.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(receiver.body)

        do_GET = do_HEAD = do_POST

        def log_message(self, *arguments):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *arguments):
            pass  # the sender hangs up on some

    server = Server((address, 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    receiver.port = server.server_address[1]
    receiver.url = f"http://{address}:{receiver.port}/hook?from=cms"
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def silent():
    """The port of a receiver that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]
