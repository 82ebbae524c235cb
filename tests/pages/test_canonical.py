"""The link that tells search engines the address of a page."""

import pytest

from pages.models import TemplateKind
from tests.pages.showing import Museum

pytestmark = pytest.mark.django_db

LIST = '<HEAD></Head><stl:pageContents pageNum="1">x</stl:pageContents>'
OWN = {"isSeparatedWeb": True, "separatedWebUrl": "https://museum.example.org/a b/"}


@pytest.fixture
def museum():
    museum = Museum()
    museum.site.settings = OWN
    museum.site.save()
    return museum


@pytest.mark.parametrize(("number", "suffix"), [(1, ""), (2, "_2")])
def test_a_page_of_a_site_with_a_host_names_its_address(museum, number, suffix):
    url = f"https://museum.example.org/museum/channels/{museum.news.pk}{suffix}.html"
    shown = museum.show(LIST, museum.news, number=number)
    assert shown == f'<HEAD><link rel="canonical" href="{url}" /></Head>x'


@pytest.mark.parametrize("text", ["<head><LINK REL=Canonical href='/x'></head>", "no head"])
def test_what_a_template_says_itself_stays(museum, text):
    assert museum.show(text, museum.news) == text


def test_other_pages_have_none(museum):
    assert museum.show("<head></head>", kind=TemplateKind.FILE) == "<head></head>"
    museum.site.settings = {}
    museum.site.save()
    assert museum.show("<head></head>") == "<head></head>"
