"""Templates, kinds of custom fields, extra pictures and assets of a site template."""

import pytest
from django.core.files.storage import default_storage

from channels_app.models import Channel
from contents.models import Content, ContentPicture, CustomField
from core.lib.media_storage import WholeFiles
from pages.models import Template
from sites.models import FieldDefinition, Site
from tests.factories import ChannelFactory, ContentFactory
from tests.transfer.test_import_site_template import refusal, run
from tools.site_templates import METADATA, OLD_SITE, encoded, feed, old_channel, old_content
from tools.site_templates import Template as Package

pytestmark = pytest.mark.django_db

DEFAULTS = {"DefaultIndexTemplateName": "Home", "DefaultChannelTemplateName": "LIST"}
TEMPLATES = f"{METADATA}/Template.xml"


@pytest.fixture(autouse=True)
def _media(media_folder):
    """Keep the files of these tests apart."""


def entry(name="Home", kind="IndexPageTemplate", text="", **elements):
    """An entry of Template.xml."""
    return {"TemplateName": name, "TemplateType": kind, "Content": encoded(text) if text else ""} | elements


def package(*entries, others=(), channels=None, **site):
    """A package with templates, and with other files by path."""
    return Package(
        site=OLD_SITE | site,
        channels=channels or {"1": feed(old_channel(7))},
        others={TEMPLATES: feed({}, entries)} | dict(others),
    )


def stored(*fields):
    return list(Template.objects.order_by("kind", "name").values_list(*fields))


def test_a_template_is_stored_with_every_member(tmp_path):
    home = entry(
        text="\ufeff<p>首页</p>\r\n",
        RelatedFileName="T_首页 1.html",
        CreatedFileFullName="@/index.html",
        CreatedFileExtName=".htm",
        TemplateID="5",
        Charset="utf-8",
        IsDefault="True",
    )
    run(package(home).write_folder(tmp_path))
    template = Template.objects.get()
    assert template.site == Site.objects.get()
    assert (template.kind, template.name, template.file_name) == ("IndexPageTemplate", "Home", "T_首页 1.html")
    assert (template.page_path, template.extension, template.is_default) == ("index.html", ".htm", True)
    assert (template.text, template.version) == ("<p>首页</p>\r\n", 1)


def test_only_index_and_file_templates_have_a_page_of_their_own(tmp_path):
    kinds = ("IndexPageTemplate", "ChannelTemplate", "ContentTemplate", "FileTemplate")
    entries = [entry(kind, kind, "x", CreatedFileFullName=r"@\utils\search.html") for kind in kinds]
    run(package(*entries).write_folder(tmp_path))
    paths = {"FileTemplate": "utils/search.html", "IndexPageTemplate": "utils/search.html"}
    assert stored("kind", "page_path") == [(kind, paths.get(kind, "")) for kind in sorted(kinds)]


@pytest.mark.parametrize(("extension", "page"), [("htm", "index.htm"), ("", "index.html")])
def test_the_index_page_has_a_name_if_the_package_gives_none(extension, page, tmp_path):
    run(package(entry(CreatedFileExtName=extension)).write_folder(tmp_path))
    assert stored("page_path", "extension") == [(page, page.removeprefix("index"))]


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ({}, ["A"]),
        ({"DefaultChannelTemplateName": "b"}, ["B"]),
        ({"DefaultChannelTemplateName": " B\u3000"}, ["B"]),
        ({"DefaultChannelTemplateName": "gone"}, ["A"]),
        ({"DefaultIndexTemplateName": "B"}, ["A"]),
    ],
)
def test_the_configuration_chooses_the_default_before_the_template_itself(configuration, expected, tmp_path):
    entries = [entry(name, "ChannelTemplate", IsDefault=default) for name, default in
               [("A", "True"), ("B", "False"), ("C", "True")]]  # fmt: skip
    run(package(*entries, **configuration).write_folder(tmp_path))
    assert list(Template.objects.filter(is_default=True).values_list("name", flat=True)) == expected
    assert not any("default" in name.lower() for name in Site.objects.get().settings)


