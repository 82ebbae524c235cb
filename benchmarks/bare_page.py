"""The limit of a cached page: a bare WSGI function that returns the response in the file named in BENCHMARK_PAGE."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

django.setup()  # the server's configuration checks the settings
_head, _, _CONTENT = Path(os.environ["BENCHMARK_PAGE"]).read_bytes().partition(b"\n")
_HEADERS = [(name, value) for name, value in json.loads(_head)]


def application(_environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    start_response("200 OK", _HEADERS)
    return [_CONTENT]
