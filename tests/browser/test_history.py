"""The history of contents as people meet it: a look at what changed, the way back, and a tag with another name."""


def test_a_tag_is_renamed_and_the_history_leads_back(visit, sign_in):
    with visit() as page:
        sign_in(page)
        page.goto("/admin/contents/contenttag/")
        page.locator("#result_list tbody a").first.click()
        page.fill("#id_name", "harbour lights")
        page.click("input[type=submit]")
        page.click("input[value='Rename the tag']")
        page.wait_for_selector(".messagelist .success")
        page.click("nav#menu >> text=Changes")
        page.locator("#result_list tbody th a").first.click()
        page.wait_for_url("**/compare/**")
        assert "harbour lights" in page.locator(".compared ins").first.inner_text()
        page.click("text=Restore version")
        page.click("input[value='Restore this version']")
        page.wait_for_selector(".messagelist .success")
        assert "The history remains complete." in page.locator(".messagelist .success").inner_text()


def test_versions_are_chosen_by_keyboard_on_a_phone(visit, sign_in):
    with visit("zh-hans", width=390) as page:
        sign_in(page)
        page.goto("/admin/contents/contentchange/")
        page.locator("#result_list td.field-which a").first.click()
        page.wait_for_url("**/history/")
        page.focus("input[name=from]:checked")
        page.keyboard.press("Enter")
        page.wait_for_url("**/compare/**")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_words_beside_a_comparison_fit_a_phone(visit, sign_in):
    lines = """(cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map((box) => box.top)).size;
    }"""
    with visit(width=390) as page:
        sign_in(page)
        page.goto("/admin/contents/content/9/versions/1/")
        for name in ("Summary", "Subtitle"):
            cell = page.locator(".sides tbody th").get_by_text(name, exact=True)
            assert cell.evaluate(lines) == 1
