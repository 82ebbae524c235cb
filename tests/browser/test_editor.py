"""The editor in the form of a content, as people use it: with the keyboard, the mouse, the clipboard and files."""

import io
import json
import re
from functools import partial

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.accessibility import COLOURS, barriers
from tests.browser.content_form import open_tab, save_by, use_tool
from tests.browser.keys import press_end
from tools.browser import drop

_MAKE = """
from channels_app.models import Channel
from contents.models import Content, ContentBody
channel = Channel.objects.filter(parent=None).first()
content = Content.objects.create(site_id=channel.site_id, channel=channel, title="The tide table", is_checked=True)
ContentBody.objects.create(content=content, text={text!r})
print(content.pk)
"""
_CHANGE = """
from contents.models import Content
content = Content.objects.get(pk={pk})
Content.objects.filter(pk=content.pk).update(version=content.version + 1, last_edit_user_name="ferry")
"""
_DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
_CAPTIONED = f'<figure><img src="{_DOT}" alt="" width="9" height="9"><figcaption>Quay</figcaption></figure>'
PLAIN = "<p>High water at noon.</p>"
ODD = "<ul>beside<li>in</li></ul>"


@pytest.fixture
def make(desk):
    """Makes a content with that body and returns its number."""
    return lambda text=PLAIN: desk.installation.manage("shell", "--no-imports", "-c", _MAKE.format(text=text))


@pytest.fixture
def writing(visit, sign_in, make):
    """Opens the form of a content: `with writing(body) as page`."""

    class Opened:
        def __init__(self, text, language, **options):
            self.visit, self.text = visit(language, **options), text

        def __enter__(self):
            page = self.visit.__enter__()
            sign_in(page)
            page.goto(f"/admin/contents/content/{make(self.text)}/change/")
            page.wait_for_selector(".editor-toolbar")
            page.set_default_timeout(20_000)
            return page

        def __exit__(self, *error):
            return self.visit.__exit__(*error)

    return lambda text=PLAIN, language="en", **options: Opened(text, language, **options)


def sent(page):
    """The body as the form would send it now."""
    return page.evaluate("document.querySelector('[data-editor]').editor.value")


def select(page, word):
    """Select a word of the text, as a double click does."""
    page.get_by_role("textbox", name="Body").get_by_text(word).first.dblclick()


def select_all(page):
    page.locator(".editor-text").focus()
    page.keyboard.press("Control+a")


def paste(page, html, text=""):
    """Paste what another program has laid into the clipboard."""
    page.locator(".editor-text").focus()
    page.evaluate(
        """([html, text]) => {
            const data = new DataTransfer();
            data.setData("text/html", html);
            data.setData("text/plain", text);
            const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
            document.querySelector(".editor-text").dispatchEvent(event);
        }""",
        [html, text],
    )


def picture(side=40):
    """A picture as a file of bytes."""
    held = io.BytesIO()
    Image.new("RGB", (side, side), "teal").save(held, "PNG")
    return held.getvalue()


def answer(dialog, **values):
    """Fill in the open dialog, fields by their labels, and accept it."""
    for label, value in values.items():
        dialog.get_by_label(label.replace("_", " "), exact=True).fill(value)
    dialog.locator("button[type=submit]").click()


# ---- Writing


def test_what_was_not_edited_is_sent_as_it_was(writing):
    untidy = "<P class=x>High   water</P>\n\n<p><b>noon</b><br/></p><!-- kept -->"
    with writing(untidy) as page:
        page.locator(".editor-text").click()
        assert sent(page) == untidy


def test_what_was_undone_is_sent_as_it_was(writing):
    untidy = "<P class=x>High   water</P>"
    with writing(untidy) as page:
        page.locator(".editor-text").click()
        page.keyboard.type("At noon: ")
        assert "At noon" in sent(page)
        page.keyboard.press("Control+z")
        assert sent(page) == untidy


