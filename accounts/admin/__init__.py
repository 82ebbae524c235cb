from django.contrib import admin

from accounts.admin import administrators, users
from accounts.admin.forms import SignInForm
from accounts.admin.second_step import ask_for_code

__all__ = ["administrators", "users"]

admin.site.login_form = SignInForm
admin.site.ask_for_code = ask_for_code  # type: ignore[attr-defined]
