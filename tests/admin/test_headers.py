"""What a browser may do with pages of the back end, and that no page needs more."""

import json
from contextlib import suppress

import pytest
from django.contrib import admin
from django.urls import NoReverseMatch, reverse

from core.lib.media_storage import media_sources
from tests.admin.markup import Forbidden, offences
from tests.factories import AdministratorFactory, ApiKeyFactory, ContentFactory, SiteFactory, UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
SIGN_IN = "/admin/login/"
POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
}
EXPLORER = "/api/docs/"
# Pictures that a call has answered are shown there.
FURTHER = {EXPLORER: {"img-src 'self' data:": "img-src 'self' data: blob:"}}
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@pytest.mark.parametrize(
    "place",
    [SIGN_IN, "/admin/", "/nothing", "/admin/nothing/", "/admin/jsi18n/", "/admin/logout/", "/", EXPLORER],
)
def test_every_page_has_the_policy_and_is_kept_by_nobody(highest, place):
    answer = highest.get(place)
    expected = {FURTHER.get(place, {}).get(rule, rule) for rule in POLICY}
    assert set(answer["Content-Security-Policy"].split("; ")) == expected
    assert "no-store" in answer["Cache-Control"]
    assert "camera=()" in answer["Permissions-Policy"]
    assert {name: answer[name] for name in HEADERS} == HEADERS


@pytest.mark.parametrize(
    ("address", "sources"),
    [
        ("media/", []),
        ("https://media.example.org/files/", ["https://media.example.org"]),
        ("http://name:secret@cdn.example.org:8080/", ["http://cdn.example.org:8080"]),
    ],
)
def test_pictures_may_come_from_the_host_of_media(address, sources):
    assert media_sources(address) == sources


def records():
    """The page of one record of each kind that factories make."""
    content = ContentFactory(title='<img src=x onerror="alert(1)">', channel__channel_name="<script>alert(1)</script>")
    made = [content, content.channel, content.site, UserFactory(), ApiKeyFactory(), AdministratorFactory()]
    return {type(record): record for record in made}


def pages(found=None):
    """The addresses of all lists, forms, records, histories and whatever else a page of records has."""
    found = found or records()
    for model, page in admin.site._registry.items():
        yield reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist") + "?q=harbour"
        for pattern in page.get_urls():
            for arguments in ([], [found[model].pk] if model in found else []):
                with suppress(NoReverseMatch):
                    yield reverse(f"admin:{pattern.name}", args=arguments)
    yield from ("/admin/", "/admin/password_change/", SIGN_IN, "/nothing", "/", "/api/docs/")


def test_no_page_holds_a_script_a_second_style_sheet_or_an_address_elsewhere(highest, django_assert_max_num_queries):
    found = {}
    for place in pages():
        with django_assert_max_num_queries(30):
            answer = highest.get(place)
        assert answer.status_code < 500, place
        # What writers wrote has a policy of its own: it may have styles, and do nothing.
        is_ours = answer["Content-Type"].startswith("text/html") and "sandbox" not in answer["Content-Security-Policy"]
        if is_ours and (wrong := offences(answer)):
            found[place] = wrong
        # The pages of the explorer are those of a package, which has a style sheet of its own.
        if (
            is_ours
            and b"<head>" in answer.content
            and place != "/api/docs/"
            and answer.content.count(b'rel="stylesheet"') != 1
        ):
            found[place] = "style sheets"
    assert found == {}


def test_signing_out_and_in_hold_none_either(highest):
    assert offences(highest.post("/admin/logout/")) == []
    assert offences(highest.get(SIGN_IN)) == []


@pytest.mark.parametrize(
    "text",
    [
        '<p style="color: red">',
        '<a href="#" onclick="x()">',
        "<script>x()</script>",
        "<style>p {}</style>",
        '<a href=" javascript:x()">',
        '<link href="https://elsewhere.example/x.css">',
        '<script src="//elsewhere.example/x.js"></script>',
        '<base href="/">',
    ],
)
def test_what_is_forbidden_is_found(text):
    assert len(Forbidden(text).offences) == 1


def test_a_page_of_many_sites_and_a_list_of_them_cost_few_statements(highest, django_assert_max_num_queries):
    for _ in range(20):
        SiteFactory()
    with django_assert_max_num_queries(12):
        highest.get("/admin/cms_sites/site/")


def test_answers_for_scripts_are_kept_by_nobody(highest):
    # What a page fetches by itself, such as the names of a field that completes them.
    answer = highest.get("/admin/autocomplete/")
    assert "no-store" in answer["Cache-Control"]
    if answer["Content-Type"] == "application/json":
        json.loads(answer.content)
