"""Parameters of operations: tables of them, and links to parameters in other tables."""

from collections import defaultdict
from itertools import groupby

from tools.reference.markdown import table
from tools.reference.schemas import DOCUMENT, SCHEMAS, kind, link, meaning, operations_of, resolved, slug

_FILTER = "Only contents with this value of "  # how the description of such a parameter begins
_RUN = 3  # so many neighbours of a table are one link


def common_parameters(tag=None):
    """The table of the parameters that several operations of a tag share, or operations of several tags."""
    return _table([parameter for parameter, home in _HOMES.values() if home == _common_table(tag)])


def parameters_of(tag, operation):
    """The table of the operation's own parameters, and links to the others."""
    own, others = [], []
    for parameter in map(resolved, operation.get("parameters", ())):
        home = _HOMES[_key_of(parameter)][1]
        is_own = home == f"{slug(tag)}.md#{operation['operationId']}"
        if is_own:
            own.append(parameter)
        elif parameter["in"] != "path":
            others.append((parameter, home))
    runs = groupby(sorted(others, key=lambda each: _ORDER[_key_of(each[0])]), key=_Runs())
    links = [link for (home, _number), run in runs for link in _links([each for each, _home in run], home, slug(tag))]
    return "\n\n".join(filter(None, [_table(own), f"**Also:** {', '.join(links)}." if links else ""]))


class _Runs:
    """Gives parameters of one table that follow each other there the same value."""

    def __init__(self):
        self._last, self._number = ("", -2), 0

    def __call__(self, found):
        parameter, home = found
        place = (home, _PLACES[_key_of(parameter)])
        if place != (self._last[0], self._last[1] + 1):
            self._number += 1
        self._last = place
        return home, self._number


def _links(parameters, home, page):
    address = home.removeprefix(f"{page}.md")
    filters, rest = _split(parameters)
    links = [f"[a member of a content]({address})"] if filters else []
    names = [f"`{each['name']}`" for each in rest]
    if len(names) < _RUN or home == _common_table(None):
        return links + [f"[{name}]({address})" for name in names]
    return [*links, f"[{names[0]} to {names[-1]}]({address})"]


def _table(parameters):
    """The parameters as rows; filters by a member of a content are one row."""
    filters, rest = _split(parameters)
    rows = [_filter_row(filters)] if filters else []
    rows += [
        (
            f"`{each['name']}`{_WHERE[each['in']]}{', required' if _is_required(each) else ''}",
            kind(each["schema"], is_sent=True, link=link),
            meaning(each["schema"], each["description"]),
        )
        for each in rest
    ]
    return table(("Parameter", "Type", "Meaning"), rows)


def _is_required(parameter):
    return parameter.get("required") and parameter["in"] != "path"


def _filter_row(filters):
    names = {each["name"] for each in filters}
    others = " and ".join(f"`{name}`" for name in SCHEMAS["Content"]["properties"] if name not in names)
    return (
        f"any member of {link('Content')} except {others}",
        "as the member",
        f"{_FILTER}the member. Default: any value, but only approved contents.",
    )


def _split(parameters):
    filters = [each for each in parameters if each["description"].startswith(_FILTER)]
    filters = filters if len(filters) > 1 else []
    return filters, [each for each in parameters if each not in filters]


def _key_of(parameter):
    return parameter["name"], parameter["in"], parameter["description"]


def _common_table(tag):
    return f"{slug(tag) if tag else 'api'}.md#common-parameters"


def _homes():
    """Each parameter with the page and anchor that explain it."""
    users, found = defaultdict(list), {}
    for tag in DOCUMENT["tags"]:
        for _verb, _path, operation in operations_of(tag["name"]):
            if "x-alias-of" in operation:  # it has the parameters of its original
                continue
            for parameter in map(resolved, operation.get("parameters", ())):
                users[_key_of(parameter)].append((tag["name"], operation["operationId"]))
                found[_key_of(parameter)] = parameter
    homes = {}
    for key, parameter in found.items():
        tags = [tag for tag, _operation in users[key]]
        if len(set(tags)) > 1 and parameter["in"] != "query":
            home = _common_table(None)
        elif tags.count(tags[0]) > 1:
            home = _common_table(tags[0])
        else:
            home = f"{slug(tags[0])}.md#{users[key][0][1]}"
        homes[key] = parameter, home
    return homes


def _places():
    """The place of each parameter in its table, filters first."""
    by_home = defaultdict(list)
    for parameter, home in _HOMES.values():
        by_home[home].append(parameter)
    return {
        _key_of(parameter): place
        for parameters in by_home.values()
        for place, parameter in enumerate([each for part in _split(parameters) for each in part])
    }


_WHERE = {"query": "", "path": ", in the path", "header": ", header"}
_HOMES = _homes()
_PLACES = _places()
_ORDER = {key: (home == _common_table(None), home, _PLACES[key]) for key, (_parameter, home) in _HOMES.items()}
