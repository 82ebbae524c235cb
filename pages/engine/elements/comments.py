"""`comments`, `comment` and `commentInput`: comments on the content of the page, and the form for them."""

import re
from html import escape
from typing import NamedTuple

from core.stl.attributes import Attributes
from core.stl.text import TextShape
from pages.engine.compiling import Compiler, Render, element, trimmed
from pages.engine.elements.forms import Values, in_form, own_fields
from pages.engine.elements.items import ItemTemplates, render_list
from pages.engine.elements.values import item_number
from pages.engine.html import encode
from pages.engine.nodes import Element
from pages.engine.scope import Kind, Scope
from pages.engine.source import FieldRecord, FormRecord, Record
from pages.engine.words import SHAPE, ElementWords, _, described

PATH = "_comments/"  # below the web address of the site, with the id of the content
PAGE_NUMBER = "commentsPage"  # in the query of a page
_HAN = re.compile(r"[\u3400-\u9fff]")
_PER_PAGE, _MOST = 20, 100
_PAGE_NUM = _("The number of comments on a page, without replies. Default: 20.")


class _Words(NamedTuple):
    name: str
    text: str
    reply: str
    sign_in: str
    newer: str
    older: str


_ENGLISH = _Words("Name", "Comment", "Reply", "Sign in to comment", "Newer", "Older")
_CHINESE = _Words("姓名", "评论", "回复", "登录后发表评论", "上一页", "下一页")


def words_of(title: str) -> _Words:
    """Return our texts in the language of the title: a page is the same for all visitors."""
    return _CHINESE if _HAN.search(title) else _ENGLISH


def form_of(content_id: int, title: str, *, is_named: bool) -> FormRecord:
    words = words_of(title)
    name = (FieldRecord("name", words.name, "text", is_required=True),) if is_named else ()
    return FormRecord(f"comment_{content_id}", "", (*name, FieldRecord("text", words.text, "textarea", True)))


def own_form(form: FormRecord, action: str, page: str, parent: str = "", given: "_Given | None" = None) -> str:
    fields = own_fields(form, *(given or ()))
    reply = f'<input type="hidden" name="parent" value="{escape(parent)}">' if parent else ""
    return in_form(form, action, page, f"{reply}{fields}")


_Given = tuple[Values | None, dict[str, str] | None]


@element(
    ElementWords(
        "comments",
        _("The approved comments on the content item, the newest first, with its inner text for each."),
        described(pageNum=_PAGE_NUM, type=(_("`count`: their number."), "count")),
    )
)
def compile_comments(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)
    templates = ItemTemplates(compiler, node) if trimmed(node.inner) else None

    def render(scope: Scope) -> str:
        if scope.content is None or scope.source.comment_rules(scope.content).who == "Off":
            return ""
        attributes = given.read(scope)
        if attributes.text("type").strip().casefold() == "count":
            return str(scope.source.comments(scope.content, 1, 1).total)
        return _listed(scope, scope.content, attributes, templates)

    return render


@element(
    ElementWords(
        "commentInput",
        _("The approved comments on the content item, and a form for a new one if the rules of the channel allow it."),
        described(pageNum=_PAGE_NUM),
    )
)
def compile_comment_input(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)

    def render(scope: Scope) -> str:
        content = scope.content
        if content is None or (rules := scope.source.comment_rules(content)).who == "Off":
            return ""
        web_url, page = scope.source.web_url, scope.page.url
        form = form_of(content["id"], content["title"], is_named=rules.who == "Everybody")
        written = own_form(form, f"{web_url}/{PATH}{content['id']}", page)
        if rules.who == "Members":
            link = f"{escape(web_url)}/_account/sign-in?next={escape(page)}"
            written += f'<p><a href="{link}">{words_of(content["title"]).sign_in}</a></p>'
        return f'<section id="comments">{_listed(scope, content, given.read(scope), None)}{written}</section>'

    return render


def _listed(scope: Scope, content: Record, attributes: Attributes, templates: ItemTemplates | None) -> str:
    size = min(max(attributes.integer("pageNum", _PER_PAGE), 1), _MOST)
    asked = scope.page.query.get(PAGE_NUMBER, "")
    number = int(asked) if asked.isascii() and asked.isdecimal() and 0 < len(asked) < 7 else 1
    found = scope.source.comments(content, max(number, 1), size)
    words = words_of(content["title"])
    if templates:
        written = render_list(templates, scope, found.records, _enter, size * (number - 1))
    else:
        items = "".join(_item(scope, content, comment, words) for comment in found.records)
        written = f'<ol class="cms-comments">{items}</ol>' if items else ""
    links = []
    if number > 1:
        links.append((number - 1, words.newer))
    if number * size < found.total:
        links.append((number + 1, words.older))
    pages = "".join(
        f'<a href="{escape(scope.page.url)}?{PAGE_NUMBER}={page}#comments">{word}</a> ' for page, word in links
    )
    return f'{written}<p class="cms-comment-pages">{pages}</p>' if pages else written


def _item(scope: Scope, content: Record, comment: Record, words: _Words, *, is_reply: bool = False) -> str:
    moment, text = comment["addDate"], escape(comment["content"]).replace("\n", "<br>")
    replies = "".join(_item(scope, content, each, words, is_reply=True) for each in comment["replies"])
    scope.budget.take_item(text)
    link = f"{escape(scope.source.web_url)}/{PATH}{content['id']}?to={comment['id']}"
    after = "" if is_reply else f'<p><a href="{link}" rel="nofollow">{words.reply}</a></p>'
    after += f"<ol>{replies}</ol>" if replies else ""
    return (
        f'<li id="comment-{comment["id"]}"><p><b>{escape(comment["displayName"])}</b> '
        f'<time datetime="{moment.isoformat(timespec="minutes")}">{_shown(moment)}</time></p><p>{text}</p>{after}</li>'
    )


def _shown(moment: object) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


def _enter(scope: Scope, comment: Record, number: int) -> Scope:
    return scope.within(kind=Kind.EACH, item=comment, content_index=number)


def value_of(scope: Scope, name: str) -> str:
    """Return a value of the comment of the list; empty outside of one."""
    folded = name.casefold()
    if (number := item_number(folded, scope.content_index)) is not None:
        return number
    if not isinstance(scope.item, dict) or "replies" not in scope.item:
        return ""
    value = next((each for key, each in scope.item.items() if key.casefold() == folded), "")
    return _shown(value) if folded == "adddate" else str("" if folded == "replies" else value)


@element(
    ElementWords(
        "comment",
        _("A value of the comment of the list `comments`."),
        SHAPE
        | described(
            type=(
                _("The value. Default: `content`."),
                *("content", "displayName", "userName", "addDate", "id", "itemIndex"),
            )
        ),
    )
)
def compile_comment(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        shape = TextShape.of(attributes)
        text = value_of(scope, attributes.text("type").strip() or "content")
        return encode(shape.surround(escape(shape.shape(text))), node.place)

    return render
