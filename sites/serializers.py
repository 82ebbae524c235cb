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

    id = IntegerField(read_only=True, help_text="Number of the site, which is that of its home channel.")
    site_dir = TextField(read_only=True, help_text="Folder of the site within the web space; empty for the root site.")
    site_name = TextField(read_only=True, help_text="What the site is called.")
    table_name = TextField(read_only=True, help_text="Name of the table of its contents, for SQL statements.")
    is_root = BooleanField(read_only=True, help_text="Whether it is the root site, of which there is one at most.")
    parent_id = IntegerField(read_only=True, help_text="Number of the site above it, 0 at the top.")
    taxis = IntegerField(read_only=True, help_text="Place among the sites, the highest first.")
    attributes = serializers.DictField(
        read_only=True, help_text="What is set for the site; each member has its own default."
    )


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
