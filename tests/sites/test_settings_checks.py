"""What the page of a site refuses to store, since nothing would come of it, and tells at the field."""

import pytest
from django.contrib import admin
from django.test import RequestFactory

from contents.models import CustomField
from contents.navigation.page_urls import NO_TOKENS
from contents.wire.columns import BY_FOLDED_WIRE
from sites.models import Site
from sites.page_rule_checks import CHANNEL_TOKENS, CONTENT_TOKENS, members_of_contents
from tests.cases import each_once
from tests.factories import AdministratorFactory, ChannelFactory, SiteFactory
from tests.sites.test_site_admin import errors, save, stored
from tests.worlds import world

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
NOTHING = "“%s” is not a known token. Use %s, or {@…} with the name of a custom field."
SAME_CHANNEL = "All channels would have the same page. Add a token that tells them apart, such as {@channelId}."
SAME_CONTENT = (
    "All content items of a channel would have the same page. Add a token that tells them apart, such as {@contentId}."
)
SEQUENCE_OF_CHANNELS = (
    "{@sequence} counts within the channel above, so channels elsewhere would have the same page. Add {@parentRule}."
)
SEQUENCE_OF_CONTENTS = (
    "{@sequence} counts within a channel, so content items of other channels would have the same page. Add a "
    "token of the channel, such as {@channelId}."
)
LEADS_OUT = "“..” leads out of the folder of the site."
ENDING = "It must end in a file extension, such as .html."


@pytest.fixture
def signed_in(client):
    client.force_login(AdministratorFactory())
    return client


def refused(signed_in, member, value, **others):
    """What is said of the value at the field; nothing is stored."""
    site = SiteFactory()
    told = errors(save(signed_in, site, **{member: value}, **others))
    assert stored(site).settings == {}
    assert list(told) == [member]
    return list(told[member])


@world
def form():
    """A site, the class of the form on its page, and what a browser sends when the page is saved as it is shown."""
    site, request = SiteFactory(), RequestFactory().get("/")
    request.user = AdministratorFactory()
    kind = admin.site.get_model_admin(Site).get_form(request, site, change=True)
    shown = kind(instance=site)
    values = {name: shown[name].value() for name in shown.fields}
    return site, kind, {name: value for name, value in values.items() if value is not None and value is not False}


def errors_of(form, **changes):
    """The errors of the form itself, by member."""
    site, kind, shown = form
    return {member: list(told) for member, told in kind(shown | changes, instance=site).errors.items()}


# ---- Addresses


@each_once(
    ("address", ["not an address", "www.example.com", "ftp://x.example", "https://", "https://a b"]),
    (("member", "label"), [
        ("separatedWebUrl", "Address of the host of the pages"),
        ("separatedAssetsUrl", "Address of the host of the uploads"),
    ]),
)  # fmt: skip
def test_what_is_no_address_of_a_host_is_refused(signed_in, member, label, address):
    told = f"“{label}” must begin with http://, https:// or / and must not contain spaces."
    assert refused(signed_in, member, address) == [told]


@pytest.mark.parametrize("address", ["https://m.example", "HTTP://m.example:8080/a/", "/pages", "//cdn.example", "/"])
def test_addresses_of_hosts_and_paths_are_stored(signed_in, address):
    site = SiteFactory()
    assert save(signed_in, site, isSeparatedWeb="on", separatedWebUrl=address).status_code == 302
    assert stored(site).settings["separatedWebUrl"] == address


def test_an_address_that_came_by_a_package_is_looked_at_once_it_is_used(signed_in):
    site = SiteFactory(settings={"separatedWebUrl": "not an address"})
    assert save(signed_in, site, pageSize="20").status_code == 302
    assert list(errors(save(signed_in, site, isSeparatedWeb="on"))) == ["separatedWebUrl"]


# ---- Rules of pages


@pytest.mark.parametrize(("member", "rule", "told"), [
    ("channelFilePathRule", "../../etc/{@channelId}", LEADS_OUT),
    ("channelFilePathRule", "/a/..\\{@channelId}.html", LEADS_OUT),
    ("channelFilePathRule", "/news/{@channelId}", ENDING),
    ("channelFilePathRule", "/<b>/{@channelId}.html", "An address cannot contain “<”."),
    ("channelFilePathRule", "/a?{@channelId}.html", "An address cannot contain “?”."),
    ("contentFilePathRule", "/%2e%2e/{@contentId}.html", "An address cannot contain “%”."),
    ("channelFilePathRule", "/news/list.html", SAME_CHANNEL),
    ("channelFilePathRule", "{@parentRule}/{@year}.html", SAME_CHANNEL),
    ("channelFilePathRule", "/news/{@sequence}.html", SEQUENCE_OF_CHANNELS),
    ("contentFilePathRule", "/news/{@sequence}.html", SEQUENCE_OF_CONTENTS),
    ("channelFilePathRule", "/{@contentId}.html", NOTHING % ("{@contentid}", CHANNEL_TOKENS)),
    ("contentFilePathRule", "/news/static.html", SAME_CONTENT),
    ("contentFilePathRule", "/{@channelId}/{@year}.html", SAME_CONTENT),
    ("contentFilePathRule", "/news/{@nonsense}.html", NOTHING % ("{@nonsense}", CONTENT_TOKENS)),
    ("contentFilePathRule", "/({@title}|{@nonsense}).html", NOTHING % ("{@nonsense}", CONTENT_TOKENS)),
    ("contentFilePathRule", "/{contentId}.html", NOTHING % ("{contentId}", CONTENT_TOKENS)),
    ("contentFilePathRule", "/{@contentId.html", NOTHING % ("{@contentId.html", CONTENT_TOKENS)),
])  # fmt: skip
def test_a_rule_that_would_break_pages_is_refused(form, member, rule, told):
    assert errors_of(form, **{member: rule}) == {member: [told]}


