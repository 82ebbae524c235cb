"""The limit of a cached page: a bare WSGI function that returns the bytes of the file named in BENCHMARK_PAGE."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

django.setup()  # the server's configuration checks the settings
_CONTENT = Path(os.environ["BENCHMARK_PAGE"]).read_bytes()
_HEADERS = [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(_CONTENT)))]


def application(_environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    start_response("200 OK", _HEADERS)
    return [_CONTENT]
