"""Codes of errors: common ones, and further ones of each operation."""

from collections import Counter

from tools.reference.markdown import table
from tools.reference.schemas import OPERATIONS, resolved


def common_errors():
    """The codes that operations have in common, as a table."""
    return table(("Operations", "Codes"), ((words, _linked(codes)) for words, _has, codes in _GROUPS if codes))


def errors_of(verb, path, operation):
    """The further codes of an operation in one line; an alias has its original's."""
    if "x-alias-of" in operation:
        return ""
    codes = _codes(operation) - set().union(*(codes for _words, has, codes in _GROUPS if has(verb, path, operation)))
    return f"**Errors.** {_linked(codes)}." if codes else ""


def _codes(operation):
    return {
        (status, code)
        for status, response in operation["responses"].items()
        for code in resolved(response).get("x-codes", ())
    }


def _linked(codes):
    by_status = {}
    for status, code in sorted(codes):
        by_status.setdefault(status, []).append(f"[`{code}`](codes.md#{code})")
    return "; ".join(f"{status} {', '.join(links)}" for status, links in by_status.items())


def _sends(name):
    return lambda _verb, _path, operation: any(
        resolved(each)["name"] == name for each in operation.get("parameters", ())
    )


def _has_in_path(name):
    return lambda _verb, path, _operation: f"{{{name}" in path


def _groups():
    """Words, condition and codes of each group, without the codes that a group around it has."""
    originals = [each for each in OPERATIONS if "x-alias-of" not in each[2]]
    counts = Counter(code for each in originals for code in _codes(each[2]))
    groups = [("most", lambda *_operation: True, {code for code, n in counts.items() if n > len(originals) / 2})]
    for words, has in _CONDITIONS:
        members = [each for each in OPERATIONS if has(*each)]
        around = [codes for _words, has_too, codes in groups if all(has_too(*each) for each in members)]
        codes = set.intersection(*(_codes(each[2]) for each in members))
        groups.append((words, has, codes.difference(*around)))
    return groups


_CONDITIONS = (
    ("with a parameter in the path", _has_in_path("")),
    ("with `siteId` in the path", _has_in_path("siteId")),
    ("with `channelId` in the path", _has_in_path("channelId")),
    ("with a body", lambda _verb, _path, operation: "requestBody" in operation),
    ("with `Idempotency-Key`", _sends("Idempotency-Key")),
    ("with `If-Match`", _sends("If-Match")),
)
_GROUPS = _groups()
