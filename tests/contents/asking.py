"""How tests ask for a list, and what they claim of the answer."""

from urllib.parse import urlencode

PATH = "/api/v1/contents"


def query(api, path, **parameters):
    """The answer to a GET of the path with these parameters."""
    return api.get(f"{path}?{urlencode(parameters)}")


def ask(api, site, **body):
    """The answer to a list request on the site."""
    return api.post(PATH, {"siteId": site.pk, **body})


def read(api, site, **body):
    """The body of an answer that is a success."""
    response = ask(api, site, **body)
    assert response.status_code == 200, response.content
    return response.json()


def titles(api, site, **body):
    """The titles of the whole list, in its order."""
    answer = read(api, site, **{"perPage": 1000} | body)
    assert answer["totalCount"] == len(answer["contents"])
    return [record["title"] for record in answer["contents"]]


def found(api, site, *wheres, **body):
    """The titles that the rules (column, operator, value) let through, as one sorted text."""
    rules = [{"column": column, "operator": operator, "value": value} for column, operator, value in wheres]
    return "".join(sorted(titles(api, site, wheres=rules, **body)))
