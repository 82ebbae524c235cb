"""A mail server on loopback that keeps what it is sent."""

import socketserver
import threading
from contextlib import contextmanager
from email import message_from_bytes, policy


class MailServer(socketserver.ThreadingTCPServer):
    """Refuses recipients that begin with `refused`."""

    allow_reuse_address = daemon_threads = True

    def __init__(self):
        self.messages = []
        super().__init__(("127.0.0.1", 0), _Session)

    @property
    def port(self):
        return self.server_address[1]


class _Session(socketserver.StreamRequestHandler):
    def handle(self):
        self._say("220 ready")
        for line in self.rfile:
            command = line.strip().upper()
            if command.startswith(b"QUIT"):
                self._say("221 bye")
                return
            if command.startswith(b"RCPT TO:<REFUSED"):
                self._say("550 no such mailbox")
            elif command == b"DATA":
                self._say("354 go on")
                lines = iter(self.rfile.readline, b".\r\n")
                message = b"".join(line.removeprefix(b".") if line.startswith(b"..") else line for line in lines)
                self.server.messages.append(message_from_bytes(message, policy=policy.default))
                self._say("250 kept")
            else:
                self._say("250 fine")

    def _say(self, text):
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def mail_server():
    with MailServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
