"""The wire form of sites."""

from typing import Any

from rest_framework import serializers

from cms_api.rest.fields import BooleanField, IntegerField, TextField
from cms_api.rest.serializers import WireSerializer
from sites.attributes import site_attributes
from sites.models import Site

Record = dict[str, Any]


class SiteSerializer(WireSerializer):
    """One site, its members in the order in which they are answered (interface: Site)."""

    id = IntegerField(read_only=True, help_text="Site id, which is that of its home channel.")
    site_dir = TextField(read_only=True, help_text="Folder.")
    site_name = TextField(read_only=True, help_text="Name.")
    table_name = TextField(read_only=True, help_text="Content table, for SQL.")
    is_root = BooleanField(read_only=True, help_text="Root site.")
    parent_id = IntegerField(read_only=True, help_text="Parent site, 0 at the top.")
    taxis = IntegerField(read_only=True, help_text="Sort order.")
    attributes = serializers.DictField(read_only=True, help_text="Settings (sites.attributes).")


def site_record(site: Site) -> Record:
    """The site as it is answered."""
    return {
        "id": site.pk,
        "siteDir": site.site_dir,
        "siteName": site.site_name,
        "tableName": site.table_name,
        "isRoot": site.is_root,
        "parentId": site.parent_id or 0,
        "taxis": site.taxis,
        "attributes": site_attributes(site),
    }
