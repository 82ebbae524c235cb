from django.contrib import admin

from accounts.models import Administrator, User
from cms_api.lib.read_only_admin import ReadOnlyAdmin


@admin.register(Administrator)
class AdministratorAdmin(ReadOnlyAdmin):
    list_display = [
        "user_name",
        "display_name",
        "email",
        "is_superuser",
        "is_locked_out",
        "last_activity_date",
    ]
    search_fields = ["user_name", "display_name", "email", "mobile"]
    exclude = ["password"]


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    list_display = ["user_name", "display_name", "email", "is_checked", "is_locked_out", "create_date"]
    search_fields = ["user_name", "display_name", "email", "mobile"]
    exclude = ["password"]
