"""Channels and sites: the tree, settings, new sites, and tables."""

import tempfile
from pathlib import Path

from tools.site_templates import OLD_SITE, Template, encoded, feed, old_channel, old_content
from tools.tour.registry import part, stop, word
from tools.tour.visitor import CONTENTS

part("Channels", "栏目")


def _tree(tour, end="", **query):
    tour.open(f"/admin/channels_app/channel/site/{tour.world.site}/{end}", **query)


@stop(
    "The channel tree: drag channels, or move them with the keyboard.",
    "栏目树：拖动，或用键盘移动。",
    "Channels",
    "Add several",
    on_phone=True,
)
def channels(tour):
    _tree(tour)


def _act(tour, name):
    _tree(tour)
    tour.page.locator(f"#c{tour.world.channels['exhibitions']} .row-actions button").click()
    return tour.page.get_by_role("menuitem", name=word(name, tour.language), exact=True)


@stop("Copy a channel with all below it.", "复制栏目及其所有下级栏目。", "Name of the copy", "With contents")
def copy_channel(tour):
    _act(tour, "Copy").click()
    tour.page.locator("dialog[open]").wait_for()


@stop("Give a person a role in one channel.", "让某人在一个栏目里担任角色。", "Role")
def people(tour):
    _act(tour, "People").click()
    tour.page.wait_for_url("**/people/**")


@stop("Move a channel before, below or after another.", "移动栏目：放在前面、下级或后面。", "New place")
def move_channel(tour):
    _tree(tour, moving=tour.world.channels["ferry"])


@stop("The channel form shows the resulting URLs.", "栏目表单，会显示生成的地址。")
def channel(tour):
    tour.open(f"/admin/channels_app/channel/{tour.world.channels['exhibitions']}/change/")


@stop(
    "A change of address rules lists old and new addresses before it is saved.",
    "修改地址规则时，保存之前先列出新旧地址。",
    *("Nothing has been stored yet.", "The old addresses redirect to the new ones.", "Back to editing"),
)
def new_addresses(tour):
    channel(tour)
    tour.page.fill("[name=content_file_path_rule]", "/exhibitions/{@year}/{@contentId}.html")
    tour.send(".submit-row [name=_save]")


@stop("Add several channels at once, with a preview.", "批量添加栏目：先预览。", "Add several")
def several_channels(tour):
    _tree(tour, "several/")
    tour.page.fill(
        "#id_names",
        tour.say(
            "Children\n  Workshops\n  Birthdays\nSchools\n  Class visits [schools]\n  Material",
            "少儿\n  工作坊\n  生日会\n学校\n  班级参观 [schools]\n  教学资料",
        ),
    )
    tour.send("input[type=submit].default")


part("Sites", "站点")


@stop(
    "Search the settings of a site.",
    "站点设置：按词查找。",
    "Search settings",
    "Back to default",
)
def settings(tour):
    tour.open(f"/admin/cms_sites/site/{tour.world.site}/change/")
    tour.page.fill("#settings-search", tour.say("rows", "条数"))
    tour.page.fill("#id_pageSize", "40")


@stop("The templates of a site, by type.", "站点的模板，按类型排列。", "used by")
def templates(tour):
    tour.open("/admin/pages/template/", site__id__exact=tour.world.site)


_WIZARD = "/admin/cms_sites/site/add/"


def _next(tour):
    tour.send("form.wizard .submit-row input[type=submit]")


def _place(tour, english, chinese, folder):
    tour.open(_WIZARD)
    tour.page.fill("#id_site_name", tour.say(english, chinese))
    tour.page.fill("#id_site_dir", folder)


@stop(
    "Create a site step by step: name and folder.",
    "新建站点向导：名称和文件夹。",
    "Name of the site",
    "This folder is free.",
)
def wizard(tour):
    _place(tour, "Friends of the harbour", "海港之友", "friends")
    tour.page.locator(".folder-news:not(.problem):not(:empty)").wait_for()


@stop("Enter its channels, or start with a prepared set.", "新站点的栏目：输入，或用现成的栏目。", "Channels")
def wizard_channels(tour):
    _place(tour, "Friends of the harbour", "海港之友", "friends")
    _next(tour)
    tour.page.check("input[name=begin][value=company]")
    _next(tour)


@stop("Confirm the summary before the site is created.", "确认之后再建立站点。", "Create the site", "Managed by")
def wizard_summary(tour):
    wizard_channels(tour)
    _next(tour)
    _next(tour)