def test_version_7_calls_the_default_otherwise(tmp_path):
    run(package(entry(DefaultTemplate="True")).write_folder(tmp_path))
    assert Template.objects.get().is_default


def test_channels_name_their_templates_within_the_type(tmp_path):
    channels = {
        "1": feed(old_channel(7, ContentTemplateName="news")),
        "1_1": feed(old_channel(8, 7, ChannelTemplateName="News", ContentTemplateName="gone", ChannelTemplateID="33")),
        "1_2": feed(old_channel(9, 7, ChannelTemplateID="33", ContentTemplateId="34")),
    }
    entries = [entry("News", "ChannelTemplate"), entry("News", "ContentTemplate")]
    run(package(*entries, channels=channels).write_folder(tmp_path))
    ids = dict(Template.objects.values_list("kind", "pk"))
    found = Channel.objects.order_by("taxis").values_list("channel_template_id", "content_template_id")
    assert list(found) == [(0, ids["ContentTemplate"]), (ids["ChannelTemplate"], 0), (0, 0)]
    assert set(Channel.objects.get(channel_name="Channel 8").settings) == set()


@pytest.mark.parametrize(
    ("written", "named"), [(" 维护与保养", " 维护与保养"), ("News", "news "), ("\u3000News", "News\t")]
)
def test_blanks_around_the_name_of_a_template_do_not_matter(written, named, tmp_path):
    channels = {"1": feed(old_channel(7, ChannelTemplateName=named, ContentTemplateName=named))}
    entries = [entry(written, "ChannelTemplate"), entry(written, "ContentTemplate")]
    told = run(package(*entries, channels=channels).write_folder(tmp_path))
    ids = dict(Template.objects.values_list("kind", "pk"))
    home = Channel.objects.get()
    assert (home.channel_template_id, home.content_template_id) == (ids["ChannelTemplate"], ids["ContentTemplate"])
    assert not any("Templates that channels name" in line for line in told)


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_channels_whose_template_is_missing_are_told(options, tmp_path):
    channels = {
        "1": feed(old_channel(7, ContentTemplateName="News")),
        "1_1": feed(old_channel(8, 7, ChannelTemplateName=" gone", ContentTemplateName="gone")),
    }
    told = run(package(entry("News", "ContentTemplate"), channels=channels).write_folder(tmp_path), *options)
    assert (
        "Templates that channels name but the package lacks; the default template applies: 2 "
        "(Channel 8: ChannelTemplate gone, Channel 8: ContentTemplate gone)"
    ) in told


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_package_without_page_templates_is_told(options, tmp_path):
    line = "The package has no page templates, so the site will have no pages."
    assert line in run(Package().write_folder(tmp_path / "without"), *options)
    if not options:
        Site.objects.update(site_dir="other")
    assert line not in run(package(entry()).write_folder(tmp_path / "with"), *options)


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_template_that_is_too_long_is_told(options, tmp_path):
    made = package(entry(text="x" * 2_000_001), entry("Foot", "FileTemplate", text="x" * 2_000_000))
    told = run(made.write_zip(tmp_path / "x.zip"), *options)
    assert "Templates that are too long; their pages end early: 1 (IndexPageTemplate Home)" in told


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("IndexPageTemplate", "t_home.html"),
        ("ChannelTemplate", "Template/T_home.html"),
        ("FileTemplate", "template/T_home.html"),
        ("ContentTemplate", "Template/Content/T_home.html"),
    ],
)
@pytest.mark.parametrize("text", ["", "from the list"])
def test_the_file_of_a_template_counts_only_without_a_text_in_the_list(kind, path, text, tmp_path):
    made = package(entry("Home", kind, text, RelatedFileName="T_home.html"), others={path: "from the file"})
    run(made.write_zip(tmp_path / "x.zip"))
    assert stored("text") == [(text or "from the file",)]


