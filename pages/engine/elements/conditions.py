"""`if`: compares a value of the context with the value of an attribute."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from core.stl.attributes import Attributes
from pages.engine.compiling import Branches, Compiler, Render, element
from pages.engine.elements.links import kind_of
from pages.engine.elements.values import item_number, photo_value
from pages.engine.nodes import Element
from pages.engine.scope import Kind, Scope
from pages.engine.words import CONTEXT, ElementWords, _, described

_SPAN = re.compile(r"(\d{1,6})([ymdh]?)", re.IGNORECASE)
_HOURS = {"y": 8760, "m": 720, "d": 24, "h": 1, "": 1}
_NUMBER = re.compile(r"\s*-?\d{1,15}(?:\.\d{1,9})?\s*")
_DATE = re.compile(r"\s*\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[ T]\d{1,2}:\d{1,2}(?::\d{1,2})?)?\s*")
_NO_TEXT = Attributes(())


@element(
    ElementWords(
        "if",
        _("Shows its `yes` if a value of the content item, channel or page fulfils a condition, else its `no`."),
        CONTEXT
        | described(
            type=(
                _("The value to compare: one of these, or any member or custom field."),
                *("channelName", "channelIndex", "templateName", "templateType", "topLevel", "upChannel"),
                *("upChannelOrSelf", "selfChannel", "groupChannel", "groupContent", "addDate", "lastEditDate"),
                *("itemIndex", "oddItem"),
            ),
            operate=(
                _("How to compare. Default: `Equals`."),
                *("Equals", "NotEquals", "Empty", "NotEmpty", "GreatThan", "LessThan", "In", "NotIn"),
            ),
            value=_("The value to compare with."),
            testType=_("The same as `type`."),
            testOperate=_("The same as `operate`."),
            op=_("The same as `operate`."),
            testValue=_("The same as `value`."),
        ),
    )
)
def compile_if(compiler: Compiler, node: Element) -> Render:
    given, branches = compiler.given(node), Branches(compiler, node)

    def render(scope: Scope) -> str:
        attributes = given.read(scope)
        if "context" in given:
            scope = scope.within(kind=kind_of(attributes, scope.kind))
        return (branches.yes if holds(scope, attributes) else branches.no)(scope)

    return render


def holds(scope: Scope, attributes: Attributes) -> bool:
    name = (attributes.text("type") or attributes.text("testType")).strip().casefold()
    operator = attributes.text("operate") or attributes.text("testOperate") or attributes.text("op")
    value = attributes.text("value") or attributes.text("testValue")
    operator = operator.strip().casefold() or "equals"
    if name in _KNOWN:
        return _KNOWN[name](scope, operator, value)
    if name.startswith("photo."):
        return _compare_number(_number(photo_value(scope, name.removeprefix("photo."))), operator, value)
    if item_number(name, 0) is not None:
        return _compare_number(float(item_number(name, scope.index) or 0), operator, value)
    return _compare_value(_value(scope, name), operator, value)


def _value(scope: Scope, name: str) -> str:
    if name in scope.parameters:
        return scope.parameters[name]
    if scope.kind is Kind.SQL_CONTENT and isinstance(scope.item, dict):
        return next((str(text) for key, text in scope.item.items() if key.casefold() == name and text is not None), "")
    if scope.is_of_content and scope.content is not None:
        return scope.source.content_value(scope.content, name, _NO_TEXT)
    return scope.source.channel_value(scope.channel, name, _NO_TEXT)


# ---- comparisons


def _compare_text(text: str, operator: str, value: str) -> bool:
    if operator in {"in", "notin"}:
        return _is_any(text, value) is (operator == "in")
    if operator in {"equals", "notequals"}:
        return _matches(text, value) is (operator == "equals")
    if operator in {"greatthan", "lessthan"}:
        return _compare_number(_number(text), operator, value)
    return False


def _matches(text: str, pattern: str) -> bool:
    text, pattern = text.strip().casefold(), pattern.strip().casefold()
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern


def _is_any(text: str, patterns: str) -> bool:
    return any(_matches(text, pattern) for pattern in patterns.split(","))


def _number(text: str) -> float:
    return float(text) if _NUMBER.fullmatch(text) else 0.0


def _compare_number(number: float, operator: str, value: str) -> bool:
    if operator in {"in", "notin"}:
        return (number in map(_number, value.split(","))) is (operator == "in")
    return _ORDERINGS[operator](number, _number(value)) if operator in _ORDERINGS else False


def _compare_date(moment: datetime | None, operator: str, value: str) -> bool:
    other = _date(value)
    if moment is None or other is None:
        return False
    if operator in {"equals", "notequals"}:
        return (moment.date() == other.date()) is (operator == "equals")
    return _ORDERINGS[operator](moment, other) if operator in _ORDERINGS else False


_ORDERINGS: dict[str, Callable[..., bool]] = {
    "equals": lambda one, other: one == other,
    "notequals": lambda one, other: one != other,
    "greatthan": lambda one, other: one > other,
    "lessthan": lambda one, other: one < other,
}


def _date(text: str) -> datetime | None:
    """Read `now`, a span that has passed since (`3d`), or a date."""
    text = text.strip()
    if text.casefold() == "now":
        return datetime.now()
    if span := _SPAN.fullmatch(text):
        with suppress(OverflowError):
            return datetime.now() - timedelta(hours=int(span[1]) * _HOURS[span[2].lower()])
    if _DATE.fullmatch(text):
        year, month, day, *time = (int(number) for number in re.findall(r"\d+", text))
        hour, minute, second = [*time, 0, 0, 0][:3]
        with suppress(ValueError):
            return datetime(year, month, day, hour, minute, second)
    return None


def _compare_value(text: str, operator: str, value: str) -> bool:
    """Compare a member or custom field, by the form of its value."""
    if operator in {"empty", "notempty"}:
        return (text == "") is (operator == "empty")
    if operator in {"greatthan", "lessthan"} and _DATE.fullmatch(text) and "-" in value:
        return _compare_date(_date(text), operator, value)
    if _NUMBER.fullmatch(text) and operator in {"equals", "notequals"} and _NUMBER.fullmatch(value):
        return _compare_number(float(text), operator, value)
    if operator in {"equals", "notequals"}:
        return (text.strip().casefold() == value.strip().casefold()) is (operator == "equals")
    return _compare_text(text, operator, value)


# ---- known types


def _channel_member(member: str) -> Callable[[Scope, str, str], bool]:
    return lambda scope, operator, value: _compare_text(str(scope.channel[member]), operator, value)


def _is_above(scope: Scope, operator: str, value: str, *, or_self: bool) -> bool:
    way = scope.source.above(scope.page.channel)
    if or_self:
        way = [*way, scope.page.channel]
    if value.strip():
        found = any(_is_any(channel["indexName"], value) for channel in way if channel["indexName"])
    else:
        found = any(channel["id"] == scope.channel["id"] for channel in way)
    return found is not (operator == "notin")


def _in_groups(names: str, operator: str, value: str) -> bool:
    groups = {name.strip() for name in names.split(",") if name.strip()}
    found = not groups.isdisjoint(name.strip() for name in value.split(","))
    if operator in {"empty", "notempty"}:
        return False
    return found is not (operator in {"notin", "notequals"})


def _date_of(member: str) -> Callable[[Scope, str, str], bool]:
    def compare(scope: Scope, operator: str, value: str) -> bool:
        scope.budget.reads_time |= not _DATE.fullmatch(value.strip())
        is_content = scope.is_of_content and scope.content is not None
        record = scope.content if is_content and scope.content is not None else scope.channel
        text = str(record.get(member) or "")
        return _compare_date(datetime.fromisoformat(text) if text else None, operator, value)

    return compare


def _is_odd(scope: Scope, operator: str, value: str) -> bool:
    return scope.index % 2 == 1


def _never(scope: Scope, operator: str, value: str) -> bool:
    """The visitor's session is not known: pages are the same for everyone."""
    return operator in {"notequals", "notin"}


