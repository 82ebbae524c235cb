from django.contrib import admin

from accounts.admin import administrators, users
from accounts.admin.forms import SignInForm

__all__ = ["administrators", "users"]

admin.site.login_form = SignInForm
