"""The content list in plain Python: what the endpoint must answer, without an index or a database."""

import re
from datetime import datetime

FLAGS = {"checked": "isChecked", "top": "isTop", "recommend": "isRecommend", "hot": "isHot", "color": "isColor"}
_COMPARE = {
    "=": lambda one, other: one == other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
}


_PARTS = {"StartsWith": str.startswith, "EndsWith": str.endswith, "Contains": str.__contains__}


def list_plainly(records, body):
    """Total and ids of the page; records have a list `above` with their channels besides their members."""
    found = [record for record in records if _matches(record, body)]
    # Python's sort is stable: the least rule goes first.
    for column, descending in reversed(_orders(body)):
        found.sort(key=lambda record, column=column: _sort_key(record.get(column, "")), reverse=descending)
    page, per_page = max(body.get("page", 1), 1), body.get("perPage", 20)
    first = (page - 1) * (per_page if per_page > 0 else 20)
    return len(found), [record["id"] for record in found[first : first + (per_page if per_page > 0 else 20)]]


def _orders(body):
    given = [(order["column"], order["desc"]) for order in body.get("orders", [])]
    if not given:
        return [("isTop", True), ("channelId", True), ("taxis", True), ("id", True)]
    return [*given, ("id", given[-1][1])]


def _sort_key(value):
    return (value is not None, value)


def _matches(record, body):
    return (
        body.get("channelId", record["siteId"]) in record["above"]
        and all(record[member] == body[name] for name, member in FLAGS.items() if name in body)
        and _has_any(record["groupNameCollection"], body.get("groupNames"))
        and _has_any(record["tags"], body.get("tagNames"))
        and all(_lets_through(entry, record) for entry in body.get("wheres", []))
    )


def _lets_through(entry, record):
    if "any" in entry:
        return any(_lets_through(part, record) for part in entry["any"])
    if "all" in entry:
        return all(_lets_through(part, record) for part in entry["all"])
    if "not" in entry:
        return not _lets_through(entry["not"], record)
    return _holds(record.get(entry["column"], ""), entry)


def _has_any(joined, names):
    return not names or bool({part.strip(" ") for part in joined.split(",")} & set(names))


def _holds(value, where):
    operator = where.get("operator", "=")
    if operator in {"!=", "NotIn", "NotLike"}:
        positive = {"!=": "=", "NotIn": "In", "NotLike": "Like"}[operator]
        return not _holds(value, where | {"operator": positive})
    if operator == "IsNull":
        return (value in (None, "")) == (str(where.get("value", "true")).lower() == "true")
    if value is None:
        return False
    if operator in _PARTS:
        return _PARTS[operator](_text(value).lower(), where["value"].lower())
    if operator == "Between":
        first, last = (_typed(part.strip(), value) for part in where["value"].split(","))
        return first <= value <= last
    if operator == "Like":
        return _is_like(_text(value), where["value"])
    if operator == "In":
        parts = (part.strip() for part in str(where["value"]).split(","))
        return any(value == _typed(part, value) for part in parts if part)
    return _COMPARE[operator](value, _typed(str(where["value"]), value))


def _typed(text, like):
    if isinstance(like, bool):
        return text.lower() == "true"
    if isinstance(like, int):
        return int(text)
    return datetime.fromisoformat(text) if isinstance(like, datetime) else text


def _text(value):
    return value.isoformat(" ") if isinstance(value, datetime) else str(value)


def _is_like(text, pattern):
    parts = {"%": ".*", "_": "."}
    regex = "".join(parts.get(letter, re.escape(letter)) for letter in pattern.lower())
    return re.fullmatch(regex, text.lower(), re.DOTALL) is not None
