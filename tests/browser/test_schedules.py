"""Times of publication in the form of a content, and the calendar, which needs no script."""

import re

import pytest

from tests.browser.accessibility import barriers

PLANNED = {"en": "Will be published: 2199-01-08 08:30", "zh-hans": "定时发布：2199-01-08 08:30"}
MONTHS = {"en": ("January 2199", "February 2199"), "zh-hans": ("2199年1月", "2199年2月")}


@pytest.mark.parametrize("language", PLANNED)
def test_a_content_is_scheduled_and_found_in_the_calendar(visit, sign_in, language):
    with visit(language, is_heard=False) as page:
        sign_in(page)
        page.goto("/admin/contents/content/add/?channel=3")
        page.fill("#id_title", f"Planned {language}")
        page.fill("#id_publish_at", "2199-01-08T08:30")
        page.click('button[name="_hand_in"]')
        page.wait_for_url(re.compile(r"/content/\?"))
        assert PLANNED[language] in page.inner_text(".messagelist")
        page.click(f".headline >> text=Planned {language}")
        page.wait_for_url(re.compile(r"/content/\d+/change/"))
        assert page.input_value("#id_publish_at").startswith("2199-01-08T08:30")

        page.goto("/admin/contents/content/calendar/?month=2199-01")
        assert page.inner_text("caption") == MONTHS[language][0]
        assert barriers(page) == []
        link = page.get_by_role("link", name=f"Planned {language}")
        assert link.locator("xpath=ancestor::td").locator("time").get_attribute("datetime") == "2199-01-08"
        page.focus("a[rel=next]")
        page.keyboard.press("Enter")
        page.wait_for_url("**month=2199-02")
        assert page.inner_text("caption") == MONTHS[language][1]

        page.set_viewport_size({"width": 390, "height": 800})
        page.goto("/admin/contents/content/calendar/?month=2199-01")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.get_by_text("2199-01-08").first.is_visible()
        assert barriers(page) == []
        page.click(f"text=Planned {language}")
        page.wait_for_url(re.compile(r"/content/\d+/change/"))
