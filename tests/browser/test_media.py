"""The media library in a browser: folders, cards, acts on chosen files, and a file beside the list."""

import re
from contextlib import contextmanager
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.accounts.picture_files import plain, saved
from tests.browser.accessibility import LOOKS, barriers
from tests.browser.test_keyboard import press, reach

LIST = "/admin/media_library/mediafile/?site__id__exact=1"

# The frame takes this share of the width of the picture, and lies within the window.
_IS_FRAMED = """([share, window]) => {
    const place = (part) => document.querySelector(`.cropper-${part}`).getBoundingClientRect();
    const [whole, part] = [place("canvas"), place("crop-box")];
    return Math.abs(part.width / whole.width - share) < 0.01 && part.right < window;
}"""


@pytest.fixture
def library(visit, sign_in):
    """Upload pictures with a word of their own, and open the list of them: `with library() as (page, word)`."""

    @contextmanager
    def open_list(language="en", number=2, **options):
        word = uuid4().hex[:8]
        with visit(language, **options) as page:
            sign_in(page)
            page.goto("/admin/media_library/mediafile/add/?site=1")
            colours = [[byte, number, int(word[:2], 16)] for number, byte in enumerate(bytes.fromhex(word)[:number])]
            pictures = [
                {
                    "name": f"{word} {place}.jpg",
                    "mimeType": "image/jpeg",
                    "buffer": saved(plain((300 + int(word[:3], 16), 200 + place), tuple(colour)), "JPEG"),
                }
                for place, colour in enumerate(colours)
            ]
            page.locator("#files").set_input_files(pictures)
            page.locator("form.writing-box button[type=submit]").click()
            page.wait_for_url(re.compile("site__id__exact"))
            page.goto(f"{LIST}&q={word}")
            expect(page.locator("#result_list tbody tr")).to_have_count(number)
            yield page, word

    return open_list


@pytest.mark.parametrize("width", [1280, 390])
def test_files_are_cards_that_move_to_a_new_folder_and_back(library, width):
    with library(width=width, is_heard=False) as (page, word):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if width < 768:
            page.locator("#folders > summary").click()
        page.get_by_role("link", name="New folder").click()
        page.get_by_role("dialog").get_by_label("Name").fill(f"Folder {word}")
        page.keyboard.press("Enter")
        expect(page.locator("#messages")).to_contain_text(f"The folder “Folder {word}” was saved.")
        page.goto(f"{LIST}&q={word}")
        for box in page.locator("input.action-select").all():
            box.check()
        page.get_by_role("button", name="Move to a folder").click()
        page.get_by_role("dialog").get_by_label("Folder").select_option(f"Folder {word}")
        page.get_by_role("dialog").get_by_role("button", name="Move to a folder").click()
        expect(page.locator("#messages")).to_contain_text("2 files were moved.")
        folder = page.locator("#folders a", has_text=f"Folder {word}")
        expect(folder.locator(".tree-count")).to_have_text("2")
        page.get_by_role("button", name="Undo").click()
        expect(folder.locator(".tree-count")).to_have_text("0")
        assert barriers(page) == []


def test_a_file_opens_beside_the_list_and_is_described_there(library):
    with library() as (page, word):
        page.get_by_role("link", name=f"{word} 0").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Alternative text").fill("A plain colour")
        dialog.locator("#media-picture").click(position={"x": 10, "y": 10})
        expect(dialog.locator("#media-cut")).to_be_visible()
        dialog.get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator("#result_list tbody tr", has_text=f"{word} 0")).not_to_contain_text("no alternative text")


def test_a_person_keeps_the_layout(library):
    with library() as (page, word):
        expect(page.locator(".as-grid")).to_have_count(1)
        page.get_by_role("button", name="Table", exact=True).click()
        expect(page.locator(".as-grid")).to_have_count(0)
        assert f"q={word}" in page.url
        page.reload()
        expect(page.get_by_role("button", name="Table", exact=True)).to_have_attribute("aria-pressed", "true")


def test_the_library_in_chinese(library):
    with library("zh-hans", colours="dark", is_heard=False) as (page, word):
        page.locator("input.action-select").first.check()
        page.locator("button.action-add-tags").click()
        page.locator("dialog input[name=names]").fill("港口，红色")
        page.locator("dialog [type=submit]").click()
        expect(page.locator("#messages .undo")).to_be_visible()
        page.get_by_role("link", name=f"{word} 1").click()
        expect(page.locator("dialog #id_tags")).to_have_value("港口,红色")
        assert barriers(page) == []


@pytest.mark.parametrize(("language", "colours"), LOOKS)
def test_a_picture_is_cropped_as_a_copy_by_keys(library, language, colours):
    with library(language, number=1, colours=colours, is_heard=False) as (page, word):
        loaded = []
        page.on("request", lambda request: loaded.extend(re.findall(r"/crop\..*?(js|css)$", request.url)))
        press(page, page.locator("#result_list tbody th a"))
        reach(page, page.locator("dialog a[href$='/crop/']"))
        assert loaded == []
        press(page, page.locator("dialog a[href$='/crop/']"))
        form = page.locator("dialog form[data-crop=ready]")
        expect(form.locator("[name=x]")).to_be_focused()
        assert loaded == ["css", "js"]
        whole = int(form.locator("[name=width]").input_value())
        for name, number in (("x", 40), ("y", 30), ("width", 120), ("height", 60)):
            reach(page, form.locator(f"[name={name}]"))
            page.keyboard.press("Control+A")
            page.keyboard.type(str(number))
        reach(page, form.locator("[data-ratio='1:1']"), key="Shift+Tab")
        assert [form.locator(f"[name={name}]").input_value() for name in ("x", "width")] == ["40", "120"]
        assert barriers(page) == []
        press(page, form.locator("[name=result][value=copy]"))
        page.wait_for_url(re.compile("/change/"))
        expect(page.locator("dl.facts")).to_contain_text("120 × 60")
        page.goto(f"{LIST}&q={word}")
        expect(page.locator("#result_list tbody tr")).to_have_count(2)
        assert whole > 300


def test_the_frame_and_the_numbers_show_the_same_part(library):
    with library(number=1) as (page, _word):
        page.locator("#result_list tbody th a").click()
        page.get_by_role("dialog").get_by_role("link", name="Crop").click()
        form = page.locator("form[data-crop=ready]")
        width, height = (int(form.locator(f"[name={name}]").input_value()) for name in ("width", "height"))
        form.get_by_role("button", name="1:1").click()
        expect(form.locator("[name=width]")).to_have_value(str(height))
        assert abs(int(form.locator("[name=x]").input_value()) - (width - height) / 2) <= 2
        form.get_by_role("button", name="Free").click()
        form.locator("[name=x]").fill(str(width - 50))
        form.locator("[name=x]").press("Tab")
        expect(form.locator("[name=width]")).to_have_value("50")
        for window in (1280, 390, 1280):
            page.set_viewport_size({"width": window, "height": 900})
            page.wait_for_function(_IS_FRAMED, arg=[50 / width, window])
            expect(form.locator("[name=width]")).to_have_value("50")
        form.get_by_role("button", name="Replace this file").click()
        expect(page.locator(".messagelist")).to_contain_text("The picture was cropped.")
        expect(page.locator("dl.facts")).to_contain_text(f"50 × {height}")
