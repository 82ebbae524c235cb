"""The fields of the editor as the server writes them."""

import json
import re
from html import unescape

import pytest
from django.utils import translation

from core.admin.editor.widget import RichTextWidget, UploadWidget
from core.admin.static_files import StaticFiles

RICH_TEXT = RichTextWidget(
    {"id": "id_body"}, upload_url="/up/", site_root="/media/sites/1/", draft_key="1:2", version=7
)
UPLOAD = UploadWidget("image", upload_url="/up/", site_root="/media/sites/1/")


def words_of(html):
    return json.loads(unescape(re.search(r'data-words="([^"]*)"', html)[1]))


def test_without_scripts_a_text_is_a_text_area():
    html = RICH_TEXT.render("body", '<p title="a&b">x</p>', {"id": "id_body"})
    assert "&lt;p title=&quot;a&amp;b&quot;&gt;x&lt;/p&gt;</textarea>" in html
    assert '<textarea name="body"' in html


def test_without_scripts_a_file_is_an_address():
    html = UPLOAD.render("image_url", "@/upload/a.jpg")
    assert '<input type="text" name="image_url" value="@/upload/a.jpg">' in html


def test_a_text_says_where_its_files_draft_and_version_are():
    html = RICH_TEXT.render("body", "")
    expected = ['data-upload="/up/"', 'data-site-root="/media/sites/1/"', 'data-draft="1:2"', 'data-version="7"']
    assert [part for part in expected if part not in html] == []


@pytest.mark.parametrize("widget", [RICH_TEXT, UPLOAD], ids=["text", "file"])
def test_words_are_in_the_language_of_the_page(widget):
    with translation.override("zh-hans"):
        chinese = words_of(widget.render("name", ""))
    assert chinese.keys() == words_of(widget.render("name", "")).keys()
    assert chinese["cancel"] == "取消"


def test_a_file_that_was_not_collected_has_its_plain_name(tmp_path):
    storage = StaticFiles(location=tmp_path, base_url="/static/")
    assert storage.url("cms_admin/editor/editor.js") == "/static/cms_admin/editor/editor.js"


def test_a_file_that_was_collected_has_the_name_of_its_contents(tmp_path):
    (tmp_path / "a.js").write_text('"use strict";')
    storage = StaticFiles(location=tmp_path, base_url="/static/")
    assert list(storage.post_process({"a.js": (storage, "a.js")}))
    name = storage.url("a.js")
    assert re.fullmatch(r"/static/a\.[0-9a-f]{12}\.js", name)
    assert (tmp_path / name.removeprefix("/static/")).read_text() == '"use strict";'
