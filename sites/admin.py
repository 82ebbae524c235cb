from django.contrib import admin

from cms_api.lib.read_only_admin import ReadOnlyAdmin
from sites.models import Site


@admin.register(Site)
class SiteAdmin(ReadOnlyAdmin):
    list_display = ["site_name", "id", "site_dir", "is_root", "table_name", "web_url"]
    search_fields = ["site_name", "site_dir"]