_KNOWN: dict[str, Callable[[Scope, str, str], bool]] = {
    "channelname": _channel_member("channelName"),
    "channelindex": _channel_member("indexName"),
    "templatename": lambda scope, operator, value: _compare_text(scope.page.template_name, operator, value),
    "templatetype": lambda scope, operator, value: _compare_text(scope.page.template_kind, operator, value),
    "toplevel": lambda scope, operator, value: _compare_number(len(scope.source.above(scope.channel)), operator, value),
    "upchannel": lambda scope, operator, value: _is_above(scope, operator, value, or_self=False),
    "upchannelorself": lambda scope, operator, value: _is_above(scope, operator, value, or_self=True),
    "selfchannel": lambda scope, operator, value: (
        (scope.channel["id"] == scope.page.channel["id"]) is not (operator in {"notequals", "notin"})
    ),
    "groupchannel": lambda scope, operator, value: _in_groups(scope.channel["groupNameCollection"], operator, value),
    "groupcontent": lambda scope, operator, value: _in_groups(
        scope.content["groupNameCollection"] if scope.content else "", operator, value
    ),
    "adddate": _date_of("addDate"),
    "lasteditdate": _date_of("lastEditDate"),
    "odditem": _is_odd,
    "isuserloggin": _never,
    "isadministratorloggin": _never,
    "isuseroradministratorloggin": _never,
}
