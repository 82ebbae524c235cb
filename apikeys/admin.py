from django.contrib import admin

from apikeys.models import ApiKey
from cms_api.back_end.pages import HighestRankPages


@admin.register(ApiKey)
class ApiKeyAdmin(HighestRankPages):
    list_display = ["name", "administrator", "scopes", "site_ids", "expires_at", "revoked_at"]
    list_select_related = ["administrator"]
    search_fields = ["name"]
