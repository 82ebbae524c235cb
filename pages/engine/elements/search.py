"""`search` and `dynamic`: parts that depend on the query of the address, rendered on the server."""

import re
from collections.abc import Callable
from html import escape

from cms_api.stl.attributes import Attributes
from pages.engine.compiling import Branches, Compiler, Render, element
from pages.engine.elements.links import kind_of
from pages.engine.elements.lists import ReadPage, page_of_list
from pages.engine.nodes import Element, Nodes
from pages.engine.scope import Paging, Scope, with_page
from pages.engine.source import Listed
from pages.engine.words import CHANNEL, CONTEXT, PAGES, ElementWords, _, described

PAGED = ("pagecontents", "pagechannels", "pagesqlcontents")
_HIGHLIGHT = "<span style='color:#cc0000'>{}</span>"
_PARTS = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>|&#?\w{1,32};", re.DOTALL | re.IGNORECASE)


def find_paged(nodes: Nodes, *, is_deep: bool = False) -> Element | None:
    """Return the list that has pages: the first of the first kind in PAGED."""
    found: dict[str, Element] = {}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, Element):
            found.setdefault(node.name, node)
            if is_deep and node.name not in PAGED:
                waiting = [*node.inner, *waiting]
    return next((found[name] for name in PAGED if name in found), None)


class _Asked:
    """A block whose list takes the number of its page from the query of the address."""

    def __init__(
        self,
        compiler: Compiler,
        node: Element,
        read: ReadPage | None = None,
        size_of: Callable[[Scope], int] | None = None,
    ) -> None:
        paged = find_paged(node.inner, is_deep=True)
        if paged is not None:
            compiler.paged.add(id(paged))
        self._page = page_of_list(compiler, paged, read, size_of) if paged else None

    def paging(self, scope: Scope) -> Paging | None:
        if self._page is None:
            return None
        asked = Attributes([("page", scope.page.query.get("page", ""))]).integer("page")
        paging = self._page(scope, max(asked, 1))
        if paging.number > paging.count:
            paging = self._page(scope, paging.count)
        query = {name: value for name, value in scope.page.query.items() if name != "page"}
        paging.address = lambda number: with_page(scope.page.url, query, number)
        return paging


@element(ElementWords("dynamic", _("A part that uses the query of the address, as a tag page does."), CONTEXT))
def compile_dynamic(compiler: Compiler, node: Element) -> Render:
    asked, inner, given = _Asked(compiler, node), compiler.block(node.inner), compiler.given(node)

    def render(scope: Scope) -> str:
        within = scope.within(kind=kind_of(given.read(scope), scope.kind))
        return inner(within.within(paging=asked.paging(within)))

    return render


_WORDS = (
    _("The contents that a visitor looks for: `yes` has their list, `no` is for none. The query overrides attributes."),
    CHANNEL
    | PAGES
    | described(
        type=_("The fields to look in, separated by commas. Default: `title`"),
        word=_("The text to look for."),
        dateFrom=_("Only contents with a date from this day on, such as `2024-03-01`."),
        dateTo=_("Only contents with a date before this day."),
        isHighlight=(_("Mark the text in the result."), "true", "false"),
    ),
)


@element(ElementWords("search", *_WORDS), ElementWords("searchOutput", *_WORDS))
def compile_search(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)

    def asked_for(scope: Scope) -> Attributes:
        query = [(name.casefold(), value) for name, value in scope.page.query.items()]
        named = {name for name, _ in query}
        return Attributes([*((name, value) for name, value in given.read(scope).items() if name not in named), *query])

    def read(scope: Scope, attributes: Attributes, *, is_counted: bool) -> Listed:
        return scope.source.search(asked_for(scope), given.read(scope).names("type"), attributes)

    def size_of(scope: Scope) -> int:
        return given.read(scope).integer("pageNum")

    asked, branches = _Asked(compiler, node, read, size_of), Branches(compiler, node)

    def render(scope: Scope) -> str:
        paging = asked.paging(scope)
        if paging is None or paging.total == 0:
            return branches.no(scope)
        text, attributes = branches.yes(scope.within(paging=paging)), asked_for(scope)
        word = attributes.text("word").strip()
        return highlight(text, word) if word and attributes.boolean("isHighlight") else text

    return render


def highlight(text: str, word: str) -> str:
    """Mark a word in the text of HTML, not in its tags, scripts and character references."""
    pattern = re.compile(re.escape(escape(word)), re.IGNORECASE)
    written, at = [], 0
    for part in _PARTS.finditer(text):
        written += [pattern.sub(_marked, text[at : part.start()]), part[0]]
        at = part.end()
    return "".join([*written, pattern.sub(_marked, text[at:])])


def _marked(found: re.Match[str]) -> str:
    return _HIGHLIGHT.format(found[0])