def test_what_is_typed_is_saved(writing):
    with writing() as page:
        page.locator(".editor-text").click()
        press_end(page, "Control+End")
        page.keyboard.press("Enter")
        page.keyboard.type("Low water at six.")
        page.keyboard.press("Enter")
        page.keyboard.type("## Spring tides")
        save_by(page, "_continue")
        page.wait_for_selector(".messagelist .success")
        page.wait_for_selector(".editor-text")
        body = "<p>High water at noon.</p>\n<p>Low water at six.</p>\n<p>## Spring tides</p>"
        assert sent(page).replace("\r", "") in (body, body.replace("<p>## Spring tides</p>", "<h2>Spring tides</h2>"))


def test_an_edit_leaves_what_the_editor_has_no_button_for(writing):
    body = (
        '<div class="lead" data-kind="tide"><span class="mark" style="font-size: 14px">High</span> water</div>\n'
        '<table class="wide"><caption>Times</caption><thead><tr><th scope="col">Port</th></tr></thead>'
        '<tbody><tr><td headers="a">Quay</td></tr></tbody></table>\n<p id="end"><!-- note -->End</p>'
    )
    with writing(body) as page:
        page.locator("#content-form .editor-text p >> text=End").click()
        press_end(page)
        page.keyboard.type("!")
        assert sent(page) == body.replace("End</p>", "End!</p>")


def test_the_keyboard_reaches_every_tool(writing):
    with writing() as page:
        select_all(page)
        page.keyboard.press("Alt+F10")
        assert page.evaluate("document.activeElement.closest('[role=toolbar]') !== null")
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.dataset.tool") == "bold"
        page.keyboard.press("Enter")
        expect(page.locator(".editor-text")).to_be_focused()
        assert sent(page) == "<p><strong>High water at noon.</strong></p>"


def test_a_menu_works_by_keyboard(writing):
    with writing() as page:
        page.locator(".editor-text").click()
        page.locator("[data-tool=block]").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.dataset.tool") == "heading_2"
        page.keyboard.press("Enter")
        expect(page.locator(".editor-text")).to_be_focused()
        assert sent(page) == "<h2>High water at noon.</h2>"
        page.locator("[data-tool=block]").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.dataset.tool") == "block"


def test_text_gets_colours_and_loses_them(writing):
    with writing() as page:
        select_all(page)
        use_tool(page, "colour")
        page.get_by_role("button", name="Red", exact=True).click()
        assert sent(page) == '<p><span style="color: #d92121">High water at noon.</span></p>'
        use_tool(page, "background")
        page.get_by_role("button", name="Light yellow", exact=True).click()
        assert "background-color: #fff4b8" in sent(page)
        use_tool(page, "clear")
        assert sent(page) == PLAIN


def test_paragraphs_are_aligned(writing):
    with writing() as page:
        page.locator(".editor-text").click()
        use_tool(page, "align_center")
        assert sent(page) == '<p style="text-align: center">High water at noon.</p>'
        expect(page.locator("[data-tool=align_center]")).to_have_attribute("aria-pressed", "true")
        use_tool(page, "align_left")
        assert sent(page) == PLAIN


def test_lists_nest_by_tab(writing):
    with writing("") as page:
        page.locator(".editor-text").click()
        page.keyboard.type("- one")
        page.keyboard.press("Enter")
        page.keyboard.type("two")
        page.keyboard.press("Tab")
        assert sent(page) == "<ul><li>one<ul><li>two</li></ul></li></ul>"


def test_a_link_is_made_and_a_dangerous_one_refused(writing):
    with writing() as page:
        select(page, "High water")
        page.keyboard.press("Control+k")
        dialog = page.get_by_role("dialog", name="Link")
        answer(dialog, Address="java\tscript:alert(1)")
        assert "cannot be used" in dialog.get_by_role("alert").inner_text()
        answer(dialog, Address="https://example.com/tides")
        dialog.wait_for(state="detached")
        assert 'href="https://example.com/tides"' in sent(page)