def test_a_file_may_have_the_old_chinese_encoding(tmp_path):
    made = package(entry(RelatedFileName="T_home.html"), others={"T_home.html": ""})
    folder = made.write_folder(tmp_path)
    (folder / "T_home.html").write_bytes("欢迎".encode("gb18030"))
    run(folder)
    assert stored("text") == [("欢迎",)]


def test_includes_are_found_by_the_texts_that_name_them(tmp_path):
    home = entry(
        text="<stl:include file='@/include/Head.html'></stl:include><STL:Include x=1 file=../parts/foot.htm />"
        '{stl:include file="include/entity.inc"}<stl:include file="/lists/{channel.index}.html">'
        '<stl:include file="gone.html">'
    )
    files = {
        "include/head.html": '<stl:include file="/include/inner.txt"></stl:include>',
        "include/inner.txt": '<stl:include file="/include/head.html">',
        "include/entity.inc": "entity",
        "include/unused.html": "unused",
        "parts/foot.htm": "foot",
        "lists/a.html": "a",
        "lists/b.html": "b",
        "lists/c.aspx": "no",
        "web.config": "no",
    }
    run(package(home, others=files).write_folder(tmp_path))
    includes = Template.objects.filter(kind="IncludeFile").order_by("name")
    names = [
        "include/entity.inc",
        "include/head.html",
        "include/inner.txt",
        "lists/a.html",
        "lists/b.html",
        "parts/foot.htm",
    ]
    assert [each.name for each in includes] == names
    assert [each.text for each in includes] == [files[name] for name in names]
    assert {(each.page_path, each.extension, each.is_default) for each in includes} == {("", "", False)}


def test_an_include_cannot_name_a_file_outside_the_site(tmp_path):
    home = entry(
        text='<stl:include file="../SiteTemplateMetadata/Configuration.txt"><stl:include file="/../secret.html">'
    )
    made = package(home, others={f"{METADATA}/Configuration.txt": "no", "secret.html": "inside"})
    run(made.write_zip(tmp_path / "x.zip"))
    assert stored("name") == [("secret.html",), ("Home",)]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([entry(), entry("home")], 'entry 2: Another template of this type is also named "home".'),
        ([entry(kind="Page")], 'entry 1, element TemplateType: "Page" is not a type of template.'),
        ([entry(" ")], "entry 1: The template has no name or no type."),
        ([entry(kind="")], "entry 1: The template has no name or no type."),
        ([entry("n" * 256)], "entry 1, field name: The text has 256 characters; at most 255 are allowed."),
        ([entry(text="\0")], "entry 1, element Content: The text contains a NUL character."),
        (
            [entry(CreatedFileFullName="@/../x.html")],
            'entry 1, element CreatedFileFullName: "@/../x.html" points outside the site.',
        ),
    ],
)
def test_a_wrong_template_is_told_with_its_entry(entries, message, tmp_path):
    told = refusal(package(*entries).write_folder(tmp_path))
    assert told.replace("entry 1,", "entry 1,").removeprefix(TEMPLATES).lstrip(", ") == message


def test_a_text_that_cannot_be_decoded_is_refused(tmp_path):
    folder = package(entry(RelatedFileName="T_home.html"), others={"T_home.html": ""}).write_folder(tmp_path)
    (folder / "T_home.html").write_bytes(b"\xff\xfe<\x00")
    assert refusal(folder) == "T_home.html: The text is neither UTF-8 nor GB18030."


