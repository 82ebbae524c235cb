from django.utils.translation import gettext_lazy as _

from core.lib.registrations import AdminPage, AuditSubject, MenuItem, PeriodicTask, SearchKind, StartCard
from search.sources import SearchSource

SUMMARIES = {
    ("GET", "/users"): _("lists users that match filters"),
    ("POST", "/users"): _("creates a user"),
    ("GET", "/users/{id}"): _("returns a user"),
    ("PUT", "/users/{id}"): _("changes the members that are sent"),
    ("DELETE", "/users/{id}"): _("permanently deletes a user"),
    ("POST", "/users/{id}/avatar"): _("uploads a picture as multipart/form-data"),
    ("GET", "/users/{id}/avatar"): _("returns the URL of the picture"),
    ("GET", "/users/{id}/logs"): _("lists a user's log, newest first"),
    ("POST", "/users/{id}/logs"): _("adds an entry to a user's log"),
    ("POST", "/users/{id}/actions/resetPassword"): _("changes a password, given the old one"),
    ("POST", "/users/actions/resetPassword"): _("changes an account's password, given the MD5 of the old one"),
    ("POST", "/users/actions/login"): _("signs a user in"),
    ("POST", "/users/actions/logout"): _("ends the user's access token"),
    ("GET", "/administrators"): _("lists administrators that match filters"),
    ("POST", "/administrators"): _("creates an ordinary administrator"),
    ("GET", "/administrators/{id}"): _("returns an administrator"),
    ("PUT", "/administrators/{id}"): _("changes the members that are sent"),
    ("DELETE", "/administrators/{id}"): _("deletes an administrator and its API keys"),
    ("POST", "/administrators/actions/resetPassword"): _("changes an account's password, given the MD5 of the old one"),
    ("POST", "/administrators/actions/login"): _("signs an administrator in"),
    ("POST", "/administrators/actions/logout"): _("ends the administrator's access token"),
    ("GET", "/captcha/{name}"): _("returns a captcha and sets its cookie"),
    ("POST", "/captcha/{name}/actions/check"): _("checks the text of a captcha, once"),
}

ERROR_MESSAGES = {
    "picture_too_large_for_format": _(
        "A picture in this format may have at most %(megapixels)s megapixels. Save it as a JPEG that is "
        "not progressive or as a PNG that is not interlaced."
    ),
    "user_not_found": _("The user no longer exists."),
    "administrator_not_found": _("The administrator no longer exists."),
    "group_not_found": _("The group no longer exists."),
    "last_administrator": _("At least one superuser must be able to sign in."),
    "not_ordinary": _("Only ordinary administrators have roles."),
    "own_account": _("You cannot lock, delete or demote your own account."),
    "user_name_taken": _("Another account already has this as a name, email address or mobile number."),
    "email_taken": _("Another account already has this as a name, email address or mobile number."),
    "mobile_taken": _("Another account already has this as a name, email address or mobile number."),
    "user_name_invalid": _("A name must not begin or end with a space or contain control characters."),
    "password_too_weak": _("The password is too weak."),
    "second_factor_code_wrong": _(
        "The code is wrong. Wait for the next one, and check that the clock of the device is right."
    ),
    "password_changed_meanwhile": _("Someone else has just changed the password."),
    "sites_missing": _("Choose the sites that the administrator looks after."),
}

SUBJECTS = {
    "administrator": AuditSubject(10, _("Administrators")),
    "group": AuditSubject(20, _("Groups")),
    "user": AuditSubject(30, _("Users")),
}

ACTIONS = {
    "administrator.created": _("Administrator created"),
    "administrator.changed": _("Administrator changed"),
    "administrator.deleted": _("Administrator deleted"),
    "administrator.password_changed": _("Password of an administrator changed"),
    "administrator.unlocked": _("Administrator unlocked"),
    "administrator.signed_in": _("Administrator signed in"),
    "administrator.signed_out": _("Administrator signed out"),
    "administrator.sign_in_failed": _("Sign-in of an administrator failed"),
    "administrator.identity_not_confirmed": _("Administrator failed to confirm the password"),
    "administrator.second_factor_set_up": _("Second factor of an administrator set up"),
    "administrator.second_factor_turned_off": _("Second factor of an administrator turned off"),
    "administrator.second_factor_reset": _("Second factor of an administrator removed by another"),
    "administrator.recovery_codes_renewed": _("Recovery codes of an administrator renewed"),
    "administrator.sessions_ended": _("Sessions of an administrator ended"),
    "group.created": _("Group created"),
    "group.changed": _("Group changed"),
    "group.deleted": _("Group deleted"),
    "user.created": _("User created"),
    "user.changed": _("User changed"),
    "user.deleted": _("User deleted"),
    "user.password_changed": _("Password of a user changed"),
    "user.unlocked": _("User unlocked"),
    "user.imported": _("Users imported"),
    "user.exported": _("Users exported"),
}

LOCKED = {
    "administrator.changed": _("Administrator locked"),
    "user.changed": _("User locked"),
}

DETAIL_VALUES = {
    "reason": {
        "unknown_account": _("there is no such account"),
        "wrong_password": _("wrong password"),
        "wrong_code": _("right password, but wrong code of the second factor"),
        "too_many_failures": _("too many failed sign-ins to the account from this address"),
        "locked": _("right password, but the account is locked"),
        "shut_out": _("right password, but blocked after wrong ones"),
    },
    "limits": {
        "account": _("account"),
        "address": _("address"),
        "everywhere": _("account, from all addresses"),
    },
}

MENU = {
    "accounts.User": MenuItem("accounts", 10, _("Users")),
    "accounts.UserLog": MenuItem("accounts", 20, _("User log")),
    "accounts.Administrator": MenuItem("accounts", 30, _("Administrators")),
    "auth.Group": MenuItem("accounts", 40, _("Groups")),
}

CARDS = {
    "accounts.User": StartCard(
        50,
        "users",
        _("Users"),
        _("Find the members of your sites."),
        _("Add members of your sites, check who has registered, and lock accounts."),
    ),
    "accounts.Administrator": StartCard(
        90,
        "administrators",
        _("Administrators"),
        _("Choose who may sign in here and what they may do."),
    ),
}

ADMIN_PAGES = {
    "account": AdminPage("account/", "accounts.admin.account.profile"),
    "account_picture": AdminPage("account/picture/", "accounts.admin.account.picture"),
    "account_second_factor": AdminPage("account/second-factor/", "accounts.admin.account.second_factor_page"),
    "account_sessions": AdminPage("account/sessions/", "accounts.admin.account.sessions_page"),
    "account_sign_ins": AdminPage("account/sign-ins/", "accounts.admin.account.sign_ins"),
    "account_permissions": AdminPage("account/permissions/", "accounts.admin.permissions.own_view"),
}

SEARCHES = {"people": SearchKind(50, _("Administrators and users"), "users", "accounts.admin.hits.people")}

SEARCH_SOURCES = {"user": SearchSource("accounts.User", "accounts.searching.entries")}

PERIODIC_TASKS = {
    "accounts.password_resets": PeriodicTask(2.0, "accounts.password_reset.answer_asked"),
    "accounts.guessed_names": PeriodicTask(60.0, "accounts.folding.fold_guessed"),
}