def test_a_table_is_inserted_and_changed(writing):
    with writing("") as page:
        page.locator(".editor-text").click()
        page.click("[data-tool=table]")
        page.click("[data-tool=insert_table]")
        dialog = page.get_by_role("dialog", name="Insert a table")
        answer(dialog, Rows="2", Columns="2", Caption="Tides & times")
        page.wait_for_selector(".editor-text table")
        page.keyboard.type("Port")
        page.keyboard.press("Tab")
        page.keyboard.type("Time")
        page.click("[data-tool=table]")
        page.click("[data-tool=column_right]")
        body = sent(page)
        assert "<caption>Tides &amp; times</caption>" in body
        assert "<tr><th>Port</th><th>Time</th><th><br></th></tr>" in body
        assert body.count("<td>") == 3


def test_cells_are_merged_and_split(writing):
    with writing("<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>") as page:
        page.locator(".editor-text td").first.drag_to(page.locator(".editor-text td").last)

        page.click("[data-tool=table]")
        page.click("[data-tool=merge_cells]")
        assert '<td colspan="2">' in sent(page)
        page.click("[data-tool=table]")
        page.click("[data-tool=split_cell]")
        assert "colspan" not in sent(page)


def test_chinese_is_typed_and_counted_by_characters(writing):
    with writing("", "zh-hans") as page:
        page.locator(".editor-text").click()
        cdp = page.context.new_cdp_session(page)
        cdp.send("Input.imeSetComposition", {"text": "chao", "selectionStart": 4, "selectionEnd": 4})
        cdp.send("Input.imeSetComposition", {"text": "潮汐", "selectionStart": 2, "selectionEnd": 2})
        cdp.send("Input.insertText", {"text": "潮汐表"})
        page.keyboard.insert_text("，Ebb。")
        # 字数: each character and mark of Chinese writing, and a word of another script as one.
        expect(page.locator(".editor-counts")).to_have_text(re.compile("字数：6\\b.*8"))
        assert sent(page) == "<p>潮汐表，Ebb。</p>"


# ---- HTML


def test_the_source_is_edited_and_comes_back(writing):
    with writing() as page:
        use_tool(page, "source")
        area = page.locator("textarea[name=body]")
        assert area.input_value() == PLAIN
        area.fill('<p class="new">Low water</p>')
        use_tool(page, "source")
        assert page.inner_text(".editor-text").strip() == "Low water"
        assert sent(page) == '<p class="new">Low water</p>'


def test_a_text_that_would_lose_markup_opens_as_source(writing):
    with writing(ODD) as page:
        area = page.locator("textarea[name=body]")
        expect(area).to_be_visible()
        assert area.input_value() == ODD
        assert "cannot preserve" in page.inner_text(".editor-notice")
        page.get_by_role("button", name="Edit visually anyway").click()
        expect(page.locator(".editor-text")).to_be_visible()
        assert sent(page) == ODD


def test_nothing_in_a_text_runs_or_covers_the_page(writing):
    hostile = (
        '<p onclick="document.title=1" style="position: fixed; inset: 0" id="content-form" class="save-bar">x</p>'
        '<img src="x:" onerror="document.title=\'taken\'"><script>document.title="taken"</script>'
        '<svg onload="document.title=\'taken\'"></svg><iframe src="/admin/"></iframe>'
    )
    with writing(hostile) as page:
        assert sent(page) == hostile
        assert "taken" not in page.title()
        shown = page.inner_html(".editor-text")
        assert not [
            word for word in ("onclick", "onerror", "position", "save-bar", "<iframe", "<script") if word in shown
        ]


# ---- Paste

