"""Accounts and the system: users, administrators, groups, keys, the audit, restart, error pages."""

from tools.tour.people import EDITOR, PASSWORD
from tools.tour.registry import part, stop

part("Users and administrators", "用户与管理员")


def _open_first(tour, place, text=""):
    """The page of a record, opened from the list."""
    tour.open(place)
    tour.page.locator("#result_list tbody tr", has_text=text).first.locator("a").first.click()
    tour.page.wait_for_load_state("networkidle")


@stop("The list of users.", "网站用户列表。", "Users")
def users(tour):
    tour.open("/admin/accounts/user/")


@stop("The user form.", "用户表单。", "Users")
def user(tour):
    _open_first(tour, "/admin/accounts/user/", "saltroad")


@stop("Administrators and their ranks.", "管理员及其级别。", "Administrators")
def administrators(tour):
    tour.open("/admin/accounts/administrator/")


@stop("An administrator's rank, sites and groups.", "管理员的级别、站点和用户组。", "Rank")
def administrator(tour):
    _open_first(tour, "/admin/accounts/administrator/", EDITOR)


@stop("Groups of administrators.", "角色。", "Groups")
def groups(tour):
    tour.open("/admin/auth/group/")


@stop("The permissions of a group.", "一个组的权限。", "Groups")
def group(tour):
    _open_first(tour, "/admin/auth/group/", "Editors")


part("Keys and the system", "密钥与系统")


@stop("API keys and when each was last used.", "API 密钥，以及最近使用时间。", "API keys")
def keys(tour):
    tour.open("/admin/apikeys/apikey/")


@stop("The details of a key.", "密钥详情。", "API keys")
def key(tour):
    _open_first(tour, "/admin/apikeys/apikey/", "Website")


@stop(
    "Issue a key: owner, scopes and expiry.",
    "新密钥：给谁、做什么、到何时。",
    "Issue the key",
    "Scopes: what the key opens",
)
def key_form(tour):
    tour.open("/admin/apikeys/apikey/add/")
    tour.page.fill("[name=name]", tour.say("Ferry displays", "码头显示屏"))


@stop("The operations that a key can call.", "密钥可以调用的接口。")
def key_operations(tour):
    _open_first(tour, "/admin/apikeys/apikey/", "Website")
    tour.send("a[href$='/operations/']")


@stop(
    "The audit log: who did what to which object, when and from where.", "审计：谁在何时何地对什么做了什么。", "Audit"
)
def audit(tour):
    tour.open("/admin/audit/auditentry/")


@stop("Restart all servers without dropping a request.", "不中断请求地重启所有服务器。", "Restart…")
def restart(tour):
    tour.open("/admin/operation/node/")


@stop("A page that does not exist.", "页面不存在。", "Go to the start page", status=404)
def not_found(tour):
    tour.open("/admin/nowhere/")


@stop("A failed sign-in does not say which part was wrong.", "登录失败的提示。", "Sign in", by="nobody")
def sign_in_failed(tour):
    tour.open("/admin/")
    tour.page.fill("#id_username", EDITOR)
    tour.page.fill("#id_password", PASSWORD[::-1])
    tour.send("#login-form button[type=submit]")
    tour.page.locator("#id_username, #id_password").evaluate_all("fields => fields.forEach(each => each.blur())")
