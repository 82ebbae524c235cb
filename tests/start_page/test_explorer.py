"""The explorer's page: who gets it, what it may load, and what stays the API's."""

import re

import pytest
from django.contrib.staticfiles.finders import find
from django.core.management import call_command

from cms_api.start_page.swagger_files import NAMES
from tests.admin.markup import offences
from tests.assertions import assert_error

PLACE = "/api/docs/"


@pytest.mark.parametrize("place", [PLACE, "/api/docs"])
def test_it_is_open_with_a_slash_and_without(client, place, django_assert_num_queries, db):
    with django_assert_num_queries(0):
        answer = client.get(place)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert 'id="explorer"' in answer.content.decode()


@pytest.mark.parametrize("place", [PLACE, "/api/docs"])
def test_switched_off_it_is_a_path_that_leads_nowhere(client, settings, place):
    settings.CMS_EXPLORER = False
    assert_error(client.get(place), 404, "route_not_found")


@pytest.mark.parametrize(
    "place", ["/api/docs/nothing", "/api/docs//", "/api/docs/index.html", "/api/docsx", "/API/docs"]
)
def test_what_is_below_it_or_beside_it_is_the_api_s_404_as_before(client, place):
    answer = client.get(place)
    if place.startswith("/api/"):
        assert_error(answer, 404, "route_not_found")
    else:
        assert answer.status_code == 404


def test_it_has_the_policy_of_all_pages_and_may_show_pictures_that_calls_have_answered(client):
    answer = client.get(PLACE)
    assert offences(answer) == []
    policy = set(answer["Content-Security-Policy"].split("; "))
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:"} <= policy
    assert answer["X-Frame-Options"] == "DENY"
    assert "no-store" in answer["Cache-Control"]


def test_it_is_no_answer_of_the_api_that_pages_elsewhere_could_read(client):
    answer = client.get(PLACE, headers={"Origin": "https://elsewhere.example"})
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_it_is_for_reading_only(client):
    assert client.head(PLACE).status_code == 200
    assert client.post(PLACE).status_code == 405


def test_a_key_in_its_address_gets_no_further(client):
    answer = client.get(f"{PLACE}?apiKey=ssk1_secret&x=1")
    assert "ssk1_secret" not in answer.content.decode()


def test_below_a_prefix_it_calls_the_api_there(client, below_prefix):
    assert 'data-prefix="/cms/"' in client.get(PLACE, **below_prefix).content.decode()


def test_it_speaks_the_language_of_the_visitor(client):
    answer = client.get(PLACE, headers={"Accept-Language": "zh-CN"})
    assert '<html lang="zh-hans"' in answer.content.decode()


def test_its_own_words_are_in_both_languages(client):
    words = [
        dict(
            re.findall(
                r'data-([a-z]+)="([^"]+)"', client.get(PLACE, headers={"Accept-Language": each}).content.decode()
            )
        )
        for each in ("en", "zh-CN")
    ]
    english, chinese = words
    own = ("about", "answer", "answered", "find", "nothing", "such")
    assert [name for name in own if not re.search("[\u4e00-\u9fff]", chinese[name])] == []
    assert [name for name in own if not re.fullmatch("[ -~]+", english[name])] == []
    # What the scripts fill in.
    for found in words:
        assert "{status}" in found["answered"]
        assert "{value}" in found["such"]


def test_what_it_loads_is_among_the_static_files(client):
    named = re.findall(r'(?:src|href)="/static/([^"]+)"', client.get(PLACE).content.decode())
    # Where another test has collected them, their names hold a digest.
    loaded = [re.sub(r"\.[0-9a-f]{12}(?=\.\w+$)", "", name) for name in named]
    assert {"swagger-ui/swagger-ui-bundle.js", "swagger-ui/swagger-ui.css", "start_page/explorer.js"} <= set(loaded)
    assert [name for name in loaded if find(name) is None] == []


def test_nothing_else_of_the_package_is_served(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    call_command("collectstatic", verbosity=0, interactive=False, post_process=False)
    collected = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert {name for name in collected if "swagger" in name} == {f"swagger-ui/{name}" for name in NAMES}
    assert not any("redoc" in name for name in collected)


@pytest.mark.parametrize("name", ["oauth2-redirect.html", "../redoc/LICENSE", "swagger-ui-bundle.js.map", ""])
def test_no_other_file_is_found_while_they_are_not_collected(name):
    assert find(f"swagger-ui/{name}") is None
