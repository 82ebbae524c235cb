"""Each member of a content is on each surface, or listed here as left out of it, so that none is forgotten."""

import pytest

import cms_api.urls  # noqa: F401 - registers the elements of templates
from cms_api.sql_endpoint import catalogue
from contents.admin import contents, preview, tables
from contents.admin.writing import form
from contents.flags import MARKS
from contents.stl import elements
from contents.wire.serializers import ContentSerializer
from core.rest.names import camelise, to_wire
from pages.engine.compiling import ENTITY_WORDS, WORDS
from transfer import names

SET_BY_THE_SERVICE = {"id", "siteId", "channelId", "taxis", "lastEditUserName", "lastEditDate", "navigationUrl"}
COUNTS = {"hits", "hitsByDay", "hitsByWeek", "hitsByMonth", "lastHitsDate"}
OF_PROGRAMS = {"sourceId", "referenceId", "settingsXml", "writingUserName"}
APPROVAL = {"isChecked", "checkedLevel"}  # has controls and words of its own
FLAGS = {"isTop", "isRecommend", "isHot", "isColor"}
OF_NO_READER = OF_PROGRAMS | APPROVAL | FLAGS | {"siteId", "channelId", "taxis", "lastEditUserName"}


def wire(fields):
    return {to_wire(field) for field in fields}


# Surface → members on it, and those that are left out. Members under another name there are on it.
SURFACES = {
    "the form": (
        wire((*form.TEXTS, *MARKS, form.ADD_DATE, *form._MEMBERS.values())),
        SET_BY_THE_SERVICE | COUNTS | OF_PROGRAMS | APPROVAL | {"addUserName"},
    ),
    "the record in the admin": (
        wire(field for _, options in contents.BaseContentAdmin.fieldsets for field in options["fields"])
        | {"content", "siteId", "channelId", "settingsXml", *APPROVAL},  # as body_frame, site, channel, custom_fields
        {"navigationUrl"},
    ),
    "the preview of a draft": (
        wire((*preview._MEMBERS, *preview._ADDRESSES)) | {"content"},
        OF_NO_READER
        | SET_BY_THE_SERVICE
        | COUNTS
        | {"addDate", "addUserName", "groupNameCollection", "linkUrl", "tags"},
    ),
    "tables": (
        {column.wire for column in tables.content_columns()},
        OF_PROGRAMS | COUNTS - {"hits"} | {"navigationUrl"},
    ),
    "client SQL": ({camelise(column.name) for column in catalogue.CONTENT.columns}, {"navigationUrl"}),
    "stl:content": (
        set(WORDS["content"].attributes["type"].values),
        OF_NO_READER | COUNTS - {"hits"} | {"groupNameCollection"},
    ),
    "{content}": (
        set(ENTITY_WORDS["content"].names) | {"groupNameCollection"},  # as group
        OF_NO_READER | COUNTS | {"linkUrl"},
    ),
    "the object of /stl/content": (
        set(elements.MEMBERS),
        {"subTitle", "summary", "content", "author", "source", "imageUrl", "videoUrl", "fileUrl", "navigationUrl"},
    ),
    "site templates": (
        wire(attribute.field for attribute in names.CONTENT.values()) | {"settingsXml"},  # unknown names are in it
        {"siteId", "channelId", "navigationUrl"},
    ),
}


@pytest.mark.parametrize(("shown", "left_out"), SURFACES.values(), ids=SURFACES)
def test_each_member_of_a_content_is_there_or_left_out(shown, left_out):
    members = wire(ContentSerializer.field_table())
    assert members - shown == left_out
