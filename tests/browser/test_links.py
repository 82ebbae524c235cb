"""The dialog of links: words find what a text can link to, and links to what visitors cannot see are marked."""

# ruff: noqa: F811 - the fixtures of the editor

from functools import partial

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import LOOKS, barriers
from tests.browser.counting import Counted
from tests.browser.test_editor import answer, make, paste, sent, writing  # noqa: F401 - fixtures

_MORE = """
from channels_app.models import Channel
from contents.models import Content
channel = Channel.objects.filter(parent=None).first()
add = lambda **fields: Content.objects.create(site_id=channel.site_id, channel=channel, **fields).pk
print(add(title="The quartz keeper", is_checked=True), add(title="石英开放日", is_checked=True))
print(add(title="Quartz at night", is_checked=False, checked_level=-99))
"""


@pytest.fixture(scope="module")
def targets(desk):
    """Ids of a public content, one with a Chinese title, and a draft."""
    return [int(text) for text in desk.installation.manage("shell", "--no-imports", "-c", _MORE).split()]


def dialog_of(page):
    page.keyboard.press("Control+k")
    return page.locator("dialog.editor-dialog[open]")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_words_find_a_target_by_the_keyboard_alone(writing, targets, language):
    with writing(language=language) as page:
        select_first_word(page)
        dialog = dialog_of(page)
        field = dialog.get_by_role("combobox")
        expect(field).to_be_focused()
        field.press_sequentially("quartz keep")
        option = dialog.get_by_role("option")
        expect(option).to_have_count(1)
        expect(option).to_contain_text("The quartz keeper")
        expect(field).to_have_attribute("aria-expanded", "true")
        page.keyboard.press("ArrowDown")
        expect(field).to_have_attribute("aria-activedescendant", option.get_attribute("id"))
        page.keyboard.press("Enter")
        expect(field).to_have_value(f"@/_content/{targets[0]}")
        expect(dialog.get_by_role("listbox")).to_be_hidden()
        expect(dialog.locator(".editor-row [role=status].quiet").last).to_contain_text("The quartz keeper")
        page.keyboard.press("Enter")
        expect(dialog).to_have_count(0)
        assert sent(page) == f'<p><a href="@/_content/{targets[0]}">High</a> water at noon.</p>'


def test_a_link_takes_three_clicks(writing, targets):
    with writing() as page:
        select_first_word(page)
        work = Counted(page)
        work.click(page.locator(".editor-toolbar [data-tool=link]"))
        dialog = page.locator("dialog.editor-dialog[open]")
        dialog.get_by_role("combobox").press_sequentially("quartz keep")
        work.click(dialog.get_by_role("option"))
        work.click(dialog.locator("button[type=submit]"))
        expect(dialog).to_have_count(0)
        work.check(clicks=3, loads=0)
        assert f'href="@/_content/{targets[0]}"' in sent(page)


def test_escape_closes_the_list_and_then_the_dialog(writing, targets):
    with writing() as page:
        select_first_word(page)
        dialog = dialog_of(page)
        dialog.get_by_role("combobox").press_sequentially("quartz")
        expect(dialog.get_by_role("option")).to_have_count(2)
        page.keyboard.press("Escape")
        expect(dialog.get_by_role("listbox")).to_be_hidden()
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        assert sent(page) == "<p>High water at noon.</p>"


def test_an_address_is_taken_as_it_is_and_words_are_not(writing, targets):
    with writing() as page:
        select_first_word(page)
        dialog = dialog_of(page)
        answer(dialog, Address="quartz keeper")
        expect(dialog.get_by_role("alert")).to_contain_text("Choose one")
        answer(dialog, Address="/tides.html?year=2026#may")
        expect(dialog).to_have_count(0)
        assert 'href="/tides.html?year=2026#may"' in sent(page)


def test_the_text_of_a_new_link_is_the_title(writing, targets):
    with writing("") as page:
        page.locator(".editor-text").click()
        dialog = dialog_of(page)
        dialog.get_by_role("combobox").press_sequentially("quartz keep")
        dialog.get_by_role("option").click()
        dialog.locator("button[type=submit]").click()
        expect(dialog).to_have_count(0)
        assert sent(page) == f'<p><a href="@/_content/{targets[0]}">The quartz keeper</a></p>'


def test_an_input_method_searches_when_it_is_done(writing, targets):
    with writing() as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url) if "/links/" in request.url else None)
        select_first_word(page)
        dialog = dialog_of(page)
        expect(dialog.get_by_role("combobox")).to_be_focused()
        session = page.context.new_cdp_session(page)
        for text in ("s", "shi", "shiying"):
            end = len(text)
            session.send("Input.imeSetComposition", {"text": text, "selectionStart": end, "selectionEnd": end})
        assert asked == []
        session.send("Input.insertText", {"text": "石英"})
        expect(dialog.get_by_role("option")).to_contain_text("石英开放日")
        assert len(asked) == 1


@pytest.mark.parametrize("pasted", ["https://example.com/tides?a=1", " @/upload/tides.pdf\n"])
def test_a_pasted_address_links_the_selected_text(writing, pasted):
    with writing() as page:
        select_first_word(page)
        paste(page, "", pasted)
        assert sent(page) == f'<p><a href="{pasted.strip()}">High</a> water at noon.</p>'


@pytest.mark.parametrize("pasted", ["javascript:alert(1)", "two words", "https://a.example/ https://b.example/"])
def test_other_texts_replace_what_is_selected(writing, pasted):
    with writing() as page:
        select_first_word(page)
        paste(page, "", pasted)
        assert sent(page) == f"<p>{pasted} water at noon.</p>"


def test_links_to_what_visitors_cannot_see_are_marked(writing, targets):
    public, _chinese, draft = targets
    body = f'<p><a href="@/_content/{public}">one</a> <a href="@/_content/{draft}#x">two</a></p>'
    with writing(body) as page:
        marked = page.locator(".editor-link-hidden")
        expect(marked).to_have_count(1)
        expect(marked).to_have_text("two")
        assert "Quartz at night" in marked.get_attribute("title") and "Draft" in marked.get_attribute("title")
        page.get_by_role("button", name="Links to what visitors cannot see: 1").click()
        dialog = page.locator("dialog.editor-dialog[open]")
        expect(dialog.get_by_role("combobox")).to_have_value(f"@/_content/{draft}#x")
        answer(dialog, Address="https://example.com/")
        expect(marked).to_have_count(0)
        assert sent(page) == body.replace(f"@/_content/{draft}#x", "https://example.com/")


def test_a_text_with_marked_links_is_sent_as_it_was(writing, targets):
    body = f'<p><a  href="@/_content/{targets[2]}">two</a></p>'
    with writing(body) as page:
        expect(page.locator(".editor-link-hidden")).to_have_count(1)
        assert sent(page) == body


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_everyone_can_use_the_dialog(writing, targets, language, scheme):
    with writing(language=language, colours=scheme, is_heard=False) as page:
        select_first_word(page)
        dialog = dialog_of(page)
        dialog.get_by_role("combobox").press_sequentially("quartz")
        expect(dialog.get_by_role("option")).to_have_count(2)
        page.keyboard.press("ArrowDown")
        check = partial(barriers, page, "dialog[open]")
        assert check() == [] and check(of_all_rules=True) == []


def select_first_word(page):
    page.locator(".editor-text").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("Control+Shift+ArrowRight")
    # The editor hears of a selection after the key; its tools beside the text tell.
    expect(page.locator("[role=toolbar]").nth(1)).to_be_visible()
