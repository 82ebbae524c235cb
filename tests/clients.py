"""Client of the API for tests."""

import json

from django.test import Client

from tools.openapi.error_codes import ERROR_CODES


class ApiClient(Client):
    """Sends JSON bodies, and the API key if it has one.

    A bug in a view returns status 500, as real clients would see it, instead of raising an exception in the test. Every
    error response must match the table of error codes, regardless of the subject of the test.
    """

    def __init__(self, token=None, **options):
        self.token = token
        headers = {"X-SS-API-KEY": token} if token else {}
        super().__init__(headers=headers, raise_request_exception=False, **options)

    def get(self, path, **options):
        return self._send("GET", path, None, **options)

    def post(self, path, json_body=None, **options):
        return self._send("POST", path, json_body, **options)

    def put(self, path, json_body=None, **options):
        return self._send("PUT", path, json_body, **options)

    def delete(self, path, json_body=None, **options):
        return self._send("DELETE", path, json_body, **options)

    def send(self, method, path, body=b"", content_type="application/json", **options):
        """Send a request with exactly these bytes as its body."""
        return self.generic(method, path, body, content_type, **options)

    def generic(self, method, path, *arguments, **options):
        """Send a request as Django's client does, and check an error response against the table of codes."""
        response = super().generic(method, path, *arguments, **options)
        if path.startswith("/api/") and response.status_code >= 400 and method != "HEAD":
            known = ERROR_CODES[response.json()["code"]]
            assert response.status_code in known.statuses, response.content
        return response

    def _send(self, method, path, json_body, **options):
        body = b"" if json_body is None else json.dumps(json_body).encode()
        return self.send(method, path, body, **options)
