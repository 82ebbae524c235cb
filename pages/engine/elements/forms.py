"""`input` and `form`: a form of the site, in the markup of the template or in ours."""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape, unescape
from pathlib import Path
from typing import NamedTuple

from core.stl.attributes import Attributes
from pages.engine.compiling import WORDS, Compiler, Render, children, element, trimmed
from pages.engine.elements.entries import LISTS, own_list
from pages.engine.nodes import Element, Nodes
from pages.engine.scope import Scope
from pages.engine.source import FieldRecord, FormRecord
from pages.engine.words import ElementWords, _, described

PATH = "_forms/"  # of entries, below the web address of the site
PAGE, TRAP = "_page", "_website"  # names of inputs: the path of the page, and one that people leave empty
TOKEN, PROOF, CAPTCHA = "_token", "_proof", "_captcha"  # that protect from spam
CONSENT = "_consent"  # name of the input of the consent, and `id` of its place in templates
Values = Mapping[str, Sequence[str]]  # by the keys of fields
# Types of the files that fields of these kinds take, with their media types.
PICTURE_TYPES = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp"}
FILE_TYPES = {
    "image": PICTURE_TYPES,
    "file": {
        **PICTURE_TYPES,
        "pdf": "application/pdf",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "txt": "text/plain",
    },
}
MAX_FILES, MAX_FILE_BYTES = 5, 5 * 1024 * 1024  # of an entry
_ACTION = 'data-cms-form action="'
_OF_COMMENTS = ("_comments/", "_account/")  # paths of what the element `commentInput` links and sends to
_SCRIPT = (Path(__file__).with_name("forms.js")).read_text()
# Scripts and comments are passed over, to the end of the text if they have none; so are beginnings of tags without one.
_TAG = re.compile(
    r"""<script\b(?:.*?</script\s*>|.*)|<!--(?:.*?-->|.*)|"""
    r"""<(/?)([a-z][a-z0-9]*)\b((?:[^<>=]+|=\s*"[^"]*"|=\s*'[^']*'|=)*+)(>?)""",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([^\s"'=<>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)))?""")
_CONTROLS = frozenset({"input", "textarea", "select"})
_INPUTS = {"number": "text", "datetime": "datetime-local"}  # kinds whose HTML type has another name
# That templates of SiteServer 5 call.
_FORMER_FUNCTIONS = re.compile(r"\b(?:event_observe|checkAttributeValue|checkFormValueById)\(")
_NO_FUNCTIONS = (
    "<script>function event_observe(){}function checkAttributeValue(){return true}"
    "function checkFormValueById(){return true}</script>"
)
# The first character after an address is often a letter of another script.
_ADDRESS = re.compile(r"https?://[a-z0-9.~:/?#@!$&()*+,;=%_-]*[a-z0-9/=_-]", re.ASCII | re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]")
# The scripts of SiteServer 5 that templates call from their attributes.
_FORMER_SCRIPTS = frozenset({"onclick", "onblur", "onkeyup", "onchange"})
# Which the browser would send to, or by, in the place of the form's own.
_OVERRIDING = frozenset({"form", "formaction", "formmethod", "formtarget", "formenctype", "href"})


NAMES = {  # attributes that name the form, by element
    "input": ("inputname",),
    "form": ("title", "name"),
    **dict.fromkeys(LISTS, ("inputname",)),
}
_SUMMARY = _(
    "A form of the site that visitors send. Inputs of the template are the fields whose names are their `id`; "
    "without inner text, all fields are shown."
)
_NAME = _("The name of the form. Without one of this name, the newest form of the site is shown.")


@element(ElementWords("input", _SUMMARY, described(inputName=_NAME)))
def compile_input(compiler: Compiler, node: Element) -> Render:
    return _compile(compiler, node)


@element(
    ElementWords(
        "form",
        _SUMMARY,
        described(
            title=_NAME,
            name=_("The same as `title`."),
            type=_("The design of SiteServer. Those that begin with `list` show the public list of entries."),
        ),
        passes_on=True,
    )
)
def compile_form(compiler: Compiler, node: Element) -> Render:
    given, shown = compiler.given(node), _compile(compiler, node)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        return own_list(scope, name_of(node.name, attributes)) if shows_list(attributes) else shown(scope)

    return render


def shows_list(attributes: Attributes) -> bool:
    return attributes.text("type").strip().casefold().startswith("list")


def name_of(element_name: str, attributes: Attributes) -> str:
    return next((text for each in NAMES[element_name] if (text := attributes.text(each).strip())), "")


def _compile(compiler: Compiler, node: Element) -> Render:
    given = compiler.given(node)
    passed = given.passed(compiler) if WORDS[node.name].passes_on else None
    found = children(node, "template", "yes", "successtemplate", "no", "failuretemplate", "loading")
    written = found["template"].inner if "template" in found else _beside(node, found.values())
    template = compiler.block(written) if trimmed(written) else None
    yes, no = (
        compiler.block(trimmed(child.inner)) if (child := found.get(name) or found.get(former)) else None
        for name, former in (("yes", "successtemplate"), ("no", "failuretemplate"))
    )

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        form = scope.source.form(name_of(node.name, attributes))
        if form is None:
            return ""
        scope.budget.reads_time = scope.budget.reads_time or form.has_times
        if not form.is_open:
            return f"<p>{_words_of(form).closed}</p>"
        inner = with_fields(template(scope), form) if template else own_fields(form)
        results = [
            f"<template data-{name}>{block(scope)}</template>" for name, block in (("yes", yes), ("no", no)) if block
        ]
        action = f"{scope.source.web_url}/{PATH}{form.id}"
        return in_form(form, action, scope.page.url, inner + "".join(results), passed(scope) if passed else "")

    return render


def _beside(node: Element, parts: Iterable[Element]) -> Nodes:
    """Return the inner text without these parts."""
    left = list(parts)
    return tuple(child for child in node.inner if not any(child is part for part in left))


def in_form(form: FormRecord, action: str, page: str, inner: str, marks: str = "") -> str:
    """Return the form with its hidden inputs and its script, which sends it without leaving the page."""
    before = _NO_FUNCTIONS if _FORMER_FUNCTIONS.search(inner) else ""
    # Only where it is needed: the service reads long bodies of such forms alone.
    marks += ' enctype="multipart/form-data"' if any(field.kind in FILE_TYPES for field in form.fields) else ""
    return (
        f'{before}<form class="cms-form" id="stl_form_{form.id}" {_ACTION}{escape(action)}" method="post" '
        f'accept-charset="utf-8"{marks}>{inner}<input type="hidden" name="{PAGE}" value="{escape(page)}">'
        f'<div style="position:absolute;left:-9999px" aria-hidden="true"><input name="{TRAP}" tabindex="-1" '
        f'autocomplete="off" aria-label="{_words_of(form).leave_empty}"></div></form><script>{_SCRIPT}</script>'
    )


def sent_to(html: str, web_url: str, address: str) -> str:
    """Return the page with forms that send to the site at the address, for pages that stand elsewhere."""
    html = html.replace(f"{_ACTION}{escape(web_url)}/{PATH}", f"{_ACTION}{escape(address)}/{PATH}")
    for path in _OF_COMMENTS:
        html = html.replace(f'"{escape(web_url)}/{path}', f'"{escape(address)}/{path}')
    return html


def own_fields(
    form: FormRecord, values: Values | None = None, problems: Mapping[str, str] | None = None, more: str = ""
) -> str:
    """Return the inputs of all fields with labels, more inputs, and the button.

    With values and problems by key, if there are.
    """
    fields = (
        _own_field(
            f"form_{form.id}_{field.key}",
            field,
            _defaults(field) if values is None else values.get(field.key, ()),
            (problems or {}).get(field.key, ""),
            _words_of(form),
        )
        for field in form.fields
    )
    consent = _consent(form, (values or {}).get(CONSENT, ()), (problems or {}).get(CONSENT, ""))
    below = f"<p>{consent}</p>" if consent else ""
    return f'{"".join(fields)}{below}{more}<p><button type="submit">{_words_of(form).send}</button></p>'


def consent_mark(text: str) -> str:
    """Return the value of the input of a consent: of a page that shows another text, it is another one."""
    return sha256(text.encode()).hexdigest()[:16]


def _consent(form: FormRecord, values: Sequence[str] = (), problem: str = "") -> str:
    if not form.consent:
        return ""
    number, mark = f"form_{form.id}_{CONSENT}", consent_mark(form.consent)
    marks = f' aria-describedby="{number}_msg" aria-invalid="true"' if problem else ""
    marks += " checked" if mark in values else ""
    below = f'<small id="{number}_msg">{escape(problem)}</small>' if problem else ""
    return (
        f'<label for="{number}" class="cms-form-consent"><input type="checkbox" id="{number}" name="{CONSENT}" '
        f'value="{mark}" required{marks}> {_linked(form.consent)} <span aria-hidden="true">*</span></label>{below}'
    )


def _linked(text: str) -> str:
    """Return the text with its lines, and with links in the place of addresses."""
    written, at = [], 0
    for address in _ADDRESS.finditer(text):
        url = escape(address[0])
        link = f'<a href="{url}" target="_blank" rel="noopener noreferrer">{url}</a>'
        written += [escape(text[at : address.start()]), link]
        at = address.end()
    return "".join([*written, escape(text[at:])]).replace("\r\n", "\n").replace("\n", "<br>")


def _defaults(field: FieldRecord) -> Sequence[str]:
    return field.default.split(",") if field.kind == "checkbox" else (field.default,)


def _own_field(number: str, field: FieldRecord, values: Sequence[str], problem: str, words: "_Words") -> str:
    pk, key, label = escape(number), escape(field.key), escape(field.label)
    if field.kind == "hidden":
        return f'<input type="hidden" name="{key}" value="{escape(",".join(values))}">'
    told = {f"{pk}_help": field.help_text, f"{pk}_types": _limits_of(field, words), f"{pk}_msg": problem}
    below = "".join(f'<small id="{name}">{escape(text)}</small>' for name, text in told.items() if text)
    marks = f' aria-describedby="{" ".join(name for name, text in told.items() if text)}"' if below else ""
    marks += ' aria-invalid="true"' if problem else ""
    sign = ' <span aria-hidden="true">*</span>' if field.is_required else ""
    if field.kind in {"checkbox", "radio"}:
        required = " required" if field.is_required and field.kind == "radio" else ""
        items = "".join(
            f'<label><input type="{field.kind}" name="{key}" value="{escape(choice)}"{required}'
            f"{' checked' if choice in values else ''}> {escape(choice)}</label> "
            for choice in field.choices
        )
        return f'<fieldset id="{pk}"{marks}><legend>{label}{sign}</legend>{items}{below}</fieldset>'
    marks += " required" if field.is_required else ""
    return f'<p><label for="{pk}">{label}{sign}</label> {_control(field, pk, values, marks, words)}{below}</p>'


def _limits_of(field: FieldRecord, words: "_Words") -> str:
    types = ", ".join(each.upper() for each in FILE_TYPES.get(field.kind, ()))
    return words.files.format(count=MAX_FILES, size=MAX_FILE_BYTES // 1024**2, types=types) if types else ""


def _file_marks(field: FieldRecord, words: "_Words") -> dict[str, str]:
    """Return what an input for files says to browsers and to our script."""
    told = words.too_large.format(size=MAX_FILE_BYTES // 1024**2)
    accepted = ",".join(f".{each}" for each in ("jpeg", *FILE_TYPES[field.kind]))
    return {"type": "file", "accept": accepted, "data-most": str(MAX_FILE_BYTES), "data-too-large": told}


def _control(field: FieldRecord, pk: str, values: Sequence[str], marks: str, words: "_Words") -> str:
    value, marks = escape(values[0] if values else ""), f' id="{pk}" name="{escape(field.key)}"{marks}'
    if field.kind == "textarea":
        return f'<textarea rows="6"{marks}>\n{value}</textarea>'
    if field.kind == "select":
        options = "".join(
            f"<option{' selected' if choice in values else ''}>{escape(choice)}</option>"
            for choice in ("", *field.choices)
        )
        return f"<select{marks}>{options}</select>"
    if field.kind in FILE_TYPES:
        return f"{_tag('input', _file_marks(field, words))[:-1]} multiple{marks}>"
    return f'<input type="{_INPUTS.get(field.kind, field.kind)}" value="{value}"{marks}>'


class _Words(NamedTuple):
    send: str
    leave_empty: str
    closed: str
    files: str
    too_large: str


_ENGLISH = _Words(
    "Send",
    "Leave this empty",
    "This form is closed.",
    "At most {count} files of up to {size} MB each: {types}",
    "A file is larger than {size} MB.",
)
_CHINESE = _Words(
    "提交",
    "请勿填写",
    "此表单已关闭。",
    "最多 {count} 个文件，每个不超过 {size} MB：{types}",
    "有文件超过 {size} MB。",
)


def _words_of(form: FormRecord) -> _Words:
    """Return our texts in the language of the labels: a page is the same for all visitors."""
    return _CHINESE if any(_HAN.search(field.label) for field in form.fields) else _ENGLISH


def with_fields(html: str, form: FormRecord) -> str:
    """Return the template's markup with its inputs and its button bound to the form; forms inside are removed."""
    fields = {field.key.casefold(): field for field in form.fields}
    written: list[str] = []
    at, button, consent = 0, "", _consent(form)  # the name of the open element that became a button
    first_button: int | None = None  # its place in what is written
    for tag in _TAG.finditer(html):
        name, text = (tag[2].lower() if tag[4] else ""), tag[0]
        written.append(html[at : tag.start()])
        at = tag.end()
        if name == "form":
            text = ""
        elif tag[1] or not name:
            if name and name == button:
                text, button = "</button>", ""
        else:
            attributes = _attributes(tag[3])
            key, is_button = attributes.get("id", "").casefold(), False
            if name == "input" and key == CONSENT:
                text, consent = consent, ""
            elif name in _CONTROLS and key in fields:
                text = _bound(name, attributes, fields[key], _words_of(form))
            elif is_button := _sends(attributes):
                text, button = _as_button(name, attributes)
            else:
                is_button = name in {"button", "input"} and attributes.get("type", "").lower() == "submit"
            if is_button and first_button is None:
                first_button = len(written)
        written.append(text)
    written.append(html[at:])
    if first_button is None:
        first_button = len(written)
        written.append(f'<button type="submit">{_words_of(form).send}</button>')
    written.insert(first_button, consent and f"{consent} ")
    return "".join(written)


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        found.setdefault(
            match[1].lower(), unescape(next((each for each in match.groups()[1:] if each is not None), ""))
        )
    return found


def _sends(attributes: Mapping[str, str]) -> bool:
    return attributes.get("s-role", "").lower() == "submit" or attributes.get("id", "").lower() == "submit"


def _bound(tag: str, attributes: dict[str, str], field: FieldRecord, words: "_Words") -> str:
    """Return the input with the name of the field, and what the browser can check."""
    kept = {name: value for name, value in attributes.items() if name not in _FORMER_SCRIPTS | _OVERRIDING}
    kept |= {"id": field.key, "name": field.key}
    if field.kind in FILE_TYPES and tag == "input":
        kept = {name: value for name, value in kept.items() if name != "value"} | _file_marks(field, words)
    if field.is_required and kept.get("type", "").lower() not in {"checkbox", "hidden"}:
        kept["required"] = ""
    if not {"aria-label", "aria-labelledby", "title", "placeholder"} & kept.keys():
        kept["title"] = field.label
    return _tag(tag, kept)


def _as_button(tag: str, attributes: dict[str, str]) -> tuple[str, str]:
    """Return a start tag that sends the form, and the name of the element whose end tag becomes that of a button."""
    # An input named "submit" would hide the form's own method of that name.
    left = _FORMER_SCRIPTS | _OVERRIDING | {"id", "name", "s-role"}
    kept = {name: value for name, value in attributes.items() if name not in left}
    if tag == "img":
        return _tag("input", kept | {"type": "image"}), ""
    if tag == "input":
        kind = "image" if kept.get("type", "").lower() == "image" else "submit"
        return _tag("input", kept | {"type": kind}), ""
    return _tag("button", kept | {"type": "submit"}), "" if tag == "button" else tag


def _tag(name: str, attributes: Mapping[str, str]) -> str:
    written = (f' {name}="{escape(value)}"' if value else f" {name}" for name, value in attributes.items())
    return f"<{name}{''.join(written)}>"