def test_endless_templates_are_refused(tmp_path, monkeypatch):
    path = package(entry("a"), entry("b"), entry("c")).write_folder(tmp_path)
    monkeypatch.setattr("transfer.page_templates.MAX_TEMPLATES", 2)
    assert "entry 3: The package has more than 2 templates" in refusal(path)
    monkeypatch.setattr("transfer.page_templates.MAX_TEMPLATES", 3)
    monkeypatch.setattr("transfer.page_templates.MAX_CHARACTERS", 3)
    path = package(entry(text="four")).write_folder(tmp_path)
    assert "entry 1: The package has more than" in refusal(path)


def definition(name, *choices, **elements):
    entries = [{"ItemTitle": title, "ItemValue": value} for title, value in choices]
    return feed(
        {"AttributeName": name, "InputType": "Text", "IsVisible": "True", "OrderString": "1"} | elements, entries
    )


def test_kinds_of_custom_fields_are_stored_by_owner(tmp_path):
    files = {
        "siteserver_PublishmentSystem/Logo/24": definition("Logo", DisplayName="标志", InputType="Image", Taxis="3"),
        "siteserver_node/Banner/1": definition("Banner", IsVisible="False"),
        "model_Content/Colour/2": definition(
            "Colour", ("红", "red"), ("Blue", ""), InputType="SelectOne", DefaultValue="red"
        ),
    }
    others = {f"{METADATA}/Table/{name}.xml": text for name, text in files.items()}
    run(package(others=others | {f"{METADATA}/Table/model_Content.xml": feed({})}).write_folder(tmp_path))
    members = ("owner", "name", "folded_name", "label", "kind", "default", "choices", "is_visible", "taxis")
    assert list(FieldDefinition.objects.order_by("owner").values_list(*members)) == [
        ("channel", "banner", "banner", "", "Text", "", [], False, 0),
        ("content", "colour", "colour", "", "SelectOne", "red", [["红", "red"], ["Blue", "Blue"]], True, 0),
        ("site", "logo", "logo", "标志", "Image", "", [], True, 3),
    ]


def test_editors_are_offered_the_fields_of_contents(tmp_path):
    files = {
        "model_Content/Colour/2": definition("Colour", ("红", "red"), ("Blue", ""), InputType="SelectOne", Taxis="2"),
        "model_Content/Opening/3": definition("Opening", InputType="Date", DisplayName="开幕", Taxis="1"),
        "model_Content/Notes/4": definition("Notes", InputType="TextEditor", IsVisible="False", Taxis="3"),
        "model_Content/Title/5": definition("Title", DisplayName="标题"),
        "siteserver_node/Banner/1": definition("Banner"),
    }
    others = {f"{METADATA}/Table/{name}.xml": text for name, text in files.items()}
    content = old_content(1) | {"colour": "red", "Mood": "calm"}
    channels = {"1": feed(old_channel(7), [content])}
    run(package(others=others, channels=channels).write_folder(tmp_path))
    members = ("name", "label", "kind", "choices", "is_offered")
    assert list(CustomField.objects.order_by("taxis").values_list(*members)) == [
        ("opening", "开幕", "day", "", True),
        ("colour", "", "choice", "red\nBlue", True),
        ("notes", "", "text", "", False),
        ("mood", "", "line", "", True),
    ]


def test_of_several_definitions_the_topmost_of_the_own_table_counts(tmp_path):
    others = {
        f"{METADATA}/Table/{table}/area/{number}.xml": definition("Area", DisplayName=label, OrderString=place)
        for table, number, label, place in [
            ("model_Job", 1, "another table", "1"),
            ("model_Content", 2, "below", "1_3"),
            ("model_Content", 3, "topmost", "1"),
        ]
    }
    run(package(others=others).write_folder(tmp_path))
    assert list(FieldDefinition.objects.values_list("label", flat=True)) == ["topmost"]


