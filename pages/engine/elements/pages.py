"""`pageItems` and `pageItem`: links to the other pages of a list."""

import re

from core.stl.attributes import Attributes
from pages.engine.compiling import Branches, Compiler, Render, element
from pages.engine.html import NO_LINK, attribute_text, encode
from pages.engine.nodes import Element, Entity
from pages.engine.scope import Kind, Paging, Scope
from pages.engine.words import ElementWords, _, described

_MARK = re.compile(r"\{current\.(url|num)\}", re.IGNORECASE)
_TEXTS = {"firstpage": "首页", "previouspage": "上一页", "nextpage": "下一页", "lastpage": "末页"}
_LIST_LENGTH, _ELLIPSIS = 9, "..."
_MAX_OPTIONS = 1_000  # of pageSelect


@element(ElementWords("pageItems", _("Shows its inner text only if the list has several pages.")))
def compile_page_items(compiler: Compiler, node: Element) -> Render:
    inner = compiler.block(node.inner)
    return lambda scope: inner(scope) if scope.paging is not None and scope.paging.count > 1 else ""


@element(
    ElementWords(
        "pageItem",
        _("A link to another page of the list, or a number of pages or items."),
        described(
            type=(
                _("The part to show."),
                *("firstPage", "previousPage", "nextPage", "lastPage", "pageNavigation", "pageSelect"),
                *("currentPageIndex", "totalPageNum", "totalNum"),
            ),
            text=_("The text of the link, or before the number."),
            listNum=_("How many page numbers `pageNavigation` shows. Default: 9."),
            listEllipsis=_("The text that stands for further page numbers. Default: `...`."),
            linkClass=_("The class of links."),
            textClass=_("The class of a text without a link."),
            hasLR=(_("Put page numbers in brackets. Default: `true`."), "true", "false"),
            lStr=_("The left bracket. Default: `[`."),
            rStr=_("The right bracket. Default: `]`."),
            alwaysA=(_("Make the current page number a link, too. Default: `true`."), "true", "false"),
        ),
        passes_on=True,
    )
)
def compile_page_item(compiler: Compiler, node: Element) -> Render:
    return _PageItem(compiler, node).render


