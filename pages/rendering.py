"""Renders a page of a site from its template."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from channels_app.record_links import with_current_addresses
from channels_app.tree import Tree
from contents.wire.records import Record
from pages.cache_lifetime import LONG, SHORT, LastingSource, NotedQuery
from pages.engine import template as engine
from pages.engine.compiling import Render
from pages.engine.nodes import Problem
from pages.engine.reading import Beginning
from pages.engine.scope import Budget, Limits, PageFacts, Scope
from pages.engine.source import Source
from pages.models import Template
from pages.resolver import Addresses, Page
from pages.site_facts import facts_of
from pages.site_source import SiteSource
from sites.page_rules import quoted


@dataclass(frozen=True)
class PageRequest:
    """A page of a site: the template and its record."""

    tree: Tree
    template: Template
    channel: Record  # the home channel for index and file templates
    content_id: int  # 0 unless the page of a content
    number: int  # counted from 1
    query: Mapping[str, str]
    url: str  # of the page's first number
    content: Record | None = None  # if it has been read with the address
    drafts: Mapping[str, str] = field(default_factory=dict)  # texts that replace includes, by name in lower case


def request_of(addresses: Addresses, page: Page, query: Mapping[str, str]) -> PageRequest:
    return PageRequest(
        tree=addresses.tree,
        template=page.template,
        channel=page.channel,
        content_id=page.content_id,
        number=page.number,
        query=query,
        url=page.path,
        content=page.content,
    )


class RenderedPage(NamedTuple):
    html: str
    page_count: int
    problems: Sequence[Problem]
    seconds: float = LONG  # of caching, unless the numbers of its site change
    reads_query: bool = False  # whether another query may make another page


class NoSuchContent(LookupError):
    """The content does not exist, is not approved, or is in the trash."""


def render(
    request: PageRequest, compiled: engine.Template | None = None, source: SiteSource | None = None
) -> RenderedPage:
    """Render with the request's template and a new source, unless the caller passes others.

    Raises NoSuchContent, and TooMuch if the page exceeds a limit.
    """
    lasting, query, template = LastingSource(request.tree), NotedQuery(request.query), request.template
    scope = scope_of(replace(request, query=query), source or lasting)
    html, count = (compiled or _compiled(template.pk, template.version, template.text)).render(scope)
    html = facts_of(request.tree).mark_replaced(with_current_addresses(html, request.tree))
    seconds = min(lasting.seconds, SHORT) if scope.budget.reads_time else lasting.seconds
    return RenderedPage(html, count, scope.budget.problems, seconds, query.was_read)


def scope_of(request: PageRequest, source: SiteSource | None = None) -> Scope:
    """Return the scope of the whole page. Raises NoSuchContent."""
    source = source or SiteSource(request.tree)
    if request.content:
        source.keep([request.content])
    content = source.content(request.content_id) if request.content_id else None
    if request.content_id and content is None:
        raise NoSuchContent(f"Content {request.content_id} has no page.")
    template = request.template
    facts = PageFacts(
        template.name, template.kind, request.channel, content, quoted(request.url), request.number, request.query
    )
    return Scope(
        page=facts,
        budget=Budget(Limits()),
        source=source,
        kind=engine.first_scope_kind(template.kind, has_content=content is not None),
        channel=request.channel,
        content=content,
        includes=Includes(request.drafts),
    )


@lru_cache(500)
def _compiled(template_id: int, version: int, text: str) -> engine.Template:
    return engine.Template(text)


class Includes:
    """The include files of one page, each read once."""

    def __init__(self, drafts: Mapping[str, str]) -> None:
        self._drafts = drafts
        self._found: dict[tuple[int, str, Beginning | None], Render | None] = {}

    def __call__(self, source: Source, path: str, beginning: Beginning | None = None) -> Render | None:
        key = (source.site_id, path.casefold(), beginning)
        if key not in self._found:
            text = self._drafts.get(path.casefold())
            text = source.include(path) if text is None else text
            self._found[key] = None if text is None else _compiled_include(text, path, beginning)[0]
        return self._found[key]


@lru_cache(1000)
def _compiled_include(
    text: str, path: str, beginning: Beginning | None
) -> tuple[Callable[[Scope], str], list[Problem]]:
    return engine.compile_include(text, path, beginning)
