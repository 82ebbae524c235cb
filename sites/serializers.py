from typing import Any

from rest_framework import serializers

from core.rest.fields import BooleanField, IntegerField, TextField
from core.rest.serializers import WireSerializer
from sites.attributes import site_attributes
from sites.models import Site

Record = dict[str, Any]


class SiteSerializer(WireSerializer):
    """One site, its members in the order of responses."""

    id = IntegerField(read_only=True, help_text="Id of the site and its home channel.")
    site_dir = TextField(read_only=True, help_text="Folder of the site; empty for the root site.")
    site_name = TextField(read_only=True, help_text="Name of the site.")
    table_name = TextField(read_only=True, help_text="Table of its contents, for SQL.")
    is_root = BooleanField(read_only=True, help_text="True for the only root site.")
    parent_id = IntegerField(read_only=True, help_text="Id of its parent, 0 at the top.")
    taxis = IntegerField(read_only=True, help_text="Position among the sites, highest first.")
    attributes = serializers.DictField(read_only=True, help_text="Settings of the site, with defaults.")


def site_record(site: Site) -> Record:
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