class _PageItem:
    def __init__(self, compiler: Compiler, node: Element) -> None:
        self._given = compiler.given(node)
        self._passed = self._given.passed(compiler)
        branches, self._place = Branches(compiler, node), node.place
        self._has_inner = branches.are_given or any(not isinstance(child, str) or child.strip() for child in node.inner)
        # The inner text without branches, and a single `yes`, are for both cases.
        self._yes = branches.yes
        self._no = branches.no if branches.has_no else branches.yes

    def render(self, scope: Scope) -> str:
        paging = scope.paging
        if paging is None:
            return ""
        attributes = self._given.read(scope)
        scope = scope.within(kind=Kind.UNDEFINED, channel=scope.page.channel, content=scope.page.content)
        name = attributes.text("type").strip().casefold()
        if name in _TEXTS:
            return self._step(scope, attributes, paging, name)
        if name == "pagenavigation":
            return self._navigation(scope, attributes, paging)
        if name == "pageselect":
            return self._select(scope, paging)
        number = _number(paging, name)
        return number and self._text(attributes, encode(attributes.text("text"), self._place) + number)

    def _step(self, scope: Scope, attributes: Attributes, paging: Paging, name: str) -> str:
        target = target_of(paging, name)
        if self._has_inner:
            url = NO_LINK if target is None else paging.address(target)
            return _filled((self._no if target is None else self._yes)(scope), url, str(paging.number))
        text = encode(attributes.text("text"), self._place) or _TEXTS[name]
        if target is None:
            return self._text(attributes, text)
        return self._link(scope, attributes, paging.address(target), text)

    def _navigation(self, scope: Scope, attributes: Attributes, paging: Paging) -> str:
        length = attributes.integer("listNum") or _LIST_LENGTH
        first, last = shown_range(paging.number, paging.count, length)
        written = [self._number(scope, attributes, paging, number, str(number)) for number in range(first, last + 1)]
        if last + 1 < paging.count:
            text = encode(attributes.text("listEllipsis", _ELLIPSIS), self._place)
            written.append(self._number(scope, attributes, paging, last + 1, text))
        return "".join(written)

    def _number(self, scope: Scope, attributes: Attributes, paging: Paging, number: int, text: str) -> str:
        is_current = number == paging.number
        url = NO_LINK if is_current else paging.address(number)
        if self._has_inner:
            return _filled((self._no if is_current else self._yes)(scope), url, text)
        left, right = (encode(each, self._place) for each in _brackets(attributes))
        text = f"{left}{text}{right}"
        if not is_current:
            return f"{self._link(scope, attributes, url, text)}&nbsp;"
        if attributes.boolean("alwaysA", absent=True, unparsable=True):
            return f"{self._link(scope, attributes, 'javascript:void(0);', text)}&nbsp;"
        return f"{self._text(attributes, text)}&nbsp;"

    def _link(self, scope: Scope, attributes: Attributes, url: str, text: str) -> str:
        classes = attributes.text("linkClass")
        mark = f' class="{attribute_text(classes)}"' if classes else ""
        return f'<a href="{attribute_text(url)}"{mark}{self._passed(scope)}>{text}</a>'

    def _text(self, attributes: Attributes, text: str) -> str:
        classes = attributes.text("textClass")
        return f'<span class="{attribute_text(classes)}">{text}</span>' if classes else text

    def _select(self, scope: Scope, paging: Paging) -> str:
        options = [
            f'<option value="{attribute_text(paging.address(number))}"{" selected" if number == paging.number else ""}>'
            f"{number}</option>"
            for number in range(1, min(paging.count, _MAX_OPTIONS) + 1)
        ]
        return f'<select onchange="location.href=this.value"{self._passed(scope)}>{"".join(options)}</select>'


def target_of(paging: Paging, name: str) -> int | None:
    """Return the target page of a type such as `nextpage`; None if it is the current one or does not exist."""
    number = {
        "firstpage": 1,
        "previouspage": paging.number - 1,
        "nextpage": paging.number + 1,
        "lastpage": paging.count,
    }[name]
    is_back = name in {"firstpage", "previouspage"}
    is_possible = paging.number > 1 if is_back else paging.number < paging.count
    return number if is_possible else None


def shown_range(current: int, count: int, length: int) -> tuple[int, int]:
    """Return the first and last number that `pageNavigation` shows, as SiteServer chooses them."""
    half = length // 2
    if current - 1 + length <= count:
        return (current - half, current - half + length - 1) if current > half else (1, length)
    if current + half < count:
        return (current - half, current + half) if current > half else (1, count)
    return max(1, count - length + 1), count


def _brackets(attributes: Attributes) -> tuple[str, str]:
    left, right = attributes.text("lStr"), attributes.text("rStr")
    if not attributes.boolean("hasLR", absent=True, unparsable=True):
        return "", ""
    if not left and not right:
        return "[", "]"
    return left or right, right or left


def _filled(text: str, url: str, number: str) -> str:
    values = {"url": attribute_text(url), "num": number}
    return _MARK.sub(lambda mark: values[mark[1].lower()], text)


def page_item_value(scope: Scope, entity: Entity) -> str:
    """Return the value of an entity such as `{pageItem.nextPage}`."""
    paging, name = scope.paging, entity.name.casefold()
    if paging is None:
        return ""
    if name in _TEXTS:
        target = target_of(paging, name)
        return NO_LINK if target is None else paging.address(target)
    return _number(paging, name)


def _number(paging: Paging, name: str) -> str:
    numbers = {"currentpageindex": paging.number, "totalpagenum": paging.count, "totalnum": paging.total}
    return str(numbers.get(name, ""))
