"""Records: tables of their members; examples of requests."""

import json
import re

from tools.reference.markdown import table
from tools.reference.schemas import OPERATIONS, RECORDS, SCHEMAS, kind, link, meaning, reached, resolved, variants

_EXAMPLE_LENGTH = 160  # characters of a text
_SHOWN = 6  # members of an object
_NESTED = 3  # members of an object in another one
_ALIKE = 10  # members that make a record a variant of another one
_MANY = 40  # values of an enumeration that has a page of its own
_STORED = " Stored only."
_STORED_ONLY = """The service stores and returns these settings and does not use them. Their meaning in SiteServer CMS
is in the [OpenAPI document](../../core/openapi/openapi.json)."""
_VALUES = re.compile(r"(?:(?:One of|Range:|Default:|A number of|A date and time such as) |\(≤ ).*")
# Sentences that differ between requests and responses.
_OF_REQUESTS = re.compile(r" (Default: .+|At most [\d,]+ characters\.|Of any length\.|0 or more\.|From \S+ to \S+)$")


def record(name):
    """A record with its members; members only of requests or only of responses are marked."""
    schema = SCHEMAS[name]
    parts = (
        f"### {name}",
        "" if _stored(schema) else meaning(schema),
        _members_of(name) if schema.get("properties") else _choices(schema),
    )
    return "\n\n".join(filter(None, parts))


def as_json(value):
    """An example as a code block, shortened."""
    return f"```json\n{json.dumps(_shortened(value), ensure_ascii=False, indent=2)}\n```"


def _choices(schema):
    if len(schema.get("enum", ())) > _MANY:
        return "One of the [codes](codes.md)."
    return f"{kind(schema, is_sent=True, link=link)}."


def _members_of(name):
    base, rows = _base_of(name), _rows(name)
    head = ("Member", "Type", "Meaning")
    stored = [each for each in rows if _STORED in each[2]]
    if not base:
        return "\n\n".join(
            filter(
                None,
                [
                    table(head, [each for each in rows if each not in stored]),
                    _STORED_ONLY if stored else "",
                    table((*head[:2], "Values"), [(*each[:2], _values_of(each[2])) for each in stored]),
                ],
            )
        )
    known = SCHEMAS[base]["properties"]
    missing = [f"`{each}`" for each in known if each not in SCHEMAS[name]["properties"]]
    rest = [each for each in rows if not _is_known(each[0].strip("`").partition("`")[0], name, base)]
    words = f"The members of {link(base)}{'' if name in _SENT or not _is_varied(base) else ' in responses'}"
    words += f" except {', '.join(missing)}" if missing else ""
    required = [f"`{each}`" for each in SCHEMAS[name].get("required", ()) if each in known and _is_varied(base)]
    words += f"; {', '.join(required)} is required" if required and name in _SENT else ""
    return f"{words}. Further members:\n\n{table(head, rest)}" if rest else f"{words}."


def _values_of(meaning):
    """The rest of the meaning of a setting, after its first sentences."""
    found = _VALUES.search(meaning.replace(_STORED, ""))
    return found[0] if found else ""


def _rows(name):
    """Members as rows: name, type, meaning."""
    schema, uses = SCHEMAS[name], {use: SCHEMAS[each] for use, each in variants(name) if each in SCHEMAS}
    members = dict(schema["properties"])
    for variant in reversed(uses.values()):
        for member, sent in variant.get("properties", {}).items():
            # The bounds of a value are stated for requests.
            members[member] = sent | {"description": members.get(member, sent)["description"]}
    group = _group_in(members.keys() - schema["properties"])
    rows = []
    for member, each in members.items():
        if member in SCHEMAS.get(group, {}).get("properties", {}):
            continue
        sent_to = [use for use, variant in uses.items() if member in variant.get("properties", {})]
        required = member in (uses.get("create") or (schema if name in _SENT else {})).get("required", ())
        is_sent = name in _SENT or bool(sent_to)
        marks = f"{', required' if required else ''}{_mark(member, schema, uses, sent_to)}"
        rows.append((f"`{member}`{marks}", kind(each, is_sent=is_sent, link=link), meaning(each)))
    if group:
        rows.append((f"any member of {link(group)}, write-only", "as the member", "A setting of the record."))
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        rows.append(("any other", kind(others, is_sent=bool(uses), link=link), meaning(others)))
    return rows


def _mark(member, schema, uses, sent_to):
    if not uses:
        return ""
    if member not in schema["properties"]:
        return ", write-only"
    return {0: ", read-only", len(uses): ""}.get(len(sent_to), f", {' '.join(sent_to)} only")


def _group_in(members):
    """A record all of whose members are among these, if there is one."""
    found = (each for each in RECORDS if len(SCHEMAS[each].get("properties", ())) >= _ALIKE)
    return next((each for each in found if SCHEMAS[each]["properties"].keys() <= members), None)


def _base_of(name):
    """The record that explains most members of this one, if there is one."""
    members = SCHEMAS[name].get("properties", {})
    for base in RECORDS:
        if base.endswith("V7"):  # an alias of another record
            continue
        known = SCHEMAS[base].get("properties", {})
        common = sum(_is_known(each, name, base) for each in members)
        if base != name and (common >= max(_ALIKE, 0.7 * len(members)) and _is_varied(base)):
            return base
        if base != name and not _is_varied(name) and len(members) > common == len(known) > 1:
            return base
    return None


def _is_varied(name):
    return any(each in SCHEMAS for _use, each in variants(name))


def _is_known(member, name, base):
    own, other = (resolved(SCHEMAS[each]).get("properties", {}).get(member) for each in (name, base))
    return bool(own and other) and _without_bounds(own) == _without_bounds(other)


def _without_bounds(schema):
    text = schema.get("description", "")
    while text != (text := _OF_REQUESTS.sub("", text)):
        pass
    return text


def _stored(schema):
    return any(_STORED in each.get("description", "") for each in schema.get("properties", {}).values())


def _shortened(value, depth=0):
    if isinstance(value, dict):
        shown = {name: _shortened(each, depth + 1) for name, each in value.items()}
        most = _NESTED if depth else _SHOWN
        return shown if len(shown) <= most + 1 else dict(list(shown.items())[:most]) | {"…": "…"}
    if isinstance(value, list):
        return [_shortened(each, depth) for each in (value[:1] if value and isinstance(value[0], dict) else value)]
    if isinstance(value, str) and len(value) > _EXAMPLE_LENGTH:
        return f"{value[:_EXAMPLE_LENGTH]}…"
    return value


_SENT = reached([operation["requestBody"] for _verb, _path, operation in OPERATIONS if "requestBody" in operation])
