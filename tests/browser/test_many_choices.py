"""Many sites and groups in a browser: the last of them is found by typing and chosen by the keyboard alone."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers
from tools.browser import Desk
from tools.servers import Installation

_CROWD = """
from channels_app.models import Channel
from contents.models import Content, ContentBody, ContentGroup
from sites.models import Site
Site.objects.bulk_create(Site(pk=n, site_name=f"Quay {n - 10000:03}", site_dir=f"quay{n}") for n in range(10000, 10300))
Channel.objects.bulk_create(Channel(pk=n, site_id=n, channel_name=f"Home {n}", taxis=1) for n in range(10000, 10300))
lighthouse = {"site_id": 10299, "parent_id": 10299, "parents_path": "10299", "channel_name": "Lighthouse"}
Channel.objects.create(pk=20000, taxis=2, **lighthouse)
ContentGroup.objects.bulk_create(ContentGroup(site_id=10299, group_name=f"g{n:03}", taxis=n) for n in range(600))
for n in (10000, 10299):
    made = Content.objects.create(site_id=n, channel_id=n, title=f"Of {n}", taxis=1, group_name_collection="")
    ContentBody.objects.create(content=made, text="")
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """An installation with 300 sites, of which the last has 600 groups."""
    installation = Installation(tmp_path_factory.mktemp("crowd"))
    installation.manage("shell", "--no-imports", "-c", _CROWD)
    with installation.serve() as server:
        yield Desk(installation, server, "Sign-in:  root / harbour-21")


def combobox(page, select):
    return page.locator(f".combobox:has(+ p + {select}) input")


def find(page, select, words):
    """Find a choice by typing, and take over the first one, by the keyboard alone."""
    combobox(page, select).focus()
    page.keyboard.type(words)
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("listbox")).to_have_count(0)


def press_down_to(page, words):
    """Tab to the button with these words and press it."""
    for _step in range(60):
        page.keyboard.press("Tab")
        named = page.evaluate("document.activeElement.value || document.activeElement.textContent")
        if (named or "").strip() == words:
            with page.expect_navigation():
                page.keyboard.press("Enter")
            return
    raise AssertionError(f"No button {words} behind {page.evaluate('document.activeElement.outerHTML')}")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_last_site_is_chosen_on_the_list(visit, sign_in, width):
    with visit(width=width) as page:
        sign_in(page)
        page.goto("/admin/contents/content/")
        page.locator(".filter-fields > summary").focus()
        page.keyboard.press("Enter")
        find(page, "#filter-site__id__exact", "quay 299")
        assert barriers(page, ".filter-bar") == []
        press_down_to(page, "Show")
        assert page.locator(".chip").inner_text().startswith("Site: Quay 299")
        assert page.locator(".headline").all_inner_texts() == ["Of 10299"]


def test_a_search_changes_nothing_until_something_is_chosen(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/contentgroup/add/")
        page.evaluate("document.getElementById('id_site').addEventListener('change', () => document.title += '!')")
        title, site = page.title(), page.locator("#id_site")
        field = page.get_by_role("combobox", name="Site")
        find(page, "#id_site", "quay 017")
        assert (site.input_value(), field.input_value(), page.title()) == ("10017", "Quay 017", f"{title}!")
        for words in ("quay 29", "nothing is called so", ""):
            field.fill(words)
            expect(page.get_by_role("status").filter(has_text="Found:")).to_be_visible()
            assert site.input_value() == "10017"
            page.keyboard.press("Escape" if words else "Tab")
            expect(field).to_have_value("Quay 017")
        assert page.title() == f"{title}!"


def test_a_long_list_shows_some_choices_around_the_chosen_one(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/contentgroup/add/")
        find(page, "#id_site", "quay 150")
        page.get_by_role("combobox", name="Site").click()
        options = page.get_by_role("option")
        expect(options).to_have_count(50)
        chosen = page.get_by_role("option", selected=True)
        assert chosen.inner_text() == "Quay 150"
        expect(chosen).to_be_in_viewport()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert page.locator("#id_site").input_value() == "10151"


@pytest.mark.parametrize(
    ("address", "select", "button", "then"),
    [
        ("/admin/contents/content/add/", "#id_site", "Next", "site=10299"),
        ("/admin/contents/content/import/", "#id_site__id__exact", "Next", "site__id__exact=10299"),
        ("/admin/channels_app/channel/add/", "#id_below", "Next", "below=10299"),
        ("/admin/contents/contentgroup/", "#filter-by-site", "Show", "site__id__exact=10299"),
    ],
)
def test_the_last_site_is_chosen_on_the_pages_that_ask_for_one(visit, sign_in, address, select, button, then):
    with visit() as page:
        sign_in(page)
        page.goto(address)
        if (filters := page.locator(".filter-fields > summary")).count():
            filters.press("Enter")
        find(page, select, "299")
        press_down_to(page, button)
        assert then in page.url


def test_a_site_above_may_be_chosen_in_the_wizard_or_none(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/cms_sites/site/add/")
        assert page.locator("#id_parent").input_value() == ""
        page.fill("#id_site_name", "Pier")
        page.fill("#id_site_dir", "pier")
        find(page, "#id_parent", "quay 299")
        assert page.input_value("#id_parent") == "10299"
        press_down_to(page, "Continue")
        assert "step=begin" in page.url


def test_the_last_group_is_chosen_in_an_act_and_in_the_form(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/content/?site__id__exact=10299")
        number = page.locator(".headline").get_attribute("href").split("/")[-3]
        page.goto(f"/admin/contents/content/actions/add-group/?ids={number}")
        find(page, "#id_group", "g599")
        press_down_to(page, page.locator("input.default").input_value())
        page.goto(f"/admin/contents/content/{number}/change/")
        page.get_by_role("tab", name="Sorting").click()
        page.get_by_role("combobox", name="Groups").press_sequentially("g59")
        expect(page.get_by_role("option")).to_have_count(11)  # and to add one of that name
        expect(page.locator(".tokens li")).to_contain_text("g599")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_group_is_limited_to_a_channel_found_by_its_name(visit, sign_in, width):
    with visit(width=width) as page:
        sign_in(page)
        page.goto("/admin/auth/group/add/")
        page.locator("#id_name").fill(f"keepers {width}")
        page.locator("#id_more_branches").focus()
        page.keyboard.type("lightho")
        expect(page.get_by_role("option", name="Quay 299 › Lighthouse")).to_be_visible()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_label("Quay 299 › Lighthouse")).to_be_checked()
        expect(page.get_by_label("only in the sites and channels chosen below")).to_be_checked()
        press_down_to(page, "Save")
        expect(page.locator("tr", has_text=f"keepers {width}")).to_contain_text("Quay 299 › Lighthouse")
