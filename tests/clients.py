"""Clients of the API, as tests use them."""

import json

from django.test import Client

from cms_api.openapi.error_codes import ERROR_CODES


class ApiClient(Client):
    """Sends JSON bodies, and the key in its header when it has one.

    A bug in a view is answered as clients would see it (500), not raised in the test. Every error that it is answered
    has to be one of the table of codes, whatever the test is about.
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
        """A request whose body is these very bytes."""
        return self.generic(method, path, body, content_type, **options)

    def generic(self, method, path, *arguments, **options):
        """Django's, with a look at errors."""
        response = super().generic(method, path, *arguments, **options)
        if path.startswith("/api/") and response.status_code >= 400 and method != "HEAD":
            known = ERROR_CODES[response.json()["code"]]
            assert response.status_code in known.statuses, response.content
        return response

    def _send(self, method, path, json_body, **options):
        body = b"" if json_body is None else json.dumps(json_body).encode()
        return self.send(method, path, body, **options)