@pytest.mark.parametrize(("member", "rule"), [
    ("channelFilePathRule", "{@parentRule}/{@LowerChannelIndex}/index.html"),
    ("channelFilePathRule", "{@parentRule}/{@sequence}/index.html"),
    ("channelFilePathRule", "/{@slug}.html"),
    ("contentFilePathRule", "/{@year}/{@month}/{@ContentId}.html"),
    ("contentFilePathRule", "/{@id}.html"),
    ("contentFilePathRule", "/{@channelIndex}/{@sequence}.html"),
    ("contentFilePathRule", "{@parentRule}/({@lowerSubTitle}|{@contentId}).html"),
    ("contentFilePathRule", "/{@year}{@month}{@day}{@hour}{@minute}{@second}.html"),
    ("contentFilePathRule", "/{@lowerPlace}.html"),
])  # fmt: skip
def test_tokens_members_and_custom_fields_name_pages(form, member, rule):
    site, *_ = form
    ChannelFactory(site=site, settings={"Slug": "x"})
    CustomField.objects.create(site=site, name="Place", folded_name="place")
    assert member not in errors_of(form, **{member: rule})  # the form asks whether new addresses are meant


def test_a_rule_is_stored_as_it_was_typed(signed_in):
    site, rules = SiteFactory(), {"channelFilePathRule": "{@parentRule}/{@LowerChannelIndex}/index.html"}
    assert save(signed_in, site, **rules).status_code == 302
    assert stored(site).settings == rules
    assert refused(signed_in, "contentFilePathRule", "/news/static.html") == [SAME_CONTENT]


def test_a_rule_that_came_by_a_package_keeps_nobody_from_other_settings(signed_in):
    settings = {"contentFilePathRule": "/static.html", "imageUploadDirectoryName": "../x"}
    site = SiteFactory(settings=settings)
    assert save(signed_in, site, pageSize="20").status_code == 302
    assert stored(site).settings == settings | {"pageSize": 20}


def test_rules_know_the_members_of_contents_that_pages_know():
    assert members_of_contents(SiteFactory()) == BY_FOLDED_WIRE.keys() - {name.casefold() for name in NO_TOKENS}


# ---- Uploads


@pytest.mark.parametrize(("typed", "used"), [
    ("../secret", "secret"),
    ("a/./b", "a/b"),
    ("my pictures", "my-pictures"),
    ("a//b", "a/b"),
    ("..", "upload/images"),
    ("a/b/c/d/e/f/g", "a/b/c/d/e/f"),
])  # fmt: skip
def test_a_folder_that_would_become_another_is_refused(form, typed, used):
    told = (
        f"“{typed}” is not a valid folder; “{used}” would be used instead. A folder has at most six parts of letters, "
        "digits and . - _ ( ) + @, and no part begins or ends with . or -."
    )
    assert errors_of(form, imageUploadDirectoryName=typed) == {"imageUploadDirectoryName": [told]}


@pytest.mark.parametrize("folder", ["up", "/up/", "@/up/图片", "up\\pictures"])
def test_folders_that_are_used_as_typed_are_stored(signed_in, folder):
    site = SiteFactory()
    assert save(signed_in, site, videoUploadDirectoryName=folder).status_code == 302
    assert stored(site).settings == {"videoUploadDirectoryName": folder}


def test_types_that_are_never_taken_are_refused(signed_in):
    assert refused(signed_in, "imageUploadTypeCollection", "exe|svg|jpg") == [
        "Not accepted as pictures: exe, svg. Pictures may be: avif, bmp, gif, jpeg, jpg, pneg, png, webp."
    ]
    assert refused(signed_in, "fileUploadTypeCollection", "zip,.EXE,tar_gz") == [
        "Not accepted: exe, tar_gz. These are not file extensions, or files with them may run as programs when opened."
    ]


def test_a_type_is_added_to_the_interface_s_list_which_has_some_that_are_not_taken(signed_in):
    site, types = SiteFactory(), "gif|jpg|jpeg|bmp|png|pneg|swf|webp"
    assert save(signed_in, site, imageUploadTypeCollection=types).status_code == 302
    assert stored(site).settings == {"imageUploadTypeCollection": types}


# ---- The watermark


def test_a_watermark_of_nothing_is_refused(signed_in):
    needed = "“%s” is required while “Put a watermark on pictures” is on."
    assert refused(signed_in, "waterMarkFormatString", " ", isWaterMark="on") == [needed % "Text of the watermark"]
    switches = {"isWaterMark": "on", "isImageWaterMark": "on"}
    assert refused(signed_in, "waterMarkImagePath", "", **switches) == [needed % "Picture of the watermark"]


def test_an_unknown_font_is_told_of_and_stored(signed_in):
    site, mark = SiteFactory(), {"isWaterMark": "on", "waterMarkFormatString": "Harbour"}
    answer = save(signed_in, site, waterMarkFontName="Comic Nothing", **mark)
    assert stored(site).settings["waterMarkFontName"] == "Comic Nothing"
    told = "The font “Comic Nothing” is not installed on the server; the watermark uses another font."
    assert told in warnings(signed_in, answer)
    # Once: whoever changes something else has been told.
    assert told not in warnings(signed_in, save(signed_in, site, pageSize="20"))
    assert told not in warnings(signed_in, save(signed_in, site, isWaterMark=False))


def warnings(signed_in, answer):
    assert answer.status_code == 302
    return [str(each) for each in signed_in.get(answer.url).context["messages"] if each.level_tag == "warning"]
