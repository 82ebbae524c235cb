"""Builds the OpenAPI document with drf-spectacular from the descriptions of the apps.

drf-spectacular finds the views and collects the components. The operations come from the descriptions, since the API
does not parse and render JSON in DRF's own way.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import translation
from drf_spectacular.drainage import warn
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.settings import patched_settings

import accounts.openapi
import channels_app.openapi
import cms_api.openapi
import contents.openapi
import core.operation.openapi
import events.openapi
import forms.openapi
import media_library.folders_openapi
import media_library.openapi
import sites.openapi
import webhooks.openapi
from core import __version__
from core.openapi.describing import Described, Schema
from core.rest.operations import PREFIX, Operation, operations, path_of
from tools.openapi import aliases, common
from tools.openapi.examples import Examples
from tools.openapi.operation import operation_object
from tools.openapi.samples import add_samples
from tools.openapi.sharing import share_responses

DESCRIPTIONS = (
    contents.openapi,
    channels_app.openapi,
    media_library.openapi,
    media_library.folders_openapi,
    forms.openapi,
    sites.openapi,
    cms_api.openapi,
    accounts.openapi,
    events.openapi,
    webhooks.openapi,
    core.operation.openapi,
)
INTRODUCTION = Path(__file__).with_name("introduction.md")
SETTINGS = {
    "TITLE": "Content management REST service",
    "VERSION": __version__,
    "OAS_VERSION": "3.1.0",
    "POSTPROCESSING_HOOKS": [],  # the default hook would move enums to components
    "SCHEMA_PATH_PREFIX": PREFIX,
    "GET_MOCK_REQUEST": lambda method, path, view, original: None,
    "TAGS": [{"name": tag.name, "description": tag.description} for tag in common.TAGS],
    "SERVERS": [
        {
            "url": "{address}",
            "description": "URL of the service.",
            "variables": {
                "address": {
                    "default": "http://127.0.0.1:8000",
                    "description": "Scheme, host and port, without a trailing slash.",
                }
            },
        }
    ],
    "LICENSE": {"name": "MIT", "identifier": "MIT"},
}


class _Endpoints(EndpointEnumerator):
    """Lists the endpoints in the order of the URL patterns, with paths as in core.rest.operations."""

    def get_api_endpoints(self, patterns: Any = None, prefix: str = "") -> Any:
        """Return the path, path expression, method and view of each endpoint."""
        paths = {(f"{PREFIX}{each.path}", each.method) for each in operations()}
        found = _patterns(get_resolver().url_patterns, "/")
        return [
            (path, path, method, callback)
            for path, callback in found
            for method in ("GET", "POST", "PUT", "DELETE")
            if (path, method) in paths
        ]


def _patterns(patterns: list[Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for pattern in patterns:
        path = prefix + path_of(pattern)
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern):
            yield path, pattern.callback


class _OperationSchema(AutoSchema):
    """Produces the operation object from our description."""

    def __init__(self, generator: "Generator") -> None:
        super().__init__()
        self._generator = generator

    def get_operation(self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any) -> Schema | None:
        below = path.removeprefix(PREFIX)
        described = self._generator.described.get((method, below))
        if described is None:
            warn(f"{method} {below} is not described.")
            return None
        operation = self._generator.operations[method, below]
        return operation_object(operation, described, self._generator.examples)


class Generator(SchemaGenerator):
    """Generates the document; each instance is used once."""

    endpoint_inspector_cls = _Endpoints

    def __init__(self, examples: Examples) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.operations: dict[tuple[str, str], Operation] = {(each.method, each.path): each for each in operations()}
        self.described: dict[tuple[str, str], Described] = {}
        of_v6: dict[str, Schema] = {}
        for module in DESCRIPTIONS:
            self.described |= {(each.method, each.path): each for each in module.OPERATIONS}
            of_v6 |= module.SCHEMAS
        self.examples = aliases.with_aliases(examples, self.described)
        self.described |= {(each.method, each.path): each for each in aliases.described_aliases(self.described)}
        for name, schema in chain(of_v6.items(), aliases.schemas(of_v6)):
            self._register("schemas", name, schema)
        self._register("schemas", "Error", common.ERROR)
        self._register("schemas", "ErrorCode", common.ERROR_CODE)
        withdrawn = any(each.is_deprecated for each in self.operations.values())
        for name, header in (common.HEADERS | (common.DEPRECATION_HEADERS if withdrawn else {})).items():
            self._register("headers", name, header)
        for name, scheme in common.SECURITY.items():
            self._register("securitySchemes", name, scheme)
        for name, example in examples.shared.items():
            self._register("examples", name, example)

    def create_view(self, callback: Any, method: str, request: Any = None) -> Any:
        """Return the view with our schema class."""
        view = callback.cls(**getattr(callback, "initkwargs", {}))
        schema = _OperationSchema(self)
        self._set_schema_to_view(view, schema)  # type: ignore[no-untyped-call]
        return view

    def coerce_path(self, path: str, method: str, view: Any) -> str:
        """Return the path unchanged: its parameters already have their wire names."""
        return path

    def _register(self, kind: str, name: str, schema: Schema) -> None:
        component = ResolvedComponent(name=name, type=kind, schema=schema, object=name)  # type: ignore[no-untyped-call]
        self.registry.register(component)


def document(examples: Examples | None = None) -> Schema:
    """Return the complete document."""
    introduction = {"DESCRIPTION": INTRODUCTION.read_text(encoding="utf-8")}
    examples = examples or Examples.kept()
    with translation.override("en"), patched_settings(SETTINGS | introduction):
        made: Schema = Generator(examples).get_schema(public=True)  # type: ignore[no-untyped-call]
    share_responses(made)
    add_samples(made, examples)
    return made