WORD = """<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word">
<head><meta name=Generator content="Microsoft Word 15"><style>
p.MsoNormal {mso-style-parent:""; font-family:Calibri}</style>
<!--[if gte mso 9]><xml><w:WordDocument></w:WordDocument></xml><![endif]--></head><body lang=EN-GB><!--StartFragment-->
<h1 style='mso-margin-top-alt:auto'><span style='font-family:"Times New Roman"'>Tides<o:p></o:p></span></h1>
<p class=MsoNormal align=center style='text-align:center'><b style='mso-bidi-font-weight:normal'><span
style='font-size:11.0pt;color:black'>High</span></b><span style='color:red'> water</span><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='mso-list:Ignore'>1.<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span><![endif]>First</p>
<p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level2 lfo1'><![if !supportLists]><span
style='mso-list:Ignore'>o<span>&nbsp; </span></span><![endif]>Inner</p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='mso-list:Ignore'>2.<span>&nbsp; </span></span><![endif]>Second</p>
<table class=MsoTableGrid border=1><tr style='mso-yfti-irow:0'><td width=200
valign=top style='border:solid windowtext 1.0pt'>
<p class=MsoNormal>Port</p></td><td colspan=2><p class=MsoNormal>Time</p></td></tr></table>
<p class=MsoNormal><img width=10 src="file:///C:/Users/a/clip_image001.png"></p><!--EndFragment--></body></html>"""
DOCS = """<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr"
style="line-height:1.38;margin-top:0pt"><span style="font-size:11pt;font-family:Arial;color:#000000;
background-color:transparent;font-weight:700;">Bold</span><span
style="font-weight:400;font-style:italic"> slanted</span></p>
<ul style="margin-top:0"><li dir="ltr" aria-level="1" style="list-style-type:disc"><p
dir="ltr" role="presentation"><span
style="font-weight:400">Item</span></p></li></ul></b>"""
WPS = """<html><head><style>@font-face{font-family:"宋体";}</style></head><body><!--StartFragment--><p class="MsoNormal"
style="mso-spacerun:'yes';text-indent:21pt"><span style="font-family:宋体;font-weight:bold">潮汐</span><span
style="mso-spacerun:'yes';font-family:宋体">时间表</span></p><!--EndFragment--></body></html>"""
WEB = """<div class="post" onclick="x()"><h2 id="a">Head</h2><script>1</script><p style="color: rgb(51, 51, 51)">Text <a
href="https://example.com/" class="b" style="color:red">link</a></p><form><input></form></div>"""


@pytest.mark.parametrize(
    ("pasted", "expected"),
    [
        (
            WORD,
            '<h1>Tides</h1>\n<p style="text-align: center"><b>High</b><span style="color: red"> water</span>'
            "&nbsp;</p>\n<ol><li>First<ul><li>Inner</li></ul></li><li>Second</li></ol>\n<table><tbody><tr><td><p>Port</p>"
            '</td><td colspan="2"><p>Time</p></td></tr></tbody></table>',
        ),
        (DOCS, "<p><strong>Bold</strong><em> slanted</em></p>\n<ul><li><p>Item</p></li></ul>"),
        (WPS, "<p><strong>潮汐</strong>时间表</p>"),
        (WEB, '<h2>Head</h2>\n<p>Text <a href="https://example.com/">link</a></p>'),
    ],
    ids=["word", "docs", "wps", "web"],
)
def test_what_is_pasted_keeps_its_structure_alone(writing, pasted, expected):
    with writing("") as page:
        paste(page, pasted)
        body = sent(page).removesuffix("\n<p><br></p>")
        assert body.replace("<div>", "").replace("</div>", "") == expected


def test_pictures_that_cannot_be_pasted_are_named(writing):
    with writing("") as page:
        paste(page, WORD)
        assert "clip_image001.png" in page.inner_text(".editor-notice")


# ---- Files


def test_pictures_are_dropped_into_the_text(writing):
    with writing() as page:
        drop(page, ".editor-text", ("quay.png", "image/png", picture()), ("tide.png", "image/png", picture(60)))
        expect(page.locator(".editor-text img[src*='/media/sites/']")).to_have_count(2)
        body = sent(page)
        assert body.count('<img src="@/') == 2
        assert 'width="60" height="60"' in body
        expect(page.locator(".editor-text img[width='60']")).to_have_js_property("naturalWidth", 60)
        expect(page.get_by_role("button", name="Pictures without alternative text: 2")).to_be_visible()