def test_extra_pictures_of_a_content_are_stored(tmp_path):
    pictures = [
        {"SmallUrl": "@/a_s.png", "MiddleUrl": "@/a_m.png", "LargeUrl": "@/a.png", "Taxis": "9", "ContentID": "2"},
        {"LargeUrl": "@/b.png", "Description": "b"},
    ]
    channels = {"1": feed(old_channel(7), [old_content(1), old_content(2), old_content(3)])}
    others = {f"{METADATA}/SiteContent/Photo/{number}.xml": feed({}, pictures) for number in (2, 99)}
    run(package(channels=channels, others=others).write_folder(tmp_path))
    members = ("content__title", "small_url", "middle_url", "large_url", "description", "taxis")
    assert list(ContentPicture.objects.order_by("pk").values_list(*members)) == [
        ("Content 2", "@/a_s.png", "@/a_m.png", "@/a.png", "", 9),
        ("Content 2", "", "", "@/b.png", "b", 2),
    ]


def test_an_error_of_a_picture_names_its_file(tmp_path):
    channels = {"1": feed(old_channel(7), [old_content(2)])}
    others = {f"{METADATA}/SiteContent/Photo/2.xml": feed({}, [{"LargeUrl": "x" * 2001}])}
    told = refusal(package(channels=channels, others=others).write_folder(tmp_path))
    assert told.startswith(f"{METADATA}/SiteContent/Photo/2.xml, entry 1, field largeUrl: The text has 2001")
    assert Content.objects.count() == 0


STORED = [
    *("css/style.css", "js/app.js", "js/app.js.map", "fonts/a.woff2", "fonts/a.eot", "img/logo.svg", "favicon.ico"),
    *("data/list.json", "robots.txt", "sitemap.xml", "Upload/images/a.PNG", "upload/b.pdf", "assets/x.min.css"),
    *("upload/x.svg", "upload/x.js", "upload/x.html", "js/a&b.js", "about/us.htm"),
]
LEFT_OUT = [
    *("index.html", "channels/2.html", "a.shtml", "x.aspx", "x.asp", "x.ashx", "x.php", "bin/x.dll", "web.config"),
    *("x.exe", ".htaccess", "css/.hidden.css", ".git/a.css", f"{'d/' * 13}x.css", "noextension"),
    f"{METADATA}/x.css",
]


@pytest.mark.parametrize("top", ["", "T_Harbour/"])
def test_assets_and_uploads_are_stored_but_no_pages_and_programs(top, tmp_path):
    made = package(others=dict.fromkeys([*STORED, *LEFT_OUT], "x"))
    *_, last = run(made.write_zip(tmp_path / "x.zip", top))
    site = Site.objects.get()
    found = {path for path in [*STORED, *LEFT_OUT] if default_storage.exists(f"sites/{site.pk}/{path}")}
    assert found == set(STORED)
    counts = f"files={len(STORED)} leftOut={len(LEFT_OUT) - 1}"  # but for that of the metadata
    assert last == f"siteId={site.pk} channels=1 contents=0 templates=0 {counts}"


def test_an_import_tells_what_visitors_would_miss(tmp_path):
    text = '<script src="{stl.siteUrl}/js/Menu.js"></script><script>document.cookie</script>'
    channel = old_channel(8, 7, FilePath="/a?b.html")
    made = package(
        entry(text=text), others={"js/menu.js": "x"}, channels={"1": feed(old_channel(7)), "1_1": feed(channel)}
    )
    *lines, _ = run(made.write_folder(tmp_path))
    site = Site.objects.get()
    assert lines == [
        f"site {site.pk}, IndexPageTemplate Home, 1:14: /js/Menu.js does not exist, but /js/menu.js does.",
        f"channel {site.channels.get(parent=site.pk).pk}: in addresses, /a?b.html is /a%3Fb.html.",
        "Home uses cookies or storage; give the site a host of its own (CMS_SITE_HOSTS), since pages have none here.",
    ]


def test_a_dry_run_counts_files_and_stores_none(tmp_path, media_folder):
    path = package(entry(), others={"css/style.css": "x"}).write_folder(tmp_path)
    assert run(path, "--dry-run")[-1] == "siteId=0 channels=1 contents=0 templates=1 files=1 leftOut=0"
    assert not list(media_folder.rglob("*.css"))
    assert Template.objects.count() == 0


