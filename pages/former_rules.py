"""Former addresses of contents whose rule shows the content's id, which need no row.

Such an address belongs to the content whose id it has, if it fits a rule that the site has or had: the other tokens may
have any value. It thus survives moves, edits and new names of channels, also those made by SQL.
"""

from collections.abc import Iterable

from channels_app.page_paths import Pages
from contents.navigation.page_urls import SYNONYMS
from pages.content_resolver import NUMBERS, shows
from pages.models import FormerRule
from sites.page_rules import CONTENT_RULE, Parts, Token, parse_rule, squeeze

_MAX_RULES, _MAX_NUMBERS = 100, 16  # that are compared with a path
_MAX_LENGTH = FormerRule._meta.get_field("rule").max_length or 0


def rules_of(pages: Pages | None) -> set[str]:
    """Return the rules that name pages of contents; `pages` as `content_pages` returns them."""
    return {CONTENT_RULE} if pages is None else pages.content_rules


def shows_id(rule: str) -> bool:
    return shows(parse_rule(rule), "id")


def remember(site_id: int, rules: Iterable[str]) -> None:
    found = [FormerRule(site_id=site_id, rule=rule) for rule in rules if len(rule) <= _MAX_LENGTH and shows_id(rule)]
    FormerRule.objects.bulk_create(found, ignore_conflicts=True)


def ids_in(path: str, rules: Iterable[str]) -> set[int]:
    """Return the ids of contents that may have had the path by one of the rules."""
    parts = [parse_rule(rule) for rule in list(rules)[:_MAX_RULES] if shows_id(rule)]
    numbers = {int(number) for number in NUMBERS.findall(path)[-_MAX_NUMBERS:]}
    return {number for number in numbers if any(_fits(path, each, number) for each in parts)}


def _fits(path: str, parts: Parts, number: int) -> bool:
    """Compare from left to right without trying again, so that no path takes long."""
    first, *others = _texts(parts, number)
    if not others:
        return path == first
    if not path.startswith(first):
        return False
    end = len(first)
    for text in others[:-1]:
        if (found := path.find(text, _from(path, end, text))) < 0:
            return False
        end = found + len(text)
    return path.endswith(others[-1]) and len(path) - len(others[-1]) >= _from(path, end, others[-1])


def _from(path: str, end: int, text: str) -> int:
    # A value between two slashes may be empty; paths have no two slashes in a row.
    return end - 1 if text.startswith("/") and path[end - 1] == "/" else end


def _texts(parts: Parts, number: int) -> list[str]:
    """Return the texts between the values that are not known."""
    texts = ["/"]
    for part in parts:
        if isinstance(part, str):
            texts[-1] += part
        elif isinstance(part, Token) and SYNONYMS.get(part.name, part.name) == "id":
            texts[-1] += str(number)
        else:
            texts.append("")
    return [squeeze(text) for text in texts]