def test_a_picture_gets_its_text_and_a_caption(writing):
    with writing() as page:
        drop(page, ".editor-text", ("quay.png", "image/png", picture()))
        page.get_by_role("button", name="Pictures without alternative text: 1").click()
        dialog = page.get_by_role("dialog", name="Picture")
        answer(dialog, Alternative_text="The quay", Caption="At low water", Width="50%")
        page.wait_for_selector(".editor-text figcaption")
        body = sent(page)
        assert "<figcaption>At low water</figcaption></figure>" in body
        assert 'alt="The quay"' in body
        assert 'style="width: 50%"' in body


@pytest.mark.parametrize(("width", "share"), [("50%", 0.5), ("120", None)])
def test_a_picture_with_a_long_caption_leaves_room_for_the_text_beside_it(writing, width, share):
    with writing() as page:
        drop(page, ".editor-text", ("quay.png", "image/png", picture()))
        page.get_by_role("button", name="Pictures without alternative text: 1").click()
        dialog = page.get_by_role("dialog", name="Picture")
        dialog.get_by_label("Place").select_option("right")
        answer(dialog, Alternative_text="The quay", Caption="Low water at the quay. " * 20, Width=width)
        paper, figure, shown = (
            page.locator(f".editor-text{part}").bounding_box()
            for part in ("", " figure", " figure img[alt='The quay']")
        )
        inner = paper["width"] - 40  # without its padding
        assert abs(figure["width"] - (inner * share if share else 120)) < 2
        assert abs(figure["x"] + figure["width"] - (paper["x"] + paper["width"] - 20)) < 2
        assert (shown["x"], shown["width"]) == (figure["x"], figure["width"])
        page.locator(".editor-text img[alt='The quay']").dblclick()
        expect(page.get_by_role("dialog", name="Picture").get_by_label("Width")).to_have_value(width)


@pytest.mark.parametrize("way", ["ArrowDown", "ArrowRight", "click"])
def test_one_step_leads_out_of_a_picture_that_ends_the_text(writing, way):
    with writing(f"{PLAIN}{_CAPTIONED}") as page:
        page.locator(".editor-text figcaption").click()
        press_end(page)
        if way == "click":
            text = page.locator(".editor-text")
            text.click(position={"x": 100, "y": text.bounding_box()["height"] - 10})
        else:
            page.keyboard.press(way)
        page.keyboard.type("Below")
        assert sent(page).endswith("<figcaption>Quay</figcaption></figure>\n<p>Below</p>")


def test_the_text_is_written_on_white_paper_in_the_dark(writing):
    with writing('<p style="color: #1f3763">Blue as in Word</p><p>Plain</p>', colours="dark") as page:
        colours = "e => [getComputedStyle(e).color, getComputedStyle(e.closest('.editor-surface')).backgroundColor]"
        for line, colour in (("Blue", "rgb(31, 55, 99)"), ("Plain", "rgb(28, 39, 48)")):
            shown = page.locator(".editor-text").get_by_text(line)
            assert shown.evaluate(colours) == [colour, "rgb(255, 255, 255)"]
        page.get_by_role("button", name="Picture", exact=True).click()
        page.get_by_role("button", name="By its address").click()
        dialog = page.get_by_role("dialog", name="Picture")
        address, text = (dialog.get_by_label(name).bounding_box() for name in ("Address", "Alternative text"))
        assert address["width"] == text["width"]


