"""A compiled template, and the rendering of a page."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pages.engine.elements
import pages.engine.entities  # noqa: F401 - registers the entities
from core.lib.errors import ServiceError
from core.stl.attributes import Attributes
from pages.engine.compiling import Compiler, Render, read_ahead
from pages.engine.elements.lists import page_of_list
from pages.engine.elements.search import find_paged
from pages.engine.elements.values import PAGE_BREAK
from pages.engine.html import attribute_text
from pages.engine.nodes import Element, Nodes, Problem
from pages.engine.parsing import place_of
from pages.engine.reading import Beginning
from pages.engine.scope import Kind, Paging, Scope, numbered

_HOST = re.compile("(?:https?:)?//[^/]+", re.IGNORECASE)
_HEAD_END = re.compile("</head>", re.IGNORECASE)
_CANONICAL = re.compile(r"""\brel\s*=\s*["']?canonical\b""", re.IGNORECASE)
MAX_CHARACTERS = 2_000_000  # of a template


class Template:
    """A compiled template; `problems` lists errors detected without rendering a page."""

    def __init__(self, text: str) -> None:
        compiler = _compiler_of(text)
        nodes = compiler.parse()
        self._body = _paged_body(nodes)
        paged = find_paged(nodes)
        self._page: Callable[[Scope, int], Paging] | None = None
        if paged is not None:
            compiler.paged.add(id(paged))
            self._page = page_of_list(compiler, paged)
        self._compile(compiler, nodes)
        self.problems = compiler.problems

    def _compile(self, compiler: Compiler, nodes: Nodes) -> None:
        with compiler.part() as self._lists:
            self._render = compiler.block(nodes)

    def render(self, scope: Scope) -> tuple[str, int]:
        """Return the page and the number of pages. Raises TooMuch."""
        paging = self._paging(scope)
        read_ahead(scope, [scope.channel], self._lists)
        html = self._render(scope.within(paging=paging))
        return with_canonical(html, canonical_url(scope, paging.number)), paging.count

    def _paging(self, scope: Scope) -> Paging:
        number = scope.page.number
        if self._body is not None:
            is_of_content = self._body.name == "content"
            if is_of_content and scope.content is not None:
                body = scope.source.content_value(scope.content, "pagecontent", Attributes(()))
            else:
                body = scope.source.channel_value(scope.channel, "pagecontent", Attributes(()))
            count = body.count(PAGE_BREAK) + 1
            if count > 1 or self._page is None:
                return _pages(scope, min(number, count), count, count)
        if self._page is None:
            return _pages(scope, 1, 1, 0)
        # The pages of a file template are in its query (`search`, `dynamic`), not in files.
        has_one = scope.page.template_kind == "FileTemplate"
        try:
            paging = self._page(scope, 1 if has_one else number)
        except ServiceError as error:
            scope.budget.report(Problem(error.message, 0, 0))
            return _pages(scope, 1, 1, 0)
        return replace(paging, count=1) if has_one else paging


def canonical_url(scope: Scope, number: int) -> str:
    """Return the full address of the page; empty if the site has no host of its own, or the query makes the page."""
    host = _HOST.match(scope.source.web_url)
    is_of_query = scope.page.template_kind == "FileTemplate"
    return "" if host is None or is_of_query else host[0] + numbered(quote(scope.page.url, safe="/%"), number)


def with_canonical(html: str, url: str) -> str:
    """Add the canonical link for search engines, unless the template has one."""
    end = _HEAD_END.search(html) if url and not _CANONICAL.search(html) else None
    if end is None:
        return html
    link = f'<link rel="canonical" href="{attribute_text(url)}" />'
    return f"{html[: end.start()]}{link}{html[end.start() :]}"


def _pages(scope: Scope, number: int, count: int, total: int) -> Paging:
    return Paging(number, count, total, lambda n: numbered(scope.page.url, n))


def _paged_body(nodes: Nodes) -> Element | None:
    """Return the element that shows a body page by page."""
    return next(
        (
            node
            for node in nodes
            if isinstance(node, Element)
            and node.name in {"content", "channel"}
            and dict(node.attributes).get("type", "").strip().casefold() == "pagecontent"
        ),
        None,
    )


def compile_include(text: str, file: str, beginning: Beginning | None = None) -> tuple[Render, list[Problem]]:
    reader = beginning.reader if beginning else None
    compiler = _compiler_of(text, file, is_include=True, reader=reader)
    nodes = compiler.parse()
    with compiler.part() as lists:
        block = compiler.block(nodes)

    def render(scope: Scope) -> str:
        read_ahead(scope, [scope.channel], lists)
        return block(scope)

    return render, compiler.problems


def _compiler_of(text: str, file: str = "", **options: Any) -> Compiler:
    compiler = Compiler(text[:MAX_CHARACTERS], file, **options)
    if len(text) > MAX_CHARACTERS:
        told = f"The template has more than {MAX_CHARACTERS} characters; the page ends here."
        compiler.problems.append(Problem(told, *place_of(text, MAX_CHARACTERS), file))
    return compiler


def first_scope_kind(template_kind: str, *, has_content: bool) -> Kind:
    if template_kind == "FileTemplate":
        return Kind.UNDEFINED
    return Kind.CONTENT if has_content else Kind.CHANNEL
