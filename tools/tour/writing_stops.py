"""The day: writing, pictures, two concurrent writers, history and trash."""

import io

from PIL import Image, ImageDraw
from playwright.sync_api import expect

from tools.browser import drop
from tools.tour.registry import part, stop, word
from tools.tour.visitor import CONTENTS

part("Writing", "撰写")


def _dusk():
    """A picture as a file of bytes: a sail before the evening."""
    picture = Image.linear_gradient("L").rotate(180).resize((960, 540)).convert("L")
    picture = Image.merge(
        "RGB", [picture.point(lambda light, part=part: 30 + light * part // 400) for part in (340, 220, 200)]
    )
    pencil = ImageDraw.Draw(picture)
    pencil.rectangle((0, 380, 960, 540), fill=(24, 60, 78))
    pencil.polygon([(470, 90), (470, 350), (330, 350)], fill=(214, 96, 74))
    pencil.polygon([(486, 140), (486, 350), (590, 350)], fill=(244, 226, 200))
    pencil.polygon([(350, 364), (600, 364), (560, 412), (390, 412)], fill=(46, 34, 36))
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=85)
    return file.getvalue()


def _form(tour, english, chinese):
    tour.form(tour.world.contents[tour.say(english, chinese)])


@stop("Choose a channel for a new content.", "新内容先选栏目。", "Add content", by="writer")
def new_content(tour):
    tour.open(f"{CONTENTS}add/", site=tour.world.site)


@stop(
    "The content form: the title is the heading, the settings are in tabs beside the text.",
    "内容表单：标题就是页面标题，正文旁的标签页里是其他设置。",
    *("Sorting", "Publish", "Preview"),
    by="writer",
    on_phone=True,
)
def writing(tour):
    _form(tour, "The Chaoxin is back at Pier 2", "水上灯火：港口信号一百五十年")


@stop(
    "Set a time of publication, and see what else the week brings.",
    "设定发布时间，同时查看这一周的安排。",
    *("Show the week", "Next week"),
)
def week(tour):
    _form(tour, "Storm Season", "预告：风暴季节")
    tour.open_dialog("a[data-dialog='.calendar']")


@stop("Edit the body in full screen, as it will look.", "全屏编辑正文，所见即所得。", by="writer")
def full_screen(tour):
    _form(tour, "The Chaoxin is back at Pier 2", "水上灯火：港口信号一百五十年")
    tour.page.locator(".editor-text p").first.click()
    tour.page.keyboard.press("Alt+Shift+F")


@stop(
    "Drop a picture into the text and add alternative text and a caption.",
    "把图片拖进正文，填写替代文字和图说。",
    *("Alternative text", "Caption", "Apply"),
    by="writer",
)
def picture(tour):
    _form(tour, "Winter programme 2026/27", "秋夜开放四场")
    shown = tour.page.locator(".editor-text img[src*='/media/sites/']")
    there = shown.count()
    drop(tour.page, ".editor-text", ("pier.jpg", "image/jpeg", _dusk()))
    expect(shown).to_have_count(there + 1, timeout=60_000)
    tour.page.wait_for_load_state("networkidle")
    unnamed = word("Pictures without alternative text: {count}", tour.language).partition("{")[0]
    tour.page.get_by_role("button", name=unnamed).click()
    dialog = tour.page.locator(".editor-dialog")
    texts = {
        "Alternative text": tour.say("Boats off a salt warehouse at dusk", "黄昏时盐仓外的船"),
        "Caption": tour.say("The pier before the winter", "入冬前的栈桥"),
        "Width": "60%",
    }
    for label, text in texts.items():
        dialog.get_by_label(word(label, tour.language), exact=True).fill(text)


@stop("The picture and its caption in the text.", "正文里的图片和图说。", by="writer")
def placed_picture(tour):
    picture(tour)
    tour.page.locator(".editor-dialog button[type=submit]").click()
    figure = tour.page.locator(".editor-text figcaption").first
    figure.wait_for()
    figure.evaluate("caption => caption.parentElement.scrollIntoView({ block: 'center' })")


@stop("Preview the draft as on a phone.", "预览：手机上的样子。", "Preview", by="writer")
def preview(tour):
    _form(tour, "The Chaoxin is back at Pier 2", "水上灯火：港口信号一百五十年")
    tour.page.click("button[data-preview]")
    tour.page.locator(".preview-widths input").first.check()
    tour.page.frame_locator(".preview-stage iframe:not(.is-loading)").locator("body > *").first.wait_for()
    tour.page.evaluate("localStorage.setItem('cms-preview-open', 'false')")  # the next stops are without it


@stop("Restore an unsaved draft.", "没有保存的草稿可以恢复。", by="writer")
def draft(tour):
    _form(tour, "Knots for beginners", "绳结入门课")
    tour.type_at_end(tour.say("Bring a rope of your own if you have one.", "有绳子的同学请自带。"))
    expect(tour.page.locator(".draft-state")).not_to_be_empty(timeout=60_000)
    tour.open("/admin/")
    _form(tour, "Knots for beginners", "绳结入门课")
    tour.page.locator("[data-notice=draft]").wait_for()


@stop(
    "Two people edit the same content: nothing is lost or overwritten.",
    "别人同时保存了：不会丢失，也不会互相覆盖。",
    *("Changed by both", "Yours", "Theirs"),
    by="writer",
    status=409,
)
def conflict(tour):
    titles = "Small sailors' Saturday", "读懂一面信号旗：少年班"
    _form(tour, *titles)
    other = tour.visitors["editor"]
    other.change(
        tour.world.contents[tour.say(*titles)],
        title=tour.say("Small sailors' Saturday: now from 10:30", "读懂一面信号旗：少年班（10:30 开始）"),
        sub_title=tour.say("For children from five years", "五岁以上儿童"),
    )
    tour.page.fill("#id_title", tour.say("Small sailors' Saturday, indoors", "读懂一面信号旗：少年班（室内）"))
    tour.page.keyboard.press("Control+s")
    tour.page.locator(".conflict").first.wait_for()


@stop("Custom fields of a site.", "站点的自定义字段。")
def fields(tour):
    tour.open(f"{CONTENTS}fields/{tour.world.site}/")


part("History", "历史")


def _painted(tour, view, **query):
    tour.open(f"{CONTENTS}{tour.world.contents['Fourteen coats of paint']}/{view}/", **query)


@stop(
    "Every version of a content: who, when, what.",
    "一条内容的所有版本：谁、何时、改了什么。",
    "What changed",
    "Restore this version",
    by="editor",
)
def history(tour):
    _painted(tour, "history")


@stop("Compare two versions word by word.", "比较两个版本，逐词显示差异。", "removed text", "added text", by="editor")
def comparison(tour):
    _painted(tour, "compare", **{"from": 1, "to": 5})


@stop(
    "Preview the changes before restoring an old version.",
    "恢复旧版本之前，先看会改变什么。",
    "Restore this version",
    by="editor",
)
def bring_back(tour):
    _painted(tour, "history")
    tour.send(".ways a[href*='/revert/'] >> nth=-1")


@stop("Changes on all sites.", "所有站点的修改记录。", "Changes")
def changes(tour):
    tour.open("/admin/contents/contentchange/")


@stop(
    "Restore content items from the trash or delete them permanently.",
    "回收站：恢复或彻底删除。",
    "Empty the trash…",
)
def trash(tour):
    tour.open("/admin/contents/trashedcontent/")


@stop("Channels in the trash, with their content items.", "回收站里的栏目及其内容。", "Empty the trash…")
def trashed_channels(tour):
    tour.open("/admin/channels_app/trashedchannel/")


@stop("Tags and the number of their content items.", "标签及其内容数量。", "Tags")
def tags(tour):
    tour.open("/admin/contents/contenttag/")