def test_the_dialog_of_a_picture_shows_it_and_refuses_what_is_no_address(writing):
    with writing() as page:
        page.locator(".editor-text").click()
        page.get_by_role("button", name="Picture", exact=True).click()
        page.get_by_role("button", name="By its address").click()
        dialog = page.get_by_role("dialog", name="Picture")
        dialog.locator("input[type=file]").set_input_files([_file("quay.png")])
        expect(dialog.locator(".upload-picture")).to_have_js_property("naturalWidth", 40)
        for nonsense in ("nonsense", r"C:\quay.png", "https://", "https://no such host/", "/", "mailto:a@b.example"):
            dialog.get_by_label("Address").fill(nonsense)
            dialog.get_by_role("button", name="Apply").click()
            expect(dialog.get_by_role("alert")).to_contain_text(re.compile("address", re.IGNORECASE))
        expect(dialog.locator(".upload-picture")).to_be_hidden()
        answer(dialog, Address="https://example.com/quay.png")
        expect(page.locator(".editor-text")).to_contain_text("https://example.com/quay.png")
        assert 'src="https://example.com/quay.png"' in sent(page)


def _file(name):
    return {"name": name, "mimeType": "image/png", "buffer": picture()}


def test_a_picture_is_inserted_by_one_click_or_uploaded_there(writing):
    with writing() as page:
        page.locator(".editor-text").click()
        page.click("[data-tool=picture]")
        dialog = page.get_by_role("dialog", name="Picture")
        dialog.locator("input[type=file]").set_input_files([_file("quay.png")])
        expect(dialog).to_have_count(0)
        shown = page.locator(".editor-text img[src*='quay']")
        expect(shown).to_have_attribute("width", "40")
        page.click("[data-tool=picture]")
        dialog.get_by_role("listitem").first.click()
        expect(dialog).to_have_count(0)
        expect(shown).to_have_count(2)
        assert sent(page).count('alt=""') == 2


def test_a_table_is_drawn_by_two_clicks(writing):
    with writing("") as page:
        page.locator(".editor-text").click()
        page.click("[data-tool=table]")
        page.get_by_role("button", name="2 × 3").click()
        page.keyboard.type("Port")
        assert sent(page).count("<th>") == 3 and sent(page).count("<tr>") == 2
        assert "<th>Port</th>" in sent(page)


def test_a_slash_at_the_start_of_a_line_offers_what_to_insert(writing):
    with writing("") as page:
        menu = page.get_by_role("listbox", name="What to insert")
        page.locator(".editor-text").click()
        page.keyboard.type("/quo")
        expect(menu.get_by_role("option")).to_have_count(1)
        page.keyboard.press("Enter")
        page.keyboard.type("Tides wait for nobody.")
        assert sent(page) == "<blockquote><p>Tides wait for nobody.</p></blockquote>"
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.keyboard.type("/")
        expect(menu).to_be_visible()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.keyboard.type("Ports/")
        expect(menu).to_be_hidden()
        assert sent(page).endswith("<h3>Ports/</h3>")
        page.keyboard.press("Enter")
        page.keyboard.type("/")
        expect(menu).to_be_visible()
        page.keyboard.press("Escape")
        expect(menu).to_be_hidden()
        assert sent(page).endswith("<p>/</p>")


