"""The README's tables say what the code says."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.urls import URLPattern, URLResolver, get_resolver

from cms_api import settings
from cms_api.operation.serving.environment import ENVIRONMENT
from tests.routes import path_of

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """The rows of the first table below a heading, each cell without its back-quotes."""
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    first = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert first, f"There is no table below {heading}."
    rows = first[0].splitlines()[2:]
    return [[cell.strip().replace("`", "") for cell in row.strip("|").split("|")] for row in rows]


def as_text(default: object) -> str:
    if isinstance(default, list):
        return ",".join(default) or "empty"
    return str(default) or "empty"


def routes(patterns: list[URLPattern | URLResolver], prefix: str = "") -> list[tuple[str, str]]:
    """Every route under /api/v1 with each of its verbs, written as the README does."""
    found = []
    for pattern in patterns:
        path = prefix + path_of(pattern)
        if isinstance(pattern, URLResolver):
            found += routes(pattern.url_patterns, path)
        elif path.startswith("api/v1/"):
            names = re.sub(r"<(?:id:)?(\w+)>", r"{\1}", path.removeprefix("api/v1"))
            names = names.replace("{site_id}", "{siteId}").replace("{channel_id}", "{channelId}")
            names = re.sub(r"{(content|user|administrator)_id}", "{id}", names)
            view = pattern.callback.view_class
            found += [(verb, names) for verb in ("GET", "POST", "PUT", "DELETE") if hasattr(view, verb.lower())]
    return found


def test_the_table_of_settings_is_that_of_the_code():
    documented = {name: default for name, default, _ in table("Settings")}
    coded = {name: as_text(default) for name, (_, default) in settings.ENVIRONMENT.items()}
    assert documented == coded | ENVIRONMENT


def test_the_table_of_endpoints_is_that_of_the_code():
    documented = [(verb, path) for verb, path, _, _ in table("Endpoints")]
    assert sorted(documented) == sorted(routes(get_resolver().url_patterns))


def test_every_command_of_ours_is_in_the_table():
    documented = {row[0].split()[0] for row in table("Commands")}
    own = {name for name, app in get_commands().items() if (ROOT / app).is_dir()}
    assert own <= documented


@pytest.mark.parametrize("name", [row[0].split()[0] for row in table("Commands")])
def test_a_documented_command_exists_and_explains_itself(name):
    command = load_command_class(get_commands()[name], name)
    assert command.help


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#:]+)\)", README))
def test_a_link_leads_to_a_file(link):
    assert (ROOT / link).exists()
