"""The search for everything, by keys, by the mouse, on a phone, in English and Chinese, and without scripts."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import barriers
from tests.browser.counting import Counted

INPUT = "#palette input"
_BODIES = """
import json, re
from contents.models import Content
from search.plain_text import plain_text
from search.words import tokens_of, is_ideograph
found, seen = [], {}
rows = list(Content.objects.filter(trashed_at=None).values_list("pk", "body__text"))
texts = {pk: plain_text(text or "") for pk, text in rows}
for pk, text in texts.items():
    words = set(re.findall(r"[A-Za-z]{5,}", text)) | set(re.findall("[\\u4e00-\\u9fff]{4}", text))
    for word in words:
        seen.setdefault(word.lower(), set()).add(pk)
for pk in texts:
    words = sorted((word for word, pks in seen.items() if pks == {pk}), key=len, reverse=True)
    found.append([pk, words[0] if words else ""])
print(json.dumps(found))
"""


@pytest.fixture
def working(visit, sign_in):
    from contextlib import contextmanager

    @contextmanager
    def begin(*language, address="/admin/", **options):
        with visit(*language, **options) as page:
            sign_in(page)
            page.goto(address, wait_until="networkidle")
            yield page

    return begin


def search(page, words):
    page.keyboard.press("Control+k")
    page.fill(INPUT, words)
    expect(page.locator("#palette [role=option]").first).to_be_visible()


def test_an_article_is_opened_by_a_word_of_its_body(working):
    """One click, one page; without the click, three keys after the word."""
    with working() as page:
        work = Counted(page)
        work.click(page.get_by_role("searchbox", name="Search"))
        page.keyboard.type("21,300 visitors")
        expect(page.get_by_role("option").first).to_contain_text("The year in numbers")
        page.keyboard.press("Enter")
        page.wait_for_url("**/change/")
        work.check(clicks=1, loads=1)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_content_of_the_sample_site_is_three_keys_from_a_word_of_its_body(working, desk, language):
    import json

    desk.installation.manage("rebuild_search")
    contents = json.loads(desk.installation.manage("shell", "--no-imports", "-c", _BODIES).splitlines()[-1])
    with working(language) as page:
        page.keyboard.press("Control+k")
        told = [(pk, word) for pk, word in contents if word]
        assert len(told) > 50
        for pk, word in told[::4]:  # the others only take longer
            page.fill(INPUT, "")
            with page.expect_response(lambda answer: "/search/" in answer.url):
                page.fill(INPUT, word)
            expect(page.locator("#palette [role=option] mark").first).to_be_visible()
            options = page.locator("#palette [role=option]").evaluate_all("all => all.map((each) => each.pathname)")
            assert f"/admin/contents/content/{pk}/change/" in options[:3], (word, options)


def test_is_a_combobox_with_a_list_in_groups(working):
    with working() as page:
        field = page.get_by_role("combobox", name="Search")
        search(page, "harbour")
        expect(field).to_be_focused()
        expect(field).to_have_attribute("aria-expanded", "true")
        groups = page.get_by_role("listbox", name="Results").get_by_role("group")
        expect(groups.first).to_have_accessible_name("Contents")
        first, second = (groups.first.get_by_role("option").nth(number) for number in (0, 1))
        expect(first).to_have_attribute("aria-selected", "true")
        expect(field).to_have_attribute("aria-activedescendant", first.get_attribute("id"))
        page.keyboard.press("ArrowDown")
        expect(second).to_have_attribute("aria-selected", "true")
        expect(page.locator("#palette [role=status]")).to_have_text(re.compile(r"^\d+ results$"))
        page.keyboard.press("Home")  # of the text
        page.keyboard.type("xqz")
        expect(field).to_have_value("xqzharbour")
        expect(page.locator("#palette [role=status]")).to_have_text("Nothing was found.")
        expect(field).to_have_attribute("aria-expanded", "false")
        page.keyboard.press("Escape")
        expect(page.locator("#palette")).not_to_be_visible()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_has_no_violation(working, language, colours):
    with working(language, colours=colours, is_heard=False) as page:
        search(page, "ha" if language == "en" else "博物馆")
        assert barriers(page) == []
        page.goto("/admin/search/?q=ha")
        assert barriers(page) == []


def test_remembers_what_was_opened_until_signing_out(working):
    with working(address="/admin/contents/content/3/change/") as page:
        title = page.locator("main").get_attribute("data-record")
        page.goto("/admin/")
        page.keyboard.press("Control+k")
        expect(page.get_by_role("group", name="Recently opened").get_by_role("option").first).to_contain_text(title)
        page.keyboard.press("Enter")
        page.wait_for_url("**/content/3/change/")
        page.locator(".account-menu summary").click()
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/logout/")
        assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('cms-opened'))") == []


def test_opens_in_a_new_tab_and_stays(working):
    with working() as page:
        search(page, "harbour")
        with page.context.expect_page() as opened:
            page.keyboard.press("Control+Enter")
        assert "/change/" in opened.value.url
        expect(page.locator("#palette")).to_be_visible()


def test_chooses_dark_colours(working):
    with working() as page:
        search(page, "dark col")
        page.get_by_role("option", name="Dark colours").click()
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(page.locator("#palette")).not_to_be_visible()


def test_leads_to_a_single_setting(working):
    with working() as page:
        search(page, "rows per page")
        page.keyboard.press("Enter")
        page.wait_for_url("**/change/#id_pageSize")
        expect(page.locator("#id_pageSize")).to_be_visible()


def test_the_key_stays_with_the_editor(working):
    with working(address="/admin/contents/content/3/change/") as page:
        page.locator(".editor-text").focus()
        page.keyboard.press("Control+k")
        expect(page.get_by_role("dialog", name="Link")).to_be_visible()
        expect(page.locator("#palette")).not_to_be_visible()


def test_a_button_opens_it_on_a_phone(working):
    with working(width=390, height=844) as page:
        page.locator("#search button").click()
        page.locator(INPUT).fill("harbour")
        option = page.get_by_role("option").first
        expect(option).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        option.click()
        page.wait_for_url("**/change/")


def test_works_without_scripts(chromium, desk, sign_in):
    context = chromium.new_context(base_url=desk.address, java_script_enabled=False, locale="en-US")
    page = context.new_page()
    sign_in(page)
    page.goto("/admin/")
    page.fill("#search input", "silted")
    page.press("#search input", "Enter")
    page.wait_for_url("**/search/?q=silted")
    page.locator(".found a").first.click()
    page.wait_for_url("**/change/")
    context.close()