def test_selected_text_has_its_tools_beside_it(writing):
    with writing() as page:
        bubble = page.get_by_role("toolbar", name="Formatting of the selected text")
        expect(bubble).to_be_hidden()
        select_all(page)
        bubble.get_by_role("button", name="Bold").click()
        assert "<strong>" in sent(page)
        expect(bubble.get_by_role("button", name="Bold")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("ArrowRight")
        expect(bubble).to_be_hidden()


def test_a_refused_file_says_why_and_is_sent_again(writing):
    with writing() as page:
        address = page.get_attribute("[data-editor]", "data-upload")
        refuse = partial(_answer_once, [400, 200])
        page.route(f"**{address}", refuse)
        drop(page, ".editor-text", ("quay.png", "image/png", picture()))
        row = page.locator(".editor-upload")
        row.get_by_role("button", name="Try again").wait_for()
        assert "No such picture." in row.inner_text()
        row.get_by_role("button", name="Try again").click()
        page.wait_for_selector(".editor-text .editor-piece")
        assert 'src="https://example.com/quay.png"' in sent(page)


def _answer_once(statuses, route):
    """The first status that is left; a refusal is sent as 200 so that the browser does not complain of it."""
    status = statuses.pop(0)
    told = (
        {"message": "No such picture."}
        if status == 400
        else {"address": "https://example.com/quay.png", "name": "quay.png"}
    )
    route.fulfill(status=200, content_type="application/json", body=json.dumps(told))


def test_a_field_takes_a_file(writing):
    with writing() as page:
        open_tab(page, "Picture and files")
        drop(page, "[data-kind=image]", ("quay.png", "image/png", picture()))
        expect(page.locator("[name=image_url]")).to_have_value(re.compile("^@/"))
        expect(page.locator("[data-kind=image] .upload-picture")).to_have_js_property("naturalWidth", 40)
        assert "quay" in page.inner_text("[data-kind=image] [role=status]")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_field_takes_a_file_of_the_library(writing, width):
    with writing(width=width) as page:
        open_tab(page, "Picture and files")
        drop(page, "[data-kind=image]", (f"crane {width}.png", "image/png", picture()))
        field, box = page.locator("[name=image_url]"), page.locator("[data-kind=image]")
        expect(field).to_have_value(re.compile("^@/"))
        address = field.input_value()
        box.get_by_role("button", name="Clear").click()
        expect(field).to_have_value("")
        box.get_by_role("button", name="From the library").focus()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Media library")
        expect(dialog.get_by_role("searchbox")).to_be_focused()
        page.keyboard.type(f"CRANE {width}")
        expect(dialog.get_by_role("listitem")).to_have_count(1)
        expect(dialog.locator("li img")).to_have_js_property("complete", True)
        assert dialog.evaluate("e => e.getBoundingClientRect().right <= innerWidth && e.scrollWidth <= e.clientWidth")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(dialog).to_have_count(0)
        expect(field).to_have_value(address)
        expect(box.locator(".upload-picture")).to_have_js_property("naturalWidth", 40)


def test_the_library_says_why_it_is_empty(writing):
    with writing() as page:
        open_tab(page, "Picture and files")
        choose = page.locator("[data-kind=file]").get_by_role("button", name="From the library")
        dialog = page.get_by_role("dialog", name="Media library")
        told = dialog.get_by_role("status")
        answer = {"files": [], "hasMore": False}
        page.route("**/upload/*/?kind=file&*", lambda route: route.fulfill(json=answer))
        choose.click()
        expect(told).to_have_text("The library has no such files yet.")
        page.keyboard.type("crane")
        expect(told).to_have_text("No file has all of these words.")
        page.keyboard.press("Escape")  # clears the search
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        answer.clear()
        choose.click()
        expect(told).to_have_text("The files could not be listed.")


def test_a_picture_of_the_library_brings_its_alternative_text(writing, desk):
    with writing() as page:
        drop(page, ".editor-text", ("buoy.png", "image/png", picture()))
        page.wait_for_selector(".editor-text img[src^='/media/']")
        set_texts = "from media_library.models import MediaFile\n"
        set_texts += "MediaFile.objects.filter(title='buoy').update(alternative_text='A red buoy')"
        desk.installation.manage("shell", "--no-imports", "-c", set_texts)
        page.locator(".editor-text img[src]").dblclick()
        expect(page.get_by_role("dialog", name="Picture").get_by_label("Alternative text")).to_have_value("A red buoy")
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowRight")
        page.locator("[data-tool=picture]").click()
        dialog = page.get_by_role("dialog", name="Picture")
        page.keyboard.type("red buoy")
        dialog.get_by_role("button", name="buoy").click()
        assert sent(page).count('alt="A red buoy"') == 1


# ---- The form


def test_a_draft_comes_back_after_a_crash(writing):
    with writing() as page:
        page.fill("[name=title]", "A title that was not saved")
        open_tab(page, "More")
        page.fill("#id_author", "Mia")
        page.locator(".editor-text").click()
        press_end(page, "Control+End")
        page.keyboard.type(" And at midnight.")
        expect(page.locator(".draft-state")).not_to_be_empty()
        address = page.url
        page.goto("/admin/")
        page.goto(address)
        notice = page.locator("[data-notice=draft]")
        notice.wait_for()
        assert page.input_value("[name=title]") == "The tide table"
        assert re.search(r"There is a draft from \d\d:\d\d\.", notice.inner_text())
        notice.get_by_text("Differences").click()
        assert "Body: the draft is longer than the stored text (characters: 17)" in notice.inner_text()
        notice.get_by_role("button", name="Restore the draft").click()
        assert page.input_value("[name=title]") == "A title that was not saved"
        assert page.input_value("#id_author") == "Mia"
        assert sent(page) == "<p>High water at noon. And at midnight.</p>"


def test_a_saved_draft_is_not_offered(writing):
    with writing() as page:
        page.fill("[name=title]", "Saved")
        expect(page.locator(".draft-state")).not_to_be_empty()
        save_by(page, "_continue")
        page.wait_for_selector(".messagelist .success")
        page.wait_for_selector(".editor-toolbar")
        expect(page.locator("[data-notice=draft]")).to_have_count(0)
        assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('draft:')).length") == 0