def test_files_of_a_failed_import_are_removed(tmp_path, media_folder, monkeypatch):
    save = WholeFiles._save

    def fail_at_last(storage, name, content):
        if name.endswith("b.css"):
            raise OSError("disk full")
        return save(storage, name, content)

    path = package(others={"css/a.css": "x", "css/b.css": "x"}).write_folder(tmp_path)
    monkeypatch.setattr(WholeFiles, "_save", fail_at_last)
    with pytest.raises(OSError, match="disk full"):
        run(path)
    assert Site.objects.count() == 0
    assert not list(media_folder.rglob("*.css"))


TREE = {
    "1": feed(old_channel(7000070)),
    "1_1": feed(
        old_channel(7000093, 7000070, ExtendValues="transsiteid=7000070"),
        [old_content(7000501), old_content(7000400, SourceId="7000093")],
    ),
}


def ids():
    return (
        list(Site.objects.filter(site_dir="harbour").values_list("pk", flat=True)),
        list(Channel.objects.filter(site__site_dir="harbour").order_by("taxis").values_list("pk", flat=True)),
        list(Content.objects.filter(site__site_dir="harbour").order_by("title").values_list("pk", flat=True)),
    )


def test_ids_that_are_free_are_kept_and_not_given_out_again(tmp_path):
    told = run(package(entry(), channels=TREE).write_folder(tmp_path), "--keep-ids")
    assert told[:-1] == ["The site and its channels: the ids of the package.", "Contents: the ids of the package."]
    assert ids() == ([7000070], [7000070, 7000093], [7000400, 7000501])
    assert Channel.objects.get(pk=7000093).settings == {"transSiteId": 7000070}
    assert Content.objects.get(pk=7000400).source_id == 7000093
    channel = ChannelFactory(parent=Channel.objects.get(pk=7000070))
    assert channel.pk > 7000093
    assert ContentFactory(channel=channel).pk > 7000501


def test_without_the_option_all_ids_are_new(tmp_path):
    run(package(channels=TREE).write_folder(tmp_path))
    assert not {7000070, 7000093, 7000400, 7000501} & {number for some in ids() for number in some}


@pytest.mark.parametrize("taken", ["channel", "content"])
def test_one_taken_id_gives_new_ids_to_all_of_its_kind(taken, tmp_path):
    other = ChannelFactory(**({"id": 7000093} if taken == "channel" else {}))
    if taken == "content":
        ContentFactory(channel=other, id=7000501)
    *told, _last = run(package(channels=TREE).write_folder(tmp_path), "--keep-ids")
    sites, channels, contents = ids()
    assert (channels == [7000070, 7000093], contents == [7000400, 7000501]) == (taken != "channel", taken != "content")
    assert sites == channels[:1]
    kinds = {"channel": "The site and its channels", "content": "Contents"}
    assert f"{kinds[taken]}: new ids, since not all are free." in told
    assert not {7000070, 7000093} & set(channels) or taken == "content"


@pytest.mark.parametrize(("first", "second"), [(7000005, 7000005), (7000005, 0), (7000005, -1), (7000005, 2**31)])
def test_ids_that_no_records_can_have_are_not_kept(first, second, tmp_path):
    channels = {"1": feed(old_channel(7000070), [old_content(first), old_content(second)])}
    run(package(channels=channels).write_folder(tmp_path), "--keep-ids")
    assert ids()[0] == [7000070]
    assert not {first, second} & set(ids()[2])


def test_a_dry_run_says_which_ids_would_be_kept(tmp_path):
    told = run(package(channels=TREE).write_folder(tmp_path), "--keep-ids", "--dry-run")
    assert "The site and its channels: the ids of the package." in told
    assert ids() == ([], [], [])
