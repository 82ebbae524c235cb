"""The morning: signing in, pending work, finding contents and acting on many."""

from tools.tour.registry import part, stop
from tools.tour.visitor import CONTENTS

part("The morning", "早晨")


@stop("Sign in with your name, email address or mobile number.", "登录：用户名、邮箱或手机号。", "Sign in", by="nobody")
def sign_in(tour):
    tour.open("/admin/")
    tour.page.locator("#id_username").blur()


@stop(
    "The start page: own drafts, pending approvals, the publications of the next seven days and recent changes.",
    "首页：自己的草稿、待办、未来七天的发布和最近修改。",
    *("Continue writing", "Waiting for your approval", "The next seven days", "Recently changed"),
    on_phone=True,
)
def start(tour):
    tour.open("/admin/")


@stop(
    "Contents waiting for an editor who approves up to the first level.",
    "等待我审核的内容：这位编辑审核到第一级。",
    *("Waiting for me", "Approve"),
    by="editor",
    on_phone=True,
)
def waiting(tour):
    tour.open(f"{CONTENTS}waiting/")


@stop(
    "Review one content after another as visitors will see it, and decide below.",
    "逐篇审核：上方是访问者将看到的样子，下方作出决定。",
    *("Reject", "Reasons"),
    by="editor",
)
def review(tour):
    tour.open(f"{CONTENTS}waiting/")
    tour.page.locator(".waiting-bundle a[href*='/review/']").first.click()
    tour.page.locator("iframe.review-frame").wait_for()


@stop("Reject a content with reasons.", "退回时写明原因。", "Reject", "Reasons", by="editor")
def reject(tour):
    tour.open(f"{CONTENTS}waiting/")
    tour.page.locator(".waiting-bundle input[type=checkbox]").first.check()
    tour.send(".action-reject")
    tour.page.fill(
        "[name=reasons]", tour.say("The date in the second paragraph is wrong.", "第二段的日期有误，请核对。")
    )


@stop(
    "A writer's unfinished content items, with the reasons for a rejection.",
    "我的草稿和被退回的内容，附退回原因。",
    *("My drafts and rejected content items", "Reasons:"),
    by="writer",
)
def unfinished(tour):
    tour.open(f"{CONTENTS}unfinished/")


part("Finding content items and acting on them", "查找与处理内容")


def _listed(tour, **query):
    tour.open(CONTENTS, site__id__exact=tour.world.site, **query)
    _await_tree(tour)


def _await_tree(tour):
    # On a phone it is a closed drawer.
    tour.page.locator("#channel-tree [role=group] [role=treeitem]").first.wait_for(state="attached")


@stop(
    "The content items of a site, with the tree of its channels.",
    "站点的内容列表，左侧是栏目树。",
    *("Sites and channels", "Filters", "Search"),
    on_phone=True,
)
def contents(tour):
    _listed(tour)


@stop(
    "Filters, and the current selection.",
    "筛选，以及已选的条件。",
    "Filters",
    "Only items that are",
    "Clear filters",
)
def filters(tour):
    _listed(tour)
    tour.page.click(".filter-fields > summary")
    tour.page.select_option(".filter-fields select[name=state]", "approved")
    tour.page.fill(".filter-fields input[name=added_from]", "2026-01-01")
    tour.send(".filter-send button")
    if tour.page.locator(".filter-fields[open]").count() == 0:
        tour.page.click(".filter-fields > summary")


@stop("Save a view of a list, and choose its columns.", "保存列表视图，选择显示的列。", "Columns", "Save this view")
def list_view(tour):
    _listed(tour, state="waiting")
    tour.page.click(".list-view > summary")


def _row(tour, title):
    return tour.page.locator("#result_list tbody tr", has_text=title).first


@stop(
    "Quick edit in a row: title, subtitle and tags.",
    "在列表中快速编辑：标题、副标题和标签。",
    *("Quick edit", "Open the whole form"),
)
def quick_edit(tour):
    _listed(tour)
    row = _row(tour, tour.say("Salt Accounts", "绳结入门课"))
    row.hover()
    row.locator(".row-edit").click()
    subtitle = tour.page.locator("dialog[open] [name=sub_title]")
    subtitle.fill(tour.say("Two hundred years of the salt trade", "第一课：平结"))


def _choose(tour, *titles):
    for title in titles:
        _row(tour, title).locator(".action-select").check()


@stop(
    "Actions for the selected rows.",
    "对所选内容可以进行的操作。",
    "Approve",
    "Move to the trash",
    "Unpublish",
)
def actions(tour):
    _listed(tour)
    _choose(tour, "Model-making weekend", "Lanterns for the longest night", "预告：风暴季节")
    tour.page.click(".action-bar .more-actions summary")


_TWO = ("Model-making weekend", "Lanterns for the longest night")


@stop("Preview an action before it runs.", "操作之前先说明结果。", "Affected records", "Where they are")
def approve(tour):
    _listed(tour)
    _choose(tour, *_TWO, "The Chaoxin is back at Pier 2")
    tour.open_dialog('.action-bar button[value="approve"]')


@stop("Undo an action within an hour.", "已完成，一小时内可以撤销。", "Undo")
def undo(tour):
    _listed(tour)
    _choose(tour, *_TWO)
    tour.open_dialog('.action-bar button[value="approve"]')
    tour.page.click("dialog input[type=submit].default")
    tour.page.wait_for_selector(".messagelist .undo")


@stop("Type to find the channel to move to.", "移动内容：输入栏目名即可找到。", "Move")
def move(tour):
    _listed(tour)
    _choose(tour, "Storm Season")
    tour.open_dialog('.action-bar button[value="move"]')
    tour.page.locator("form.action [role=combobox]").first.fill(tour.say("talks", "讲座"))