def test_drafts_are_bounded_in_number(writing):
    with writing() as page:
        page.evaluate(
            """() => { for (let i = 0; i < 40; i += 1) {
                const draft = { key: "other", at: Date.now() - i * 1000, fields: { title: ["x"] } };
                localStorage.setItem(`draft:other#${i}`, JSON.stringify(draft));
            } }"""
        )
        page.fill("[name=title]", "One more")
        number = """async () => {
            const drafts = () => Object.keys(localStorage).filter((name) => name.startsWith("draft:")).length;
            for (let i = 0; i < 200 && drafts() !== 20; i += 1) {
                await new Promise((resolve) => { setTimeout(resolve, 50); });
            }
            return drafts();
        }"""
        assert page.evaluate(number) == 20


def test_a_save_by_somebody_else_is_told(writing, desk):
    with writing() as page:
        number = page.url.split("/")[-3]
        desk.installation.manage("shell", "--no-imports", "-c", _CHANGE.format(pk=number))
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        notice = page.locator("[data-notice=version]")
        notice.wait_for()
        assert "after you opened it" in notice.inner_text()


# ---- For everybody


@pytest.mark.parametrize("colours", COLOURS)
def test_the_editor_is_accessible(chromium, desk, sign_in, make, colours):
    # Without `visit`: the browser complains of what the check itself does.
    context = chromium.new_context(base_url=desk.address, locale="en-US", color_scheme=colours)
    page = context.new_page()
    sign_in(page)
    body = '<h2>Times</h2><p>High <a href="https://example.com/">water</a></p><table><tr><th>a</th></tr></table>'
    page.goto(f"/admin/contents/content/{make(body)}/change/")
    page.wait_for_selector(".editor-toolbar")
    for tool in (None, "block", "colour", "link", "picture", "shortcuts"):
        if tool:
            use_tool(page, tool)
        assert barriers(page, ".editor-dialog" if tool in ("link", "picture", "shortcuts") else ".editor") == []
        page.keyboard.press("Escape")
    open_tab(page, "Picture and files")
    page.locator("[data-kind=image]").get_by_role("button", name="From the library").click()
    page.wait_for_selector(".editor-files-one")
    assert barriers(page, ".editor-dialog") == []
    context.close()


def test_the_toolbar_fits_a_phone(writing):
    with writing(width=390, height=800) as page:
        assert page.evaluate("document.documentElement.scrollWidth <= 390")
        use_tool(page, "colour")
        box = page.locator(".editor-popup:not([hidden])").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