def _package(tour, folder):
    """A site template of a few channels, one of whose files is missing."""
    names = [tour.say(*each) for each in (("Notices", "公告"), ("Members", "会员"), ("Letters", "来信"))]
    home = old_channel(7, NodeName=tour.say("Home", "首页"))
    feeds = {"1": feed(home)}
    for place, name in enumerate(names, start=1):
        entries = [
            old_content(10 * place + each, f"{name} {each}", ImageUrl=encoded("@/upload/images/boat.jpg"))
            for each in range(1, 4 + 3 * place)
        ]
        feeds[f"1_{place}"] = feed(old_channel(7 + place, 7, NodeName=name), entries)
    site = OLD_SITE | {
        "PublishmentSystemName": tour.say("Friends of the harbour", "海港之友"),
        "PublishmentSystemDir": "friends",
    }
    template = Template(site=site, channels=feeds, others={"index.html": "x", "Template/list.html": "x"})
    return template.write_zip(folder / "T_Friends.zip", top="T_Friends/")


@stop(
    "Check a site template before anything is stored.",
    "导入站点模板：先检查，什么都不保存。",
    "Before you import it",
    "Continue and import it",
)
def template(tour):
    with tempfile.TemporaryDirectory() as folder:
        tour.open("/admin/cms_sites/site/template/")
        tour.page.set_input_files("#id_file", _package(tour, Path(folder)))
        tour.page.click("form.template-upload input[type=submit]")
        tour.page.wait_for_url("**/jobs/job/*/change/")
        tour.page.locator(".next .button").wait_for()


@stop(
    "A job imports the template and reports the result.",
    "由后台任务导入，完成后给出报告。",
    "Next steps",
    "Channels and their content items",
)
def imported(tour):
    template(tour)
    tour.send(".next .button")
    for _step in ("place", "people", "summary"):
        _next(tour)
    tour.page.wait_for_url("**/jobs/job/*/change/")
    tour.page.locator(".next-steps").wait_for()


_SITES = "/admin/cms_sites/site/"


def _ask_to_delete(tour):
    """Open the dialog for the imported site."""
    name = tour.say("Friends of the harbour", "海港之友")
    tour.open(_SITES)
    row = tour.page.locator("#result_list tbody tr", has_text=name)
    if row.count() == 0:
        imported(tour)
        tour.open(_SITES)
    row.locator(".field-trash a").click()
    tour.page.locator("dialog[open] [name=site_name]").fill(name)


@stop(
    "Delete a site: everything that moves to the trash, counted.",
    "删除站点：先列出一并移到回收站的数据。",
    *("Move to the trash", "Name of the site"),
)
def delete_site(tour):
    _ask_to_delete(tour)


@stop(
    "Sites in the trash: restore them or delete them permanently.",
    "回收站里的站点：恢复或彻底删除。",
    "Sites in the trash",
)
def trashed_sites(tour):
    _ask_to_delete(tour)
    tour.send("dialog[open] input[type=submit]")
    tour.send(".messagelist .success a")


@stop("Restore a site with its IDs, rights and keys.", "恢复站点：ID、权限和密钥都不变。", "Restore")
def restore_site(tour):
    tour.open("/admin/cms_sites/trashedsite/")
    tour.open_dialog("#result_list .field-restore a")


@stop("The list of background jobs.", "后台任务列表。", "Jobs")
def jobs(tour):
    tour.open("/admin/jobs/job/")


part("Spreadsheets", "表格")


@stop("Choose columns, headings and format of an export.", "导出：选择列、表头和格式。", "Export")
def export(tour):
    tour.open(f"{CONTENTS}export/", site__id__exact=tour.world.site)


@stop(
    "Preview an import: the result of each row, and wrong rows.",
    "导入前预览：每一行的结果，以及有错的行。",
    "What it does",
    "Discard",
    "Meaning of the headings",
)
def table(tour):
    number = tour.world.contents["Tickets and concessions"]
    rows = (
        "id,title,subtitle,isChecked\n"
        f"{number},Tickets and concessions,{tour.say('From 1 January', '一月一日起')},True\n"
        f",{tour.say('Low water at noon', '正午低潮')},{tour.say('A walk on the quay', '码头散步')},False\n"
        f",{tour.say('Under the pier', '栈桥之下')},,perhaps\n"
    )
    tour.open(f"{CONTENTS}import/", site__id__exact=tour.world.site)
    file = {"name": "contents.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    tour.page.set_input_files("#id_file", file)
    if tour.page.locator("#id_channel").count():
        tour.page.select_option("#id_channel", str(tour.world.channels["news"]), force=True)
    tour.send("#content form.table-form input[type=submit].default")
    tour.page.wait_for_selector(".preview-rows .errorlist")
