from django.contrib import admin

from apikeys.models import ApiKey
from cms_api.lib.read_only_admin import ReadOnlyAdmin


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    list_display = ["name", "administrator", "scopes", "site_ids", "expires_at", "revoked_at"]
    list_select_related = ["administrator"]
    search_fields = ["name"]
