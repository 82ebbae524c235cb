"""Forms that templates show and their site lacks, made from the inputs that the templates have for them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from html.parser import HTMLParser

from django.db import transaction

from channels_app.services import lock_tree
from core import audit
from forms.models import CHOICE_KINDS, MAX_CHOICES, Form
from pages.engine.elements.forms import NAMES
from pages.engine.nodes import Element, Nodes, nested
from pages.engine.parsing import parse
from pages.models import Template
from transfer.form_records import KINDS, Choice, InputSource, Rule, Tell, form_record, rules_of_version_5
from transfer.form_writers import store_form
from transfer.package import FormRecord

NO_INPUTS = "Templates show forms that do not exist, without inputs from which to make them"
_BESIDE = {"yes", "no", "successtemplate", "failuretemplate", "loading"}  # elements without inputs
_KINDS = {"number": "Number", "date": "Date", "datetime-local": "DateTime", "hidden": "Hidden", "file": "File"}
_KINDS |= {"checkbox": "CheckBox", "radio": "Radio"}
_RULES = {"email": "Email", "tel": "Phone", "url": "Url"}
_BUTTONS = {"submit", "button", "reset", "image"}


def missing_forms(site_id: int, tell: Tell) -> list[FormRecord]:
    """Return forms by the names that templates use and no form of the site has, in order of the templates."""
    known = set(Form.objects.filter(site_id=site_id).values_list("folded_name", flat=True))
    found: dict[str, tuple[str, dict[str, InputSource]]] = {}
    for template in Template.objects.filter(site_id=site_id).order_by("kind", "name"):
        for name, markup in shown_forms(template.text):
            if name.casefold() not in known:
                _name, sources = found.setdefault(name.casefold(), (name, {}))
                for source in _Inputs(markup).found.values():
                    sources.setdefault(source.key.casefold(), source)
    records = []
    for name, sources in found.values():
        record = form_record({"name": name}, sources.values(), tell)
        if record.inputs:
            records.append(record)
        else:
            tell(NO_INPUTS, name)
    return records


@transaction.atomic
def make_forms(site_id: int, tell: Tell) -> list[FormRecord]:
    """Store the missing forms and return them."""
    lock_tree(site_id)
    records = missing_forms(site_id, tell)
    for record in records:
        form, _entries = store_form(site_id, record)
        audit.record("form.created", form, site_id=site_id, source="templates")
    return records


def shown_forms(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names of forms that the template shows, and the markup for each."""
    for node in nested(parse(text)[0]):
        if isinstance(node, Element) and node.name in NAMES:
            given = dict(node.attributes)
            name = next((value for each in NAMES[node.name] if (value := given.get(each, "").strip())), "")
            is_list = given.get("type", "").strip().casefold().startswith("list")
            if name and "{" not in name and not is_list:
                yield name, "".join(_texts(node.inner))


def _texts(nodes: Nodes) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        elif isinstance(node, Element) and node.name not in _BESIDE:
            yield from _texts(node.inner)


class _Inputs(HTMLParser):
    """The inputs with an `id`, by folded key: these are what a form is bound to."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: dict[str, InputSource] = {}
        self._labels: dict[str, str] = {}
        self._label: list[str] | None = None  # texts of the open label
        self._of_label, self._select, self._option = "", "", ""
        self.feed(markup)
        self.close()
        for key, label in self._labels.items():
            if key in self.found and label.strip():
                self.found[key] = replace(self.found[key], label=" ".join(label.split()).rstrip(":：*").strip())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in reversed(attrs)}
        if tag == "label":
            self._label, self._of_label = [], given.get("for", "").casefold()
        elif tag == "option" and self._select:
            # An option without a value is none to choose; one without the attribute sends its text.
            if given.get("value", "text"):
                self._add_choice(self._select, given.get("value", ""))
            self._option = "" if "value" in given else self._select
        elif tag in {"input", "textarea", "select"}:
            self._add(tag, given)

    def handle_endtag(self, tag: str) -> None:
        if tag == "label" and self._label is not None:
            self._labels.setdefault(self._of_label, "".join(self._label))
            self._label = None
        elif tag == "select":
            self._select = ""
        elif tag == "option":
            self._option = ""

    def handle_data(self, data: str) -> None:
        if self._option:
            source = self.found[self._option]
            *others, last = source.choices
            title = last.title + data
            self.found[self._option] = replace(source, choices=[*others, Choice(title, title.strip())])
        elif self._label is not None:
            self._label.append(data)

    def _add(self, tag: str, given: dict[str, str]) -> None:
        key, kind = given.get("id", "").strip(), given.get("type", "").strip().lower()
        folded = key.casefold()
        if not key or folded == "submit" or kind in _BUTTONS or given.get("s-role", "").lower() == "submit":
            return
        if self._label is not None:
            self._of_label = self._of_label or folded
        if tag == "select":
            self._select, name = folded, "SelectMultiple" if "multiple" in given else "SelectOne"
        else:
            name = "TextArea" if tag == "textarea" else _KINDS.get(kind, "Text")
        if folded not in self.found:
            self.found[folded] = _source(key, name, kind, given)
        if name in {"CheckBox", "Radio"}:
            self._add_choice(folded, given.get("value", "on"))

    def _add_choice(self, folded: str, value: str) -> None:
        """Add a choice, whose title is what browsers send: that is what the form accepts."""
        source = self.found[folded]
        choices = source.choices[:MAX_CHOICES]  # so that many take no time
        self.found[folded] = replace(source, choices=[*choices, Choice(value, value)])


def _source(key: str, kind: str, html_kind: str, given: dict[str, str]) -> InputSource:
    is_required, rules = rules_of_version_5(given | {"isrequired": given.get("isrequire", "")})
    if (rule := _RULES.get(html_kind)) and all(each.name != rule for each in rules):
        rules.append(Rule(rule))
    is_choice = KINDS.get(kind.casefold()) in CHOICE_KINDS
    return InputSource(
        key=key,
        label=given.get("displayname") or given.get("aria-label") or given.get("placeholder") or given.get("title", ""),
        kind=kind,
        default="" if is_choice else given.get("value", ""),
        is_required=is_required or "required" in given,
        rules=rules,
    )


def lines_of(records: Iterable[FormRecord]) -> Iterator[str]:
    for record in records:
        keys = ", ".join(each["key"] for each in record.inputs)
        yield f"{record.fields['name']}: {keys}"
