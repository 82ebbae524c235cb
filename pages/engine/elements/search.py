"""`search` and `dynamic`: parts that depend on the query of the address, rendered on the server."""

import re
from collections.abc import Callable, Sequence
from html import escape

from core.stl.attributes import Attributes
from pages.engine.compiling import Branches, Compiler, Render, element
from pages.engine.elements.links import kind_of
from pages.engine.elements.lists import ReadPage, page_of_list
from pages.engine.nodes import Element, Nodes
from pages.engine.scope import Paging, Scope, with_page
from pages.engine.source import Listed, Record, Source
from pages.engine.words import CHANNEL, CONTENT_LIST, CONTEXT, PAGES, SITES, ElementWords, _, described
from search.words import texts_of

PAGED = ("pagecontents", "pagechannels", "pagesqlcontents", "pageinputcontents")
Find = Callable[[Source, Attributes], Listed]
_MAX_SITES = 10  # that a search looks in
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


_ATTRIBUTES = (
    {name: CHANNEL[name] for name in ("channelIndex", "channelName")}
    | PAGES
    | SITES
    | described(
        isAllSites=(_("Look in all sites that have templates."), "true", "false"),
        type=_("The fields to look in, separated by commas. Default: `title`."),
        word=_("The text to look for."),
        channelIds=_("Only content items in these channels or below, by ID, separated by commas."),
        dateAttribute=_("The date that the next three are about. Default: `addDate`."),
        dateFrom=_("Only content items from this day on, such as `2024-03-01`."),
        dateTo=_("Only content items up to this day."),
        since=_(
            "Only content items of this time up to now, such as `3d`: years `y`, months `m`, days `d` or hours `h`."
        ),
        isHighlight=(_("Mark the text in the result."), "true", "false"),
        isDefaultDisplay=(_("Show all content items if nothing is asked for. Default: `true`."), "true", "false"),
    )
    | {"isNoDup": CONTENT_LIST["isNoDup"]}
)
NO_FIELDS = frozenset({"page", *map(str.lower, _ATTRIBUTES)})  # parameters of the query that are no custom fields
_SUMMARY = _(
    "The content items that a visitor looks for: `yes` has their list, `no` is for none. Parameters of "
    "the query override attributes, except for those that choose sites."
)


@element(
    ElementWords("search", _SUMMARY, _ATTRIBUTES, filters=True),
    ElementWords("searchOutput", _SUMMARY, _ATTRIBUTES, filters=True),
)
def compile_search(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)

    def asked_for(scope: Scope) -> Attributes:
        query = [(name.casefold(), value) for name, value in scope.page.query.items()]
        named = {name for name, _ in query}
        return Attributes([*((name, value) for name, value in given.read(scope).items() if name not in named), *query])

    def read(scope: Scope, attributes: Attributes, *, is_counted: bool) -> Listed:
        own, asked = given.read(scope), asked_for(scope)
        return _in_order(_sites(scope.source, own), attributes, lambda source, part: source.search(asked, own, part))

    def size_of(scope: Scope) -> int:
        return given.read(scope).integer("pageNum")

    asked, branches = _Asked(compiler, node, read, size_of), Branches(compiler, node)

    def render(scope: Scope) -> str:
        paging = asked.paging(scope)
        if paging is None or paging.total == 0:
            return branches.no(scope)
        text, attributes = branches.yes(scope.within(paging=paging)), asked_for(scope)
        return highlight(text, attributes.text("word")) if attributes.boolean("isHighlight") else text

    return render


def _sites(source: Source, own: Attributes) -> Sequence[Source]:
    """Return where the template looks."""
    if own.boolean("isAllSites"):
        return source.sites(Attributes([("totalNum", str(_MAX_SITES))]))
    chosen = [(name, own.text(name)) for name in SITES if own.text(name)]
    return source.sites(Attributes([*chosen, ("totalNum", str(_MAX_SITES))])) if chosen else [source]


def _in_order(sources: Sequence[Source], attributes: Attributes, find: Find) -> Listed:
    """Return a part of the contents of several sites, one site after another."""
    start, wanted = max(attributes.integer("startNum", 1), 1), attributes.integer("totalNum")
    records: list[Record] = []
    total = 0
    for source in sources:
        rest = wanted - len(records)
        # At least one, since the total is needed of every site.
        part = attributes.replaced(startNum=str(max(start - total, 1)), totalNum=str(max(rest, 1) if wanted else 0))
        found = find(source, part)
        records += found.records if rest > 0 or not wanted else ()
        total += found.total
    return Listed(records, total)


def highlight(text: str, query: str) -> str:
    """Mark the words of a query in the text of HTML, not in its tags, scripts and character references."""
    if not (words := sorted(texts_of(query), key=len, reverse=True)):
        return text
    pattern = re.compile("|".join(re.escape(escape(word)) for word in words), re.IGNORECASE)
    written, at = [], 0
    for part in _PARTS.finditer(text):
        written += [pattern.sub(_marked, text[at : part.start()]), part[0]]
        at = part.end()
    return "".join([*written, pattern.sub(_marked, text[at:])])


def _marked(found: re.Match[str]) -> str:
    return _HIGHLIGHT.format(found[0])
